// Notify: a notification of the terminal when a long turn is over, for a person who looks elsewhere.
//
// A turn lasts from the first agent_start until pi has settled: retries, compactions and queued messages are parts of
// the turn. A sequence is one turn, however many sessions the sequence needs.
import { basename } from 'node:path'
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'
import { load } from '../load.ts'
import type { Owner } from '../owner.ts'
import { inProcess } from '../process.ts'
import { type Play, playIn } from '../sequence/plays.ts'

const FLAG = 'notify-min-secs'
const SECS = 8

const shared = inProcess('notify', () => ({ followed: new WeakSet<Play>(), isTold: false, // that the flag is no number
  isQuitting: false }))

export default function notify(pi: ExtensionAPI, owner: Owner): void {
  let began: bigint | undefined

  pi.registerFlag(FLAG, { description: `Notify after a turn of more than so many seconds (${SECS})`, type: 'string',
    default: String(SECS) })
  const leastSecs = () => secondsOf(pi.getFlag(FLAG)) ?? SECS
  const nameOf = ({ cwd }: ExtensionContext) => pi.getSessionName() || basename(cwd) || cwd

  owner.on('session_start', (_event, ctx) => {
    if (ctx.mode === 'tui' && !shared.isTold && secondsOf(pi.getFlag(FLAG)) === undefined) {
      shared.isTold = true
      ctx.ui.notify(`--${FLAG}: expected a number of seconds, found '${pi.getFlag(FLAG)}'. ${SECS} counts`, 'warning')
    }
  })

  owner.on('agent_start', (_event, ctx) => {
    if (ctx.mode !== 'tui') {
      return
    }
    const play = playIn(ctx.sessionManager.getSessionId())
    if (play) {
      followPlay(play, nameOf(ctx), leastSecs())
    } else {
      began ??= now()
    }
  })

  owner.on('agent_settled', (_event, ctx) => {
    if (began !== undefined) {
      tell(began, nameOf(ctx), leastSecs())
      began = undefined
    }
  })

  owner.on('session_shutdown', ({ reason }) => {
    shared.isQuitting = reason === 'quit'
  })
}

// The end of a run may come in another session, so nothing here belongs to a session. The end of pi ends a run too, but
// nobody waits then. The other handlers of session_shutdown come first.
function followPlay(play: Play, name: string, leastSecs: number): void {
  if (!shared.followed.has(play)) {
    shared.followed.add(play)
    const began = now()
    void play.ended.then(() => setImmediate(() => {
      if (!shared.isQuitting) {
        tell(began, name, leastSecs)
      }
    }))
  }
}

// The package may be gone since pi began. An error that nobody catches ends pi.
function tell(began: bigint, name: string, leastSecs: number): void {
  const seconds = Number(now() - began) / 1e9
  if (seconds > leastSecs) {
    load('notify/notification').then((notification) =>
      notification.notify(`Pi: done (${Math.round(seconds)} s)`, name)).catch(() => {})
  }
}

// Not the time of day, which may be set.
const now = () => process.hrtime.bigint()

// undefined: the text is no number of seconds.
function secondsOf(text: unknown): number | undefined {
  const seconds = typeof text === 'string' && text.trim() !== '' ? Number(text) : NaN
  return seconds >= 0 && seconds < Infinity ? seconds : undefined
}
