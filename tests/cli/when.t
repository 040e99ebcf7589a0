Which moment a TIME is: words, dates and clock times, in zones whose clocks change.

  $ . "$TESTDIR/setup.sh"

A session has an entry a millisecond before the moment, at the moment, and a millisecond behind. The first moment of a
time is where --since begins. The last moment of a whole day is where --until ends; else the first moment counts.

  $ fresh
  $ shifted() {
  >     second=$(date -ud "$1" +%s)
  >     ms=$((second * 1000 + 1$(date -ud "$1" +%3N) - 1000 + $2 + 1000000000000000))
  >     date -ud "@$((ms / 1000 - 1000000000000))" +%Y-%m-%dT%H:%M:%S.$(printf %03d $((ms % 1000)))Z
  > }
  $ around() {
  >     session=$((session + 1))
  >     before=$(shifted $1 -1)
  >     cat >$session.jsonl <<EOF
  > {"type":"session","version":3,"id":"s$session","timestamp":"$before","cwd":"/"}
  > {"type":"note","id":"before","parentId":null,"timestamp":"$before"}
  > {"type":"note","id":"at","parentId":"before","timestamp":"$1"}
  > {"type":"note","id":"behind","parentId":"at","timestamp":"$(shifted $1 1)"}
  > EOF
  >     xylem import -q $session.jsonl >/dev/null
  > }
  $ ids() {
  >     xylem log s$session -r "$@" --json | grep -o '"entry":"[a-z]*"' | tr -d '\n'
  > }
  $ now() {
  >     now=$1
  >     while read -r first last text; do
  >         around $first
  >         printf '%s: %s ' "$text" "$(XYLEM_NOW=$now ids --since "$text")"
  >         [ $last = - ] || around $last
  >         echo "$(XYLEM_NOW=$now ids --until "$text")"
  >     done
  > }

In a zone without changes:

  $ now 2026-11-20T19:30:00Z <<'EOF'
  > 2026-11-20T00:00:00.000Z 2026-11-20T23:59:59.999Z today
  > 2026-11-19T00:00:00.000Z 2026-11-19T23:59:59.999Z yesterday
  > 2026-11-19T00:00:00.000Z 2026-11-19T23:59:59.999Z Yesterday
  > 2026-11-20T00:00:00.000Z 2026-11-20T23:59:59.999Z friday
  > 2026-11-14T00:00:00.000Z 2026-11-14T23:59:59.999Z saturday
  > 2026-11-15T00:00:00.000Z 2026-11-15T23:59:59.999Z sunday
  > 2026-11-16T00:00:00.000Z 2026-11-16T23:59:59.999Z monday
  > 2026-11-19T00:00:00.000Z 2026-11-19T23:59:59.999Z thursday
  > 2026-11-19T14:00:00.000Z - yesterday 14:00
  > 2026-11-20T14:00:05.250Z - today 14:00:05.25
  > 2026-11-16T00:00:00.000Z - monday 00:00
  > 2026-11-20T17:30:00.000Z - 2h
  > 2026-11-17T19:30:00.000Z - 3d
  > 2026-11-18T00:00:00.000Z 2026-11-18T23:59:59.999Z 2026-11-18
  > 2026-11-18T17:18:00.000Z - 2026-11-18 17:18
  > 2024-02-29T00:00:00.000Z 2024-02-29T23:59:59.999Z 2024-02-29
  > 1969-12-31T00:00:00.000Z 1969-12-31T23:59:59.999Z 1969-12-31
  > EOF
  today: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  yesterday: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  Yesterday: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  friday: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  saturday: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  sunday: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  monday: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  thursday: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  yesterday 14:00: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  today 14:00:05.25: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  monday 00:00: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  2h: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  3d: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  2026-11-18: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  2026-11-18 17:18: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  2024-02-29: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  1969-12-31: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  $ now 2026-03-01T00:00:00Z <<'EOF'
  > 2026-02-28T00:00:00.000Z 2026-02-28T23:59:59.999Z yesterday
  > EOF
  yesterday: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  $ now 2027-01-01T00:00:00Z <<'EOF'
  > 2026-12-31T00:00:00.000Z 2026-12-31T23:59:59.999Z yesterday
  > EOF
  yesterday: "entry":"at""entry":"behind" "entry":"before""entry":"at"

On the east coast it is still the 19th:

  $ export TZ=EST5EDT,M3.2.0,M11.1.0
  $ now 2026-11-20T03:00:00Z <<'EOF'
  > 2026-11-19T05:00:00.000Z 2026-11-20T04:59:59.999Z today
  > 2026-11-18T19:00:00.000Z - yesterday 14:00
  > 2026-11-18T17:18:05.515Z - 2026-11-18T17:18:05.515Z
  > 2026-11-18T00:00:00.000Z 2026-11-18T23:59:59.999Z 2026-11-18Z
  > EOF
  today: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  yesterday 14:00: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  2026-11-18T17:18:05.515Z: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  2026-11-18Z: "entry":"at""entry":"behind" "entry":"before""entry":"at"

A day of 23 hours, and the time that clocks skip:

  $ now 2026-03-08T20:00:00Z <<'EOF'
  > 2026-03-08T05:00:00.000Z 2026-03-09T03:59:59.999Z today
  > 2026-03-07T05:00:00.000Z 2026-03-08T04:59:59.999Z yesterday
  > 2026-03-08T07:00:00.000Z - today 02:30
  > 2026-03-08T07:00:00.000Z - today 03:00
  > EOF
  today: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  yesterday: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  today 02:30: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  today 03:00: "entry":"at""entry":"behind" "entry":"before""entry":"at"

A day of 25 hours, and the time that clocks show twice: the first counts.

  $ now 2026-11-01T20:00:00Z <<'EOF'
  > 2026-11-01T04:00:00.000Z 2026-11-02T04:59:59.999Z today
  > 2026-11-01T05:30:00.000Z - today 01:30
  > 2026-11-01T07:00:00.000Z - today 02:00
  > EOF
  today: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  today 01:30: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  today 02:00: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  $ now 2026-11-02T20:00:00Z <<'EOF'
  > 2026-11-02T04:00:00.000Z - yesterday 23:00
  > EOF
  yesterday 23:00: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  $ now 2026-11-03T20:00:00Z <<'EOF'
  > 2026-10-31T04:00:00.000Z 2026-11-01T03:59:59.999Z saturday
  > EOF
  saturday: "entry":"at""entry":"behind" "entry":"before""entry":"at"

Clocks that skip midnight:

  $ export TZ='<-03>3<-02>,M10.3.0/0,M2.3.0/0'
  $ now 2026-10-18T20:00:00Z <<'EOF'
  > 2026-10-18T03:00:00.000Z 2026-10-19T01:59:59.999Z today
  > 2026-10-17T03:00:00.000Z 2026-10-18T02:59:59.999Z yesterday
  > EOF
  today: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  yesterday: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  $ now 2026-10-19T20:00:00Z <<'EOF'
  > 2026-10-18T03:00:00.000Z 2026-10-19T01:59:59.999Z 2026-10-18
  > EOF
  2026-10-18: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  $ now 2026-02-15T20:00:00Z <<'EOF'
  > 2026-02-14T02:00:00.000Z 2026-02-15T02:59:59.999Z yesterday
  > EOF
  yesterday: "entry":"at""entry":"behind" "entry":"before""entry":"at"

A zone of odd minutes:

  $ export TZ='<+0545>-5:45'
  $ now 2026-11-20T19:30:00Z <<'EOF'
  > 2026-11-20T18:15:00.000Z 2026-11-21T18:14:59.999Z today
  > EOF
  today: "entry":"at""entry":"behind" "entry":"before""entry":"at"
  $ verify

What is no time is refused.

  $ fresh
  $ for text in '' tomorrow yesterdayx 'yesterday ' monday14 'monday 25:00' 'yesterday 14:00Z' 'today 14' 2026-02-30 \
  >     '2026-11-20 24:00' 2026-11-20T17:18.5 2026-13-01 2x -2h 17:18 mon; do
  >     xylem sessions --since "$text" || echo $?
  > done
  xylem: sessions: '' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem sessions --help`)
  2
  xylem: sessions: 'tomorrow' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem sessions --help`)
  2
  xylem: sessions: 'yesterdayx' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem sessions --help`)
  2
  xylem: sessions: 'yesterday ' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem sessions --help`)
  2
  xylem: sessions: 'monday14' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem sessions --help`)
  2
  xylem: sessions: 'monday 25:00' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem sessions --help`)
  2
  xylem: sessions: 'yesterday 14:00Z' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem sessions --help`)
  2
  xylem: sessions: 'today 14' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem sessions --help`)
  2
  xylem: sessions: '2026-02-30' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem sessions --help`)
  2
  xylem: sessions: '2026-11-20 24:00' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem sessions --help`)
  2
  xylem: sessions: '2026-11-20T17:18.5' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem sessions --help`)
  2
  xylem: sessions: '2026-13-01' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem sessions --help`)
  2
  xylem: sessions: '2x' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem sessions --help`)
  2
  xylem: sessions: '-2h' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem sessions --help`)
  2
  xylem: sessions: '17:18' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem sessions --help`)
  2
  xylem: sessions: 'mon' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem sessions --help`)
  2
  $ XYLEM_NOW=yesterday xylem sessions
  xylem: sessions: XYLEM_NOW is 'yesterday': expected a time like 2026-11-20T17:18:05Z (see `xylem sessions --help`)
  [2]
  $ verify
