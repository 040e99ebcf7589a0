// What the suites of /ext in a terminal do with a pi.
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { extension, world } from '../lib/pi.mjs'

export const HINT = 'Space mark · Enter switch · Esc leave'
const LIB = join(extension('todo'), '../../lib')

// An extension whose command says that pi has loaded the extension.
export const codeOf = (name) => `export default (pi) => pi.registerCommand('${name}', { handler: async (_words, ctx) =>
  ctx.ui.notify('${name} is loaded', 'warning') })\n`

// A pi with such extensions, by the names of their files, in the user's directory.
export async function extTerminal(t, files, { size, args, links = [], ...options } = {}) {
  const w = await world(t, { extensions: ['ext-toggle'], helpers: ['clock', 'commands'], ...options })
  writeFileSync(join(w.sandbox.project, 'clock'), '0')
  const directory = join(w.sandbox.agent, 'extensions')
  mkdirSync(directory)
  for (const file of files) {
    writeFileSync(join(directory, file), codeOf(file.split('.')[0]))
  }
  for (const name of links) {
    symlinkSync(extension(name), join(directory, `${name}.ts`))
  }
  if (links.length > 0) {
    symlinkSync(LIB, join(w.sandbox.agent, 'lib'))
  }
  const terminal = await w.terminal(args, size)
  return { w, terminal, directory, names: () => readdirSync(directory).sort() }
}

export async function open(terminal, wanted = HINT) {
  await terminal.submit('/ext')
  return terminal.wait(wanted)
}

// Moves to a row, and marks its extension.
export async function mark(terminal, downs, wanted) {
  await terminal.keys(...Array(downs).fill('Down'), 'Space')
  return terminal.wait(wanted)
}

export async function enter(terminal, wanted) {
  await terminal.keys('Enter')
  await terminal.gone(HINT)
  return terminal.wait(wanted)
}

// With a reload: pi takes keys again behind its status.
export async function apply(terminal, wanted) {
  await enter(terminal, wanted)
  return terminal.wait('Reloaded')
}
