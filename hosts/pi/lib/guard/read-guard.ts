// Read before write: an edit, and a write to a file that exists, are blocked unless the model knows the file as it is.
//
// A table has the fingerprints of the files that the model read and wrote. The notes of a turn become one entry
// `file-reads` of the session: so the table survives a restart, and follows the branch. Every rule is the library's
// (xylem/reads.h); here is the wiring.
import { access } from 'node:fs/promises'
import { homedir } from 'node:os'
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'
import type { HeldEntry, ReadQuestion, ReadTool, ReadVerdict, Reads } from 'xylem-native'
import type { Block } from './children.ts'
import { type Change, fileTool, isFileTool, setAround } from './file-tools.ts'
import { type Native, native, problem as addonProblem } from '../store/native.ts'
import { unlessAborted } from '../race.ts'
import { remote, type Remote } from '../ssh/remote.ts'
import type { Session } from '../store/session.ts'
import { RANK } from './gate.ts'
import type { Owner } from '../owner.ts'
import { readSettings } from '../settings.ts'

const KIND = 'file-reads'
const ENTRIES_MAX = 64 // the library reads fewer
const WAIT_MS = 200 // of a message for the store, which may name the last writer

const TOGETHER = ' It is being read in the same batch.'
const ANEW = ' Read it to see that it is gone, then write it anew.'
const ABORTED: Block = { block: true, reason: 'Blocked: the turn was aborted before the file was checked.' }
const AGAIN = / Read it(?: again)?, then try again\.$/

// A call that may run, and has not ended.
interface Running {
  tool: ReadTool
  key: string
  warning?: string // for the model, with the result
  noted?: { notice: string | undefined } // where the tool wrote, with words for the person
}

// What the model knows at the leaf.
interface Known {
  reads: Reads
  running: Map<string, Running> // by the id of the call
  unhashable: Set<string> // keys of files of another machine that a tool read there, and that nothing there hashes
  last: Promise<unknown> // of the questions and notes
}

// A look at the file of a call. The look needs no context, which is of no use behind a wait.
interface Look {
  tool: ReadTool
  path: string // as the model gave it
  now: Known
  session: Session | undefined
  isStrict: boolean
  find(): Promise<File>
}

// A file where the tools act. The key is its name in the table.
interface File {
  key: string
  note(by: ReadTool): Promise<void>
  forgetIfGone(): Promise<unknown>
  check(question: ReadQuestion): Promise<ReadVerdict>
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

  // undefined: the guard is off, or does not know the tool.
  function lookAt(tool: string, input: object, { sessionManager, cwd }: ExtensionContext): Look | undefined {
    const { path } = input as { path?: unknown }
    const isKnown = tool === 'read' || tool === 'edit' || tool === 'write'
    if (!native || mode() === 'off' || !isKnown || typeof path !== 'string') {
      return undefined
    }
    const now = known ??= load(native, sessionManager)
    const other = remote()
    const find = () => other ? fileThere(other, now, path, cwd) : fileHere(native!, now, tool, path, cwd)
    return { tool, path, now, session: owner.session, isStrict: mode() === 'strict', find }
  }

  // The tool has waited since the gate's answer: for a person who is asked about another call, for a slow gate, or in
  // pi's queue of the file behind another change. So the file is asked again, inside of the queue.
  async function around({ tool, id, path, signal, ctx }: Change, write: () => Promise<void>): Promise<void> {
    const look = lookAt(tool, { path }, ctx)
    if (!look) {
      return write()
    }
    const { now } = look
    const aborted = { key: '', objection: ABORTED.reason }
    const { key, objection } = await live(inOrder(now, signal, () => judge(look, []), aborted))
    if (objection !== undefined && (look.isStrict || signal?.aborted)) {
      throw new Error(objection)
    }
    const warning = objection ?? now.running.get(id)?.warning
    await write() // pi's own, to the end
    const notice = await live(inOrder(now, signal, () => note(look, false), undefined))
    now.running.set(id, { tool, key, warning, noted: { notice } })
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
        const { key, objection } = await live(judge(look, [...running.values()]))
        if (objection !== undefined && look.isStrict) {
          return { block: true, reason: objection }
        }
        if (!signal?.aborted) {
          running.set(toolCallId, { tool: look.tool, key, warning: objection })
        }
        return undefined
      }, ABORTED)
    },
  })

  owner.on('tool_result', async ({ toolName, toolCallId, input, content, isError }, ctx) => {
    const look = lookAt(toolName, input, ctx)
    if (!look) {
      return undefined
    }
    const { now, session } = look
    const { noted } = now.running.get(toolCallId) ?? {}
    const { notice } = noted ??
      { notice: await live(inOrder(now, ctx.signal, () => note(look, isError), undefined)) }
    const { warning } = now.running.get(toolCallId) ?? {}
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

// The table at the leaf. An older entry than a whole one does not count.
function load(native: Native, manager: ExtensionContext['sessionManager']): Known {
  const held = manager.getBranch().flatMap((entry): HeldEntry[] => entry.type === 'custom' && entry.customType === KIND
    ? [{ id: entry.id, kind: `custom:${KIND}`, data: JSON.stringify(entry.data) }] : [])
  const reads = new native.Reads()
  reads.load(held.slice(-ENTRIES_MAX).reverse())
  return { reads, running: new Map(), unhashable: new Set(), last: Promise.resolve() }
}

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
async function judge({ tool, path, now, session, isStrict, find }: Look, running: Running[]) {
  const said = (message: string, advice = '', writer = '') => isStrict ? message + writer + advice
    : `${message.replace('Blocked', 'Warning').replace(AGAIN, '')}${writer} The ${tool} was not blocked.`
  let file: File
  try {
    file = await find()
  } catch (error) {
    const { message } = now.reads.checkKey(path, { tool: 'edit', shown: path, problem: (error as Error).message })
    return { key: '', objection: tool === 'read' ? undefined : said(message) }
  }
  const { key } = file
  const others = running.filter((other) => other.key === key)
  if (tool === 'read' || others.some((other) => other.tool !== 'read')) {
    return { key }
  }
  const { why, message, notedMs } = await file.check({ tool, shown: path })
  if (why === 'pass') {
    return { key }
  }
  const advice = { unread: others.length > 0 ? TOGETHER : '', changed: '', deleted: tool === 'write' ? ANEW : '' }[why]
  const writer = why === 'changed' ? await lastWriter(session, key, notedMs) : ''
  return { key, objection: said(message, advice, writer) }
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
async function note({ tool, find }: Look, isError: boolean): Promise<string | undefined> {
  try {
    const file = await find()
    if (!isError) {
      await file.note(tool)
    } else if (tool === 'read') {
      await file.forgetIfGone()
    }
    return undefined
  } catch (error) {
    return error instanceof Unhashable ? error.message : undefined
  }
}

async function fileHere(native: Native, { reads }: Known, tool: ReadTool, input: string, cwd: string): Promise<File> {
  const named = native.pathKey(input, cwd, homedir())
  const path = tool === 'read' ? await spellingOf(named) : named
  return {
    key: await native.pathRealAsync(path),
    note: (by) => reads.noteAsync(path, by),
    forgetIfGone: () => reads.forgetGoneAsync(path),
    check: (question) => reads.checkAsync(path, question),
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
async function fileThere(other: Remote, { reads, unhashable }: Known, path: string, cwd: string): Promise<File> {
  const key = await other.key(path, cwd)
  return {
    key,
    async note(by) {
      try {
        const there = await other.fingerprint(key)
        unhashable.delete(key)
        if (there) {
          reads.noteKey(key, by, there)
        }
      } catch (error) {
        unhashable.add(key)
        throw new Unhashable(`xylem: changes of files on ${other.host} go unseen: ${(error as Error).message}`)
      }
    },
    async forgetIfGone() {
      if (await other.fingerprint(key) === undefined) {
        reads.forgetKey(key)
      }
    },
    async check(question) {
      try {
        return reads.checkKey(key, { ...question, there: await other.fingerprint(key) })
      } catch (error) {
        return unhashable.has(key) ? { why: 'pass', message: '', notedMs: 0, key }
          : reads.checkKey(key, { ...question, problem: (error as Error).message })
      }
    },
  }
}
