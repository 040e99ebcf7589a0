#!/bin/sh
# Builds docs/examples/ and the README's program as their readers would: against an installation in a directory of its own,
# with what pkg-config says, warnings as errors. Shared, static, with clang too if there is one, and with the sanitizers
# if a library built with them is named. Runs them, compares what they print with fixtures/expected/host.txt, and looks
# whether each line of C that docs/embedding.md, docs/rehydration.md and docs/sequences.md quote stands in examples/, and whether the C of
# docs/hooks.md compiles and the configurations that pages show are taken.
# usage: examples_check.sh BUILD [BUILD_WITH_SANITIZERS [THEIR_FLAGS]]
set -eu
build=${1:-build}
sanitized=${2:-}
san_flags=${3:-}
cc=${CC:-cc}
strict='-std=c17 -O2 -g -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror'
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
trap 'exit 130' INT TERM

fail() {
    echo "examples: $1" >&2
    exit 1
}

# This make must not take a jobserver or flags from one that runs it.
run_make() {
    env -u MAKEFLAGS -u MAKELEVEL make -s "$@"
}

# The C between ```c and ``` of a page.
quoted() {
    awk '/^```c$/ { inside = 1; next } /^```/ { if (inside) print ""; inside = 0 } inside' "$1"
}

# quotes_stand <page>: its blocks of C, line after line, `...` standing for what was left out.
quotes_stand() {
    cat docs/examples/*.[ch] >"$root/examples"
    awk -v page="$1" '
        { gsub(/^[ \t]+|[ \t]+$/, "") }
        FILENAME == ARGV[1] { text = text "\n" $0; next }
        function look() {
            if (piece != "" && index(text "\n", piece "\n") == 0) {
                print "examples: " page ":" first ": not in docs/examples/:" piece
                wrong = 1
            }
            piece = ""
        }
        /^```/ { look(); inside = $0 == "```c"; count += inside; next }
        inside && $0 == "..." { look(); next }
        inside { if (piece == "") first = FNR; piece = piece "\n" $0 }
        END {
            if (count == 0) { print "examples: " page " quotes nothing"; wrong = 1 }
            exit wrong
        }' "$root/examples" "$1" || fail "$1 quotes what is not there"
}

# build_in <directory> <compiler> <flags> <libraries>: all programs.
build_in() {
    mkdir "$root/$1"
    # shellcheck disable=SC2086 # words, not strings
    {
        $2 $3 $cflags -o "$root/$1/host" docs/examples/host.c docs/examples/story.c $4
        $2 $3 $cflags -o "$root/$1/reducers" docs/examples/reducers.c docs/examples/todo.c docs/examples/notebook.c \
            docs/examples/shape.c $4
        $2 $3 $cflags -o "$root/$1/sequence" docs/examples/sequence.c $4
        $2 $3 $cflags -o "$root/$1/readme" "$root/readme.c" $4
    } || fail "$1: the examples do not compile"
}

# run_in <directory>: what they print must be the same everywhere.
run_in() {
    directory=$root/$1
    {
        "$directory/host" "$directory/store"
        "$directory/reducers" "$directory/lists"
        "$directory/sequence" "$directory/runs"
        (cd "$directory" && ./readme)
    } >"$directory/output" 2>&1 || { cat "$directory/output" >&2; fail "$1: an example failed"; }
    for store in store lists runs; do
        "$xylem" -s "$directory/$store" verify >/dev/null || fail "$1: the examples leave a store that does not verify"
    done
    [ -z "${XYLEM_WRITE_EXPECTED:-}" ] || cp "$directory/output" "$expected"
    diff -u "$expected" "$directory/output" >&2 || fail "$1: the output is not that of $expected"
    for refused in 'host' "host $directory/output" 'reducers' "reducers $directory/output" "reducers $directory/lists"; do
        # shellcheck disable=SC2086 # a program and its arguments
        if "$directory"/$refused >/dev/null 2>"$directory/refused"; then
            fail "$1: $refused: it should have failed"
        fi
        [ -s "$directory/refused" ] || fail "$1: $refused: no word about why it failed"
    done
}

# hooks_compile: the C of docs/hooks.md, in a function that has what it takes for granted.
hooks_compile() {
    {
        echo '#include <xylem_judge.h>'
        echo 'void run(struct xylem_view command);'
        echo 'void hook(struct xylem_view config, struct xylem_view command, const char *cwd);'
        echo 'void hook(struct xylem_view config, struct xylem_view command, const char *cwd)'
        echo '{'
        echo 'struct xylem_error err;'
        quoted docs/hooks.md
        echo '}'
    } >"$root/hooks.c"
    # shellcheck disable=SC2086 # words, not strings
    $cc $strict $cflags -fsyntax-only "$root/hooks.c" || fail 'the C of docs/hooks.md does not compile'
}

# configs_hold <page>: its configurations of the strict policy are taken, each.
configs_hold() {
    awk -v root="$root/config" '
        /^```json$/ { inside = 1; text = ""; next }
        /^```/ { if (inside && text ~ /"allowed_commands"/) printf "%s", text >(root "." ++count); inside = 0 }
        inside { text = text $0 "\n" }
        END { exit count == 0 }' "$1" || fail "$1 shows no configuration"
    for config in "$root"/config.*; do
        "$xylem" judge --policy strict --config "$config" ls >/dev/null || fail "$1: a configuration is refused"
    done
    rm "$root"/config.*
}

expected=fixtures/expected/host.txt
xylem=$root/usr/bin/xylem
quotes_stand docs/embedding.md
quotes_stand docs/rehydration.md
quotes_stand docs/sequences.md
quoted README.md >"$root/readme.c"
run_make BUILD="$build" PREFIX="$root/usr" ${CC:+CC="$CC"} install >/dev/null 2>&1
export PKG_CONFIG_PATH="$root/usr/lib/pkgconfig" LD_LIBRARY_PATH="$root/usr/lib"
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1:detect_leaks=1}"
cflags=$(pkg-config --cflags xylem)
hooks_compile
configs_hold docs/hooks.md
configs_hold docs/policy.md
static="$(pkg-config --static --libs xylem | sed 's/-lxylem/-l:libxylem.a/') $(pkg-config --libs xylem-judge)"

# judge_shared: the lines of docs/embedding.md make a shared library of the judge, with the gate in it.
judge_shared() {
    awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0 } inside' docs/embedding.md |
        grep -A 1 whole-archive >"$root/judge.sh"
    [ "$(cd "$root" && sh ./judge.sh)" = 1 ] || fail 'docs/embedding.md does not make a shared library of the judge'
}

# units_hold: what systemd says of the installed units.
units_hold() {
    command -v systemd-analyze >/dev/null || return 0
    mkdir -m 0700 "$root/runtime"
    XDG_RUNTIME_DIR=$root/runtime systemd-analyze verify --user --man=no "$root"/usr/lib/systemd/user/xylem-* \
        >"$root/units.txt" 2>&1 && [ ! -s "$root/units.txt" ] ||
        { cat "$root/units.txt" >&2; fail 'systemd refuses the installed units'; }
}

# stories_hold: what the story of the shell prints, run by the installed command, and the store that it leaves.
stories_hold() {
    mkdir "$root/story"
    PATH="$root/usr/bin:$PATH" docs/examples/sequence_story.sh "$root/story" >"$root/story.txt" 2>&1 ||
        { cat "$root/story.txt" >&2; fail 'docs/examples/sequence_story.sh failed'; }
    [ -z "${XYLEM_WRITE_EXPECTED:-}" ] || cp "$root/story.txt" fixtures/expected/sequence-story.txt
    diff -u fixtures/expected/sequence-story.txt "$root/story.txt" >&2 ||
        fail 'docs/examples/sequence_story.sh tells another story'
    "$xylem" -s "$root/story/store" verify >/dev/null || fail 'the story leaves a store that does not verify'
    # a request that is refused is not a run that is over
    echo '{"session":"talk"}' >"$root/story/bad.json"
    if PATH="$root/usr/bin:$PATH" XYLEM_STORE="$root/story/store" docs/examples/sequence_host.sh false start \
        "$root/story/bad.json" >"$root/story.txt" 2>&1; then
        fail 'docs/examples/sequence_host.sh hides a refused request'
    fi
    [ "$(cat "$root/story.txt")" = "xylem: sequence drive: $root/story/bad.json: catalogue is missing" ] ||
        { cat "$root/story.txt" >&2; fail 'docs/examples/sequence_host.sh tells another error'; }
}

judge_shared
units_hold
stories_hold
build_in shared "$cc" "$strict" "$(pkg-config --libs xylem xylem-judge)"
run_in shared
build_in static "$cc" "$strict" "$static"
run_in static
ran='shared, static'
for clang in clang clang-14; do
    command -v "$clang" >/dev/null 2>&1 || continue
    build_in clang "$clang" "$strict" "$static"
    run_in clang
    ran="$ran, with $clang"
    break
done
if [ -n "$sanitized" ]; then
    [ -f "$sanitized/libxylem.a" ] || fail "$sanitized/libxylem.a is not there"
    build_in sanitized "$cc" "$strict $san_flags" "$(echo "$static" |
        sed "s|-l:libxylem.a|$sanitized/libxylem.a|; s|-lxylem-judge|$sanitized/libxylem-judge.a|")"
    run_in sanitized
    ran="$ran, sanitized"
fi
cp -r docs/examples "$root/copy"
run_make -C "$root/copy" clean all ${CC:+CC="$CC"} CFLAGS="-O2 -Wall -Wextra -Werror" ||
    fail 'docs/examples/Makefile does not build them'
"$root/copy/host" "$root/copy/store" >/dev/null || fail 'host, as docs/examples/Makefile builds it, fails'
"$root/copy/reducers" "$root/copy/lists" >/dev/null || fail 'reducers, as docs/examples/Makefile builds it, fails'
echo "examples: host, reducers, sequence, the story in a shell and the README's program run ($ran), and the docs quote what is there"
