xylem export --html --all: a site, a page for each session.

  $ . "$TESTDIR/setup.sh"
  $ site() { xylem export --html --all site >../said 2>&1; set -- $?; grep -v 'redacted$' ../said; return $1; }
  $ hashes() {
  >     sort -c site/.xylem-site && /usr/bin/python3 -c 'import sys, xxhash
  > for line in open("site/.xylem-site"):
  >     name, hash = line.split()
  >     if hash != "xxh3-128:" + xxhash.xxh3_128_hexdigest(open("site/" + name, "rb").read()): print(line)'
  > }

Pages for the sessions that are not deleted, and an index. A second run writes what is new, and removes what is gone.

  $ family
  $ site
  4 pages, 4 written, 0 removed, 0 left: site/index.html
  $ ls -A site
  .xylem-site
  alone.html
  fork-1.html
  index.html
  source.html
  $ stat -c '%a %n' site site/*.html site/.xylem-site | sort
  600 site/.xylem-site
  600 site/alone.html
  600 site/fork-1.html
  600 site/index.html
  600 site/source.html
  700 site
  $ sed 's/ xxh3-128:[0-9a-f]\{32\}$/ HASH/' site/.xylem-site
  alone.html HASH
  fork-1.html HASH
  index.html HASH
  source.html HASH
  $ hashes
  $ grep -o 'href="[^#"]*"' site/index.html
  href="alone.html"
  href="source.html"
  href="fork-1.html"
  $ grep -o 'href="index.html"' site/alone.html
  href="index.html"
  $ add source e note
  $ xylem delete alone --yes >/dev/null
  $ site
  3 pages, 2 written, 1 removed, 0 left: site/index.html
  $ ls -A site
  .xylem-site
  fork-1.html
  index.html
  source.html
  $ site
  3 pages, 0 written, 0 removed, 0 left: site/index.html
  $ xylem undelete alone >/dev/null
  $ site
  4 pages, 2 written, 0 removed, 0 left: site/index.html

What was redacted leaves the page; secrets never reach it, unless somebody asks for them.

  $ add source f message '{"role":"user","content":"the word perhaps, the key ghp_0123456789abcdefghijABCDEFGHIJ012345"}'
  $ site
  4 pages, 2 written, 0 removed, 0 left: site/index.html
  $ grep -l 'perhaps, the key \[redacted: github-token\]' site/*.html
  site/index.html
  site/source.html
  $ add cut e message "{\"role\":\"user\",\"content\":\"$(printf '%0100d' 0) ghp_0123456789abcdefghijABCDEFGHIJ012345\"}"
  $ site
  5 pages, 2 written, 0 removed, 0 left: site/index.html
  $ grep ghp_ site/*.html
  [1]
  $ grep -c '0 \[redacted: github-' site/index.html
  1
  $ xylem delete cut --yes >/dev/null; site
  4 pages, 1 written, 1 removed, 0 left: site/index.html
  $ xylem export --html --all open --no-redact
  4 pages, 4 written, 0 removed, 0 left: open/index.html
  $ grep -l ghp_ open/*.html
  open/index.html
  open/source.html
  $ grep -c 'Secrets were not looked for' open/index.html
  1
  $ xylem redact source:f --reason gone --yes >/dev/null
  $ site
  4 pages, 2 written, 0 removed, 0 left: site/index.html
  $ grep -l perhaps site/*.html
  [1]
  $ hashes

A file that somebody changed stays, and so does a file of somebody else. Links are not followed.

  $ echo changed >>site/alone.html
  $ echo mine >site/mine.txt
  $ site
  xylem: export: site/alone.html was changed since this command wrote it: left as it is
  xylem: export: site/mine.txt is not of this site: left as it is
  4 pages, 0 written, 0 removed, 1 left: site/index.html
  [1]
  $ tail -n 1 site/alone.html
  changed
  $ xylem delete alone --yes >/dev/null
  $ site
  xylem: export: site/alone.html was changed since this command wrote it: left as it is
  xylem: export: site/mine.txt is not of this site: left as it is
  4 pages, 1 written, 0 removed, 1 left: site/index.html
  [1]
  $ rm site/alone.html
  $ site
  xylem: export: site/mine.txt is not of this site: left as it is
  3 pages, 0 written, 0 removed, 0 left: site/index.html
  $ echo precious >precious
  $ rm site/source.html; ln -s ../precious site/source.html
  $ add source g note
  $ site
  xylem: export: site/source.html was changed since this command wrote it: left as it is
  xylem: export: site/mine.txt is not of this site: left as it is
  3 pages, 1 written, 0 removed, 1 left: site/index.html
  [1]
  $ cat precious
  precious
  $ cp site/fork-1.html copy; ln -sf ../copy site/fork-1.html
  $ site
  xylem: export: site/source.html was changed since this command wrote it: left as it is
  xylem: export: site/fork-1.html was changed since this command wrote it: left as it is
  xylem: export: site/mine.txt is not of this site: left as it is
  3 pages, 0 written, 0 removed, 2 left: site/index.html
  [1]
  $ mv copy site/fork-1.html
  $ rm site/source.html; mkdir site/source.html
  $ site
  xylem: export: site/source.html was changed since this command wrote it: left as it is
  xylem: export: site/mine.txt is not of this site: left as it is
  3 pages, 0 written, 0 removed, 1 left: site/index.html
  [1]
  $ rmdir site/source.html
  $ add new a note
  $ echo foreign >site/new.html
  $ site
  xylem: export: site/mine.txt is not of this site: left as it is
  xylem: export: site/new.html is not of this site: left as it is
  3 pages, 2 written, 0 removed, 1 left: site/index.html
  [1]
  $ cat site/new.html
  foreign
  $ rm site/new.html site/mine.txt
  $ site
  4 pages, 1 written, 0 removed, 0 left: site/index.html
  $ ln -s site link
  $ xylem export --html --all link
  xylem: export: link: Not a directory
  [6]
  $ xylem export --html --all link//
  xylem: export: link: Not a directory
  [6]
  $ xylem export --html --all site// 2>/dev/null
  4 pages, 0 written, 0 removed, 0 left: site/index.html
  $ hashes

A directory with anything else is refused.

  $ mkdir other; echo mine >other/mine.html
  $ xylem export --html --all other
  xylem: export: other is not empty: an export needs a directory of its own
  [4]
  $ xylem export --html --all other/mine.html
  xylem: export: other/mine.html: Not a directory
  [6]
  $ xylem export --html --all no/such
  xylem: export: cannot make the directory no/such: No such file or directory
  [3]
  $ xylem export --html --all
  xylem: export: --html --all takes a directory: xylem export --html --all DIRECTORY (see `xylem export --help`)
  [2]
  $ xylem export --html --all x -o y
  xylem: export: --html --all writes pages into a directory: --output has no place there (see `xylem export --help`)
  [2]
  $ xylem export --html --all x --family
  xylem: export: --html --all writes pages into a directory: --family has no place there (see `xylem export --help`)
  [2]
  $ add 01a1f9f7-22cb a note
  $ xylem export --html --all 01a1f9f7-22cb
  xylem: export: --all writes every session into a directory, and '01a1f9f7-22cb' is a session (see `xylem export --help`)
  [2]
  $ ls other
  mine.html

The index has the sessions by day of local time, and a bar for each day with sessions, over at least four weeks and at
most 120 days.

  $ scenario
  $ index() { site >/dev/null; grep -oE '<h2>[-0-9]*|<rect x="[0-9]*"|<title>[-0-9]*: [0-9]+|<p><span>.*</p>' site/index.html; }
  $ index
  <rect x="162"
  <title>2026-11-20: 1
  <p><span>2026-10-24</span> <span>2026-11-20</span></p>
  <h2>2026-11-20
  $ for at in 2026-09-21 2026-09-24 2026-07-24 2026-07-23; do
  >     sed "s/2026-11-20/$at/g; s/01a1f9f7-22cb/$at-22cb/" "$SCENARIO" >$at.jsonl; xylem import -q $at.jsonl >/dev/null 2>&1
  > done
  $ index
  <rect x="0"
  <title>2026-07-24: 1
  <rect x="354"
  <title>2026-09-21: 1
  <rect x="372"
  <title>2026-09-24: 1
  <rect x="714"
  <title>2026-11-20: 1
  <p><span>2026-07-24</span> <span>2026-11-20</span></p>
  <h2>2026-11-20
  <h2>2026-09-24
  <h2>2026-09-21
  <h2>2026-07-24
  <h2>2026-07-23
  $ TZ=Asia/Tokyo index | grep -c 2026-11-21
  3

A session of the future stands in the list alone.

  $ sed 's/2026-11-20/2090-01-01/g; s/01a1f9f7-22cb/2090-22cb/' "$SCENARIO" >2090.jsonl; xylem import -q 2090.jsonl >/dev/null 2>&1
  $ index | tail -n 7
  <p><span>2026-07-24</span> <span>2026-11-20</span></p>
  <h2>2090-01-01
  <h2>2026-11-20
  <h2>2026-09-24
  <h2>2026-09-21
  <h2>2026-07-24
  <h2>2026-07-23
  $ grep -o '<figcaption>.*</figcaption>' site/index.html
  <figcaption>Sessions a day, at most 1; without 1 session of the future</figcaption>
  $ XYLEM_NOW=2026-11-19T12:00:00Z index | grep span
  <p><span>2026-07-23</span> <span>2026-09-24</span></p>
  $ grep -o '<figcaption>.*</figcaption>' site/index.html
  <figcaption>Sessions a day, at most 1; without 2 sessions of the future</figcaption>
  $ XYLEM_NOW=2001-01-01T00:00:00Z index | head -n 1
  <h2>2090-01-01
  $ grep -c 'class="skip" href="#path">To the sessions<' site/index.html
  1

Where clocks go back at midnight, the later of two sessions may have the earlier day.

  $ fresh
  $ for at in 30 31; do
  >     sed "s/2026-11-20T..:..:../2010-11-07T02:$at:31/g; s/01a1f9f7-22cb/$at-22cb/" "$SCENARIO" >$at.jsonl
  >     xylem import -q $at.jsonl >/dev/null 2>&1
  > done
  $ TZ=America/St_Johns index
  <rect x="156"
  <title>2010-11-06: 1
  <rect x="162"
  <title>2010-11-07: 1
  <p><span>2010-10-11</span> <span>2010-11-07</span></p>
  <h2>2010-11-06
  <h2>2010-11-07

Ids that look like paths, and ids that become one name.

  $ fresh
  $ for id in ../../etc/passwd '.hidden' 'a b' 'a/b' A_B index "$(printf '%0200d' 0)" '<b>' Index A a; do add "$id" e note; done
  $ site
  12 pages, 12 written, 0 removed, 0 left: site/index.html
  $ ls -A site
  .xylem-site
  00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000.html
  A_10.html
  A_B_5.html
  Index_9.html
  _._.._etc_passwd_1.html
  _b__8.html
  _hidden_2.html
  a.html
  a_b_3.html
  a_b_4.html
  index.html
  index_6.html
  $ grep -o 'href="[^#"]*"' site/index.html | wc -l
  11
  $ hashes

An id that a pattern matches is in no name.

  $ fresh
  $ add ghp_0123456789abcdefghijABCDEFGHIJ012345 e note; add plain e note
  $ site
  3 pages, 3 written, 0 removed, 0 left: site/index.html
  $ ls site
  index.html
  plain.html
  session_1.html
  $ grep -r ghp_ site
  [1]
  $ xylem export --html --all other --redact-pattern 'pl[a-z]+' 2>/dev/null
  3 pages, 3 written, 0 removed, 0 left: other/index.html
  $ grep -rlw plain other
  [1]
  $ grep -o '<p class="notice">[^<]*' site/index.html
  <p class="notice">What looks like a secret is left out.

The list is not believed blindly: each line is a name in this directory.

  $ fresh
  $ add s e note
  $ site
  2 pages, 2 written, 0 removed, 0 left: site/index.html
  $ cp site/.xylem-site right
  $ hash=xxh3-128:$(printf '%032d' 0)
  $ refuse() { { cat right; printf "$@"; echo "t.html $hash"; } >site/.xylem-site; xylem export --html --all site; }
  $ refuse "../s.html $hash\n"
  xylem: export: site/.xylem-site:3: expected the name of a page, and its XXH3
  [2]
  $ refuse "a/s.html $hash\n"
  xylem: export: site/.xylem-site:3: expected the name of a page, and its XXH3
  [2]
  $ refuse ".s.html $hash\n"
  xylem: export: site/.xylem-site:3: expected the name of a page, and its XXH3
  [2]
  $ refuse "s.txt $hash\n"
  xylem: export: site/.xylem-site:3: expected the name of a page, and its XXH3
  [2]
  $ refuse ".html $hash\n"
  xylem: export: site/.xylem-site:3: expected the name of a page, and its XXH3
  [2]
  $ refuse "$(printf '%0260d' 0).html $hash\n"
  xylem: export: site/.xylem-site:3: expected the name of a page, and its XXH3
  [2]
  $ refuse "s.html  $hash\n"
  xylem: export: site/.xylem-site:3: expected the name of a page, and its XXH3
  [2]
  $ refuse "s.html\t$hash\n"
  xylem: export: site/.xylem-site:3: expected the name of a page, and its XXH3
  [2]
  $ refuse "s.html ${hash}0\n"
  xylem: export: site/.xylem-site:3: expected the name of a page, and its XXH3
  [2]
  $ refuse "s.html ${hash%0}g\n"
  xylem: export: site/.xylem-site:3: expected the name of a page, and its XXH3
  [2]
  $ refuse "s.html sha256:${hash#*:}\n"
  xylem: export: site/.xylem-site:3: expected the name of a page, and its XXH3
  [2]
  $ refuse "s.html\n"
  xylem: export: site/.xylem-site:3: expected the name of a page, and its XXH3
  [2]
  $ refuse "\n"
  xylem: export: site/.xylem-site:3: expected the name of a page, and its XXH3
  [2]
  $ refuse "s\001.html $hash\n"
  xylem: export: site/.xylem-site:3: expected the name of a page, and its XXH3
  [2]
  $ refuse "s\000.html $hash\n"
  xylem: export: site/.xylem-site:3: expected the name of a page, and its XXH3
  [2]
  $ rm site/.xylem-site; ln -s ../right site/.xylem-site; xylem export --html --all site
  xylem: export: site/.xylem-site: Too many levels of symbolic links
  [6]
  $ rm site/.xylem-site; mkfifo site/.xylem-site; xylem export --html --all site
  xylem: export: site/.xylem-site: expected a file of this user, with one name
  [6]
  $ rm site/.xylem-site; printf 'no\nsite' >mine; ln mine site/.xylem-site; xylem export --html --all site
  xylem: export: site/.xylem-site: expected a file of this user, with one name
  [6]
  $ rm site/.xylem-site; mv mine site/.xylem-site; xylem export --html --all site
  xylem: export: site/.xylem-site:1: expected the name of a page, and its XXH3
  [2]
  $ printf site >site/.xylem-site; xylem export --html --all site
  xylem: export: site/.xylem-site:1: expected the name of a page, and its XXH3
  [2]
  $ cat site/.xylem-site; echo
  site
  $ torn() { { cat right; printf "$@"; } >site/.xylem-site; cp site/.xylem-site torn; xylem export --html --all site; }
  $ for text in 'a word' 'a\tword' 's.htm xxh3' 's.html xxh4' "s.html ${hash}0" 's\000more' 'a/b' .s; do
  >     torn "$text" 2>&1 | grep -v ':3: expected'; cmp torn site/.xylem-site
  > done
  $ for text in s s.html 's.html ' 's.html xxh3-1' "s.html ${hash%0}" "s.html $hash"; do
  >     torn "$text" 2>/dev/null; cmp right site/.xylem-site
  > done | uniq -c
        6 2 pages, 0 written, 0 removed, 0 left: site/index.html
  $ rm site/.xylem-site; : >site/.xylem-site
  $ site
  2 pages, 0 written, 0 removed, 0 left: site/index.html
  $ cmp right site/.xylem-site
  $ flock site "$program" export --html --all site
  xylem: export: site: another process writes this site
  [4]

What a killed run left is completed: its files are known, and the last line of its list may be torn. A name may stand
more than once.

  $ add t e note
  $ site
  3 pages, 2 written, 0 removed, 0 left: site/index.html
  $ sed "s/ .*/ $hash/" site/.xylem-site >old; cat old site/.xylem-site >both; printf 's.html xxh3' | cat both - >site/.xylem-site
  $ echo precious >precious; ln -s ../precious site/.xylem-site.new
  $ site
  3 pages, 0 written, 0 removed, 0 left: site/index.html
  $ cat precious
  precious
  $ hashes
  $ add s f note; for id in $(seq 20); do add t $id note "$(printf '{"a":"%0100000d"}' 0)"; done
  $ printf 's.html xxh3' >>site/.xylem-site
  $ (ulimit -c 0; ulimit -f 1000; xylem export --html --all site 2>/dev/null); ls -A site | grep new
  [1]
  $ cut -d ' ' -f 1 site/.xylem-site
  index.html
  s.html
  t.html
  s.html
  $ add s g note
  $ site
  3 pages, 3 written, 0 removed, 0 left: site/index.html
  $ ls -A site
  .xylem-site
  index.html
  s.html
  t.html
  $ hashes
  $ xylem delete t --yes >/dev/null; cat old site/.xylem-site >both; mv both site/.xylem-site
  $ site
  2 pages, 1 written, 1 removed, 0 left: site/index.html
  $ hashes
  $ xylem undelete t >/dev/null
  $ for i in $(seq 40); do add "session-$i" e note; done
  $ for ms in 005 010 015 020 030 040 050 060; do
  >     add s "more-$ms" note; add t "more-$ms" note
  >     timeout -s KILL 0.$ms xylem export --html --all site >/dev/null 2>&1
  > done; site | sed 's/[0-9]* written/N written/'
  43 pages, N written, 0 removed, 0 left: site/index.html
  $ ls -A site | wc -l
  44
  $ hashes
  $ verify
