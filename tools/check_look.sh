#!/bin/sh
# Looks at pages of `xylem export --html` in Chromium with its sandbox, and takes pictures of them into <build>/look.
# `make check-look` builds what is looked at. Chromium runs as an unprivileged user: as root, as `nobody`. npm installs
# playwright-core and axe-core, whose versions tests/look/package-lock.json pins. With a second argument only the pages
# whose name contains the argument are looked at. Exit 77: something is missing without which nothing is proved.
set -eu
usage="usage: $0 BUILD [PAGE]"
build=$(cd "${1:?"$usage"}" && pwd)
only=${2:-}
program=check-look
. tools/pi.sh

place=$build/npm/look
installing=$place/installing
chromium=${CHROMIUM:-$(command -v chromium || true)}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch" "$installing"' EXIT
trap 'exit 130' INT TERM

# unprivileged <command>. In a home of its own, because Chromium writes there.
unprivileged() {
    if [ "$(id -u)" -eq 0 ]; then
        HOME=$scratch/home setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups "$@"
    else
        HOME=$scratch/home "$@"
    fi
}

command=$build/xylem
# page <name> <session> [option...]
page() {
    name=$1 session=$2
    shift 2
    "$command" --store "$scratch/store" export --html "$@" -o "$scratch/pages/$name.html" "$session" 2>"$scratch/note" ||
        fail "$name: $(cat "$scratch/note")"
}

[ -n "$chromium" ] || skip 'chromium is missing: make deps DEPS=look'
node=$(command -v node) && "$node" -e 'process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)' ||
    skip 'Node 20 or newer is missing: it drives Chromium'
install_locked tests/look "$place" 'playwright-core and axe-core'

# Everything that the unprivileged user reads is copied, because the build may lie where only its owner looks.
mkdir "$scratch/home" "$scratch/pages" "$scratch/pictures" "$scratch/sessions"
cp tests/look/*.mjs tests/look/package.json "$scratch/"
cp -R "$place/node_modules" "$scratch/node_modules"
"$node" tests/look/hostile.mjs "$scratch/sessions"
specials=fixtures/sessions/pi-0.87.1/specials
"$build/xylem" --store "$scratch/store" import "$scratch/sessions" fixtures/sessions/pi-0.87.1/print-and-json \
    "$specials/bushy-500.jsonl" "$specials/compaction-twice.jsonl" "$specials/custom-messages.jsonl" \
    >"$scratch/note" 2>&1 || fail "import: $(cat "$scratch/note")"
page wide 01a1f9f4-8605-7782-ba89-00000000d001
page hostile 01a1f9f4-8605-7782-ba89-00000000d000
page large 01a1f9f4-8605-7782-ba89-00000000d002
page forks 01a1f9f4-8605-7782-ba89-00000000d003
page calls 01a1f9f4-8605-7782-ba89-dc402e2075d2
page bushy 01a1fa04-8990-7035-be02-03c708ea6479
page compactions 01a1fa04-8966-7035-be02-03c13ae06078
"$build/xylem" --store "$scratch/store" export --html --all "$scratch/site" >"$scratch/note" 2>&1 ||
    fail "site: $(cat "$scratch/note")"
cp "$scratch/site/index.html" "$scratch/pages/index.html"
mkdir "$scratch/bin"
cp "$build/xylem" "$scratch/bin/" # no highlight.js is beside the copy
command=$scratch/bin/xylem
page plain 01a1f9f4-8605-7782-ba89-00000000d004
chmod -R a+rX "$scratch"
[ "$(id -u)" -ne 0 ] || chown -R nobody "$scratch/home" "$scratch/pages" "$scratch/pictures"

# A kernel without user namespaces has no sandbox for a user.
unprivileged "$chromium" --headless --disable-gpu --disable-quic --no-first-run --disable-background-networking \
    --disable-component-update --disable-sync --user-data-dir="$scratch/home/first" --dump-dom about:blank \
    >"$scratch/first" 2>&1 || true
! grep -qi 'no usable sandbox' "$scratch/first" || skip 'the kernel gives an unprivileged user no sandbox for Chromium'
status=0
CHROMIUM=$chromium unprivileged "$node" "$scratch/look.mjs" "$scratch/pages" "$only" || status=$?
CHROMIUM=$chromium unprivileged "$node" "$scratch/pictures.mjs" "$scratch/pages" "$scratch/pictures"
rm -rf "$build/look"
cp -R "$scratch/pictures" "$build/look"
echo "check-look: pictures are in $build/look" >&2
exit $status
