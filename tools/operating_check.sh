#!/bin/sh
# Does what docs/operating.md says: each line `    $ ...` is run, in order, in one home directory. A command must end
# with the exit code of its comment (`# exit code 4`), else with 0, and print what stands below it. Nothing below it: it
# may print anything. `other$` is another machine, with other files under the same paths; `bob$` is another user, if
# root runs the check. `<!-- check: ... -->` is run unseen. `<!-- needs: TOOL -->`: without TOOL the commands up to the
# next heading are not run. systemctl is a stand-in that has systemd look at the units,
# and runs their ExecStart. With --write the page is written anew; a line `    ?` stands for what will be printed.
# usage: operating_check.sh BUILD [--write]
set -eu
build=$(cd "${1:-build}" && pwd)
page=docs/operating.md
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
trap 'exit 1' INT TERM
blank='    '
chmod 711 "$root" # another user gets as far as the home directories
mkdir -m 700 "$root/home" "$root/other" "$root/runtime"
mkdir "$root/bin" "$root/bob"
mkdir -m 1777 "$root/tmp"
ln -s "$build/xylem" "$root/bin/xylem"
cp "$build/xylem" "$root/bob/xylem"
[ "$(id -u)" -ne 0 ] || chown 65534 "$root/bob"

cat >"$root/bin/systemctl" <<'END'
#!/bin/sh
# systemctl --user daemon-reload | enable --now UNIT | start UNIT | stop UNIT
set -eu
units=$HOME/.config/systemd/user
[ "$1" = --user ] && shift
case $1 in
daemon-reload)
    command -v systemd-analyze >/dev/null || exit 0
    # systemd looks for programs without a path where the system has its own
    rm -rf "$RUNTIME/units"
    cp -r "$units" "$RUNTIME/units"
    sed -i "s|^ExecStart=xylem |ExecStart=$(command -v xylem) |" "$RUNTIME"/units/*.service
    for unit in "$RUNTIME"/units/*.service "$RUNTIME"/units/*.timer; do
        [ -f "$unit" ] || continue
        XDG_RUNTIME_DIR=$RUNTIME systemd-analyze verify --user --man=no "$unit" >"$RUNTIME/said" 2>&1 || true
        ! grep -F xylem- "$RUNTIME/said" || exit 1 # other units of the machine have their own faults
    done
    ;;
enable)
    unit=$units/$3
    grep -qx '\[Install\]' "$unit"
    case $3 in
    *.timer) [ -f "${unit%.timer}.service" ] ;;
    *) exec systemctl --user start "$3" ;;
    esac
    ;;
start)
    unit=$units/${2%.service}.service
    for file in "$unit" "$unit.d"/*.conf; do
        [ -f "$file" ] || continue
        for path in $(sed -n "s|%h|$HOME|g;s/^ReadWritePaths=//p" "$file"); do
            case $path in -*) continue ;; esac
            [ -d "$path" ] || { echo "$path is missing"; exit 1; } # systemd would not start the unit
        done
        for setting in $(sed -n "s|%h|$HOME|g;s/^Environment=//p" "$file"); do
            export "${setting?}"
        done
    done
    command=$(sed -n "s|%h|$HOME|g;s/^ExecStart=//p" "$unit")
    if grep -qx 'Type=oneshot' "$unit"; then
        $command >"$RUNTIME/journal" 2>&1
    else
        timeout -s INT 1 $command >"$RUNTIME/journal" 2>&1 || case $? in 124 | 130) ;; *) exit 1 ;; esac
    fi
    ;;
stop) [ -f "$units/${2%.service}.service" ] ;;
*) exit 1 ;;
esac
END
cat >"$root/bin/journalctl" <<'END'
#!/bin/sh
exec cat "$RUNTIME/journal"
END
chmod +x "$root/bin"/*ctl

# As a person would see it. The times of backups are not the same tomorrow.
shown() {
    sed -E -e "s|$root/home|/home/dev|g;s|$root/bob|/home/bob|g;s|$root/tmp|/tmp|g;s|$root/bin/||g" \
        -e 's/20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{6}Z/2027-03-01T120000Z/g' -e "/./s|^|$blank|"
}

# The command with the places of the check.
here() {
    printf '%s\n' "$1" | sed "s|\([ >]\)/tmp/|\1$root/tmp/|g;s|/home/dev|$root/home|g"
}

# run <prompt> <command>: everything that is printed, into $root/printed; the exit code into $code.
run() {
    home=$root/home
    store=$moved
    as=
    [ "$1" = home ] || [ "$1" = '' ] || store=
    case $1 in
    other) # the same paths, other files
        mv "$root/home" "$root/away"
        mv "$root/other" "$root/home"
        ;;
    bob)
        home=$root/bob
        as='setpriv --reuid=65534 --regid=65534 --clear-groups'
        ;;
    esac
    code=0
    # shellcheck disable=SC2086 # words, not strings
    env -i HOME="$home" PATH="$root/bin:/usr/bin:/bin" TZ=UTC LC_ALL=C.UTF-8 COLUMNS=140 XYLEM_NOW=2027-03-01T12:00:00Z \
        RUNTIME="$root/runtime" BORG_PASSPHRASE=check RESTIC_REPOSITORY="$root/home/net/restic" \
        RESTIC_PASSWORD_FILE="$root/home/.restic-password" REMOTE_BELOW="$root/home/net" ${store:+XYLEM_STORE="$store"} \
        ${remote:+LD_PRELOAD="$remote"} $as sh -c "$(here "$2")" >"$root/out" 2>&1 </dev/null || code=$?
    shown <"$root/out" >"$root/printed"
    [ "$1" != other ] || {
        mv "$root/home" "$root/other"
        mv "$root/away" "$root/home"
    }
}

# What later lines of the same person know: `export XYLEM_STORE=...`.
remember() {
    case $1 in
    'export XYLEM_STORE='*) moved=$(HOME=$root/home sh -c "$1"' && echo "$XYLEM_STORE"') ;;
    'unset XYLEM_STORE') moved= ;;
    esac
}

type_line() {
    prompt=${1%%\$ *}
    prompt=${prompt#"$blank"}
    command=${1#*\$ }
    expected=0
    case $command in *'# exit code '*) expected=${command##*'# exit code '} ;; esac
    skipped=no
    if [ "$prompt" = bob ] && [ "$(id -u)" -ne 0 ]; then
        skipped=yes # only root can be somebody else
    elif [ -n "$needed" ] && ! command -v "$needed" >/dev/null; then
        skipped=yes
    else
        remember "$command"
        run "$prompt" "$command"
        [ "$code" = "$expected" ] || {
            echo "operating: $page: exit code $code instead of $expected: $command" >&2
            cat "$root/printed" >&2
            exit 1
        }
        count=$((count + 1))
    fi
}

count=0
needed=
lacking=
moved=
[ -f "$build/tests/cli/remote.so" ] || { echo "operating: $build/tests/cli/remote.so is missing: make it" >&2; exit 1; }
remote=$root/remote.so # a clone below /root is closed to bob
cp "$build/tests/cli/remote.so" "$remote"
below=no
: >"$root/page"
while IFS= read -r line; do
    case $line in
    "$blank"'$ '* | "$blank"'other$ '* | "$blank"'bob$ '*)
        type_line "$line"
        below=first
        ;;
    "$blank"*)
        if [ $below = first ] && [ "$skipped" = no ]; then
            cat "$root/printed" >>"$root/page"
            below=rest
        fi
        [ $below != rest ] || continue
        ;;
    '<!-- check: '*)
        line=${line#<!-- check: }
        run home "${line% -->}"
        line="<!-- check: $line"
        ;;
    '<!-- needs: '*)
        needed=${line#<!-- needs: }
        needed=${needed% -->}
        command -v "$needed" >/dev/null || lacking="$lacking $needed"
        below=no
        ;;
    '#'*)
        needed=
        below=no
        ;;
    *) below=no ;;
    esac
    printf '%s\n' "$line" >>"$root/page"
done <"$page"

[ -z "$lacking" ] || echo "operating: not installed, and their recipes not run:$lacking" >&2

# What the page says of xylem-backup without a command: KEEP is a number; three runs leave two backups and nothing of a killed run; of a
# damaged store there is no backup, and the two stay.
remote=
moved=$root/home/store
backups=$root/home/trial
backup() {
    run home "\"\$HOME\"/.local/bin/xylem-backup ~/trial 2"
    [ "$code" = "$1" ] && [ "$(ls "$backups")" = "lock
$(ls "$backups" | grep -x 'xylem-....-..-..T......Z')" ] && [ "$(ls "$backups" | wc -l)" = "$2" ] || {
        echo "operating: a backup ends with $code, and leaves" >&2
        ls "$backups" >&2
        exit 1
    }
}
mkdir -p "$backups/xylem-2020-01-01T000000Z.unfinished-abcdef"
run home 'xylem import --quiet'
for keep in abc 0 -1 1.5 99999 '"1 2"'; do
    run home "\"\$HOME\"/.local/bin/xylem-backup ~/trial $keep"
    [ "$code" = 2 ] && grep -q 'KEEP is the number of backups that stay, from 1 to 9999, not ' "$root/printed" || {
        echo "operating: xylem-backup takes $keep for a number of backups" >&2
        exit 1
    }
done
backup 0 2
backup 0 3
backup 0 3
dd if=/dev/urandom of="$moved/data.mdb" bs=4096 seek=4 count=20 conv=notrunc 2>/dev/null
backup 5 3

if [ "${2:-}" = --write ]; then
    cp "$root/page" "$page"
elif ! diff -u "$page" "$root/page" >&2; then
    echo 'operating: what is shown is not what comes out; tools/operating_check.sh BUILD --write mends it' >&2
    exit 1
fi
echo "operating: $count commands of $page do what it says"
