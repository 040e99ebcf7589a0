// Finds xylem-native: the only module that loads the addon. A missing addon is an answer, not an exception.
//
// xylem-native lies in this package (the tarball), or beside this package (a clone). Node's own search goes on in the
// node_modules of every directory above: a repository that holds a copy of this package, or a link to it, could have
// a xylem-native there. So only the two places count.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { PACKAGE } from '../package.ts'

export type Native = typeof import('xylem-native')

const PLACES = [join(PACKAGE, 'node_modules/xylem-native'), join(PACKAGE, '../node')]

// Where xylem-native keeps the addon of the process: a process loads one addon, and keeps it through a reload.
const shared = globalThis as { [key: symbol]: { version(): string } | undefined }
const loadedVersion = () => shared[Symbol.for('xylem-native')]?.version()

const minor = (version: string) => version.split('.').slice(0, 2).join('.')

// The version of the xylem-native of a place, as the files say now; undefined: there is none.
function versionAt(place: string): string | undefined {
  try {
    const { name, version } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
    return name === 'xylem-native' ? String(version) : undefined
  } catch {
    return undefined
  }
}

function load(): { native?: Native; problem?: string } {
  const place = PLACES.find((path) => versionAt(path) !== undefined)
  const version = place && versionAt(place)
  if (!place || !version) {
    return { problem: `xylem-native is missing: expected ${PLACES[0]}` }
  }
  const loaded = loadedVersion()
  if (loaded !== undefined && minor(loaded) !== minor(version)) { // an update, then a reload
    return { problem: `this pi runs xylem ${loaded}, and xylem ${version} is installed: restart pi` }
  }
  try {
    return { native: createRequire(import.meta.url)(place) }
  } catch (error) {
    return { problem: (error as Error).message.split('\n')[0].replace('restart the host', 'restart pi') }
  }
}

export const { native, problem } = load()
