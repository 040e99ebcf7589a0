#!/bin/sh
# Tests hosts/mcp with the official clients of MCP, and the tarball of the package as npm installs it. `make check-mcp`
# builds what the tests use and runs this. hosts/mcp/test/package-lock.json pins the clients and a Node. A line for each
# suite, what failed above it; the last line has the counts. Exit 77: npm or its registry is missing.
set -eu
usage="usage: $0 BUILD [SUITE]"
build=$(cd "${1:?"$usage"}" && pwd)
only=${2:-}
program=check-mcp
. tools/pi.sh

place=$build/mcp-clients
pi_place=$place # find_node looks there
installing=$place/installing
scratch=$(mktemp -d)
trap 'rm -rf "$scratch" "$installing"' EXIT
trap 'exit 130' INT TERM
install_locked hosts/mcp/test "$place" 'the clients of MCP'
find_node

# hosts/mcp/tsconfig.json finds the packages in build/, for editors.
cat >"$place/tsconfig.json" <<END
{
    "extends": "$PWD/hosts/mcp/tsconfig.json",
    "compilerOptions": {
        "typeRoots": ["$place/node_modules/@types"],
        "paths": {
            "zod/v4": ["$build/npm/mcp/node_modules/zod/v4/index.d.ts"],
            "@modelcontextprotocol/server/stdio": ["$build/npm/mcp/node_modules/@modelcontextprotocol/server/dist/stdio.d.mts"],
            "@modelcontextprotocol/*": ["$build/npm/mcp/node_modules/@modelcontextprotocol/*"]
        }
    },
    "include": ["$PWD/hosts/mcp/lib/*.ts"]
}
END
"$node" "$place/node_modules/typescript/bin/tsc" -p "$place/tsconfig.json" --pretty false || fail 'hosts/mcp does not fit its types'
echo "$program: types: checked"

# As npm installs the tarball for a person: the server runs from there, without the packages of this build.
tarball=$(echo "$build"/npm/xylem-mcp-*.tgz)
npm_config_cache=$build/npm/cache run_npm 'installs the tarball' install --offline --global --prefix "$scratch/installed" "$tarball"
[ "$(PATH=$(dirname "$node"):$PATH "$scratch/installed/bin/xylem-mcp" --version)" = "xylem-mcp $("$build/xylem" version | sed 's/^xylem //')" ] ||
    fail 'the installed server is of another version than the command'

export TMPDIR="$scratch" XYLEM_BUILD="$build" XYLEM_CLIENTS="$place/node_modules" XYLEM_SERVER="$scratch/installed/bin/xylem-mcp"
passed=0 failed=0
for file in hosts/mcp/test/*.test.mjs; do
    suite=$(basename "$file" .test.mjs)
    case $suite in "$only"*) ;; *) continue ;; esac
    status=0
    timeout 600 "$node" --test-reporter="$PWD/hosts/pi/test/lib/reporter.mjs" "$file" >"$scratch/output" 2>&1 || status=$?
    counts=$(tail -n 1 "$scratch/output" | sed -n 's/^{"passed":\([0-9]*\),"failed":\([0-9]*\),"skipped":0}$/\1 \2/p')
    set -- ${counts:-0 1}
    [ "$status" -eq 0 ] && [ "$1" -gt 0 ] || { sed '$d' "$scratch/output" && [ "$2" -gt 0 ] || set -- "$1" 1; }
    echo "$suite: $1 passed, $2 failed"
    passed=$((passed + $1)) failed=$((failed + $2))
done
[ -n "$only" ] || "$node" hosts/mcp/test/speed.mjs
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
