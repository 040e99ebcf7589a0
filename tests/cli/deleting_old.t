xylem delete --older-than: deletes the sessions of no late activity, and no other session.

  $ . "$TESTDIR/setup.sh"

Two old sessions, one of them labelled, and a young session. The first message of each is at noon of the day.

  $ session() {
  >     {
  >         echo '{"type":"session","version":3,"id":"'$1'","timestamp":"'$2'T12:00:00.000Z"}'
  >         echo '{"type":"message","id":"a","parentId":null,"timestamp":"'$2'T12:00:00.000Z"}'
  >         cat
  >     } >$1.jsonl
  >     xylem import -q $1.jsonl >/dev/null
  > }
  $ three_sessions() {
  >     fresh
  >     session old 2026-01-05 </dev/null
  >     session labelled 2026-01-05 <<'EOF'
  > {"type":"label","id":"l","parentId":"a","timestamp":"2026-01-05T12:00:00.000Z","targetId":"a","label":"good"}
  > EOF
  >     session young 2026-03-05 </dev/null
  > }
  $ live() {
  >     xylem sessions --sort created -r --jsonl --runs | grep -o '"session":"[^"]*"' | xargs
  > }

Sessions of no late activity are deleted.

  $ three_sessions
  $ xylem delete --older-than 2026-02-01 --yes
  deleted session labelled (its leaf has depth 2)
  deleted session old (its leaf has depth 1)
  deleted 2 sessions that were last active before 2026-02-01 00:00
  $ live
  session:young
  $ xylem undelete old
  undeleted session old (its leaf has depth 1)
  $ live
  session:old session:young
  $ verify

An age counts from now. The moment itself is not older.

  $ three_sessions
  $ XYLEM_NOW=2026-01-07T12:00:00Z xylem delete --older-than 2d --yes
  nothing to delete: no session was last active before 2026-01-05 12:00
  $ XYLEM_NOW=2026-01-07T12:00:00.001Z xylem delete --older-than 2d --yes
  deleted session labelled (its leaf has depth 2)
  deleted session old (its leaf has depth 1)
  deleted 2 sessions that were last active before 2026-01-05 12:00
  $ live
  session:young
  $ verify

Sessions with a label are kept on request. A removed label keeps nothing.

  $ three_sessions
  $ xylem delete --older-than 2026-02-01 --keep-labelled --yes
  deleted session old (its leaf has depth 1)
  deleted 1 session that was last active before 2026-02-01 00:00
  left 1: 1 with a label, 0 with a lease
  $ live
  session:labelled session:young
  $ xylem delete --older-than 2026-02-01 --keep-labelled --yes
  nothing to delete: each session that was last active before 2026-02-01 00:00 stays
  left 1: 1 with a label, 0 with a lease
  $ session labelled 2026-01-05 <<'EOF'
  > {"type":"label","id":"l","parentId":"a","timestamp":"2026-01-05T12:00:00.000Z","targetId":"a","label":"good"}
  > {"type":"label","id":"m","parentId":"l","timestamp":"2026-01-06T12:00:00.000Z","targetId":"a"}
  > EOF
  $ xylem delete --older-than 2026-02-01 --keep-labelled --yes
  deleted session labelled (its leaf has depth 3)
  deleted 1 session that was last active before 2026-02-01 00:00
  $ live
  session:young
  $ verify

Every activity counts: the creation of a fork, a younger branch, and a navigation, also where the leaf is an old entry.

  $ three_sessions
  $ xylem fork old:a --id fork
  fork
  $ session branched 2026-01-05 <<'EOF'
  > {"type":"message","id":"b","parentId":null,"timestamp":"2026-03-05T12:00:00.000Z"}
  > {"type":"message","id":"c","parentId":"a","timestamp":"2026-01-06T12:00:00.000Z"}
  > EOF
  $ xylem navigate labelled:a --only-in-store
  leaf: l -> a
  $ xylem delete --older-than 2026-02-01 --yes
  deleted session old (its leaf has depth 1)
  deleted 1 session that was last active before 2026-02-01 00:00
  $ live
  session:labelled session:branched session:young session:fork
  $ verify

A dry run deletes nothing.

  $ three_sessions
  $ xylem delete --older-than 2026-02-01 --keep-labelled --dry-run
  would delete session old (its leaf has depth 1)
  would delete 1 session that was last active before 2026-02-01 00:00
  left 1: 1 with a label, 0 with a lease
  $ live
  session:old session:labelled session:young

Programs get a document.

  $ xylem delete --older-than 2026-02-01 --keep-labelled --dry-run --json
  {"schema":1,"dry_run":true,"sessions":[{"session":"old","name":null,"active":"2026-01-05T12:00:00.000Z"}],"left":[{"session":"labelled","why":"labelled"}]}
  $ xylem delete old --yes --json
  {"schema":1,"dry_run":false,"sessions":[{"session":"old","name":null,"active":"2026-01-05T12:00:00.000Z"}],"left":[]}
  $ xylem delete --file-gone --yes --json
  {"schema":1,"dry_run":false,"sessions":[],"left":[]}
  $ verify

Ledgers of runs stay.

  $ three_sessions
  $ add seq.0190a0a0-0000-7000-8000-000000000000 start custom:sequence-run '{}'
  $ xylem delete --older-than 2100-01-01 --yes
  deleted session young (its leaf has depth 1)
  deleted session labelled (its leaf has depth 2)
  deleted session old (its leaf has depth 1)
  deleted 3 sessions that were last active before 2100-01-01 00:00
  $ live
  session:seq.0190a0a0-0000-7000-8000-000000000000
  $ verify

Rules are not combined.

  $ three_sessions
  $ xylem delete --older-than 1y
  nothing to delete: no session was last active before * (glob)
  $ xylem delete old --older-than 1y --yes
  xylem: delete: --older-than and SESSION cannot be combined (see `xylem delete --help`)
  [2]
  $ xylem delete --file-gone --older-than 1y --yes
  xylem: delete: --file-gone and --older-than cannot be combined (see `xylem delete --help`)
  [2]
  $ xylem delete --file-gone --keep-labelled --yes
  xylem: delete: --keep-labelled needs --older-than (see `xylem delete --help`)
  [2]
  $ xylem delete --older-than soon --yes
  xylem: delete: 'soon' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem delete --help`)
  [2]
  $ live
  session:old session:labelled session:young
  $ verify
