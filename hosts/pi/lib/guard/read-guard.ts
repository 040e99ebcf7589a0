// Read before write: an edit, and a write to a file that exists, are blocked unless the model knows the file as it is.
//
// A table has the fingerprints of the files that the model read and wrote. The notes of a turn become one entry
// `file-reads` of the session: so the table survives a restart, and follows the branch. Every rule is the library's
// (xylem/reads.h); here is the wiring.
import { basename } from 'node:path'
import type { ExtensionAPI, ExtensionContext, SessionEntry } from '@earendil-works/pi-coding-agent'
import type { HeldEntry, ReadTool } from 'xylem-native'
import type { Block } from './children.ts'
import { type Change, fileTool, isFileTool, setAround, type Write } from './file-tools.ts'
import { hintsOf } from './readers.ts'
import { fileHere, fileThere, inOrder, judge, type Judgement, type Known, type Look, note } from './look.ts'
import { type Call, catPaths, linesShown } from './shown.ts'
import { type Native, native, problem as addonProblem } from '../store/native.ts'
import { remote } from '../ssh/remote.ts'
import type { Session } from '../store/session.ts'
import { RANK } from './gate.ts'
import type { Owner } from '../owner.ts'
import { readSettings } from '../settings.ts'

const KIND = 'file-reads'
const ENTRIES_MAX = 64 // the library reads fewer

const ABORTED: Block = { block: true, reason: 'Blocked: the turn was aborted before the file was checked.' }
const ABORTED_CALL: Judgement = { keys: [], objection: ABORTED.reason, isBlock: true }

export default function readGuard(pi: ExtensionAPI, owner: Owner): void {
  const { live } = owner
  let known: Known | undefined // undefined: the next call loads the table

  // A host of the SDK may run tools in a session that never started.
  const mode = () => (owner.session?.settings ?? readSettings().settings).readGuard ?? 'strict'

  // One entry a turn: an entry behind an answer disturbs other extensions.
  function keep(session: Session | undefined): void {
    const data = session && known?.reads.drain()
    if (data) {
      pi.appendEntry(KIND, JSON.parse(data))
      void session.catchUp()
    }
  }

  // A host may replace a session that it never ended. The notes of the turn are lost then, and files are read again.
  function keepAtEnd(session: Session): void {
    try {
      keep(session)
    } catch {
      // pi has no place for the entry
    }
  }

  // The files that a call reads or changes: of bash those of `cat` alone; of the tools of MCP those of a tool that only
  // reads, on this machine.
  function pathsOf(tool: string, input: object, manager: ExtensionContext['sessionManager']): string[] {
    const { path, file_path = path, command } = input as { path?: unknown; file_path?: unknown; command?: unknown }
    if (tool === 'bash') {
      return catPaths(command)
    }
    if (!isFileCall(tool)) {
      const hints = typeof file_path === 'string' && !remote() ? hintsOf(pi, tool, { sessionManager: manager }) : {}
      return hints.mcp && hints.readOnlyHint === true ? [String(file_path)] : []
    }
    return typeof path === 'string' ? [path] : []
  }

  // undefined: the guard is off, or the call is about no file.
  function lookAt(tool: string, input: object, { sessionManager, cwd }: ExtensionContext): Look | undefined {
    const paths = native && mode() !== 'off' ? pathsOf(tool, input, sessionManager) : []
    if (paths.length === 0) {
      return undefined
    }
    const by = isFileCall(tool) ? tool : 'read'
    const now = known ??= load(native!, sessionManager)
    const other = remote()
    const find = async (path: string) => {
      const seen = await live(other?.look(path, cwd))
      return seen ? fileThere(other!, now, seen, await live(other!.name(path, cwd)))
        : fileHere(native!, now, by, path, cwd)
    }
    const names = new Map<string, Promise<string>>()
    const keyOf = (as: ReadTool, path: string) => {
      const found = names.get(`${as} ${path}`) ??
        (other ? other.name(path, cwd) : fileHere(native!, now, as, path, cwd).then(({ key }) => key)).catch(() => '')
      names.set(`${as} ${path}`, found)
      return found
    }
    const keysOf = (name: string, given: object) => Promise.all(pathsOf(name, given, sessionManager)
      .map((path) => keyOf(isFileCall(name) ? name : 'read', path)))
    const keys = () => keysOf(tool, input)
    // A look at the file system for each call of a long session takes a second: the name of the file comes first.
    const named = basename(paths[0]).replace(/^@/, '') // pi drops the @ too
    const isOf = async ({ name, arguments: given }: Call) => {
      const { path, file_path, command } = given as Record<string, unknown>
      if (![path, file_path, command].some((text) => typeof text === 'string' && text.includes(named))) {
        return false
      }
      const [own] = await live(keys())
      return (await live(keysOf(name, given))).includes(own)
    }
    const ended = async () => {
      const seen = tool === 'read' ? await live(other?.justRead(paths[0])) : undefined
      return seen && fileThere(other!, now, seen, await live(other!.name(paths[0], cwd)))
    }
    const { content } = input as { content?: unknown }
    return { tool: by, path: paths[0], now, session: owner.session, keys, finds: paths.map((path) => () => find(path)),
      ended,
      content: by === 'write' && typeof content === 'string' ? content : undefined,
      isStrict: mode() === 'strict' || (mode() === 'write' && by === 'write'),
      proves: mode() !== 'write' || by !== 'edit',
      linesShown: () => linesShown(sessionManager.getBranch(), isOf),
      wasNoted: (key) => now.noted.has(key) || isIn(sessionManager.getBranch(), key) }
  }

  // The tool has waited since the gate's answer: for a person who is asked about another call, for a slow gate, or in
  // pi's queue of the file behind another change. So the file is asked again, inside of the queue.
  async function around({ tool, id, isThere, input, signal, ctx }: Change, write: Write): Promise<void> {
    const look = lookAt(tool, input, ctx)
    if (!look) {
      await write()
      return
    }
    const { now } = look
    const { keys, objection, file } =
      await live(isThere ? writtenThere(look, signal, write) : judgedAgain(look, signal))
    const warning = objection ?? now.running.get(id)?.warning
    if (!isThere) {
      await write() // pi's own, to the end
    }
    const notice = await live(inOrder(now, signal, () => note(look, false, warning, file), undefined))
    now.running.set(id, { tool, keys, warning, noted: { notice } })
  }

  async function judgedAgain(look: Look, signal: AbortSignal | undefined): Promise<Judgement> {
    const { keys, objection, isBlock } = await live(inOrder(look.now, signal, () => judge(look, []), ABORTED_CALL))
    if (isBlock) {
      throw new Error(objection)
    }
    return { keys, objection }
  }

  // Each question to another machine is a round trip. So the file is written if it is as it was last seen, and judged
  // anew if not. The answer has the file as it was written.
  async function writtenThere(look: Look, signal: AbortSignal | undefined, write: Write): Promise<Judgement> {
    const { now } = look
    const [name] = await live(look.keys())
    const last = now.seen.get(name)
    let file = last && fileThere(remote()!, now, last, name)
    for (;;) {
      const judged = await live(inOrder(now, signal, () => judge(look, [], file), ABORTED_CALL))
      if (judged.isBlock && (!file || signal?.aborted)) {
        throw new Error(judged.objection)
      }
      const { seen } = judged.file ?? {}
      if (!judged.isBlock && !seen) { // a look that failed, and a guard that only warns
        await live(write())
        return judged
      }
      const answer = judged.isBlock ? undefined : await live(write(seen))
      file = answer && fileThere(remote()!, now, answer.seen, name)
      if (answer?.isWritten) {
        return { ...judged, file }
      }
    }
  }

  // Later than every start of a session, so that no other extension's tool loses its place to this one. pi 0.87 has
  // runs without before_agent_start.
  function register(): void {
    if (!native || mode() === 'off') {
      return
    }
    for (const tool of pi.getAllTools()) {
      if ((tool.name !== 'write' && tool.name !== 'edit') || isFileTool(tool)) {
        continue
      }
      const { source, path } = tool.sourceInfo
      if (source === 'builtin') {
        pi.registerTool(fileTool(tool.name))
      } else {
        owner.session?.tell(`xylem: ${path} has a ${tool.name} of its own. Whether a file changed after it was read ` +
          'is checked before the call, and not again where that tool writes')
      }
    }
  }

  owner.on('before_agent_start', (_event, ctx) => {
    register()
    owner.session?.show(ctx)
  })
  owner.on('agent_start', register)

  owner.on('session_start', (_event, ctx) => {
    known = undefined
    setAround(ctx.sessionManager, around)
    const { session } = owner
    session?.beforeEnd(() => keepAtEnd(session))
    if (!native && mode() !== 'off') {
      owner.session?.tell(`xylem: ${addonProblem}. Nothing checks that a file was read before it is changed`)
      owner.session?.show(ctx)
    }
  })

  owner.on('session_tree', () => {
    known = undefined
  })

  owner.gate({
    rank: RANK.readGuard,
    ask({ toolName, toolCallId, input }, ctx) {
      const look = lookAt(toolName, input, ctx)
      if (!look) {
        return undefined
      }
      const { signal } = ctx
      const { now: { running } } = look
      return inOrder<Block | undefined>(look.now, signal, async () => {
        const { keys, objection, isBlock } = await live(judge(look, [...running.values()]))
        if (isBlock) {
          return { block: true, reason: objection! }
        }
        if (!signal?.aborted) {
          running.set(toolCallId, { tool: look.tool, keys, look, warning: objection })
        }
        return undefined
      }, ABORTED)
    },
  })

  owner.on('tool_result', async ({ toolName, toolCallId, input, content, isError }, ctx) => {
    const look = known?.running.get(toolCallId)?.look ?? lookAt(toolName, input, ctx)
    if (!look) {
      return undefined
    }
    const { now, session } = look
    const { noted, warning } = now.running.get(toolCallId) ?? {}
    const { notice } = noted ??
      { notice: await live(inOrder(now, ctx.signal, async () => note(look, isError, warning, await live(look.ended())),
        undefined)) }
    if (notice && session) {
      session.tell(notice)
      session.show(ctx)
    }
    return warning ? { content: [...content, { type: 'text', text: warning }] } : undefined
  })

  // Also of a call that another extension blocked, which has no result.
  owner.on('tool_execution_end', ({ toolCallId }) => {
    known?.running.delete(toolCallId)
  })

  owner.onTurnOver(() => {
    known?.running.clear()
    keep(owner.session)
  })
}

const isFileCall = (tool: string): tool is ReadTool => tool === 'read' || tool === 'edit' || tool === 'write'

// The table at the leaf. An older entry than a whole one does not count.
function load(native: Native, manager: ExtensionContext['sessionManager']): Known {
  const held = manager.getBranch().flatMap((entry): HeldEntry[] => entry.type === 'custom' && entry.customType === KIND
    ? [{ id: entry.id, kind: `custom:${KIND}`, data: JSON.stringify(entry.data) }] : [])
  const reads = new native.Reads()
  reads.load(held.slice(-ENTRIES_MAX).reverse())
  return { reads, running: new Map(), noted: new Set(), seen: new Map(), unhashable: new Set(),
    last: Promise.resolve() }
}

// A file that an entry of the path notes: the table may have lost the file since.
const isIn = (path: SessionEntry[], key: string): boolean => path.some((entry) => entry.type === 'custom' &&
  entry.customType === KIND && JSON.stringify(entry.data ?? null).includes(JSON.stringify(key)))
