Open goes on with a session in pi, here a program that says where it is and what it is asked for.

  $ . "$TESTDIR/setup.sh"

  $ kept() {
  >     fresh 19:30
  >     mkdir -p bin project files
  >     printf '#!/bin/sh\necho "pi in $PWD: $*"\n' >bin/pi
  >     chmod +x bin/pi
  >     { echo '{"type":"session","version":3,"timestamp":"2026-11-20T12:00:00.000Z","id":"aaaaaaaa-1111","cwd":"'"$PWD/project"'"}'
  >       for id in 1 2; do
  >           echo '{"type":"message","id":"entry-'$id'","parentId":null,"timestamp":"2026-11-20T12:00:01.000Z","message":{"role":"user","content":"x"}}'
  >       done; } >files/a.jsonl
  >     xylem import -q files/a.jsonl
  > }
  $ opened() {
  >     PATH=$PWD/bin:$PATH xylem open "$@" 2>&1 | sed "s|$base/[0-9]*|DIR|g"
  > }

  $ kept
  1 file: 1 new; 2 entries added, 0 lines put into quarantine, 0 problems
  $ opened aaaaaaaa-1111 --dry-run
  cd DIR/project && pi --session DIR/files/a.jsonl
  $ opened aaaaaaaa
  xylem: open: cd DIR/project && pi --session DIR/files/a.jsonl
  pi in DIR/project: --session DIR/files/a.jsonl
  $ opened aaaaaaaa --here
  xylem: open: pi --session DIR/files/a.jsonl
  pi in DIR: --session DIR/files/a.jsonl

An entry is opened in a fork, whose file stands beside the file of the session; nothing else changes.

  $ opened aaaaaaaa:entry-1 --dry-run
  xylem: open: would fork aaaaaaaa-1111, write the fork's file beside DIR/files/a.jsonl, and open that file
  $ xylem sessions --jsonl | wc -l
  1
  $ opened aaaaaaaa:entry-1 | sed 's/[-0-9TZ]*_[-0-9a-f]*\.jsonl/NEW.jsonl/g'
  xylem: open: forking aaaaaaaa-1111
  xylem: open: writing DIR/files/NEW.jsonl
  xylem: open: cd DIR/project && pi --session DIR/files/NEW.jsonl
  pi in DIR/project: --session DIR/files/NEW.jsonl
  $ ls files | wc -l
  2
  $ xylem sessions --jsonl | grep -o '"forked_at":[^,]*\|"leaf":[^,]*\|"source":[^,]*'
  "leaf":"entry-1"
  "source":"aaaaaaaa-1111"
  "leaf":"entry-2"
  "source":null
  $ grep -o '"parentSession":"[^"]*"' files/2* | sed "s|$base/[0-9]*|DIR|"
  "parentSession":"DIR/files/a.jsonl"
  $ xylem import -q files
  2 files: 1 changed, 1 unchanged; 0 entries added, 0 lines put into quarantine, 0 problems
  $ verify

A file that is gone is written again.

  $ kept
  1 file: 1 new; 2 entries added, 0 lines put into quarantine, 0 problems
  $ cp files/a.jsonl copy
  $ rm -r files
  $ opened aaaaaaaa
  xylem: open: writing DIR/files/a.jsonl
  xylem: open: cd DIR/project && pi --session DIR/files/a.jsonl
  pi in DIR/project: --session DIR/files/a.jsonl
  $ cmp files/a.jsonl copy

The pi of PATH is that of this directory, not that of the session's directory. It inherits no signal that is ignored.

  $ mkdir project/bin
  $ printf '#!/bin/sh\necho wrong\n' >project/bin/pi
  $ chmod +x project/bin/pi
  $ printf '#!/bin/sh\n[ "$(grep SigIgn /proc/self/status)" = "$ignored" ] || echo more; echo "pi of $0"\n' >bin/pi
  $ export ignored="$(grep SigIgn /proc/self/status)"
  $ (cd bin; PATH=:$PATH xylem -s ../store open aaaaaaaa 2>/dev/null | sed "s|$base/[0-9]*|DIR|g")
  pi of DIR/bin/pi
  $ PATH=bin:$PATH xylem open aaaaaaaa 2>/dev/null | sed "s|$base/[0-9]*|DIR|g"
  pi of DIR/bin/pi
  $ rm -r project/bin

A fork that gets no file is named. No fork begins before the first entry.

  $ opened aaaaaaaa:none
  xylem: open: a fork begins at an entry, and 'aaaaaaaa:none' is none (see `xylem open --help`)
  $ rm -r files
  $ touch files
  $ opened aaaaaaaa:entry-1 | sed 's/[-0-9TZ]*_[-0-9a-f]*\.jsonl/NEW.jsonl/g; s/01[-0-9a-f]*/FORK/g'
  xylem: open: forking aaaaaaaa-1111
  xylem: open: writing DIR/files/NEW.jsonl
  xylem: open: the fork FORK is in the store, without its file: `xylem -s store export FORK` prints the file (-o FILE writes it)
  xylem: open: DIR/files/NEW.jsonl cannot be written: Not a directory
  $ xylem sessions --jsonl | wc -l
  2
  $ rm files
  $ opened aaaaaaaa >/dev/null
  $ printf '#!/bin/sh\necho "pi in $PWD: $*"\n' >bin/pi

A directory that is gone is named, and another can be given.

  $ rmdir project
  $ opened aaaaaaaa
  xylem: open: the session's directory DIR/project is gone: --here starts pi in this directory, --map OLD=NEW in another
  $ mkdir moved
  $ opened aaaaaaaa --map "$PWD/project=$PWD/moved"
  xylem: open: cd DIR/moved && pi --session DIR/files/a.jsonl
  pi in DIR/moved: --session DIR/files/a.jsonl
  $ opened aaaaaaaa --map "$PWD/pro=$PWD/moved"
  xylem: open: --map: the session's directory DIR/project is not DIR/pro, and not below it (see `xylem open --help`)
  $ opened aaaaaaaa --map "$PWD/project/=$PWD/moved"
  xylem: open: cd DIR/moved && pi --session DIR/files/a.jsonl
  pi in DIR/moved: --session DIR/files/a.jsonl
  $ opened aaaaaaaa --map "$PWD/project=$PWD/nowhere"
  xylem: open: --map: there is no directory DIR/nowhere
  $ opened aaaaaaaa --map "/=$PWD/image/"
  xylem: open: --map: there is no directory DIR/image/DIR/project
  $ opened nobody --map nothing
  xylem: open: --map takes OLD=NEW, not 'nothing' (see `xylem open --help`)
  $ opened aaaaaaaa --map a=b --here
  xylem: open: --here and --map cannot be combined (see `xylem open --help`)

Without a pi the line to type is shown, and nothing is forked.

  $ xylem open aaaaaaaa --here 2>&1 | sed "s|$base/[0-9]*|DIR|g"
  xylem: open: there is no pi in PATH; where pi is: pi --session DIR/files/a.jsonl
  $ xylem open aaaaaaaa:entry-1 --here
  xylem: open: there is no pi in PATH, so nothing was forked
  [3]
  $ xylem sessions --jsonl | wc -l
  2

A session that no pi keeps is exported instead. An entry alone, and no word, are refused.

  $ add other e note
  $ opened other
  xylem: open: no pi keeps the session other, which has no file: `xylem -s store export other` prints a file that pi can open (-o FILE writes it)
  $ opened entry-1
  xylem: open: 'entry-1' is an entry, and open needs the session too: `xylem open aaaaaaaa-1111:entry-1`
  $ opened
  xylem: open: an argument is missing: xylem open SESSION[:ENTRY] (see `xylem open --help`)
  $ opened nobody
  xylem: open: there is no session 'nobody'; `xylem -s store sessions` lists the sessions

Of two files, the one with a name as pi gives it is opened: the other is an export or a copy.

  $ kept
  1 file: 1 new; 2 entries added, 0 lines put into quarantine, 0 problems
  $ cp files/a.jsonl files/z_aaaaaaaa-1111.jsonl
  $ opened aaaaaaaa --here --dry-run
  pi --session DIR/files/a.jsonl
  $ xylem import -q files >/dev/null
  $ opened aaaaaaaa --here --dry-run
  pi --session DIR/files/z_aaaaaaaa-1111.jsonl
  $ rm files/z_*
  $ opened aaaaaaaa --here --dry-run
  pi --session DIR/files/a.jsonl
  $ verify

At an entry with tool calls that have no result, the fork is told.

  $ kept
  1 file: 1 new; 2 entries added, 0 lines put into quarantine, 0 problems
  $ xylem append aaaaaaaa --only-in-store --id ask --kind message \
  >     --data '{"role":"assistant","content":[{"type":"toolCall","id":"x"}]}' >/dev/null
  $ opened aaaaaaaa:ask | grep 'tool call'
  xylem: open: 1 tool call has no result at the entry, and the model will be told so; the entry before the calls is entry-2

A session without a directory has none to map.

  $ kept >/dev/null; sed '1s/,"cwd":"[^"]*"//' files/a.jsonl >files/b.jsonl
  $ xylem -s other import -q files/b.jsonl >/dev/null 2>&1; export XYLEM_STORE=other
  $ opened aaaaaaaa
  xylem: open: pi --session DIR/files/b.jsonl
  pi in DIR: --session DIR/files/b.jsonl
  $ opened aaaaaaaa --map a=b
  xylem: open: --map: the session names no directory (see `xylem open --help`)
