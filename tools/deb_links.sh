#!/bin/sh
# The pages of debian/*.docs lie flat in the directories of their packages, without the sources. So debian/rules turns
# each link of a page to a page or an example into a link to the place in the packages, and any other link to a file
# into its text:
#
#     docs/commands.md:  [decision 13](decisions/0013-abi-number.md#why) -> (../libxylem-dev/decisions/0013-abi-number.md#why)
#     docs/embedding.md: [xylem.h](../include/xylem.h)                   -> xylem.h
#
# tools/deb_check.sh follows every link of the built packages.
set -eu
cd "$(dirname "$0")/.."
places=$(mktemp)
trap 'rm -f "$places"' EXIT
trap 'exit 130' INT TERM

# Lines FILE PACKAGE PLACE: the place of each page and example in the directory of the package.
for list in debian/*.docs debian/*.examples; do
    package=$(basename "${list%.*}")
    case $list in *.examples) below=examples/ ;; *) below= ;; esac
    # shellcheck disable=SC2013 # one pattern a line, without blanks
    for source in $(cat "$list"); do
        find "$source" | while read -r file; do
            echo "$file $package $below${file#"${source%/*}"/}"
        done
    done
done >"$places"

# shellcheck disable=SC2094 # the page is none of what is read
while read -r file package place; do
    case $file in *.md) ;; *) continue ;; esac
    page=debian/$package/usr/share/doc/$package/$place
    awk -v page="$file" -v package="$package" -v depth="$(echo "$place" | tr -dc / | wc -c)" '
        # The path without "x/..", seen from the root of the sources.
        function real(path,    part, count, kept, i, out) {
            count = split(path, part, "/")
            kept = 0
            for (i = 1; i <= count; i++)
                if (part[i] == "..") kept--
                else if (part[i] != "" && part[i] != ".") part[++kept] = part[i]
            for (i = 1; i <= kept; i++)
                out = out (i > 1 ? "/" : "") part[i]
            return out
        }
        function up(    i, out) {
            for (i = 0; i < depth; i++)
                out = out "../"
            return out
        }
        # "[text](target)" as the page of the package has it.
        function moved(link,    text, target, anchor, file) {
            text = substr(link, 2, index(link, "](") - 2)
            target = substr(link, index(link, "](") + 2)
            target = substr(target, 1, length(target) - 1)
            if (target ~ /^(#|[a-z]+:)/)
                return link
            anchor = match(target, /#/) ? substr(target, RSTART) : ""
            file = real(directory substr(target, 1, length(target) - length(anchor)))
            if (!(file in place))
                return text
            return "[" text "](" up() (owner[file] == package ? "" : "../" owner[file] "/") place[file] anchor ")"
        }
        BEGIN { directory = page; sub(/[^\/]*$/, "", directory) }
        FNR == NR { owner[$1] = $2; place[$1] = $3; next }
        {
            line = ""
            while (match($0, /\[[^][]*\]\([^()]*\)/)) {
                rest = substr($0, RSTART + RLENGTH)
                line = line substr($0, 1, RSTART - 1) moved(substr($0, RSTART, RLENGTH))
                $0 = rest
            }
            print line $0
        }' "$places" "$file" >"$page"
done <"$places"
