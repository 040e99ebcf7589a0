// The user's settings: the member `xylem` of settings.json in pi's agent directory. A project's own settings never
// count: a repository must not weaken a guard.
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

export interface Settings {
  isRefused?: true // the settings cannot be read: no checkpoints are kept
  store?: string // the directory of the store
  mirror?: boolean // false: nothing is kept
  readonly?: {
    writeTools?: string[] // more tools that readonly blocks
    shellTools?: string[] // more tools whose `command` readonly judges
    blockOthers?: boolean // readonly blocks every tool that is not known to read only
    flag?: boolean // false: leave --readonly to another extension, because pi refuses to start with two
    beside?: boolean // stay active beside another extension with a /readonly of its own
  }
  checkpoints?: {
    filters?: string[] // more filters of git that hide nothing: checkpoints keep such files as they are
  }
  confirm?: {
    allow?: string[] // rules, as in a configuration of `xylem judge`
    ask?: string[]
    deny?: string[]
    log?: string // a file with what the person was asked about
    leave?: 'always' | 'unsaved' | 'off' // when a session is left: asks, asks where something is lost, does not ask
  }
  fleet?: {
    directories?: string[] // sessions of these directories are shipped
  }
  notify?: {
    by?: 'osc' | 'bell' | 'off' // what the terminal gets
    command?: string[] // a program with its arguments, which gets the text as one more argument
  }
  // A change of a file that the model does not know: blocked; blocked for `write`, told for `edit`; told; or free.
  readGuard?: 'strict' | 'write' | 'warn' | 'off'
}

export function agentDirectory(): string {
  const path = process.env.PI_CODING_AGENT_DIR
  return path ? path.replace(/^~(?=\/|$)/, homedir()) : join(homedir(), '.pi', 'agent')
}

// Settings that cannot be read must not weaken readonly: it then blocks what it does not know. Nor may they keep what
// the person wants nowhere, or elsewhere: then nothing is kept.
export function readSettings(): { settings: Settings; problem?: string } {
  const path = join(agentDirectory(), 'settings.json')
  try {
    const { xylem = {}, packages = [], extensions = [] } = JSON.parse(readFileSync(path, 'utf8'))
    if (!isObject(xylem)) {
      throw new Error('xylem: expected an object')
    }
    check(xylem)
    const settings: Settings = xylem
    if (/\bpi-agenticoding\b/.test(JSON.stringify([packages, extensions]))) {
      settings.readonly = { flag: false, ...settings.readonly }
    }
    return { settings }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? { settings: {} } : refused(path, error)
  }
}

function refused(path: string, error: unknown): { settings: Settings; problem: string } {
  return {
    settings: { isRefused: true, mirror: false, readonly: { blockOthers: true } },
    problem: `${path}: ${(error as Error).message}. ` +
      'Until this is mended, readonly blocks every tool that readonly does not know, and neither sessions nor ' +
      'checkpoints are kept',
  }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
const isFlag = (value: unknown) => typeof value === 'boolean'
const isNames = (value: unknown) =>
  Array.isArray(value) && value.every((name) => typeof name === 'string' && name !== '')
const isOneOf = (...words: unknown[]) => (value: unknown) => words.includes(value)
const isLog = (value: unknown) => typeof value === 'string' && /^(~?\/)./.test(value)
const isPlaces = (value: unknown) => isNames(value) && (value as string[]).every((path) => /^~?\/./.test(path))
const isCommand = (value: unknown) => isNames(value) && (value as string[]).length > 0
const isPath = (value: unknown) => typeof value === 'string' && value.startsWith('/')

const MEMBERS: [name: string, fits: (value: unknown) => boolean, expected: string][] = [
  ['store', isPath, 'an absolute path'],
  ['mirror', isFlag, 'true or false'],
  ['readonly', isObject, 'an object'],
  ['readonly.writeTools', isNames, 'a list of names'],
  ['readonly.shellTools', isNames, 'a list of names'],
  ['readonly.blockOthers', isFlag, 'true or false'],
  ['readonly.flag', isFlag, 'true or false'],
  ['readonly.beside', isFlag, 'true or false'],
  ['checkpoints', isObject, 'an object'],
  ['checkpoints.filters', isNames, 'a list of names'],
  ['confirm', isObject, 'an object'],
  ['confirm.allow', isNames, 'a list of rules'],
  ['confirm.ask', isNames, 'a list of rules'],
  ['confirm.deny', isNames, 'a list of rules'],
  ['confirm.log', isLog, 'an absolute path, or a path below ~/'],
  ['confirm.leave', isOneOf('always', 'unsaved', 'off'), '"always", "unsaved" or "off"'],
  ['fleet', isObject, 'an object'],
  ['fleet.directories', isPlaces, 'a list of absolute paths, or paths below ~/'],
  ['notify', isObject, 'an object'],
  ['notify.by', isOneOf('osc', 'bell', 'off'), '"osc", "bell" or "off"'],
  ['notify.command', isCommand, 'a list: a program, and its arguments'],
  ['readGuard', isOneOf('strict', 'write', 'warn', 'off'), '"strict", "write", "warn" or "off"'],
]

// Throws for a member that MEMBERS lacks, or that does not fit.
function check(members: object, prefix = ''): void {
  for (const [name, value] of Object.entries(members)) {
    const path = prefix + name
    const [, fits, expected] = MEMBERS.find(([known]) => known === path && !name.includes('.')) ?? []
    if (!fits) {
      throw new Error(`xylem.${path}: an unknown name, or a name of a newer version`)
    }
    if (!fits(value)) {
      throw new Error(`xylem.${path}: expected ${expected}`)
    }
    if (isObject(value)) {
      check(value, `${path}.`)
    }
  }
}

// Without a setting, the store of the command: an empty $XYLEM_STORE and a relative $XDG_DATA_HOME count as none.
export function storePath(settings: Settings): string {
  const { XYLEM_STORE, XDG_DATA_HOME } = process.env
  const data = XDG_DATA_HOME?.startsWith('/') ? XDG_DATA_HOME : join(homedir(), '.local', 'share')
  return settings.store ?? (XYLEM_STORE || join(data, 'xylem'))
}
