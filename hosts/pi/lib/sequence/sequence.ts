// Sequence: /sequence records steps, and runs them several times, each time in a fresh session.
//
// The steps lie in the session, as an entry `sequence`; the run lies in the store, so that a crash neither loses a run
// nor executes a step twice. The rules are the library's (docs/sequences.md). Here is the wiring: the command, the
// notice of a start, and the question before a session is left.
import { inspect } from 'node:util'
import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext } from '@earendil-works/pi-coding-agent'
import type { Store } from 'xylem-native'
import { oneLine } from '../excerpt.ts'
import { chooseToLeave, watchKeys } from '../guard/choice.ts'
import { load } from '../load.ts'
import type { Owner } from '../owner.ts'
import { extensionFile } from '../package.ts'
import { isOffer, type Offer } from './offers.ts'
import { type Host, hosts, playIn, plays, STATUS, storeOf, withStore, WORDS } from './plays.ts'
import { Turns } from './turns.ts'

const NAME = 'sequence'
const STOP = 'Stop the sequence'
const PAUSE = 'Pause the sequence'
const STAY = 'Stay'
const OFFER_COLUMNS = 200 // of an offer that does not fit

export default function sequence(pi: ExtensionAPI, owner: Owner): void {
  const { live } = owner
  const turns = new Turns(owner)
  const offers = new Map<string, Offer>()
  // No step is a sequence, whatever pi calls this command.
  offers.set(NAME, { name: NAME, path: extensionFile(NAME), run: () => {} })
  const misfits: string[] = [] // notices about offers
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
    const { session } = owner
    session && misfits.splice(0).forEach((misfit) => session.tell(misfit))
  }

  const play = () => host && playIn(host.session.id)

  // A run that goes on here pauses. `pi` can still take an entry.
  function end(): void {
    const left = play()
    if (left && !left.isResetting) {
      left.leave('pause', 'shutdown', host)
    }
    if (host) {
      hosts.delete(host.session.id)
      host = undefined
      forget()
    }
  }

  owner.on('session_start', (event, ctx) => {
    const session = owner.session!
    watchKeys(ctx)
    tellMisfits()
    session.show(ctx)
    host = host?.life === owner.life ? host : { pi, session, turns, offers, life: owner.life, cwd: ctx.cwd }
    hosts.set(session.id, host)
    session.beforeEnd(end)
    if (!play()) {
      const reminding = remind(host, event.reason === 'startup', ctx)
      void owner.beside(reminding, ({ message }) => tell(`/sequence: ${message}`, ctx))
    }
  })

  // Beside the start: the store may be slow. Most sessions have no run, and load nothing more.
  async function remind(now: Host, isStartup: boolean, ctx: ExtensionContext): Promise<void> {
    await live(now.session.catchUp())
    const openRun = (store: Store) => store.openRun(now.cwd) // of any session, so also of this
    const mayHaveRun = now.session.pieces().mark ??
      (isStartup && 'path' in now.session.keeper ? await live(withStore(now, openRun)) : undefined)
    if (mayHaveRun) {
      const { noticeOf } = await live(load('sequence/menu'))
      tell(await live(noticeOf(now, isStartup)), ctx)
    }
  }

  function tell(notice: string | undefined, ctx: ExtensionContext): void {
    if (notice !== undefined && notice !== reminded) {
      reminded = notice
      ctx.ui.notify(notice, 'warning')
    }
  }

  owner.on('session_shutdown', end)

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
      const question = chooseToLeave(title, [STAY, PAUSE, STOP], ctx, owner.signal)
      left.question = question.catch(() => {})
      answer = await live(question.finally(() => { left.question = undefined }))
    }
    if (answer !== STOP && answer !== PAUSE) {
      return { cancel: true }
    }
    if (left.isOver) { // the run ended while the question was open
      return undefined
    }
    const problem = left.leave(answer === STOP ? 'stop' : 'pause', 'left', canMark ? host : undefined)
    ctx.ui.setStatus(STATUS, undefined)
    if (problem !== undefined) {
      ctx.ui.notify(problem, 'warning')
    }
    return undefined
  }

  // pi goes on after an error of a handler: an error leaves the person in the session.
  const asked = (ctx: ExtensionContext, canMark: boolean, { life } = owner) => mayLeave(ctx, canMark).catch((error) => {
    if (life.isOver) {
      throw error
    }
    ctx.ui.notify(`A sequence is running, and the session stays: ${error.message}`, 'error')
    return { cancel: true }
  })
  owner.on('session_before_switch', (_event, ctx) => asked(ctx, true))
  owner.on('session_before_fork', (_event, ctx) => asked(ctx, true))
  owner.on('session_before_tree', (_event, ctx) => asked(ctx, false)) // pi has chosen the entries of the move already

  owner.command(pi, NAME, {
    description: 'Record steps, and run them several times, each time in a fresh session',
    words: WORDS,
    run: (words, ctx) => run(host!, words, ctx),
  })

  async function run(now: Host, words: string, ctx: ExtensionCommandContext): Promise<void> {
    if (ctx.mode !== 'tui' && ctx.mode !== 'rpc') {
      throw new Error(`a sequence needs a terminal or RPC: ${ctx.mode} mode ends with its last prompt`)
    }
    await live(now.session.catchUp())
    storeOf(now) // before a person records steps that cannot be run
    const { act, menu } = await live(load('sequence/menu'))
    const [word, rest = ''] = words.split(/\s+(.*)/s)
    await live(word === '' ? menu(now, ctx) : act(now, word, rest, ctx))
  }
}
