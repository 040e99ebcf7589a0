#!/bin/sh
# The rules that a script can check. Prints what is wrong, all of it, and fails if anything is.
set -eu
build=${1:-build}
cc=${CC:-cc}
cxx=${CXX:-g++}
rooms='base policy store branch replay jsonl gate cli'
header=include/xylem.h
scratch=$(mktemp -d)
trap 'status=$?; rm -rf "$scratch"; [ $status -le 1 ] || echo "tidy: a check of its own failed" >&2' EXIT
trap 'exit 130' INT TERM
found=$scratch/found
: >"$found"

# problem <place> <text>
problem() {
    echo "tidy: $1: $2" >>"$found"
}

# Every #include as "file line name", name with its quotes or angles.
includes() {
    for room in $rooms; do
        find "$room" -name '*.[ch]' 2>/dev/null
    done | sort | xargs awk '/^[ \t]*#[ \t]*include/ { print FILENAME, FNR, $NF }'
}

# Layer arrows: the table of docs/architecture.md. "store" alone means any header of that room.
may_include() {
    case $1 in
    base) echo 'xylem.h base/' ;;
    policy) echo 'xylem.h base/ policy/' ;;
    store) echo 'xylem.h base/ store/' ;;
    branch) echo 'xylem.h base/ store/store.h branch/' ;;
    replay) echo 'xylem.h base/ store/store.h branch/ replay/' ;;
    jsonl) echo 'xylem.h base/ store/store.h branch/ jsonl/' ;;
    gate) echo 'xylem.h base/ policy/ replay/ gate/' ;;
    cli) echo 'xylem.h cli/' ;;
    esac
}

check_arrows() {
    includes >"$scratch/includes"
    while read -r file line name; do
        case $name in '"'*) ;; *) continue ;; esac
        name=$(echo "$name" | tr -d '"')
        allowed=no
        for prefix in $(may_include "${file%%/*}"); do
            case $name in "$prefix"*) allowed=yes ;; esac
        done
        [ $allowed = yes ] || problem "$file:$line" "${file%%/*}/ may not include $name"
    done <"$scratch/includes"
}

# A library's headers are known to one place alone.
check_one_place() {
    for rule in 'lmdb\.h store/' 'msgpack[a-z_/]*\.h store/' 'xxhash\.h store/' 'yajl/[a-z_]*\.h base/json'; do
        set -- $rule
        awk -v library="^<$1>" -v place="$2" '
            $3 ~ library {
                if (index($1, place) != 1)
                    print "tidy: " $1 ":" $2 ": " $3 " belongs into " place " alone"
                files[$1] = 1
            }
            END {
                for (file in files) { count++; names = names " " file }
                if (count > 1)
                    print "tidy: " library ": included in more than one place:" names
            }' "$scratch/includes" >>"$found"
    done
}

# Functions begin with a brace in the first column and end with one: 70 lines at most, the braces counted.
check_function_length() {
    find $rooms tests fuzz bench examples -name '*.c' 2>/dev/null | sort | xargs awk '
        FNR == 1 { begin = 0 }
        /^[a-z].*\) \{$/ { print "problem", FILENAME, FNR, "the brace of a function stands on a line of its own" }
        /^[a-zA-Z_].*\(/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
        /^\{/ { begin = FNR }
        /^\}/ && begin > 0 {
            lines = FNR - begin + 1
            print "function", lines, FILENAME, name
            if (lines > 70)
                print "problem", FILENAME, begin, name " has " lines " lines, 70 are allowed"
            begin = 0
        }' >"$scratch/functions"
    awk '$1 == "problem" { place = $2 ":" $3; $1 = $2 = $3 = ""; sub(/^ */, ""); print "tidy: " place ": " $0 }' \
        "$scratch/functions" >>"$found"
    awk '$1 == "function" && $3 !~ /^(tests|fuzz|bench|examples)\// { print $2, $3, $4 }' "$scratch/functions" | sort -n |
        awk '{ line[NR] = $0; lines[NR] = $1; over += $1 > 40 } END {
            split(line[NR], longest, " ")
            print "tidy: " NR " functions: median " lines[int((NR + 1) / 2)] " lines, longest " longest[1] " (" \
                longest[3] " in " longest[2] "), " over + 0 " of more than 40" }'
}

# The functions of the header, one a line.
declared() {
    awk '
        /^XYLEM_API/ { text = ""; open = 1 }
        open { text = text " " $0 }
        open && /;/ { open = 0; match(text, /xylem_[a-z0-9_]+\(/); print substr(text, RSTART, RLENGTH - 1) }' "$header"
}

check_symbols() {
    declared | sort >"$scratch/declared"
    nm -D --defined-only "$build/libxylem.so" | awk '$2 ~ /[A-Z]/ { print $3 }' | grep -v '^_' | sort >"$scratch/exported"
    comm -23 "$scratch/declared" "$scratch/exported" | while read -r name; do
        problem "$header" "$name is declared, but $build/libxylem.so does not export it"
    done
    comm -13 "$scratch/declared" "$scratch/exported" | while read -r name; do
        problem "$build/libxylem.so" "$name is exported, but the header does not declare it"
    done
}

# Every library that is linked must be needed: a name that is not used drags a package along.
check_libraries() {
    for name in $(sed -n 's/^LIBS *:= *//p' Makefile | tr ' ' '\n' | sed -n 's/^-l//p'); do
        case $name in pthread | m) continue ;; esac # parts of the C library: glibc 2.34 has pthread in libc itself
        readelf -d "$build/libxylem.so" | grep -q "(NEEDED).*\[lib$name\.so" ||
            problem Makefile "-l$name is linked, but $build/libxylem.so needs nothing of it"
    done
}

# A warning stops the goals of developers, and no other goal.
check_werror() {
    # Make says what WERROR is for a goal, and ends before the first recipe.
    printf '%s\n' 'include Makefile' '$(info WERROR=$(strip $(WERROR)))' '$(error only asked)' >"$scratch/ask.mk"
    for rule in all: install: demo: deb: check:-Werror test:-Werror test-san:-Werror tidy:-Werror musl:-Werror; do
        goal=${rule%%:*}
        flag=$(env -u WERROR -u MAKEFLAGS -u MAKELEVEL make -f "$scratch/ask.mk" BUILD="$scratch/build" "$goal" \
            2>/dev/null | sed -n 's/^WERROR=//p')
        [ "$flag" = "${rule#*:}" ] || problem Makefile "make $goal: expected WERROR='${rule#*:}', found '$flag'"
    done
}

# What debian/ repeats of the header and the Makefile.
check_packages() {
    tools/deb_files.sh --check >>"$found" 2>&1 || true
}

check_header_alone() {
    $cc -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c "$header" 2>"$scratch/c" ||
        problem "$header" "does not compile alone in C17: $(head -n 1 "$scratch/c")"
    $cxx -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c++ "$header" 2>"$scratch/c" ||
        problem "$header" "does not compile alone in C++11: $(head -n 1 "$scratch/c")"
}

# A table row in the docs that gives a constant and a number: the compiler compares them.
check_numbers() {
    {
        echo '#include "xylem.h"'
        for file in base/*.h store/*.h; do
            grep -qE '#include <(lmdb|msgpack|xxhash)' "$file" || echo "#include \"$file\""
        done
        find README.md docs -name '*.md' 2>/dev/null | sort | xargs awk '/^\| *`XYLEM_[A-Z0-9_]+` *\| *`?-?[0-9]/ {
            split($0, cell, "|")
            name = cell[2]; number = cell[3]
            gsub(/[ `]/, "", name); gsub(/[ `,]/, "", number)
            if (number !~ /^-?(0x[0-9a-fA-F]+|[0-9]+)$/)
                next
            print "#line " FNR " \"" FILENAME "\""
            print "_Static_assert((" name ") == " number ", \"" name " is not " number " in the header\");"
        }' /dev/null
    } >"$scratch/numbers.c"
    echo "tidy: $(grep -c _Static_assert "$scratch/numbers.c" || true) numbers of the docs compared with the headers"
    $cc -std=c17 -D_GNU_SOURCE -Iinclude -I. -fsyntax-only "$scratch/numbers.c" 2>"$scratch/c" ||
        grep ': error: ' "$scratch/c" | sed 's/^/tidy: /' >>"$found"
}

# Words that stand for work put off. The brackets keep this line from finding itself.
check_words() {
    find include $rooms tests fuzz bench tools examples .ci Makefile -type f 2>/dev/null |
        grep -E '\.[ch]$|\.sh$|Makefile$|run$' | xargs grep -nwE 'TOD[O]|FIXM[E]|XX[X]|HAC[K]' /dev/null |
        sed 's/^/tidy: put off: /' >>"$found" || true
}

check_tests() {
    for directory in tests/*/; do
        name=$(basename "$directory")
        case " $rooms corrupt crash examples flow lib property public sandbox " in
        *" $name "*) ;;
        *) problem "$directory" 'mirrors no room' ;;
        esac
    done
    for room in $rooms; do
        set -- tests/"$room"/test_*.c
        [ -e "$1" ] || problem "tests/$room" "$room/ has no tests"
    done
    for file in cli/cmd_*.c; do
        name=tests/cli/test_${file#cli/cmd_}
        [ -e "$name" ] || problem "$file" "the command has no $name"
    done
    cat tests/*/*.c >"$scratch/tests"
    while read -r name; do
        grep -qw "$name" "$scratch/tests" || problem "$header" "no test calls $name"
    done <"$scratch/declared"
}

# A function has a comment above it, or above the group of lines that it stands in.
check_comments() {
    awk '
        /^$/ { commented = 0 }
        /\*\/$/ { commented = 1 }
        /^XYLEM_API/ && !commented { print "tidy: " FILENAME ":" FNR ": a public function without a comment: " $0 }' \
        "$header" >>"$found"
}

check_manual() {
    CC=$cc tools/man_check.sh "$build" >"$scratch/manual"
    cat "$scratch/manual" >>"$found"
    echo "tidy: $(find "$build/man" -name 'xylem*.1' -o -name 'libxylem.3' -o -name '*.5' | wc -l) manual pages looked at"
}

check_arrows
check_one_place
check_function_length
check_symbols
check_libraries
check_werror
check_packages
check_header_alone
check_numbers
check_words
check_tests
check_comments
check_manual
if [ -s "$found" ]; then
    cat "$found"
    echo "tidy: $(wc -l <"$found") problems" >&2
    exit 1
fi
echo 'tidy: no problems'
