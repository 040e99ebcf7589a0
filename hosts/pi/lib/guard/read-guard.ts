// Read before write: an edit, and a write to a file that exists, are blocked unless the model knows the file as it is.
//
// A table has the fingerprints of the files that the model read and wrote. The notes of a turn become one entry
// `file-reads` of the session: so the table survives a restart, and follows the branch. Every rule is the library's
// (xylem/reads.h); here is the wiring.
import { access, readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import type { ExtensionAPI, ExtensionContext, SessionEntry } from '@earendil-works/pi-coding-agent'
import type { HeldEntry, ReadQuestion, ReadTool, ReadVerdict, Reads } from 'xylem-native'
import type { Block } from './children.ts'
import { type Change, fileTool, isFileTool, setAround, type Write } from './file-tools.ts'
import { hintsOf } from './readers.ts'
import { type Call, catPaths, linesShown, neverShown } from './shown.ts'
import { type Native, native, problem as addonProblem } from '../store/native.ts'
import { unlessAborted } from '../race.ts'
import { remote, type Remote, type Seen } from '../ssh/remote.ts'
import type { Session } from '../store/session.ts'
import { RANK } from './gate.ts'
import type { Owner } from '../owner.ts'
import { readSettings } from '../settings.ts'

const KIND = 'file-reads'
const ENTRIES_MAX = 64 // the library reads fewer
const WAIT_MS = 200 // of a message for the store, which may name the last writer

const TOGETHER = ' It is being read in the same batch.'
const ANEW = ' Read it to see that it is gone, then write it anew.'
const UNREAD = / was not read in this session\. Read it, then try again\.$/
const LONG_AGO = ' was read too long ago. Read it again, then try again.' // the table has 100 files
const ABORTED: Block = { block: true, reason: 'Blocked: the turn was aborted before the file was checked.' }
const TEXT_BYTES_MAX = 64 * 1024 * 1024 // of a file whose lines are compared
const ABORTED_CALL: Judgement = { keys: [], objection: ABORTED.reason, isBlock: true }
const AGAIN = / Read (?:it|it again|them), then try again\.$/

// A call that may run, and has not ended.
interface Running {
  tool: ReadTool
  keys: string[]
  look?: Look // readonly changes the input of bash behind the gates
  warning?: string // for the model, with the result
  noted?: { notice: string | undefined } // where the tool wrote, with words for the person
}

// What the model knows at the leaf.
interface Known {
  reads: Reads
  running: Map<string, Running> // by the id of the call
  noted: Set<string> // keys that were noted since the load, also of files that fell out of the table
  seen: Map<string, Seen> // files of another machine, as they were last seen there, by their names
  unhashable: Set<string> // keys of files of another machine that a tool read there, and that nothing there hashes
  last: Promise<unknown> // of the questions and notes
}

// A look at the files of a call. The look needs no context, which is of no use behind a wait.
interface Look {
  tool: ReadTool
  path: string // the first, as the model gave it
  content: string | undefined // that is to be written
  now: Known
  session: Session | undefined
  isStrict: boolean
  proves: boolean // the model knows the file behind a change that passed with a warning
  keys(): Promise<string[]> // on another machine by the text of the path alone
  finds: (() => Promise<File>)[]
  ended(): Promise<File | undefined> // what the tool itself saw on another machine
  linesShown(): Promise<Set<string> | undefined>
  wasNoted(key: string): boolean
}

// A file where the tools act. The key is its name in the table.
interface File {
  key: string
  seen?: Seen // on another machine
  note(by: ReadTool): Promise<void>
  forgetIfGone(): Promise<unknown>
  check(question: ReadQuestion): Promise<ReadVerdict>
  text(): Promise<string | undefined>
}

// `objection` of a call that passes all the same: a warning.
interface Judgement {
  keys: string[]
  file?: File
  objection?: string
  isBlock?: boolean
}

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
      const seen = await other?.look(path, cwd)
      return seen ? fileThere(other!, now, seen, await other!.name(path, cwd)) : fileHere(native!, now, by, path, cwd)
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
    const isOf = async ({ name, arguments: given }: Call) => (await keysOf(name, given)).includes((await keys())[0])
    const ended = async () => {
      const seen = tool === 'read' ? await other?.justRead(paths[0]) : undefined
      return seen && fileThere(other!, now, seen, await other!.name(paths[0], cwd))
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
      { notice: await live(inOrder(now, ctx.signal, async () => note(look, isError, warning, await look.ended()),
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

// One question or note at a time: of two notes on a file the later look at the file counts. A file system, or another
// machine, may never answer: an abort ends the wait.
function inOrder<T>(now: Known, signal: AbortSignal | undefined, work: () => Promise<T>, ifAborted: T): Promise<T> {
  const first = unlessAborted(signal, now.last.then(work), () => ifAborted)
  now.last = first.catch(() => {})
  return first
}

// pi asks about all calls of an answer before the first call runs, and runs the changes of one file in their order. So
// a change behind another change of the file passes: the model knows the file by its own change. `running` are calls
// that may be such changes: none where the tool writes.
async function judge(look: Look, running: Running[], found?: File): Promise<Judgement> {
  const { tool, path, now, session, isStrict, finds } = look
  if (tool === 'read') {
    return { keys: await look.keys() }
  }
  const said = (message: string, isBlock = true, advice = '', writer = '') => isStrict && isBlock
    ? { objection: message + writer + advice, isBlock }
    : { objection: `${message.replace('Blocked', 'Warning').replace(AGAIN, '')}${writer} The ${tool} was not blocked.` }
  let file: File
  try {
    file = found ?? await finds[0]()
  } catch (error) {
    const { message } = now.reads.checkKey(path, { tool: 'edit', shown: path, problem: (error as Error).message })
    return { keys: [], ...said(message) }
  }
  const keys = [file.key, ...await look.keys()]
  const others = running.filter((other) => other.keys.some((key) => keys.includes(key)))
  if (others.some((other) => other.tool !== 'read')) {
    return { keys, file }
  }
  const { why, message, notedMs } = await file.check({ tool, shown: path })
  if (why === 'pass') {
    const unseen = notedMs > 0 ? await unseenBy(look, file) : undefined
    return { keys, file, ...unseen && said(unseen.message, unseen.isLoss) }
  }
  const advice = { unread: others.length > 0 ? TOGETHER : '', changed: '', deleted: tool === 'write' ? ANEW : '' }[why]
  const writer = why === 'changed' ? await lastWriter(session, file.key, notedMs) : ''
  const words = why === 'unread' && look.wasNoted(file.key) ? message.replace(UNREAD, LONG_AGO) : message
  return { keys, file, ...said(words, true, advice, writer) }
}

// The lines that a write puts something else into the place of, and that the model never saw.
async function unseenBy({ path, content, linesShown }: Look, file: File) {
  const shown = content === undefined ? undefined : await linesShown()
  const text = shown && await file.text()
  return text === undefined ? undefined : neverShown(text, shown!, content!, path)
}

// Another session of the directory may have changed the file. The answer is empty if the store does not know.
async function lastWriter(session: Session | undefined, key: string, sinceMs: number): Promise<string> {
  const keeper = session?.keeper
  if (!native || !session || !keeper || !('path' in keeper)) {
    return ''
  }
  try {
    const store = await native.openAsync(keeper.path, { waitMs: WAIT_MS })
    return await store.lastWriterAsync(session.id, key, sinceMs).finally(() => store.close()) ?? ''
  } catch {
    return ''
  }
}

// Notes a call that has ended: the words for the person, if something is amiss. A file that cannot be noted counts as
// it did.
async function note({ tool, now, proves, finds }: Look, isError: boolean, warning?: string, ended?: File) {
  if (warning !== undefined && !proves) {
    return undefined
  }
  let notice: string | undefined
  for (const find of finds) {
    try {
      const file = ended ?? await find()
      if (!isError) {
        await file.note(tool)
        now.noted.add(file.key)
      } else if (tool === 'read') {
        await file.forgetIfGone()
      }
    } catch (error) {
      notice = error instanceof Unhashable ? error.message : notice
    }
  }
  return notice
}

async function fileHere(native: Native, { reads }: Known, tool: ReadTool, input: string, cwd: string): Promise<File> {
  const named = native.pathKey(input, cwd, homedir())
  const path = tool === 'read' ? await spellingOf(named) : named
  return {
    key: await native.pathRealAsync(path),
    note: (by) => reads.noteAsync(path, by),
    forgetIfGone: () => reads.forgetGoneAsync(path),
    check: (question) => reads.checkAsync(path, question),
    text: async () => (await stat(path)).size <= TEXT_BYTES_MAX ? await readFile(path, 'utf8') : undefined,
  }
}

// pi's read tries other spellings of a path without a file, for names that macOS makes.
async function spellingOf(path: string): Promise<string> {
  const decomposed = path.normalize('NFD')
  const spellings = [path, path.replace(/ (AM|PM)\./gi, '\u202f$1.'), decomposed, path.replace(/'/g, '\u2019'),
    decomposed.replace(/'/g, '\u2019')]
  for (const spelling of spellings) {
    if (await access(spelling).then(() => true, () => false)) {
      return spelling
    }
  }
  return path
}

class Unhashable extends Error {}

// Where nothing hashes a file that a tool read, the read itself must do: changes of the file then go unseen.
function fileThere(other: Remote, { reads, seen: all, unhashable }: Known, seen: Seen, name: string): File {
  const { key, there, problem } = seen
  all.set(name, seen)
  return {
    key,
    seen,
    text: () => other.text(key),
    async note(by) {
      if (problem !== undefined) {
        unhashable.add(key)
        throw new Unhashable(`xylem: changes of files on ${other.host} go unseen: ${problem}`)
      }
      unhashable.delete(key)
      if (there) {
        reads.noteKey(key, by, there)
      }
    },
    async forgetIfGone() {
      if (!there && problem === undefined) {
        reads.forgetKey(key)
      }
    },
    async check(question) {
      return problem !== undefined && unhashable.has(key) ? { why: 'pass', message: '', notedMs: 0, key }
        : reads.checkKey(key, { ...question, there, problem })
    },
  }
}
