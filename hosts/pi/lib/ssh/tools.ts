// pi's own read, write, edit and bash, which act on the other machine.
//
// pi's tools do the work on texts and get operations that act there. pi resolves paths by the rules and the files of
// this machine, and names a file's queue of changes by the files of this machine. So pi's tools get a path that is
// nowhere here, and the operations use the path that the other machine has.
import { type BashOperations, createBashToolDefinition, createReadToolDefinition, type ExtensionAPI,
} from '@earendil-works/pi-coding-agent'
import { fileTool, NOWHERE, reworded, there } from '../guard/file-tools.ts'
import type { Machine } from './machine.ts'

// The answer says whether pi has a tool of another extension in the place of one of these: of several tools of a name,
// pi takes the first. A tool is known by its list of guidelines.
export function registerTools(pi: ExtensionAPI, machine: Machine): (name: string) => boolean {
  const lists = new Map<string, unknown>()
  const own = <Tool extends { name: string; promptGuidelines?: string[] }>(tool: Tool): Tool => {
    const promptGuidelines = [...tool.promptGuidelines ?? []]
    lists.set(tool.name, promptGuidelines)
    return { ...tool, promptGuidelines }
  }
  pi.registerTool(own(readTool(machine)))
  pi.registerTool(own(bashTool(machine)))
  for (const name of ['write', 'edit'] as const) {
    const tool = fileTool(name, machine)
    lists.set(name, tool.promptGuidelines)
    pi.registerTool(tool)
  }
  return (name) => lists.has(name) &&
    pi.getAllTools().find((tool) => tool.name === name)?.promptGuidelines !== lists.get(name)
}

export const remoteOperations = (machine: Machine): BashOperations => ({
  exec: async (command, _cwd, { onData, signal, timeout }) =>
    ({ exitCode: await machine.command(command, { onData, signal, timeout }) }),
})

const SIGNATURES: [type: string, signature: RegExp][] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/], ['image/jpeg', /^\xff\xd8\xff/], ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
]

function imageTypeOf(bytes: Buffer): string | null {
  const head = bytes.toString('latin1', 0, 16)
  return SIGNATURES.find(([, signature]) => signature.test(head))?.[0] ?? null
}

function readTool(machine: Machine): ReturnType<typeof createReadToolDefinition> {
  return {
    ...createReadToolDefinition(NOWHERE),
    async execute(id, input, signal, onUpdate, ctx) {
      const bytes = await machine.read(await machine.path(input.path, signal), signal)
      const tool = createReadToolDefinition(NOWHERE, { operations: {
        access: async () => {},
        readFile: async () => bytes,
        detectImageMimeType: async () => imageTypeOf(bytes),
      } })
      return tool.execute(id, input, signal, onUpdate, there(ctx))
    },
  }
}

function bashTool(machine: Machine): ReturnType<typeof createBashToolDefinition> {
  const tool = createBashToolDefinition(NOWHERE,
    { operations: remoteOperations(machine), exposeSessionEnvironment: false })
  // pi keeps the whole of a long output in a file of this machine, which the tools do not reach.
  const marked = (text: string) => text.replace(/(\[Showing [^\]]*Full output: [^\]]*)\]$/m,
    (_all, line) => `${line} on the machine of pi, out of reach of the tools]`)
  return {
    ...tool,
    execute: (id, input, signal, onUpdate, ctx) =>
      reworded(() => tool.execute(id, input, signal, onUpdate, there(ctx)), marked),
  }
}
