xylem delete --file-gone: deletes the sessions whose session files are gone, and no other session.

  $ . "$TESTDIR/setup.sh"

The files of `one` and `two` are gone; `here` has its file, and `sdk` never had a file.

  $ four_sessions() {
  >     fresh
  >     for id in one here two; do
  >         echo '{"type":"session","version":3,"id":"'$id'","timestamp":"2026-11-20T12:00:00.000Z"}' >$id.jsonl
  >         echo '{"type":"message","id":"a","parentId":null,"timestamp":"2026-11-20T12:00:00.000Z"}' >>$id.jsonl
  >         xylem import -q $id.jsonl >/dev/null
  >     done
  >     add sdk a note
  >     rm one.jsonl two.jsonl
  > }
  $ live() {
  >     xylem sessions --sort created -r --jsonl --runs | grep -o '"session":"[^"]*"' | xargs
  > }

The sessions whose files are gone are deleted.

  $ four_sessions
  $ xylem delete --file-gone --yes
  deleted session two (its leaf has depth 1)
  deleted session one (its leaf has depth 1)
  deleted 2 sessions whose files are gone
  $ live
  session:here session:sdk
  $ xylem undelete one
  undeleted session one (its leaf has depth 1)
  $ live
  session:one session:here session:sdk
  $ xylem delete --file-gone -y
  deleted session one (its leaf has depth 1)
  deleted 1 session whose file is gone
  $ verify

Nothing to delete is said.

  $ xylem delete --file-gone --yes
  nothing to delete: no session's file is gone
  $ xylem delete --file-gone --dry-run
  nothing to delete: no session's file is gone

A dry run deletes nothing.

  $ four_sessions
  $ xylem delete --file-gone --dry-run
  would delete session two (its leaf has depth 1)
  would delete session one (its leaf has depth 1)
  would delete 2 sessions whose files are gone
  $ live
  session:one session:here session:two session:sdk

Elsewhere than on a terminal yes is needed.

  $ xylem delete --file-gone
  xylem: delete: standard input is not a terminal: give --yes (nothing was deleted) (see `xylem delete --help`)
  [2]
  $ xylem delete one --file-gone --yes
  xylem: delete: --file-gone and SESSION cannot be combined (see `xylem delete --help`)
  [2]
  $ xylem delete --yes
  xylem: delete: an argument is missing: xylem delete SESSION (see `xylem delete --help`)
  [2]
  $ live
  session:one session:here session:two session:sdk
  $ verify
