#!/bin/sh
# Lines by room: all, and those that are neither blank nor only comment.
set -eu
printf '%-10s %6s %8s %8s\n' room files lines code
for room in include base store judge branch replay travel search sequence care fleet cli hosts tests docs tools; do
    files=$(find "$room" -name '*.[ch]' -o -name '*.sh' 2>/dev/null | sort) || true
    [ -n "$files" ] || continue
    # shellcheck disable=SC2086 # one word a file; no file of the project has a space in its name
    cat $files | awk -v room="$room" -v files="$(echo "$files" | wc -l)" '
        { all++ }
        /^[ \t]*$/ { next }
        inside { if (/\*\//) inside = 0; next }
        /^[ \t]*\/\*/ { if (!/\*\//) inside = 1; else if (!/\*\/[ \t]*$/) code++; next }
        /^[ \t]*(\/\/|# )/ { next }
        { code++ }
        END { printf "%-10s %6d %8d %8d\n", room, files, all, code }'
done | awk '{ print; files += $2; lines += $3; code += $4 }
    END { printf "%-10s %6d %8d %8d\n", "all", files, lines, code }'
