// Checks pages in Chromium: node look.mjs DIRECTORY. The directory has pages of families: NAME.html. The page
// `plain` has no highlight.js. The last line is `N passed, M failed`.
import { readFileSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { axeFinds, launch, open, unfold, walk } from "./browser.mjs"

const directory = process.argv[2]
const only = process.argv[3] ?? ""
const pages = readdirSync(directory).filter((name) => name.endsWith(".html") && name.includes(only)).map((name) => name.slice(0, -5))
const small = pages.filter((name) => name !== "large")
const file = (name) => join(directory, name + ".html")
const views = [
    { view: "360", options: { width: 360, height: 800, isMobile: true, hasTouch: true } },
    { view: "1280", options: {} },
    { view: "print", options: { width: 718 }, media: "print" },
]
let passed = 0
let failed = 0

function check(what, problems) {
    if (problems.length === 0) passed++
    else {
        failed++
        console.log(`FAILED ${what}`)
        for (const problem of problems.slice(0, 5)) console.log(`    ${problem}`)
    }
}

const browser = await launch()

async function on(name, options, use) {
    const at = await open(browser, file(name), options)
    try {
        await use(at.page, at.events)
        check(`${name}: asks for nothing, opens nothing, no error (${JSON.stringify(options)})`, at.events)
    } catch (error) {
        check(`${name} (${JSON.stringify(options)})`, [error.message])
    }
    await at.close()
}

// --- What is too wide -------------------------------------------------------------------------------------------------

// The page scrolls in no direction but down, and no text is cut away to the right. Text within a box that scrolls may be wider.
const tooWide = () => {
    const width = document.documentElement.clientWidth
    const problems = document.documentElement.scrollWidth > width ? [`the page is ${document.documentElement.scrollWidth} wide in ${width}`] : []
    const scrolls = (element) => element && (["auto", "scroll"].includes(getComputedStyle(element).overflowX) || scrolls(element.parentElement))
    for (const element of document.querySelectorAll("body *")) {
        const box = element.getBoundingClientRect()
        if (box.width > 0 && box.right > width + 1 && !scrolls(element.parentElement) && !element.closest("svg"))
            problems.push(`${element.localName}.${element.className} ends at ${box.right} of ${width}: ${element.textContent.slice(0, 60)}`)
    }
    return problems
}

for (const name of small) {
    for (const { view, options, media } of views) {
        await on(name, options, async (page) => {
            if (media) await page.emulateMedia({ media })
            check(`${name} ${view}: nothing is too wide`, await page.evaluate(tooWide))
            await unfold(page)
            check(`${name} ${view}: nothing is too wide when all is open`, await page.evaluate(tooWide))
        })
    }
}

// --- What readers of other senses, and other eyes, need -----------------------------------------------------------------

for (const name of small.filter((name) => name !== "hostile")) {
    for (const colorScheme of ["light", "dark"]) {
        for (const { view, options, media } of views.filter(({ media }) => !media || colorScheme === "light")) {
            await on(name, { ...options, colorScheme }, async (page) => {
                if (media) await page.emulateMedia({ media })
                await walk(page)
                check(`${name} ${view} ${colorScheme}: axe`, await axeFinds(page))
                await unfold(page)
                await walk(page)
                check(`${name} ${view} ${colorScheme}: axe when all is open`, await axeFinds(page))
            })
        }
    }
}

// --- The keyboard -----------------------------------------------------------------------------------------------------

// Everything that can be used and is seen. The map is one stop.
const usable = () => [...document.querySelectorAll("a, button, input, select, summary, [tabindex='0']")]
    .filter((element) => !element.disabled && element.checkVisibility() && (!element.closest("svg") || element.getAttribute("tabindex") === "0")).length

// Presses Tab until the focus leaves the page. Gives how many elements had the focus, and those where nobody sees it.
async function tabThrough(page) {
    let stops = 0
    const unseen = []
    await page.evaluate(() => { getSelection().removeAllRanges(); document.activeElement.blur(); scrollTo(0, 0) })
    for (; stops < 2000; stops++) {
        await page.keyboard.press("Tab")
        const at = await page.evaluate(() => {
            const element = document.activeElement
            if (element === document.body) return null
            const box = element.getBoundingClientRect(), style = getComputedStyle(element.closest("svg") ? element.querySelector("circle") : element)
            const seen = box.bottom > 0 && box.top < innerHeight && (style.outlineStyle !== "none" || style.stroke !== "none")
            const again = element.dataset.tabbed
            if (!element.closest("svg")) element.dataset.tabbed = "yes"
            return { seen, again, what: element.outerHTML.slice(0, 120) }
        })
        if (!at || at.again) break
        if (!at.seen) unseen.push(`not seen: ${at.what}`)
    }
    return { stops, unseen }
}

for (const name of small.filter((name) => name !== "hostile")) {
    await on(name, {}, async (page) => {
        for (const state of ["as it opens", "when all is open"]) {
            if (state !== "as it opens") await unfold(page)
            await page.evaluate(() => { for (const element of document.querySelectorAll("[data-tabbed]")) delete element.dataset.tabbed })
            const count = await page.evaluate(usable)
            const { stops, unseen } = await tabThrough(page)
            check(`${name}: Tab reaches everything ${state}`, stops >= count ? unseen : [`${stops} of ${count}`, ...unseen])
        }
    })
    await on(name, {}, async (page) => {
        const folded = page.locator("main details:not([open]) > summary:visible").first()
        if (await folded.count() > 0) {
            await folded.focus()
            const id = await folded.evaluate((summary) => { summary.parentElement.id = "under-test"; return summary.parentElement.id })
            await page.keyboard.press("Enter")
            check(`${name}: Enter opens a fold`, await page.locator(`#${id}[open]`).count() === 1 ? [] : ["it stays folded"])
        }
    })
    await on(name, {}, async (page) => {
        const links = await page.locator(".map svg a").count()
        if (links === 0) return
        await page.locator(".map svg a[tabindex='0']").focus()
        await page.keyboard.press("Home")
        // Every link is reached from those that were reached.
        const where = () => page.evaluate(() => [...document.querySelectorAll(".map svg a")].indexOf(document.activeElement))
        const reached = new Set([await where()])
        for (const from of reached) {
            for (const arrow of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]) {
                await page.evaluate((at) => document.querySelectorAll(".map svg a")[at].focus(), from)
                await page.keyboard.press(arrow)
                reached.add(await where())
            }
        }
        check(`${name}: arrow keys reach every entry of the map`, reached.size === links && !reached.has(-1) ? [] : [`${reached.size} of ${links}`])
        check(`${name}: the map is one tab stop`, await page.locator(".map svg a[tabindex='0']").count() === 1 ? [] : ["it is not"])
        await page.keyboard.press("End")
        await page.keyboard.press("Enter")
        await page.waitForTimeout(300)
        const target = await page.evaluate(() => {
            const target = document.querySelector(":target"), box = target?.getBoundingClientRect()
            return target && box.top >= 0 && box.top < innerHeight ? [] : [`${location.hash} is not in view: ${box?.top}`]
        })
        check(`${name}: Enter leads from the map to the entry`, target)
    })
}

// --- What the script does ------------------------------------------------------------------------------------------------

for (const [name, language, has] of [["hostile", "javascript", true], ["wide", "c", true], ["plain", "c", false]].filter(([name]) => pages.includes(name))) {
    await on(name, {}, async (page) => {
        await walk(page)
        check(`${name}: code has ${has ? "" : "no "}colours`, (await page.locator(`.words code.language-${language} span[class^=hl-]`).count() > 0) === has ? [] : ["it is otherwise"])
    })
}

if (pages.includes("hostile")) {
    await on("hostile", {}, async (page) => {
        const session = await page.context().newCDPSession(page)
        await session.send("Performance.enable", { timeDomain: "threadTicks" })
        await walk(page)
        const { metrics } = await session.send("Performance.getMetrics")
        const seconds = metrics.find(({ name }) => name === "ScriptDuration").value
        check("hostile: code that is slow to colour stays without colours", seconds <= 2 ? [] : [`${seconds.toFixed(1)} s of scripts`])
        console.log(`hostile: ${seconds.toFixed(2)} s of scripts`)
    })
}

if (pages.includes("large")) {
    await on("large", {}, async (page) => {
        await page.getByRole("searchbox").fill("NEEDLE lies")
        await page.keyboard.press("Enter")
        await page.waitForTimeout(300)
        const last = page.locator(".entry").last()
        check("large: the search finds the end", await last.evaluate((entry) => entry.getBoundingClientRect().top < innerHeight && entry.getBoundingClientRect().bottom > 0 ? [] : ["it is not in view"]))
        check("large: the search counts", (await page.locator(".bar output").textContent()) === "1 of 1" ? [] : [await page.locator(".bar output").textContent()])
        await page.getByRole("searchbox").fill("src/77.c:12")
        for (let i = 0; i < 3; i++) await page.keyboard.press("Enter")
        check("large: the third match is the third", (await page.locator(".bar output").textContent()).startsWith("3 of ") ? [] : [await page.locator(".bar output").textContent()])
        await page.keyboard.press("Shift+Enter")
        check("large: Shift+Enter goes back", (await page.locator(".bar output").textContent()).startsWith("2 of ") ? [] : [await page.locator(".bar output").textContent()])
        check("large: the match is open", await page.evaluate(() => {
            const [range] = CSS.highlights.get("here"), box = range.getBoundingClientRect()
            return range.startContainer.parentElement.closest("details:not([open])") || box.top < 0 || box.bottom > innerHeight ? [`at ${box.top}`] : []
        }))
    })
    await on("large", {}, async (page) => {
        const shown = (what) => page.locator(`.entry${what}:visible`).count()
        for (const [filter, gone, there] of [["prompts", "[data-role=assistant]", "[data-role=user]"], ["no tools", "[data-role=toolResult]", "[data-role=assistant]"], ["all", "[data-none]", "[data-role=toolResult]"]]) {
            await page.locator(".bar select").selectOption(filter)
            check(`large: the filter '${filter}'`, await shown(gone) === 0 && await shown(there) > 1000 ? [] : [`${await shown(gone)} and ${await shown(there)}`])
        }
    })
    await on("large", {}, async (page) => {
        await page.locator(".bar select").selectOption("prompts")
        await page.evaluate(() => { location.hash = document.querySelector(".entry[data-role=toolResult]").id })
        await page.waitForTimeout(200)
        check("large: a link to an entry that the filter hides shows it", await page.evaluate(() => document.querySelector(":target").checkVisibility() ? [] : ["it stays hidden"]))
    })
}

for (const name of small.filter((name) => name !== "index").slice(0, 1)) {
    await on(name, { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
        const command = await page.locator(".back code").textContent()
        await page.getByRole("button", { name: "copy" }).click()
        await page.getByRole("button", { name: "copied" }).waitFor()
        const copied = await page.evaluate(() => navigator.clipboard.readText())
        check(`${name}: the way back is copied`, copied === command ? [] : [copied])
    })
}

// --- A hostile family ------------------------------------------------------------------------------------------------------

// Nothing of an entry became markup: what can run or load is what the program wrote.
const broken = () => {
    const problems = []
    if ("ran" in window) problems.push("script of an entry ran")
    const allowed = new Set("a article b blockquote body br button circle code dd del details div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 head header hr html img input ins li line main map meta nav ol option output p path pre rect script section select span strong style summary svg table tbody td th thead time title tr ul".split(" "))
    for (const element of document.querySelectorAll("*")) {
        if (!allowed.has(element.localName)) problems.push(`an element ${element.localName}`)
        for (const { name, value } of element.attributes) {
            if (name.startsWith("on") || name === "style" || name === "srcdoc" || name === "action") problems.push(`${name} of ${element.localName}`)
            if (name === "href" && !/^(#|https?:\/\/|mailto:|[\w.~-]+\.html$)/.test(value)) problems.push(`a link to ${value.slice(0, 60)}`)
            if (name === "src" && !/^data:image\/(png|jpeg|gif|webp);base64,/.test(value)) problems.push(`an image ${value.slice(0, 60)}`)
        }
    }
    const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id)
    if (new Set(ids).size < ids.length) problems.push("an id stands twice")
    for (const script of document.querySelectorAll("script")) if (script.parentElement !== document.body) problems.push("a script that is not at the end")
    if (document.querySelectorAll("meta").length > 5 || document.querySelectorAll("style").length > 1) problems.push("a meta or a style too many")
    if (/[\u202a-\u202e\u2066-\u2069]/.test(document.body.textContent)) problems.push("a bidi control is not shown")
    return problems
}

for (const name of small) {
    const bare = name + "-without-policy"
    const text = readFileSync(file(name), "utf8")
    const without = text.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "")
    check(`${name}: has a policy`, without === text ? ["it has none"] : [])
    writeFileSync(file(bare), without)
    for (const page of [name, bare]) {
        for (const javaScriptEnabled of [true, false]) {
            await on(page, { javaScriptEnabled }, async (page, events) => {
                const what = `${name}, ${page.url().includes("without") ? "no " : ""}policy, JavaScript ${javaScriptEnabled ? "on" : "off"}`
                await unfold(page)
                await page.mouse.move(400, 400)
                await page.keyboard.press("Tab")
                for (const image of await page.locator(".entry img").all()) await image.scrollIntoViewIfNeeded()
                for (const summary of (await page.locator("summary").all()).slice(0, 20)) await summary.dispatchEvent("mouseover")
                await page.waitForTimeout(500)
                check(`${what}: nothing of an entry runs`, await page.evaluate(broken))
            })
        }
    }
}

// --- Without JavaScript --------------------------------------------------------------------------------------------------------

for (const name of small.filter((name) => name !== "hostile")) {
    await on(name, { javaScriptEnabled: false }, async (page) => {
        const fold = page.locator("main details > summary").first()
        if (await fold.count() > 0) {
            const before = await fold.evaluate((summary) => summary.parentElement.open)
            await fold.click()
            check(`${name}, JavaScript off: folds open`, await fold.evaluate((summary) => summary.parentElement.open) !== before ? [] : ["it stays"])
        }
        const link = page.locator(".prompts a").last()
        if (await link.count() > 0) {
            if (!await link.isVisible()) await page.locator(".prompts summary").click() // many prompts are folded
            await link.click()
            check(`${name}, JavaScript off: prompts lead to entries`, await page.evaluate(() => document.querySelector(":target") ? [] : ["nowhere"]))
        }
        check(`${name}, JavaScript off: the map is links`, await page.evaluate(() => [...document.querySelectorAll(".map svg a")].every((link) => document.getElementById(link.getAttribute("href").slice(1))) ? [] : ["a link leads nowhere"]))
        check(`${name}, JavaScript off: nothing is too wide`, await page.evaluate(tooWide))
    })
}

// --- How long it takes ------------------------------------------------------------------------------------------------------------

// The time of the browser's main thread, so that other work of the machine does not count.
if (pages.includes("large")) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send("Performance.enable", { timeDomain: "threadTicks" })
    await page.goto(pathToFileURL(file("large")).href)
    await page.locator("main summary").first().click()
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    const { metrics } = await session.send("Performance.getMetrics")
    const seconds = metrics.find(({ name }) => name === "TaskDuration").value
    const wall = await page.evaluate(() => performance.now() / 1000)
    const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime)
    const entries = await page.locator(".entry").count()
    console.log(`large: ${entries} entries, first text after ${Math.round(paint)} ms, a fold opened after ${seconds.toFixed(2)} s of the browser's time, ${wall.toFixed(2)} s of the clock`)
    check("large: usable within 2 s", seconds <= 2 ? [] : [`${seconds} s`])
    check("large: all entries are there", entries === 10000 ? [] : [`${entries}`])
    await context.close()
}

await browser.close()
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 ? 1 : 0)
