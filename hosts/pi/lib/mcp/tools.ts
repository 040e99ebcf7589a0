// The tools of MCP servers as tools of pi, in one session.
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'
import { Type } from 'typebox'
import { oneLine } from '../excerpt.ts'
import { toolName } from './names.ts'
import { type Hints as NotedHints, notedHints } from '../guard/readers.ts'
import { resultOf, schemaOf } from './results.ts'
import type { McpServer, Tool } from './server.ts'
import { drawCall, drawResult } from './view.ts'

type Manager = ExtensionContext['sessionManager']
type Definition = Parameters<ExtensionAPI['registerTool']>[0] & { annotations?: Hints; exposure?: 'direct' | 'hidden' }

type Hints = Omit<NotedHints, 'mcp'>

const LABEL_COLUMNS = 60

export class Offered {
  readonly #pi: ExtensionAPI
  readonly #names = new Map<string, string>() // of pi, by server and tool; a name stays with its tool
  readonly #active = new Map<string, Definition>() // by name
  readonly #hints = new Map<string, NotedHints>()

  constructor(pi: ExtensionAPI, manager: Manager) {
    this.#pi = pi
    notedHints.set(manager, this.#hints)
  }

  has = (name: string) => this.#active.has(name)

  // In the order of the settings. A server that was late comes behind: of two equal names the later gets the number.
  update(servers: McpServer[]): void {
    const others = new Set(this.#pi.getAllTools().map(({ name }) => name))
    const own = new Set(this.#names.values())
    const wanted = new Map<string, Definition>()
    for (const server of servers) {
      for (const tool of server.tools) {
        const key = JSON.stringify([server.config.name, tool.name])
        const name = this.#names.get(key) ??
          toolName(server.config.name, tool.name, (taken) => own.has(taken) || others.has(taken))
        this.#names.set(key, name)
        own.add(name)
        wanted.set(name, definition(name, server, tool))
        this.#hints.set(name, { ...annotationsOf(tool), mcp: [server.config.name, tool.name, tool.description,
          tool.inputSchema] })
      }
    }
    this.#withdraw([...this.#active].filter(([name]) => !wanted.has(name)))
    this.#offer([...wanted])
  }

  // pi gives a new tool to the model at once, and a tool that was withdrawn only when told.
  #offer(tools: [string, Definition][]): void {
    const back = tools.filter(([name]) => !this.#active.has(name)).map(([name]) => name)
    for (const [name, definition] of tools) {
      this.#active.set(name, definition)
      this.#pi.registerTool(definition)
    }
    const active = this.#pi.getActiveTools()
    const known = new Set(this.#pi.getAllTools().map(({ name }) => name))
    const missing = back.filter((name) => known.has(name) && !active.includes(name))
    if (missing.length > 0) {
      this.#pi.setActiveTools([...active, ...missing])
    }
  }

  // No pi forgets a tool. pi 0.87 hides a tool that is not active, pi 1.5 a hidden one from code too.
  #withdraw(tools: [string, Definition][]): void {
    for (const [name, definition] of tools) {
      this.#active.delete(name)
      this.#hints.delete(name)
      this.#pi.registerTool({ ...definition, exposure: 'hidden' } as Definition)
    }
    const gone = new Set(tools.map(([name]) => name))
    if (gone.size > 0) {
      this.#pi.setActiveTools(this.#pi.getActiveTools().filter((name) => !gone.has(name)))
    }
  }
}

function definition(name: string, server: McpServer, tool: Tool): Definition {
  const label = oneLine(`${server.config.name}/${tool.name}`, LABEL_COLUMNS)
  const title = [tool.description, tool.title, tool.annotations?.title].find((text) =>
    typeof text === 'string' && text.trim() !== '')
  const { schema, restore } = schemaOf(tool.inputSchema)
  return {
    name,
    label,
    description: (title as string | undefined) ?? `The tool ${label} of an MCP server`,
    parameters: Type.Unsafe<Record<string, unknown>>(schema),
    annotations: annotationsOf(tool),
    async execute(_id, input, signal, onUpdate) {
      const answer = await server.call(tool.name, restore(input as Record<string, unknown>), { signal,
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
