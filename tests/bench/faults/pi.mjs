/*
 * The real pi under the faults, through its own SessionManager; pi.c runs this in the folder in which npm installed pi.
 *
 *     pi.mjs write DIRECTORY PLAN ACKS   does the steps of the plan: `a SESSION NUMBER WRITER ROLE TEXT`, `f FROM TO NUMBER WRITER`,
 *                                        `w FILE`: waits for the file. Three numbers to the descriptor ACKS after each step.
 *     pi.mjs serve                       `read DIRECTORY`: a line for each entry, then `.`; `append DIRECTORY SESSION ROLE TEXT`
 */
import { existsSync, readFileSync, readSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { SessionManager } from "./node_modules/@earendil-works/pi-coding-agent/dist/core/session-manager.js";

const managers = new Map();

function pathOf(directory, session) {
    return join(directory, `s${session}.jsonl`);
}

function open(directory, session) {
    if (!managers.has(session)) {
        managers.set(session, SessionManager.open(pathOf(directory, session), directory, directory));
    }
    return managers.get(session);
}

function append(manager, role, text) {
    manager.appendMessage({ role, content: [{ type: "text", text }], timestamp: Date.now() });
}

/* createBranchedSession() chooses the name; this test finds sessions by their names. */
function fork(directory, from, to) {
    const manager = open(directory, from);
    const forked = manager.createBranchedSession(manager.getLeafId());
    renameSync(forked, pathOf(directory, to));
    managers.delete(from);
}

function write(directory, plan, acks) {
    for (const line of readFileSync(plan, "utf8").trimEnd().split("\n")) {
        const [verb, first, second, third, fourth, ...rest] = line.split(" ");
        if (verb === "w") {
            while (!existsSync(first));
            continue;
        }
        if (verb === "f") {
            fork(directory, first, second);
            writeSync(acks, Buffer.from(Int32Array.of(fourth, second, 0).buffer));
        } else {
            append(open(directory, first), fourth, rest.join(" "));
            writeSync(acks, Buffer.from(Int32Array.of(third, first, second).buffer));
        }
    }
}

function plain(text) {
    return String(text ?? "").replace(/[\n\t\0]/g, " ");
}

function read(directory) {
    const lines = [];
    for (let session = 0; session < 4; session++) {
        if (!existsSync(pathOf(directory, session))) {
            continue;
        }
        try {
            for (const { id, parentId, message } of SessionManager.open(pathOf(directory, session), directory, directory).getEntries()) {
                const text = message?.content?.[0]?.text;
                lines.push(`${session}\t${plain(id)}\t${plain(parentId)}\t${plain(text)}\n`);
            }
        } catch (error) {
            lines.push(`x\t${plain(error)}\n`);
        }
    }
    return `${lines.join("")}.\n`;
}

function answer(line) {
    const [verb, directory, session, role, ...text] = line.split(" ");
    if (verb === "read") {
        return read(directory);
    }
    try {
        append(SessionManager.open(pathOf(directory, session), directory, directory), role, text.join(" "));
        return "ok\n";
    } catch (error) {
        return `x\t${plain(error)}\n`;
    }
}

function say(text) {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) {
        at += writeSync(1, bytes, at);
    }
}

function serve() {
    const buffer = Buffer.alloc(65536);
    let pending = "";
    for (let bytes; (bytes = readSync(0, buffer)) > 0; ) {
        pending += buffer.toString("utf8", 0, bytes);
        for (let end; (end = pending.indexOf("\n")) >= 0; pending = pending.slice(end + 1)) {
            say(answer(pending.slice(0, end)));
        }
    }
}

const [command, directory, plan, acks] = process.argv.slice(2);
if (command === "write") {
    write(directory, plan, Number(acks));
} else {
    serve();
}
