#!/bin/sh
# The layout of the public structs belongs to XYLEM_ABI: fixtures/abi/NUMBER.txt has the bytes of each struct, and the
# offset and the bytes of each member, where a pointer has 8 bytes. `--check` compares the file with the headers, prints
# each difference and fails if there is any. `--write` makes the file of a new number, and never writes over a file.
set -eu
cd "$(dirname "$0")/.."
number=$(tools/headers.sh --abi)
record=fixtures/abi/$number.txt
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

# The compiler knows the layout: a program prints it.
layout() {
    {
        cat <<'END'
#include <stdio.h>
#include "xylem.h"
#include "xylem_judge.h"
#define STRUCT(type) printf("%s %zu\n", #type, sizeof(type));
#define MEMBER(type, member) printf("    %s %zu %zu\n", #member, offsetof(type, member), sizeof(((type *)NULL)->member));
int main(void) {
END
        # shellcheck disable=SC2046 # one word a file
        LC_ALL=C awk -v show=layout -f tools/man/text.awk -f tools/man/header.awk $(tools/headers.sh)
        echo '}'
    } >"$scratch/layout.c"
    ${CC:-cc} -std=c17 -Iinclude -o "$scratch/layout" "$scratch/layout.c"
    "$scratch/layout"
}

case ${1:-} in
--check)
    [ "$(getconf LONG_BIT)" = 64 ] || exit 0
    layout >"$scratch/found"
    [ -e "$record" ] || {
        echo "abi: $record: missing: tools/abi.sh --write" >&2
        exit 1
    }
    diff "$record" "$scratch/found" >"$scratch/difference" || {
        sed -n "s|^[<>]|abi: $record: &|p" "$scratch/difference" | head -n 6 >&2
        echo "abi: the layout of a public struct is not that of XYLEM_ABI $number: raise the number (docs/packaging.md)" >&2
        exit 1
    }
    ;;
--write)
    [ ! -e "$record" ] || {
        echo "abi: $record is there: another layout needs another XYLEM_ABI (docs/packaging.md)" >&2
        exit 1
    }
    mkdir -p fixtures/abi
    layout >"$scratch/found"
    cp "$scratch/found" "$record"
    ;;
*)
    echo 'usage: tools/abi.sh --check | --write' >&2
    exit 2
    ;;
esac
