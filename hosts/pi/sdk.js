// Sessions for a host that uses pi's SDK: pi holds such a session in memory, and the store has the one durable copy.
//
//     openSession()   takes the lease, and makes the manager from the header, the entries and the leaf of the store
//     saved()         hands the new entries and the leaf over, in one commit
//     fork()          forks in the store, where the history is shared, and opens the fork
//
// Plain JavaScript: Node strips no types below node_modules. The extensions of the package find the session of a
// manager under a symbol, and use it in place of a mirror of their own (lib/store/session.ts).
import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const WAIT_MS = 10000 // the longest wait of a commit for another process that writes: no event loop waits
const KEY = Symbol.for('pi-xylem') // as lib/process.ts

const here = dirname(fileURLToPath(import.meta.url))
const native = load()
const keptSessions = ((globalThis[KEY] ??= {}).kept ??= new WeakMap()) // by manager

export const extensions = readdirSync(join(here, 'extensions')).filter((name) => name.endsWith('.ts')).sort()
  .map((name) => join(here, 'extensions', name))

export async function openSession({ SessionManager, cwd, id, store: path = defaultStore() }) {
  mkdirSync(dirname(resolve(path)), { recursive: true, mode: 0o700 })
  const store = await native.openAsync(path, { create: true, waitMs: WAIT_MS })
  try {
    if (id === undefined || !store.session(id)) {
      const header = SessionManager.inMemory(cwd, { id }).getHeader()
      await store.mirrorAsync({ header: JSON.stringify(header), lines: [] })
      id = header.id
    }
    return await take({ SessionManager, cwd, id, store, path: realpathSync(path) })
  } catch (error) {
    store.close()
    throw error
  }
}

// A lease keeps other processes out, and the note keeps this process from opening the session twice.
async function take(opened) {
  const { store, id, path } = opened
  const note = `kept:${path}:${id}`
  if (native.noted(note) !== null) {
    const message = `this process has opened session ${id} already: close() ends that`
    throw Object.assign(new Error(message), { name: 'XYLEM_E_CONFLICT' })
  }
  native.note(note, 'open')
  try {
    await store.leaseTakeAsync(id)
    try {
      return await read({ ...opened, note })
    } catch (error) {
      store.leaseRelease(id)
      throw error
    }
  } catch (error) {
    native.note(note)
    throw error
  }
}

// The manager puts the leaf at the last entry, so the leaf of the store comes afterwards.
async function read(opened) {
  const { SessionManager, cwd, id, store } = opened
  const [header, ...lines] = await store.linesAsync(id)
  const first = JSON.parse(header)
  const sessionManager = SessionManager.inMemory(cwd ?? first.cwd, undefined,
    [first, ...lines.map((line) => JSON.parse(line))])
  const { leafId } = store.session(id)
  if (leafId === null) {
    sessionManager.resetLeaf()
  } else {
    sessionManager.branch(leafId)
  }
  const kept = new KeptSession({ ...opened, sessionManager, header })
  keptSessions.set(sessionManager, kept)
  return kept
}

class KeptSession {
  id
  sessionManager
  problem // why the store lacks entries
  #opened
  #known // entries that the store has
  #lastId // of the last known entry
  #leafId
  #lost // an entry that the store could not place
  #last = Promise.resolve() // the newest pass
  #passes = 0
  #end

  constructor(opened) {
    this.#opened = opened
    this.id = opened.id
    this.sessionManager = opened.sessionManager
    this.#note(this.sessionManager.getEntries(), this.sessionManager.getLeafId())
  }

  saved() {
    this.#passes++
    const pass = this.#last.then(() => this.#handOver()).finally(() => {
      this.#passes--
    })
    this.#last = pass.catch(() => {})
    return pass
  }

  async fork(entryId) {
    await this.saved()
    const { SessionManager, store, path } = this.#opened
    const id = await store.forkAsync(this.id, entryId)
    return openSession({ SessionManager, cwd: this.sessionManager.getCwd(), id, store: path })
  }

  close() {
    return this.#end ??= this.#close()
  }

  // Entries and leaf are taken in one go, before the await.
  async #handOver() {
    const { store, header } = this.#opened
    const entries = this.sessionManager.getEntries()
    const leafId = this.sessionManager.getLeafId()
    if (!this.#isMine(entries)) {
      throw new Error(`session ${this.id} is not kept: its manager has another session now. fork() keeps a fork`)
    }
    if (!this.#has(entries, leafId)) {
      const { problems } = await store.mirrorAsync({ header, lines: entries.slice(this.#known)
        .map((entry) => JSON.stringify(entry)), firstLine: this.#known + 2, leafId, leafReason: 'pi' })
      this.#note(entries, leafId)
      this.#lost ??= problems[0]
    }
    if (this.#lost) {
      const { line, type, text = type } = this.#lost
      throw new Error(`session ${this.id} is not kept whole: line ${line}: ${text}. ` +
        "'xylem quarantine' lists such lines")
    }
  }

  async #close() {
    const { store, note } = this.#opened
    try {
      await this.saved()
    } finally {
      try {
        await store.leaseReleaseAsync(this.id)
        await store.refreshOutlinesAsync().catch(() => {}) // else lists read more of the store
      } finally {
        store.close()
        native.note(note)
      }
    }
  }

  #note(entries, leafId) {
    this.#known = entries.length
    this.#lastId = entries.at(-1)?.id
    this.#leafId = leafId
  }

  #has(entries, leafId) {
    return this.#known === entries.length && this.#leafId === leafId
  }

  #isMine(entries) {
    return this.sessionManager.getSessionId() === this.id && entries[this.#known - 1]?.id === this.#lastId
  }

  // For the extensions, which know a mirror by these members. The state comes from pi's memory, by the same rules.

  async catchUp() {
    try {
      await this.saved()
      this.problem = undefined
    } catch (error) {
      this.problem = error.message
    }
  }

  isCurrent() {
    return this.#passes === 0 && this.#has(this.sessionManager.getEntries(), this.sessionManager.getLeafId())
  }

  rehydrate() {}
  expectMessage() {}
  end() {} // the host closes its session
}

// The store of the command: an empty $XYLEM_STORE and a relative $XDG_DATA_HOME count as none.
function defaultStore() {
  const { XYLEM_STORE, XDG_DATA_HOME } = process.env
  const data = XDG_DATA_HOME?.startsWith('/') ? XDG_DATA_HOME : join(homedir(), '.local', 'share')
  return XYLEM_STORE || join(data, 'xylem')
}

// xylem-native lies in this package (the tarball), or beside this package (a clone), and nowhere above:
// lib/store/native.ts says why. Beside an installed package `node` is another package.
function load() {
  const require = createRequire(import.meta.url)
  const nameAt = (path) => existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).name : undefined
  const place = ['./node_modules/xylem-native', '../node']
    .find((path) => nameAt(join(here, path, 'package.json')) === 'xylem-native')
  return require(place ?? './node_modules/xylem-native')
}
