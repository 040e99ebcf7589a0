// Notify: a notification when a long turn is over, or a question of a turn waits, for a person who looks elsewhere.
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
const WAIT_MS = 3000 // of a question, without a key

const shared = inProcess('notify', () => ({ followed: new WeakSet<Play>(), isTold: false, // that the flag is no number
  hasFailed: false, // a command, and the person was told
  isQuitting: false }))

export default function notify(pi: ExtensionAPI, owner: Owner): void {
  const { live } = owner
  let began: bigint | undefined
  let endWait = () => {}

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
    const title = began === undefined ? undefined : doneAfter(began, leastSecs())
    began = undefined
    if (title) {
      void owner.beside(tell(title, ctx))
    }
  })

  // What a person asked for outside of a turn is in front of the person.
  owner.on('ui_prompt_start', (_event, ctx) => {
    if (ctx.mode !== 'tui' || (ctx.isIdle() && !playIn(ctx.sessionManager.getSessionId()))) {
      return
    }
    const timer = setTimeout(() => {
      endWait()
      void owner.beside(tell('Pi: waits for your answer', ctx))
    }, WAIT_MS).unref()
    const forget = ctx.ui.onTerminalInput(() => {
      timer.refresh()
      return undefined
    })
    endWait = () => {
      clearTimeout(timer)
      forget()
      endWait = () => {}
    }
  })

  owner.on('ui_prompt_end', () => endWait())

  async function tell(title: string, ctx: ExtensionContext): Promise<void> {
    const problem = await live(show(title, nameOf(ctx)))
    if (problem && !shared.hasFailed) {
      shared.hasFailed = true
      ctx.ui.notify(problem, 'warning')
    }
  }

  owner.on('session_shutdown', ({ reason }) => {
    endWait()
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
      const title = doneAfter(began, leastSecs)
      if (title && !shared.isQuitting) {
        void show(title, name)
      }
    }))
  }
}

// undefined: the turn was short.
function doneAfter(began: bigint, leastSecs: number): string | undefined {
  const seconds = Number(now() - began) / 1e9
  return seconds > leastSecs ? `Pi: done (${Math.round(seconds)} s)` : undefined
}

// The package may be gone since pi began. An error that nobody catches ends pi.
const show = (title: string, name: string) =>
  load('notify/notification').then(({ notify }) => notify(title, name)).catch(() => undefined)

// Not the time of day, which may be set.
const now = () => process.hrtime.bigint()

// undefined: the text is no number of seconds.
function secondsOf(text: unknown): number | undefined {
  const seconds = typeof text === 'string' && text.trim() !== '' ? Number(text) : NaN
  return seconds >= 0 && seconds < Infinity ? seconds : undefined
}
