xylem repair, as somebody uses it who has nothing but its messages.

  $ . "$TESTDIR/setup.sh"
  $ sessions() {
  >     fresh
  >     xylem import -q $SESSIONS/rpc-scenario >/dev/null
  > }
  $ move() {
  >     sed -n 's/^  mv /mv /p' "$1" | sh
  > }

A store that is whole is copied whole.

  $ sessions
  $ xylem repair new
  everything was saved: the new store has 7 sessions, 8 branches, 55 entries, and verifies
  
  The damaged store was not changed. To look at the new store:
    xylem -s new verify
    xylem -s new sessions
  To replace the damaged store, once no program uses the damaged store:
    mv store store-damaged
    mv new store
  $ xylem repair new
  xylem: repair: new exists already: the new store needs a directory of its own
  [4]

The damaged store is moved to a name that is free, and not into the directory that has the name.

  $ sessions
  $ mkdir store-damaged
  $ xylem repair new >said
  $ sed -n "s|$(realpath .)|DIRECTORY|g; /mv/p" said
    mv store store-damaged-2
    mv new store
  $ move said
  $ rmdir store-damaged
  $ verify

Without meta pages no entry with a long payload is lost. Garbled bytes that look like nodes claim values as long as the
file, and none of that is at the cost of whole ones.

  $ sessions
  $ xylem import -q $SESSIONS/../pi-0.74.2 $SESSIONS 2>/dev/null
  58 files: 45 new, 6 changed, 7 unchanged; 5,143 entries added, 663 shared (267.4 KiB saved), 2 lines put into quarantine, 10 problems
  [1]
  $ head -c 8192 /dev/zero | tr '\0' '\377' | dd of=store/data.mdb conv=notrunc status=none
  $ xylem repair new >said
  [1]
  $ grep 'all known data was saved' said
  all known data was saved: the new store has 52 sessions, 441 branches, 5,198 entries, and verifies
  $ grep 'entry is lost\|entries are lost' said
  [1]

Whoever follows the messages has a store again. The damaged store is not changed.

  $ change() {
  >     sessions
  >     "$@"
  >     cp store/data.mdb before
  >     xylem repair "it's new" >said
  >     echo $?
  >     grep -o 'The damaged store was not changed.\|, and verifies$' said
  >     move said
  >     cmp store-damaged/data.mdb before
  >     rm -r store-damaged
  >     verify && xylem sessions | wc -l
  > }
  $ zeros() {
  >     dd if=/dev/zero of=store/data.mdb bs=4096 seek=$1 count=$2 conv=notrunc status=none
  > }
  $ pages() {
  >     echo $(($(stat -c %s store/data.mdb) / 4096))
  > }
  $ sessions
  $ change zeros $(($(pages) / 2)) 1
  1
  , and verifies
  The damaged store was not changed.
  8
  $ change zeros 0 $(($(pages) / 2))
  1
  , and verifies
  The damaged store was not changed.
  xylem: sessions: there are no sessions
  0
  $ change truncate -s $(($(pages) * 3072 + 100)) store/data.mdb
  1
  , and verifies
  The damaged store was not changed.
  xylem: sessions: there are no sessions
  0
  $ change zeros 0 2
  1
  , and verifies
  The damaged store was not changed.
  8

The document tells of each entry.

  $ sessions
  $ zeros 0 $(($(pages) / 2))
  $ cp store/data.mdb before
  $ xylem repair new --json >document
  [1]
  $ grep -o '"schema":1,"damaged_store":\|"complete":false,\|"problems":\[{"table":' document
  "schema":1,"damaged_store":
  "complete":false,
  "problems":[{"table":
  $ tail -c 5 document
  "}]}
  $ cmp store/data.mdb before

Where nothing can be saved the command says so, and exits with 5.

  $ sessions
  $ zeros 0 $(pages)
  $ cp store/data.mdb before
  $ xylem repair new
  xylem: repair: nothing can be saved from store: found no session and no entry with a correct checksum
  
  Nothing was changed. To put a backup in the store's place, if there is a backup:
    mv store store-damaged
    cp -rp BACKUP store
  [5]
  $ ls new
  ls: cannot access 'new': No such file or directory
  [2]
  $ cmp store/data.mdb before

Closed standard descriptors are no files of the store: what is printed must not go into a file of the store that got the
number of a standard descriptor.

  $ sessions
  $ cp store/data.mdb before
  $ for line in 'repair new' verify sessions 'backup new'; do
  >     echo "$line"
  >     xylem $line <&- >/dev/null 2>&1 || echo $?
  >     rm -rf new
  >     xylem $line </dev/null >&- 2>/dev/null || echo $?
  >     rm -rf new
  >     xylem $line <&- >&- 2>/dev/null || echo $?
  >     rm -rf new
  >     xylem $line </dev/null >/dev/null 2>&- || echo $?
  >     rm -rf new
  >     xylem $line <&- >/dev/null 2>&- || echo $?
  >     rm -rf new
  >     xylem $line </dev/null >&- 2>&- || echo $?
  >     rm -rf new
  >     xylem $line <&- >&- 2>&- || echo $?
  >     rm -rf new
  >     cmp store/data.mdb before
  > done
  repair new
  6
  6
  6
  6
  verify
  6
  6
  6
  6
  sessions
  6
  6
  6
  6
  backup new
  6
  6
  6
  6
