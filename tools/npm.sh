#!/bin/sh
# Packs hosts/pi with hosts/node inside: one tarball in <build>/npm, with an addon for each target. Exit 77: a tool of
# `DEPS=npm make deps`, npm or the archive of Debian is missing.
# An addon in the tarball needs the C library alone. Debian's liblmdb.a and libyajl_s.a are not position-independent, so
# their sources are compiled again. Debian's libpcre2-8.a can be in an addon, and is taken out of the package for each
# processor. All are as the apt of this machine gets them, and as hosts/node/sources.sha256 pins them. New versions: `cd <build>/npm/apt && sha256sum *.tar.* *.deb >...`, and read what Debian changed.
set -eu
. tools/debian_sources.sh
build=${1:?"usage: $0 BUILD"}
cc=${CC:-cc}
targets='linux-x64 linux-arm64'
mkdir -p "$build/npm"
place=$(cd "$build/npm" && pwd)
apt=$place/apt sources=$place/sources stage=$place/stage

fail() {
    echo "npm: $1" >&2
    exit 1
}

skip() {
    echo "npm: skipped: $1" >&2
    exit 77
}

get_sources() {
    ! (cd "$apt" 2>/dev/null && sha256sum --quiet -c "$pins" >/dev/null 2>&1) || return 0
    command -v apt-get >/dev/null || skip 'apt-get is missing: it fetches LMDB, PCRE2 and yajl'
    use_archives "$apt" || skip "apt-get knows no archive of Debian: run 'apt-get update'"
    set -- -o APT::Architectures::=amd64 -o APT::Architectures::=arm64
    (cd "$apt" && apt_get "$@" update && apt_get "$@" source --download-only lmdb yajl &&
        apt_get "$@" download libpcre2-dev:amd64 libpcre2-dev:arm64) >"$apt/log" 2>&1 ||
        skip "apt-get cannot fetch the sources: $(grep -m 1 '^E: ' "$apt/log")"
    rm -rf "$apt/lists" "$apt/cache"
    (cd "$apt" && sha256sum -c "$pins") >"$apt/log" 2>&1 ||
        fail "the sources are not those of hosts/node/sources.sha256: $(grep -m 1 -v ': OK$' "$apt/log")"
}

unpack_sources() {
    rm -rf "$sources"
    mkdir -p "$sources/include"
    for name in lmdb yajl; do
        dpkg-source -x "$apt/$name"_*.dsc "$sources/$name" >"$sources/log" 2>&1 || fail "dpkg-source: $(tail -n 1 "$sources/log")"
    done
    for cpu in amd64 arm64; do
        dpkg-deb -x "$apt"/libpcre2-dev_*_$cpu.deb "$sources/pcre2_$cpu"
    done
    ln -s ../pcre2_amd64/usr/include/pcre2.h "$sources/include/pcre2.h"
    ln -s ../lmdb/libraries/liblmdb/lmdb.h "$sources/include/lmdb.h"
    ln -s ../yajl/src/api "$sources/include/yajl"
}

# The compiler of a target: that of this machine for its own processor, else Debian's cross compiler.
compiler_of() {
    case $1 in
    *-x64) machine=x86_64 cpu=amd64 ;;
    *-arm64) machine=aarch64 cpu=arm64 ;;
    esac
    if [ "$machine" = "$(uname -m)" ]; then echo "$cc"; else echo "$machine-linux-gnu-gcc"; fi
}

addon_of() {
    echo "$place/$1/node/prebuilds/$1/xylem.node"
}

pcre2_of() {
    compiler_of "$1" >/dev/null # sets `machine` and `cpu`
    echo "$sources/pcre2_$cpu/usr/lib/$machine-linux-gnu/libpcre2-8.a"
}

# build_embedded <target>: the libraries that the addon holds, with the same defaults as Debian's: processes with either
# share lock files.
build_embedded() {
    embedded=$place/$1/embedded
    ! cmp -s "$pins" "$embedded/.pins" || return 0
    rm -rf "${place:?}/$1" # a make of other sources does not see that they changed
    mkdir -p "$embedded"
    for file in "$sources"/lmdb/libraries/liblmdb/mdb.c "$sources"/lmdb/libraries/liblmdb/midl.c "$sources"/yajl/src/*.c; do
        case $file in */yajl_version.c) continue ;; esac # needs a header that its build would write, and nobody calls it
        $(compiler_of "$1") -O2 -w -fPIC -fvisibility=hidden -DNDEBUG -I"$sources/yajl/src" -c "$file" \
            -o "$embedded/$(basename "$file" .c).o"
    done
    ar rcs "$embedded/lib.a" "$embedded"/*.o
    cp "$pins" "$embedded/.pins"
}

build_addon() {
    ${MAKE:-make} --silent BUILD="$place/$1" PLATFORM="$1" CC="$(compiler_of "$1")" LDFLAGS=-s \
        LTO= CPPFLAGS="-isystem $sources/include" LIBS="$embedded/lib.a $(pcre2_of "$1") -lpthread -lm" addon
    addon=$(addon_of "$1")
    needed=$(readelf -d "$addon" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^(libc|libm|ld-linux.*)\.so\.[0-9]+$' || true)
    [ -z "$needed" ] || fail "the addon of $1 needs more than the C library: $needed"
    missing=$(readelf --wide --dyn-syms "$addon" | awk '$7 == "UND" { print $8 }' | grep -E '^(mdb|pcre2|yajl|XXH|xylem)' || true)
    [ -z "$missing" ] || fail "the addon of $1 lacks $missing"
}

add_notices() {
    for name in lmdb yajl; do
        printf '\n--- %s ---\n\n' "$name"
        cat "$sources/$name/debian/copyright"
    done
    printf '\n--- pcre2 ---\n\n'
    cat "$sources/pcre2_amd64/usr/share/doc/libpcre2-dev/copyright"
    for name in xxhash msgpack; do
        printf '\n--- %s ---\n\n' "$name"
        cat "/usr/share/doc/lib$name-dev/copyright"
    done
}

# In the stage each of these modules takes in the modules that it imports: pi takes a millisecond for a module, at each
# start. What pi has stays an import.
bundle() {
    (cd "$stage" && esbuild lib/owner.ts lib/guard/children.ts --bundle --format=esm --platform=node --target=node22 \
        --external:@earendil-works/* --external:typebox --out-extension:.js=.ts --banner:js='// @ts-nocheck' --outdir=bundled --log-level=warning &&
        rm -r lib && mv bundled lib) || fail 'esbuild cannot bundle the modules'
}

pack() {
    native=$stage/node_modules/xylem-native
    rm -rf "$stage" "$place"/*.tgz
    mkdir -p "$native"
    for target in $targets; do
        cp -R "$place/$target/node/." "$native/"
    done
    cp LICENSE "$native/"
    { echo 'The addon holds code of these libraries.' && add_notices; } >"$native/NOTICES"
    (cd hosts/pi && tar -cf - --exclude=./node_modules --exclude=./test --exclude=./tsconfig.json .) | tar -xf - -C "$stage"
    bundle
    cp LICENSE "$stage/"
    # the pages of the repository are not in the tarball: a link to them becomes its text
    sed -i 's|\[\([^][]*\)\](\(\.\./\)*docs/[^()]*)|\1|g' "$stage"/docs/*.md
    (cd "$stage" && npm_config_cache="$place/cache" npm_config_update_notifier=false \
        npm pack --silent --ignore-scripts --pack-destination "$place") >"$place/name" || fail 'npm cannot pack'
}

# Out of the tarball, with nothing beside it: the addon for this machine. tools/check_npm.sh tries all of them.
try_tarball() {
    rm -rf "$place/try"
    mkdir -p "$place/try"
    tar -xzf "$place/$(cat "$place/name")" -C "$place/try"
    (cd "$place/try/package" && node -e '
        const xylem = require("xylem-native")
        const store = xylem.open("../store", { create: true })
        if (store.session("s") !== null || xylem.judge("readonly", "rm x").decision !== "deny") process.exit(1)') ||
        fail 'the addon in the tarball does not work'
    rm -rf "$place/try"
}

# The oldest glibc that has all functions of an addon.
floor_of() {
    readelf --wide --dyn-syms "$(addon_of "$1")" | sed -n 's/.*@GLIBC_\([0-9.]*\).*/\1/p' | sort -Vu | tail -n 1
}

pins=$PWD/hosts/node/sources.sha256
command -v npm >/dev/null || skip 'npm is missing: npm packs'
DEPS=npm tools/deps.sh --check || skip 'DEPS=npm make deps installs the missing packages'
get_sources
unpack_sources
for target in $targets; do
    build_embedded "$target"
    build_addon "$target"
done
pack
try_tarball
for target in $targets; do
    echo "npm: $target needs glibc $(floor_of "$target") or newer"
done
echo "npm: $place/$(cat "$place/name"), $(wc -c <"$place/$(cat "$place/name")") bytes"
