#!/bin/bash
# The failure matrix, with three real nodes, real stores and the real program. Each row is a function with a sentence as its
# name. A row prints its rounds, what was acknowledged, lost and doubled; controls must lose.
#
#     tests/fleet/servers/matrix.sh [PATTERN...]    rows whose name has one of them; BUILD is the build's directory
#
# FLEET_ROUNDS: rounds of a row with hosts; FLEET_FAILOVERS: of a row that loses a primary; FLEET_RACES: of races, takeovers.
set -eu
cd "$(dirname "$0")/../../.."
. tests/fleet/servers/nodes.sh
. tests/fleet/servers/hosts.sh
rounds=${FLEET_ROUNDS:-2} failovers=${FLEET_FAILOVERS:-1} races=${FLEET_RACES:-100}
matrix=$build/tests/fleet/servers/matrix
acknowledged=0 lost=0 doubled=0

# --- Counting ---------------------------------------------------------------------------------------------------------

problem() {
    echo "  $row, round $round: $*" >&2
    problems=$((problems + 1))
}

must() {
    "$@" >"$nodes/out" 2>&1 || problem "$*: ended with $?: $(tail -n 3 "$nodes/out")"
}

must_not() {
    ! "$@" >"$nodes/out" 2>&1 || problem "$*: should have been refused: $(tail -n 3 "$nodes/out")"
}

says() {
    grep -q -- "$1" "$nodes/out" || problem "expected '$1', found: $(tail -n 5 "$nodes/out")"
}

says_not() {
    ! grep -q -- "$1" "$nodes/out" || problem "expected no '$1', found: $(tail -n 5 "$nodes/out")"
}

# count TEXT: the last line is "acknowledged 5 lost 0 doubled 0", unless the program died.
count() {
    local key value last=${1##*$'\n'}
    [[ $last =~ (^|\ )acknowledged\ [1-9] ]] || problem "nothing was counted: $1"
    while read -r key value; do
        case $key in
        acknowledged) acknowledged=$((acknowledged + value)) ;;
        lost) lost=$((lost + value)) ;;
        doubled) doubled=$((doubled + value)) ;;
        wrong) [ "$value" = 0 ] || problem "$value wrong: $1" ;;
        esac
    done < <(echo "$last" | xargs -n 2)
}

host_url() {
    nodes_url host_a
}

# --- Floods -----------------------------------------------------------------------------------------------------------

# flood_begin [WRITERS]
flood_begin() {
    rm -f "$nodes/acks.stop"
    : >"$nodes/acks"
    "$matrix" flood "$(host_url)" "$nodes/acks" "${1:-2}" 120 >"$nodes/flood.out" 2>"$nodes/flood.err" &
    flood=$!
}

# flood_until N: waits for N acknowledgements more.
flood_until() {
    local from tries=0
    from=$(wc -l <"$nodes/acks")
    while [ "$(wc -l <"$nodes/acks")" -lt $((from + $1)) ]; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || { problem "no acknowledgement within half a minute: $(tail -n 2 "$nodes/flood.err")"; return; }
        sleep 0.1
    done
}

flood_end() {
    touch "$nodes/acks.stop"
    wait $flood || problem "the flood: $(cat "$nodes/flood.out" "$nodes/flood.err")"
}

# Ends at once; what was on its way has an unknown outcome.
flood_kill() {
    kill -KILL $flood
    wait $flood 2>/dev/null || true
}

flood_check() {
    count "$("$matrix" check "$(host_url)" "$nodes/acks" 2>&1)"
}

a_while() {
    sleep "0.$((RANDOM % 5))$((RANDOM % 10))"
}

# --- Rows of the engine -----------------------------------------------------------------------------------------------

row_of_two_that_think_they_own_one_append_succeeds() {
    count "$("$matrix" race "$(host_url)" "$races" 2>&1)"
    rounds_done=$races
}

row_of_two_claims_one_wins_and_the_old_owner_appends_no_more() {
    count "$("$matrix" takeover "$(host_url)" "$races" 2>&1)"
    rounds_done=$races
}

row_work_goes_by_what_the_claim_returned_not_by_a_stale_list() {
    count "$("$matrix" stale "$(host_url)" "$races" 2>&1)"
    rounds_done=$races
}

row_what_comes_twice_or_too_early_is_taken_once_and_in_order() {
    count "$("$matrix" orders "$(host_url)" "$races" 2>&1)"
    rounds_done=$races
}

# The logins that the test would make have no passwords, so the row makes them.
row_the_engine_does_what_its_functions_promise() {
    local login
    for login in xylem_test_a xylem_test_b xylem_test_c; do
        sql n1 "CREATE ROLE $login LOGIN PASSWORD '$(add_password $login)'"
    done
    must env FLEET_TEST_URL="postgresql://admin@127.0.0.1:${node_port[n1]}/xylem" "$build/tests/fleet/servers/engine"
}

round_an_unknown_outcome_is_never_a_success_and_never_twice() {
    flood_begin 4
    flood_until 50
    net_cut r2
    net_cut r3
    a_while
    # Both answer the waiting COMMIT, the one with success and a warning; the row is visible and on one node.
    sql n1 "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid % 2 = 0" >/dev/null
    sql n1 "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'" >/dev/null
    a_while
    net_heal r2
    net_heal r3
    flood_until 50
    node_kill n1
    a_while
    node_start n1
    flood_until 50
    flood_end
    flood_check
}

round_one_standby_lost_goes_on_both_lost_waits() {
    local before
    flood_begin 4
    flood_until 50
    node_kill n2
    flood_until 50
    net_cut r3
    sleep 0.3
    before=$(wc -l <"$nodes/acks")
    sleep 1
    [ "$(wc -l <"$nodes/acks")" = "$before" ] || problem 'acknowledged without a standby'
    net_heal r3
    flood_until 50
    flood_end
    node_start n2
    node_wait n1 "SELECT count(*) = 2 FROM pg_stat_replication WHERE state = 'streaming'"
    flood_check
}

# One standby's network is cut now and then, so that one of them lacks what the other has.
waver() {
    local one=r2 other=r3
    [ $((RANDOM % 2)) = 0 ] || one=r3 other=r2
    flood_until 20
    net_cut $one
    flood_until $((100 + RANDOM % 100))
    net_heal $one
    a_while
    net_cut $other
    flood_until $((100 + RANDOM % 100))
}

round_a_lost_primary_takes_nothing_that_was_acknowledged() {
    nodes_up
    flood_begin 2
    waver
    node_kill n1
    net_begin
    a_while
    must operator promote
    flood_until 20
    flood_end
    flood_check
}

round_all_nodes_lose_power_then_the_standbys_alone_return() {
    nodes_up
    flood_begin 2
    waver
    node_kill n1
    node_kill n2
    node_kill n3
    net_begin
    node_start n2
    node_start n3
    must operator promote
    flood_until 20
    flood_end
    flood_check
}

round_a_primary_that_the_promoter_does_not_see_acknowledges_no_more() {
    nodes_up
    flood_begin 2
    waver
    net_heal r2
    net_heal r3
    net_cut c1
    must operator promote
    flood_until 20
    flood_end
    flood_check
    net_heal c1
    must_not timeout 2 psql -X -q -d "postgresql://host_b@127.0.0.1:${node_port[n1]}/xylem" \
        -c "SELECT * FROM xylem.claim('zombie', 0, '0123456789abcdef', 'z', true)"
}

round_the_old_primary_returns_and_clients_find_the_new_one() {
    nodes_up
    flood_begin 2
    flood_until 100
    node_kill n1
    must operator promote
    node_start n1 # stands first in the URL, and takes writes
    flood_until 300
    flood_end
    flood_check
    must_not timeout 2 psql -X -q -d "postgresql://host_b@127.0.0.1:${node_port[n1]}/xylem" \
        -c "SELECT * FROM xylem.claim('zombie', 0, '0123456789abcdef', 'z', true)"
    host_add b
    must on b xylem-fleet status
    says 'an old primary'
}

# Each connection ends, also where clients may read alone; each new one must find the node that takes writes.
round_a_reconnect_that_lands_on_a_reader_asks_on() {
    nodes_up
    flood_begin 4
    flood_until 100
    node_kill n1
    must operator promote
    flood_until 100
    for n in n2 n3; do
        sql $n "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'host_a'" >/dev/null
    done
    flood_until 100
    flood_end
    flood_check
}

round_primary_and_a_standby_lost_nobody_is_promoted() {
    local gone=n2 left=n3
    [ $((round % 2)) = 0 ] || gone=n3 left=n2
    nodes_up
    flood_begin 2
    waver
    node_kill n1
    node_kill $gone
    net_begin
    must_not operator promote
    says "${node_port[$gone]}\|${client_port[$gone]}"
    [ "$(sql $left 'SELECT pg_is_in_recovery()')" = t ] || problem "$left was promoted"
    node_start $gone
    must operator promote
    flood_until 20
    flood_end
    flood_check
}

round_a_promotion_that_was_killed_is_run_again() {
    nodes_up
    flood_begin 2
    waver
    node_kill n1
    net_begin
    XYLEM_FLEET=$(nodes_url) timeout -s KILL "$((RANDOM % 2)).$((1 + RANDOM % 9))" "$build/xylem-fleet" promote \
        >/dev/null 2>&1 || true
    operator promote >"$nodes/out" 2>&1 || says 'nothing to promote'
    flood_until 20
    flood_end
    flood_check
}

# --- Controls: each must lose ---------------------------------------------------------------------------------------------

# Promotes by hand, as somebody does who knows no rule; compares what is left.
control_ends() {
    local n
    sql "$1" 'SELECT pg_promote()' >/dev/null
    sql "$1" "ALTER SYSTEM SET synchronous_standby_names = ''" >/dev/null
    sql "$1" 'SELECT pg_reload_conf()' >/dev/null
    for n in n2 n3; do [ $n = "$1" ] || node_kill $n; done
    count "$("$matrix" check "postgresql://host_a@127.0.0.1:${node_port[$1]}/xylem" "$nodes/acks" 2>&1)"
}

control_commits_on_one_node_are_lost_with_it() {
    nodes_up
    sql n1 "ALTER SYSTEM SET synchronous_standby_names = ''" >/dev/null
    sql n1 'SELECT pg_reload_conf()' >/dev/null
    flood_local
    node_kill n1
    net_begin
    control_ends n2
}

# An engine with an empty list is refused, so psql plays the shipper: the same calls, acknowledged by one node.
flood_local() {
    local i
    rm -f "$nodes/acks"
    net_cut r2
    net_cut r3
    sql n1 "SELECT xylem.member_set('admin', 'team')" >/dev/null
    {
        echo "SELECT FROM xylem.claim('local', 0, '0123456789abcdef', 'x', true);"
        for i in $(seq 300); do
            echo "SELECT xylem.append('local', 1, '0123456789abcdef', $i, $((i + 1)), $((i - 1)), $i, '', 0, 0, NULL, NULL);"
        done
    } | psql -X -q -A -t -d "postgresql://admin@127.0.0.1:${node_port[n1]}/xylem" | grep -c t >"$nodes/local"
    for i in $(seq "$(cat "$nodes/local")"); do printf 'local %d %016x\n' "$i" "$i"; done >"$nodes/acks"
}

round_with_both_standbys_stopped_a_quorum_acknowledges_nothing() {
    nodes_up
    flood_begin 2
    flood_until 20
    net_cut r2
    net_cut r3
    sleep 0.5
    local before
    before=$(wc -l <"$nodes/acks")
    sleep 3
    [ "$(wc -l <"$nodes/acks")" = "$before" ] || problem 'acknowledged without a standby'
    node_kill n1
    flood_kill
    net_begin
    must operator promote
    flood_check
}

# The nearer standby is the one that was cut off first.
control_the_nearer_standby_lacks_what_was_acknowledged() {
    nodes_up
    flood_begin 2
    flood_until 20
    net_cut r2
    flood_until 200
    node_kill n1
    flood_kill
    net_begin
    control_ends n2
}

# The numbers say n2; then the living primary goes on with n3.
control_numbers_from_before_the_cut_choose_the_wrong_one() {
    local farthest
    nodes_up
    flood_begin 2
    flood_until 20
    net_cut r3
    flood_until 20
    farthest=n2
    net_cut r2
    net_heal r3
    flood_until 200
    node_kill n1
    flood_kill
    net_begin
    control_ends $farthest
}

# --- Rows of hosts ------------------------------------------------------------------------------------------------------

# append HOST SESSION COUNT [OPTION...]: entries with bodies of their own.
append() {
    local host=$1 session=$2 i
    for i in $(seq "$3"); do
        on "$host" xylem append "$session" "${@:4}" --kind message \
            --data "{\"role\":\"user\",\"content\":\"$host writes $RANDOM$RANDOM\"}" || return
        set -- "$1" "$2" "$3"
    done
}

hosts_begin() {
    session=s-$round-$RANDOM
    host_add a
    host_add b
    must append a "$session" 12 --create
}

# Whatever the engine acknowledged by the end, counted by the program's own words.
ship() {
    must on "$1" xylem-fleet ship --all
    local changes
    changes=$(sed -n 's/.* \([0-9,]*\) changes\{0,1\} acknowledged.*/\1/p' "$nodes/out" | tr -d , | paste -s -d + -)
    acknowledged=$((acknowledged + ${changes:-0}))
}

same_exports() {
    on a xylem export "$session" -o "$nodes/a.jsonl" --force >/dev/null 2>&1 || on a xylem export "$session" >"$nodes/a.jsonl"
    on b xylem export "$session" >"$nodes/b.jsonl"
    cmp -s "$nodes/a.jsonl" "$nodes/b.jsonl" || problem 'the exports differ'
}

texts() {
    on "$1" xylem export "$2" 2>/dev/null | grep -o 'writes [0-9]*' | sort
}

follow() {
    on_exec=exec on "$1" xylem-fleet ship --all --follow >"$nodes/follow.out" 2>&1 &
    shipper=$!
}

follow_kill() {
    kill -KILL $shipper 2>/dev/null || true
    wait $shipper 2>/dev/null || true
}

# Only what was shipped can be resumed; the rest comes back as a fork, and nothing is in both or in none.
round_a_host_dies_before_it_ships_and_its_tail_is_a_fork() {
    local written fork
    hosts_begin
    ship a
    must append a "$session" 5
    written=$(texts a "$session")
    must on b xylem-fleet resume "$session" --force
    must append b "$session" 5
    ship b
    ship a
    says 'is kept as the session'
    fork=$(sed -n 's/.*is kept as the session \([^ ]*\).*/\1/p' "$nodes/out")
    [ "$(texts a "$fork")" = "$written" ] || problem 'the fork is not what the host had'
    must on a xylem-fleet pull "$session"
    same_exports
}

# Nothing in its feed says so: the host has nothing new.
round_a_host_that_was_taken_over_while_it_rested_is_told() {
    hosts_begin
    ship a
    must append a "$session" 5
    ship a
    must on b xylem-fleet resume "$session" --force
    must append b "$session" 5
    ship b
    ship a
    says 'took the session over'
    must on a xylem-fleet pull "$session"
    same_exports
}

# As a restored backup is: the row is older than what hosts were told.
round_an_engine_that_lost_changes_gets_them_again() {
    local behind
    hosts_begin
    ship a
    must append a "$session" 5
    ship a
    behind=$(sql n1 "WITH g AS (DELETE FROM xylem.segments WHERE session = '$session' AND ord =
        (SELECT max(ord) FROM xylem.segments WHERE session = '$session') RETURNING ord), p AS (SELECT chain FROM
        xylem.segments WHERE session = '$session' AND upto = (SELECT ord FROM g)) UPDATE xylem.sessions SET
        next_ord = (SELECT ord FROM g), chain = coalesce((SELECT chain FROM p), 0) WHERE id = '$session' RETURNING next_ord")
    ship a
    [ "$(sql n1 "SELECT next_ord > $behind FROM xylem.sessions WHERE id = '$session'")" = t ] || problem 'nothing came again'
    must on b xylem-fleet pull "$session"
    same_exports
}

round_a_host_dies_after_it_shipped_and_ships_once_more_what_is_stored_once() {
    local i
    hosts_begin
    for i in 1 2 3 4; do
        follow a
        must append a "$session" 5
        a_while
        follow_kill
    done
    ship a
    must on b xylem-fleet pull "$session"
    same_exports
    acknowledged=$((acknowledged + $(sql n1 "SELECT next_ord - 1 FROM xylem.sessions WHERE id = '$session'") ))
}

round_a_restart_amid_recovery_leaves_no_work_behind() {
    local i
    hosts_begin
    must append a "$session" 30
    for i in 1 2 3; do # killed while it looks, compares, appends
        on_exec=exec on a xylem-fleet ship --all >/dev/null 2>&1 &
        shipper=$!
        sleep "0.0$((RANDOM % 10))"
        follow_kill
    done
    ship a
    must on a xylem-fleet status
    says 'lag .*none'
    must on b xylem-fleet pull "$session"
    same_exports
    acknowledged=$((acknowledged + $(sql n1 "SELECT next_ord - 1 FROM xylem.sessions WHERE id = '$session'") ))
}

# Both go on; one of them is told.
round_a_live_session_that_is_run_twice_has_one_writer() {
    local written
    hosts_begin
    ship a
    must on b xylem-fleet resume "$session" --force
    append a "$session" 5 >"$nodes/a.log" 2>&1 &
    append b "$session" 5 >"$nodes/b.log" 2>&1 || problem "b: $(cat "$nodes/b.log")"
    wait $! || problem "a: $(cat "$nodes/a.log")"
    written=$(texts a "$session")
    on a xylem-fleet ship --all >"$nodes/a.log" 2>&1 &
    ship b
    wait $! || problem "a: $(cat "$nodes/a.log")"
    grep -q 'b took the session over' "$nodes/a.log" || problem "a was not told: $(cat "$nodes/a.log")"
    [ "$(texts a "$(sed -n 's/.*is kept as the session \([^ ]*\).*/\1/p' "$nodes/a.log")")" = "$written" ] ||
        problem 'the fork is not what the host had'
    must on a xylem-fleet pull "$session"
    same_exports
}

round_a_partition_of_host_and_engine_ends_with_the_backlog() {
    hosts_begin
    ship a
    net_cut 'c1' && net_cut c2 && net_cut c3
    must append a "$session" 10
    must_not on a xylem-fleet ship --all
    net_heal c1 && net_heal c2 && net_heal c3
    ship a
    must on b xylem-fleet pull "$session"
    same_exports
}

# A row that was seen and never acknowledged: a cancelled COMMIT, then the primary is gone.
round_a_follower_that_applied_what_a_failover_lost_waits_or_parts() {
    nodes_up
    hosts_begin
    ship a
    must on b xylem-fleet pull "$session"
    must append a "$session" 3
    net_cut r2
    net_cut r3
    on a xylem-fleet ship --all >/dev/null 2>&1 &
    shipper=$!
    node_wait n1 "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    sql n1 "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'" >/dev/null
    must on b xylem-fleet pull "$session" # sees what no standby has
    follow_kill
    node_kill n1
    net_begin
    must operator promote
    on b xylem-fleet pull "$session" >"$nodes/out" 2>&1 || true
    ship a
    must on b xylem-fleet pull "$session"
    same_exports
}

round_a_missing_segment_is_named() {
    hosts_begin
    ship a
    must append a "$session" 3
    ship a
    sql n1 "CREATE TABLE kept AS SELECT * FROM xylem.segments WHERE session = '$session' AND ord = 1;
        DELETE FROM xylem.segments WHERE session = '$session' AND ord = 1"
    must_not on b xylem-fleet pull "$session"
    says "$session.* 1"
    sql n1 'INSERT INTO xylem.segments SELECT * FROM kept; DROP TABLE kept'
    must on b xylem-fleet pull "$session"
    same_exports
}

round_a_flipped_bit_is_refused_until_the_segment_is_whole() {
    hosts_begin
    ship a
    sql n1 "UPDATE xylem.segments SET body = set_byte(body, octet_length(body) / 2, get_byte(body, octet_length(body) / 2) # 4)
        WHERE session = '$session'"
    must_not on b xylem-fleet pull "$session"
    sql n1 "UPDATE xylem.segments SET body = set_byte(body, octet_length(body) / 2, get_byte(body, octet_length(body) / 2) # 4)
        WHERE session = '$session'"
    must on b xylem-fleet pull "$session"
    same_exports
}

round_an_origin_restored_from_a_backup_is_found_and_parts() {
    local written
    hosts_begin
    ship a
    must on a xylem backup "$nodes/backup"
    must append a "$session" 4
    ship a
    rm -rf "$nodes/hosts/a/store"
    mv "$nodes/backup" "$nodes/hosts/a/store"
    must append a "$session" 4
    written=$(texts a "$session")
    on a xylem-fleet ship --all >"$nodes/out" 2>&1 || true
    [ "$(texts a "$(sed -n 's/.*is kept as the session \([^ ]*\).*/\1/p' "$nodes/out")")" = "$written" ] ||
        problem "the restored store lost entries: $(cat "$nodes/out")"
    must on b xylem-fleet pull "$session"
    [ "$(texts b "$session" | wc -l)" = 16 ] || problem 'the engine lost what the first life shipped'
}

# All nodes go back to the template: the engine has nothing of what it acknowledged.
round_an_engine_restored_from_before_gets_all_again() {
    hosts_begin
    ship a
    nodes_up
    must append a "$session" 3
    ship a
    must on b xylem-fleet pull "$session"
    same_exports
}

round_the_same_id_with_other_content_is_not_mixed() {
    local written
    hosts_begin
    ship a
    must append b "$session" 5 --create
    written=$(texts b "$session")
    on b xylem-fleet ship --all >"$nodes/out" 2>&1 || true
    says "$session"
    [ "$(texts b "$session")" = "$written" ] || problem 'the second host lost its own'
    [ "$(sql n1 "SELECT next_ord FROM xylem.sessions WHERE id = '$session'")" = 14 ] || problem 'two histories were mixed'
}

# Lists the files of a stopped node that hold the text, also inside of compressed segments; and what could not be searched.
holds() {
    find "$nodes/$1" -type f ! -path '*/pg_wal/*' -print0 | xargs -0 "$build/tests/fleet/servers/expand" "$2" \
        >"$nodes/out" 2>&1 || true
}

round_a_redaction_reaches_every_node_and_follower() {
    local secret=secret-$RANDOM$RANDOM$RANDOM n
    [ "$round" = 1 ] || nodes_up
    hosts_begin
    must on a xylem append "$session" --id leak --kind message --data "{\"role\":\"user\",\"content\":\"$secret\"}"
    must append a "$session" 3
    ship a
    must on b xylem-fleet pull "$session"
    must on b xylem export "$session"
    says "$secret"
    sql n1 'ANALYZE'
    for n in n1 n2 n3; do
        sql $n CHECKPOINT
        node_stop $n
        holds $n "$secret"
        says "^$nodes/$n/"
    done
    for n in n1 n2 n3; do node_start $n; done
    node_wait n1 "SELECT count(*) = 2 FROM pg_stat_replication WHERE state = 'streaming'"
    must on a xylem redact "$session:leak" --reason test --yes
    ship a
    psql -X -q -d "postgresql://admin@127.0.0.1:${node_port[n1]}/xylem" >/dev/null \
        -c 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM xylem.fleet; SELECT pg_sleep(1.5)' &
    must env XYLEM_FLEET="$(nodes_url keeper)" "$build/xylem-fleet" redact --finish
    wait $!
    must on b xylem-fleet pull "$session"
    must on b xylem export "$session"
    says_not "$secret"
    for n in n1 n2 n3; do
        node_stop $n
        holds $n "$secret"
        [ ! -s "$nodes/out" ] || problem "$n still holds the text: $(cat "$nodes/out")"
    done
    for n in n1 n2 n3; do node_start $n; done
}

round_a_redaction_that_an_older_snapshot_keeps_is_not_done() {
    local holder
    hosts_begin
    must on a xylem append "$session" --id leak --kind message --data '{"role":"user","content":"keep me"}'
    ship a
    psql -X -q -d "postgresql://admin@127.0.0.1:${node_port[n1]}/xylem?application_name=holder" >/dev/null 2>&1 \
        -c 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM xylem.fleet; SELECT pg_sleep(60)' &
    holder=$!
    node_wait n1 "SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = 'holder' AND backend_xmin IS NOT NULL"
    must on a xylem redact "$session:leak" --reason test --yes
    ship a
    must_not operator redact --finish
    says holder
    kill $holder
    wait $holder 2>/dev/null || true
    sql n1 "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'holder'" >/dev/null
    must operator redact --finish
}

round_a_deletion_reaches_engine_and_follower() {
    hosts_begin
    ship a
    must on b xylem-fleet pull "$session"
    must on b xylem sessions
    says "$session"
    must on a xylem delete "$session" --yes
    ship a
    must on b xylem-fleet sessions
    says "$session.* deleted "
    must on b xylem-fleet pull "$session"
    must on b xylem sessions
    says_not "$session"
}

# --- What people are told -------------------------------------------------------------------------------------------------

round_each_is_told_what_is_true_and_what_to_do() {
    nodes_up
    hosts_begin
    must on a xylem-fleet status
    says ' 1 never shipped'
    says_not 'nothing is to be done'
    ship a
    must on b xylem-fleet pull "$session"
    must on b xylem-fleet ship "$session"
    nodes_up # with another engine
    must_not on b xylem-fleet ship "$session"
    says 'xylem clone'
    must on b xylem-fleet status
    says ' 1 of others not in the fleet'
    must on a xylem-fleet status
    says 'lag .* of 1 session'
    ship a
    must on a xylem-fleet status
    says 'nothing is to be done'
    must operator status
    node_kill n3
    must operator status
    says 'bring n3 back'
    node_kill n1
    must_not on a xylem-fleet promote
    says 'no superuser'
    says_not 'cuts'
}

# The first change behind a claim is of now, and what the claim brought may be old.
round_a_lag_is_counted_from_when_a_change_waits() {
    hosts_begin
    must on a xylem append "$session" --kind message --data '{"role":"user"}'
    ship a
    sleep 3
    must on b xylem-fleet resume "$session" --force
    must append b "$session" 1
    must on b xylem-fleet status --json
    [ "$(sed -n 's/.*"lag_ms":\([0-9]*\).*/\1/p' "$nodes/out")" -lt 3000 ] || problem "$(cat "$nodes/out")"
}

# A base backup that takes WAL along under the name of a node acknowledges at the primary. The copy is no node yet.
round_a_base_backup_is_no_node() {
    local copying
    hosts_begin
    ship a
    node_kill n2
    node_kill n3
    must_not operator status
    says 'quorum *no'
    "${as_server[@]}" "$pgbin/pg_basebackup" -D "$nodes/copy" -c fast -X stream --max-rate=32k -d "host=127.0.0.1 \
        port=${node_port[n1]} user=replicator passfile=$nodes/server.passwords sslmode=verify-full sslrootcert=$nodes_ca \
        application_name=n2" >"$nodes/copying" 2>&1 &
    copying=$!
    node_wait n1 "SELECT count(*) > 0 FROM pg_stat_replication WHERE application_name = 'n2' AND state = 'streaming'"
    must_not operator status
    says 'quorum *no'
    kill $copying
    wait $copying 2>/dev/null || true
    rm -rf "$nodes/copy"
}

# --- Security -----------------------------------------------------------------------------------------------------------

round_a_stranger_another_group_and_a_wrong_certificate_are_refused() {
    hosts_begin
    ship a
    must operator_at "$(host_url)" sessions
    says "$session"
    must operator_at "$(nodes_url other)" sessions
    says 'no sessions yet'
    must_not operator_at "$(nodes_url other)" pull "$session"
    says "no session '$session'"
    must_not operator_at "$(nodes_url other)" claim "$session" --force
    says "no session '$session'"
    must_not operator_at "$(nodes_url keeper)" sessions
    says 'belongs to no group'
    PGSSLROOTCERT=$nodes/server.crt must_not operator_at "$(host_url)" sessions
    says 'certificate verify failed'
    PGSSLROOTCERT=/dev/null must_not operator_at "$(host_url)" sessions
    says 'could not read root certificate file'
    must_not operator_at "$(host_url)?sslmode=disable" sessions
    says 'no encryption'
    PGPASSFILE=/dev/null must_not operator_at "$(host_url)" sessions
    says 'no password supplied'
    must_not operator_at "postgresql://host_a:secret@127.0.0.1/xylem" sessions
    says 'the URL holds a password'
    says_not secret
    must_not psql -X -q -d "postgresql://host_a@127.0.0.1:${node_port[n1]}/xylem" -c 'SELECT * FROM xylem.sessions'
    says 'permission denied'
}

# --- Running --------------------------------------------------------------------------------------------------------------

# Prints the line of a row.
end_row() {
    local verdict=ok
    case $row in
    control_*) [ "$lost" -gt 0 ] || problems=$((problems + 1)) ;;
    *) [ "$lost" = 0 ] && [ "$doubled" = 0 ] || problems=$((problems + 1)) ;;
    esac
    [ "$problems" = 0 ] || verdict=FAILED failed=$((failed + 1))
    [ "$problems" != 0 ] || passed=$((passed + 1))
    printf '%-6s %-74s rounds %5d acknowledged %7d lost %6d doubled %d  %d s\n' "$verdict" "$(tr _ ' ' <<<"${row#*_}")" \
        "$rounds_done" "$acknowledged" "$lost" "$doubled" $(($(date +%s) - row_began))
}

run_row() {
    local times
    row=$1 problems=0 acknowledged=0 lost=0 doubled=0 round=0 row_began=$(date +%s)
    case $row in
    row_*) times=1 ;;
    control_*) times=$failovers ;;
    *) times=$rounds && ! declare -f "$row" | grep -q 'operator promote\|nodes_up' || times=$failovers ;;
    esac
    rounds_done=$times
    declare -f "$row" | grep -q '^    nodes_up' || nodes_up
    for round in $(seq "$times"); do
        "$row"
    done
    end_row
}

is_wanted() {
    local name=$1 pattern
    [ $# -gt 1 ] || return 0
    for pattern in "${@:2}"; do
        [[ $name != *$pattern* ]] || return 0
    done
    return 1
}

passed=0 failed=0
nodes_begin proxies
# shellcheck disable=SC2046 # pids are words
trap 'kill $(jobs -p) 2>/dev/null || true; nodes_end' EXIT
for name in $(declare -F | sed -n 's/^declare -f \(\(row\|round\|control\)_[a-z_]*\)$/\1/p' | grep -v '^control_ends$'); do
    is_wanted "$name" "$@" || continue
    run_row "$name"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
