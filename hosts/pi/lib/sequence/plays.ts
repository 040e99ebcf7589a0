// The runs of sequences that this process plays, and the instance of the extension that each session has. pi replaces
// the session between two iterations: the old instance knows the run's id alone, and finds everything else here.
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'
import type { Run, Store } from 'xylem-native'
import type { Ends } from './ends.ts'
import type { Offer } from './offers.ts'
import type { Session } from '../store/session.ts'
import type { Turns } from './turns.ts'

export const STATUS = 'xylem-sequence' // the key of the status, and of the recorder's widget

// The extension in a session, from the session's start to its end.
export interface Host {
  readonly pi: ExtensionAPI
  readonly session: Session
  readonly turns: Turns
  readonly offers: Map<string, Offer>
  readonly signal: AbortSignal // of the end
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
  readonly endings: Ends // of steps, which the store may not have yet
  waits?: string // for what the run waits, for people
  question?: Promise<unknown> // to a person who wants to leave the session: the next action waits
  readonly ended: Promise<void>
  end(): void
}

// A reload makes a new copy of this module.
const KEY = Symbol.for('pi-xylem.sequences')

// Hosts by the id of the session; plays by the id of the run; the ids of runs that a person goes on with in another
// session, which is on its way.
const mine = { hosts: new Map<string, Host>(), plays: new Map<string, Play>(), travels: new Set<string>() }
const shared = ((globalThis as { [KEY]?: typeof mine })[KEY] ??= mine)

export const { hosts, plays, travels } = shared

// The run that goes on in a session.
export function playIn(sessionId: string): Play | undefined {
  return [...plays.values()].find((play) => play.sessionId === sessionId)
}

// A run goes on in the session of a context: leaving the session is the sequence's question, or its own doing.
export function isPlaying({ sessionManager }: ExtensionContext): boolean {
  return playIn(sessionManager.getSessionId()) !== undefined
}
