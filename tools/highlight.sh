#!/bin/sh
# Makes <build>/highlight.js of the package of highlight.js, which npm installs, and beside the script its hashes:
# SHA-256 as a CSP has it, which browsers check, and XXH3-128, which the command checks.
# tools/highlight/package-lock.json pins the package; another version: `npm install --package-lock-only
# --omit-lockfile-registry-resolved` in tools/highlight.
set -eu
build=$(mkdir -p "${1:?"usage: $0 BUILD"}" && cd "$1" && pwd)
program=highlight
. tools/pi.sh

command -v xxhsum >/dev/null || fail 'xxhsum is missing, of the Debian package xxhash: make deps DEPS=look'
place=$build/npm/highlight
installing=$place/installing
scratch=$(mktemp -d)
trap 'rm -rf "$scratch" "$installing"' EXIT
trap 'exit 130' INT TERM
install_locked tools/highlight "$place" highlight.js
# In an HTML page `<!--` and `<script` would hide the end of the script. Both stand in regular expressions.
sed 's/<\(!--\|\/\{0,1\}script\)/\\x3c\1/g' "$place/node_modules/@highlightjs/cdn-assets/highlight.min.js" \
    >"$scratch/highlight.js"
policy=$(LC_ALL=C awk -v sha256="$(sha256sum <"$scratch/highlight.js")" -f tools/page.awk)
sum=$(xxhsum -H2 <"$scratch/highlight.js")
echo "$policy ${sum%% *}" >"$scratch/highlight.js.hash"
mv "$scratch/highlight.js.hash" "$scratch/highlight.js" "$build/"
echo "highlight: $build/highlight.js, which pages take from beside the command"
