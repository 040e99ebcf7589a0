// The runs of sequences that this process plays, and the instance of the extension that each session has. pi replaces
// the session between two iterations: the old instance knows the run's id alone, and finds everything else here.
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'
import type { Run, Store } from 'xylem-native'
import type { Ends } from './ends.ts'
import type { Offer } from './offers.ts'
import type { Life } from '../live.ts'
import { inProcess } from '../process.ts'
import { native } from '../store/native.ts'
import type { Session } from '../store/session.ts'
import type { Turns } from './turns.ts'

const WAIT_MS = 1000 // the longest wait of a commit for another process that writes, before the commit is repeated

export const STATUS = 'xylem-sequence' // the key of the status, and of the recorder's widget
// Of /sequence.
export const WORDS = ['run', 'preview', 'edit', 'new', 'status', 'pause', 'stop', 'continue', 'retry', 'skip', 'take']

// The extension in a session, from the session's start to its end.
export interface Host {
  readonly pi: ExtensionAPI
  readonly session: Session
  readonly turns: Turns
  readonly offers: Map<string, Offer>
  readonly life: Life // of the session
  readonly cwd: string
  waiting?: string // a run of the directory that waits
}

// A run that goes on. Nothing here belongs to a session.
export interface Play {
  readonly run: Run
  readonly store: Store // a handle of the play
  readonly steps: string[]
  readonly snapshot: string // the data of the sequence's entry, as JSON
  sessionId: string // in which the run goes on
  isResetting: boolean // the player replaces the session
  isAnnounced: boolean // pi has asked the extensions about that replacement
  isOver: boolean // the run ended, paused or was lost
  pauses?: boolean // the person wants the run to pause before the next step
  readonly endings: Ends // of steps, which the store may not have yet
  waits?: string // for what the run waits, for people
  question?: Promise<unknown> // to a person who wants to leave the session: the next action waits
  // The person leaves the session, or the session ends. Gives what is not recorded, and why, if anything is not.
  leave(answer: 'stop' | 'pause', code: 'left' | 'shutdown', host?: Host): string | undefined
  readonly ended: Promise<void>
  end(): void
}

// Hosts by the id of the session; plays by the id of the run; the ids of runs that a person goes on with in another
// session, which is on its way.
export const { hosts, plays, travels } = inProcess('sequences', () =>
  ({ hosts: new Map<string, Host>(), plays: new Map<string, Play>(), travels: new Set<string>() }))

// The run that goes on in a session.
export function playIn(sessionId: string): Play | undefined {
  return [...plays.values()].find((play) => play.sessionId === sessionId)
}

// Opens the store of a host, for `use`.
export async function withStore<T>(host: Host, use: (store: Store) => Promise<T> | T): Promise<T> {
  const store = await openStore(host)
  try {
    return await use(store)
  } finally {
    store.close()
  }
}

// Throws why no store keeps the session.
export function storeOf({ session: { keeper } }: Host): string {
  if ('problem' in keeper) {
    throw new Error(`a sequence needs the store: ${keeper.problem}`)
  }
  return keeper.path
}

export async function openStore(host: Host): Promise<Store> {
  return native!.openAsync(storeOf(host), { waitMs: WAIT_MS })
}

// A run goes on in the session of a context: leaving the session is the sequence's question, or its own doing.
export function isPlaying({ sessionManager }: ExtensionContext): boolean {
  return playIn(sessionManager.getSessionId()) !== undefined
}
