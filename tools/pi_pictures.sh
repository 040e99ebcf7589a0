#!/bin/sh
# Draws the pictures of hosts/pi/README.md anew, from real screens of the newer pi, into hosts/pi/pictures.
# `make pi-pictures` builds what the extensions use and runs this. Exit 77: npm, its registry or tmux is missing.
set -eu
build=$(cd "${1:?"usage: $0 BUILD"}" && pwd)
program=pi-pictures
. tools/pi.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch" "$installing"' EXIT
trap 'exit 130' INT TERM
command -v tmux >/dev/null || skip 'tmux is missing: it is the terminal'
install_pi
find_node
install_newer_pi
mkdir -p hosts/pi/pictures
# /tmp, because the screens are laid out around a path of this length
TMPDIR=/tmp XYLEM=$build/xylem XYLEM_PI_NODE=$node XYLEM_PI=$newer_place/$pi_command XYLEM_PI_VERSION=$newer_version \
    "$node" tools/pi_pictures.mjs hosts/pi/pictures
wc -c hosts/pi/pictures/*.svg
