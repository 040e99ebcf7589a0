# shellcheck shell=bash
# Three nodes of PostgreSQL for bash scripts that source this file: in a temporary directory, on free ports of the loopback,
# as an unprivileged user if the script runs as root, with TLS by a CA of their own, and ended by their own pids.
#
#     nodes_begin [proxies]     the CA, passwords, ports, and the template of a node; ends everything when the script ends
#     nodes_up                  n1 as primary, n2 and n3 as its standbys, as the template is: what they held is gone
#     node_start n2             starts a node, with the options of `postgres` behind the name
#     node_stop n2              ends a node in good order
#     node_kill n2              kills a node and all of its processes, as a loss of power does
#     node_backup n1 n2         a base backup of n2 becomes n1, which then follows n2
#     node_wait n2 TEXT         waits until the query TEXT answers `t`
#     sql n2 TEXT               one query as admin; columns are split by `|`
#     nodes_url [LOGIN]         the URL of all nodes
#     net_cut, net_heal NAME    with proxies: r2 and r3 are the ways of the standbys to n1, c1 to c3 those of the clients
#
# Logins: admin (superuser), replicator, and those that `nodes_template` makes, a function of the script, which is called
# while the template runs alone. $nodes is the directory, $nodes_ca the certificate of the CA.
pgbin=${PGBIN:-/usr/lib/postgresql/15/bin}
nodes_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
nodes_list='ANY 1 (n1,n2,n3)'
declare -A node_port client_port

say_and_die() {
    echo "${0##*/}: $*" >&2
    exit 1
}

# A server refuses to run as root. An array, not a function: a function in the background would be a shell around the server.
choose_user() {
    as_server=(env -i "PATH=$PATH" "HOME=$nodes" LC_ALL=C.UTF-8)
    [ "$(id -u)" -eq 0 ] || return 0
    nodes_user=postgres
    id "$nodes_user" >/dev/null 2>&1 || nodes_user=nobody
    as_server=(setpriv "--reuid=$nodes_user" "--regid=$(id -g "$nodes_user")" --clear-groups --inh-caps=-all "${as_server[@]}")
}

nodes_end() {
    local file
    for file in "$nodes"/*.pid; do
        [ ! -e "$file" ] || kill_tree "$(cat "$file")"
    done
    for file in "$nodes"/*/postmaster.pid; do
        forget_memory "$file"
    done
    rm -rf "$nodes"
}

# Children of a server lead process groups of their own. A stopped parent makes no more of them.
kill_tree() {
    local kids
    kill -STOP "$1" 2>/dev/null || return 0
    kids=$(cat "/proc/$1/task/$1/children" 2>/dev/null) || kids=
    # shellcheck disable=SC2086 # pids are words
    kill -KILL "$1" $kids 2>/dev/null || true
    while kill -0 "$1" 2>/dev/null; do sleep 0.01; done
}

# A server that was killed leaves a piece of shared memory; the next start on the same directory would remove it.
forget_memory() {
    local piece
    [ -e "$1" ] || return 0
    piece=$(sed -n '7s/.* //p' "$1")
    [ -z "$piece" ] || ipcrm -m "$piece" 2>/dev/null || true
}

free_port() {
    local port
    while :; do
        port=$((15000 + (RANDOM * 32768 + RANDOM) % 17000))
        (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    done
    echo "$port"
}

make_certificates() {
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj '/CN=CA of a test' -keyout "$nodes/ca.key" -out "$nodes/ca.crt" \
        2>/dev/null
    openssl req -newkey rsa:2048 -nodes -subj '/CN=127.0.0.1' -keyout "$nodes/server.key" -out "$nodes/server.csr" 2>/dev/null
    openssl x509 -req -in "$nodes/server.csr" -days 2 -CA "$nodes/ca.crt" -CAkey "$nodes/ca.key" -CAcreateserial \
        -extfile <(echo 'subjectAltName=IP:127.0.0.1,DNS:localhost') -out "$nodes/server.crt" 2>/dev/null
    rm "$nodes/ca.key"
    nodes_ca=$nodes/ca.crt
}

# add_password LOGIN: draws one, and prints it.
add_password() {
    local word
    word=$(openssl rand -hex 16)
    echo "*:*:*:$1:$word" >>"$PGPASSFILE"
    echo "$word"
}

make_passwords() {
    export PGPASSFILE=$nodes/passwords PGSSLROOTCERT=$nodes_ca PGSSLMODE=verify-full PGCONNECT_TIMEOUT=5
    (umask 077 && : >"$PGPASSFILE")
    add_password admin >"$nodes/admin.password"
    add_password replicator >/dev/null
    grep replicator "$PGPASSFILE" >"$nodes/server.passwords"
    chmod 600 "$nodes"/server.*
    [ "$(id -u)" -ne 0 ] || chown "$nodes_user" "$nodes" "$nodes"/server.* "$nodes/admin.password"
}

make_template() {
    local directory=$nodes/template
    "${as_server[@]}" "$pgbin/initdb" -D "$directory" -U admin --pwfile="$nodes/admin.password" --auth=scram-sha-256 -E UTF8 \
        --locale=C.UTF-8 --no-instructions >"$nodes/initdb.log" 2>&1 || say_and_die "$(cat "$nodes/initdb.log")"
    rm "$nodes/admin.password"
    cat >"$directory/pg_hba.conf" <<END
hostssl all all 127.0.0.1/32 scram-sha-256
hostssl replication replicator 127.0.0.1/32 scram-sha-256
END
    cat >>"$directory/postgresql.conf" <<END
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
ssl = on
ssl_cert_file = '$nodes/server.crt'
ssl_key_file = '$nodes/server.key'
synchronous_standby_names = '$nodes_list'
synchronous_commit = on
fsync = on
full_page_writes = on
shared_buffers = 32MB
max_connections = 60
wal_retrieve_retry_interval = 100ms
log_error_verbosity = terse
END
    node_port[template]=$(free_port)
    node_start template -c port="${node_port[template]}" -c synchronous_standby_names=
    psql -X -q -d "postgresql://admin@127.0.0.1:${node_port[template]}/postgres" -c 'CREATE DATABASE xylem'
    sql template "CREATE ROLE replicator LOGIN REPLICATION PASSWORD '$(sed -n 's/.*:replicator://p' "$PGPASSFILE")'"
    [ "$(type -t nodes_template)" != function ] || nodes_template
    node_stop template
}

nodes_begin() {
    local n
    [ -x "$pgbin/postgres" ] || say_and_die "$pgbin/postgres is missing: DEPS=fleet tools/deps.sh --ensure"
    nodes=$(mktemp -d "${TMPDIR:-/tmp}/xylem-nodes.XXXXXX")
    choose_user
    trap nodes_end EXIT
    trap 'exit 130' INT TERM
    chmod 711 "$nodes"
    make_certificates
    make_passwords
    for n in n1 n2 n3; do
        node_port[$n]=$(free_port)
        client_port[$n]=${node_port[$n]}
    done
    make_template
    [ "${1:-}" != proxies ] || proxies_begin
}

node_start() {
    local n=$1 pid
    shift
    "${as_server[@]}" "$pgbin/postgres" -D "$nodes/$n" "$@" </dev/null >>"$nodes/$n.log" 2>&1 &
    pid=$!
    disown
    echo "$pid" >"$nodes/$n.pid"
    until grep -qE '^(ready|standby)' "$nodes/$n/postmaster.pid" 2>/dev/null &&
        [ "$(head -n 1 "$nodes/$n/postmaster.pid")" = "$pid" ]; do
        kill -0 "$pid" 2>/dev/null || say_and_die "$n did not start: $(tail -n 5 "$nodes/$n.log")"
        sleep 0.02
    done
}

node_stop() {
    local pid
    [ -e "$nodes/$1.pid" ] || return 0
    pid=$(cat "$nodes/$1.pid")
    kill -INT "$pid" 2>/dev/null || true
    while kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
    rm "$nodes/$1.pid"
}

node_kill() {
    [ -e "$nodes/$1.pid" ] || return 0
    kill_tree "$(cat "$nodes/$1.pid")"
    rm "$nodes/$1.pid"
}

# node_wipe n2
node_wipe() {
    node_kill "$1"
    forget_memory "$nodes/$1/postmaster.pid"
    rm -rf "${nodes:?}/$1"
}

# node_settings n2 PORT [the options of primary_conninfo]
node_settings() {
    cat >>"$nodes/$1/postgresql.conf" <<END
port = ${node_port[$1]}
cluster_name = '$1'
END
    [ -z "${2:-}" ] || cat >>"$nodes/$1/postgresql.conf" <<END
primary_conninfo = 'host=127.0.0.1 port=$2 user=replicator application_name=$1 passfile=$nodes/server.passwords sslmode=verify-full sslrootcert=$nodes_ca'
END
}

nodes_up() {
    local n
    for n in n1 n2 n3; do
        node_wipe $n
        cp -a --reflink=auto "$nodes/template" "$nodes/$n"
    done
    net_begin
    node_settings n1
    for n in n2 n3; do
        node_settings $n "${way_port[$n]:-${node_port[n1]}}"
        "${as_server[@]}" touch "$nodes/$n/standby.signal"
    done
    for n in n1 n2 n3; do node_start $n; done
    node_wait n1 "SELECT count(*) = 2 FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'quorum'"
}

node_backup() {
    node_wipe "$1"
    "${as_server[@]}" "$pgbin/pg_basebackup" -D "$nodes/$1" -c fast -X stream \
        -d "host=127.0.0.1 port=${node_port[$2]} user=replicator passfile=$nodes/server.passwords sslmode=verify-full sslrootcert=$nodes_ca"
    "${as_server[@]}" rm -f "$nodes/$1/postgresql.auto.conf"
    "${as_server[@]}" touch "$nodes/$1/standby.signal" "$nodes/$1/postgresql.auto.conf"
    node_settings "$1" "${node_port[$2]}"
    node_start "$1"
}

sql() {
    psql -X -q -A -t -v ON_ERROR_STOP=1 -d "postgresql://admin@127.0.0.1:${node_port[$1]}/xylem" -c "$2"
}

node_wait() {
    local tries=0
    until [ "$(sql "$1" "$2")" = t ]; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || say_and_die "$1: in vain waited for: $2"
        sleep 0.05
    done
}

nodes_url() {
    echo "postgresql://${1:-admin}@127.0.0.1:${client_port[n1]},127.0.0.1:${client_port[n2]},127.0.0.1:${client_port[n3]}/xylem"
}

# --- The network ----------------------------------------------------------------------------------------------------

declare -A way_port

proxies_begin() {
    local n
    mkfifo "$nodes/proxy.port"
    python3 "$nodes_here/proxy.py" </dev/null >"$nodes/proxy.port" 2>"$nodes/proxy.log" &
    echo $! >"$nodes/proxy.pid"
    disown
    read -r proxy_port <"$nodes/proxy.port"
    exec {proxy}<>"/dev/tcp/127.0.0.1/$proxy_port"
    for n in n2 n3; do
        way_port[$n]=$(proxy_ask "add r${n#n} ${node_port[n1]}")
    done
    for n in n1 n2 n3; do
        client_port[$n]=$(proxy_ask "add c${n#n} ${node_port[$n]}")
    done
}

proxy_ask() {
    local answer
    echo "$1" >&"$proxy"
    read -r answer <&"$proxy"
    echo "$answer"
}

net_cut() {
    [ "$(proxy_ask "cut $1")" = done ]
}

net_heal() {
    [ "$(proxy_ask "heal $1")" = done ]
}

net_begin() {
    [ -z "${proxy:-}" ] || { [ "$(proxy_ask 'drop *')" = done ] && net_heal '*'; }
}
