# shellcheck shell=sh
# Debian systems in directories of their own, for tools/deb_check.sh and tools/check_roots.sh, which read this file. They
# set $scratch, a directory for what is shown only after a failure, and define fail().

# needs_root <what needs one>: may debootstrap run here? Says why not.
needs_root() {
    [ "$(id -u)" -eq 0 ] || {
        echo "$1 needs root: not tried"
        return 1
    }
    PATH=$PATH:/usr/sbin:/sbin
    command -v debootstrap >/dev/null 2>&1 || DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
        --no-install-recommends debootstrap >/dev/null || {
        echo "$1 needs debootstrap: not tried"
        return 1
    }
}

# make_root <root> <release> <package,package...>: from where this machine gets its own release, with the same settings
# for downloads. 1: the mirror has no such release.
make_root() {
    # shellcheck disable=SC1091 # every Debian has it
    own=$(. /etc/os-release && echo "$VERSION_CODENAME")
    # shellcheck disable=SC2016 # apt fills these in
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
        awk -v release="$own" '$2 == release && $3 == "main" { print $1; exit }')
    [ -n "$mirror" ] || fail "apt knows no mirror of $own main on this machine"
    proxy=''
    eval "$(apt-config shell proxy Acquire::http::Proxy)"
    ${proxy:+env http_proxy="$proxy"} debootstrap --variant=minbase ${3:+--include="$3"} \
        "$2" "$1" "$mirror" >"$scratch/debootstrap.log" 2>&1 || {
        ! grep -qE '^E: (Failed getting release file|No such script)' "$scratch/debootstrap.log" || return 1
        tail -n 20 "$scratch/debootstrap.log" >&2
        fail "debootstrap of $2 failed"
    }
    # Which indexes are fetched is for the programs of this machine, such as apt-file.
    apt-config dump | grep '^Acquire::' | grep -v '^Acquire::IndexTargets' >"$1/etc/apt/apt.conf.d/00machine" || true
    echo "deb $mirror $2 main" >"$1/etc/apt/sources.list"
    in_root "$1" apt-get -qq update || fail "apt-get update in a system of $2 failed"
}

# unmount_below <directory>: debootstrap mounts, and so do its callers. What is still mounted goes before the directory.
unmount_below() {
    awk -v below="$1/" 'index($2, below) == 1 { print $2 }' /proc/mounts | sort -r | while read -r mounted; do
        umount "$mounted"
    done
}

in_root() {
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive chroot "$@"
}

# quiet_in_root <pattern> <root> <command...>: shown are the lines of the output that match, if there is a
# pattern, or all if the command fails.
quiet_in_root() {
    shown=$1
    shift
    in_root "$@" >"$scratch/log" 2>&1 || {
        cat "$scratch/log" >&2
        fail "failed: chroot $*"
    }
    [ -z "$shown" ] || grep -E "$shown" "$scratch/log" || true
}
