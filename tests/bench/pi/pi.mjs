/*
 * pi's side of `make bench-pi`, which tools/bench_pi.sh runs beside pi.c, xylem's side:
 *
 *     pi.mjs generate DIRECTORY ENTRIES[-early]    has pi write a session of so many entries, and prints its file;
 *                                                  early: what is rehydrated lies in the first hundredth of it
 *     pi.mjs measure FILE DIRECTORY                opens the file and scans its branch, the same in a warm process,
 *                                                  forks into the directory, appends to a fork
 *
 * Prints `sample NAME NUMBER` for each figure, in nanoseconds or bytes, and the state that was found.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { SessionManager } from "@earendil-works/pi-coding-agent";

/* Those of pi.c. The first warmUpCount calls of a warm process are not reported: the code is compiled in them. */
const warmUpCount = 10;
const warmCount = 50;
const forkCount = 3;
const appendCount = 50;

// --- The session -----------------------------------------------------------------------------------------------------

const textMedianBytes = 300;
const longTextBytes = 100_000;

/* The same numbers in every run, from 0 to below 1 (a xorshift of 32 bits). */
let randomState = 0x9e3779b9;
function random() {
    randomState ^= randomState << 13;
    randomState ^= randomState >>> 17;
    randomState ^= randomState << 5;
    return (randomState >>> 0) / 2 ** 32;
}

function pick(list) {
    return list[Math.floor(random() * list.length)];
}

const words = ["the", "store", "reads", 'path = "src/main.c";\n', "entry", "of", "a", "naïve", "\treturn", "line"];
const prose = Array.from({ length: longTextBytes / 4 }, () => pick(words)).join(" ");

/* Lengths are log-normal: two of three texts have 110 to 820 bytes; one of 500 has 100 KB, as a file that was read. */
function text() {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const length = random() < 1 / 500 ? longTextBytes : Math.ceil(textMedianBytes * Math.exp(normal));
    const start = Math.floor(random() * (prose.length - longTextBytes));
    return prose.slice(start, start + Math.min(length, longTextBytes));
}

function assistantMessage() {
    const cost = { input: 0.0014, output: 0.0001, cacheRead: 0, cacheWrite: 0, total: 0.0015 };
    const usage = { input: 1417, output: 50, cacheRead: 0, cacheWrite: 0, reasoning: 0, totalTokens: 1467, cost };
    return {
        role: "assistant",
        content: [{ type: "text", text: text() }],
        api: "openai-completions",
        provider: "bench",
        model: "bench-1",
        usage,
        stopReason: "stop",
        timestamp: Date.now(),
    };
}

function otherMessage(byUser) {
    const content = [{ type: "text", text: text() }];
    if (byUser) {
        return { role: "user", content, timestamp: Date.now() };
    }
    return {
        role: "toolResult",
        toolCallId: "call_1_0",
        toolName: pick(["read", "bash", "edit", "write"]),
        content,
        details: {},
        isError: false,
        timestamp: Date.now(),
    };
}

/* What extensions append, in pairs where they do: a toggle and its nudge. Gives the number of entries. */
function appendCustom(manager, number, rehydrated) {
    const direction = pick(["on", "off"]);
    const kind = rehydrated ? random() : 1;
    if (kind < 0.3) {
        manager.appendCustomEntry("readonly", { enabled: direction === "on" });
        manager.appendCustomEntry("readonly-nudge", { direction });
        return 2;
    }
    if (kind < 0.5) {
        manager.appendCustomEntry("readonly-nudge", { direction, delivered: true });
    } else if (kind < 0.75) {
        const steps = ["/readonly", "Plan $@", "/handoff execution"];
        const sequenceId = `seq-${number}`;
        manager.appendCustomEntry("sequence", { version: 1, sequenceId, steps, updatedAt: Date.now() });
    } else {
        manager.appendCustomEntry(pick(["note", "progress", "remark"]), { text: "a line for oneself", number });
    }
    return 1;
}

/* Now and then the user goes back a little, and the session goes on from there. */
function navigate(manager) {
    let entry = manager.getLeafEntry();
    for (let steps = Math.floor(random() * 40); steps > 0 && entry.parentId; steps--) {
        entry = manager.getEntry(entry.parentId);
    }
    manager.branch(entry.id);
}

function generate(directory, name) {
    const entryCount = Number.parseInt(name, 10);
    const rehydratedCount = name.endsWith("-early") ? entryCount / 100 : entryCount;
    const manager = SessionManager.create("/home/dev/project", directory);
    let count = 0;
    while (count < entryCount) {
        if (count > 2 && count + 2 <= entryCount && random() < 0.08) {
            count += appendCustom(manager, count, count < rehydratedCount);
            continue;
        }
        if (random() < 1 / 250 && count > 0) {
            navigate(manager);
        }
        manager.appendMessage(count % 2 === 1 ? assistantMessage() : otherMessage(count % 8 === 0));
        count++;
    }
    console.log(manager.getSessionFile());
}

// --- What is measured ------------------------------------------------------------------------------------------------

const lines = [];

function sample(name, number) {
    lines.push(`sample ${name} ${number}`);
}

function timed(name, call) {
    const begin = process.hrtime.bigint();
    const result = call();
    sample(name, process.hrtime.bigint() - begin);
    return result;
}

/* A line of /proc/self/status, in bytes. */
function processBytes(name) {
    const status = readFileSync("/proc/self/status", "utf8");
    return Number(status.match(new RegExp(`^${name}:\\s*(\\d+) kB`, "m"))[1]) * 1024;
}

/* Sets the peak of the process's memory to what it takes now, and says how much that is. */
function resetPeakBytes() {
    writeFileSync("/proc/self/clear_refs", "5");
    return processBytes("VmRSS");
}

function isSnapshot(data) {
    return data?.version === 1 && typeof data.sequenceId === "string" && Array.isArray(data.steps);
}

/* As an extension does it: the branch of the leaf, newest to oldest, until both are found. */
function scan(manager) {
    const branch = manager.getBranch();
    let readonly;
    let sequence;
    for (let i = branch.length - 1; i >= 0 && (readonly === undefined || sequence === undefined); i--) {
        const { type, customType, data } = branch[i];
        if (type !== "custom") {
            continue;
        }
        if (readonly === undefined && customType === "readonly" && typeof data?.enabled === "boolean") {
            readonly = data.enabled;
        } else if (sequence === undefined && customType === "sequence" && isSnapshot(data)) {
            sequence = data.sequenceId;
        }
    }
    return `${readonly ?? false} ${sequence ?? ""}`;
}

function measureOpen(file, directory) {
    const beforeBytes = resetPeakBytes();
    const { manager, state } = timed("open", () => {
        const manager = SessionManager.open(file, directory);
        return { manager, state: scan(manager) };
    });
    sample("memory_before", beforeBytes);
    sample("memory_open", processBytes("VmHWM") - beforeBytes);
    lines.push(`state ${state}`);
    return manager;
}

function measureWarm(manager) {
    for (let i = 0; i < warmUpCount; i++) {
        scan(manager);
    }
    for (let i = 0; i < warmCount; i++) {
        timed("warm", () => scan(manager));
    }
}

/* Each fork of createBranchedSession() takes the place of the session in the manager, so the next one is its fork. */
function measureForks(manager, file, directory) {
    for (let i = 0; i < forkCount; i++) {
        const fork = timed("fork", () => manager.createBranchedSession(manager.getLeafId()));
        if (i + 1 < forkCount) {
            rmSync(fork);
        }
    }
    const copy = timed("fork_from", () => SessionManager.forkFrom(file, "/home/dev/other", directory));
    rmSync(copy.getSessionFile());
}

function measureAppends(manager) {
    for (let i = 0; i < appendCount; i++) {
        timed("append", () => manager.appendCustomEntry("readonly", { enabled: i % 2 === 0 }));
    }
}

function measure(file, directory) {
    mkdirSync(directory, { recursive: true });
    const manager = measureOpen(file, directory);
    measureWarm(manager);
    measureForks(manager, file, directory);
    measureAppends(manager);
    rmSync(directory, { recursive: true });
    console.log(lines.join("\n"));
}

const [command, first, second] = process.argv.slice(2);
if (command === "generate" && second) {
    generate(first, second);
} else if (command === "measure" && second) {
    measure(first, second);
} else {
    console.error("usage: pi.mjs generate DIRECTORY ENTRIES[-early] | measure FILE DIRECTORY");
    process.exitCode = 2;
}
