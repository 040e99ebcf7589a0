# Installs pi, and the Node that runs it, from the npm registry into <build>/pi: shared by tools/bench_pi.sh and
# tools/check_pi.sh. The script that reads this file sets `program`, `build` and `scratch` first, and removes
# `installing` in the end. tests/bench/pi/package-lock.json pins pi, Node, TypeScript and all packages that they need.
# Another pi: `npm install --package-lock-only --omit-lockfile-registry-resolved` in tests/bench/pi.
# The SDK of MCP, with which the tests of hosts/pi serve, has a lock of its own in hosts/pi/test/mcp.
pi_place=$build/pi
installing=$pi_place/installing
pi_command=dist/bundle/cli.js
pi_package=@earendil-works/pi-coding-agent

# The newer pi, as npm's integrity of its package in hexadecimal digits. npm cannot install the newer pi: two of its
# packages lack this version in the registry. Its command is bundled, and runs beside the packages of the pinned pi.
newer_version=1.5.2
newer_sha512=994588d38aea17555dfe6d6af8fb355de5ac4d7115bd1527b2645af372370f3b9ad13c796d84bdde299eaad21fad77fb3e491a47a111cfe02e4212099689b9c8
newer_place=$pi_place/newer

fail() {
    echo "$program: $1" >&2
    exit 1
}

# Exit 77: a machine without npm or without its registry proves nothing.
skip() {
    echo "$program: skipped: $1" >&2
    exit 77
}

# run_npm <what npm does> <arguments>
run_npm() {
    command -v npm >/dev/null || skip 'npm is missing: npm installs pi, and needs Node'
    echo "$program: npm $1" >&2
    shift
    npm "$@" --ignore-scripts --no-audit --no-fund --loglevel=error >"$scratch/npm" 2>&1 && return 0
    problem=$(sed -n '/^npm error /{s///p;q;}' "$scratch/npm")
    ! grep -qE 'E(AI_AGAIN|NOTFOUND|CONNREFUSED|CONNRESET|TIMEDOUT|HOSTUNREACH|NETUNREACH)|ERR_SOCKET_TIMEOUT' \
        "$scratch/npm" || skip "npm does not reach its registry: $problem"
    fail "npm failed: $problem"
}

# install_locked <folder of the lock> <place> <what>. Installs aside and renames, so that an installation is whole. The
# copy of the lock is the installation's origin.
install_locked() {
    ! cmp -s "$1/package-lock.json" "$2/node_modules/.installed.json" || return 0
    mkdir -p "$installing" "$2"
    cp "$1/package.json" "$1/package-lock.json" "$installing/"
    run_npm "installs $3" ci --prefix "$(cd "$installing" && pwd -P)" # npm ci refuses a path with a link
    cp "$1/package-lock.json" "$installing/node_modules/.installed.json"
    rm -rf "$2/node_modules"
    mv "$installing/node_modules" "$2/"
}

install_pi() {
    install_locked tests/bench/pi "$pi_place" pi
}

install_newer_pi() {
    [ "$(cat "$newer_place/.installed" 2>/dev/null)" != "$newer_sha512" ] || return 0
    mkdir -p "$installing/newer"
    run_npm "fetches pi $newer_version" pack "$pi_package@$newer_version" --pack-destination "$installing"
    package=$(echo "$installing"/*.tgz)
    echo "$newer_sha512  $package" | sha512sum --check --status ||
        fail "pi $newer_version from the registry is not the package with the pinned checksum"
    tar -xzf "$package" -C "$installing/newer" --strip-components=1
    ln -s ../node_modules "$installing/newer/node_modules"
    echo "$newer_sha512" >"$installing/newer/.installed"
    rm -rf "$newer_place"
    mv "$installing/newer" "$newer_place"
}

# The pinned Node. Where npm has no Node for the machine, the machine's own Node serves, if pi loads in it.
find_node() {
    new_enough='const [major, minor] = process.versions.node.split(".").map(Number)
        process.exit(major > 22 || (major === 22 && minor >= 19) ? 0 : 1)'
    for node in "$pi_place"/node_modules/node-linux-*/bin/node "$(command -v node || true)"; do
        [ ! -x "$node" ] || ! "$node" -e "$new_enough" || return 0
    done
    fail 'pi needs Node 22.19 or newer'
}
