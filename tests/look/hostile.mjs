// Writes the session files of families that nobody wishes for: node hostile.mjs DIRECTORY.
// hostile.jsonl has script in every field, and what else breaks pages; wide.jsonl what is too wide for a phone;
// forks.jsonl
// has many branches, large.jsonl 10,000 entries, and plain.jsonl what a reader usually meets.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { deflateSync } from "node:zlib"

// Whatever runs sets `ran`, and whatever loads names this host.
const host = "https://hostile.invalid"
const script = "window.ran = true"
const payloads = [
    `<script>${script}</script>`,
    `</script><script>${script}</script>`,
    `</style></title></textarea><script>${script}</script>`,
    `--><script>${script}</script><!--`,
    `</pre></code></details></article></main><script>${script}</script>`,
    `"><img src=x onerror="${script}">`,
    `' onfocus='${script}' autofocus tabindex='0`,
    `" onmouseover="${script}" style="position:fixed;inset:0`,
    `<svg onload="${script}"><a xlink:href="javascript:${script}"><text>x</text></a></svg>`,
    `<iframe srcdoc="<script>parent.ran = true</script>"></iframe>`,
    `<base href="${host}/"><link rel=stylesheet href="${host}/a.css"><meta http-equiv=refresh content="0;url=${host}">`,
    `<details open ontoggle="${script}"><form action="${host}"><input autofocus onfocus="${script}"></form>`,
    `&lt;script&gt;${script}&lt;/script&gt; &#60;img src=x onerror=${script}&#62;`,
    `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=${script}&gt;">`,
]
const all = payloads.join("\n")

const markdown = [
    `[a](javascript:${script}) [b](JaVaScRiPt:${script}) [c](data:text/html,<script>${script}</script>) [d](vbscript:x)`,
    `[e](  java\tscript:${script}) [f](&#106;avascript:${script}) [g](//hostile.invalid/x) [h](\\\\hostile.invalid\\x)`,
    `[i](${host}/"onmouseover="${script}) ![j](${host}/a.png) ![k](javascript:${script}) <${host}/auto> <javascript:${script}>`,
    `![l](data:image/svg+xml,<svg/onload=${script}>) [m](file:///etc/passwd) [n](#path) [o]: ${host}/ref "x"`,
    "```\"><script>" + script + "</script>\n<script>" + script + "</script>\n```",
    "~~~javascript onload=x\n</code></pre><script>" + script + "</script>\n~~~",
    "```" + "x".repeat(5000) + "\ncode\n```",
    `| <script>${script}</script> | b |\n|---|---|\n| <img src=x onerror=${script}> | \`</td><script>${script}</script>\` |`,
    `# <script>${script}</script>\n\n- [x] <img src=x onerror=${script}>\n\n> <script>${script}</script>`,
    `<div onclick="${script}">\n\n**html block**\n\n</div>`,
]
const bombs = [
    "```markdown\n" + "[a](".repeat(4000) + "\n```\n\n```java\n" + "$".repeat(16000) + "\n```", // slow to colour
    ("```markdown\n" + "[a](".repeat(500) + "\n```\n\n").repeat(60),
    "[".repeat(50000),
    "> ".repeat(5000) + "deep",
    "*a_ ".repeat(20000),
    "`".repeat(30000) + " x",
    ("- ".repeat(200) + "x\n").repeat(50),
    "|a".repeat(2000) + "|\n" + "|-".repeat(2000) + "|\n" + ("|b".repeat(2000) + "|\n").repeat(3),
    "![[[](".repeat(10000),
    "<a ".repeat(10000) + "\n&amp;".repeat(1000),
]
const unseen = "left\u202eright\u202c \u2066isolate\u2069 \u200bzero\u200d \ufeff nul\u0000 esc\u001b[31m \u009b c1 \ud800 high \udc00 low \ud83d\ude00 pair e" + "\u0301".repeat(300)
const svg = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="${script}"><script>${script}</script></svg>`).toString("base64")
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// A PNG of 240x120 pixels, dark to light.
function picture() {
    const table = Array.from({ length: 256 }, (_, n) => { for (let i = 0; i < 8; i++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1; return n })
    const chunk = (name, data) => {
        const body = Buffer.concat([Buffer.from(name), data]), ends = Buffer.alloc(8)
        ends.writeUInt32BE(data.length)
        ends.writeUInt32BE((body.reduce((crc, byte) => table[(crc ^ byte) & 255] ^ (crc >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0, 4)
        return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
    }
    const head = Buffer.from([0, 0, 0, 240, 0, 0, 0, 120, 8, 0, 0, 0, 0])
    const rows = Buffer.concat(Array.from({ length: 120 }, (_, y) => Buffer.from([0, ...Array.from({ length: 240 }, (_, x) => (x + y) * 255 / 360)])))
    return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]).toString("base64")
}

class Session {
    constructor(id, cwd) {
        this.lines = [{ type: "session", version: 3, id, timestamp: "2026-11-20T17:00:00.000Z", cwd }]
        this.leaf = null
        this.count = 0
    }
    add(entry, id) {
        this.count++
        id ??= this.count.toString(16).padStart(8, "0")
        const timestamp = new Date(Date.UTC(2026, 10, 20, 17) + this.count * 1000).toISOString()
        this.lines.push({ ...entry, id, parentId: this.leaf, timestamp })
        this.leaf = id
        return id
    }
    say(role, content, more, id) {
        const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 15, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.01 } }
        const of = role === "assistant" ? { api: "x", provider: "p", model: "m", usage, stopReason: "stop" } : {}
        const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content
        return this.add({ type: "message", message: { role, content: blocks, timestamp: 1795194914379, ...of, ...more } }, id)
    }
    write(directory, name) {
        writeFileSync(join(directory, name), this.lines.map((line) => JSON.stringify(line)).join("\n") + "\n")
    }
}

function hostile() {
    const session = new Session("01a1f9f4-8605-7782-ba89-00000000d000", `/home/${payloads[0]}"'/${payloads[5]}`)
    session.add({ type: "session_info", name: payloads[2] + unseen })
    session.add({ type: "model_change", provider: all, modelId: all })
    session.add({ type: "thinking_level_change", thinkingLevel: all })
    for (const payload of payloads) session.say("user", payload)
    for (const text of markdown) session.say("assistant", text)
    session.say("assistant", unseen)
    session.say("user", unseen)
    session.say("assistant", [
        { type: "thinking", thinking: all, thinkingSignature: all },
        { type: "toolCall", id: all, name: payloads[5], arguments: { [all]: all, command: all, path: payloads[7] } },
        { type: "toolCall", id: "c2", name: "edit", arguments: { path: all, edits: [{ oldText: all, newText: all + unseen }] } },
        { type: "toolCall", id: "c3", name: "edit", arguments: all },
        { type: payloads[0], text: all },
    ], { provider: all, model: all, stopReason: all, errorMessage: all })
    session.say("toolResult", all, { toolCallId: all, toolName: payloads[6], isError: true, details: { diff: all } })
    session.say("toolResult", "x", { toolCallId: "c2", toolName: "edit", details: { diff: payloads.map((text) => "+" + text).join("\n") } })
    session.say("user", [
        { type: "image", mimeType: "image/svg+xml", data: svg },
        { type: "image", mimeType: `image/png" onerror="${script}`, data: svg },
        { type: "image", mimeType: "image/png", data: `x" onerror="${script}` },
        { type: "image", mimeType: "text/html", data: Buffer.from(all).toString("base64") },
        { type: "image", mimeType: "image/png", data: png },
        { type: "image", mimeType: "image/png", data: `data:image/png;base64,${png}` },
    ])
    session.add({ type: "message", message: { role: "bashExecution", command: all, output: all + unseen, exitCode: 1, cancelled: false, truncated: true, fullOutputPath: all, timestamp: 1795194914379 } })
    session.add({ type: "custom", customType: payloads[5], data: { [all]: all, nested: { a: [all] } } })
    session.add({ type: "custom", customType: "readonly", data: { enabled: true, by: all } })
    session.add({ type: "custom_message", customType: payloads[0], content: all, display: true, details: { a: all } })
    session.add({ type: "branch_summary", fromId: session.leaf, summary: all, details: { readFiles: [all], modifiedFiles: [payloads[3]] } })
    const kept = session.leaf
    session.add({ type: "compaction", summary: all, firstKeptEntryId: kept, tokensBefore: 5, details: { readFiles: [all], modifiedFiles: [all] } })
    session.add({ type: payloads[0], text: all })
    const fork = session.leaf
    for (const id of ["../../../etc/passwd", "e/../../x", `"><script>${script}</script>`, "#path", "a b\u202ec", "x".repeat(64)]) session.say("user", "an id like a path", {}, id)
    session.leaf = fork
    session.say("user", payloads[4])
    session.add({ type: "label", targetId: fork, label: payloads[5] + unseen })
    for (const bomb of bombs) session.say("assistant", bomb)
    session.say("assistant", "y".repeat(10 << 20))
    session.say("toolResult", "<z>".repeat(1 << 20), { toolCallId: "c9", toolName: "bash" })
    session.say("user", "The end.")
    return session
}

function wide() {
    const session = new Session("01a1f9f4-8605-7782-ba89-00000000d001", "/home/ann/" + "deep/".repeat(60) + "project")
    const word = "Donaudampfschifffahrtsgesellschaft".repeat(12)
    session.add({ type: "session_info", name: word })
    session.say("user", `${word} and ${host}/${"path/".repeat(80)}`)
    session.say("assistant", [
        { type: "text", text: `## ${word}\n\n- ${word}\n  - ${word}\n    - ${word}\n\n> ${word}\n\n\`${word}\`\n\n[${word}](${host}/${word})` },
        { type: "text", text: "```c\nint " + "x".repeat(400) + " = " + "1 + ".repeat(200) + "1;\n```" },
        { type: "text", text: `|${" column |".repeat(20)}\n|${"---|".repeat(20)}\n|${` ${word.slice(0, 60)} |`.repeat(20)}` },
        { type: "text", text: `${"> ".repeat(30)}deep\n\n${Array.from({ length: 30 }, (_, i) => "  ".repeat(i) + "- level").join("\n")}` },
        { type: "toolCall", id: "c1", name: "tool_" + word, arguments: { command: `echo ${word} ${"--option ".repeat(100)}`, path: "/" + "d/".repeat(200) } },
        { type: "toolCall", id: "c2", name: "edit", arguments: { path: "/" + word, oldText: word, newText: word + "\n" + word } },
    ])
    session.say("toolResult", (word + "\t").repeat(20), { toolCallId: "c1", toolName: "tool_" + word, isError: true })
    session.say("toolResult", "\t".repeat(300) + "tabs", { toolCallId: "c2", toolName: "edit" })
    session.add({ type: "custom", customType: word, data: { [word]: word } })
    session.add({ type: "label", targetId: "00000002", label: word })
    session.say("user", "The end.")
    return session
}

// What a reader usually meets.
function plain() {
    const session = new Session("01a1f9f4-8605-7782-ba89-00000000d004", "/home/ann/parser")
    session.add({ type: "session_info", name: "Why the parser loops" })
    session.add({ type: "model_change", provider: "p", modelId: "model-1" })
    session.say("user", "The parser loops on input that ends in a backslash. Please find out why, and mend it.")
    session.say("assistant", [
        { type: "thinking", thinking: "Read the parser first.\n\nThen a test that fails." },
        { type: "text", text: "I read the parser first." },
        { type: "toolCall", id: "c1", name: "read", arguments: { path: "src/parse.c", offset: 10, limit: 20 } },
        { type: "toolCall", id: "c2", name: "bash", arguments: { command: "cd src &&\nmake test 2>&1 | tail -3" } },
    ])
    session.say("toolResult", "static int next(struct reader *reader)\n{\n    return *reader->at++;\n}\n", { toolCallId: "c1", toolName: "read" })
    session.say("toolResult", Array.from({ length: 40 }, (_, i) => `test ${i}: ok`).join("\n"), { toolCallId: "c2", toolName: "bash" })
    session.add({ type: "custom", customType: "readonly", data: { enabled: true } })
    session.say("assistant", [
        { type: "text", text: "## What happens\n\nThe loop of `next()` never **ends**, because:\n\n1. it reads *behind* the end,\n2. and ~~nobody~~ no test looked.\n\n```c\nstatic int next(struct reader *reader) /* a byte */\n{\n    return reader->at < reader->end ? *reader->at++ : EOF; // \"end\" 42\n}\n```\n\n| file | lines | what |\n|---|---:|---|\n| src/parse.c | 1,204 | the loop |\n| tests/parse.c | 90 | its test |\n\n- [x] read\n- [ ] write\n  - and run\n\n> A backslash at the end is an error.\n\nSee [the manual](https://example.com/manual)." },
        { type: "toolCall", id: "c3", name: "edit", arguments: { path: "src/parse.c", edits: [{ oldText: "    return *reader->at++;", newText: "    return reader->at < reader->end\n        ? *reader->at++ : EOF;" }] } },
    ])
    session.say("toolResult", "Readonly mode: write/edit disabled.", { toolCallId: "c3", toolName: "edit", isError: true })
    session.add({ type: "custom", customType: "readonly", data: { enabled: false } })
    session.add({ type: "label", targetId: "00000008", label: "the reason" })
    session.say("user", [{ type: "text", text: "Go on. This is how it looks:" }, { type: "image", mimeType: "image/png", data: picture() }])
    session.add({ type: "message", message: { role: "bashExecution", command: "git diff --stat", output: " src/parse.c | 3 ++-\n 1 file changed", exitCode: 0, cancelled: false, truncated: false, timestamp: 1795194914379 } })
    session.add({ type: "compaction", summary: "The parser read behind its end. One line is to be changed.", firstKeptEntryId: "0000000c", tokensBefore: 12345 })
    session.say("assistant", "", { stopReason: "aborted", errorMessage: "Operation aborted" })
    session.leaf = "00000008"
    session.say("user", "Try another way: let the caller look.")
    session.say("assistant", "Then every caller has to look, and there are twelve.")
    session.leaf = "0000000f"
    session.say("user", "The end.")
    return session
}

function large() {
    const session = new Session("01a1f9f4-8605-7782-ba89-00000000d002", "/home/ann/large")
    for (let i = 0; session.count < 9999; i++) {
        session.say("user", `Prompt ${i}: what does the function \`next_${i}()\` do, and who calls it?`)
        session.say("assistant", [
            { type: "thinking", thinking: "First the file, then its callers. ".repeat(10) },
            { type: "text", text: `### Answer ${i}\n\nThe function **reads** a byte; see \`src/${i}.c\`:\n\n\`\`\`c\nstatic int next_${i}(void)\n{\n    return at < end ? *at++ : EOF; /* ${i} */\n}\n\`\`\`\n\n- one\n- two\n` },
            { type: "toolCall", id: `c${i}`, name: "bash", arguments: { command: `grep -rn next_${i} src` } },
        ])
        session.say("toolResult", `src/${i}.c:12: next_${i}();\n`.repeat(1 + i % 30), { toolCallId: `c${i}`, toolName: "bash" })
    }
    session.say("user", "The needle lies at the very end.")
    return session
}

function forks() {
    const session = new Session("01a1f9f4-8605-7782-ba89-00000000d003", "/home/ann/forks")
    let chance = 7
    const ids = []
    for (let i = 0; i < 160; i++) {
        chance = (chance * 1103515245 + 12345) % 2147483648
        if (ids.length > 3 && chance % 5 === 0) session.leaf = ids[chance % ids.length]
        ids.push(session.say(i % 2 ? "assistant" : "user", `Turn ${i} of many: try it another way.`))
        if (i % 19 === 4) session.add({ type: "label", targetId: ids[i], label: `attempt ${i}` })
        if (i % 31 === 9) session.add({ type: "custom", customType: "readonly", data: { enabled: i % 2 === 0 } })
    }
    return session
}

for (const family of [hostile, wide, plain, large, forks]) family().write(process.argv[2], family.name + ".jsonl")
