/*
 * The figures of `make bench-pi`, as a table or as JSON: medians, the 99th percentile, ratios, and what each side
 * guarantees, without which no figure means anything.
 *
 *     report.mjs SAMPLES SESSIONS ROUNDS FILE_SYSTEM [--json]
 */
import { readFileSync } from "node:fs";

const copied =
    "write(2) of every entry into a new file, no sync. A crash in the middle leaves a shorter file that opens as a " +
    "session; a power cut may take all or part of a fork that returned.";
const loaded =
    "Reads and parses every line. No checksums: a line that does not parse is left out without a word, and the " +
    "branch ends where a parent is missing.";
const verified = "Every byte that the answer rests on is verified by its sum; damage is an error, never another state.";
const full = "Durability full: what returned survives a power cut. A crash in the middle leaves nothing of it.";
const none =
    "Durability none: what returned survives a crash of the process. A power cut may lose what was not synced, and " +
    "damage the store.";

/* Of each side: who, the samples, the calls, what it guarantees. The first is what ratios are taken of. */
const rows = [
    {
        name: "open",
        title: "Open and rehydrate, in a new process, page cache warm, without the start of the process",
        sides: [
            ["pi", "open", "SessionManager.open(), scan of getBranch() for readonly and sequence", loaded],
            ["xylem", "open", "xylem_open(), xylem_session_find(), xylem_rehydrate(): also the nudge", verified],
        ],
    },
    {
        name: "warm",
        title: "Rehydrate again in the same process",
        sides: [
            ["pi", "warm", "scan of getBranch(), in a manager that holds every entry in memory",
                "Sees what this manager loaded and appended, not what another process appends."],
            ["xylem", "warm", "xylem_begin(), xylem_session_find(), xylem_rehydrate(), xylem_abort()",
                `Sees what any process committed. ${verified}`],
        ],
    },
    {
        name: "fork",
        title: "Fork at the leaf",
        sides: [
            ["pi", "fork", "createBranchedSession()", copied],
            ["pi", "fork_from", "forkFrom(), which reads the source and the copy besides", copied],
            ["xylem", "fork_full", "xylem_begin(), xylem_fork(), xylem_commit()", full],
            ["xylem", "fork_none", "xylem_begin(), xylem_fork(), xylem_commit()", none],
        ],
    },
    {
        name: "append",
        title: "Append one custom entry to a fork",
        sides: [
            ["pi", "append", "appendCustomEntry()",
                "write(2), no sync: what returned survives a crash of the process, once the session has a message " +
                "of the assistant; before that nothing is written. A power cut may lose what returned, or leave " +
                "part of a line, which the next open leaves out without a word."],
            ["xylem", "append_full", "xylem_begin(), xylem_append(), xylem_commit()", full],
            ["xylem", "append_none", "xylem_begin(), xylem_append(), xylem_commit()", none],
        ],
    },
    {
        name: "memory_open",
        title: "By how much the open above raises the peak of the process's memory (VmHWM)",
        sides: [
            ["pi", "memory_open", "Node", `Holds every entry for as long as the session is open. ${loaded}`],
            ["xylem", "memory_open", "a C program", `Counts the pages of the file that it read. ${verified}`],
        ],
    },
    {
        name: "memory_before",
        title: "Memory of the process before that open (VmRSS), which the row above does not count",
        sides: [
            ["pi", "memory_before", "Node with pi's package loaded", "Guarantees nothing: no session is open."],
            ["xylem", "memory_before", "a C program", "Guarantees nothing: no store is open."],
        ],
    },
    {
        name: "import",
        title: "Import of pi's file, once, in none of the rows above",
        sides: [["xylem", "import", "xylem_import() into a new store", `${full} Batches are committed one by one.`]],
    },
];

function inBytes(name) {
    return name.startsWith("memory");
}

function readSamples(path) {
    const samples = new Map();
    for (const line of readFileSync(path, "utf8").trim().split("\n")) {
        const [session, side, key, number] = line.split(" ");
        const name = `${session} ${side} ${key}`;
        samples.set(name, [...(samples.get(name) ?? []), Number(number)]);
    }
    return samples;
}

function readSessions(path) {
    return readFileSync(path, "utf8").trim().split("\n").map((line) => {
        const [session, fileBytes, , readonly, sequence] = line.split(" ");
        const state = { readonly: readonly === "true", sequence: sequence || null };
        return { session, entries: Number.parseInt(session, 10), file_bytes: Number(fileBytes), state };
    });
}

/* The smallest number that at least so large a part of the numbers does not exceed. */
function percentile(sorted, part) {
    return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)];
}

function summarizeRow({ name, title, sides }, samples, sessions) {
    const firsts = new Map();
    const summarized = sides.map(([side, key, calls, guarantees]) => ({
        side,
        calls,
        guarantees,
        figures: sessions.map(({ session }) => {
            const sorted = samples.get(`${session} ${side} ${key}`).sort((a, b) => a - b);
            const median = percentile(sorted, 0.5);
            firsts.set(session, firsts.get(session) ?? median);
            const ratio = firsts.get(session) / median;
            return { session, median, p99: percentile(sorted, 0.99), samples: sorted.length, ratio };
        }),
    }));
    return { name, title, unit: inBytes(name) ? "bytes" : "ns", sides: summarized };
}

/* Three digits, in the unit that suits. */
function shown(number, unit) {
    const units = unit === "bytes" ? ["B", "kB", "MB", "GB"] : ["ns", "us", "ms", "s"];
    let step = 0;
    while (Math.abs(number) >= 999.5 && step < units.length - 1) {
        number /= 1000;
        step++;
    }
    return `${Number(number.toPrecision(3))} ${units[step]}`;
}

function shownRatio(ratio) {
    return Number.isFinite(ratio) ? Number(ratio.toPrecision(2)).toLocaleString("en") : "-";
}

/* The text in lines of 100 columns or fewer, each indented. */
function wrapped(text, indent) {
    const lines = [""];
    for (const word of text.split(" ")) {
        const longer = `${lines.at(-1)} ${word}`.trimStart();
        if (indent.length + longer.length > 100) {
            lines.push(word);
        } else {
            lines[lines.length - 1] = longer;
        }
    }
    return lines.map((line) => indent + line).join("\n");
}

function printRow({ title, unit, sides }) {
    console.log(`\n${title}`);
    for (const { side, calls, guarantees, figures } of sides) {
        console.log(`\n  ${side}: ${calls}\n${wrapped(guarantees, "    ")}`);
        console.log(`    ${"session".padEnd(14)} ${"median".padStart(10)} ${"p99".padStart(10)} samples     ratio`);
        for (const { session, median, p99, samples, ratio } of figures) {
            const cells = [session.padEnd(14), shown(median, unit).padStart(10), shown(p99, unit).padStart(10)];
            cells.push(String(samples).padStart(7), shownRatio(ratio).padStart(9));
            console.log(`    ${cells.join(" ")}`);
        }
    }
}

function print(report) {
    const { pi, node, rounds, file_system } = report;
    console.log(`pi ${pi} on Node ${node}, and xylem. ${rounds} rounds, in turns. Files on ${file_system}.`);
    console.log("Ratio: the median of the row's first side by this one's. p99 of few samples: the greatest of them.");
    console.log("Below each side stands what it guarantees, without which its figures mean nothing.\n");
    for (const { session, entries, file_bytes: bytes, state } of report.sessions) {
        const size = `${entries.toLocaleString("en")} entries, ${shown(bytes, "bytes")}`;
        const where = session.endsWith("-early") ? ", from the first hundredth" : "";
        console.log(`${session.padEnd(14)} ${size}; both say readonly ${state.readonly}, ${state.sequence}${where}`);
    }
    report.rows.forEach(printRow);
    if (file_system === "tmpfs") {
        console.log("\nA sync costs nothing on tmpfs: set TMPDIR to a directory on a disk.");
    }
}

const [samplesPath, sessionsPath, rounds, fileSystem, form] = process.argv.slice(2);
const packagePath = new URL("node_modules/@earendil-works/pi-coding-agent/package.json", import.meta.url);
const samples = readSamples(samplesPath);
const sessions = readSessions(sessionsPath);
const report = {
    schema: 1,
    pi: JSON.parse(readFileSync(packagePath, "utf8")).version,
    node: process.version,
    rounds: Number(rounds),
    file_system: fileSystem,
    sessions,
    rows: rows.map((row) => summarizeRow(row, samples, sessions)),
};
if (form === "--json") {
    console.log(JSON.stringify(report, null, 2));
} else {
    print(report);
}
