// Draws the pictures of hosts/pi/README.md: real screens of pi in a terminal, as SVG. tools/pi_pictures.sh calls it:
//
//     node pi_pictures.mjs FOLDER    writes FOLDER/NAME.svg for each scene
//
// The same pi gives the same bytes: no path, time or id of this machine stands on the screens.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { extensionNames, world } from '../hosts/pi/test/lib/pi.mjs'
import { repository } from '../hosts/pi/test/lib/repository.mjs'

const COLUMNS = 84
const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
const [WIDTH, HEIGHT, MARGIN] = [8, 17, 16] // of a cell, and around the screen
const [PAPER, INK] = ['#18181e', '#d4d4d4']

// --- The scenes: each leaves its screen, and returns words of the line where the picture begins ---

const scenes = {
  async readonly({ model, terminal }) {
    const prompt = 'Write the release notes into NOTES.md'
    const content = '# Release 2.0\n\nThe parser reads comments.\n'
    model.scripts[prompt] = `~tool write ${JSON.stringify({ path: 'NOTES.md', content })}\n` +
      '~text Readonly is on, so I changed nothing. Shall I show you the notes here instead?'
    await terminal.submit('/readonly on')
    await terminal.wait('🔒')
    await terminal.submit(prompt)
    await terminal.wait('Shall I')
    return prompt
  },
  async confirm({ model, terminal }) {
    const prompt = 'Bring this branch up to date with main'
    model.scripts[prompt] = '~tool bash {"command":"git fetch && git reset --hard origin/main"}'
    await terminal.submit(prompt)
    await terminal.wait('→ Block')
    return prompt
  },
  async find({ xylem, sandbox, terminal }) {
    for (const [days, ...prompts] of [
      [3, 'A parser idea: one token of lookahead', 'Write it down in PLAN.md'],
      [5, 'Does the parser idea work for comments too?'],
      [12, 'Which settings are read twice?', 'Good idea, then the parser reads them once'],
    ]) {
      await xylem('import', sessionFile(sandbox, days, prompts))
    }
    await terminal.submit('/find')
    await terminal.wait('Type the words to look for')
    await terminal.keys('-l', 'parser idea')
    await terminal.wait('3 matches')
    return 'Find in the sessions'
  },
}

// A file of pi: a session of the project, so many days ago.
function sessionFile({ project, root }, days, prompts) {
  const timestamp = new Date(Date.now() - days * 86400e3 - 3600e3).toISOString()
  const id = (number) => number.toString(16).padStart(8, '0')
  const lines = [{ type: 'session', version: 3, id: `${days}`, timestamp, cwd: project },
    ...prompts.map((text, i) => ({ type: 'message', id: id(i + 1), parentId: i ? id(i) : null, timestamp,
      message: { role: 'user', content: [{ type: 'text', text }], timestamp: Date.parse(timestamp) } }))]
  const path = join(root, `${days}.jsonl`)
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return path
}

// The screen, once nothing moves on it.
async function stillScreen(terminal, last) {
  await new Promise((later) => { setTimeout(later, 1000) })
  const screen = await terminal.tmux('capture-pane', '-p', '-e', '-N')
  return screen === last ? screen : stillScreen(terminal, screen)
}

// A path of this machine stands on the screen as one of the same length.
const nameless = (screen, root) => screen.replaceAll(root, '/home/anderson'.padEnd(root.length, '-'))

async function pictureOf(scene) {
  const ends = []
  try {
    const w = await world({ after: (end) => ends.push(end) },
      { extensions: extensionNames, settings: { theme: 'dark', defaultModel: 'a-model' } })
    const models = join(w.sandbox.agent, 'models.json')
    writeFileSync(models, readFileSync(models, 'utf8').replace('fake-1', 'a-model'))
    repository(w.sandbox.project)
    const terminal = await w.terminal([], { columns: COLUMNS, rows: 26,
      environment: { HOME: w.sandbox.root, XYLEM_STORE: w.sandbox.store, COLORTERM: 'truecolor' } })
    const first = await scene({ ...w, terminal })
    return drawn(nameless(await stillScreen(terminal), w.sandbox.root), first)
  } finally {
    for (const end of ends) {
      await end()
    }
  }
}

// --- From the screen to the picture ---

// The cells of a line of `tmux capture-pane -e`: { text, width, style }. tmux names each colour by its three parts.
function cellsOf(line, style) {
  const cells = []
  for (const [, codes, char] of line.matchAll(/\x1b\[([\d;]*)m|(.)/gu)) {
    if (char) {
      const width = /\p{Emoji_Presentation}/u.test(char) ? 2 : 1
      cells.push({ text: char, width, style: { ...style } })
    } else {
      applyCodes(style, codes.split(';').map(Number))
    }
  }
  return cells
}

const FLAGS = { 1: 'bold', 2: 'dim', 3: 'italic', 4: 'underline', 7: 'inverse' }

function applyCodes(style, codes) {
  while (codes.length > 0) {
    const code = codes.shift()
    if (code === 0) {
      Object.keys(style).forEach((key) => delete style[key])
    } else if (FLAGS[code]) {
      style[FLAGS[code]] = true
    } else if ((code === 38 || code === 48) && codes.shift() === 2) {
      style[code === 38 ? 'ink' : 'paper'] = `rgb(${codes.splice(0, 3)})`
    } else if (code === 39 || code === 49) {
      delete style[code === 39 ? 'ink' : 'paper']
    } else {
      throw new Error(`no colour of three parts: ${code};${codes.join(';')}`)
    }
  }
}

// Neighbours of one style, with the column where they begin. Blanks end a run of letters, because not every viewer keeps
// blanks.
function runsOf(cells) {
  const runs = []
  let column = 0
  for (const { text, width, style } of cells) {
    const last = runs.at(-1)
    const fits = last && width === 1 && !last.isWide && JSON.stringify(last.style) === JSON.stringify(style)
    if (fits && (text === ' ') === last.isBlank) {
      last.text += text
      last.width++
    } else {
      runs.push({ text, width, style, column, isWide: width > 1, isBlank: text === ' ' })
    }
    column += width
  }
  return runs
}

const escaped = (text) => text.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`)

function partsOf({ text, width, column, style, isBlank }, row) {
  const [ink, paper] = style.inverse ? [style.paper ?? PAPER, style.ink ?? INK] : [style.ink ?? INK, style.paper]
  const [x, y, length] = [MARGIN + column * WIDTH, MARGIN + row * HEIGHT, width * WIDTH]
  const look = [ink !== INK && `fill="${ink}"`, style.bold && 'font-weight="bold"', style.dim && 'opacity="0.6"',
    style.italic && 'font-style="italic"', style.underline && 'text-decoration="underline"'].filter(Boolean)
  return [paper && `<rect x="${x}" y="${y}" width="${length}" height="${HEIGHT}" fill="${paper}"/>`,
    !isBlank && `<text x="${x}" y="${y + 12}" textLength="${length}" ${[...look, ''].join(' ')}` +
      `lengthAdjust="spacingAndGlyphs">${escaped(text)}</text>`].filter(Boolean)
}

// The screen from the line above the first line on.
function drawn(screen, first) {
  const style = {}
  const rows = screen.trimEnd().split('\n').map((line) => runsOf(cellsOf(line, style)))
  const from = rows.findLastIndex((runs) => runs.map(({ text }) => text).join('').includes(first)) - 1
  const parts = rows.slice(from).flatMap((runs, row) => runs.flatMap((run) => partsOf(run, row)))
  const [width, height] = [2 * MARGIN + COLUMNS * WIDTH, 2 * MARGIN + (rows.length - from) * HEIGHT]
  const size = `width="${width}" height="${height}"`
  return [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ${size}` +
    ` font-family="${FONT}" font-size="13.3" fill="${INK}">`,
    `<rect ${size} rx="8" fill="${PAPER}"/>`, '<g shape-rendering="crispEdges">', ...parts,
    '</g>', '</svg>', ''].join('\n')
}

for (const [name, scene] of Object.entries(scenes)) {
  writeFileSync(join(process.argv[2], `${name}.svg`), await pictureOf(scene))
}
