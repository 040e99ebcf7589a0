/*
 * The real pi under the faults, through its own SessionManager; pi.c runs this in the folder in which npm installed pi.
 * Each line of the input asks, and what is said ends with a line `.`, or `x` and an error:
 *
 *     open DIRECTORY               forgets what is in memory, as a new process
 *     append SESSION ROLE TEXT
 *     fork FROM TO
 *     read                         says a line for each entry, of files as they are
 */
import { existsSync, readSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { SessionManager } from "./node_modules/@earendil-works/pi-coding-agent/dist/core/session-manager.js";

const managers = new Map();
let directory = "";

function pathOf(session) {
    return join(directory, `s${session}.jsonl`);
}

function open(session) {
    return SessionManager.open(pathOf(session), directory, directory);
}

function opened(session) {
    return managers.get(session) ?? managers.set(session, open(session)).get(session);
}

function plain(text) {
    return String(text ?? "").replace(/[\n\t\0]/g, " ");
}

function read() {
    const lines = [];
    for (const session of ["0", "1", "2", "3"].filter((session) => existsSync(pathOf(session)))) {
        try {
            for (const { id, parentId, message } of open(session).getEntries()) {
                lines.push(`${session}\t${plain(id)}\t${plain(parentId)}\t${plain(message?.content?.[0]?.text)}\n`);
            }
        } catch {
            lines.push("x\n");
        }
    }
    return lines.join("");
}

const verbs = {
    open(place) {
        managers.clear();
        directory = place;
    },
    append(session, role, ...text) {
        opened(session).appendMessage({ role, content: [{ type: "text", text: text.join(" ") }], timestamp: Date.now() });
    },
    /* createBranchedSession() chooses the name; this test finds sessions by their names. */
    fork(from, to) {
        renameSync(opened(from).createBranchedSession(opened(from).getLeafId()), pathOf(to));
        managers.delete(from);
    },
    read,
};

function answer([verb, ...rest]) {
    try {
        return `${verbs[verb](...rest) ?? ""}.\n`;
    } catch (error) {
        return `x\t${plain(error)}\n.\n`;
    }
}

const buffer = Buffer.alloc(65536);
let pending = "";
for (let bytes; (bytes = readSync(0, buffer)) > 0; ) {
    pending += buffer.toString("utf8", 0, bytes);
    for (let end; (end = pending.indexOf("\n")) >= 0; pending = pending.slice(end + 1)) {
        const said = Buffer.from(answer(pending.slice(0, end).split(" ")));
        for (let at = 0; at < said.length; at += writeSync(1, said, at));
    }
}
