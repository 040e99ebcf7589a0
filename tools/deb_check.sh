#!/bin/sh
# Tries the packages that tools/deb.sh built. First without installing them: what they hold, and their use from where
# they are unpacked. Then, unless --unpacked is given, they are built a second time elsewhere, to be the same, and
# installed with apt in a Debian system made for it (debootstrap, from the mirror that this machine's apt uses), used
# there, and purged: nothing of them may be left but what the user made. That last part needs root and debootstrap.
set -eu
build=${1:-build}
mode=${2:-all}
cd "$(dirname "$0")/.."
number=$(tools/headers.sh --abi)
packages=$(cd "$build/deb" && pwd)
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
session=01a1f9f7-22cb-72e7-96e0-96825857127f
scratch=$(mktemp -d)
root=$scratch/root

# debootstrap mounts; what is still mounted is taken away before anything is removed.
cleanup() {
    awk -v below="$root/" 'index($2, below) == 1 { print $2 }' /proc/mounts | sort -r | while read -r mounted; do
        umount "$mounted"
    done
    rm -rf --one-file-system "$scratch"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

fail() {
    echo "deb: $*" >&2
    exit 1
}

# What deb_check_use.sh works with.
fill() {
    mkdir -p "$1"
    cp fixtures/sessions/pi-0.87.1/rpc-scenario/*"$session.jsonl" "$1/session.jsonl"
    cp tools/deb_check_use.sh "$1/use.sh"
    cat >"$1/program.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <xylem.h>

/* Prints the state at a session's leaf: program STORE SESSION. */
int main(int argc, char **argv)
{
    struct xylem_open_options options = {.read_only = true};
    struct xylem_event event = {0};
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    struct xylem_state state = {0};
    struct xylem_buffer text = {0};
    struct xylem_error err = {0};

    if (argc != 3 || strcmp(xylem_version(), XYLEM_VERSION) != 0)
        return 2;
    if (xylem_open(&store, argv[1], &options, &err) != 0 || xylem_begin(&txn, store, XYLEM_READ, &err) != 0 ||
        xylem_session_find(&session, txn, xylem_view_of(argv[2]), &err) != 0 ||
        xylem_rehydrate(&state, txn, session.leaf, &event, NULL, &err) != 0 ||
        xylem_state_json(&text, &state, session.id) != 0)
        return fprintf(stderr, "program: %s\n", err.text), 1;
    puts(text.data);
    xylem_buffer_release(&text);
    xylem_state_release(&state);
    xylem_abort(txn);
    return xylem_close(store, &err) == 0 ? 0 : 1;
}
END
}

check_contents() {
    mkdir "$scratch/control"
    for name in libxylem$number libxylem-dev xylem; do
        set -- "$packages/${name}"_*.deb
        if [ $# -ne 1 ] || [ ! -e "$1" ]; then
            fail "one package $name is expected in $packages, found: $*"
        fi
        dpkg-deb -e "$1" "$scratch/control/$name"
        # No scripts and no configuration: dpkg itself knows all that removing has to remove.
        odd=$(cd "$scratch/control/$name" && find . -type f ! -name control ! -name md5sums ! -name shlibs \
            ! -name symbols ! -name triggers)
        [ -z "$odd" ] || fail "$name has control files that are not expected: $odd"
        dpkg-deb -x "$1" "$scratch/unpacked"
        echo "deb: $name: $(sed -n 's/^Depends: /depends on /p' "$scratch/control/$name/control")"
    done
    odd=$(cd "$scratch/unpacked" && find . -type f -o -type l |
        awk -v where="^./usr/(bin|include|lib/$triplet|share)/" '$0 !~ where')
    [ -z "$odd" ] || fail "files in odd places: $odd"
    needed=$(objdump -p "$scratch/unpacked/usr/bin/xylem")
    echo "$needed" | grep -q "NEEDED *libxylem\.so\.$number\$" || fail "the command does not load libxylem.so.$number"
    ! echo "$needed" | grep -qE 'R(UN)?PATH' || fail 'the command has a path to libraries of its own'
}

use_unpacked() {
    fill "$scratch/use"
    usr=$scratch/unpacked/usr
    env -u XYLEM_STORE -u XDG_DATA_HOME HOME="$scratch/use/home" PATH="$usr/bin:$PATH" \
        LD_LIBRARY_PATH="$usr/lib/$triplet" PKG_CONFIG_PATH="$usr/lib/$triplet/pkgconfig" \
        PKG_CONFIG_SYSROOT_DIR="$scratch/unpacked" PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 \
        "$scratch/use/use.sh" "$scratch/use" "$session" >"$scratch/used" 2>&1 || {
        cat "$scratch/used" >&2
        fail 'the unpacked packages do not work'
    }
    echo 'deb: unpacked, the command, a shared and a static program run'
}

check_twice() {
    tools/deb.sh "$scratch/again" >/dev/null
    for package in "$packages"/*.deb; do
        cmp "$package" "$scratch/again/deb/$(basename "$package")" || fail 'a second build gave other bytes'
    done
    echo 'deb: a second build elsewhere gives the same bytes'
}

in_root() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        chroot "$root" "$@"
}

# in_root, with its output kept back: shown are its lines that match, or all if it fails.
quiet_in_root() {
    shown=$1
    shift
    in_root "$@" >"$scratch/log" 2>&1 || {
        cat "$scratch/log" >&2
        fail "failed: $*"
    }
    grep -E "$shown" "$scratch/log" || true
}

# The release that the packages were built on, from where this machine gets it, with the same settings for downloads.
make_root() {
    # shellcheck disable=SC1091 # every Debian has it
    release=$(. /etc/os-release && echo "$VERSION_CODENAME")
    # shellcheck disable=SC2016 # apt fills these in
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
        awk -v release="$release" '$2 == release && $3 == "main" { print $1; exit }')
    [ -n "$mirror" ] || fail "apt knows no mirror of $release main on this machine"
    proxy=''
    eval "$(apt-config shell proxy Acquire::http::Proxy)"
    echo "deb: a root of $release from $mirror"
    ${proxy:+env http_proxy="$proxy"} debootstrap --variant=minbase --include=gcc,libc6-dev,pkg-config,man-db \
        "$release" "$root" "$mirror" >"$scratch/debootstrap.log" 2>&1 || {
        tail -n 20 "$scratch/debootstrap.log" >&2
        fail 'debootstrap failed'
    }
    apt-config dump | grep '^Acquire::' >"$root/etc/apt/apt.conf.d/00machine" || true
    echo "deb $mirror $release main" >"$root/etc/apt/sources.list"
    in_root apt-get -qq update
}

# Every file of the root but those of its kernel, and what apt, dpkg and caches write about themselves.
list_root() {
    (cd "$root" && find . \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./run -o -path ./root \
        -o -path ./var/log -o -path ./var/cache -o -path ./var/lib/apt -o -name '*-old' \) -prune -o \
        -printf '%p %y %m %l\n' | LC_ALL=C sort)
}

check_manual() {
    in_root dpkg -L xylem libxylem-dev | sed -n 's|^/usr/share/man/man\(.\)/\(.*\)\.[1-9]\.gz$|\1 \2|p' >"$scratch/pages"
    while read -r section page; do
        in_root man "$section" "$page" >/dev/null 2>"$scratch/man" </dev/null ||
            fail "man $section $page: $(cat "$scratch/man")"
    done <"$scratch/pages"
    echo "deb: man finds and shows $(wc -l <"$scratch/pages") pages"
}

use_installed() {
    list_root >"$scratch/before"
    mkdir "$root/root/packages"
    for name in libxylem$number libxylem-dev xylem; do
        cp "$packages/${name}"_*.deb "$root/root/packages/"
    done
    quiet_in_root '^Setting up' sh -c 'apt-get install -y --no-install-recommends /root/packages/*.deb'
    in_root dpkg --verify libxylem$number libxylem-dev xylem
    fill "$root/root/use"
    in_root /root/use/use.sh /root/use "$session" 2>&1
    check_manual
}

# The libraries that came along go with autoremove, so that the root must be what it was.
purge() {
    quiet_in_root '^(Removing|Purging)|dpkg: ' apt-get purge -y --auto-remove libxylem$number libxylem-dev xylem
    known=$(in_root dpkg-query -W | grep xylem || true)
    [ -z "$known" ] || fail "dpkg still knows $known"
    list_root >"$scratch/after"
    diff "$scratch/before" "$scratch/after" >&2 || fail 'the root is not what it was before'
    ! in_root /root/use/shared / x 2>/dev/null || fail "libxylem.so.$number can still be loaded"
    [ -s "$root/root/.local/share/xylem/data.mdb" ] || fail "the user's store went with the packages"
    echo "deb: purged; the root is what it was, and the user's store is untouched"
}

check_contents
use_unpacked
[ "$mode" != --unpacked ] || exit 0
check_twice
[ "$(id -u)" -eq 0 ] || {
    echo 'deb: installing them in a system of their own needs root: not tried'
    exit 0
}
PATH=$PATH:/usr/sbin:/sbin
command -v debootstrap >/dev/null 2>&1 || DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    --no-install-recommends debootstrap >/dev/null || {
    echo 'deb: installing them in a system of their own needs debootstrap: not tried'
    exit 0
}
make_root
use_installed
purge
