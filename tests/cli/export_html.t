xylem export --html: a page of a session, or of a family.

  $ . "$TESTDIR/setup.sh"
  $ body() { sed -n '/^<header/,/^<script>/p' "$@" | sed '/^<script>/d'; }
  $ entries() { sed -n 's/^<article .*id="\([^"]*\)".*/\1/p; s/^<p class="from">.*/--/p' "$@"; }

The path of the leaf comes first, then each branch, the newest first, with the entry that it goes on from.

  $ fresh
  $ add s a message '{"role":"user","content":"begin"}'
  $ add s b message '{"role":"user","content":"more"}'
  $ add s c note
  $ xylem navigate s:b >/dev/null
  $ add s d note
  $ add s e note
  $ xylem navigate s:a >/dev/null
  $ add s f note
  $ xylem navigate s:e >/dev/null
  $ xylem export --html s -o page.html
  xylem: export: 0 strings redacted
  $ stat -c %a page.html
  600
  $ entries page.html
  e-a
  e-b
  e-d
  e-e
  --
  e-f
  --
  e-c
  $ grep '^<p class="from">' page.html
  <p class="from">goes on from <a href="#e-a">user: begin</a></p>
  <p class="from">goes on from <a href="#e-b">user: more</a></p>
  $ grep '^<section' page.html
  <section class="sums" aria-label="Sums">
  <section class="branch main" aria-label="Path of the leaf">
  <section class="branch" aria-label="Branch of 1 entry">
  <section class="branch" aria-label="Branch of 1 entry">
  $ grep 'class="n"' page.html
  <details open><summary>Prompts <span class="n">2</span></summary><ol>
  $ verify

A page of a terminal is refused, and so are options that a page has no place for.

  $ fresh
  $ add s a note
  $ xylem export --html s --quarantine
  xylem: export: --html has no place for what --quarantine writes (see `xylem export --help`)
  [2]
  $ xylem export --html s --no-redact --redact-secrets
  xylem: export: --no-redact and --redact-secrets cannot be combined (see `xylem export --help`)
  [2]
  $ xylem export s --family
  xylem: export: --family needs --html (see `xylem export --help`)
  [2]
  $ xylem export s --no-redact
  xylem: export: --no-redact needs --html or --markdown (see `xylem export --help`)
  [2]
  $ COLUMNS=300 script -qec 'xylem export --html s' /dev/null </dev/null | tr -d '\r'
  xylem: export: a page is no text for a terminal: xylem export --html SESSION -o FILE (see `xylem export --help`)
  $ verify

The head says what the session is. A session without an entry has a page, too.

  $ scenario
  $ xylem rename $SCENARIO_ID 'a <name>' --only-in-store >/dev/null
  $ xylem export --html $SCENARIO_ID 2>/dev/null >page.html
  $ grep -m 1 '<title>' page.html
  <title>a &lt;name&gt;</title>
  $ body page.html | sed '/last entry/d; /^<div class="beside">/,$d'
  <header class="top"><h1>a &lt;name&gt;</h1>
  <dl class="facts">
  <div><dt>session</dt> <dd><code>01a1f9f7-22cb-72e7-96e0-96825857127f</code></dd></div>
  <div><dt>directory</dt> <dd>/home/dev/proj</dd></div>
  <div><dt>begun</dt> <dd>2026-11-20 17:18</dd></div>
  <div><dt>entries</dt> <dd>32</dd></div>
  <div><dt>tips</dt> <dd>2</dd></div>
  <div><dt>tokens in</dt> <dd>21,733</dd></div>
  <div><dt>tokens out</dt> <dd>2,232</dd></div>
  <div><dt>cost</dt> <dd>$0.0262</dd></div>
  </dl>
  <p class="back"><code>pi --session 01a1f9f7-22cb-72e7-96e0-96825857127f</code></p>
  <p class="notice">What looks like a secret is left out. <a href="#cuts">What the page leaves out</a></p>
  </header>
  $ head -n 1 $SCENARIO >empty.jsonl
  $ id=$(xylem import --json empty.jsonl -s other 2>/dev/null | sed 's/.*"session":"\([^"]*\)".*/\1/')
  $ xylem export -s other --html $id 2>/dev/null | body | sed '/^<dl/,/^<.dl/d'
  <header class="top"><h1>01a1f9f7-22cb-72e7-96e0-96825857127f</h1>
  <p class="back"><code>pi --session 01a1f9f7-22cb-72e7-96e0-96825857127f</code></p>
  <p class="notice">What looks like a secret is left out. <a href="#cuts">What the page leaves out</a></p>
  </header>
  <main id="path" tabindex="-1">
  <section class="branch main" aria-label="Path of the leaf">
  <p class="from">No entry yet.</p>
  </section>
  </main>
  <footer class="notice" id="cuts"><p>What the page leaves out:</p>
  <ul>
  <li>nothing</li>
  </ul></footer>
  $ verify

A page is the same in every locale.

  $ fresh
  $ add s a message '{"role":"user","content":"naïve 日本"}'
  $ xylem export --html s 2>/dev/null >page.html
  $ LC_ALL=C xylem export --html s 2>/dev/null | cmp - page.html
  $ grep -c '<title>naïve 日本</title>' page.html
  1
  $ verify

Secrets are left out, and the page counts them; --no-redact says that they were not looked for.

  $ fresh
  $ add s a message '{"role":"user","content":"key ghp_abcdefghijklmnopqrstuvwxyz0123456789 end"}'
  $ add s c message '{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"read","arguments":{"path":"/ghp_abcdefghijklmnopqrstuvwxyz0123456789"}}]}'
  $ add s b message '{"role":"user","content":"plain"}'
  $ xylem export --html s >page.html
  xylem: export: 2 strings redacted
  $ grep -c ghp_ page.html
  0
  [1]
  $ grep -o 'read /.*, 1 call' page.html
  read /[redacted: github-token], 1 call
  $ grep '^<p class="notice"' page.html
  <p class="notice">What looks like a secret is left out. <a href="#cuts">What the page leaves out</a></p>
  $ sed -n '/^<footer/,$p' page.html | sed '/^<script>/,$d'
  <footer class="notice" id="cuts"><p>What the page leaves out:</p>
  <ul>
  <li>2 texts lack what a pattern matches</li>
  </ul></footer>
  $ xylem export --html s --no-redact >page.html
  $ grep -c ghp_ page.html
  9
  $ grep '^<p class="notice"' page.html
  <p class="notice">Secrets were not looked for. <a href="#cuts">What the page leaves out</a></p>
  $ xylem export --html s --no-redact --redact-pattern pl[a-z]+ >page.html
  xylem: export: 1 string redacted
  $ grep -c '>plain<' page.html
  0
  [1]
  $ sed -n '/^<footer/,$p' page.html | sed '/^<script>/,$d'
  <footer class="notice" id="cuts"><p>What the page leaves out:</p>
  <ul>
  <li>1 text lacks what a pattern matches</li>
  </ul></footer>
  $ verify

An id that a pattern matches stands in no link either.

  $ fresh
  $ add s ghp_abcdefghijklmnopqrstuvwxyz0123456789 message '{"role":"user","content":"go"}'
  $ add s b label '{"targetId":"ghp_abcdefghijklmnopqrstuvwxyz0123456789","label":"of it"}'
  $ xylem export --html s 2>/dev/null >page.html
  $ grep -c ghp_ page.html
  0
  [1]
  $ grep -o '[a-z]*="#*e-~at-[^"]*"' page.html | sort | uniq -c | sed 's/^ *//'
  4 href="#e-~at-1-1"
  1 id="e-~at-1-1"
  $ verify

The state is told where it changed, and which files the calls used.

  $ fresh
  $ add s a custom:readonly '{"enabled":true}'
  $ add s b custom:readonly '{"enabled":true}'
  $ add s c message '{"role":"user","content":"go"}'
  $ add s d custom:readonly '{"enabled":false}'
  $ add s e message '{"role":"assistant","content":[{"type":"toolCall","id":"t1","name":"write","arguments":{"path":"/a <b>.txt"}}]}'
  $ xylem export --html s 2>/dev/null >page.html
  $ grep -B 1 '^<p class="state">' page.html | sed 's/<header.*//'
  <article class="entry" id="e-a" data-kind="custom:readonly">
  <p class="state">readonly <b class="on">on</b>   decided by a<br>nudge due: readonly went on</p>
  --
  <article class="entry" id="e-d" data-kind="custom:readonly">
  <p class="state">readonly <b>off</b>  decided by d<br>nudge none due</p>
  $ sed -n '/^<section class="sums"/,/^<\/section>/p' page.html
  <section class="sums" aria-label="Sums">
  <details><summary>State <span class="n">2</span></summary><ol>
  <li><a href="#e-a">readonly <b class="on">on</b>   decided by a<br>nudge due: readonly went on</a></li>
  <li><a href="#e-d">readonly <b>off</b>  decided by d<br>nudge none due</a></li>
  </ol></details>
  <details><summary>Files <span class="n">1</span></summary><ol>
  <li><a href="#e-e">write /a &lt;b&gt;.txt, 1 call</a></li>
  </ol></details>
  </section>
  $ verify

A family is one tree, each entry once. The leaf of each session has its name.

  $ family
  $ add fork-1 f note
  $ add fork-1 n session_info '{"name":"the fork"}'
  $ add source f note
  $ xylem export --html source --family 2>/dev/null >page.html
  $ entries page.html
  e-a.1
  e-b.1
  e-c.1
  e-d.1
  e-f.1
  --
  e-f.3
  e-n.3
  $ grep '^<p class="state">' page.html
  <p class="state">leaf of source</p>
  <p class="state">leaf of the fork</p>
  $ grep 'sessions</dt>' page.html
  <div><dt>sessions</dt> <dd>2</dd></div>
  $ xylem export --html source 2>/dev/null | entries
  e-a
  e-b
  e-c
  e-d
  e-f
  $ verify

Deleted sessions are left out of a family, but for what others share of them. A deleted session has a page by its id.

  $ family
  $ xylem fork source:b --id fork-2 >/dev/null
  $ add fork-2 g note
  $ xylem delete source --yes >/dev/null
  $ xylem export --html fork-1 --family 2>/dev/null >page.html
  $ entries page.html
  e-a.1
  e-b.1
  --
  e-g.3
  $ grep '^<p class="notice"' page.html
  <p class="notice">The page lacks 1 deleted session of the family. What looks like a secret is left out. <a href="#cuts">What the page leaves out</a></p>
  $ xylem export --html source 2>/dev/null >page.html
  $ entries page.html
  e-a
  e-b
  e-c
  e-d
  $ grep '^<p class="notice"' page.html
  <p class="notice">This session is deleted. What looks like a secret is left out. <a href="#cuts">What the page leaves out</a></p>
  $ verify

A session whose leaf is none, and one with two roots.

  $ fresh
  $ add s a note
  $ xylem navigate s:none >/dev/null
  $ add s b note
  $ xylem export --html s 2>/dev/null | entries
  e-b
  --
  e-a
  $ xylem navigate s:none >/dev/null
  $ xylem export --html s 2>/dev/null | grep '^<p class="from">'
  <p class="from">The session has no current entry.</p>
  <p class="from">begins anew</p>
  <p class="from">begins anew</p>
  $ verify

Redacted entries are counted.

  $ fresh
  $ add s a message '{"role":"user","content":"x"}'
  $ xylem redact s:a --reason key --yes >/dev/null
  $ xylem export --html s 2>/dev/null | grep 'redacted entries'
  <div><dt>redacted entries</dt> <dd>1</dd></div>

Every entry of the sessions of pi is an article of the page, once.

  $ empty
  $ xylem import -q $SESSIONS >/dev/null 2>&1
  [1]
  $ xylem sessions -a --jsonl | sed 's/.*"session":"\([^"]*\)".*/\1/' >ids
  $ wc -l <ids
  32
  $ while read -r id; do
  >     xylem export --html $id 2>/dev/null | grep -c '^<article ' >articles
  >     xylem tree --jsonl $id | wc -l | diff articles - >/dev/null || echo "$id: another number of entries"
  > done <ids

A damaged entry is named, and nothing half-written is left.

  $ fresh
  $ add s a note '{"text":"whole"}'
  $ add s b note '{"text":"to-be-damaged"}'
  $ printf before >page.html
  $ place=$(grep -abo to-be-damaged store/data.mdb | head -n 1 | cut -d: -f1)
  $ printf X | dd of=store/data.mdb bs=1 seek=$place conv=notrunc 2>/dev/null
  $ xylem export --html s -o page.html
  xylem: export: the payload of entry b at branch 1, depth 2 does not match its hash
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
  $ cat page.html
  before (no-eol)
  $ ls
  fixtures
  page.html
  store

A page that cannot be written whole is an error, unless its reader has enough.

  $ fresh
  $ add s a note
  $ xylem export --html s -o /dev/full
  xylem: export: /dev/full cannot be written: No space left on device
  [6]
  $ xylem export --html s -o no/such/page.html
  xylem: export: no/such/page.html cannot be written: No such file or directory
  [6]
  $ xylem export --html s >/dev/full
  xylem: export: cannot write standard output: no space left on device
  [6]
  $ xylem export --html s 2>/dev/null | head -n 1
  <!doctype html>

What is left out of the session's own texts counts, too.

  $ fresh
  $ mkdir files
  $ echo '{"type":"session","version":3,"id":"c","timestamp":"2026-11-20T10:00:00.000Z","cwd":"/ghp_abcdefghijklmnopqrstuvwxyz0123456789"}' >files/c.jsonl
  $ echo '{"type":"message","id":"a","parentId":null,"timestamp":"2026-11-20T10:00:00.000Z","message":{"role":"user","content":"words"}}' >>files/c.jsonl
  $ xylem import -q files >/dev/null
  $ xylem export --html c >page.html
  xylem: export: 1 string redacted
  $ grep -c ghp_ page.html
  0
  [1]
  $ grep 'pattern matches' page.html
  <li>1 text lacks what a pattern matches</li>
