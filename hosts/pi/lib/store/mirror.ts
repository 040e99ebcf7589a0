// Mirrors pi's session tree into the store.
//
// pi has no event for a new entry. So the mirror looks for new entries at the events of a session, in memory: pi writes
// no file before the first answer. A pass takes entries and leaf together, before its next await: after an await pi may
// have replaced the session. Commits run beside the event loop; only the last pass of a session waits for them.
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ExtensionContext, SessionEntry } from '@earendil-works/pi-coding-agent'
import type { HeldLines, ImportReport, Piece, State, Store, XylemEvent } from 'xylem-native'
import { makePrivate } from '../folder.ts'
import type { Native } from './native.ts'
import { forgetUnwritten, neverWritten, noteUnwritten } from './unwritten.ts'

const BATCH_BYTES = 4 << 20 // of lines in one commit
const WAIT_MS = 1000 // the longest wait of a commit for another process that writes
const BUSY_MS = 30_000 // of a store that is busy: then the person is told
const RETRY_MS = 1000 // after an error; each further error doubles the time, up to the longest
const RETRY_MS_MAX = 20_000

export type Manager = ExtensionContext['sessionManager'] & {
  getEntryCount?(): number // pi 1.5: without a copy of the list
}

// What pi has at one moment.
interface Moment {
  header: string
  entries: SessionEntry[]
  leafId: string | null
}

export class Mirror {
  readonly id: string
  problem: string | undefined // why the store does not have the session
  readonly #native: Native
  readonly #path: string
  readonly #manager: Manager
  readonly #tell: (notice: string) => void
  readonly #file: string | undefined
  #store: Store | undefined
  #isPrivate = false // no other user has access to the store
  #begun = false
  #ended = false
  #isUnwritten = false // pi has not written the session yet
  #isFileNoted = false // the store knows where pi's file is
  #isEqual = true // false: the store could not place a line, so its tree may differ from pi's
  #known = 0 // entries of pi that the store has
  #lastId: string | undefined // of the last known entry
  #leafId: string | null = null
  #pass: Promise<void> | undefined
  #again = false
  #busySince: number | undefined
  #inode: number | undefined // of the open store
  #retryMs = RETRY_MS
  #retryAt = 0 // Infinity: never in this process

  constructor(native: Native, path: string, manager: Manager, tell: (notice: string) => void) {
    this.#native = native
    this.#path = path
    this.#manager = manager
    this.#tell = tell
    this.#file = manager.getSessionFile()
    this.id = manager.getSessionId()
  }

  // Brings the store up to date. The promise never fails: afterwards isCurrent() or `problem` say what holds.
  catchUp(): Promise<void> {
    const waits = this.problem !== undefined && performance.now() < this.#retryAt
    if (waits || this.#ended || this.#yields() || (this.problem === undefined && this.isCurrent())) {
      return Promise.resolve()
    }
    this.#again = true
    this.#pass ??= this.#passes().finally(() => {
      this.#pass = undefined
    })
    return this.#pass
  }

  // pi is about to write a message. With the first answer (pi 1.5: with the first message of the person) it makes the
  // file. From then on the session may have a file anywhere, even if this process is killed in the same moment.
  expectMessage(role: string): void {
    if (this.#isUnwritten && (role === 'assistant' || (role === 'user' && this.#manager.getEntryCount))) {
      forgetUnwritten(this.id)
    }
  }

  // The store that keeps the session; undefined while it does not.
  get kept(): { path: string; isPrivate: boolean } | undefined {
    return this.#begun && this.problem === undefined ? { path: this.#path, isPrivate: this.#isPrivate } : undefined
  }

  // The store has all that pi has.
  isCurrent(): boolean {
    return this.#begun && this.#pass === undefined && this.#isMine() && this.#leafId === this.#manager.getLeafId() &&
      this.#known === (this.#manager.getEntryCount?.() ?? this.#manager.getEntries().length)
  }

  // The state at the leaf; undefined if the store cannot say.
  rehydrate(event: XylemEvent, pieces: Piece[]): State | undefined {
    try {
      return this.problem === undefined && this.#isEqual && !this.#ended && this.isCurrent()
        ? this.#store!.rehydrate(this.id, event, pieces) : undefined
    } catch (error) {
      this.#stand(error as Error)
      return undefined
    }
  }

  // The last pass, and the end of the lease: in one go, because pi may end the process after its event. `isDropped`: a
  // session that pi never wrote is marked deleted.
  end(isDropped: boolean): void {
    const store = this.#store
    const isIdle = this.#pass === undefined
    this.#ended = true
    if (!store) {
      return
    }
    try {
      const moment = this.#begun ? this.#take() : undefined
      if (moment) {
        if (!isIdle || !this.#has(moment)) {
          for (const lines of this.#batches(moment)) {
            this.#note(store.mirror(lines))
          }
        }
        if (this.#seesFile()) {
          store.noteFile(this.id, this.#file!)
        }
        if (isDropped && this.#isUnwritten && !moment.entries.some(isAnswer)) {
          store.deleteSession(this.id)
          forgetUnwritten(this.id)
        }
      }
    } catch {
      // the next start finds in pi's file what is missing, or the note of a session without a file
    }
    try {
      store.leaseRelease(this.id)
    } catch {
      // the lease ends with the process
    }
    try {
      store.refreshOutlines()
    } catch {
      // lists read more of the store
    }
    store.close()
  }

  // Another process waits for the store, to compact it; or a file of the store was removed or replaced, and nobody can
  // open the store until all have closed it. The next event opens the store again.
  #yields(): boolean {
    try {
      if (!this.#store || this.#pass !== undefined || !this.#store.wanted) {
        return false
      }
    } catch {
      return false // nobody knows: the next event asks again
    }
    this.#close() // the lease ends with the last handle
    return true
  }

  #isMine(): boolean {
    return this.#manager.getSessionId() === this.id
  }

  #take(): Moment | undefined {
    const header = this.#manager.getHeader()
    return header && this.#isMine()
      ? { header: JSON.stringify(header), entries: this.#manager.getEntries(), leafId: this.#manager.getLeafId() }
      : undefined
  }

  #has({ entries, leafId }: Moment): boolean {
    return this.#known === entries.length && this.#lastId === entries.at(-1)?.id && this.#leafId === leafId
  }

  async #passes(): Promise<void> {
    try {
      if (!this.#begun) {
        await this.#begin()
      }
      while (this.#again && !this.#ended) {
        this.#again = false
        await this.#handOver()
        await this.#noteFile()
        this.problem = this.#busySince = undefined
        this.#retryMs = RETRY_MS
      }
    } catch (error) {
      this.#stand(error as Error)
    }
  }

  // A later look tries again. Another process may write for some time; only what lasts is told.
  #stand({ name, message }: Error): void {
    const now = performance.now()
    const isGone = this.#isGone()
    this.#busySince = name === 'XYLEM_E_BUSY' && !isGone ? this.#busySince ?? now : undefined
    if (isGone || (name !== 'XYLEM_E_BUSY' && name !== 'XYLEM_E_NO_SPACE')) {
      this.#close() // a new handle may find a store that works
    }
    if (!isGone && !this.#ended && now - (this.#busySince ?? -Infinity) > BUSY_MS) {
      this.problem = message
      this.#retryAt = name === 'XYLEM_E_TOO_NEW' ? Infinity : now + this.#retryMs
      this.#retryMs = Math.min(2 * this.#retryMs, RETRY_MS_MAX)
      this.#tell(`xylem: this session is not kept: ${message}${remedy(name, this.#path)}`)
    }
  }

  #isGone(): boolean {
    return this.#inode !== undefined && this.#inode !== inodeOf(this.#path)
  }

  #close(): void {
    if (this.#isGone() && !this.#ended) {
      this.#tell(`xylem: the store ${this.#path} was removed or replaced while pi ran. The session goes into the ` +
        'store that is there now, or into a new one')
    }
    this.#store?.close()
    this.#store = undefined
    this.#inode = undefined
    this.#begun = false
    this.#isFileNoted = false
  }

  // The store knows all of the session, a part, or nothing. A second begin after a busy store does what is left.
  async #begin(): Promise<void> {
    makePrivate(dirname(this.#path))
    const store = this.#store ?? await this.#native.openAsync(this.#path, { create: true, waitMs: WAIT_MS })
    if (this.#ended) {
      store.close()
      return
    }
    this.#isPrivate = store.warning === null
    if (store !== this.#store && store.warning !== null) {
      this.#tell(`xylem: ${store.warning}`)
    }
    this.#store = store
    this.#inode = inodeOf(this.#path)
    if (this.#file !== undefined && !existsSync(this.#file) && !this.#isUnwritten) {
      this.#isUnwritten = true
      noteUnwritten(this.id, this.#path, this.#file)
    }
    const hasFile = this.#file !== undefined && !this.#isUnwritten
    const session = store.session(this.id)
    if (session?.deleted) {
      await store.undeleteSessionAsync(this.id) // pi has the session again
    } else if (!session && hasFile) {
      this.#note(await store.importAsync(this.#file!))
    } else if (!session) {
      await this.#handOver()
    }
    this.#look(store)
    const lacks = () => this.#manager.getEntries().some(({ id }) => !store.hasEntry(this.id, id))
    if (this.#known === 0 && hasFile && !this.#ended && lacks()) {
      this.#note(await store.importAsync(this.#file!)) // two processes wrote: an export has the order of the file then
    }
    if (this.#ended) {
      return
    }
    await store.leaseTakeAsync(this.id)
    if (this.#ended) {
      store.leaseRelease(this.id)
      return
    }
    this.#look(store)
    this.#begun = true
    await this.#dropNeverWritten(store)
  }

  // pi appends only, so the known entries come first, and a binary search finds their end. Where two processes wrote
  // into one file, known entries may come anywhere: then all entries count as unknown.
  #look(store: Store): void {
    const entries = this.#manager.getEntries()
    const session = store.session(this.id)
    let low = 0
    let high = entries.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (store.hasEntry(this.id, entries[middle].id)) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    this.#known = session?.entryCount === low ? low : 0
    this.#lastId = entries[this.#known - 1]?.id
    this.#leafId = session?.leafId ?? null
  }

  async #handOver(): Promise<void> {
    const moment = this.#take()
    if (!moment || (this.#begun && this.#has(moment))) {
      return
    }
    for (const lines of this.#batches(moment)) {
      this.#note(await this.#store!.mirrorAsync(lines))
      if (this.#ended) {
        return
      }
    }
  }

  // Not while the mirror begins: a session that pi replaces then waits for the next start.
  async #noteFile(): Promise<void> {
    if (!this.#ended && this.#seesFile()) {
      await this.#store!.noteFileAsync(this.id, this.#file!).catch(passIfGone)
      this.#isFileNoted = true
    }
  }

  // What is new, in batches; the last batch has pi's leaf. A batch that was asked for counts as kept when the next one
  // is asked for, so that a failed batch is handed over again.
  *#batches({ header, entries, leafId }: Moment): Generator<HeldLines> {
    if (entries[this.#known - 1]?.id !== this.#lastId) {
      this.#known = 0 // pi took back an entry that it could not write
    }
    let from = this.#known
    do {
      const lines: string[] = []
      for (let bytes = 0; from + lines.length < entries.length && bytes < BATCH_BYTES; bytes += lines.at(-1)!.length) {
        lines.push(JSON.stringify(entries[from + lines.length]))
      }
      const to = from + lines.length
      const isLast = to === entries.length
      yield { header, lines, firstLine: from + 2, leafId: isLast ? leafId : undefined, leafReason: 'pi',
        sourceName: this.#file }
      from = this.#known = to
      this.#lastId = entries[to - 1]?.id
    } while (from < entries.length)
    this.#leafId = leafId
  }

  // Lines that the store could not place are in quarantine.
  #note({ problems }: ImportReport): void {
    if (problems.length > 0 && this.#isEqual) {
      this.#isEqual = false
      const [{ line, type, text = type }] = problems
      this.#tell(`xylem: line ${line} of this session: ${text}. 'xylem quarantine' lists such lines`)
    }
  }

  // True if pi has made its file, and the store is still to be told: 'xylem sessions' then sees that the file is gone.
  #seesFile(): boolean {
    const isThere = !this.#isFileNoted && this.#file !== undefined && existsSync(this.#file)
    if (isThere && this.#isUnwritten) {
      this.#isUnwritten = false
      forgetUnwritten(this.id)
    }
    return isThere
  }

  // The lease proves that no process has the session, and an answer that pi wrote a file.
  async #dropNeverWritten(store: Store): Promise<void> {
    for (const id of neverWritten(this.#path)) {
      if (this.#ended || id === this.id) {
        continue
      }
      try {
        const session = store.session(id)
        if (session && !session.deleted && !store.entries(id).some((line) => isAnswer(JSON.parse(line)))) {
          await store.leaseTakeAsync(id)
          await store.deleteSessionAsync(id)
          await store.leaseReleaseAsync(id)
          this.#tell(`xylem: session ${id} ended before its first answer, so pi has no file of it: ` +
            `'xylem undelete ${id}' brings it back in the store`)
        }
        forgetUnwritten(id)
      } catch {
        // another process has the session, or writes: the next start looks again
      }
    }
  }
}

function inodeOf(store: string): number | undefined {
  try {
    return statSync(join(store, 'data.mdb')).ino
  } catch {
    return undefined // no file, or nobody may look
  }
}

// What the message of an error leaves open. A lease ends with its owner, and a full disk is no damage.
function remedy(name: string, path: string): string {
  return name === 'XYLEM_E_TOO_NEW' ? '. Update pi-xylem, then restart pi'
    : name === 'XYLEM_E_CONFLICT' || name === 'XYLEM_E_NO_SPACE' || name === 'XYLEM_E_BUSY' ? ''
    : `. 'xylem verify --store ${path}' checks the store`
}

// A file can go at any time: the session is kept all the same.
function passIfGone(error: Error): void {
  if (error.name !== 'XYLEM_E_IO') {
    throw error
  }
}

function isAnswer(entry: SessionEntry): boolean {
  return entry.type === 'message' && entry.message.role === 'assistant'
}
