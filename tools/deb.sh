#!/bin/sh
# Builds the Debian packages into <build>/deb, from a copy of the source tree, so that nothing is left in the tree
# itself. The same sources give the same bytes, wherever they lie: the environment is a fixed one, and times are those of
# debian/changelog, or $SOURCE_DATE_EPOCH. $DEB_BUILD_OPTIONS replaces what is left out here: the tests, which
# `make check-all` runs, and packages with debug symbols.
set -eu
build=${1:-build}
cd "$(dirname "$0")/.."
tools/deb_files.sh --check
umask 022
rm -rf "$build/deb"
mkdir -p "$build/deb"
packages=$(cd "$build/deb" && pwd)
version=$(sed -n '1s/^xylem (\(.*\)-[^-]*) .*/\1/p' debian/changelog)
copy=$packages/xylem-$version
log=$packages/build.log

# All but what git and a build made, as it is now: committed or not, in a checkout or out of a tarball.
mkdir "$copy"
tar -cf - --exclude-vcs --exclude="./$(realpath --relative-to=. "$build")" --exclude='./build' --exclude='./build-*' . |
    tar -xf - -C "$copy"

echo "deb: building $version, log in $log"
(
    cd "$copy"
    env -i PATH="$PATH" HOME="$packages" LC_ALL=C.UTF-8 ${TMPDIR:+TMPDIR="$TMPDIR"} \
        ${SOURCE_DATE_EPOCH:+SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH"} \
        DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-nocheck noautodbgsym} parallel=$(nproc)" \
        dpkg-buildpackage -us -uc -b
) >"$log" 2>&1 || {
    tail -n 40 "$log" >&2
    echo "deb: dpkg-buildpackage failed, its tree is $copy" >&2
    exit 1
}
rm -rf "$copy"
(cd "$packages" && stat -c 'deb: %n, %s bytes' -- *.deb)
