#!/bin/sh
# Installs into a directory of its own, builds programs against that with what pkg-config says, shared and static, and
# with the judge alone and beside, runs them, and takes the installation away again: nothing may be left.
set -eu
build=${1:-build}
cc=${CC:-cc}
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
trap 'exit 130' INT TERM

# This make must not take a jobserver or flags from one that runs it.
run_make() {
    env -u MAKEFLAGS -u MAKELEVEL make -s BUILD="$build" PREFIX="$root/usr" ${CC:+CC="$CC"} "$@" >/dev/null
}

# A directory in which the loader does not look is named.
run_make install 2>"$root/said"
grep -q "LD_LIBRARY_PATH=$root/usr/lib" "$root/said" || {
    echo "install: make install does not say what a program needs to find the library in $root/usr/lib" >&2
    exit 1
}
cat >"$root/program.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <xylem.h>
int main(void)
{
    struct xylem_buffer text = {0};
    if (strcmp(xylem_version(), XYLEM_VERSION) != 0 || xylem_buffer_add_json_string(&text, xylem_view_of("x")) != 0)
        return 1;
    printf("%s\n", text.data);
    xylem_buffer_release(&text);
    return 0;
}
END
export PKG_CONFIG_PATH="$root/usr/lib/pkgconfig"
# shellcheck disable=SC2046,SC2086 # words, not a string
$cc -o "$root/shared" "$root/program.c" $(pkg-config --cflags --libs xylem)
# The library itself statically, what it uses as it is on this machine.
# shellcheck disable=SC2046,SC2086
$cc -o "$root/static" "$root/program.c" $(pkg-config --static --cflags --libs xylem | sed 's/-lxylem/-l:libxylem.a/')
[ "$(LD_LIBRARY_PATH="$root/usr/lib" "$root/shared")" = '"x"' ]
[ "$("$root/static")" = '"x"' ]
# The judge alone loads the C library alone, and links beside the other library in either order.
cat >"$root/judge.c" <<'END'
#include <stdio.h>
#include <xylem_judge.h>
int main(void)
{
    struct xylem_tool_call call = {.name = xylem_view_of("bash"), .input = xylem_view_of("{\"command\":\"rm x\"}")};
    struct xylem_gate gate = {0};
    int code = xylem_gate_ask(&gate, true, &call, NULL, NULL, NULL, NULL);
    printf("%s\n", code == 0 && gate.block ? gate.verdict.rule : "no");
    xylem_gate_release(&gate);
    return 0;
}
END
sed -e 's/#include <xylem_judge.h>/#include <xylem.h>\n&/' -e 's/gate = {0};/& struct xylem_store *store = NULL;/' \
    -e 's/code == 0/xylem_open(\&store, "\/nowhere\/store", NULL, NULL) == XYLEM_E_NOT_FOUND \&\& &/' \
    "$root/judge.c" >"$root/both.c"
# shellcheck disable=SC2046,SC2086
{
    $cc -o "$root/judge" "$root/judge.c" $(pkg-config --cflags --libs xylem-judge)
    static=$(pkg-config --static --libs xylem | sed 's/-lxylem/-l:libxylem.a/')
    judge=$(pkg-config --libs xylem-judge)
    shared=$(pkg-config --libs xylem)
    for libraries in "$static $judge" "$judge $static" "$shared $judge" "$judge $shared"; do
        $cc -o "$root/both" "$root/both.c" $(pkg-config --cflags xylem) $libraries
        [ "$(LD_LIBRARY_PATH="$root/usr/lib" "$root/both")" = file-mutation ]
    done
}
[ "$("$root/judge")" = file-mutation ]
! readelf -d "$root/judge" | grep NEEDED | grep -v '\[libc\.so\.' || {
    echo 'install: a program with the judge alone loads more than the C library' >&2
    exit 1
}
# A program gets the directory of xylem.h and nothing of what the library was built with.
cflags=$(pkg-config --cflags xylem)
[ "${cflags% }" = "-I$root/usr/include" ] || {
    echo "install: pkg-config --cflags xylem gives '$cflags'" >&2
    exit 1
}
[ "$(pkg-config --modversion xylem)" = "$(tools/headers.sh --version)" ]
"$root/usr/bin/xylem" version >/dev/null
# The example of libxylem.3, and every page that a command and a function should have.
# shellcheck disable=SC2046,SC2086
$cc -std=c17 -Wall -Wextra -Werror -o "$root/example" cli/man/example.c $(pkg-config --cflags --libs xylem)
[ "$(LD_LIBRARY_PATH="$root/usr/lib" "$root/example" "$root/store")" = 'readonly: on' ]
man=$root/usr/share/man
for page in man1/xylem.1 man3/libxylem.3 man5/xylem-format.5 \
    $("$root/usr/bin/xylem" help --jsonl | sed 's/^[^,]*,"command":"\([^"]*\)".*/man1\/xylem-\1.1/') \
    $(grep -oh 'xylem_[a-z0-9_]*(' $(tools/headers.sh) | sort -u | sed 's/\(.*\)(/man3\/\1.3/'); do
    [ -s "$man/$page" ] || {
        echo "install: $page is not installed" >&2
        exit 1
    }
done
# The scripts are where the shells look for them, and no shell finds fault with them.
bash -n "$root/usr/share/bash-completion/completions/xylem"
zsh -n "$root/usr/share/zsh/site-functions/_xylem"
fish --no-execute "$root/usr/share/fish/vendor_completions.d/xylem.fish"
# The script beside the command, and units that start the two. tools/examples_check.sh asks systemd about the units.
"$root/usr/bin/xylem" -s "$root/backed-up" import --quiet fixtures/sessions/pi-0.87.1/rpc-scenario >/dev/null 2>&1
PATH=/usr/bin:/bin XYLEM_STORE=$root/backed-up "$root/usr/bin/xylem-backup" "$root/backups" >/dev/null
for unit in docs/examples/*.service; do
    started=$(sed -n 's/^ExecStart=\([^ ]*\).*/\1/p' "$root/usr/lib/systemd/user/$(basename "$unit")")
    [ "${started%/*}" = "$root/usr/bin" ] && [ -x "$started" ] || {
        echo "install: the unit $(basename "$unit") starts '$started', which is not in $root/usr/bin" >&2
        exit 1
    }
    page=$(sed -n 's/^Documentation=man:\(.*\)(\(.\))$/man\2\/\1.\2/p' "$unit")
    [ -s "$man/$page" ] || {
        echo "install: the unit $(basename "$unit") names the page '$page', which is not installed" >&2
        exit 1
    }
done
# The plugin for Claude Code is whole.
diff -r hosts/claude "$root/usr/share/xylem/claude"
run_make uninstall
left=$(find "$root/usr" -type f -o -type l)
[ -z "$left" ] || {
    echo "install: left behind: $left" >&2
    exit 1
}
echo 'install: shared and static programs run, every page is there, and uninstall leaves nothing'
