// The commands of pi at this moment, as a catalogue of the library (xylem_catalogue_new_json()). The catalogue decides
// the meaning of a step of a sequence, and whether the step can be run.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { BUILTINS } from './builtins.ts'
import { isTyped, type Offer, pathOf } from './offers.ts'
import type { Host } from './plays.ts'

// The catalogue has the hash of the file of each template and skill in `steps`.
export function catalogueOf({ pi, offers }: Pick<Host, 'pi' | 'offers'>, steps: string[] = []): string {
  const named = new Set(steps.map((step) => /^\s*\/(\S*)/.exec(step)?.[1]))
  const known = pi.getCommands().filter(({ name }) => isTyped(name))
  const extensions = known.filter(({ source }) => source === 'extension')
    .map(({ name, sourceInfo }) => ({ name, source: 'extension', path: pathOf(sourceInfo.path) }))
  const own = [...offers.values()].flatMap((offer) => ownOf(offer, extensions)).filter(({ name }) =>
    known.every((command) => command.name !== name || command.source === 'extension')) // pi would expand a template
  const files = known.filter(({ source }) => source !== 'extension').map((command) => {
    const { name, source, sourceInfo: { path } } = command
    return { name, source, path, hash: named.has(name) ? hashOf(path) : '' }
  })
  const builtins = BUILTINS.map((name) => ({ name, source: 'builtin' }))
  const commands = [...builtins, ...own, ...extensions, ...files]
  return JSON.stringify({ schema: 1, compact: true, expands: true, commands })
}

// pi adds a number to the names of two commands with one name. An offer without a path then fits neither command.
function ownOf({ name, path, arguments: words, toggles }: Offer, extensions: { name: string; path: string }[]) {
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
