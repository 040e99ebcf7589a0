#!/bin/sh
# debian/ repeats the version, the number of the shared library and the functions of the headers. `--check` prints each
# difference, fails if there is any, and needs no packaging tools. `--write` adds the functions that the file of symbols
# lacks, as new in this version. A function that is gone is left to a person: the shared library needs another number.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

version=$(tools/headers.sh --version)
number=$(tools/headers.sh --abi)
package=libxylem$number
symbols=debian/$package.symbols

problem() {
    echo "deb: $1: $2" >>"$scratch/found"
}

check_version() {
    packaged=$(sed -n '1s/^xylem (\(.*\)-[^-]*) .*/\1/p' debian/changelog)
    [ "$packaged" = "$version" ] ||
        problem debian/changelog "the newest version is '$packaged', in include/xylem/base.h it is '$version'"
}

check_number() {
    grep -qx "Package: $package" debian/control || problem debian/control "no package $package, XYLEM_ABI is $number"
    [ -e "debian/$package.install" ] || problem "debian/$package.install" "missing, XYLEM_ABI is $number"
    [ -e "$symbols" ] || {
        problem "$symbols" "missing (tools/deb_files.sh --write makes it)"
        return 0
    }
    head -n 1 "$symbols" | grep -qx "libxylem.so.$number $package #MINVER#" ||
        problem "$symbols" "does not begin with 'libxylem.so.$number $package #MINVER#'"
}

check_functions() {
    [ -e "$symbols" ] || return 0
    tools/headers.sh --functions >"$scratch/declared"
    sed -n 's/^ \(.*\)@Base .*/\1/p' "$symbols" | LC_ALL=C sort >"$scratch/listed"
    comm -23 "$scratch/declared" "$scratch/listed" | while read -r name; do
        problem "$symbols" "$name is declared in include/, but missing here (tools/deb_files.sh --write adds it)"
    done
    comm -13 "$scratch/declared" "$scratch/listed" | while read -r name; do
        problem "$symbols" "$name is not declared in include/"
    done
}

write_symbols() {
    [ -e "$symbols" ] || printf '%s\n' "libxylem.so.$number $package #MINVER#" \
        '* Build-Depends-Package: libxylem-dev' >"$symbols"
    grep -v '^ ' "$symbols" >"$scratch/symbols"
    {
        grep '^ ' "$symbols" || true
        tools/headers.sh --functions | while read -r name; do
            grep -q "^ $name@" "$symbols" || echo " $name@Base $version"
        done
    } | LC_ALL=C sort >>"$scratch/symbols"
    cat "$scratch/symbols" >"$symbols"
}

case ${1:-} in
--check)
    : >"$scratch/found"
    check_version
    check_number
    check_functions
    [ ! -s "$scratch/found" ] || {
        cat "$scratch/found" >&2
        exit 1
    }
    ;;
--write) write_symbols ;;
*)
    echo 'usage: tools/deb_files.sh --check | --write' >&2
    exit 2
    ;;
esac
