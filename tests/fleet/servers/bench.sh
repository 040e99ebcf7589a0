#!/bin/bash
# Figures of the fleet on three nodes of PostgreSQL with quorum commit: bench.sh BUILD [--quick] [--json FILE] [PART...]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
shift
. "$here/nodes.sh"

# The default of a server's memory, not that of the tests: a checkpoint amid the figures would be a figure of the disk.
nodes_template() {
    cat >>"$nodes/template/postgresql.conf" <<END
shared_buffers = 128MB
max_wal_size = 4GB
checkpoint_timeout = 30min
END
    sql template "CREATE ROLE bench LOGIN PASSWORD '$(add_password bench)'"
}

nodes_begin
nodes_up
XYLEM_FLEET=$(nodes_url) "$build/xylem-fleet" init >/dev/null
sql n1 "GRANT xylem_host TO bench; SELECT xylem.member_set('bench', 'bench')" >/dev/null
mkdir "$nodes/stores"
export XYLEM_FLEET
XYLEM_FLEET=$(nodes_url bench)
"$build/tests/fleet/servers/bench" "$XYLEM_FLEET" "postgresql://admin@127.0.0.1:${node_port[n1]}/xylem" \
    "postgresql://bench@127.0.0.1:${node_port[n1]}/xylem" "$build/xylem-fleet" "$nodes/stores" "$@"
