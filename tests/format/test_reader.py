#!/usr/bin/python3
"""Compares read_store.py with the command, with its exports, and with what pi says of its own sessions.

    /usr/bin/python3 test_reader.py XYLEM GOLDEN SESSIONS      one line for each part; exit code 1 with a difference"""
import collections, json, os, random, shutil, struct, subprocess, sys, tempfile
from urllib.parse import quote
import read_store as reader

XYLEM, GOLDEN, SESSIONS = (os.path.abspath(argument) for argument in sys.argv[1:4])
TEMP = tempfile.mkdtemp(prefix="reader-")
ENVIRONMENT = {"PATH": os.environ.get("PATH", ""), "HOME": TEMP, "LC_ALL": "C.UTF-8", "TZ": "UTC"}
counts, differences = collections.Counter(), []  # of the part that runs

def same(what, mine, other, detail=""):
    counts[what] += 1
    if mine != other:
        differences.append("%s %s: %.150r, not %.150r" % (what, detail, mine, other))

def run(store, *words, codes=(0,)):
    words = [XYLEM, "-s", store] + [word.encode("utf-8", "surrogatepass") for word in words]
    done = subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, env=ENVIRONMENT)
    if done.returncode not in codes:
        differences.append("%r: exit code %d: %.150r" % (words[3:], done.returncode, done.stderr))
    return done.stdout

def loads(data):
    return json.loads(data.decode("utf-8", "surrogatepass"), parse_int=float)  # `log` spells numbers as JavaScript does

def ask(store, *words):
    return loads(run(store, *words, "--json", codes=(0, 1)) or b"{}")

def read_file(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()

def write_at(path, at, data):
    with open(os.path.join(path, "data.mdb"), "r+b") as file:
        file.seek(at)
        file.write(data)

def copy_of(name):
    path = os.path.join(TEMP, name)
    os.mkdir(path, 0o700)
    shutil.copyfile(os.path.join(GOLDEN, "data.mdb"), os.path.join(path, "data.mdb"))
    return path

def pick(document, names):
    return [document.get(name) for name in names.split()]

def compare(path):
    """A store as the reader reads it, and as the command does."""
    store = reader.Store(path)
    same("verify", [0, len(store.entries), len(store.branches), len(store.known)],
         pick(ask(path, "verify"), "problem_count entry_count branch_count session_count"))
    for s in store.known.values():
        if s.space or s.state != 0:  # the command names no session of a namespace
            continue
        mine = loads(json.dumps(reader.document(store, s)).encode())
        moves, names = ask(path, "moves", s.name)["moves"][::-1], "number time from to reason"
        same("moves", [pick(move, names) for move in mine["moves"]], [pick(move, names) for move in moves], s.name)
        tips = {e["entry"] for e in mine["entries"]} - {e["parent"] for e in mine["entries"]}
        logged = {e["entry"]: e for tip in tips for e in ask(path, "log", s.name + ":" + tip)["entries"]}
        states = ask(path, "state", s.name, "--every")["states"] if s.entries else []
        for n, (e, said, state) in enumerate(zip(s.entries, mine["entries"], states)):
            place, names = s.name + ":" + e.name, "entry parent kind time payload"
            same("log", pick(said, names) + [e.at[1], e.reason is not None],
                 pick(logged[e.name], names) + [logged[e.name]["depth"], "payload_error" in logged[e.name]], place)
            told, sequence = state["nudge"]["told"], state["sequence"]
            same("states", [e.name, reader.state_document(e.state)], [state["at"]["entry"], {
                "readonly": state["readonly"], "readonly_entry": state["readonly_entry"],
                "nudge_due": state["nudge"]["due"], "nudge_told": told and told["direction"],
                "sequence": sequence and sequence["sequence_id"]}], place)
            if n % max(1, len(s.entries) // 10) == 0:
                shown, names = ask(path, "show", place), "check lsn branch imported redacted payload_bytes format"
                same("show", ["%016x" % e.check, e.lsn, e.at[0], bool(e.flags & reader.IMPORTED), e.reason,
                              len(e.payload), ["none", "msgpack", "json", "line"][e.format]], pick(shown, names), place)
        same("lists of states", len(s.entries), len(states), s.name)
    return store

def compare_lines(store, export):
    for s in store.known.values():
        path, lines = os.path.join(export, quote(s.name, safe="") + ".lines"), store.stream(s)
        text = b"".join(line + b"\n" for line in lines if line is not None)
        same("streams", text, read_file(path) if os.path.exists(path) else b"", path)
        counts["lines"] += len(lines)

def same_lines_as_export(path, export):
    run(path, "export", "--all", export)
    compare_lines(reader.Store(path), export)
    shutil.rmtree(export)

def golden():
    store, export = compare(copy_of("golden")), os.path.join(GOLDEN, "export")
    compare_lines(store, export)
    sessions = {(s.space, s.name): s for s in store.known.values()}
    files = [file for file in os.listdir(export) if file.endswith(".changes") and not file.startswith("~")]
    same("lists of exports", len(files), sum(reader.STATES[s.state] != "importing" for s in store.known.values()))
    for file in files:
        stem, names, rows = file[:-8], "session state created leaf moves", collections.defaultdict(list)
        for row in read_file(export, file).splitlines():
            rows[loads(row)["row"]].append(loads(row))
        s = sessions[rows["session"][0].get("namespace", ""), rows["session"][0]["session"]]
        mine = loads(json.dumps(reader.document(store, s)).encode())
        moves = [{"number": n, "from": None, "to": None, "reason": "", **{k: row[k] for k in row if k != "row"}}
                 for n, row in enumerate(rows["moved"], 1)]
        deleted = len(rows["deleted"]) > len(rows["undeleted"])
        exported = {**rows["session"][0], "moves": moves, "state": "deleted" if deleted else "live",
                    "leaf": rows["end"][0].get("leaf")}
        held = [(q.line, q.offset, "%016x" % q.hash, q.bytes) for q in store.quarantine if q.session == s.number]
        lines = [(q["line"], q.get("offset", 0), q["hash"], q["bytes"]) for q in rows["quarantined"]]
        same("exports", pick(mine, names) + [sorted(held)], pick(exported, names) + [sorted(lines)], file)
        same("files", sorted((f.name.decode(), f.bytes) for f in store.sources if f.session == s.number),
             sorted((f["path"], f.get("bytes", 0)) for f in rows["file"]), file)
        if os.path.exists(os.path.join(export, stem + ".jsonl")):
            session_file(s, mine, read_file(export, stem + ".jsonl").splitlines(), file)

def session_file(s, mine, lines, file):
    """A session file has a header, and a line for each entry: the kept line, or a line from the fields."""
    kept = {e.line for e in s.entries if e.line is not None}
    same("headers and kept lines", kept | {s.header or lines[0]} <= set(lines), True, file)
    parsed = {x["id"]: x for x in (loads(line) for line in lines[1:] if line not in kept)}
    same("lists of lines", {e.name for e in s.entries if e.line is None}, set(parsed), file)
    for e, said in zip(s.entries, mine["entries"]):
        x = parsed.get(e.name, {})
        members = {name: x[name] for name in x if name not in ("type", "id", "parentId", "timestamp")}
        members = members if e.kind.cls or isinstance(said["payload"], dict) or e.reason else members.get("payload")
        payload = said["payload"] if e.reason is None else {"redacted": e.reason}
        if e.line is None:
            same("exported", [said["parent"], e.kind.cls, e.kind.name.decode("utf-8", "surrogatepass"), payload],
                 [x.get("parentId"), int(e.kind.cls and x["type"] == "custom"), members.pop("customType") if e.kind.cls
                  else x.get("type"), members.get("data") if e.kind.cls else members], file)

def changed():
    """What the command makes of a copy: a fork of a fork, redacted lines of a host, freed sessions, repaired damage."""
    path, export, reason = copy_of("changed"), os.path.join(TEMP, "export"), ["--yes", "--reason", "gone"]
    steps = [["fork", "host fork:@"], ["fork", "host fork:@", "--id", 'a"b\\'],
             ["redact", "host:l1", "--drop-hash"] + reason, ["delete", "host", "--yes"],
             ["redact", "--pattern", "^8$|last record"] + reason, ["gc", "--yes"]]
    for step in steps:
        run(path, *step)
        same_lines_as_export(path, export)
    data, chance = read_file(GOLDEN, "data.mdb"), random.Random(20)
    for n in range(10):
        damaged, repaired = copy_of("damaged %d" % n), os.path.join(TEMP, "repaired %d" % n)
        for _ in range(4):
            write_at(damaged, chance.randrange(8192, len(data) - 64), bytes(64))
        run(damaged, "repair", repaired, codes=(0, 1))
        run(repaired, "verify")
        same_lines_as_export(repaired, export)

def session_files(version):
    path, directory = os.path.join(TEMP, version), os.path.join(SESSIONS, version)
    run(path, "import", directory, "--quiet", codes=(0, 1))
    store = compare(path)
    by_id = {s.name: s for s in store.known.values()}
    for said in loads(read_file(directory, "ORACLE.json")):
        entries = {e.name: e for e in by_id[said["id"]].entries}
        for name, oracle in said["perEntry"].items():
            e, state = entries[name], reader.state_document(entries[name].state)
            on = state["readonly"] if state["readonly_entry"] else None
            same("oracle", [e.at[1], on, state["sequence"]], oracle, said["file"] + ":" + name)
    files = [os.path.join(place, file) for place, _, names in os.walk(directory) for file in names]
    lines = {line for file in files for line in read_file(file).split(b"\n")}
    for s in store.known.values():
        if s.name == "legacy-v1":  # lines of pi's first version are kept as pi migrates them
            continue
        kept = {e.line for e in s.own if e.line is not None}
        same("lists of kept lines", kept - lines, set(), s.name)
        counts["kept lines"] += len(kept)

def rows_in_file(data):
    """Of all rows the table, and place and length of key and value, by LMDB's pages of 4,096 bytes."""
    field = lambda form, at: struct.unpack_from("<" + form, data, at)
    def leaves(page):
        flags, lower = field("HH", page * 4096 + 10)
        for n in range((lower - 16) // 2):
            node = page * 4096 + field("H", page * 4096 + 16 + 2 * n)[0]
            low, high, node_flags, key_bytes = field("HHHH", node)
            value = node + 8 + key_bytes
            if flags & 1:  # a branch page
                yield from leaves(low | high << 16 | node_flags << 32)
            else:
                if node_flags & 1:  # a long value has pages of its own
                    value = field("Q", value)[0] * 4096 + 16
                yield node + 8, key_bytes, value, low | high << 16
    meta = max((0, 4096), key=lambda at: field("Q", at + 144))
    for key, key_bytes, value, _ in leaves(field("Q", meta + 128)[0]):
        for row in leaves(field("Q", value + 40)[0]):
            yield (data[key:key + key_bytes].decode(),) + row

def refusal(path):
    try:
        reader.Store(path)
    except reader.Bad as error:
        return str(error)

def flips():
    """Each flipped bit of a row must be found, by its sum or by what the row leads to."""
    path, data, chance, tables = copy_of("flips"), read_file(GOLDEN, "data.mdb"), random.Random(20), {}
    for table, *row in rows_in_file(data):
        tables.setdefault(table, []).append(row)
    same("lists of tables", sorted(tables), sorted(reader.TABLES))
    for table, rows in tables.items():
        for _ in range(100):
            key, key_bytes, value, value_bytes = chance.choice(rows)
            bit = chance.randrange((key_bytes + value_bytes) * 8)
            at = key + bit // 8 if bit // 8 < key_bytes else value + bit // 8 - key_bytes
            write_at(path, at, bytes([data[at] ^ 1 << bit % 8]))
            same("flips", refusal(path) is not None, True, "%s, offset %d, bit %d" % (table, at, bit % 8))
            write_at(path, at, data[at:at + 1])
    same("whole again", refusal(path), None)

def refusals():
    """Other versions and unknown features are refused by name, although the sum is right; by the command, too."""
    path, data = copy_of("refusals"), read_file(GOLDEN, "data.mdb")
    place = lambda row: row[0] == "meta" and data[row[1]:row[1] + row[2]] == b"format"
    at, size = next(row[3:] for row in rows_in_file(data) if place(row))
    features = {0x40: "compressed payloads", 0x80: "commits with one flush", 0x100: "0x100", 1 << 63: hex(1 << 63)}
    patches = [(version, 0, "version %d" % version) for version in (1, 2, 4)]
    for version, bit, name in patches + [(3, bit, features[bit]) for bit in features]:
        row = struct.pack("<IQ", version, bit) + data[at + 12:at + size - 8]
        write_at(path, at, row + reader.u64(reader.xxh(b"format" + row)))
        same("refused", name in (refusal(path) or ""), True, name)
        run(path, "sessions", codes=(7,))
    write_at(path, at, data[at:at + size])
    same("whole again", refusal(path), None)

def main():
    parts = {"golden": golden, "changed": changed, "flips": flips, "refusals": refusals}
    failed = False
    for name in ["golden"] + sorted(os.listdir(SESSIONS)) + ["changed", "flips", "refusals"]:
        counts.clear(), differences.clear()
        try:
            parts[name]() if name in parts else session_files(name)
        except Exception as error:
            differences.append("%s: %s" % (type(error).__name__, error))
        figures = ", ".join("%d %s" % (count, what) for what, count in counts.items())
        print("not ok %s: %s" % (name, " | ".join(differences[:5])) if differences else "ok %s: %s" % (name, figures))
        failed = failed or bool(differences)
    return failed

if __name__ == "__main__":
    try:
        code = main()
    finally:
        shutil.rmtree(TEMP)
    sys.exit(code)
