#!/bin/sh
# Tries the packages that tools/deb.sh built. First without installing them: what they hold, and their use from where
# they are unpacked. Then, unless --unpacked is given, they are built a second time elsewhere, to be the same, and
# installed with apt in a Debian system made for it (debootstrap, from the mirror that this machine's apt uses), used
# there, and purged: nothing of them may be left but what the user made. That last part needs root and debootstrap.
# With --root ROOT, a Debian system of the release of the packages that has nothing but gcc, libc6-dev, pkg-config and
# man-db: the same there, as an upgrade from packages with a lower version.
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

. tools/debian_root.sh

cleanup() {
    unmount_below "$scratch"
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
    for name in libxylem$number libxylem-dev xylem xylem-fleet; do
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
        awk -v where="^./usr/(bin|include|lib/$triplet|lib/systemd/user|share)/" '$0 !~ where')
    [ -z "$odd" ] || fail "files in odd places: $odd"
    needed=$(objdump -p "$scratch/unpacked/usr/bin/xylem")
    echo "$needed" | grep -q "NEEDED *libxylem\.so\.$number\$" || fail "the command does not load libxylem.so.$number"
    ! echo "$needed" | grep -qE 'R(UN)?PATH' || fail 'the command has a path to libraries of its own'
    ! echo "$needed" | grep -q 'NEEDED *libpq' || fail 'the command loads libpq, which is for xylem-fleet alone'
    grep -q '^Depends: .*libpq5' "$scratch/control/xylem-fleet/control" || fail 'xylem-fleet does not depend on libpq5'
}

# Every page is in a package, and every link of a page leads to a file of a package.
check_pages() {
    for page in README.md docs/*.md docs/decisions/*.md; do
        set -- "$scratch"/unpacked/usr/share/doc/*/"${page#docs/}"
        [ -s "$1" ] || fail "$page is in no package"
    done
    find "$scratch/unpacked/usr/share/doc" -name '*.md' | while read -r page; do
        grep -o '\](\([^)]*\))' "$page" | sed 's/^](//; s/#.*//; s/)$//' | grep -v '^[a-z]*:' | sort -u |
            while read -r target; do
                [ -e "${page%/*}/$target" ] || echo "${page#"$scratch/unpacked"} links to $target, which no package has"
            done
    done >"$scratch/lost"
    [ ! -s "$scratch/lost" ] || fail "$(cat "$scratch/lost")"
    ! grep -rn '^ExecStart=' "$scratch/unpacked/usr/lib/systemd/user" | grep -v '=/usr/bin/xylem' ||
        fail 'a unit starts what no package has'
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

# Every file of the root but those of its kernel, and what apt, dpkg and caches write about themselves.
list_root() {
    (cd "$root" && find . \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./run -o -path ./root \
        -o -path ./var/log -o -path ./var/cache -o -path ./var/lib/apt -o -name '*-old' \) -prune -o \
        -printf '%p %y %m %l\n' | LC_ALL=C sort)
}

check_manual() {
    in_root "$root" dpkg -L xylem libxylem-dev | sed -n 's|^/usr/share/man/man\(.\)/\(.*\)\.[1-9]\.gz$|\1 \2|p' >"$scratch/pages"
    while read -r section page; do
        in_root "$root" man "$section" "$page" >/dev/null 2>"$scratch/man" </dev/null ||
            fail "man $section $page: $(cat "$scratch/man")"
    done <"$scratch/pages"
    echo "deb: man finds and shows $(wc -l <"$scratch/pages") pages"
}

# make_older <directory>: the same packages with a lower version.
make_older() {
    mkdir "$1"
    for package in "$packages"/*.deb; do
        version=$(dpkg-deb -f "$package" Version)
        rm -rf "$scratch/older"
        dpkg-deb -R "$package" "$scratch/older"
        sed -i "s/$version/$version~older/" "$scratch/older/DEBIAN/control"
        dpkg-deb --root-owner-group -b "$scratch/older" "$1" >/dev/null
    done
}

# Each version finds a home directory of its own, and the newer one also what the older one wrote.
use_installed() {
    list_root >"$scratch/before"
    make_older "$root/root/older"
    mkdir "$root/root/newer"
    cp "$packages"/*.deb "$root/root/newer/"
    fill "$root/root/use"
    for step in older newer; do
        quiet_in_root '^Setting up' "$root" sh -c "apt-get install -y --no-install-recommends /root/$step/*.deb"
        in_root "$root" dpkg --verify libxylem$number libxylem-dev xylem
        in_root "$root" env HOME="/root/home-$step" /root/use/use.sh /root/use "$session" >"$scratch/used" 2>&1 || {
            cat "$scratch/used" >&2
            fail "the $step packages do not work"
        }
    done
    quiet_in_root '' "$root" env HOME=/root/home-older xylem verify
    check_manual
}

# The libraries that came along go with autoremove, so that the root must be what it was.
purge() {
    quiet_in_root '^(Removing|Purging)|dpkg: ' "$root" apt-get purge -y --auto-remove libxylem$number libxylem-dev xylem
    known=$(in_root "$root" dpkg-query -W | grep xylem || true)
    [ -z "$known" ] || fail "dpkg still knows $known"
    list_root >"$scratch/after"
    diff "$scratch/before" "$scratch/after" >&2 || fail 'the root is not what it was before'
    ! in_root "$root" /root/use/shared / x 2>/dev/null || fail "libxylem.so.$number can still be loaded"
    [ -s "$root/root/home-newer/.local/share/xylem/data.mdb" ] || fail "the user's store went with the packages"
    echo "deb: purged; the root is what it was, and the user's store is untouched"
}

check_contents
check_pages
if [ "$mode" = --root ]; then
    root=$3
else
    use_unpacked
    [ "$mode" != --unpacked ] || exit 0
    check_twice
    needs_root 'deb: installing them in a system of their own' || exit 0
    # shellcheck disable=SC1091 # every Debian has it
    release=$(. /etc/os-release && echo "$VERSION_CODENAME")
    echo "deb: a root of $release"
    make_root "$root" "$release" gcc,libc6-dev,pkg-config,man-db || fail "apt's mirror has no $release"
fi
use_installed
purge
