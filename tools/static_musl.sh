#!/bin/sh
# `make static` with musl instead of glibc, into BUILD/static/xylem-musl. Debian has LMDB, PCRE2, yajl, zstd and cmark-gfm
# for glibc alone, so this script first compiles their sources, as apt gets and verifies them. Exit 77: a tool or an
# archive of Debian is missing. usage: tools/static_musl.sh BUILD
set -eu
build=${1:?"usage: $0 BUILD"}
cd "$(dirname "$0")/.."
. tools/debian_sources.sh
mkdir -p "$build/musl-static" "$build/static"
place=$(cd "$build/musl-static" && pwd)
sources=$place/sources held=$place/held include=$place/include

skip() {
    echo "static-musl: skipped: $1" >&2
    exit 77
}

# A mirror may lack the newest update of a source that its index names; the release has an older one.
get_sources() {
    [ ! -e "$sources/.complete" ] || return 0
    use_archives "$place/apt" || skip "apt-get knows no archive of Debian: run 'apt-get update'"
    # shellcheck disable=SC1091 # every Debian has it
    release=$(. /etc/os-release && echo "$VERSION_CODENAME")
    rm -rf "$sources"
    mkdir "$sources"
    (
        cd "$place/apt" && apt_get update || exit 1
        for name in lmdb yajl pcre2 libzstd cmark-gfm; do
            apt_get source --download-only "$name" ||
                { rm -f "${name}"_*.dsc && apt_get source --download-only "$name/$release"; } || exit 1
            dpkg-source -x "$(find . -name "${name}_*.dsc")" "$sources/$name" || exit 1
        done
    ) >"$place/log" 2>&1 || skip "the sources cannot be fetched: $(grep -m 1 -i '^E: \|error: ' "$place/log")"
    rm -rf "$place/apt"
    touch "$sources/.complete"
}

# What the builds of PCRE2 and yajl would write, and the headers that do not hang on a C library.
prepare() {
    pcre2=$sources/pcre2/src
    cp "$pcre2/config.h.generic" "$pcre2/config.h"
    cp "$pcre2/pcre2.h.generic" "$pcre2/pcre2.h"
    cp "$pcre2/pcre2_chartables.c.dist" "$pcre2/pcre2_chartables.c"
    rm -rf "$include" "$held"
    mkdir "$include" "$held"
    ln -s "$sources/yajl/src/api" "$include/yajl"
    ln -s "$sources/lmdb/libraries/liblmdb/lmdb.h" "$pcre2/pcre2.h" "$sources"/libzstd/lib/zstd*.h \
        /usr/include/cmark-gfm*.h \
        /usr/include/msgpack /usr/include/msgpack.h /usr/include/xxhash.h /usr/include/xxh3.h /usr/include/linux \
        /usr/include/asm-generic "/usr/include/$(${CC:-cc} -print-multiarch)/asm" "$include"
}

# compile <name> <flag...>: the files of standard input.
compile() {
    name=$1
    shift
    # shellcheck disable=SC2016 # words of the inner shell
    xargs -P "$(nproc)" -I FILE sh -c 'musl-gcc -O2 -w -DNDEBUG -c FILE -o "$0/$(basename FILE .c).o" "$@"' "$held/$name" "$@"
}

compile_held() {
    mkdir "$held/lmdb" "$held/yajl" "$held/pcre2" "$held/zstd" "$held/cmark" "$held/tables"
    printf '%s\n' "$sources"/lmdb/libraries/liblmdb/mdb.c "$sources"/lmdb/libraries/liblmdb/midl.c | compile lmdb
    # yajl_version.c needs a header that the build of yajl would write, and nobody calls its function.
    printf '%s\n' "$sources"/yajl/src/*.c | grep -v version | compile yajl -I"$include" -I"$sources/yajl/src"
    # The rest is tools, or included by others.
    printf '%s\n' "$pcre2"/pcre2_*.c |
        grep -vE '_(jit_match|jit_misc|jit_test|dftables|fuzzsupport|printint|ucptables)\.c$' |
        compile pcre2 -DHAVE_CONFIG_H -DPCRE2_CODE_UNIT_WIDTH=8 -DPCRE2_STATIC -DSUPPORT_PCRE2_8 -DSUPPORT_UNICODE \
            -DSUPPORT_JIT -I"$pcre2"
    printf '%s\n' "$sources"/libzstd/lib/common/*.c "$sources"/libzstd/lib/*compress/*.c | compile zstd -DZSTD_DISABLE_ASM
    # The headers that its build writes are among the installed ones.
    printf '%s\n' "$sources"/cmark-gfm/src/*.c | grep -v '/main\.c$' | compile cmark -I"$include" -I/usr/include/cmark-gfm
    printf '%s\n' "$sources"/cmark-gfm/extensions/*.c |
        compile tables -I"$include" -I"$sources/cmark-gfm/src" -I/usr/include/cmark-gfm
    ar rcs "$held/held.a" "$held"/*/*.o
}

for tool in apt-get dpkg-source musl-gcc; do
    command -v $tool >/dev/null || skip "$tool is missing: DEPS=deb make deps"
done
get_sources
if [ ! -e "$held/held.a" ]; then
    prepare
    compile_held
fi
${MAKE:-make} --silent BUILD="$place" CC=musl-gcc CPPFLAGS="-isystem $include" \
    HELD_LIBS="$held/held.a -lpthread -lm" static
cp "$place/static/xylem" "$build/static/xylem-musl"
echo "static-musl: $build/static/xylem-musl, $(wc -c <"$build/static/xylem-musl") bytes"
