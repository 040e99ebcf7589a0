#!/bin/sh
# After `make install` of a shared library: will programs find the library? As root the cache of the loader is written
# anew. Where the loader does not look into the directory even so, a line says what to do. usage: tools/loader.sh FILE
set -eu
file=$1
PATH=$PATH:/usr/sbin:/sbin
command -v ldconfig >/dev/null 2>&1 || exit 0 # the loader of musl has no cache
[ "$(id -u)" -ne 0 ] || ldconfig
# Each directory counts by its real name: /lib may be a link to /usr/lib.
ldconfig -p | sed -n "s|.*${file##*/} .*=> ||p" | xargs -r readlink -f | grep -qxF "$(readlink -f "$file")" || {
    echo "install: the loader does not find $file yet. Run 'ldconfig' as root, if ${file%/*} is in /etc/ld.so.conf;" >&2
    echo "         else start programs with LD_LIBRARY_PATH=${file%/*}, or link them with -Wl,-rpath,${file%/*}" >&2
}
