// The extensions in the user's extension directory, and the packages beside them.
//
// pi loads NAME.ts of that directory, and does not see NAME.ts.off: the name of a file is all the state there is.
import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'

export interface Row {
  name: string
  isOn: boolean
  file?: string // its name switches the extension; undefined: /ext does not switch the extension
  tag?: '[dir]' | '[package]' | '[broken]'
  why?: string // the extension cannot be switched
}

const INDEXES = ['index.ts', 'index.js', 'package.json'] // pi loads a directory with one of these
const IGNORED = /^\.|^node_modules$/ // by pi too
const OFF = '.off'
const FILE = /^(.+)\.ts(\.off)?$/

const otherOf = (file: string) => file.endsWith(OFF) ? file.slice(0, -OFF.length) : file + OFF

// Throws if the directory is there and cannot be read.
export function listExtensions(directory: string): Row[] {
  const names = existsSync(directory) ? readdirSync(directory).filter((name) => !IGNORED.test(name)).sort() : []
  return names.flatMap((name) => rowOf(directory, name, names) ?? [])
}

function rowOf(directory: string, file: string, files: string[]): Row | undefined {
  const path = join(directory, file)
  const stats = statsOf(path)
  if (stats?.isDirectory()) {
    const isLoaded = INDEXES.some((index) => existsSync(join(path, index)))
    return isLoaded ? { name: `${file}/`, isOn: true, tag: '[dir]', why: '/ext switches files, not directories' }
      : undefined
  }
  const [, name, off] = FILE.exec(file) ?? []
  if (name === undefined || (stats && !stats.isFile())) {
    return undefined
  }
  const isOn = off === undefined
  if (!stats) {
    return { name, isOn, tag: '[broken]', why: `${file} is a link to nothing` }
  }
  return files.includes(otherOf(file)) ? { name, isOn, why: `${name}.ts and ${name}.ts.off are both there: remove one` }
    : { name, isOn, file }
}

// Of a link, what the link leads to; undefined: it leads to nothing.
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

// Of the user's settings.
export function listPackages(agentDirectory: string): Row[] {
  let packages: unknown
  try {
    ({ packages } = JSON.parse(readFileSync(join(agentDirectory, 'settings.json'), 'utf8')))
  } catch {
    // pi tells about settings that cannot be read
  }
  const sources = (Array.isArray(packages) ? packages : []).map((one) => typeof one === 'string' ? one : one?.source)
  return sources.filter((source) => typeof source === 'string')
    .map((name) => ({ name, isOn: true, tag: '[package]',
      why: "'pi config' in a shell switches the extensions of a package, then '/reload' here" }))
}

// Of a link the link itself gets the new name. Throws why the file stays as it is.
export function switchFile(directory: string, file: string): void {
  const other = otherOf(file)
  if (lstatSync(join(directory, other), { throwIfNoEntry: false })) { // a rename would overwrite the other file
    throw new Error(`${other} is there already`)
  }
  renameSync(join(directory, file), join(directory, other))
}
