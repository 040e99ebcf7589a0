#!/bin/sh
# The public headers, in the order of the flow: include/xylem.h, and those that it includes.
#   (none)        the files, one a line
#   --installed   the same below the directory of the installation
#   --functions   the functions that the shared library exports, sorted
#   --version     XYLEM_VERSION
#   --abi         XYLEM_ABI
set -eu
umbrella=include/xylem.h

files() {
    echo "$umbrella"
    sed -n 's/^#include "\(xylem\/.*\)"/include\/\1/p' "$umbrella"
}

case ${1:-} in
'') files ;;
--installed) files | sed 's/^include\///' ;;
--functions)
    # shellcheck disable=SC2046 # one word a file
    awk '
        /^XYLEM_API/ { text = ""; open = 1 }
        open { text = text " " $0 }
        open && /;/ { open = 0; match(text, /xylem_[a-z0-9_]+\(/); print substr(text, RSTART, RLENGTH - 1) }' $(files) |
        LC_ALL=C sort
    ;;
--version) sed -n 's/^#define XYLEM_VERSION "\(.*\)"/\1/p' include/xylem/base.h ;;
--abi) sed -n 's/^#define XYLEM_ABI //p' include/xylem/base.h ;;
*)
    echo 'usage: tools/headers.sh [--installed | --functions | --version | --abi]' >&2
    exit 2
    ;;
esac
