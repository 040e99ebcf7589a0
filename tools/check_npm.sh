#!/bin/sh
# Tests the tarball of `make npm`. The tests of hosts/node run with each addon of the tarball: in Node, and for other
# processors in a Node from the npm registry, emulated by qemu. Then the tarball is installed without the network and
# runs in the real pi, in two versions. Exit 77: npm, its registry or a tool of `DEPS=npm make deps` is missing.
set -eu
build=$(cd "${1:?"usage: $0 BUILD"}" && pwd)
program=check-npm
. tools/pi.sh

# The version or the integrity of a package, as tests/bench/pi/package-lock.json pins it.
pinned() {
    "$node" -p 'require(process.argv[1]).packages[`node_modules/${process.argv[2]}`][process.argv[3]]' \
        "$PWD/tests/bench/pi/package-lock.json" "$1" "$2"
}

# install_node <platform>: a Node for another processor, into <build>/npm/hosts.
install_node() {
    place=$build/npm/hosts/$1
    integrity=$(pinned "node-$1" integrity)
    [ "$(cat "$place/.installed" 2>/dev/null)" != "$integrity" ] || return 0
    rm -rf "$place" "$scratch/node"
    mkdir -p "$place" "$scratch/node"
    run_npm "fetches Node for $1" pack "node-$1@$(pinned "node-$1" version)" --pack-destination "$scratch/node"
    package=$(echo "$scratch"/node/*.tgz)
    "$node" -e 'const sum = require("crypto").createHash("sha512").update(require("fs").readFileSync(process.argv[1]))
        process.exit(`sha512-${sum.digest("base64")}` === process.argv[2] ? 0 : 1)' "$package" "$integrity" ||
        fail "Node for $1 from the registry is not the package with the pinned checksum"
    tar -xzf "$package" -C "$place" --strip-components=1
    echo "$integrity" >"$place/.installed"
}

# make_emulator <platform>: a program that is Node for the platform.
make_emulator() {
    case $1 in
    *-x64) machine=x86_64 ;;
    *-arm64) machine=aarch64 ;;
    esac
    cat >"$scratch/node-$1" <<END
#!/bin/sh
export XYLEM_EMULATED=1
exec qemu-$machine -L /usr/$machine-linux-gnu '$build/npm/hosts/$1/bin/node' "\$@"
END
    chmod +x "$scratch/node-$1"
}

# test_addon <platform>: where tools/node_test.sh looks for the addon and the command.
test_addon() {
    mkdir -p "$scratch/$1/tests/hosts"
    ln -s "$scratch/package/node_modules/xylem-native" "$scratch/$1/node"
    ln -s "$build/xylem" "$scratch/$1/xylem"
    ln -s "$PWD/tools/node_test.sh" "$scratch/$1/tests/hosts/node"
    runner=$node
    if [ "$1" != "$here" ]; then
        install_node "$1"
        make_emulator "$1"
        runner=$scratch/node-$1
    fi
    echo "check-npm: $1 in $("$runner" -p '`Node ${process.version}, ${process.platform}-${process.arch}, ` +
        `glibc ${process.report.getReport().header.glibcVersionRuntime}`')$([ "$1" = "$here" ] || echo ', in qemu')"
    NODE=$runner tools/run_tests.sh "$scratch/$1/tests/hosts/node"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch" "$installing"' EXIT
trap 'exit 130' INT TERM
DEPS=npm tools/deps.sh --check || skip 'DEPS=npm make deps installs the missing packages'
tarball=$build/npm/$(cat "$build/npm/name" 2>/dev/null) || fail "there is no tarball in $build/npm: make npm"
install_pi
find_node
install_newer_pi
install_locked hosts/pi/test/mcp "$build/mcp" 'the SDK of MCP'
here=$("$node" -p '`${process.platform}-${process.arch}`')
tar -xzf "$tarball" -C "$scratch"
for prebuild in "$scratch"/package/node_modules/xylem-native/prebuilds/*; do
    test_addon "$(basename "$prebuild")"
done
pi=$pi_place/node_modules/$pi_package
version=$("$node" -p 'require(process.argv[1]).version' "$pi/package.json")
export XYLEM="$build/xylem" XYLEM_MCP="$build/mcp/node_modules"

# run_suites <how the names begin>
run_suites() {
    rm -rf "$scratch/pi"
    mkdir "$scratch/pi"
    "$node" hosts/pi/test/run.mjs "$scratch/pi" "$1" "$version=$pi/$pi_command" "$newer_version=$newer_place/$pi_command"
}

XYLEM_TARBALL=$tarball run_suites ''
# The modules of the tarball are bundled: these suites have all features at work, or load what is seldom used.
for suite in rpc/boundaries rpc/children rpc/random rpc/find rpc/mcp-loader rpc/sequence-templates; do
    XYLEM_PACKAGE=$scratch/package run_suites $suite
done
# npm looks into a package's own file only where it packs a directory. --force: the version may be published already.
(cd "$scratch/package" && npm publish --dry-run --force --ignore-scripts) >"$scratch/npm" 2>&1 ||
    fail "npm would not publish the package: $(cat "$scratch/npm")"
! grep -q 'auto-corrected' "$scratch/npm" || fail "npm would change the package: $(cat "$scratch/npm")"
