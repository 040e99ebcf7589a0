// The session of a pi: the mirror, and the state at the leaf.
import type { ExtensionContext, SessionEntry } from '@earendil-works/pi-coding-agent'
import type { HeldEntry, Piece, State, XylemEvent } from 'xylem-native'
import { type Manager, Mirror } from './mirror.ts'
import { native, problem as addonProblem } from './native.ts'
import { isFirst, privacyNotice } from './privacy.ts'
import { inProcess } from '../process.ts'
import { readSettings, storePath } from '../settings.ts'

const LOOK_MS = 1000 // between two looks for entries without an event behind them, such as a label
const START_MS = 500 // the longest wait of an event for the store; the state then comes from pi's memory

const shared = inProcess('sessions', (): Shared => ({ given: new Set(), sessions: new WeakMap() }))

// Sessions without a file, which a host keeps (sdk.js): the host has the mirror.
const ofHosts = inProcess('kept', () => new WeakMap<Manager, SessionMirror>())

function mirrorOfHost(manager: Manager): SessionMirror | undefined {
  const kept = ofHosts.get(manager)
  return kept?.id === manager.getSessionId() ? kept : undefined
}

// Without `kept`: a host tells the person.
type SessionMirror = Pick<Mirror, 'id' | 'problem' | 'catchUp' | 'isCurrent' | 'rehydrate' | 'expectMessage' | 'end'> &
  Partial<Pick<Mirror, 'kept'>>

interface Shared {
  given: Set<string> // notices, and stores, that the person knows
  status?: string // pi keeps the status of a replaced session
  sessions: WeakMap<Manager, Session>
}

const LOOK: XylemEvent = { type: 'toggled' }

// The pieces that an event needs, with readonly, which every state has; and the pieces that the sequences ask for.
const GUARDING: Piece[] = ['nudge']
const RECORDED: Piece[] = ['sequence', 'mark']

export interface Pieces {
  sequence: { sequenceId: string; steps: string[]; updatedAt: number } | undefined
  mark: { runId: string } | undefined
}

export class Session {
  readonly id: string
  readonly settings
  state: State | undefined
  owner: object | undefined // the last that started: of several copies of the package, one follows the session
  #notices: string[] = []
  #ctx: ExtensionContext | undefined // the newest
  #looks: NodeJS.Timeout | undefined
  #ended = false
  #started: Promise<void> | undefined
  readonly #lastWords = new Set<() => void>()
  readonly #manager: Manager
  readonly #mirror: SessionMirror | undefined

  // The session of a manager, which the first extension makes. Over RPC a session starts twice.
  static of(manager: Manager): Session {
    const found = shared.sessions.get(manager)
    if (found?.isOf(manager)) {
      return found
    }
    found?.end(false)
    const made = new Session(manager)
    shared.sessions.set(manager, made)
    return made
  }

  constructor(manager: Manager) {
    const { settings, problem } = readSettings()
    this.id = manager.getSessionId()
    this.settings = settings
    this.#manager = manager
    if (problem !== undefined) {
      this.tell(`xylem: ${problem}`)
    }
    if (!native) {
      this.tell(`xylem: ${addonProblem}. Sessions are not kept and commands are not judged: where readonly was on, ` +
        "write, edit and bash are blocked until '/readonly off', and confirm asks about each bash command")
    }
    this.#mirror = mirrorOfHost(manager)
    if (!this.#mirror && native && settings.mirror !== false && manager.getSessionFile() !== undefined) {
      this.#mirror = new Mirror(native, storePath(settings), manager, (notice) => this.tell(notice))
    }
  }

  isOf(manager: Manager): boolean {
    return !this.#ended && this.#manager === manager && this.id === manager.getSessionId()
  }

  // A notice for the person, once in a process.
  tell(notice: string): void {
    if (!shared.given.has(notice)) {
      shared.given.add(notice)
      this.#notices.push(notice)
    }
  }

  // Shows what there is to tell. A host of the SDK may dispose of a session that has no end: then the context throws, and
  // nobody is there to be shown anything.
  show(ctx: ExtensionContext): void {
    this.#ctx = ctx
    try {
      this.#show(ctx)
    } catch {
      clearInterval(this.#looks) // what is untold waits for another context
    }
  }

  // The status says that the session ought to be in the store, and is not.
  #show(ctx: ExtensionContext): void {
    const status = this.#mirror?.problem === undefined ? undefined : 'xylem: not kept'
    if (status !== shared.status) {
      ctx.ui.setStatus('xylem', status)
      shared.status = status
    }
    if (ctx.hasUI) {
      this.#tellWhere(ctx)
    }
    for (const notice of this.#notices.splice(0)) {
      ctx.ui.notify(notice, 'warning')
    }
  }

  // Once for each store, to a person: a run without a person tells nobody, and so does not count.
  #tellWhere(ctx: ExtensionContext): void {
    const kept = this.#mirror?.kept
    if (kept && !shared.given.has(kept.path)) {
      shared.given.add(kept.path)
      if (isFirst(kept.path)) {
        ctx.ui.notify(privacyNotice(kept.path, kept.isPrivate), 'info')
      }
    }
  }

  // The store has the session, or gets the rest in its end.
  get isKept(): boolean {
    return this.#mirror !== undefined && this.#mirror.problem === undefined
  }

  // The directory of the store that keeps the session, or why no store does.
  get keeper(): { path: string } | { problem: string } {
    const path = this.isKept ? this.#mirror?.kept?.path : undefined
    return path !== undefined ? { path } : { problem: this.#mirror?.problem ?? addonProblem ?? (
      this.#mirror ? 'the store is busy'
      : this.settings.mirror === false ? 'the settings of xylem say "mirror": false'
      : 'a session without a file is not kept') }
  }

  // True if the store has all entries of pi; undefined: the session does not belong into the store.
  get isStored(): boolean | undefined {
    return this.#mirror && this.isKept && this.#mirror.isCurrent()
  }

  // True if the newest toggle of the path decides: the next start forgets a flag.
  isDecided(enabled: boolean): boolean {
    return !enabled || !this.state || JSON.parse(this.state.json).readonly_from === 'path'
  }

  // The newest sequence of the path, as in the entry, and the newest mark of a run. No event changes these.
  pieces(): Pieces {
    const state = this.#mirror?.rehydrate(LOOK, RECORDED) ??
      native?.rehydrateFrom(heldEntries(this.#manager.getBranch(), native.stateKinds()), LOOK, RECORDED)
    const { sequence, mark } = JSON.parse(state?.json ?? '{}')
    return {
      sequence: sequence
        ? { sequenceId: sequence.sequence_id, steps: sequence.steps, updatedAt: sequence.updated_ms } : undefined,
      mark: mark ? { runId: mark.run_id } : undefined,
    }
  }

  // The state for an event: from the store, if the mirror is current in time, else from pi's memory.
  async rehydrate(event: XylemEvent): Promise<void> {
    this.rehydrateFromMemory(event)
    const asked = this.state
    await (event.type === 'session_start' ? this.start() : this.#inTime())
    if (this.state === asked) { // else a later event has the state
      this.state = this.#mirror?.rehydrate(event, GUARDING) ?? asked
    }
  }

  // The start waits for the store, once for all extensions: a process that ends soon must have its session there.
  start(): Promise<void> {
    this.#looks ??= setInterval(() => this.#look(), LOOK_MS).unref()
    return this.#started ??= this.#inTime()
  }

  #look(): void {
    void this.catchUp().then(() => {
      if (this.#ctx && !this.#ended) {
        this.show(this.#ctx)
      }
    })
  }

  async #inTime(): Promise<void> {
    let timer
    await Promise.race([this.catchUp(), new Promise((late) => { timer = setTimeout(late, START_MS) })])
    clearTimeout(timer)
  }

  // After an error the state is not known: the state of another place of the tree must not stay.
  rehydrateFromMemory(event: XylemEvent): void {
    this.state = undefined
    this.state = native?.rehydrateFrom(heldEntries(this.#manager.getBranch(), native.stateKinds()), event, GUARDING)
  }

  // Ends when the entries of pi are durable, or cannot be kept for now. Never fails.
  async catchUp(): Promise<void> {
    await this.#mirror?.catchUp()
  }

  expectMessage(role: string): void {
    this.#mirror?.expectMessage(role)
  }

  // Calls back at the end of the session, while entries can be appended. The entries then are in the store too.
  beforeEnd(callback: () => void): void {
    this.#lastWords.add(callback)
  }

  end(isReload: boolean): void {
    if (!this.#ended) {
      for (const callback of this.#lastWords) {
        callback()
      }
      this.#ended = true
      clearInterval(this.#looks)
      this.#mirror?.end(!isReload)
    }
  }
}

// The entries of a path that may decide, newest first.
function heldEntries(path: SessionEntry[], kinds: string[]): HeldEntry[] {
  const held: HeldEntry[] = []
  for (const entry of path) {
    const kind = entry.type === 'custom' ? `custom:${entry.customType}` : ''
    if (entry.type === 'custom' && kinds.includes(kind)) {
      held.push({ id: entry.id, kind, data: JSON.stringify(entry.data) })
    }
  }
  return held.reverse()
}
