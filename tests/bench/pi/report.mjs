/*
 * The figures of `make bench-pi`, as a table or as JSON: medians, the 99th percentile, noise, ratios, and what each
 * side guarantees, without which no figure means anything. They mean what those of tests/bench/bench.h mean.
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

/* A p99 of fewer would be the greatest of them. */
const p99Samples = 100;

/* Of each side: who, the samples, the calls, what it guarantees. The first is what ratios are taken against. */
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

/* The samples of each session, side and key, as one list for each round. */
function readSamples(path) {
    const samples = new Map();
    for (const line of readFileSync(path, "utf8").trim().split("\n")) {
        const [session, side, round, key, number] = line.split(" ");
        const name = `${session} ${side} ${key}`;
        const rounds = samples.get(name) ?? new Map();
        samples.set(name, rounds.set(round, [...(rounds.get(round) ?? []), Number(number)]));
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

function median(numbers) {
    const sorted = numbers.toSorted((a, b) => a - b);
    return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/* The median, over the rounds, of this side's median through the first side's. */
function ratioOf(rounds, firsts) {
    const both = [...rounds.keys()].filter((round) => firsts.has(round));
    const ratios = both.map((round) => median(rounds.get(round)) / median(firsts.get(round)));
    return { ratio: median(ratios), ratio_rounds: ratios.length };
}

function summarizeSamples(session, rounds, firsts) {
    const sorted = [...rounds.values()].flat().sort((a, b) => a - b);
    const middle = median(sorted);
    return {
        session,
        median: middle,
        p99: sorted.length < p99Samples ? null : percentile(sorted, 0.99),
        noise: (percentile(sorted, 0.9) - percentile(sorted, 0.1)) / middle,
        samples: sorted.length,
        ...ratioOf(rounds, firsts),
    };
}

function summarizeRow({ name, title, sides }, samples, sessions) {
    const [[firstSide, firstKey]] = sides;
    const summarized = sides.map(([side, key, calls, guarantees]) => ({
        side,
        calls,
        guarantees,
        figures: sessions.map(({ session }) => {
            const firsts = samples.get(`${session} ${firstSide} ${firstKey}`);
            return summarizeSamples(session, samples.get(`${session} ${side} ${key}`), firsts);
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
    return Number.isFinite(ratio) ? Number(ratio.toPrecision(3)).toLocaleString("en", { maximumFractionDigits: 6 }) : "-";
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
        const heads = ["median", "p99", "noise", "samples", "ratio", "rounds"];
        console.log(`    ${"session".padEnd(14)}${heads.map((head) => head.padStart(10)).join("")}`);
        for (const { session, median: middle, p99, noise, samples, ratio, ratio_rounds: rounds } of figures) {
            const cells = [shown(middle, unit), p99 === null ? "-" : shown(p99, unit), `${(noise * 100).toFixed(0)} %`];
            cells.push(String(samples), shownRatio(ratio), String(rounds));
            console.log(`    ${session.padEnd(14)}${cells.map((cell) => cell.padStart(10)).join("")}`);
        }
    }
}

function print(report) {
    const { pi, node, rounds, file_system } = report;
    console.log(`pi ${pi} on Node ${node}, and xylem. ${rounds} rounds, in turns. Files on ${file_system}.`);
    console.log("Noise: (90th - 10th percentile) / median. Ratio: this side's median through that of the row's first");
    console.log("side in the same round, the median over the rounds: below 1, this side needs less. No p99 of less");
    console.log("than a hundred samples.");
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
