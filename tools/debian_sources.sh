# shellcheck shell=sh
# Sources of Debian, for tools/npm.sh and tools/static_musl.sh, which read this file.

# use_archives <directory>: from now on apt_get knows, in that directory, the archives of this machine that are Debian's,
# with their sources, and has nothing of the machine's own state. 1: there is no such archive.
use_archives() {
    archives=$1
    rm -rf "$archives"
    mkdir -p "$archives/lists/partial"
    # shellcheck disable=SC2016 # apt fills these in
    apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
        sort -u | sed -n 'p; s/^deb-src/deb/p' >"$archives/sources.list"
    [ -s "$archives/sources.list" ]
}

apt_get() {
    apt-get -q -o "Dir::Etc::SourceList=$archives/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o "Dir::State::Lists=$archives/lists" -o "Dir::Cache=$archives/cache" -o APT::Sandbox::User= "$@"
}
