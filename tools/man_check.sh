#!/bin/sh
# What tidy.sh asks of the manual pages in BUILD/man and of what they are made from: that nothing of the tables of
# commands, the header and the code is missing there, and nothing is named that does not exist. Prints a line for each
# problem, and exits with 0 if it could look at everything.
set -eu
build=${1:-build}
pages=$build/man
# One word a file.
headers=$(tools/headers.sh)
LC_ALL=C
export LC_ALL
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

# problem <place> <text>
problem() {
    echo "tidy: $1: $2"
}

# differ <file> <other> <place of the file> <place of the other>: the lines that only one of two sorted files has.
differ() {
    comm -23 "$scratch/$1" "$scratch/$2" | while read -r name; do problem "$4" "$name is missing: it stands in $3"; done
    comm -13 "$scratch/$1" "$scratch/$2" | while read -r name; do problem "$4" "$name does not exist in $3"; done
}

check_rendering() {
    command -v mandoc >/dev/null 2>&1 || {
        problem tools/man_check.sh 'mandoc is missing: make deps'
        return
    }
    for page in "$pages"/*.[135]; do
        mandoc -T lint -W warning "$page" >"$scratch/lint" 2>&1 || sed "s|^|tidy: |" "$scratch/lint"
    done
}

# What is installed by the names of the sources is what the program has.
check_commands() {
    ls cli/cmd_*.c | sed 's/.*cmd_\(.*\)\.c/\1/' | sort >"$scratch/sources"
    cut -f 1 "$scratch/facts" | sort -u >"$scratch/commands"
    differ commands sources 'the table of commands' 'cli/cmd_*.c'
}

# The options of a command stand in its usage line and in its section of docs/commands.md, and no others do.
check_options() {
    awk -F '\t' '$2 != "usage" { print "--" $3 }' "$scratch/facts" | sort -u >"$scratch/options"
    cut -f 1 "$scratch/facts" | sort -u | while read -r command; do
        awk -F '\t' -v name="$command" '$1 == name && $2 == "usage" { print $3 }' "$scratch/facts" >"$scratch/usage"
        awk -v name="$command" '
            /^## / {
                inside = 0
                count = split(substr($0, 4), names, ", ")
                for (i = 1; i <= count; i++)
                    inside = inside || names[i] == name
            }
            inside' docs/commands.md >"$scratch/section"
        [ -s "$scratch/section" ] || problem docs/commands.md "the command $command has no section"
        awk -F '\t' -v name="$command" '$1 == name && $2 == "option" { print $3, $4 }' "$scratch/facts" |
            while read -r option letter; do
                for place in usage section; do
                    grep -qE -- "--$option([^a-z-]|\$)${letter:+|(^|[^a-zA-Z-])-$letter([^a-z]|\$)}" "$scratch/$place" ||
                        problem "$command" "its $place does not name --$option"
                done
            done
        grep -ohE -- '(^|[^a-zA-Z-])--[a-z][a-z-]*' "$scratch/usage" "$scratch/section" | grep -oE -- '--[a-z-]+' | sort -u |
            comm -23 - "$scratch/options" | while read -r option; do
            problem docs/commands.md "the section of $command names $option, which no command has"
        done
    done
}

# The variables that the command reads, and those that the C library reads for it.
check_environment() {
    {
        grep -ohE '[gs]etenv\("[A-Z_]+"' cli/*.c cli/*/*.c
        sed -n '/names\[\] = {"[A-Z_]*"/,/};/p' cli/*.c cli/*/*.c
        echo '"LC_ALL" "LC_CTYPE" "LANG" "TZ"'
    } | grep -oE '"[A-Z_]+"' | tr -d '"' | sort -u >"$scratch/read"
    awk '/^\.SH/ { inside = /ENVIRONMENT/ } inside && tag { print } { tag = /^\.TP/ }' cli/man/xylem.1.in |
        grep -oE '[A-Z][A-Z_]+' | grep -vxE 'BR|B' | sort -u >"$scratch/named"
    differ read named 'cli/' cli/man/xylem.1.in
}

check_exit_codes() {
    sed -n '/^enum xylem_cli__exit {/,/^}/s/.*XYLEM_CLI__[A-Z_]* = \([0-9]*\).*/code \1/p' cli/term/run.h | sort >"$scratch/codes"
    awk '/^\*\*Exit codes/ { inside = 1 } /^## / { inside = 0 } inside && /^\| [0-9]/ { print "code", $2 }' \
        docs/commands.md | sort >"$scratch/documented"
    differ codes documented cli/term/run.h docs/commands.md
}

check_format() {
    sed -n 's/.*X(XYLEM_[A-Z_]*, "\([a-z_]*\)").*/table \1/p' store/format/format.h | sort >"$scratch/tables"
    awk '/^#/ { inside = /^## Tables$/ } inside && /^\| `/ { gsub(/`/, ""); print "table", $2 }' docs/format.md |
        sort >"$scratch/documented"
    differ tables documented store/format/format.h docs/format.md
    sed -n 's/^#define \(XYLEM_[A-Z_]*_\(MAX\|SLOTS\|COUNT\)\) .*/\1/p' $headers | sort >"$scratch/limits"
    awk '/^#/ { inside = /^## Limits$/ } inside && /^\| `/ { gsub(/`/, ""); print $2 }' docs/format.md | sort >"$scratch/rows"
    comm -23 "$scratch/limits" "$scratch/rows" | while read -r name; do
        problem docs/format.md "the limits lack $name"
    done
}

# What the header's comments call a function is one.
check_names() {
    grep -ohE 'xylem_[a-z0-9_]+\(\)' $headers | tr -d '()' | sort -u >"$scratch/mentioned"
    awk -v show=names -f tools/man/text.awk -f tools/man/header.awk $headers | sort >"$scratch/functions"
    comm -23 "$scratch/mentioned" "$scratch/functions" | while read -r name; do
        problem include/ "there is no function $name()"
    done
}

# `man xylem_append` begins with xylem_append: its name, and its prototype before others.
check_functions() {
    awk -v show=names -f tools/man/text.awk -f tools/man/header.awk $headers | while read -r name; do
        [ -s "$pages/$name.3" ] || {
            problem "$pages" "$name has no page"
            continue
        }
        awk -v name="$name" -v page="$pages/$name.3" '
            before == ".SH NAME" && (index($0, name " \\- ") != 1 || length($0) < length(name) + 12 || length($0) > 140) {
                print "tidy: " page ": NAME does not say in one line which call the page is about: " $0
            }
            before == ".HP 4" && !prototypes++ && $0 !~ name "\\(" { print "tidy: " page ": SYNOPSIS does not begin with " name }
            { before = $0 }
            END { if (!prototypes) print "tidy: " page ": SYNOPSIS lacks " name }' "$pages/$name.3"
    done
}

# The compiler says whether the prototypes of the page are those of the header.
check_prototypes() {
    {
        printf '%s\n' '#include "xylem.h"' '#include "xylem_judge.h"'
        awk '/^\.HP/ { text = ""; open = 1; next } open && /^\./ { open = 0 }
            open { gsub(/\\f[BR]|\\[:%]/, ""); gsub(/\\ /, " "); text = text " " $0 }
            open && /;$/ { print text; open = 0 }' "$pages/libxylem.3"
    } >"$scratch/page.c"
    ${CC:-cc} -std=c17 -Iinclude -fsyntax-only "$scratch/page.c" 2>"$scratch/errors" ||
        problem "$pages/libxylem.3" "not the header's prototypes: $(grep -m 1 error "$scratch/errors")"
    [ "$(grep -c ';$' "$scratch/page.c")" = "$(cat $headers | grep -cE '^(XYLEM_API|static inline) ')" ] ||
        problem "$pages/libxylem.3" 'it has not as many prototypes as the header'
}

# What a command prints stands below it, and a command that is broken into lines is still the same command.
check_examples() {
    for page in "$pages"/xylem-*.1; do
        awk -v page="$page" '
            behind > 0 && $0 == ".nf" { print "tidy: " page ": DESCRIPTION begins with what an example prints" }
            { behind = $0 == ".SH DESCRIPTION" ? 1 : behind == 1 ? 2 : 0 }
            /^\\fB\$ .*\\e\\fR$/ && gsub(/\\\(aq/, "&") % 2 == 1 {
                print "tidy: " page ": a command is broken within a quote: " $0
            }' "$page"
    done
}

env -u XYLEM_NOW "${XYLEM_RUN:-$build/xylem}" help --jsonl |
    awk -v show=facts -f tools/man/text.awk -f tools/man/commands.awk >"$scratch/facts"
check_rendering
check_examples
check_commands
check_options
check_environment
check_exit_codes
check_format
check_names
check_prototypes
check_functions
