# shellcheck shell=bash
# Hosts of a fleet for bash scripts that source this file behind nodes.sh: each a store, a login, a name.
#
#     host_add a             makes the store, and the login host_a of the group `team`
#     on a xylem ...         runs a command as that host
#     on a xylem-fleet ...   the same, with the fleet's program
#     on_exec=exec on a xylem-fleet ... &     in the background, and $! is the program's own pid
#     operator VERB ...      xylem-fleet as a superuser
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
export XYLEM_NO_PAGER=1 NO_COLOR=1

nodes_template() {
    local host
    [ -x "$build/xylem-fleet" ] || say_and_die "$build/xylem-fleet is missing: run make fleet"
    operator_at "postgresql://admin@127.0.0.1:${node_port[template]}/xylem" init --allow-single >"$nodes/init.log" ||
        say_and_die 'init failed'
    for host in a b; do
        sql template "CREATE ROLE host_$host LOGIN PASSWORD '$(add_password "host_$host")' IN ROLE xylem_host;
            SELECT xylem.member_set('host_$host', 'team')" >/dev/null
    done
    sql template "CREATE ROLE other LOGIN PASSWORD '$(add_password other)' IN ROLE xylem_host;
        SELECT xylem.member_set('other', 'others')" >/dev/null
    sql template "CREATE ROLE keeper LOGIN PASSWORD '$(add_password keeper)' IN ROLE xylem_admin"
}

operator_at() {
    local url=$1
    shift
    env XYLEM_FLEET="$url" XYLEM_STORE="$nodes/none/store" XDG_CONFIG_HOME="$nodes/none" "$build/xylem-fleet" "$@"
}

operator() {
    operator_at "$(nodes_url)" "$@"
}

# A host that was there before begins anew.
host_add() {
    rm -rf "${nodes:?}/hosts/$1"
    mkdir -p "$nodes/hosts/$1/config/xylem"
    echo "host $1" >"$nodes/hosts/$1/config/xylem/fleet"
    on "$1" xylem init >/dev/null
}

on() {
    local host=$1 program=$2
    shift 2
    ${on_exec:-} env XYLEM_STORE="$nodes/hosts/$host/store" XDG_CONFIG_HOME="$nodes/hosts/$host/config" \
        XYLEM_FLEET="$(nodes_url "host_$host")" "$build/$program" "$@"
}
