// A look at the files of a call of a tool: how the model knows the files, and what the guard says. Nothing here has a
// context: a look may wait for a file system, or for another machine.
import { access, readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import type { ReadQuestion, ReadTool, ReadVerdict, Reads } from 'xylem-native'
import { unlessAborted } from '../race.ts'
import type { Remote, Seen } from '../ssh/remote.ts'
import { type Native, native } from '../store/native.ts'
import type { Session } from '../store/session.ts'
import { neverShown } from './shown.ts'

const WAIT_MS = 200 // of a message for the store, which may name the last writer
const TOGETHER = ' It is being read in the same batch.'
const ANEW = ' Read it to see that it is gone, then write it anew.'
const UNREAD = / was not read in this session\. Read it, then try again\.$/
const LONG_AGO = ' was read too long ago. Read it again, then try again.' // the table has 100 files
const TEXT_BYTES_MAX = 64 * 1024 * 1024 // of a file whose lines are compared
const AGAIN = / Read (?:it|it again|them), then try again\.$/

// A call that may run, and has not ended.
export interface Running {
  tool: ReadTool
  keys: string[]
  look?: Look // readonly changes the input of bash behind the gates
  warning?: string // for the model, with the result
  noted?: { notice: string | undefined } // where the tool wrote, with words for the person
}

// What the model knows at the leaf.
export interface Known {
  reads: Reads
  running: Map<string, Running> // by the id of the call
  noted: Set<string> // keys that were noted since the load, also of files that fell out of the table
  seen: Map<string, Seen> // files of another machine, as they were last seen there, by their names
  unhashable: Set<string> // keys of files of another machine that a tool read there, and that nothing there hashes
  last: Promise<unknown> // of the questions and notes
}

// A look at the files of a call. The look needs no context, which is of no use behind a wait.
export interface Look {
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
export interface File {
  key: string
  seen?: Seen // on another machine
  note(by: ReadTool): Promise<void>
  forgetIfGone(): Promise<unknown>
  check(question: ReadQuestion): Promise<ReadVerdict>
  text(): Promise<string | undefined>
}

// `objection` of a call that passes all the same: a warning.
export interface Judgement {
  keys: string[]
  file?: File
  objection?: string
  isBlock?: boolean
}

// One question or note at a time: of two notes on a file the later look at the file counts. A file system, or another
// machine, may never answer: an abort ends the wait.
export function inOrder<T>(now: Known, signal: AbortSignal | undefined, work: () => Promise<T>, ifAborted: T):
  Promise<T> {
  const first = unlessAborted(signal, now.last.then(work), () => ifAborted)
  now.last = first.catch(() => {})
  return first
}

// pi asks about all calls of an answer before the first call runs, and runs the changes of one file in their order. So
// a change behind another change of the file passes: the model knows the file by its own change. `running` are calls
// that may be such changes: none where the tool writes.
export async function judge(look: Look, running: Running[], found?: File): Promise<Judgement> {
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
export async function note({ tool, now, proves, finds }: Look, isError: boolean, warning?: string, ended?: File) {
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

export async function fileHere(native: Native, { reads }: Known, tool: ReadTool, input: string, cwd: string):
  Promise<File> {
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
export function fileThere(other: Remote, { reads, seen: all, unhashable }: Known, seen: Seen, name: string): File {
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
