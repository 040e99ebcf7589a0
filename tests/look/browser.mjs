// Chromium with its sandbox, and nothing that Chromium would ask a network for.
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { chromium } from "playwright-core"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

export function launch() {
    return chromium.launch({
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        chromiumSandbox: true,
        args: ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    })
}

// Opens a page of a file. `events` names what the page did that no page may do.
export async function open(browser, path, { width = 1280, height = 800, ...options } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, ...options })
    const page = await context.newPage()
    const events = []
    let opened = false
    context.on("request", (request) => { if (opened || !request.isNavigationRequest()) events.push(`request ${request.url().slice(0, 100)}`) })
    context.on("page", (other) => { if (other !== page) events.push("another page") })
    page.on("dialog", (dialog) => { events.push(`dialog ${dialog.message()}`); dialog.dismiss() })
    page.on("pageerror", (error) => events.push(`error ${error.message}`))
    page.on("console", (message) => { if (message.type() === "error") events.push(`console ${message.text().slice(0, 200)}`) })
    page.on("download", () => events.push("download"))
    await page.goto(pathToFileURL(path).href)
    opened = true
    return { page, events, close: () => context.close() }
}

// What axe-core finds serious or critical, a line each.
export async function axeFinds(page) {
    await page.evaluate(axe)
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }))
    return violations.filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id}: ${nodes.length} times, as ${nodes[0].html.slice(0, 150)} (${nodes[0].failureSummary.replace(/\s+/g, " ").slice(0, 200)})`)
}

// Every entry is laid out and every fold is open: what a reader may come to see.
export function unfold(page) {
    return page.evaluate(() => {
        document.styleSheets[0].insertRule(".entry, .part { content-visibility: visible !important }", document.styleSheets[0].cssRules.length)
        for (const details of document.querySelectorAll("details")) details.open = true
    })
}

// A reader scrolls to the end: tables that scroll become tab stops once they were in view.
export function walk(page) {
    return page.evaluate(async () => {
        for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
            scrollTo(0, y)
            await new Promise((resolve) => requestAnimationFrame(resolve))
        }
        scrollTo(0, 0)
    })
}
