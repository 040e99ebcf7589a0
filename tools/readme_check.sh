#!/bin/sh
# Types what the README types: each line `    $ xylem ...` is run, in order, in a home directory of its own, at a fixed time
# and width, and what it prints must be what stands below it. With --write the README is written anew.
# usage: readme_check.sh BUILD [--write]
set -eu
build=$(cd "${1:-build}" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
trap 'exit 1' INT TERM
blank='    '

# Runs one line as a person at a terminal of 86 columns would see it.
run() {
    command="$build/xylem${1#xylem}"
    env -i HOME="$root/home" PATH=/usr/bin:/bin TZ=UTC LC_ALL=C.UTF-8 COLUMNS=86 XYLEM_NOW=2026-11-20T19:30:00Z \
        sh -c "$command" 2>&1 | sed -e "s|$root/home|/home/dev|g" -e "s|^|$blank|"
}

mkdir "$root/home"
below=no
while IFS= read -r line; do
    case $line in
    "$blank\$ xylem "*)
        printf '%s\n' "$line"
        run "${line#"$blank\$ "}"
        below=yes
        ;;
    "$blank"*) [ $below = yes ] || printf '%s\n' "$line" ;;
    *)
        below=no
        printf '%s\n' "$line"
        ;;
    esac
done <README.md >"$root/README.md"
if [ "${2:-}" = --write ]; then
    cp "$root/README.md" README.md
elif ! diff -u README.md "$root/README.md" >&2; then
    echo 'readme: what the README shows is not what comes out; tools/readme_check.sh BUILD --write mends it' >&2
    exit 1
fi
echo "readme: $(grep -c "^$blank\$ xylem " README.md) commands of the README print what it says"
