// Sequence: /sequence records steps, and runs them several times, each time in a fresh session.
//
// The steps lie in the session, as an entry `sequence`; the run lies in the store, so that a crash neither loses a run
// nor executes a step twice. The rules are the library's (docs/sequences.md). Here is the wiring: the command, the
// notice of a start, and the question before a session is left.
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext } from '@earendil-works/pi-coding-agent'
import { chooseToLeave, watchKeys } from '../lib/guard/choice.ts'
import type { Offer } from '../lib/sequence/offers.ts'
import { leave, storeOf } from '../lib/sequence/player.ts'
import type { Host } from '../lib/sequence/plays.ts'
import { act, menu, noticeOf, WORDS } from '../lib/sequence/menu.ts'
import { shared } from '../lib/shared.ts'
import { Turns } from '../lib/sequence/turns.ts'

const { completing, follow, hosts, isOffer, oneLine, playIn, plays, STATUS, telling } = await shared()

const NAME = 'sequence'
const HERE = fileURLToPath(import.meta.url)
const STOP = 'Stop the sequence'
const PAUSE = 'Pause the sequence'
const STAY = 'Stay'
const OFFER_COLUMNS = 200 // of an offer that does not fit

export default function sequence(pi: ExtensionAPI): void {
  const current = follow(pi)
  const turns = new Turns(pi)
  const offers = new Map<string, Offer>()
  offers.set(NAME, { name: NAME, path: HERE, run: () => {} }) // no step is a sequence, whatever pi calls this command
  const misfits: string[] = [] // notices about offers
  const over = new AbortController()
  let reminded: string | undefined // a notice that was given: over RPC a session starts twice
  let host: Host | undefined // from the start of the session to its end

  const forget = pi.events.on('xylem:command', (offer) => {
    if (isOffer(offer) && offer.name !== NAME) {
      offers.set(offer.name, offer)
    } else {
      misfits.push(`xylem: an extension offers a command that does not fit: ${oneLine(inspect(offer), OFFER_COLUMNS)}`)
      tellMisfits()
    }
  })

  // An extension that pi loads first offers before the session of this extension starts.
  function tellMisfits(): void {
    if (current.session) {
      for (const misfit of misfits.splice(0)) {
        current.session.tell(misfit)
      }
    }
  }

  const play = () => host && playIn(host.session.id)

  // A run that goes on here pauses. `pi` can still take an entry.
  function end(): void {
    const left = play()
    if (left && !left.isResetting) {
      leave(left, 'pause', 'shutdown', host)
    }
    if (host) {
      hosts.delete(host.session.id)
      host = undefined
      over.abort()
      forget()
    }
  }

  pi.on('session_start', (event, ctx) => {
    const { session } = current
    watchKeys(ctx)
    tellMisfits()
    session?.show(ctx)
    if (session && !over.signal.aborted) {
      host ??= { pi, session, turns, offers, signal: over.signal, cwd: ctx.cwd }
      hosts.set(session.id, host)
      session.beforeEnd(end)
      if (!play()) {
        remind(host, event.reason === 'startup', ctx).catch(() => {}) // a host may dispose of a session without an end
      }
    }
  })

  // Beside the start: the store may be slow.
  async function remind(now: Host, isStartup: boolean, ctx: ExtensionContext): Promise<void> {
    await now.session.catchUp()
    const notice = await noticeOf(now, isStartup).catch(({ message }: Error) => `/sequence: ${message}`)
    if (notice !== undefined && notice !== reminded && !now.signal.aborted) {
      reminded = notice
      ctx.ui.notify(notice, 'warning')
    }
  }

  pi.on('session_shutdown', end)

  // While the question is open, the run does not go on to its next action.
  async function mayLeave(ctx: ExtensionContext, canMark: boolean): Promise<{ cancel: true } | undefined> {
    const moving = [...plays.values()].find(({ isResetting }) => isResetting)
    if (moving) { // the player's replacement comes first: two at a time would leave the run without a session
      const isOther = moving.isAnnounced
      moving.isAnnounced = true
      return isOther ? { cancel: true } : undefined
    }
    const left = play()
    if (!left || left.isOver) {
      return undefined
    }
    let answer: string | null | undefined = PAUSE
    if (ctx.hasUI) {
      const status = left.store.runStatus(left.run.id, { ownSession: left.sessionId })
      const title = `A sequence is running.\n${status}\nA step that is being executed is cut off.`
      const question = chooseToLeave(title, [STAY, PAUSE, STOP], ctx, over.signal)
      left.question = question.catch(() => {})
      answer = await question.finally(() => { left.question = undefined })
    }
    if (answer !== STOP && answer !== PAUSE) {
      return { cancel: true }
    }
    if (left.isOver) { // the run ended while the question was open
      return undefined
    }
    const problem = leave(left, answer === STOP ? 'stop' : 'pause', 'left', canMark ? host : undefined)
    ctx.ui.setStatus(STATUS, undefined)
    if (problem !== undefined) {
      ctx.ui.notify(problem, 'warning')
    }
    return undefined
  }

  // pi goes on after an error of a handler: an error leaves the person in the session.
  const asked = (ctx: ExtensionContext, canMark: boolean) => mayLeave(ctx, canMark).catch((error: Error) => {
    ctx.ui.notify(`A sequence is running, and the session stays: ${error.message}`, 'error')
    return { cancel: true }
  })
  pi.on('session_before_switch', (_event, ctx) => asked(ctx, true))
  pi.on('session_before_fork', (_event, ctx) => asked(ctx, true))
  pi.on('session_before_tree', (_event, ctx) => asked(ctx, false)) // pi has chosen the entries of the move already

  pi.registerCommand(NAME, {
    description: 'Record steps, and run them several times, each time in a fresh session',
    getArgumentCompletions: completing(WORDS),
    handler: async (words, ctx) => {
      const now = host
      if (now) { // else pi is replacing the session, and the context is of no use
        await telling(NAME, ctx, now.signal, () => run(now, words.trim(), ctx))
      }
    },
  })

  async function run(now: Host, words: string, ctx: ExtensionCommandContext): Promise<void> {
    if (ctx.mode !== 'tui' && ctx.mode !== 'rpc') {
      throw new Error(`a sequence needs a terminal or RPC: ${ctx.mode} mode ends with its last prompt`)
    }
    await now.session.catchUp()
    storeOf(now) // before a person records steps that cannot be run
    const [word, rest = ''] = words.split(/\s+(.*)/s)
    await (word === '' ? menu(now, ctx) : act(now, word, rest, ctx))
  }
}
