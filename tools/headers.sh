#!/bin/sh
# The public headers, in the order of the flow: include/xylem.h, and those that it includes; then those of the judge.
#   (none)        the files, one a line
#   --installed   the same below the directory of the installation
#   --functions   the functions that the shared library exports, sorted
#   --judge       the functions of the judge, sorted
#   --version     XYLEM_VERSION
#   --abi         XYLEM_ABI
set -eu

# files <umbrella>
files() {
    echo "$1"
    sed -n 's/^#include "\(xylem\/.*\)"/include\/\1/p' "$1"
}

# Both libraries have base.h.
judge_files() {
    files include/xylem_judge.h | grep -v '/base\.h$'
}

# functions <header...>
functions() {
    awk '
        /^XYLEM_API/ { text = ""; open = 1 }
        open { text = text " " $0 }
        open && /;/ { open = 0; match(text, /xylem_[a-z0-9_]+\(/); print substr(text, RSTART, RLENGTH - 1) }' "$@" |
        LC_ALL=C sort
}

case ${1:-} in
'') files include/xylem.h && judge_files ;;
--installed) "$0" | sed 's/^include\///' ;;
# shellcheck disable=SC2046 # one word a file
--functions) functions $(files include/xylem.h) ;;
# shellcheck disable=SC2046
--judge) functions $(judge_files) ;;
--version) sed -n 's/^#define XYLEM_VERSION "\(.*\)"/\1/p' include/xylem/base.h ;;
--abi) sed -n 's/^#define XYLEM_ABI //p' include/xylem/base.h ;;
*)
    echo 'usage: tools/headers.sh [--installed | --functions | --judge | --version | --abi]' >&2
    exit 2
    ;;
esac
