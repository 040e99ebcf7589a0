#!/bin/sh
# What a machine needs to build and test xylem. `--check` looks, by trying the compiler: 0 if all is there, else 1 and
# what is missing. `--install` installs the Debian packages by name. `--ensure` installs only when something is missing.
# With DEPS=build: only what `make`, `make demo`, `make static` and `make install` need. With DEPS=deb: and what
# `make deb` needs; with DEPS=verbs: the programs of `make verbs-tried`; with DEPS=bench: and what `make bench` needs;
# with DEPS=backup: the programs of the recipes in docs/operating.md; with DEPS=pi: `make check-pi`;
# with DEPS=fleet: what `make fleet` needs, with DEPS=cluster: and the servers of `make cluster-demo` and `make check-fleet`;
# with DEPS=look: `make check-look`; with DEPS=mcp: `make mcp` and `make check-mcp`;
# with DEPS=npm: `make npm` and `make check-npm`, which compile for another processor and emulate the processor.
set -eu

packages='gcc libc6-dev make libcmark-gfm-dev libcmark-gfm-extensions-dev liblmdb-dev libmsgpack-dev libpcre2-dev'
packages="$packages libxxhash-dev libyajl-dev libzstd-dev"
test_packages='g++ libcmocka-dev pkg-config locales mandoc bash zsh fish bubblewrap shfmt git musl-tools valgrind'
test_packages="$test_packages python3-cram python3-lmdb python3-msgpack python3-xxhash fzf jq"
verb_packages='iproute2 openssl gnupg p7zip-full zip unzip zstd lz4 bzip2 xz-utils binutils file libxml2-utils'
verb_packages="$verb_packages pciutils usbutils kmod systemd poppler-utils libimage-exiftool-perl libarchive-tools golang-go"
verb_packages="$verb_packages ruby php-cli python3-pip sqlite3 csvkit miller direnv bat hexyl shellcheck yamllint tidy pkgconf"
verb_packages="$verb_packages restic ncurses-bin age apt-file aptitude aspell at bc bridge-utils brotli bsdextrautils"
verb_packages="$verb_packages btrfs-progs chrpath cloc colordiff cpio cron cscope debsums dmidecode dos2unix dstat ethtool"
verb_packages="$verb_packages fdisk gh gron hdparm hub hunspell info iptables lbzip2 lsb-release lzip lzop mdadm mediainfo"
verb_packages="$verb_packages net-tools nftables parted pass patchelf pbzip2 pigz pixz plocate psmisc python3-autopep8 isort"
verb_packages="$verb_packages black pipx redis-tools s3cmd smartmontools subversion borgbackup sysstat tcpdump unar"
verb_packages="$verb_packages universal-ctags xattr xclip xsel buildah podman skopeo composer rclone imagemagick pandoc shfmt"
case ${DEPS:-} in
build) ;;
fleet) packages="$packages libpq-dev" ;;
cluster) packages="$packages libpq-dev postgresql-15 openssl libcmocka-dev" ;;
*) packages="$packages $test_packages" ;;
esac
cc=${CC:-cc}
cxx=${CXX:-g++}
[ "${DEPS:-}" != deb ] || packages="$packages build-essential debhelper libpq-dev"
[ "${DEPS:-}" != bench ] || packages="$packages libsqlite3-dev sqlite3"
[ "${DEPS:-}" != pi ] || packages="$packages tmux openssh-client openssh-server tcsh esbuild"
[ "${DEPS:-}" != mcp ] || packages="$packages esbuild"
[ "${DEPS:-}" != look ] || packages="$packages chromium fonts-dejavu-core xxhash"
[ "${DEPS:-}" != verbs ] || packages="$packages strace $verb_packages"
[ "${DEPS:-}" != backup ] || packages="$packages restic borgbackup rsync"
case $(uname -m) in
aarch64) other=x86_64 other_packages='gcc-x86-64-linux-gnu libc6-dev-amd64-cross libstdc++6-amd64-cross' ;;
*) other=aarch64 other_packages='gcc-aarch64-linux-gnu libc6-dev-arm64-cross libstdc++6-arm64-cross' ;;
esac
[ "${DEPS:-}" != npm ] || packages="$packages dpkg-dev esbuild qemu-user $other_packages"

# try <headers> <libraries>: does a program with these compile and link?
try() {
    {
        for header in stdarg.h stddef.h setjmp.h stdint.h $1; do
            echo "#include <$header>"
        done
        echo 'int main(void) { return 0; }'
    } >"$tries/try.c"
    # Debian keeps the header of libpq in a directory of its own.
    # shellcheck disable=SC2086 # the compiler may be a command with arguments; libraries are words
    $cc -DPCRE2_CODE_UNIT_WIDTH=8 -I"$(pg_config --includedir 2>/dev/null || echo /usr/include)" -o "$tries/try" "$tries/try.c" -Wl,--no-as-needed $2 >/dev/null 2>&1
}

# What compiles an addon for the other processor, and runs Node for the other processor.
missing_for_npm() {
    command -v dpkg-source >/dev/null 2>&1 || echo 'dpkg-source: it unpacks the sources of LMDB and yajl'
    command -v esbuild >/dev/null 2>&1 || echo 'esbuild: it makes the modules of the package one file'
    command -v "qemu-$other" >/dev/null 2>&1 || echo "qemu-$other: the emulator in which the addon for $other is tested"
    [ -e "/usr/$other-linux-gnu/lib/libstdc++.so.6" ] || echo "libstdc++ for $other, which Node needs there"
    if ! command -v "$other-linux-gnu-gcc" >/dev/null 2>&1; then
        echo "the C compiler $other-linux-gnu-gcc"
    elif ! echo '#include <stdio.h>' | "$other-linux-gnu-gcc" -E -x c - >/dev/null 2>&1; then
        echo "the C library for $other with its headers"
    fi
}

missing_for_mcp() {
    command -v esbuild >/dev/null 2>&1 || echo 'esbuild: it makes the MCP server one script'
}

# sshd is not in the PATH of most users.
missing_for_pi() {
    command -v tmux >/dev/null 2>&1 || echo 'tmux: the terminal in which pi is tested'
    command -v ssh >/dev/null 2>&1 || echo 'ssh: the client that --ssh of pi runs'
    (PATH=$PATH:/usr/sbin:/sbin && command -v sshd >/dev/null 2>&1) || echo 'sshd: the other machine of --ssh'
    command -v tcsh >/dev/null 2>&1 || echo 'tcsh: a login shell on the other machine'
}

# Node and npm come from elsewhere: Debian's are too old.
missing_for_look() {
    command -v chromium >/dev/null 2>&1 || echo 'chromium: the browser in which pages are looked at'
    command -v xxhsum >/dev/null 2>&1 || echo 'xxhsum: it hashes the script that colours code'
}

# The programs of the servers lie outside of PATH, in a directory for each version.
missing_for_cluster() {
    ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || echo 'PostgreSQL: the nodes of the cluster'
    command -v openssl >/dev/null 2>&1 || echo 'openssl: it makes the certificates of the nodes'
}

missing_for_tests() {
    command -v "${cxx%% *}" >/dev/null 2>&1 || echo "the C++ compiler $cxx"
    command -v pkg-config >/dev/null 2>&1 || echo 'pkg-config'
    command -v mandoc >/dev/null 2>&1 || echo 'mandoc'
    for shell in bash zsh fish; do # their completion is tested
        command -v $shell >/dev/null 2>&1 || echo "the shell $shell"
    done
    command -v bwrap >/dev/null 2>&1 || echo 'bwrap: the sandbox in which generated shell commands are run'
    command -v shfmt >/dev/null 2>&1 || echo 'shfmt: the second parser of shell commands'
    command -v cram3 >/dev/null 2>&1 || command -v cram >/dev/null 2>&1 ||
        echo 'cram: it runs the transcripts of the command'
    /usr/bin/python3 -c 'import lmdb, msgpack, xxhash' 2>/dev/null ||
        echo 'lmdb, msgpack and xxhash of /usr/bin/python3: the second reader of stores uses them'
    command -v fzf >/dev/null 2>&1 || echo 'fzf: a session is picked with fzf'
    command -v jq >/dev/null 2>&1 || echo 'jq: the recipes for JSON are run'
    command -v valgrind >/dev/null 2>&1 || echo 'valgrind: it counts the instructions of the engine'
    command -v git >/dev/null 2>&1 || echo 'git: it runs the commands that are said to change nothing'
}

# Prints a line for each thing that is not there.
missing() {
    libraries='cmark-gfm-core-extensions:cmark-gfm-extensions cmark-gfm:cmark-gfm lmdb:lmdb pcre2:pcre2-8'
    libraries="$libraries yajl/yajl_parse:yajl zstd:zstd"
    case ${DEPS:-} in
    build) ;;
    backup)
        for tool in restic borg rsync; do
            command -v $tool >/dev/null 2>&1 || echo "$tool: its recipe in docs/operating.md"
        done
        ;;
    deb) dpkg-checkbuilddeps 2>&1 | sed 's/^dpkg-checkbuilddeps: error: //' || true ;;
    look) missing_for_look ;;
    mcp) missing_for_mcp ;;
    npm) missing_for_npm ;;
    pi) missing_for_mcp && missing_for_pi ;;
    esac
    case ${DEPS:-} in
    build) ;;
    fleet) libraries="$libraries libpq-fe:pq" ;;
    cluster)
        missing_for_cluster
        libraries="cmocka:cmocka $libraries libpq-fe:pq"
        ;;
    *)
        missing_for_tests
        libraries="cmocka:cmocka $libraries"
        ;;
    esac
    if ! command -v "${cc%% *}" >/dev/null 2>&1; then
        echo "the C compiler $cc"
        return
    fi
    tries=$(mktemp -d)
    headers='stdio.h msgpack.h xxhash.h' links=''
    for pair in $libraries; do
        headers="$headers ${pair%:*}.h" links="$links -l${pair#*:}"
    done
    if ! try "$headers" "$links"; then
        for pair in stdio:c $libraries; do
            try "${pair%:*}.h" "-l${pair#*:}" || echo "the library ${pair#*:} with its header ${pair%:*}.h"
        done
        try msgpack.h '' || echo 'the header msgpack.h of msgpack-c'
        try xxhash.h '' || echo 'the header xxhash.h of xxHash'
    fi
    if [ "${DEPS:-}" = bench ]; then
        try sqlite3.h -lsqlite3 || echo 'the library sqlite3 with its header sqlite3.h'
        command -v sqlite3 >/dev/null 2>&1 || echo 'the command sqlite3'
    fi
    rm -rf "$tries"
}

install_packages() {
    line="apt-get update && apt-get install -y --no-install-recommends $packages"
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "deps: this machine has no apt-get; install what these Debian packages hold: $packages" >&2
        exit 1
    fi
    if [ "$(id -u)" -eq 0 ]; then
        as_root=''
    elif command -v sudo >/dev/null 2>&1 && sudo -n true >/dev/null 2>&1; then
        as_root='sudo -n'
    else
        echo 'deps: packages are missing, and installing them needs root. Run this line, then try again:' >&2
        echo "    sudo sh -c '$line'" >&2
        exit 1
    fi
    case $packages in
    *postgresql*) # the package would make a cluster and start a server, which nobody here asked for
        conf=/etc/postgresql-common/createcluster.conf
        $as_root sh -c "mkdir -p ${conf%/*} && { grep -qs '^create_main_cluster' $conf ||
            echo 'create_main_cluster = false' >>$conf; }"
        ;;
    esac
    echo "deps: installing $packages"
    $as_root env DEBIAN_FRONTEND=noninteractive sh -c "$line" </dev/null
}

case ${1:-} in
--check)
    found=$(missing)
    [ -z "$found" ] || {
        echo "$found" | sed 's/^/deps: missing: /' >&2
        exit 1
    }
    ;;
--install)
    install_packages
    exec "$0" --check
    ;;
--ensure)
    "$0" --check || exec "$0" --install
    ;;
*)
    echo 'usage: tools/deps.sh --check | --install | --ensure' >&2
    exit 2
    ;;
esac
