#!/bin/sh
# An ssh whose other machine is this one, with other files: the directory of the project has the files of there/project,
# and the home is there/home. In the directory $FAKE_SSH:
#
#     log        a line for each call: its arguments, behind each a unit separator
#     config     the answer to -G
#     shell      the login shell, else sh
#     greeting   the login shell prints this text to both streams
#     refuse     each connection fails with this text
#     password   each connection without a master asks for this password; hostkey: and first for a yes
#     hang       G, check, exit or run: such a call never ends
#     jump       with a password: a host before the other machine asks first, and its answer lies in jumped
#     persists   the system has a master
#     elsewhere  the other machine has no directory of the project
#     cut        the connection passes on so many bytes, and then ends
#     pids       of the scripts that run
d=$FAKE_SSH
here=$PWD
{ printf '%s\037' "$@"; echo; } >>"$d/log"

mode=run socket='' master='' batch=no user=''
while [ $# -gt 0 ]; do
    case $1 in
    -G) mode=G; shift ;;
    -T) shift ;;
    -l) user=$2; shift 2 ;;
    -O) mode=$2; shift 2 ;;
    -o)
        case $2 in
        ControlPath=*) socket=${2#*=} ;;
        ControlMaster=*) master=${2#*=} ;;
        BatchMode=*) batch=${2#*=} ;;
        esac
        shift 2 ;;
    --) shift; break ;;
    *) echo "fake ssh: no option $1" >&2; exit 255 ;;
    esac
done
host=$1

fail() {
    echo "$1" >&2
    exit 255
}

[ "$(cat "$d/hang" 2>/dev/null)" != "$mode" ] || exec sleep 1000
case $mode in
G) case $host in *@*) fail "fake ssh: -G with a user" ;; esac
    cat "$d/config"
    printf 'user %s\nhostname %s\n' "$user" "$host"
    exit ;;
check) [ -e "$d/persists" ] || fail 'Control socket connect: No such file or directory'; exit 0 ;;
exit) [ -e "$socket" ] || fail 'Control socket connect: No such file or directory'
    kill "$(cat "$socket")"
    exit 0 ;;
esac

if [ "$master" = yes ] || { [ ! -e "$d/persists" ] && [ ! -e "$socket" ]; }; then
    [ ! -e "$d/refuse" ] || fail "$(cat "$d/refuse")"
    if [ -e "$d/hostkey" ]; then
        [ "$batch" = no ] || fail 'Host key verification failed.'
        [ "$("$SSH_ASKPASS" 'Are you sure you want to continue connecting (yes/no)? ')" = yes ] ||
            fail 'Host key verification failed.'
    fi
    if [ -e "$d/password" ]; then
        [ "$batch" = no ] || fail "$host: Permission denied (publickey,password)."
        [ ! -e "$d/jump" ] || "$SSH_ASKPASS" "$(cat "$d/jump")'s password: " >"$d/jumped" </dev/null
        "$SSH_ASKPASS" "Enter passphrase for key '/home/me/.ssh/id': " >/dev/null
        [ "$("$SSH_ASKPASS" "$host's password: ")" = "$(cat "$d/password")" ] ||
            fail "$host: Permission denied (publickey,password)."
        {
            ls -ld "${SSH_ASKPASS%/*}" "$SSH_ASKPASS"
            env
            tr '\0' ' ' </proc/$$/cmdline
            cat "$SSH_ASKPASS"
        } >"$d/asked"
    fi
fi

shell=$(cat "$d/shell" 2>/dev/null) || shell='sh'
cd "$d/home" || exit 255
export HOME="$d/home"
[ ! -e "$d/greeting" ] || { cat "$d/greeting"; cat "$d/greeting" >&2; }
[ "$master" != yes ] || { (umask 077; echo $$ >"$socket"); trap 'rm -f "$socket"; kill "$pid"; exit 255' TERM; }
exec 3<&0
if [ -e "$d/elsewhere" ]; then
    set -- "$2" --tmpfs "${d%/*}" --bind "$d" "$d"
else
    set -- "$2" --bind "$d/project" "$here"
fi
command=$1
shift
[ ! -e "$d/cut" ] || exec 3<<END
$(head -c "$(cat "$d/cut")")
END
bwrap --dev-bind / / "$@" --new-session --chdir "$d/home" "$shell" -c "$command" <&3 3<&- &
pid=$!
echo "$pid" >>"$d/pids"
wait "$pid"
status=$?
[ "$master" != yes ] || rm -f "$socket"
exit "$status"
