#!/usr/bin/python3
"""Reads a xylem store (format version 3) and checks the rules of docs/format.md.

    /usr/bin/python3 read_store.py DIRECTORY      one JSON line for each session, or one line about the first fault

First come the sums of all rows, then the tables one by one, then what leads from row to row. The reader stops at the
first fault: what it would read through a damaged row would only repeat the damage."""
import datetime, json, re, struct, sys
from types import SimpleNamespace as Row
import lmdb, msgpack, xxhash

TABLES = "meta sessions session_ids branches log ids kinds feed moves sources quarantine outlines sides".split()
FEATURES = {0x01: "freed", 0x02: "hash dropped", 0x04: "leases", 0x08: "removed", 0x10: "notes", 0x20: "backup"}
LATER_FEATURES = {0x40: "compressed payloads", 0x80: "commits with one flush"}
STARTS, INCOMPLETE, IMPORTED, REDACTED, MINTED, DROPPED = 0x01, 0x02, 0x04, 0x08, 0x40, 0x80  # flags of a record
NO_PAYLOAD, MSGPACK, JSON, LINE = range(4)  # formats of a payload
RECORD, REPEAT, SHARED, VALUES = range(4)  # types of rows of `sides`
MADE, MADE_WITH_BASE, DELETED, UNDELETED, NAVIGATED, REDACTION, FREED, OTHER, SIDE = range(1, 10)  # types of changes
STATES = ["live", "importing", "deleted", "freed"]
NONE, LINE_MAX = (0, 0), 268435456  # no position; the longest line
# The fields of the rows, in the order and with the types of the page.
META = {b"format": "version u32, features u64, without_entry u64", b"uuid": "id bytes16", b"notes": "count u64",
        b"incarnation": "id bytes16, lsn u64, chain u64, before bytes16", b"leases": "last_token u64, count u64",
        b"floors": "session u64, branch u64, lsn u64, kind u64", b"freed": "entries u64, sessions u64",
        b"removed": "count u64, redacted_before u64, deleted_before u64",
        b"redacting": "number u64, reason sized, last u64, entries sized, old_checks sized"}
LEASE = "token u64, pid i64, start i64, host sized"
SESSION = "state u8, has u8, base varposition, leaf varposition, imported_leaf varposition, tree varint, " \
          "last_lsn varint, moves varint, newest_branch varint, own_entries varint, changes varint, " \
          "newest_row varint, chain u64, created i64, id varsized, cwd varsized, parent varsized, header varsized"
BRANCH = "session varint, first varint, parent varint, previous varint, end varint, level varint, skip varint, " \
         "skip_level varint, skip_depth varint"
LOG = "sum u32, check u64, hash u64, flags u8, format u8, id_bytes u8, widths u16"
MOVE = "time i64, origin varposition, to varposition, reason varsized"
SOURCE = "name sized, order u64, bytes u64, lines u64, hash u64, ends u8, tail_bytes u64, tail sized, displaced u32"
GROWTH = "device u64, inode u64, modified i64, changed i64, chain u64, line_bytes u64, line_hash u64, placed u64, " \
         "greatest_lsn u64, last_lsn u64, last position"
QUARANTINED = "source sized, offset u64, reason u32, bytes u64, raw sized, hash u64"
OUTLINE = "last_lsn u64, leaf position, active i64, entries u64, tips u64, has u8, name sized"
OUTLINES = {0: ("", "lsn u64, session u64"), 1: ("session ordered", OUTLINE), 2: ("place rest", ""),
            3: ("directory_and_place rest", ""), 4: ("name_and_session rest", ""), 5: ("session ordered", ""),
            6: ("session ordered", "first_words sized, last_words sized")}  # by tag: the rest of the key, the value
u64, big_u64 = struct.Struct("<Q").pack, struct.Struct(">Q").pack

class Bad(ValueError):
    """Bytes that contradict the page."""

def need(condition, text):
    if not condition:
        raise Bad(text)
def refuse(*_):
    raise Bad("a value that no payload has")
def xxh(data, seed=0):
    return xxhash.xxh3_64_intdigest(data, seed=seed)
def varint(number):
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)

def wtf8(data):
    """UTF-8 in which a lone surrogate has three bytes. A pair of surrogates is a character, and has four."""
    text = data.decode("utf-8", "surrogatepass")
    need(not re.search("[\ud800-\udbff][\udc00-\udfff]", text), "a pair of surrogates: %r" % data)
    return text
def cut_name(name):
    return name if len(name) <= 400 else name[:392] + big_u64(xxh(name))

class Cut:
    """Takes fields from the front of bytes, and refuses every spelling but the shortest."""
    def __init__(self, data):
        self.data, self.at = data, 0
    def take(self, count):
        need(self.at + count <= len(self.data), "ends within a field")
        self.at += count
        return self.data[self.at - count:self.at]
    def fields(self, names):
        fields = [field.split() for field in names.split(", ") if field]
        return Row(**{name: getattr(self, kind)() for name, kind in fields})
    def number(self, width, order="little"): return int.from_bytes(self.take(width), order)
    def u8(self): return self.number(1)
    def u16(self): return self.number(2)
    def u32(self): return self.number(4)
    def u64(self): return self.number(8)
    def i64(self): return int.from_bytes(self.take(8), "little", signed=True)
    def bytes16(self): return self.take(16)
    def sized(self): return self.take(self.u32())
    def varsized(self): return self.take(self.varint())
    def position(self): return self.u64(), self.u64()
    def varposition(self): return self.varint(), self.varint()
    def rest(self): return self.take(len(self.data) - self.at)
    def end(self): need(self.at == len(self.data), "%d bytes are left over" % (len(self.data) - self.at))
    def varint(self):
        start = self.at
        while self.u8() > 127: pass
        number = sum((byte & 127) << 7 * n for n, byte in enumerate(self.data[start:self.at]))
        need(number < 2**64 and varint(number) == self.data[start:self.at], "not the shortest varint")
        return number
    def ordered(self):
        """A number of a key: the order of the bytes is the order of the numbers."""
        first = self.u8()
        if first < 0xf8:
            return first if first < 0xe0 else 224 + (first - 0xe0) * 256 + self.u8()
        number = self.number(first - 0xf7, "big")
        need(first > 0xf8 and number >= max(6368, 256 ** (first - 0xf8)), "not the shortest ordered number")
        return number
    def least(self, widths, choice):
        """A number of a record: it has the least of the widths that its field may have."""
        number = self.number(widths[choice])
        need(choice == 0 or number >= 256 ** widths[choice - 1], "not the least width")
        return number

# What an entry holds: a payload, a kept line, a line of another host.

def iso(ms):
    """A time as JavaScript writes it. Python has the years 1 to 9999 alone, but the calendar repeats each 400 years."""
    era, ms = divmod(max(-8640000000000000, min(8640000000000000, ms)), 146097 * 86400000)
    date = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=ms)
    year = date.year + 400 * era
    return ("%04d" if 0 <= year <= 9999 else "%+07d") % year + date.strftime("-%m-%dT%H:%M:%S.%f")[:-3] + "Z"

def kept_line(pieces, ident, time, payload):
    """The line of an imported entry, from new bytes and copies out of the words and the payload."""
    words = b'{"type":"message","id":"\0","parentId":"","timestamp":"\1","type":"message"}' \
            b'{"type":"custom","customType":"","data":{'
    cut = Cut(pieces)
    length, spaces = divmod(cut.varint(), 4)
    for mark in b":", b",":
        words = words.replace(mark, b" " * (spaces & 1) + mark + b" " * (spaces >> 1))
    words = words.replace(b"\1", iso(time).encode()).replace(b"\0", ident)  # last: these get no spaces
    source, line, end = words + payload, cut.take(cut.varint()), 0
    while cut.at < len(pieces):
        step, count = cut.varint(), cut.varint()
        place = end + (step // 2 if step % 2 == 0 else -(step + 1) // 2)
        end = place + count
        need(count >= 1 and 0 <= place and end <= len(source), "a copy outside of the source")
        need(end <= len(words) or place >= len(words), "a copy out of both parts of the source")
        line += source[place:end] + (cut.take(cut.varint()) if cut.at < len(pieces) else b"")
    need(1 <= len(line) == length <= LINE_MAX, "the pieces give %d bytes instead of %d" % (len(line), length))
    return line

def decode(data, is_json):
    """A payload as Python has it, without bin and ext. The limits of nesting and of values are not checked."""
    return json.loads(wtf8(data), parse_constant=refuse) if is_json else \
        msgpack.unpackb(data, raw=False, unicode_errors="surrogatepass", strict_map_key=True, ext_hook=refuse,
                        max_bin_len=0)

def fill(e, values, ident):
    """A line of another host with its values; `ident` is the id of the session that reads."""
    cut, line, at = Cut(values), b"", 0
    ident = json.dumps(wtf8(ident), ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass")
    for hole in e.holes:
        line, at = line + e.text[at:hole], hole
        if values:  # no values at all: each is empty
            length = cut.varint()
            line += ident if length == 0 else cut.take(length - 1)
    cut.end()
    return line + e.text[at:]

def check_line(e, values, ident):
    """With its values a line is an object, also without the id. Where a repair lost the values, it need not be."""
    for line in (fill(e, values, ident), fill(e, values, b"")) if values or not e.holes else ():
        need(b"\n" not in line and isinstance(decode(line, True), dict), "a line is no object: %r" % line)

def minted_lsn(name):
    """The lsn in an id that xylem made: a UUID of version 7 with 12 and 28 bits of the lsn."""
    need(re.fullmatch("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", name), "no minted id")
    bits = int(name.replace("-", ""), 16)
    return (bits >> 64 & 0xfff) << 28 | bits >> 34 & 0xfffffff

class Store:
    def __init__(self, directory):
        self.rows, self.where = {}, "store"
        try:
            with lmdb.open(directory, readonly=True, lock=False, max_dbs=20, create=False) as env, env.begin() as txn:
                self.load(env, txn)
            self.read_meta(), self.read_kinds(), self.read_sessions(), self.read_branches(), self.read_log()
            self.follow_paths(), self.follow_branches(), self.follow_sessions()
            self.read_moves(), self.read_sides(), self.read_feed(), self.read_ids(), self.read_files()
        except (ValueError, LookupError, lmdb.Error) as error:  # a missing key: what a row leads to is not there
            raise Bad("%s: %s" % (self.where, error if isinstance(error, ValueError) else repr(error)))

    def load(self, env, txn):
        """The rows of all tables, with right sums. The row `format` decides whether the other tables may be opened."""
        tables = {bytes(key).decode() for key, _ in txn.cursor()}
        row = txn.get(b"format", db=env.open_db(b"meta", txn=txn, create=False)) if "meta" in tables else None
        need(row and len(row) >= 20 and row[-8:] == u64(xxh(b"format" + row[:-8])), "no xylem store, or a wrong sum")
        version, self.features = struct.unpack_from("<IQ", row)
        need(version == 3, "version %d: export its sessions with the program that wrote it" % version)
        for bit in (1 << n for n in range(64)):
            need(bit in FEATURES or not self.features & bit, "unknown feature: %s" % LATER_FEATURES.get(bit, hex(bit)))
        need(tables == set(TABLES), "other tables: %r" % tables)
        for number, table in enumerate(TABLES):
            db, before = env.open_db(table.encode(), txn=txn, create=False), b""
            self.rows[table], width = [], {"meta": 8, "log": 0}.get(table, 4)  # a record of `log` has a sum of its own
            for key, value in txn.cursor(db):
                self.where, end = "%s: row %s" % (table, key.hex()), len(value) - width
                need(before < key, "keys do not ascend")
                before, want = key, u64((xxh(key + value[:end]) + number) % 2**64)[:width]
                need(value[end:] == want, "missing or wrong sum")
                self.rows[table].append((key, value[:end]))
            need(len(self.rows[table]) == txn.stat(db)["entries"], "LMDB counts other rows")
            need(not any(db.flags(txn).values()), "the table has flags of LMDB")

    def each(self, table):
        """Key and value of each row. After the work on a row, nothing may be left over."""
        for key, value in self.rows[table]:
            self.where, k, v = "%s: row %s" % (table, key.hex()), Cut(key), Cut(value)
            yield k, v
            k.end(), v.end()
        self.where = table

    def no_gap(self, numbers, floor):
        """A missing number up to the floor was freed; a missing number above is a lost row."""
        need(all(n in numbers for n in range(floor + 1, max(numbers, default=0))), "a number is missing")

    def read_meta(self):
        self.meta, self.old_checks, notes, leases = {}, {}, [], {}
        for k, v in self.each("meta"):
            name = k.rest()
            if name.startswith(b"note:"):
                need(wtf8(name) and 6 <= len(name) <= 205 and len(v.rest()) <= 4096, "a note")
                notes.append(name)
            elif name.startswith(b"lease:") and len(name) == 14:
                leases[int.from_bytes(name[6:], "big")] = v.fields(LEASE)
            else:
                self.meta[name] = v.fields(META[name])
        for bit, name in (1, b"floors"), (1, b"freed"), (4, b"leases"), (8, b"removed"), (0x10, b"notes"):
            need((name in self.meta) == bool(self.features & bit), "the feature bit of %r" % name)
        need(b"uuid" in self.meta and len(notes) == self.meta.get(b"notes", Row(count=0)).count, "uuid, or notes")
        last = self.meta.get(b"leases", Row(last_token=0, count=0))
        need(len(leases) == last.count and all(0 < x.token <= last.last_token for x in leases.values()), "owners")
        self.owned, self.floors = set(leases), self.meta.get(b"floors", Row(session=0, branch=0, lsn=0, kind=0))
        self.freed = self.meta.get(b"freed", Row(entries=0, sessions=0))
        if b"redacting" in self.meta:  # between two pieces of a redaction
            old = Cut(self.meta[b"redacting"].old_checks)
            self.old_checks = {old.position(): old.u64() for _ in range(len(old.data) // 24)}

    def read_kinds(self):
        self.kinds, by_name = {}, {}
        for k, v in self.each("kinds"):
            cls = k.u8()
            if cls != 0xff:
                by_name[bytes([cls]) + k.rest()] = v.u32()
                continue
            number, kind = k.number(4, "big"), Row(cls=v.u8(), name=v.rest())
            need(kind.cls < 2 and len(kind.name) <= 4096, "class or name")
            text = wtf8(kind.name)  # in text a colon of a host's own name is escaped: `custom:` is the class 1
            kind.text = "custom:" + text if kind.cls else text.replace("\\", "\\\\").replace(":", "\\:")
            self.kinds[number] = kind
        want = {bytes([kind.cls]) + cut_name(kind.name): number for number, kind in self.kinds.items()}
        need(by_name == want, "the two forms of rows differ")
        self.no_gap(self.kinds, self.floors.kind)

    def read_sessions(self):
        self.sessions = {}
        for k, v in self.each("sessions"):
            number, s = k.ordered(), v.fields(SESSION)
            s.number, s.branches, s.move_rows, s.sides = number, [], {}, {}
            s.seen = Row(changes=0, chain=0, row=0, moves=0, deleted=False, made=False)  # what `feed` tells
            s.owner, s.epoch = (v.varsized(), v.varint()) if s.has & 0x08 else (b"", 0)
            s.namespace = v.varsized() if s.has & 0x10 else b""
            need(len(s.namespace) <= 4096 and (s.namespace or not s.has & 0x10), "the namespace")
            s.name, s.space, s.is_freed = wtf8(s.id), wtf8(s.namespace), s.state == 3
            need(s.state < 4 and s.has < 32 and (not s.has & 4 or s.state == 2) and 1 <= s.tree <= number, "a field")
            need((s.has & 1 or not s.cwd) and (s.has & 2 or not s.parent), "a directory or parent without its bit")
            need(s.is_freed or 1 <= len(s.id) <= 200, "the id")
            gone = s.id, s.cwd, s.parent, s.header, s.moves, s.created, s.has & ~8, s.leaf[0], s.imported_leaf[0]
            need(not s.is_freed or not any(gone), "a freed session has more than it may")
            self.sessions[number] = s
        self.known = {number: s for number, s in self.sessions.items() if not s.is_freed}
        self.no_gap(self.sessions, self.floors.session)
        need(len(self.sessions) - len(self.known) == self.freed.sessions, "`meta` counts other freed sessions")
        need(self.owned <= set(self.sessions), "`meta` has an owner of no session")
        name = lambda s: (b"\xff" + big_u64(xxh(s.namespace)) if s.namespace else b"") + s.id
        ids = {k.rest(): v.u64() for k, v in self.each("session_ids")}
        need(ids == {name(s): number for number, s in self.known.items()}, "other ids than in `sessions`")

    def read_branches(self):
        self.branches = {}
        for k, v in self.each("branches"):
            number, b = k.ordered(), v.fields(BRANCH)
            b.number, b.tip = number, b.first - 1  # the tip grows with the rows of `log`
            need(b.parent < number and b.previous < number and (b.first == 1) == (b.parent == 0) and b.first, "a field")
            self.branches[number] = b
            self.sessions[b.session].branches.append(b)
        self.no_gap(self.branches, self.floors.branch)

    def read_log(self):
        self.entries = {}
        for k, v in self.each("log"):
            at, e = (k.ordered(), k.ordered()), v.fields(LOG)
            w, whole, sizes = e.widths, range(1, 9), (0, 1, 2, 4)
            need(not e.flags & 0x30 and e.format <= LINE and w < 1 << 14 and 1 <= e.id_bytes <= 64, "a field")
            e.lsn, zigzag = v.least(whole, w & 7), v.least(whole, w >> 3 & 7)
            e.kind_number, links = v.least(whole, w >> 6 & 3), v.least(whole, w >> 8 & 3)
            payload, beside = v.least(sizes, w >> 10 & 3), v.least(sizes, w >> 12 & 3)
            e.at, e.time, e.id, e.links = at, zigzag >> 1 ^ -(zigzag & 1), v.take(e.id_bytes), v.take(links)
            # The position is the seed of the sum: a record under a wrong key is found.
            seed = (at[0] * 0x9e3779b97f4a7c15 + at[1]) % 2**64
            need(e.sum == xxh(v.data[4:v.at], seed) & 0xffffffff, "the sum")
            e.name, e.kind, e.payload = wtf8(e.id), self.kinds[e.kind_number], v.take(payload)
            want = v.u64() if beside else xxh(b"")
            e.beside = v.take(max(0, beside - 8))  # pieces of a kept line, values of a line, or a reason
            need(want == xxh(e.beside) and beside != 8, "the hash of pieces, values or reason")
            need(e.format in (NO_PAYLOAD, MSGPACK) or e.kind.cls == 0, "a custom entry is not msgpack")
            need(not e.flags & MINTED or minted_lsn(e.name) == e.lsn, "the minted id holds another lsn")
            need(not e.flags & DROPPED or e.flags & REDACTED and self.features & 0x02, "a dropped hash")
            e.reason, e.value, e.line, e.holes, e.text = None, None, None, [], b""
            if e.flags & REDACTED:
                e.reason = wtf8(e.beside)
                need(not payload and len(e.beside) <= 256, "a redacted entry")
            else:
                need(e.hash == xxh(e.payload) and (e.format == NO_PAYLOAD) == (payload == 0), "the payload or its hash")
                self.read_payload(e)
            self.entries[at] = e

    def read_payload(self, e):
        if e.format == LINE:
            cut = Cut(e.payload)
            e.dialect, count = cut.u8(), cut.u8()
            for _ in range(count):
                e.holes.append(cut.varint() + sum(e.holes[-1:]))
            e.text = cut.rest()
            need(count <= 8 and max(e.holes, default=0) <= len(e.text), "the holes")
            check_line(e, e.beside, b"")
            e.value = decode(fill(e, e.beside, b""), True) if e.beside or not e.holes else None
            return
        if e.format != NO_PAYLOAD:
            e.value = decode(e.payload, e.format == JSON)
        members = set(e.value) if e.kind.cls == 0 and isinstance(e.value, dict) else set()
        need(not members & {"type", "id", "parentId", "timestamp"}, "a payload with a member of the entry")
        e.line = kept_line(e.beside, e.id, e.time, e.payload) if e.beside else None

    def parent_of(self, at):
        branch = self.branches[at[0]]
        if at[1] > branch.first:
            return at[0], at[1] - 1
        return (branch.parent, at[1] - 1) if branch.parent else NONE

    def path(self, at):
        """The entries from the root to a position."""
        entries = []
        while at != NONE:
            entries.append(self.entries[at])
            at = self.parent_of(at)
        return entries[::-1]

    def follow_paths(self):
        """Parents, checks, links and states. The position of a parent is smaller, so the parent comes first."""
        behind = {NONE: Row(newest={}, marked=NONE, check=0, state=START)}
        for at, e in sorted(self.entries.items()):
            self.where, branch = "log: branch %d, depth %d" % at, self.branches[at[0]]
            need(at[1] == branch.tip + 1, "a gap in the branch")
            branch.tip, e.parent = at[1], self.parent_of(at)
            before = behind[e.parent]
            covered = struct.pack("<BH", e.kind.cls, len(e.kind.name)) + e.kind.name + \
                struct.pack("<qBH", e.time, e.format, len(e.id)) + e.id + u64(e.hash)
            need(e.check == xxh(covered, self.old_checks.get(at, before.check)), "the check")
            # The links are made anew and compared byte for byte.
            marked = e.kind.text != "message"
            starts = e.parent not in (NONE, (at[0], at[1] - 1))
            incomplete = marked and len(before.newest) > 4096
            need(e.flags & (STARTS | INCOMPLETE) == starts * STARTS + incomplete * INCOMPLETE, "the flags of links")
            back = lambda to: varint(at[0] - to[0]) + varint(at[1] - to[1]) if to != NONE else b"\0\0"
            links, last = (varint(at[0] - e.parent[0]) if starts else b"") + back(before.marked), 0
            for kind in sorted(before.newest) if marked and not incomplete else ():
                links, last = links + varint(kind - last) + back(before.newest[kind]), kind
            need(e.links == links, "the links are %s instead of %s" % (e.links.hex(), links.hex()))
            e.state, newest = state_behind(before.state, e), {**before.newest, e.kind_number: at}
            behind[at] = Row(newest=newest, marked=at if marked else before.marked, check=e.check, state=e.state)

    def follow_branches(self):
        last = {}
        for b in self.branches.values():
            self.where, want = "branches: branch %d" % b.number, (1, 0, 0, 0)
            end = (0, b.tip) if self.sessions[b.session].is_freed else (0,)
            need(b.tip >= b.first and b.end in end and b.previous == last.get(b.session, 0), "entries, end or previous")
            last[b.session] = b.number
            if b.parent:
                p = self.branches[b.parent]
                q = self.branches.get(p.skip, Row(level=0, skip=0, skip_level=0))
                need(p.first <= b.first - 1 <= p.tip, "the fork point is not on the parent")
                want = p.level + 1, p.number, p.level, b.first - 1
                if p.level - p.skip_level == q.level - q.skip_level:
                    want = p.level + 1, q.skip, q.skip_level, q.skip_depth
            need((b.level, b.skip, b.skip_level, b.skip_depth) == want, "level and skip are not %r" % (want,))

    def follow_sessions(self):
        for s in self.sessions.values():
            self.where = "sessions: session %d" % s.number
            s.own = [self.entries[b.number, depth] for b in s.branches for depth in range(b.first, b.tip + 1)]
            s.shared = {e.at: e for e in self.path(s.base)}
            s.entries = sorted(s.own + list(s.shared.values()), key=lambda e: e.lsn)
            s.positions = {e.at for e in s.entries} | {NONE}
            found = len(s.own), max([e.lsn for e in s.own], default=0), max([b.number for b in s.branches], default=0)
            need(found == (s.own_entries, s.last_lsn, s.newest_branch), "own entries, last lsn or newest branch")
            starts = {self.parent_of((b.number, b.first)) for b in s.branches}
            need({s.leaf, s.imported_leaf} | starts <= s.positions, "a leaf, or a branch that starts elsewhere")
            need(len({e.id for e in s.entries}) == len(s.entries), "an id twice")
            source = self.sessions[self.branches[s.base[0]].session] if s.shared else Row(number=0, tree=s.tree)
            need(source.number < s.number and source.tree == s.tree, "the tree of the base")

    def read_moves(self):
        for k, v in self.each("moves"):
            s, number, m = self.known[k.ordered()], k.ordered(), v.fields(MOVE)
            need({m.origin, m.to} <= s.positions and len(m.reason) <= 256, "a navigation")
            s.move_rows[number] = m
        for s in self.sessions.values():
            need(list(s.move_rows) == list(range(1, s.moves + 1)), "session %d has other navigations" % s.number)

    def read_sides(self):
        for k, v in self.each("sides"):
            s, lsn, first = self.known[k.ordered()], k.ordered(), v.u8()
            side = s.sides[lsn] = Row(lsn=lsn, type=first & 0x7f, redacted=first >> 7, count=0, changes=0)
            need(side.type in (RECORD, VALUES) or side.type < 4 and not side.redacted, "the type %d" % first)
            side.dialect, side.at = (v.u8(), NONE) if side.type == RECORD else (None, v.varposition())
            need(side.at in s.positions, "a position of another session")
            e = None if side.type == RECORD else self.entries[side.at]
            if side.type in (REPEAT, SHARED):
                side.count = v.varint()
                need(1 <= side.count <= e.at[1] and e.lsn < lsn, "more entries than the path has, or newer ones")
                need(side.type == REPEAT or e.at in s.shared, "the position is not on the path of the base")
                continue
            side.text = v.varsized()
            need(not side.redacted or len(wtf8(side.text).encode("utf-8", "surrogatepass")) <= 256, "the reason")
            if side.type == VALUES:
                need(e.lsn == lsn and e.at in s.shared and e.format == LINE, "values of no shared line")
                if not side.redacted and not e.flags & REDACTED:  # a repair may take the text of an entry alone
                    check_line(e, side.text, s.id)
            else:
                need(b"\n" not in side.text, "a record with a newline")

    def read_feed(self):
        """All changes by their lsns. The chains are hashed anew, but for what freeing took away."""
        self.next_lsn, self.chain, self.chains, self.is_cut, self.lsns = 1, 0, {0: 0}, False, [0, 0, 0, 0]
        for k, v in self.each("feed"):
            self.feed_row(k, v)
        for s in self.known.values():
            found = s.seen.changes, s.seen.row, s.seen.chain, s.seen.moves, s.seen.deleted
            want = s.changes, s.newest_row, s.chain, s.moves, s.state == 2
            need(found == want, "the changes of session %d differ from its row" % s.number)
            for side in s.sides.values():  # a repair keeps no second change
                need(1 <= side.changes <= 1 + side.redacted, "session %d: the changes of a row of `sides`" % s.number)
        entries, freed, changes, skipped = self.lsns
        need(entries == len(self.entries), "other entries than in `log`")
        counted = self.freed.entries, self.meta[b"format"].without_entry
        need((freed, changes + skipped) == counted, "`meta` counts other lsns of freed entries, or without an entry")
        life, removed = self.meta.get(b"incarnation"), self.meta.get(b"removed")
        need(not life or self.chains.get(life.lsn, life.chain) == life.chain, "the chain of the life before")
        need(not removed or max(removed.redacted_before, removed.deleted_before) <= self.next_lsn, "`removed`")

    def feed_row(self, k, v):
        lsn, form, kind = k.ordered(), v.u8(), 0
        need(lsn == self.next_lsn and form < 4, "the row before ends at lsn %d, or a new form" % (self.next_lsn - 1))
        need(form == 1 or not self.is_cut, "no freed lsns behind a cut row")
        if form in (1, 3):  # freed and skipped lsns
            last, chain = v.varint(), v.u64()
            need(last >= lsn and (form == 1 or chain == self.chain), "no lsns, or skipped lsns with another chain")
            self.lsns[form] += last - lsn + 1
            self.next_lsn, self.chain, self.chains[last], self.is_cut = last + 1, chain, chain, False
            return
        if form == 0:
            at, count = v.varposition(), v.varint()
            entries, number = [self.entries[at[0], at[1] + n] for n in range(count)], self.branches[at[0]].session
            need([e.lsn for e in entries] == list(range(lsn, lsn + count)) and 1 <= count <= 65536, "lsns of entries")
            changes = [(e.time, e.id) for e in entries]
        else:
            kind, number = v.u8(), v.varint()
            changes = [self.change(lsn, kind, number, v)]
        self.lsns[form] += len(changes)
        need(number in self.sessions or number <= self.floors.session, "the session is lost")
        s = self.known.get(number)
        if kind != FREED:
            chain, ordinal, distance = v.u64(), v.varint(), v.varint()
            need(ordinal and (ordinal == 1) == (distance == 0), "ordinal and distance")
            if s:
                want = s.seen.chain, s.seen.changes + 1, lsn - s.seen.row if s.seen.row else 0
                need((chain, ordinal, distance) == want, "the session's chain, ordinal or distance")
                for time, ident in changes:
                    s.seen.changes, s.seen.row = s.seen.changes + 1, lsn
                    s.seen.chain = xxh(struct.pack("<QBq", s.seen.changes, kind, time) + ident, s.seen.chain)
        chain = v.u64()
        self.is_cut = form == 0 and chain == 0 and not s
        if None not in changes and not self.is_cut:  # else only the row tells the chain: freeing took a part
            for n, (time, ident) in enumerate(changes):
                self.chain = xxh(struct.pack("<QQBq", lsn + n, number, kind, time) + ident, self.chain)
                self.chains[lsn + n] = self.chain
            need(chain == self.chain, "the store's chain")
        self.next_lsn, self.chain = lsn + len(changes), chain

    def change(self, lsn, kind, number, v):
        """A change without an entry: the time and the id that the chains cover, or None if freeing took them."""
        s = self.known.get(number)
        need(MADE <= kind <= SIDE, "a change of type %d" % kind)
        if kind == NAVIGATED:
            n = v.varint()
            if s is None:
                return None
            need(n == s.seen.moves + 1, "navigations in another order")
            s.seen.moves, to = n, s.move_rows[n].to
            return s.move_rows[n].time, self.entries[to].id if to != NONE else b""
        if kind == REDACTION:
            e = self.entries.get(v.varposition())
            done = e and e.flags & REDACTED and self.branches[e.at[0]].session == number
            need(done or not s and not e, "a redaction that was not done")
            return (0, e.id) if e else None
        if kind == FREED:
            need(not s, "a session that was not freed")
            return 0, v.varsized().split(b"\xff")[0]
        distance = v.varint() if kind == SIDE else 0
        if s and kind in (MADE, MADE_WITH_BASE):
            need(not s.seen.made and (s.base != NONE) == (kind == MADE_WITH_BASE), "made twice, or with another base")
            s.seen.made = True
        elif s and kind in (DELETED, UNDELETED):
            s.seen.deleted = kind == DELETED
        elif s and kind == SIDE:
            side = s.sides[lsn - distance]
            side.changes += 1  # but for values, the first change gives the row its lsn
            need((distance == 0) == (side.changes == 1 and side.type != VALUES), "the distance to the row of `sides`")
        return 0, b""

    def read_ids(self):
        found = {(k.ordered(), k.take(4), k.ordered(), k.ordered(), k.ordered()) for k, _ in self.each("ids")}
        want = {(s.tree, big_u64(xxh(e.id))[:4], s.number) + e.at
                for s in self.sessions.values() for e in s.own if not e.flags & MINTED}
        need(found == want, "missing or needless rows: %r" % (found ^ want))

    def read_files(self):
        """Session files, their lines that have no place, and of the outlines the form alone: they may be stale."""
        self.sources, self.quarantine = [], []
        for k, v in self.each("sources"):
            number, key, f = k.ordered(), k.rest(), v.fields(SOURCE)
            s, pairs = self.known[number], [(v.u64(), v.u64()) for _ in range(f.displaced)]
            f.session, growth = number, v.fields(GROWTH) if v.at < len(v.data) else None
            need(key == cut_name(f.name) and f.ends < 4 and len(f.tail) in (0, f.tail_bytes), "a field")
            need(pairs == sorted(pairs) and {lsn for lsn, _ in pairs} <= {e.lsn for e in s.entries}, "displaced lines")
            need(not growth or growth.last in s.positions and f.order, "the last entry, or a noted file with more")
            self.sources.append(f)
        for k, v in self.each("quarantine"):
            number, line, key, q = k.ordered(), k.ordered(), k.number(8, "big"), v.fields(QUARANTINED)
            q.session, q.line, redacted = self.known[number].number, line, q.reason == 13
            need((q.reason < 9 or q.reason in (13, 14)) and key == xxh(u64(q.hash) + q.source), "reason or key")
            want = xxh(u64(q.offset) + u64(q.bytes) if redacted else q.raw)
            need(len(q.raw) == (0 if redacted or q.bytes > LINE_MAX + 1 else q.bytes), "the length of the line")
            need(q.hash == want or q.bytes > LINE_MAX + 1, "the hash of the line")
            self.quarantine.append(q)
        for k, v in self.each("outlines"):
            key, value = OUTLINES[k.u8()]
            k.fields(key), v.fields(value)

    def stream(self, s):
        """What the host of a session wrote, line by line; None is a line that was redacted."""
        rows = [side for side in s.sides.values() if side.type != VALUES]
        # The path of the base comes first, or where the rows of the type shared stand.
        parts = [] if any(side.type == SHARED for side in rows) else list(s.shared.values())
        for part in sorted(s.own + rows, key=lambda part: part.lsn):
            parts += self.path(part.at)[-part.count:] if part in rows and part.count else [part]
        def line(part):
            if part in rows:
                return None if part.redacted else part.text
            own = s.sides.get(part.lsn) if part.at in s.shared else None
            lost = part.flags & REDACTED or own and own.redacted
            return None if lost else fill(part, own.text if own else part.beside, s.id)
        return [line(part) for part in parts if part in rows or part.format == LINE]

# The state of the extensions (rehydration.md): the newest valid entry of each kind decides.

START = {"toggle": None, "told": None, "on_lies": False, "sequence": None}

def state_behind(before, e):
    """The state behind an entry, from the state behind its parent."""
    data, kind = e.value if isinstance(e.value, dict) else {}, e.kind.text.replace("agenticoding-", "")
    redacted = bool(e.flags & REDACTED) or list(data) == ["redacted"] and isinstance(data["redacted"], str)
    if kind == "custom:readonly" and (redacted or isinstance(data.get("enabled"), bool)):
        return {**before, "toggle": Row(on=redacted or data["enabled"], depth=e.at[1], entry=e.name)}  # fails closed
    if kind == "custom:readonly-nudge" and data.get("direction") in ("on", "off"):
        told = Row(direction=data["direction"], depth=e.at[1]) if data.get("delivered") is True else before["told"]
        return {**before, "told": told, "on_lies": before["on_lies"] or data["direction"] == "on"}
    number = lambda x: type(x) in (int, float) and abs(x) < float("inf")
    ident, steps, version = data.get("sequenceId"), data.get("steps"), data.get("version")
    if kind == "custom:sequence" and number(version) and version == 1 and isinstance(ident, str) and ident \
            and isinstance(steps, list) and all(isinstance(x, str) for x in steps) and number(data.get("updatedAt")):
        return {**before, "sequence": ident}
    return before

def state_document(state):
    """For a session that is resumed at the entry, without a flag."""
    toggle, told = state["toggle"], state["told"]
    on, direction = bool(toggle and toggle.on), told and told.direction
    due = (direction != "on" or told.depth < toggle.depth) if on else state["on_lies"] and direction != "off"
    return {"readonly": on, "readonly_entry": toggle and toggle.entry, "nudge_due": due, "nudge_told": direction,
            "sequence": state["sequence"]}

def document(store, s):
    """What the reader prints of a session."""
    ident = lambda at: store.entries[at].name if at != NONE else None
    return {"session": s.name, "number": s.number, "namespace": s.space, "state": STATES[s.state],
            "leaf": ident(s.leaf), "created": iso(s.created),
            "lines": [line and line.decode("utf-8", "replace") for line in store.stream(s)],
            "entries": [{"entry": e.name, "parent": ident(e.parent), "kind": e.kind.text, "time": iso(e.time),
                         "payload": e.value, "redacted": e.reason, **state_document(e.state)} for e in s.entries],
            "moves": [{"number": n, "time": iso(m.time), "from": ident(m.origin), "to": ident(m.to),
                       "reason": m.reason.decode("utf-8", "replace")} for n, m in s.move_rows.items()]}

if __name__ == "__main__":
    try:
        read = Store(sys.argv[1])
    except Bad as error:
        sys.exit("read_store: %s" % error)
    for session in read.sessions.values():
        print(json.dumps(document(read, session)))
