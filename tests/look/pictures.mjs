// Takes pictures of pages, for people: node pictures.mjs DIRECTORY PICTURES.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { launch, open, unfold, walk } from "./browser.mjs"

const [directory, pictures] = process.argv.slice(2)
const browser = await launch()

async function picture(name, page, options, use = async () => {}) {
    const path = join(directory, page + ".html")
    if (!existsSync(path)) return
    const at = await open(browser, path, options)
    if (options.whole) { // a picture of the whole page has what is far below the view
        await at.page.evaluate(() => document.styleSheets[0].insertRule(".entry, .part { content-visibility: visible !important }", 0))
        await walk(at.page)
    }
    await use(at.page)
    await at.page.waitForTimeout(400)
    await at.page.screenshot({ path: join(pictures, name + ".png"), fullPage: options.whole === true })
    await at.close()
}

for (const width of [360, 768, 1280]) {
    for (const colorScheme of ["light", "dark"]) {
        await picture(`plain-${width}-${colorScheme}`, "plain", { width, height: width < 500 ? 800 : 900, colorScheme, whole: true })
    }
}
const down = (lines) => async (page) => { await page.mouse.wheel(0, lines) }
await picture("forks-1280", "forks", { height: 900 }, down(1500))
await picture("bushy-1280-dark", "bushy", { height: 900, colorScheme: "dark" }, down(900))
await picture("wide-360", "wide", { width: 360, whole: true }, unfold)
await picture("wide-1280", "wide", { whole: true }, unfold)
await picture("hostile-360", "hostile", { width: 360 }, down(3000))
await picture("hostile-1280", "hostile", { height: 1600 }, down(2500))
await picture("calls-768", "calls", { width: 768, whole: true }, unfold)
await picture("compactions-1280", "compactions", { whole: true })
await picture("large-1280-dark", "large", { height: 900, colorScheme: "dark" }, async (page) => {
    await page.getByRole("searchbox").fill("next_7()")
    await page.keyboard.press("Enter")
})
await picture("index-1280", "index", { height: 900 })
await picture("index-360-dark", "index", { width: 360, colorScheme: "dark" })
await picture("plain-print", "plain", { width: 718, whole: true }, (page) => page.emulateMedia({ media: "print" }))
await browser.close()
