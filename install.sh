#!/bin/sh
# Links the extensions of this clone into pi's agent directory. `install.sh --help` says more.
set -eu

usage() {
    cat <<'END'
usage: install.sh [--only NAMES | --skip NAMES] [--yes] [--dry-run]
       install.sh --uninstall [--yes] [--dry-run]

Links the pi extensions of this clone into the directory `extensions` of pi's agent directory: $PI_CODING_AGENT_DIR, or
~/.pi/agent. A link that is there already stays, also if /ext switched the extension off. A file, a directory or another
link in the way becomes NAME.ts.bak.YYYYMMDD-HHMMSS. `pi install CLONE/hosts/pi` is the other way: use one of the two.

  --only NAMES   link these extensions alone: names without .ts, with commas between them
  --skip NAMES   link all extensions but these; --only wins
  --uninstall    remove the links into this clone, also of extensions that /ext switched off
  --yes          do not ask
  --dry-run      only say what would be done
  --help         this text

exit codes: 0 done, or nothing to do; 1 something failed; 2 usage; 3 the addon is not built; 4 there is no agent
directory; 5 you answered no, or nobody could be asked
END
}

# fail <exit code> <text>
fail() {
    echo "install.sh: $2" >&2
    exit "$1"
}

# --- What is asked for ----------------------------------------------------------------------------------------------

# read_names <option> <names>: bare names, with commas or blanks between them. Gives `asked`, with a comma before each.
read_names() {
    asked=
    set -f
    for name in $(printf %s "$2" | tr ',' ' '); do
        case "$names " in
        *" $name "*) asked=$asked,$name ;;
        *) fail 2 "$1: there is no extension '$name': expected some of$names" ;;
        esac
    done
    set +f
    [ -n "$asked" ] || fail 2 "$1: expected names of extensions"
}

read_arguments() {
    while [ $# -gt 0 ]; do
        case $1 in
        --only | --skip)
            read_names "$1" "${2:-}"
            if [ "$1" = --only ]; then only=$only$asked; else skip=$skip$asked; fi
            shift
            ;;
        --uninstall) uninstall=yes ;;
        --yes) yes=yes ;;
        --dry-run) dry_run=yes ;;
        --help | -h) usage && exit 0 ;;
        *) fail 2 "unknown argument '$1': install.sh --help lists the options" ;;
        esac
        shift
    done
    [ -z "$uninstall" ] || [ -z "$only$skip" ] ||
        fail 2 '--uninstall removes all links: /ext switches single extensions off'
}

is_wanted() {
    case ",$only," in
    ,,) case ",$skip," in *",$1,"*) return 1 ;; esac ;;
    *",$1,"*) ;;
    *) return 1 ;;
    esac
}

# --- What is there --------------------------------------------------------------------------------------------------

exists() {
    [ -e "$1" ] || [ -L "$1" ]
}

# is_ours <link> <file of the clone>: a link into this clone, or into a clone that is gone from its place.
is_ours() {
    [ -L "$1" ] || return 1
    [ "$(readlink -f -- "$1")" != "$clone/$2" ] || return 0
    is_moved "$1" "$2"
}

is_moved() {
    [ -L "$1" ] && [ ! -e "$1" ] && case $(readlink -- "$1") in "$clone/$2") false ;; */"$2") ;; *) false ;; esac
}

# The file of the clone that a link in the directory is for.
file_of() {
    name=${1##*/}
    echo "hosts/pi/extensions/${name%.off}"
}

check_addon() {
    for addon in "$clone"/hosts/node/prebuilds/*/xylem.node; do
        [ ! -e "$addon" ] || return 0
    done
    fail 3 "the addon is not built. Run this first: make -C '$clone' node"
}

# Prints the sources of packages in pi's settings that are pi-xylem, each on a line.
package_sources() {
    grep -o '"[^"]*"' "$agent/settings.json" 2>/dev/null | sed 's/^"//; s/"$//' | while IFS= read -r source; do
        case $source in
        npm:pi-xylem | npm:pi-xylem@*) echo "$source" ;;
        /* | ./* | ../*)
            path=$(cd "$agent" && cd "$source" 2>/dev/null && pwd -P) || continue
            ! grep -q '"name": *"pi-xylem"' "$path/package.json" 2>/dev/null || echo "$path"
            ;;
        esac
    done
}

warn_of_packages() {
    package_sources | while IFS= read -r source; do
        if [ "$source" = "$clone/hosts/pi" ]; then
            echo "warning: pi has this clone as a package too, so /ext cannot switch its extensions off."
        else
            echo "warning: pi has the package pi-xylem too, and does not start with both."
        fi
        echo "         Keep one of the two: pi remove '$source', or install.sh --uninstall"
    done
}

# --- What is to be done ---------------------------------------------------------------------------------------------

# Each step is done by `step`, which in the plan only says so.
step() {
    steps=$((steps + 1))
    [ "$doing" = no ] && echo "$1" && return 0
    shift
    "$@" || failed=$((failed + 1))
}

make_link() {
    ln -s "$clone/$1" "$2"
}

move_link() {
    rm -f -- "$2" && make_link "$1" "$2"
}

# An earlier backup stays.
back_up_and_link() {
    mv -- "$2" "$(backup_of "$2")" && make_link "$1" "$2"
}

backup_of() {
    backup=$1.bak.$stamp
    count=1
    while exists "$backup"; do
        count=$((count + 1))
        backup=$1.bak.$stamp-$count
    done
    echo "$backup"
}

say() {
    [ "$doing" = yes ] || echo "$1"
}

# link <name>: a link that /ext renamed stays off.
link() {
    file=hosts/pi/extensions/$1.ts
    place=$links/$1.ts
    if is_moved "$place.off" "$file"; then
        step "link    $1, which is off: the clone has moved" move_link "$file" "$place.off"
    elif is_moved "$place" "$file"; then
        step "link    $1: the clone has moved" move_link "$file" "$place"
    elif is_ours "$place" "$file"; then
        say "stays   $1: already linked"
    elif is_ours "$place.off" "$file"; then
        say "stays   $1: switched off by /ext"
    elif exists "$place"; then
        step "link    $1: $1.ts is in the way and becomes $(basename "$(backup_of "$place")")" \
            back_up_and_link "$file" "$place"
    else
        step "link    $1" make_link "$file" "$place"
    fi
}

# A pi before 1.5 looks for the modules of a linked extension beside the link, not beside the file.
link_lib() {
    place=$agent/lib
    if is_moved "$place" hosts/pi/lib; then
        step "link    lib: the clone has moved" move_link hosts/pi/lib "$place"
    elif is_ours "$place" hosts/pi/lib; then
        say "stays   lib: already linked"
    elif exists "$place"; then
        fail 1 "$place is in the way of the modules of the extensions. Move it, or use: pi install '$clone/hosts/pi'"
    else
        step "link    lib, the modules of the extensions" make_link hosts/pi/lib "$place"
    fi
}

install() {
    link_lib
    exists "$links" || step "make    $links" mkdir -p "$links"
    for name in $names; do
        ! is_wanted "$name" || link "$name"
    done
}

remove_links() {
    for place in "$links"/*.ts "$links"/*.ts.off; do
        ! is_ours "$place" "$(file_of "$place")" || step "remove  ${place##*/}" rm -- "$place"
    done
    ! is_ours "$agent/lib" hosts/pi/lib || step 'remove  lib' rm -- "$agent/lib"
}

# run <plan|do>: gives the number of steps in `steps`.
run() {
    doing=$1
    steps=0
    failed=0
    if [ -n "$uninstall" ]; then remove_links; else install; fi
}

ask() {
    [ -z "$yes" ] || return 0
    [ -t 0 ] || fail 5 'nothing is done: nobody can be asked without a terminal. --yes goes on'
    printf 'Go on? [y/N] '
    read -r answer || answer=
    case $answer in
    y | Y | yes) ;;
    *) fail 5 'nothing is done' ;;
    esac
}

# --- The way --------------------------------------------------------------------------------------------------------

self=$(readlink -f -- "$0")
clone=${self%/*}
[ -d "$clone/hosts/pi/extensions" ] || fail 1 "$clone is no clone of xylem: run the file install.sh of a clone"
names=
for file in "$clone"/hosts/pi/extensions/*.ts; do
    file=${file##*/}
    names="$names ${file%.ts}"
done
only='' skip='' uninstall='' yes='' dry_run=''
read_arguments "$@"

agent=${PI_CODING_AGENT_DIR:-${HOME:?}/.pi/agent}
case $agent in
\~ | \~/*) agent=$HOME${agent#\~} ;;
esac
links=$agent/extensions
stamp=$(date +%Y%m%d-%H%M%S)
[ -d "$agent" ] || fail 4 "$agent is missing: start pi once, or set PI_CODING_AGENT_DIR, and run install.sh again"
[ -n "$uninstall" ] || check_addon
# The links would take the place of the files to which they lead.
[ "$(readlink -f -- "$links")" != "$clone/hosts/pi/extensions" ] ||
    fail 1 "$links leads to the extensions of this clone already. Remove this link, and run install.sh again"

echo "pi's agent directory: $agent"
run no
[ -n "$uninstall" ] || warn_of_packages
if [ $steps -eq 0 ]; then
    echo 'Nothing to do.'
    exit 0
fi
[ -z "$dry_run" ] || exit 0
ask
run yes
[ $failed -eq 0 ] || fail 1 "$failed of $steps steps failed"
echo 'Done. A pi that runs takes the change with /reload.'
