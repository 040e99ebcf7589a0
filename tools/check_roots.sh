#!/bin/sh
# Tries a fresh clone of this checkout as a person would, as root, in fresh Debian systems that debootstrap makes from the
# mirror of this machine's apt. What is not committed is not tried.
#
#     root A: git and make      make demo -> make static -> make install -> make deb -> make check
#     root B: gcc, man          apt install an older version -> upgrade -> use -> purge: nothing is left
#
# A release that the mirror has not is skipped by name. As in a root that a person entered with chroot, /proc is mounted
# and /sys is not. The roots lie below $TMPDIR, and take 2 GB. usage: tools/check_roots.sh RELEASE...; with ROOTS_SHORT=1
# without `make check`, which takes most of the time.
set -eu
[ $# -gt 0 ] || { echo "usage: $0 RELEASE..." >&2 && exit 2; }
cd "$(dirname "$0")/.."
. tools/debian_root.sh
needs_root 'roots: a Debian system of its own' || exit 77
scratch=$(mktemp -d)

cleanup() {
    unmount_below "$scratch"
    rm -rf --one-file-system "$scratch"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

fail() {
    echo "roots: $release: $*" >&2
    exit 1
}

# in_clone <pattern> <command>: in the clone of root A.
in_clone() {
    echo "roots: $release: $2"
    quiet_in_root "$1" "$root" sh -c "cd /root/xylem && $2"
}

make_roots() {
    make_root "$scratch/b" "$release" '' || return 1
    cp -a "$scratch/b" "$root"
    quiet_in_root '' "$scratch/b" apt-get install -y --no-install-recommends gcc libc6-dev pkg-config man-db
    quiet_in_root '' "$root" apt-get install -y --no-install-recommends git make
    mount -t proc proc "$root/proc"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
    ln -sf pts/ptmx "$root/dev/ptmx"
    mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
    git clone -q . "$root/root/xylem"
}

# What only the tests need is not there after the demo.
demo_alone() {
    for package in valgrind libcmocka-dev fish python3-cram; do
        ! in_root "$root" dpkg -s "$package" >/dev/null 2>&1 || fail "make demo installs $package"
    done
}

# What `make install` says works: the example is linked and finds the library. `make uninstall` leaves nothing.
install_here() {
    in_clone '^install:' 'make install'
    quiet_in_root '' "$root" sh -c 'cd /root && cc -o example xylem/cli/man/example.c -lxylem &&
        ./example store && XYLEM_STORE=store xylem-backup backups'
    in_clone '' 'make uninstall'
    left=$(find "$root/usr/local" ! -type d ! -name man)
    [ -z "$left" ] || fail "make uninstall leaves $left"
}

check_release() {
    root=$scratch/a
    echo "roots: $release: debootstrap"
    make_roots || {
        echo "roots: skipped: $release: the mirror of apt has no such release"
        return 0
    }
    in_clone '' 'make demo'
    demo_alone
    install_here
    in_clone '^static:' 'tools/static_check.sh build'
    in_clone '^deb:.*bytes' 'make deb'
    mkdir "$scratch/packages"
    cp -a "$root/root/xylem/build/deb" "$scratch/packages/"
    tools/deb_check.sh "$scratch/packages" --root "$scratch/b"
    [ -n "${ROOTS_SHORT:-}" ] || in_clone 'skipped|[0-9] passed, 0 failed$' 'make check'
    cleanup
    mkdir "$scratch"
    echo "roots: $release: done"
}

for release; do
    check_release
done
