#!/bin/sh
# Tests hosts/pi in the real pi, in two versions. `make check-pi` builds what the tests use and runs this.
# tools/pi.sh installs pi, Node and TypeScript; hosts/pi/test/run.mjs runs the suites. The last line has the number of
# tests of each suite. Exit 77: npm, its registry or tmux is missing, or a test was skipped.
set -eu
usage="usage: $0 BUILD [SUITE]"
build=$(cd "${1:?"$usage"}" && pwd)
only=${2:-}
program=check-pi
. tools/pi.sh

# check_types <version> <its package>. hosts/pi/tsconfig.json finds the packages in build/, for editors: here they are
# in <build>, with the types of this pi in front.
check_types() {
    cat >"$pi_place/tsconfig-$1.json" <<END
{
    "extends": "$PWD/hosts/pi/tsconfig.json",
    "compilerOptions": {
        "typeRoots": ["$pi_place/node_modules/@types"],
        "paths": {
            "pi-xylem/sdk": ["$PWD/hosts/pi/sdk.d.ts"],
            "xylem-native": ["$PWD/hosts/node/index.d.ts"],
            "@modelcontextprotocol/client/stdio": ["$mcp/client/dist/stdio.d.mts"],
            "@modelcontextprotocol/*": ["$mcp/*"],
            "$pi_package": ["$2"],
            "*": ["$pi_place/node_modules/*"]
        }
    },
    "include": ["$PWD/hosts/pi/extensions/*.ts", "$PWD/hosts/pi/lib/**/*.ts", "$PWD/hosts/pi/test/extensions/*.ts",
        "$PWD/hosts/pi/examples/*.mjs"]
}
END
    "$node" "$pi_place/node_modules/typescript/bin/tsc" -p "$pi_place/tsconfig-$1.json" --pretty false ||
        fail "hosts/pi does not fit the types of pi $1"
    echo "$1 types: checked"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch" "$installing"' EXIT
trap 'exit 130' INT TERM
command -v tmux >/dev/null || skip 'tmux is missing: it is the terminal of the tests'
install_pi
find_node
install_newer_pi
install_locked hosts/pi/test/mcp "$build/mcp" 'the SDK of MCP'
mcp=$build/mcp/node_modules/@modelcontextprotocol
tools/mcp.sh "$build"
pi=$pi_place/node_modules/$pi_package
version=$("$node" -p 'require(process.argv[1]).version' "$pi/package.json")
check_types "$version" "$pi"
check_types "$newer_version" "$newer_place"
XYLEM=$build/xylem XYLEM_MCP=$build/mcp/node_modules "$node" hosts/pi/test/run.mjs "$scratch" "$only" \
    "$version=$pi/$pi_command" "$newer_version=$newer_place/$pi_command"
