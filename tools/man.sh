#!/bin/sh
# Makes the manual pages in BUILD/man: of the commands from what the program says of itself (`xylem help --jsonl`) and
# their sections of docs/commands.md, of the library and of each function from the public headers, of the format from
# docs/format.md. What is written for a page alone stands in cli/man/*.in, where a line that begins with @ names what
# goes there:
#   @list, @globals               the commands; the options of every command
#   @details C, @verbs C          what help says of the command C; each of its verbs
#   @docs FILE SECTION            a section of a page of docs/
#   @docs FILE SECTION :: PART    one part of it, see tools/man/docs.awk
#   @header WHAT                  of the public headers, see tools/man/header.awk
#   @code FILE                    a file as it stands
# With a second argument only the page of xylem-fleet, where that program was built.
# XYLEM_RUN names a program that runs here, where BUILD/xylem is for another machine.
set -eu
build=${1:-build}
only=${2:-}
program=${XYLEM_RUN:-$build/xylem}
# The date that the pages show. It changes with what they say, not with the day of the build.
date=2026-11-22
version=$(tools/headers.sh --version)
LC_ALL=C
export LC_ALL
out=$build/man
[ -n "$only" ] || rm -rf "$out"
mkdir -p "$out"

docs() {
    awk -v section="$2" -v part="$3" -f tools/man/text.awk -f tools/man/docs.awk "docs/$1"
}

# commands <show> <command>
commands() {
    awk -v show="$1" -v command="${2:-}" -f tools/man/text.awk -f tools/man/commands.awk "$out/.help"
}

header() {
    # shellcheck disable=SC2046 # one word a file
    awk -v show="$1" -f tools/man/text.awk -f tools/man/header.awk $(tools/headers.sh)
}

# title <name> <section>
title() {
    printf "'\\\\\" t\n.TH %s %s %s \"xylem %s\" \"xylem\"\n.ad l\n" \
        "$(echo "$1" | tr '[:lower:]' '[:upper:]' | sed 's/-/\\-/g')" "$2" "$date" "$version"
}

# part <heading> <maker> <argument...>: a section of what the maker writes, if that is anything.
part() {
    heading=$1
    shift
    text=$("$@")
    [ -z "$text" ] || printf '.SH %s\n%s\n' "$heading" "$text"
}

command_name() {
    summary=$(commands summary "$1")
    printf '%s\n' "xylem\\-$1 \\- $summary"
}

command_page() {
    title "xylem-$1" 1
    part NAME command_name "$1"
    part SYNOPSIS commands synopsis "$1"
    part DESCRIPTION docs commands.md "$1" prose
    part OPTIONS commands options "$1"
    printf '%s\n' '.PP' '\fBxylem\fR(1) has the options of every command, how sessions and entries are named, and the exit codes.'
    part 'OUTPUT FOR PROGRAMS' docs commands.md "$1" json
    part EXAMPLES docs commands.md "$1" examples
    part 'SEE ALSO' printf '%s\n' '\fBxylem\fR(1), \fBlibxylem\fR(3), \fBxylem\-format\fR(5)'
}

# template <name> <section>
template() {
    title "$1" "$2"
    while IFS= read -r line; do
        case $line in
        '@list') commands list ;;
        '@globals') commands globals help ;;
        '@details '* | '@verbs '*)
            set -- $line
            commands "${1#@}" "$2"
            ;;
        '@header '*) header "${line#@header }" ;;
        '@code '*) sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/'/\\\\(aq/g" -e "s/^[.']/\\\\\&&/" "${line#@code }" ;;
        '@docs '*' :: '*)
            set -- $line
            file=$2
            section=${line#@docs "$file" }
            docs "$file" "${section% :: *}" "${section#* :: }"
            ;;
        '@docs '*)
            set -- $line
            docs "$2" "${line#@docs "$2" }" ''
            ;;
        '@'*)
            echo "man: what does $line mean?" >&2
            return 1
            ;;
        *) printf '%s\n' "$line" ;;
        esac
    done <"cli/man/$1.$2.in"
}

# finish <page>: a heading, and the tag of a paragraph, are followed by their text, not by a request for space. Where the
# terminal lacks a character, it is spelt as xylem spells it there.
finish() {
    awk -v page="$1" '
        BEGIN {
            pairs = split("u25CF * u25CB o u251C | u2514 ` u2500 - u2502 | u2026 ... u2212 - u2013 - u2190 <- u2192 ->",
                spelling, " ")
            for (i = 1; i < pairs; i += 2)
                known[spelling[i]] = 1
        }
        !(/^\.PP$/ && (last ~ /^\.(SH|SS|PP)/ || before ~ /^\.TP/)) {
            line[++count] = $0; before = last; last = $0
            for (rest = $0; match(rest, /\\\[u[0-9A-F]+\]/); rest = substr(rest, RSTART + RLENGTH)) {
                used[substr(rest, RSTART + 2, RLENGTH - 3)] = 1
            }
        }
        END {
            print line[1] "\n" line[2]
            for (character in used)
                if (!(character in known)) {
                    print "man: " page ": how is " character " spelt in ASCII?" > "/dev/stderr"
                    exit 1
                }
            for (i = 1; i < pairs; i += 2)
                if (spelling[i] in used)
                    print ".if !c\\[" spelling[i] "] .char \\[" spelling[i] "] " spelling[i + 1]
            for (i = 3; i <= count; i++)
                print line[i]
        }' "$out/.page" >"$out/$1"
}

# The program of the fleet says itself what it takes.
if [ -x "$build/xylem-fleet" ] && [ -z "${XYLEM_RUN:-}" ] || [ -n "$only" ]; then
    env -u XYLEM_NOW "$build/xylem-fleet" help --jsonl >"$out/.help"
    template xylem-fleet 1 >"$out/.page"
    finish xylem-fleet.1
fi
[ -z "$only" ] || exit 0

env -u XYLEM_NOW "$program" help --jsonl >"$out/.help"
names=$(commands names)
for command in $names; do
    command_page "$command" >"$out/.page"
    finish "xylem-$command.1"
done
for page in xylem.1 libxylem.3 xylem-format.5; do
    template "${page%.*}" "${page##*.}" >"$out/.page"
    finish "$page"
done
# A page for each function: `man xylem_append` begins with xylem_append.
header calls | awk -v out="$out" -v date="$date" -v version="$version" \
    -v judge=" $(tools/headers.sh --judge | tr '\n' ' ') " -f tools/man/text.awk -f tools/man/calls.awk
for function in $(header names); do
    mv "$out/$function.3" "$out/.page"
    finish "$function.3"
done
rm "$out/.help" "$out/.page"
