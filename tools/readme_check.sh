#!/bin/sh
# Types what the README types, and docs/policy.md and docs/hooks.md: each line `    $ ...` is run, in order, in a home
# directory of its own for each page, at a fixed time and width, and what it prints must be what stands below it. A line that
# ends in `|` goes on in the next one; what stands below `judge --jsonl` and begins like a question is typed into it. With
# --write the pages are written anew.
# usage: readme_check.sh BUILD [--write]
set -eu
build=$(cd "${1:-build}" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
trap 'exit 1' INT TERM
blank='    '

# Runs one line as a person at a terminal of 86 columns would see it.
run() {
    env -i HOME="$root/home" PATH="$build:/usr/bin:/bin" TZ=UTC LC_ALL=C.UTF-8 COLUMNS=86 XYLEM_NOW=2026-11-20T19:30:00Z \
        sh -c "$1" 2>&1 | sed -e "s|$root/home|/home/dev|g" -e "/./s|^|$blank|"
}

# Blank lines that were held back, as what is printed may have some.
let_go() {
    while [ "$held" -gt 0 ]; do
        echo
        held=$((held - 1))
    done
}

# Types a line, and those that it goes on in.
type_line() {
    printf '%s\n' "$1"
    command=${1#"$blank\$ "}
    while case $command in *'|') true ;; *) false ;; esac && IFS= read -r line; do
        printf '%s\n' "$line"
        command="$command $line"
    done
    asked=
    case $command in
    *' --jsonl') asked=$command ;;
    *) run "$command" </dev/null ;;
    esac
}

# The page, with what comes out now.
typed() {
    below=no
    held=0
    while IFS= read -r line; do
        case $line in
        "$blank\$ xylem "* | "$blank\$ echo "*)
            let_go
            type_line "$line"
            below=yes
            ;;
        "$blank{\"command\":"*)
            let_go
            printf '%s\n' "$line"
            [ -z "$asked" ] || printf '%s\n' "${line#"$blank"}" | run "$asked"
            ;;
        "$blank"*)
            [ $below = no ] || held=0
            [ $below = yes ] || printf '%s\n' "$line"
            ;;
        '')
            held=$((held + 1))
            [ $below = yes ] || let_go
            ;;
        *)
            let_go
            below=no
            printf '%s\n' "$line"
            ;;
        esac
    done
    let_go
}

count=0
wrong=no
for page in README.md docs/policy.md docs/hooks.md; do
    rm -rf "${root:?}/home"
    mkdir "$root/home"
    asked=
    typed <"$page" >"$root/page"
    if [ "${2:-}" = --write ]; then
        cp "$root/page" "$page"
    elif ! diff -uZ "$page" "$root/page" >&2; then
        wrong=yes
    fi
    count=$((count + $(grep -cE "^${blank}[$] (xylem|echo) " "$page")))
done
if [ $wrong = yes ]; then
    echo 'readme: what is shown is not what comes out; tools/readme_check.sh BUILD --write mends it' >&2
    exit 1
fi
echo "readme: $count commands of README.md, docs/policy.md and docs/hooks.md print what they say"
