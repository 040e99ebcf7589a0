#!/bin/sh
# The rules that a script can check. Prints what is wrong, all of it, and fails if anything is.
set -eu
build=${1:-build}
cc=${CC:-cc}
cxx=${CXX:-g++}
rooms='base search/match store/format store/pages store/lmdb store care branch replay replay/reads sequence search
    care/repair travel/jsonl travel judge/shell judge/policy/words judge/policy/engine judge/policy/git
    judge/policy/rules judge/policy judge/gate judge/hook cli/bundle cli/term cli/json cli/store cli/show
    cli/page cli fleet fleet/cli hosts/node/addon'
folders=$(printf '%s\n' $rooms | cut -d/ -f1 | sort -u)
headers=$(tools/headers.sh)
scratch=$(mktemp -d)
trap 'status=$?; rm -rf "$scratch"; [ $status -le 1 ] || echo "tidy: a check of its own failed" >&2' EXIT
trap 'exit 130' INT TERM
found=$scratch/found
: >"$found"

# problem <place> <text>
problem() {
    echo "tidy: $1: $2" >>"$found"
}

# Every #include as "file line name", name with its quotes or angles.
includes() {
    for room in $rooms; do
        find "$room" -maxdepth 1 -name '*.[ch]' 2>/dev/null
    done | sort | xargs awk '/^[ \t]*#[ \t]*include/ { print FILENAME, FNR, $NF }'
}

# The rooms that a room may use.
may_use() {
    case $1 in
    base) ;;
    search/match) echo 'base' ;;
    store/format) echo 'base' ;;
    store/pages) echo 'base store/format' ;;
    store/lmdb) echo 'base store/format store/pages' ;;
    store) echo 'base store/format store/lmdb' ;;
    care) echo 'base store/format store/pages store/lmdb store branch' ;;
    care/repair) echo 'base store/format store/pages store/lmdb store care branch replay' ;;
    branch) echo 'base store/format store' ;;
    replay) echo 'base store branch' ;;
    replay/reads) echo 'base store/format store branch replay' ;;
    sequence) echo 'base store/format store branch replay' ;;
    search) echo 'base search/match store/format store/lmdb store sequence' ;;
    travel/jsonl) echo 'base search/match store/format store/lmdb store branch' ;;
    travel) echo 'base store/format store/lmdb store branch travel/jsonl' ;;
    judge/shell) echo 'base' ;;
    judge/policy/words) echo 'base judge/shell' ;;
    judge/policy/engine) echo 'base judge/shell judge/policy/words' ;;
    judge/policy/git) echo 'base judge/shell judge/policy/words judge/policy/engine' ;;
    judge/policy/rules) echo 'base judge/shell judge/policy/words judge/policy/engine judge/policy/git' ;;
    judge/policy) echo 'base judge/shell judge/policy/words judge/policy/engine judge/policy/git judge/policy/rules' ;;
    judge/hook) echo 'base judge/policy/words judge/policy/engine judge/policy/git judge/policy judge/gate' ;;
    judge/gate) echo 'base judge/policy/engine judge/policy' ;;
    cli/bundle | cli/term) echo 'base' ;;
    cli/json | cli/store) echo 'base cli/term' ;;
    cli/show) echo 'base cli/term cli/json cli/store' ;;
    cli/page) echo 'base cli/term cli/json cli/store cli/show' ;;
    cli) echo 'base cli/bundle cli/term cli/json cli/store cli/show cli/page' ;;
    fleet) echo 'base' ;;
    fleet/cli) echo 'base cli/term cli/json cli/store cli fleet' ;;
    hosts/*) echo 'base' ;;
    esac
}

# A room's own header, which says at its head what the room is for and which of its headers other rooms may include.
header_of() {
    echo "$1/${1##*/}.h"
}

check_rooms() {
    for room in $rooms; do
        guide=$(header_of "$room")
        [ -f "$guide" ] || {
            problem "$room" "the room has no header: $guide"
            continue
        }
        awk -v file="$guide" '
            FNR == 1 && $0 != "/*" { lacks = 1 }
            / \*\/$/ && !end { end = FNR }
            !end && /Begin reading at / { begin = 1 }
            !end && /Other rooms may include: / { open = 1 }
            END {
                if (lacks || end < 5 || end > 12 || !begin || !open)
                    print "tidy: " file ":1: expected 3 to 10 lines on what the room is for, what it is not," \
                        " \"Begin reading at\" and \"Other rooms may include:\""
            }' "$guide" >>"$found"
    done
}

# By #include: only what the guide of another room opens, and only of rooms below.
check_arrows() {
    includes >"$scratch/includes"
    while read -r file line name; do
        case $name in '"'*) ;; *) continue ;; esac
        name=$(echo "$name" | tr -d '"')
        room=${file%/*}
        below=${name%/*}
        case $name in xylem.h | xylem_judge.h | xylem/*.h) continue ;; esac
        [ "$below" != "$room" ] || continue
        case " $(may_use "$room") " in
        *" $below "*) ;;
        *) problem "$file:$line" "$room/ may not include $name" && continue ;;
        esac
        sed -n '/^ \*\//q; /Other rooms may include: /,$p' "$(header_of "$below")" | tr ' ' '\n' |
            grep -qx "${name##*/}" || problem "$file:$line" "$(header_of "$below") does not open $name to other rooms"
    done <"$scratch/includes"
}

# By the linker: which module uses which, from the objects of the build. A use must not point at a room above, and no
# modules may use each other in a circle, but the two recursions that are natural: the shell's grammar, and the judge
# that meets commands inside of commands.
natural='judge/shell/arithmetic judge/shell/assignment judge/shell/command judge/shell/compound judge/shell/condition
    judge/shell/expansion judge/shell/heredoc judge/shell/parameter judge/shell/quote judge/shell/redirection
    judge/shell/substitution judge/shell/token judge/shell/word
    judge/policy/engine/builtins judge/policy/engine/judge judge/policy/engine/walk judge/policy/engine/wrappers'
check_circles() {
    for room in $rooms; do
        for source in "$room"/*.c "$room"/*.txt; do # of a text the build makes C
            module=${source%.c}
            [ -e "$build/obj/$module.o" ] || continue # as of a build with UNPROVEN=1
            nm "$build/obj/$module.o" | awk -v module="$module" '
                NF == 2 && $1 == "U" { print "uses", module, $2 }
                NF == 3 && $2 ~ /[TDRBV]/ { print "gives", module, $3 }'
        done
    done >"$scratch/symbols"
    awk '
        $1 == "gives" { giver[$3] = $2; next }
        { user[++count] = $2; symbol[count] = $3 }
        END {
            for (i = 1; i <= count; i++)
                if (symbol[i] in giver && giver[symbol[i]] != user[i])
                    print user[i], giver[symbol[i]], symbol[i]
        }' "$scratch/symbols" >"$scratch/uses"
    while read -r user giver symbol; do
        [ "${user%/*}" != "${giver%/*}" ] || continue
        # The command, the hosts and the fleet know the public calls, and of the library no other room than base/.
        case $user:$symbol in *__*) ;; fleet/*:fleet_*) ;; cli/* | hosts/* | fleet/*) continue ;; esac
        case " $(may_use "${user%/*}") " in
        *" ${giver%/*} "*) ;;
        *) problem "$user.c" "${user%/*}/ may not use $symbol of $giver.c" ;;
        esac
    done <"$scratch/uses"
    # What is left when modules without users or without uses are taken away, again and again, lies in a circle or
    # between two. Of that, what reaches itself.
    awk -v natural="$natural" '
        { edge[$1 " " $2] }
        END {
            do {
                split("", in_use); split("", using)
                for (e in edge) { split(e, m, " "); using[m[1]]; in_use[m[2]] }
                gone = 0
                for (e in edge) {
                    split(e, m, " ")
                    if (!(m[1] in in_use) || !(m[2] in using)) { delete edge[e]; gone = 1 }
                }
            } while (gone)
            for (e in edge) { split(e, m, " "); node[m[1]]; node[m[2]] }
            for (k in node)
                for (i in node)
                    if ((i " " k) in edge)
                        for (j in node)
                            if ((k " " j) in edge)
                                edge[i " " j]
            n = split(natural, name, /[ \n]+/)
            for (i = 1; i <= n; i++) known[name[i]]
            for (i in node) {
                if (!((i " " i) in edge) || (i in known) || (i in told))
                    continue
                others = ""
                for (j in node)
                    if (j != i && ((i " " j) in edge) && ((j " " i) in edge)) { others = others " " j; told[j] }
                print "tidy: " i ": lies in a circle with" others
            }
        }' "$scratch/uses" >>"$found"
}

# A library's headers are known to one place alone. The command cannot use the place of libxylem, which hides its own.
check_one_place() {
    for rule in 'lmdb\.h store/lmdb/' 'pcre2\.h search/match/' 'msgpack[a-z_/]*\.h store/format/' \
        'xxhash\.h store/format/ cli/bundle/ fleet/frame' 'yajl/[a-z_]*\.h base/json' \
        'zstd[a-z_]*\.h cli/bundle/ fleet/frame' 'libpq-fe\.h fleet/postgres' \
        'cmark-gfm[a-z_-]*\.h cli/page/markdown cli/page/review'; do
        awk -v library="^<${rule%% *}>" -v places="${rule#* }" '
            $3 ~ library {
                at = ""
                for (i = split(places, place, " "); i > 0; i--)
                    if (index($1, place[i]) == 1)
                        at = place[i]
                if (at == "")
                    print "tidy: " $1 ":" $2 ": " $3 " belongs into " places " alone"
                if (at in file && file[at] != $1)
                    print "tidy: " library ": included in more than one place: " file[at] " " $1
                file[at] = $1
            }' "$scratch/includes" >>"$found"
    done
}

# Functions begin with a brace in the first column and end with one: 70 lines at most, the braces counted.
check_function_length() {
    find $folders tests docs/examples -name '*.c' | sort | xargs awk '
        FNR == 1 { begin = 0 }
        /^[a-z].*\) \{$/ { print "problem", FILENAME, FNR, "the brace of a function stands on a line of its own" }
        /^[a-zA-Z_].*\(/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
        /^\{/ { begin = FNR }
        /^\}/ && begin > 0 {
            lines = FNR - begin + 1
            print "function", lines, FILENAME, name
            if (lines > 70)
                print "problem", FILENAME, begin, name " has " lines " lines, 70 are allowed"
            begin = 0
        }' >"$scratch/functions"
    awk '$1 == "problem" { place = $2 ":" $3; $1 = $2 = $3 = ""; sub(/^ */, ""); print "tidy: " place ": " $0 }' \
        "$scratch/functions" >>"$found"
    awk '$1 == "function" && $3 !~ /^(tests|docs)\// { print $2, $3, $4 }' "$scratch/functions" | sort -n |
        awk '{ line[NR] = $0; lines[NR] = $1; over += $1 > 40 } END {
            split(line[NR], longest, " ")
            print "tidy: " NR " functions: median " lines[int((NR + 1) / 2)] " lines, longest " longest[1] " (" \
                longest[3] " in " longest[2] "), " over + 0 " of more than 40" }'
}

check_symbols() {
    tools/headers.sh --functions >"$scratch/declared"
    nm -D --defined-only "$build/libxylem.so" | awk '$2 ~ /[A-Z]/ { print $3 }' | grep -v '^_' |
        LC_ALL=C sort >"$scratch/exported"
    comm -23 "$scratch/declared" "$scratch/exported" | while read -r name; do
        problem include/ "$name is declared, but $build/libxylem.so does not export it"
    done
    comm -13 "$scratch/declared" "$scratch/exported" | while read -r name; do
        problem "$build/libxylem.so" "$name is exported, but no header declares it"
    done
    # The judge has its functions and base/'s, and nothing of the store.
    tools/headers.sh --judge >"$scratch/judge"
    nm "$build/libxylem-judge.a" 2>/dev/null | awk '$2 ~ /[TDRB]/ { print $3 }' | LC_ALL=C sort -u >"$scratch/given"
    comm -23 "$scratch/judge" "$scratch/given" | while read -r name; do
        problem include/ "$name is declared, but $build/libxylem-judge.a does not have it"
    done
    nm "$build/libxylem-judge.a" 2>/dev/null | awk '$1 == "U" && /xylem_/ { print $2 }' | LC_ALL=C sort -u |
        comm -23 - "$scratch/given" | while read -r name; do
        problem "$build/libxylem-judge.a" "$name is used, and is not there"
    done
}

# Every library that is linked must be needed: a name that is not used drags a package along.
check_libraries() {
    for name in $(sed -n 's/^LIBS *:= *//p' Makefile | tr ' ' '\n' | sed -n 's/^-l//p'); do
        case $name in pthread | m) continue ;; esac # parts of the C library: glibc 2.34 has pthread in libc itself
        readelf -d "$build/libxylem.so" | grep -q "(NEEDED).*\[lib$name\.so" ||
            problem Makefile "-l$name is linked, but $build/libxylem.so needs nothing of it"
    done
    # A static command loads a library only where its archive is missing.
    readelf -d "$build/xylem" | sed -n 's/.*(NEEDED).*\[lib\(.*\)\.so.*/\1/p' >"$scratch/loaded"
    ! grep -qx xylem "$scratch/loaded" || return 0
    while read -r name; do
        case $name in
        c | m | pthread) continue ;;
        yajl) archive=libyajl_s.a ;;
        *) archive=lib$name.a ;;
        esac
        case $($cc -print-file-name="$archive") in
        /*) problem Makefile "$build/xylem loads lib$name, and does not hold its archive $archive" ;;
        esac
    done <"$scratch/loaded"
}

# A warning stops the goals of developers, and no other goal.
check_werror() {
    # Make says what WERROR is for a goal, and ends before the first recipe.
    printf '%s\n' 'include Makefile' '$(info WERROR=$(strip $(WERROR)))' '$(error only asked)' >"$scratch/ask.mk"
    for rule in all: install: demo: deb: check:-Werror test:-Werror test-san:-Werror tidy:-Werror musl:-Werror; do
        goal=${rule%%:*}
        flag=$(env -u WERROR -u MAKEFLAGS -u MAKELEVEL make -f "$scratch/ask.mk" BUILD="$scratch/build" "$goal" \
            2>/dev/null | sed -n 's/^WERROR=//p')
        [ "$flag" = "${rule#*:}" ] || problem Makefile "make $goal: expected WERROR='${rule#*:}', found '$flag'"
    done
}

# What debian/ repeats of the header and the Makefile.
check_packages() {
    tools/deb_files.sh --check >>"$found" 2>&1 || true
}

# Another layout of a public struct has another number.
check_layout() {
    CC=$cc tools/abi.sh --check >>"$found" 2>&1 || true
}

# Every header alone, and no header that the umbrella does not include.
check_headers() {
    for header in $headers; do
        echo "#include \"$header\"" >"$scratch/alone"
        $cc -std=c17 -Wall -Wextra -Wpedantic -Werror -I. -fsyntax-only -x c "$scratch/alone" 2>"$scratch/c" ||
            problem "$header" "does not compile alone in C17: $(head -n 1 "$scratch/c")"
        $cxx -std=c++11 -Wall -Wextra -Wpedantic -Werror -I. -fsyntax-only -x c++ "$scratch/alone" 2>"$scratch/c" ||
            problem "$header" "does not compile alone in C++11: $(head -n 1 "$scratch/c")"
    done
    for header in include/*.h include/xylem/*.h; do
        echo "$headers" | grep -qx "$header" ||
            problem "$header" 'neither include/xylem.h nor include/xylem_judge.h includes it'
    done
}

# A change of a public header compiles again what names something of the header, or of a header that includes it: at most
# 1.3 objects for each file that does.
check_needs() {
    { find include/xylem -name '*.h'; find $folders tests -name '*.[ch]'; } | xargs awk '
        FNR == 1 { public = FILENAME ~ /^include\//; comment = 0; list = 0 }
        public && $1 == "#include" && $2 ~ /^"/ { name = $2; gsub(/"/, "", name); includes[FILENAME, "include/xylem/" name] }
        {
            gsub(/"([^"\\]|\\.)*"/, "")
            text = comment ? "" : $0
            if (comment && (at = index($0, "*/"))) { text = substr($0, at + 2); comment = 0 }
            while ((at = index(text, "/*")) > 0) {
                rest = substr(text, at)
                end = index(rest, "*/")
                comment = !end
                text = substr(text, 1, at - 1) (end ? substr(rest, end + 2) : "")
            }
            if (text ~ /enum .*\{/) list = public
            for (define = text ~ /^#define/; match(text, /(xylem|XYLEM)_[A-Za-z0-9_]+/); text = substr(text, RSTART + RLENGTH)) {
                word = substr(text, RSTART, RLENGTH)
                before = substr(text, 1, RSTART - 1)
                after = substr(text, RSTART + RLENGTH)
                if (!public && word in owner) names[FILENAME, owner[word]]
                if (public && !(word in owner) && (define || list && word ~ /^X/ || after ~ /^\(/ ||
                    before ~ /(struct|enum) $/ && after ~ /^ *[{;]/)) owner[word] = FILENAME
                define = 0
            }
            if (index($0, "}")) list = 0
        }
        function count(header, file,    pair, part) {
            if ((header, file) in seen) return
            seen[header, file]
            total[header]++
            for (pair in includes) {
                split(pair, part, SUBSEP)
                if (part[1] == header) count(part[2], file)
            }
        }
        END {
            for (name in names) { split(name, one, SUBSEP); count(one[2], one[1]) }
            for (header in total) print header, total[header]
        }' >"$scratch/needs"
    # what is built as a user would: with all of a header
    find "$build/obj" "$build/san/obj" -name '*.d' 2>/dev/null |
        grep -v '/docs/\|/cli/man/\|/tests/examples/\|/tests/public/' >"$scratch/objects"
    [ "$(wc -l <"$scratch/needs")" -eq "$(find include/xylem -name '*.h' | wc -l)" ] ||
        problem include/xylem 'the names of a header were not found, or no file names something of a header'
    while read -r header files; do
        objects=$(xargs grep -lF "$header" <"$scratch/objects" | sed 's|.*/obj/||' | sort -u | wc -l)
        [ $((objects * 10)) -le $((files * 13)) ] ||
            problem "$header" "$objects objects include the header, but only $files files name something of it"
    done <"$scratch/needs"
}

# A table row in the docs that gives a constant and a number: the compiler compares them.
check_numbers() {
    {
        printf '%s\n' '#include "xylem.h"' '#include "xylem_judge.h"'
        for file in base/*.h store/format/*.h store/pages/*.h store/*.h; do
            grep -qE '#include <(lmdb|msgpack|xxhash)' "$file" || echo "#include \"$file\""
        done
        find README.md docs -name '*.md' 2>/dev/null | sort | xargs awk '/^\| *`XYLEM_[A-Z0-9_]+` *\| *`?-?[0-9]/ {
            split($0, cell, "|")
            name = cell[2]; number = cell[3]
            gsub(/[ `]/, "", name); gsub(/[ `,]/, "", number)
            if (number !~ /^-?(0x[0-9a-fA-F]+|[0-9]+)$/)
                next
            print "#line " FNR " \"" FILENAME "\""
            print "_Static_assert((" name ") == " number ", \"" name " is not " number " in the header\");"
        }' /dev/null
    } >"$scratch/numbers.c"
    echo "tidy: $(grep -c _Static_assert "$scratch/numbers.c" || true) numbers of the docs compared with the headers"
    $cc -std=c17 -D_GNU_SOURCE -Iinclude -I. -fsyntax-only "$scratch/numbers.c" 2>"$scratch/c" ||
        grep ': error: ' "$scratch/c" | sed 's/^/tidy: /' >>"$found"
}

# The README's table of folders names each folder at the top that git tracks, once, and nothing else.
check_folders() {
    git ls-files 2>/dev/null | sed -n 's|/.*|/|p' | LC_ALL=C sort -u >"$scratch/tracked"
    [ -s "$scratch/tracked" ] || {
        echo "tidy: git tracks nothing here, so the README's table of folders is not compared"
        return 0
    }
    awk -F'|' '!/^\|/ { inside = 0 } inside { print $2 } /^\| folder \|/ { inside = 1 }' README.md |
        tr -s ' ,' '\n\n' | sed -n 's/^`\(.*\)`$/\1/p' | LC_ALL=C sort >"$scratch/named"
    comm -23 "$scratch/tracked" "$scratch/named" | while read -r name; do
        problem README.md "the table of folders lacks $name"
    done
    comm -13 "$scratch/tracked" "$scratch/named" | while read -r name; do
        problem README.md "the table of folders names $name, which git does not track, or names it twice"
    done
}

# Words that stand for work put off. The brackets keep this line from finding itself.
check_words() {
    find include $folders tests tools docs/examples .ci Makefile -type f |
        grep -E '\.[ch]$|\.sh$|Makefile$|run$' | xargs grep -nwE 'TOD[O]|FIXM[E]|XX[X]|HAC[K]' /dev/null |
        sed 's/^/tidy: put off: /' >>"$found" || true
}

check_tests() {
    for name in $(find tests -name 'test_*.c' | sed 's|^tests/||; s|/[^/]*$||' | sort -u); do
        case $(echo " $rooms corrupt crash examples fleet/servers flow property public " | tr '\n' ' ') in
        *" $name "*) ;;
        *) problem "tests/$name" 'mirrors no room' ;;
        esac
    done
    for room in $rooms; do
        case $room in
        hosts/*) set -- "${room%/*}"/test/*.test.mjs ;;
        cli/* | fleet/* | judge/policy/*) set -- tests/"${room%/*}"/test_*.c ;;
        *) set -- tests/"$room"/test_*.c ;;
        esac
        [ -e "$1" ] || problem "$room" "the room has no tests"
    done
    cram=$(command -v cram3 || command -v cram)
    XYLEM_BIN=$(realpath "$build/xylem") "$cram" tests/cli/version.t tests/cli/init.t >"$scratch/cram" 2>&1 ||
        problem tests/cli "transcripts in one call of cram disturb each other: $(tail -n 1 "$scratch/cram")"
    for file in cli/cmd_*.c; do
        name=${file#cli/cmd_}
        name=${name%.c}
        [ -e "tests/cli/$name.t" ] || [ -e "tests/cli/test_$name.c" ] ||
            problem "$file" "the command has no tests/cli/$name.t"
    done
    find tests -name '*.c' ! -path 'tests/fuzz/*' ! -path 'tests/bench/*' -exec cat {} + >"$scratch/tests"
    while read -r name; do
        grep -qw "$name" "$scratch/tests" || problem include/ "no test calls $name"
    done <<END
$(cat "$scratch/declared" "$scratch/judge")
END
}

# A function has a comment above it, or above the group of lines that it stands in.
check_comments() {
    awk '
        /^$/ { commented = 0 }
        /\*\/$/ { commented = 1 }
        /^XYLEM_API/ && !commented { print "tidy: " FILENAME ":" FNR ": a public function without a comment: " $0 }' \
        $headers >>"$found"
}

check_manual() {
    CC=$cc tools/man_check.sh "$build" >"$scratch/manual"
    cat "$scratch/manual" >>"$found"
    echo "tidy: $(find "$build/man" -name '*.[135]' | wc -l) manual pages looked at"
}

check_rooms
check_arrows
check_circles
check_one_place
check_function_length
check_symbols
check_libraries
check_werror
check_packages
check_layout
check_headers
check_needs
check_numbers
check_folders
check_words
check_tests
check_comments
check_manual
if [ -s "$found" ]; then
    cat "$found"
    echo "tidy: $(wc -l <"$found") problems" >&2
    exit 1
fi
echo 'tidy: no problems'
