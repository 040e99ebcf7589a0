// The tools of MCP servers as tools of pi, in one session.
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'
import { Type } from 'typebox'
import { oneLine } from '../excerpt.ts'
import { type Hints, notedHints } from '../guard/readers.ts'
import { readServers } from './config.ts'
import { forget, keep, type Listed, recall } from './listed.ts'
import { extensionFile } from '../package.ts'
import { pathOf } from '../sequence/offers.ts'
import { toolName } from './names.ts'
import { resultOf, schemaOf } from './results.ts'
import type { CallOptions, McpServer, Tool } from './server.ts'
import { drawCall, drawResult } from './view.ts'

type Manager = ExtensionContext['sessionManager']
type Definition = Parameters<ExtensionAPI['registerTool']>[0] & { annotations?: Hints }

type Call = (input: Record<string, unknown>, options: CallOptions) => Promise<unknown>

interface Entry {
  definition: Definition
  hints: Hints
  text: string // of the tool, as the server lists it
}

const LABEL_COLUMNS = 60

export class Offered {
  readonly #pi: ExtensionAPI
  readonly #names = new Map<string, string>() // of pi, by server and tool; a name stays with its tool
  readonly #owners = new Map<string, [server: string, tool: string]>() // by name
  readonly #active = new Map<string, Entry>() // by name
  readonly #hints = new Map<string, Hints>()
  readonly #kept = new Map<string, string>() // the list of each server, for the next start
  #servers: McpServer[] = []

  // While pi loads the extensions. The model has the tools that each server listed last from the first turn on.
  constructor(pi: ExtensionAPI, settings: string) {
    this.#pi = pi
    process.once('exit', forgetAll)
    for (const { name: server, ...config } of readServers(settings).servers) {
      const listed = recall({ name: server, ...config }, process.cwd()).filter(([name]) => !this.#owners.has(name))
      this.#kept.set(server, JSON.stringify(listed))
      for (const [name, tool] of listed) {
        this.#names.set(keyOf(server, tool), name)
        pi.registerTool(this.#add(name, server, tool).definition)
      }
    }
  }

  has = (name: string) => this.#active.has(name)

  // The server that has, or had, the tool; and why there is no such tool any more.
  ownerOf(name: string) {
    const [owner, tool] = this.#owners.get(name) ?? []
    const server = this.#servers.find(({ config }) => config.name === owner)
    return server && { server, lacks: () => this.has(name) ? undefined : server.lacks(tool!) }
  }

  // A session is there.
  begin(manager: Manager): void {
    process.off('exit', forgetAll)
    notedHints.set(manager, this.#hints)
  }

  // In the order of the settings. A server that was late comes behind: of two equal names the later gets the number.
  update(servers: McpServer[]): void {
    this.#servers = servers
    const here = pathOf(extensionFile('mcp-loader'))
    const all = this.#pi.getAllTools()
    const own = [...new Set(all.map(({ sourceInfo }) => sourceInfo.path))].filter((path) => pathOf(path) === here)
    const others = new Set(all.filter(({ sourceInfo }) => !own.includes(sourceInfo.path)).map(({ name }) => name))
    const wanted = new Set<string>()
    const back: string[] = []
    for (const { config, cwd, tools, state } of servers) {
      const listed = tools.map((tool): Listed[number] => {
        const key = keyOf(config.name, tool)
        const before = this.#names.get(key) ?? ''
        // Behind the start pi gives a name to the first extension that takes it, without a word.
        const name = before !== '' && !others.has(before) ? before
          : toolName(config.name, tool.name, (taken) => this.#owners.has(taken) || others.has(taken))
        this.#names.set(key, name)
        const known = this.#active.get(name)
        if (!known) {
          back.push(name)
        }
        const entry = known?.text === JSON.stringify(tool) ? known : this.#add(name, config.name, tool)
        if (entry !== known) { // each time pi makes its list of all tools anew
          this.#pi.registerTool(entry.definition)
        }
        if (state === 'connected') {
          delete entry.hints.readOnlyHint
          Object.assign(entry.hints, annotationsOf(tool))
        }
        wanted.add(name)
        return [name, tool]
      })
      const text = JSON.stringify(listed)
      if (state === 'connected' && text !== this.#kept.get(config.name)) {
        this.#kept.set(config.name, text)
        keep(config, cwd, listed)
      }
    }
    this.#show(back, [...this.#active.keys()].filter((name) => !wanted.has(name)), others)
  }

  // Until its server has answered, a tool counts as one that writes: it may have changed since the last start.
  #add(name: string, server: string, tool: Tool): Entry {
    const hints: Hints = { readOnlyHint: false, mcp: [server, tool.name, tool.description, tool.inputSchema] }
    const call: Call = async (input, options) => {
      const known = this.ownerOf(name)
      if (!known) {
        throw new Error(`the MCP server ${server} does not run. /reload starts the servers of the settings`)
      }
      return known.server.call(tool.name, input, options)
    }
    const entry = { definition: definition(name, server, tool, hints, call), hints, text: JSON.stringify(tool) }
    this.#owners.set(name, [server, tool.name])
    this.#hints.set(name, hints)
    this.#active.set(name, entry)
    return entry
  }

  // No pi forgets a tool, but the model has the active ones alone. pi gives the model a new tool at once, and a tool that
  // was gone only when told.
  #show(back: string[], gone: string[], others: Set<string>): void {
    gone.forEach((name) => {
      this.#active.delete(name)
      this.#hints.delete(name)
    })
    const active = this.#pi.getActiveTools()
    const known = new Set(this.#pi.getAllTools().map(({ name }) => name))
    const missing = back.filter((name) => known.has(name) && !active.includes(name))
    if (missing.length > 0 || gone.length > 0) {
      const without = new Set(gone.filter((name) => !others.has(name)))
      this.#pi.setActiveTools([...active.filter((name) => !without.has(name)), ...missing])
    }
  }
}

// Beside an extension that has a tool of the same name pi does not start: the next start names all tools anew.
const forgetAll = (code: number) => code === 0 || forget()

const keyOf = (server: string, tool: Tool) => JSON.stringify([server, tool.name])

function definition(name: string, server: string, tool: Tool, annotations: Hints, call: Call): Definition {
  const label = oneLine(`${server}/${tool.name}`, LABEL_COLUMNS)
  const title = [tool.description, tool.title, tool.annotations?.title].find((text) =>
    typeof text === 'string' && text.trim() !== '')
  const { schema, restore } = schemaOf(tool.inputSchema)
  return {
    name,
    label,
    description: (title as string | undefined) ?? `The tool ${label} of an MCP server`,
    parameters: Type.Unsafe<Record<string, unknown>>(schema),
    annotations, // changes when the server answers
    async execute(_id, input, signal, onUpdate) {
      const answer = await call(restore(input as Record<string, unknown>), { signal,
        onProgress: (words) => onUpdate?.({ content: [{ type: 'text', text: words }], details: {} }) })
      const { content, isError, fullOutputPath } = await resultOf(answer)
      return { content, details: { ...isError && { isError }, ...fullOutputPath && { fullOutputPath } } }
    },
    renderCall: (input, theme) => drawCall(label, input, theme),
    renderResult: (result, { expanded }, theme, { isError }) => drawResult(result, expanded, isError, theme),
  }
}

function annotationsOf({ annotations }: Tool): Hints {
  const { readOnlyHint, destructiveHint } = annotations ?? {}
  return { ...typeof readOnlyHint === 'boolean' && { readOnlyHint },
    ...typeof destructiveHint === 'boolean' && { destructiveHint } }
}
