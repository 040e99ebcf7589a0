// The commands that pi has at this moment, as a catalogue of the library (xylem_catalogue_new_json()): what a step of a
// sequence means, and whether the step can be run.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'
import type { Offer } from './offers.ts'
import { shared } from './shared.ts'

const { isTyped, pathOf } = await shared()

interface Command {
  name: string
  source: 'builtin' | 'own' | 'extension' | 'prompt' | 'skill'
  canonical?: string
  path?: string
  hash?: string
  arguments?: string[]
  toggles?: boolean
}

const BUILTINS: string[] = JSON.parse(readFileSync(new URL('builtins.json', import.meta.url), 'utf8'))

// `steps`: the files of the templates and skills that they name count too.
export function catalogueOf(pi: ExtensionAPI, offers: Iterable<Offer>, steps: string[]): string {
  const named = new Set(steps.map((step) => /^\s*\/(\S*)/.exec(step)?.[1]))
  const known = pi.getCommands().filter(({ name }) => isTyped(name))
  const extensions = known.filter(({ source }) => source === 'extension')
    .map(({ name, sourceInfo }): Command => ({ name, source: 'extension', path: pathOf(sourceInfo.path) }))
  const own = [...offers].flatMap((offer) => ownOf(offer, extensions)).filter(({ name }) =>
    known.every((command) => command.name !== name || command.source === 'extension')) // pi would expand a template
  const files = known.filter(({ source }) => source !== 'extension').map((command): Command => {
    const { name, source, sourceInfo: { path } } = command
    return { name, source: source as 'prompt' | 'skill', path, hash: named.has(name) ? hashOf(path) : '' }
  })
  const builtins = BUILTINS.map((name): Command => ({ name, source: 'builtin' }))
  const commands = [...builtins, ...own, ...extensions, ...files]
  return JSON.stringify({ schema: 1, compact: true, expands: true, commands })
}

// pi adds a number to the names of two commands with one name. An offer of one of them without a path fits none.
function ownOf({ name, path, arguments: words, toggles }: Offer, extensions: Command[]): Command[] {
  const named = extensions.filter((command) => command.name.replace(/:\d+$/, '') === name)
  const fitting = path === undefined ? named : named.filter((command) => command.path === pathOf(path))
  if (named.length > 0 && fitting.length !== 1) {
    return []
  }
  return [{ name: fitting[0]?.name ?? name, source: 'own', canonical: name, path: fitting[0]?.path ?? path,
    arguments: words, toggles }]
}

// 64 characters; '' if the file cannot be read: pi says so where it reads the file.
function hashOf(path: string): string {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex')
  } catch {
    return ''
  }
}
