#!/bin/sh
# Does the exercises of CONTRIBUTING.md to the letter, each in a copy of the tree that takes over the objects of BUILD.
# A fenced block goes where the line above it says: "New file `F`:", "In `F`, behind `LINE`:", "In `F`, instead of
# `LINE`:", "At the end of `F`:". Each line `    $ ...` is run: it must end with the exit code of its comment
# (`# exit code 1`), else with 0, and print what stands below it; nothing below it: it may print anything. A row of a
# table that begins with a program of build/tests/ or tools/ must fail. With --write the page is written anew; a line
# `    ?` stands for what will be printed.
# usage: exercises_check.sh BUILD [--write]
set -eu
build=${1:-build}
page=CONTRIBUTING.md
blank='    '
mkdir -p "$build"
scratch=$(mktemp -d "$build/exercises.XXXXXX")
scratch=$(cd "$scratch" && pwd)
copy=$scratch/tree
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
unset MAKEFLAGS MAKELEVEL MFLAGS XYLEM_STORE BUILD
export QUICK=1 TZ=UTC LC_ALL=C.UTF-8 COLUMNS=86 HOME="$scratch" XYLEM_NOW=2026-11-20T19:30:00Z

fail() {
    echo "exercises: $page: $1" >&2
    [ ! -s "$scratch/out" ] || tail -n 30 "$scratch/out" >&2
    exit 1
}

# The tree, and the objects under their own times: make compiles what an exercise changes. Objects may be links, as
# compilers make a new file for an object; the lists of headers are written in place.
make_copy() {
    rm -rf "$copy"
    mkdir -p "$copy/build"
    tar -cf - --exclude=./.git --exclude="./${build#./}" --exclude=./build --exclude=node_modules . |
        tar -xf - -C "$copy"
    [ "$build" = build ] && [ -d build/obj ] || return 0
    (cd build && find obj -name '*.o' -exec cp -pl --parents -t "$copy/build" {} + &&
        find obj -name '*.d' -exec cp -p --parents -t "$copy/build" {} + && cp -p .flags .sources "$copy/build")
}

# put <block>: where $place, $file and $line say.
put() {
    : >"$scratch/out"
    [ "$place" != new ] || [ ! -e "$copy/$file" ] || fail "$file is no new file"
    case $place in
    '') fail "a block without a place: $(head -n 1 "$1")" ;;
    new | end)
        cat "$1" >>"$copy/$file"
        return
        ;;
    esac
    line=$line awk -v keep="$place" '
        FILENAME == ARGV[1] { block = block $0 "\n"; next }
        { text = $0; gsub(/^[ \t]+|[ \t]+$/, "", text) }
        text != ENVIRON["line"] { print; next }
        { found++; if (keep == "behind") print; printf "%s", block }
        END { exit found != 1 }' "$1" "$copy/$file" >"$scratch/new" || fail "$file does not have the line once: $line"
    cat "$scratch/new" >"$copy/$file"
}

# says_place <line of the page>
says_place() {
    case $1 in
    *'New file `'*'`:') place=new ;;
    *'At the end of `'*'`:') place=end ;;
    *'In `'*'`, behind `'*'`:') place=behind ;;
    *'In `'*'`, instead of `'*'`:') place=instead ;;
    *) return 0 ;;
    esac
    file=$(printf '%s\n' "$1" | sed 's/.*\(New file\|In\|At the end of\) `\([^`]*\)`.*/\2/')
    line=$(printf '%s\n' "$1" | sed -n 's/.*`, \(behind\|instead of\) `\(.*\)`:$/\2/p')
}

# type_line <command>: what it prints into $scratch/out. An `export` holds for the lines that follow.
type_line() {
    code=0
    expected=0
    case $1 in *'# exit code '*) expected=${1##*'# exit code '} ;; esac
    case $1 in
    export* | unset*)
        (. "$scratch/names" && cd "$copy" && eval "$1" && export -p) >"$scratch/new"
        mv "$scratch/new" "$scratch/names"
        : >"$scratch/out"
        ;;
    *) (. "$scratch/names" && cd "$copy" && eval "$1") >"$scratch/out" 2>&1 </dev/null || code=$? ;;
    esac
    [ "$code" = "$expected" ] || fail "\`$1\` ends with $code"
    count=$((count + 1))
}

# must_fail <program>
must_fail() {
    case $1 in
    build/*)
        (. "$scratch/names" && cd "$copy" && make "$1") >"$scratch/out" 2>&1 </dev/null || fail "$1 is not built"
        ;;
    esac
    ! (. "$scratch/names" && cd "$copy" && eval "$1") >"$scratch/out" 2>&1 </dev/null || fail "\`$1\` asks for nothing"
    count=$((count + 1))
}

# The part of an exercise, as it comes out.
exercise() {
    below=no
    while IFS= read -r text; do
        case $text in
        '```')
            cp "$scratch/block" "$scratch/whole"
            put "$scratch/whole"
            place=
            fenced=no
            ;;
        '```'*)
            : >"$scratch/block"
            fenced=yes
            ;;
        *) [ "$fenced" = no ] || printf '%s\n' "$text" >>"$scratch/block" ;;
        esac
        case $fenced$text in
        no"$blank\$ "*)
            type_line "${text#"$blank\$ "}"
            below=first
            ;;
        no"$blank"*)
            [ $below != first ] || sed -e "s|$copy|/tmp/exercise|g" -e "/./s|^|$blank|" "$scratch/out"
            [ $below = no ] || below=rest
            ;;
        no'| `build/tests/'* | no'| `tools/'*)
            text_command=${text#'| `'}
            must_fail "${text_command%%'`'*}"
            below=no
            ;;
        *)
            below=no
            [ "$fenced" = yes ] || says_place "$text"
            ;;
        esac
        [ $below = rest ] || printf '%s\n' "$text"
    done
}

count=0
exercises=0
: >"$scratch/page"
: >"$scratch/out"
export -p >"$scratch/names"
sed -n 's/^[0-9]\. \[\(.*\)\](#.*/\1/p' "$page" >"$scratch/titles"
awk -v titles="$scratch/titles" -v parts="$scratch/part" '
    BEGIN { while ((getline title < titles) > 0) known["## " title] }
    FNR == 1 || /^## / { part = parts "." sprintf("%02d", ++count) (($0 in known) ? ".exercise" : ".text") }
    { print > part }' "$page"
for part in "$scratch"/part.*; do
    case $part in
    *.exercise)
        make_copy
        place=
        fenced=no
        export -p >"$scratch/names"
        exercise <"$part" >"$scratch/done"
        exercises=$((exercises + 1))
        ;;
    *) cp "$part" "$scratch/done" ;;
    esac
    cat "$scratch/done" >>"$scratch/page"
done
: >"$scratch/out"
[ "$exercises" -eq "$(wc -l <"$scratch/titles")" ] && [ "$exercises" -ge 3 ] ||
    fail 'the list of exercises is not that of the sections'
if [ "${2:-}" = --write ]; then
    cp "$scratch/page" "$page"
elif ! diff -u "$page" "$scratch/page" >&2; then
    fail 'what is shown is not what comes out; tools/exercises_check.sh BUILD --write mends it'
fi
echo "exercises: $exercises exercises of $page work as typed, with $count commands"
