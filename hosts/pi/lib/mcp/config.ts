// The MCP servers of the user's settings, in two shapes: `mcp` as opencode has it, and `mcpServers` as Claude Desktop
// has it. A project's own settings never count: a repository must not start a server.
import { readFileSync } from 'node:fs'

export interface ServerConfig {
  name: string
  isOn: boolean
  tools?: string[] // names of tools, `*` and `?` as in opencode: the model gets no other tool
  local?: { command: string; args: string[]; environment: Record<string, string> }
  remote?: { url: string; headers: Record<string, string> }
}

type Map = Record<string, unknown>

// Refuses the server, with the key of the member.
class Misfit extends Error {}

// Each problem is one line.
export function readServers(path: string): { servers: ServerConfig[]; problems: string[] } {
  const servers: ServerConfig[] = []
  const problems: string[] = []
  const note = (words: string) => problems.push(`mcp: ${path}: ${words}`)
  let settings: unknown
  try {
    settings = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // not the error of the parser, which quotes the file: a part of the file may be a secret
  }
  if (!isMap(settings)) {
    note('expected an object in JSON')
    return { servers, problems }
  }
  for (const [shape, read] of [['mcp', fromOpencode], ['mcpServers', fromClaude]] as const) {
    const map = settings[shape] ?? {}
    if (!isMap(map)) {
      note(`${shape}: expected an object, found ${kindOf(map)}`)
      continue
    }
    for (const [name, value] of Object.entries(map)) {
      const key = `${shape}.${name}`
      try {
        if (servers.some((server) => server.name === name)) {
          throw new Misfit(`${key}: mcp.${name} has this name already, and only that server counts`)
        }
        const members = new Members(key, value)
        servers.push({ name, tools: members.words('tools'), ...read(members) })
        members.unused().forEach((member) => note(`${key}.${member}: is not used`))
      } catch (error) {
        if (!(error instanceof Misfit)) {
          throw error
        }
        note(error.message)
      }
    }
  }
  return { servers, problems }
}

const isMap = (value: unknown): value is Map => typeof value === 'object' && value !== null && !Array.isArray(value)

// The kind alone: a value may be a secret.
const kindOf = (value: unknown) => value === undefined ? 'nothing' : value === null ? 'null'
  : Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`

class Members {
  readonly #key: string
  readonly #map: Map
  readonly #used = new Set<string>()

  constructor(key: string, map: unknown) {
    this.#key = key
    this.#map = isMap(map) ? map : this.#refuse('', 'an object', map)
  }

  #refuse(member: string, expected: string, found: unknown): never {
    throw new Misfit(`${this.#key}${member && `.${member}`}: expected ${expected}, found ${kindOf(found)}`)
  }

  #get<T>(member: string, expected: string, fits: (value: unknown) => value is T): T | undefined {
    this.#used.add(member)
    const value = this.#map[member]
    return value === undefined || fits(value) ? value : this.#refuse(member, expected, value)
  }

  has = (member: string) => this.#map[member] !== undefined
  unused = () => Object.keys(this.#map).filter((member) => !this.#used.has(member))

  flag(member: string): boolean | undefined {
    return this.#get(member, 'true or false', (value) => typeof value === 'boolean')
  }

  oneOf<T extends string>(member: string, words: readonly T[]): T | undefined {
    return this.#get(member, words.map((word) => `"${word}"`).join(' or '), (value): value is T =>
      words.includes(value as T))
  }

  word(member: string): string | undefined {
    return this.#get(member, 'a text', isWord)
  }

  words(member: string): string[] | undefined {
    return this.#get(member, 'a list of texts', (value) => Array.isArray(value) && value.every((word) =>
      typeof word === 'string'))
  }

  // Each text as `expand` has the text.
  table(member: string, expand = (_member: string, text: string) => text): Record<string, string> {
    return Object.fromEntries(Object.entries(this.#get(member, 'an object', isMap) ?? {}).map(([name, value]) => {
      const key = `${member}.${name}`
      return [name, typeof value === 'string' ? expand(key, value) : this.#refuse(key, 'a text', value)]
    }))
  }

  url(expand = (_member: string, text: string) => text): string {
    const url = expand('url', this.need('url', 'a text', this.word('url')))
    return isHttp(url) ? url : this.#refuse('url', 'an http or https URL', url)
  }

  // Of these members one is needed.
  need<T>(member: string, expected: string, value: T | undefined): T {
    return value ?? this.#refuse(member, expected, undefined)
  }

  // `{env:NAME}` stands for a variable of the environment, as in opencode.
  expand = (member: string, text: string): string =>
    text.replace(/\{env:([^}]+)\}/g, (_all, name) => process.env[name] ??
      this.#refuse(member, `the environment variable ${name}`, undefined))
}

const isWord = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isHttp = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

function fromOpencode(members: Members): Omit<ServerConfig, 'name'> {
  const type = members.need('type', '"local" or "remote"', members.oneOf('type', ['local', 'remote']))
  const isOn = members.flag('enabled') !== false
  if (type === 'remote') {
    return { isOn, remote: { url: members.url(members.expand), headers: members.table('headers', members.expand) } }
  }
  const [command, ...args] = (members.words('command') ?? []).map((word) => members.expand('command', word))
  return { isOn, local: { command: members.need('command', 'a list of texts', command || undefined), args,
    environment: members.table('environment', members.expand) } }
}

// Claude Code has `type` too, and other clients have `disabled`.
function fromClaude(members: Members): Omit<ServerConfig, 'name'> {
  const isOn = members.flag('disabled') !== true && members.flag('enabled') !== false
  if (members.has('url') && !members.has('command')) {
    members.oneOf('type', ['http', 'streamable-http'])
    return { isOn, remote: { url: members.url(), headers: members.table('headers') } }
  }
  members.oneOf('type', ['stdio'])
  return { isOn, local: { command: members.need('command', 'a text', members.word('command')),
    args: members.words('args') ?? [], environment: members.table('env') } }
}
