// pi's own write and edit, on this machine or on another one, with what stands around the moment of writing.
//
// pi takes the first of several tools of a name. So the read guard and ssh register the same tools, and whichever
// registers, the check of the guard runs inside pi's queue of the file, right before the file changes.
import { constants } from 'node:fs'
import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, posix } from 'node:path'
import { type AgentToolResult, createEditToolDefinition, createWriteToolDefinition, type ExtensionAPI,
  type ExtensionContext } from '@earendil-works/pi-coding-agent'
import { inProcess } from '../process.ts'
import type { Machine } from '../ssh/machine.ts'
import type { Seen } from '../ssh/remote.ts'

type Definition = Parameters<ExtensionAPI['registerTool']>[0]
type Tool = ReturnType<ExtensionAPI['getAllTools']>[number]
type Manager = ExtensionContext['sessionManager']
export type FileToolName = 'write' | 'edit'

// The change of a file that a tool is about to make.
export interface Change {
  tool: FileToolName
  id: string // of the call
  isThere: boolean // on another machine
  input: { path: string; content?: string } // as the model gave it
  signal: AbortSignal | undefined
  ctx: ExtensionContext
}

// With `wanted`, on another machine: writes only if the file is still the wanted one, and says how the file is now.
export type Write = (wanted?: Seen) => Promise<{ isWritten: boolean; seen: Seen } | undefined>

// Calls `write`, or rejects with words for the model.
export type Around = (change: Change, write: Write) => Promise<void>

// `guidelines` of the tools made here: pi shows a tool with its list, and hides the rest.
const shared = inProcess('file-tools', () =>
  ({ around: new WeakMap<Manager, Around>(), guidelines: new WeakSet<object>() }))

export function setAround(manager: Manager, around: Around): void {
  shared.around.set(manager, around)
}

export const isFileTool = ({ promptGuidelines = [] }: Pick<Tool, 'promptGuidelines'>): boolean =>
  shared.guidelines.has(promptGuidelines)

export const NOWHERE = '/nowhere:ssh'

// A context with another directory: pi's tools ask the context first.
export const there = <Context extends ExtensionContext>(ctx: Context): Context =>
  Object.create(ctx, { cwd: { value: NOWHERE } })

const MAKERS: Record<FileToolName, (cwd: string, options?: any) => any> = {
  write: createWriteToolDefinition, edit: createEditToolDefinition,
}

// Without a machine the tool acts on this machine.
export function fileTool(name: FileToolName, machine?: Machine): Definition {
  const make = MAKERS[name]
  const plain: Definition = make(NOWHERE)
  const promptGuidelines = [...plain.promptGuidelines ?? []]
  shared.guidelines.add(promptGuidelines)
  return {
    ...plain,
    promptGuidelines,
    // While the arguments are complete and there is no result, pi draws a preview from the file of this machine.
    renderCall: (input, theme, context) =>
      plain.renderCall!(input, theme, machine && name === 'edit' ? { ...context, argsComplete: false } : context),
    async execute(id, input, signal, onUpdate, ctx) {
      const given = input as Change['input']
      const { path } = given
      const around = shared.around.get(ctx.sessionManager) ?? (async (_change, write) => void await write())
      const isThere = machine !== undefined
      const changing = (write: Write) => around({ tool: name, id, isThere, input: given, signal, ctx }, write)
      if (!machine) {
        return make(ctx.cwd, { operations: operationsHere(changing) }).execute(id, input, signal, onUpdate, ctx)
      }
      const real = await machine.path(path, signal)
      const tool = make(NOWHERE, { operations: operationsThere(machine, real, signal, changing) })
      return renamed(real, path, (alias) => tool.execute(id, { ...input as object, path: alias }, signal, onUpdate,
        there(ctx)))
    },
  }
}

type Changing = (write: Write) => Promise<void>

const operationsHere = (changing: Changing) => ({
  access: (path: string) => access(path, constants.R_OK | constants.W_OK),
  readFile: (path: string) => readFile(path),
  mkdir: async () => {}, // a write that is blocked makes no directory
  writeFile: (path: string, content: string) => changing(async () => {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
    return undefined
  }),
})

function operationsThere(machine: Machine, path: string, signal: AbortSignal | undefined, changing: Changing) {
  let bytes: Buffer
  return {
    access: async () => { bytes = await machine.readToWrite(path, signal) },
    readFile: async () => bytes,
    mkdir: async () => {},
    writeFile: (_path: string, content: string) => changing((wanted) => machine.write(path, content, signal, wanted)),
  }
}

// Calls a tool with a path that is nowhere here, and gives the model the path that the model gave.
async function renamed(path: string, given: string, call: (alias: string) => Promise<AgentToolResult<unknown>>) {
  const alias = `.${posix.normalize(path)}`
  const named = (text: string) => text.replaceAll(alias, () => given)
  const result = await reworded(() => call(alias), named)
  const details = result.details as { patch?: string } | undefined
  if (details?.patch !== undefined) {
    const [head, ...rest] = details.patch.split('\n@@')
    details.patch = [named(head), ...rest].join('\n@@')
  }
  return result
}

// The result of a tool, or the error, with other words for the model.
export async function reworded<T>(call: () => Promise<AgentToolResult<T>>, words: (text: string) => string) {
  try {
    const result = await call()
    return { ...result, content: result.content.map((part) =>
      part.type === 'text' ? { ...part, text: words(part.text) } : part) }
  } catch (error) {
    throw new Error(words((error as Error).message), { cause: error })
  }
}
