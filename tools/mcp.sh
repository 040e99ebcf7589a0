#!/bin/sh
# Makes <build>/xylem-mcp of hosts/mcp: one script, with the official SDK of MCP inside. npm installs the SDK into <build>;
# hosts/mcp/package-lock.json pins the SDK. Another version: `npm install --package-lock-only
# --omit-lockfile-registry-resolved` in hosts/mcp. With `pack` also the tarball of the package, in <build>/npm.
set -eu
build=$(mkdir -p "${1:?"usage: $0 BUILD [pack]"}" && cd "$1" && pwd)
program=mcp
. tools/pi.sh

command -v esbuild >/dev/null || skip 'esbuild is missing: make deps DEPS=mcp'
place=$build/npm/mcp
installing=$place/installing
scratch=$(mktemp -d)
trap 'rm -rf "$scratch" "$installing"' EXIT
trap 'exit 130' INT TERM
install_locked hosts/mcp "$place" 'the SDK of MCP'
# Beside the packages, and without tsconfig.json: its paths lead to the types.
rm -rf "$place/lib"
cp -R hosts/mcp/lib hosts/mcp/package.json "$place/"
(cd "$place" && esbuild lib/main.ts --bundle --minify --format=cjs --platform=node --target=node20 --legal-comments=none \
    --banner:js='#!/usr/bin/env node' --outfile="$scratch/xylem-mcp" --log-level=warning) || fail 'esbuild cannot bundle the server'
chmod +x "$scratch/xylem-mcp"
cp "$scratch/xylem-mcp" "$build/xylem-mcp.new"
mv "$build/xylem-mcp.new" "$build/xylem-mcp"
[ "${2:-}" = pack ] || exit 0

{
    echo 'The server holds code of these packages.'
    for license in "$place"/node_modules/*/LICENSE* "$place"/node_modules/@*/*/LICENSE*; do
        [ ! -f "$license" ] || { printf '\n--- %s ---\n\n' "$(dirname "${license#"$place/node_modules/"}")" && cat "$license"; }
    done
} >"$scratch/NOTICES"
cp LICENSE hosts/mcp/README.md hosts/mcp/package.json "$scratch/"
# the pages of the repository are not in the tarball: a link to them becomes its text
sed -i 's|\[\([^][]*\)\](\(\.\./\)*docs/[^()]*)|\1|g' "$scratch/README.md"
rm -f "$build"/npm/xylem-mcp-*.tgz
(cd "$scratch" && npm_config_cache="$build/npm/cache" npm_config_update_notifier=false \
    npm pack --silent --ignore-scripts --pack-destination "$build/npm") >"$scratch/name" || fail 'npm cannot pack'
echo "npm: $build/npm/$(cat "$scratch/name"), $(wc -c <"$build/npm/$(cat "$scratch/name")") bytes"
