// Plays a run of a sequence in pi: asks the library for the next action, has pi execute the action, and says how the
// action ended.
//
//     begin, resume ─> goOn ─> next ─> execute ─> end ─┐       next gives a step after its claim is durable, so
//                       ^ └────────────<───────────────┘       a step is executed at most once
//                       │      next ─> new session ─> enter    in the new session, with a fresh context
//                       └────────────────<─────────────┘
//
// After each await pi may have replaced the session: `isOver` says so, and the context is not used any more.
import { type ExtensionCommandContext as Context, VERSION } from '@earendil-works/pi-coding-agent'
import type { Action, Run, RunDecision, RunFailure, RunState, Step, Store } from 'xylem-native'
import { catalogueOf } from './catalogue.ts'
import { again, type End, Ends, passes } from './ends.ts'
import { type Host, hosts, openStore, type Play, plays, STATUS, travels } from './plays.ts'
import { unlessAborted } from '../race.ts'
import type { Pieces } from '../store/session.ts'
import { oneLine } from '../excerpt.ts'
import { native } from '../store/native.ts'
import { answerAfter, type Patience } from './turns.ts'
import { show, Wait } from './waits.ts'
import { hashOf, ruleOf, textOf } from './words.ts'

const ABORTED = 'This operation was aborted' // pi 0.87 calls a turn an error whose tool Escape has ended
export const RULE = ruleOf(VERSION) // by which pi splits the text of a template
export const STOPPED = 'stopped by hand' // why a run ended
const KEYS = ['kind', 'canonical', 'path', 'hash'] as const // of what a step means
const SHOWN_MS = 1000 // a longer wait for the store is shown
const ALONE_MS = 600_000 // the longest wait for a turn without a terminal
const TURN = 'pi to begin the turn'
const LEFT = 'the person left the session'
const NO_HOST = 'the session does not have this extension'
const MAY_BEGIN = 'whether pi still begins the turn of the step is not known'
const RELEASES_MAX = 60 // tries, each of which may wait as long
const REASON_COLUMNS = 500

export type Sequence = NonNullable<Pieces['sequence']>

// The context behind a replaced session tells when the turn of a prompt is over.
interface Sending {
  sendUserMessage?(text: string, options?: { expandPromptTemplates?: boolean }): Promise<void>
}

// --- Begin and resume ----------------------------------------------------------------------------------------------

export async function begin(host: Host, ctx: Context, sequence: Sequence, iterationCount: number,
  args: string[] | undefined): Promise<Play> {
  const { sequenceId, steps, updatedAt } = sequence
  const snapshot = JSON.stringify({ version: 1, sequenceId, steps, updatedAt })
  const entry = ctx.sessionManager.getLeafId() ?? undefined
  const options = { sequenceId, steps, args, iterationCount, session: host.session.id, entry, cwd: ctx.cwd }
  const catalogue = catalogueOf(host, steps)
  return open(host, snapshot, (store) => store.runStartAsync(catalogue, options))
}

export function resume(host: Host, id: string, decision: RunDecision): Promise<Play> {
  return open(host, undefined, (store) => store.runOpenAsync(id, decision, host.session.id))
}

// The caller then calls goOn(), with a context that is not stale.
async function open(host: Host, snapshot: string | undefined, take: (store: Store) => Promise<Run>): Promise<Play> {
  const store = await openStore(host)
  let run
  try {
    run = await take(store)
    const data = snapshot ?? snapshotOf(store, run.id)
    let end = () => {}
    const ended = new Promise<void>((resolve) => { end = resolve })
    const play: Play = { run, store, steps: JSON.parse(data).steps, snapshot: data, sessionId: host.session.id,
      isResetting: false, isAnnounced: false, isOver: false, endings: new Ends(run), ended, end,
      leave: (answer, code, left) => leave(play, answer, code, left) }
    plays.set(run.id, play)
    if (host.life.isOver) { // pi has replaced the session
      leave(play, 'pause', 'left')
    } else if (host.session.pieces().mark?.runId !== run.id) { // a kill came between the ledger's begin and its mark
      mark(host, store, run.id, 'begin')
    }
    return play
  } catch (error) {
    if (run) {
      plays.delete(run.id)
      void release(run)
    }
    store.close()
    throw error
  }
}

// The steps of a run, from the first entry of its ledger.
export function snapshotOf(store: Store, id: string): string {
  const { data: { sequenceId, steps, startedAt } } = JSON.parse(store.entries(`seq.${id}`, 1)[0])
  return JSON.stringify({ version: 1, sequenceId, steps, updatedAt: startedAt })
}

// Goes on with a run in another session. The old session, and its context, are stale then.
export async function travel(id: string, decision: RunDecision, file: string, ctx: Context): Promise<void> {
  const waits = ctx.mode === 'tui'
  travels.add(id)
  try {
    await ctx.switchSession(file, { withSession: (fresh) => arrive(id, decision, fresh) })
  } finally {
    travels.delete(id)
  }
  if (waits) {
    await plays.get(id)?.ended
  }
}

async function arrive(id: string, decision: RunDecision, ctx: Context): Promise<void> {
  try {
    const host = hosts.get(ctx.sessionManager.getSessionId()) ?? refuse(NO_HOST)
    await host.session.catchUp()
    void goOn(await resume(host, id, decision), ctx)
  } catch (error) {
    ctx.ui.notify(`/sequence: ${(error as Error).message}`, 'error')
  }
}

export function refuse(words: string): never {
  throw new Error(words)
}

// --- The loop ------------------------------------------------------------------------------------------------------

export async function goOn(play: Play, ctx: Context): Promise<void> {
  try {
    const host = hosts.get(play.sessionId) ?? refuse(NO_HOST)
    while (!play.isOver && await advance(play, host, ctx)) {
      if (play.pauses) {
        pause(play, host, ctx)
      }
    }
  } catch (error) {
    if (!play.isOver && !play.isResetting) {
      giveUp(play, ctx, (error as Error).message)
    }
  }
}

// One action. False: the run goes on elsewhere, or not at all.
async function advance(play: Play, host: Host, ctx: Context): Promise<boolean> {
  const { run } = play
  if (!await ready(play, host, ctx)) {
    return false
  }
  let catalogue = ''
  const action = await stored(play, ctx, again(() => {
    catalogue = catalogueOf(host, play.steps)
    return run.nextAsync(catalogue)
  }, () => !play.isOver))
  if (play.isOver) {
    return false
  }
  show(play, ctx)
  if (action.type === 'finished') {
    finish(play, host, ctx, action.state)
    return false
  }
  const end = action.type === 'new-session' ? await reset(play, ctx)
    : await claimed(action, play, host, ctx, catalogue)
  if (end?.outcome === 'stopped') {
    await play.question // pi aborts a turn for a move in the tree, and then asks: the answer counts
  }
  if (play.isOver || !end) {
    return false
  }
  const { iteration, stepIndex, state: { iterationCount, stepCount } } = action
  const place = `step ${stepIndex + 1} of ${stepCount} in run ${iteration + 1} of ${iterationCount}`
  await stored(play, ctx, play.endings.add(end, place))
  return !play.isOver
}

// Claims a step, and executes the step. A text that pi's rule cannot say is an error before the claim.
async function claimed(action: Action & { type: 'execute' }, play: Play, host: Host, ctx: Context,
  catalogue: string): Promise<End | undefined> {
  const text = textOf(native!, RULE, action.step, action.args)
  await stored(play, ctx, again(() => play.run.claimAsync(hashOf(text)), () => !play.isOver))
  if (!await ready(play, host, ctx)) { // a person may have sent a prompt during the commit, or wants to leave
    return undefined
  }
  return execute(action.step, text, play, host, ctx, catalogue)
}

// Awaits a commit. After a moment the status says that the run waits for the store; Escape ends the wait, and leaves
// the ends of steps to the background.
async function stored<T>(play: Play, ctx: Context, commit: Promise<T>): Promise<T> {
  const wait = new Wait(play, ctx)
  const timer = setTimeout(() => wait.begin('the store'), SHOWN_MS)
  try {
    return await unlessAborted(wait.signal, commit,
      () => { throw new Error(`${play.endings.waiting ?? 'the run'} waits for the store`) })
  } finally {
    clearTimeout(timer)
    wait.end()
  }
}

// Waits until pi is idle, and nobody is asked whether to leave the session. False: the run does not go on here.
async function ready(play: Play, { turns }: Host, ctx: Context): Promise<boolean> {
  do {
    await play.question
    if (play.isOver) {
      return false
    }
    await turns.settle(ctx)
  } while (play.question)
  return !play.isOver
}

export function mark({ pi, session }: Host, store: Store, id: string, event: 'begin' | 'end' | 'stop'): void {
  pi.appendEntry('sequence-mark', JSON.parse(store.runMark(id, event)))
  void session.catchUp()
}

// --- Ends ----------------------------------------------------------------------------------------------------------

function finish(play: Play, host: Host, ctx: Context, { phase, message, skippedCount }: RunState): void {
  const text = play.store.runStatus(play.run.id, { ownSession: play.sessionId })
  mark(host, play.store, play.run.id, phase === 'done' ? 'end' : 'stop')
  close(play)
  ctx.ui.setStatus(STATUS, undefined)
  const type = phase === 'done' ? 'info' : phase === 'stopped' ? 'warning' : 'error'
  const were = skippedCount === 1 ? 'step was' : 'steps were'
  const skipped = skippedCount === 0 ? [] : [`${skippedCount} ${were} skipped`]
  ctx.ui.notify([text, ...reasonOf(message), ...skipped].join('\n'), type)
}

// The reason of an end comes from a provider, or from another extension.
export const reasonOf = (message: string | null) => message ? [oneLine(message, REASON_COLUMNS)] : []

function close(play: Play): void {
  play.isOver = true
  if (plays.get(play.run.id) !== play) { // closed before; the id may be that of another play by now
    return
  }
  plays.delete(play.run.id)
  try {
    if (play.endings.waiting === undefined) {
      play.run.close()
    }
  } catch {
    // another process writes
  }
  void release(play.run, play.endings)
  play.store.close()
  play.end()
}

// Without a release this process would stay the owner of the run.
async function release(run: Run, endings?: Ends): Promise<void> {
  if (endings?.waiting !== undefined) {
    await endings.stored().catch(() => {}) // the state of the run says what holds
  }
  for (let tries = 0; run.isOpen && tries < RELEASES_MAX; tries++) {
    await run.closeAsync().catch(() => {})
  }
}

// Nothing more can be played, such as after a broken lease. The person decides how to go on.
function giveUp(play: Play, ctx: Context, problem: string): void {
  close(play)
  if (hosts.get(play.sessionId)?.life.isOver === false) {
    ctx.ui.setStatus(STATUS, undefined)
    ctx.ui.notify(`The sequence stands still: ${problem}. /sequence shows how to go on`, 'error')
  }
}

function pause(play: Play, host: Host, ctx: Context): void {
  const problem = leave(play, 'pause', 'left', host)
  ctx.ui.setStatus(STATUS, undefined)
  ctx.ui.notify(problem ?? "The sequence is paused: '/sequence continue' goes on", problem ? 'warning' : 'info')
}

// A person leaves the session, or the session ends. In a step only a stop is recorded: a run that pauses in a step is
// interrupted. `host`: the session can still take an entry. Gives what is not recorded, and why, if anything is not.
function leave(play: Play, answer: 'stop' | 'pause', code: 'left' | 'shutdown', host?: Host): string | undefined {
  const { run, store, endings } = play
  let problem
  try {
    endings.storeNow()
    if (answer === 'stop') {
      run.stop(LEFT)
    } else {
      run.pause(code, '')
    }
    if (host) {
      mark(host, store, run.id, 'stop')
    }
  } catch (error) { // another process has the run, or the store is busy: the state of the run says what holds
    const { message } = error as Error
    if (answer === 'stop' && passes(error)) {
      endings.add({ outcome: 'stopped', message: LEFT }).catch(() => {})
    }
    problem = endings.waiting !== undefined ? `${capital(endings.waiting)} waits for the store: ${message}`
      : answer === 'stop' ? `The sequence is cut off, not stopped: ${message}` : undefined
  }
  close(play)
  return problem
}

const capital = (text: string) => text[0].toUpperCase() + text.slice(1)

// `/sequence stop` while the run goes on here. The end of a step that waits for the store is stored first.
export async function stop(play: Play, host: Host, ctx: Context): Promise<void> {
  play.isOver = true // no step begins any more, however long the commit takes
  const left = play.waits === TURN ? MAY_BEGIN : play.waits?.startsWith('/') ? unknownEffect(play.waits) : undefined
  const message = left === undefined ? STOPPED : `${STOPPED}; ${left}`
  if (!ctx.isIdle()) {
    ctx.abort()
  }
  try {
    await stored(play, ctx, play.endings.add({ outcome: 'stopped', message }))
  } catch (error) {
    close(play)
    throw error
  }
  if (host.life.isOver || plays.get(play.run.id) !== play) { // the person left meanwhile
    close(play)
    return
  }
  finish(play, host, ctx, play.store.runState(play.run.id)!)
}

// --- Actions -------------------------------------------------------------------------------------------------------

async function execute(step: Step, text: string, play: Play, host: Host, ctx: Context,
  catalogue: string): Promise<End | undefined> {
  const other = differing(step, play, host, catalogue)
  if (other !== undefined) {
    return { outcome: 'failed', code: 'unresolved', message: other }
  }
  const leafId = ctx.sessionManager.getLeafId()
  const failed = await perform(step, text, play, host, ctx)
  if (play.isOver || failed) {
    return failed
  }
  const answer = answerAfter(ctx.sessionManager.getBranch(), leafId)
  const { stopReason, errorMessage: message = '' } = answer ?? {}
  if (stopReason === 'aborted' || (stopReason === 'error' && message === ABORTED && answer?.isBehindTool)) {
    return { outcome: 'stopped', message }
  }
  if (stopReason === 'error') {
    return { outcome: 'failed', code: 'turn-error', message }
  }
  return { outcome: 'done', entryId: answer?.id ?? ctx.sessionManager.getLeafId() ?? undefined }
}

// Why the step means something else now than when it was claimed; undefined: it means the same.
function differing(claimed: Step, play: Play, host: Host, before: string): string | undefined {
  const catalogue = catalogueOf(host, play.steps)
  if (catalogue === before) {
    return undefined
  }
  const now = native!.resolveStep(catalogue, claimed.raw)
  const isSame = now.problem === '' && KEYS.every((key) => now[key] === claimed[key])
  return isSame ? undefined : now.message || `/${claimed.name} changed after the step was claimed`
}

// Has pi do what a step says, in this tick, and waits until pi has settled.
async function perform(step: Step, text: string, play: Play, host: Host, ctx: Context): Promise<End | undefined> {
  const { pi, turns, offers } = host
  switch (step.kind) {
    case 'compact':
      return fail('compact', () => turns.compact(ctx, text || undefined).catch(passIfEmpty))
    case 'command':
      return await call(step.name, (signal) => offers.get(step.canonical)!.run(text, ctx, signal), play, ctx) ??
        await patiently(play, ctx, (patience) => turns.settle(ctx, patience))
    default: {
      // Only a template and a skill begin with a slash here: pi expands them. pi knows no other command by the name, or
      // the step would be a problem.
      if (text.trim() === '') {
        return { outcome: 'failed', code: 'unresolved', message: 'the step is empty with these arguments' }
      }
      const options = step.kind === 'prompt' ? undefined : { expandPromptTemplates: true }
      const { sendUserMessage } = ctx as Sending
      const send = () => sendUserMessage ? sendUserMessage(text, options) : pi.sendUserMessage(text, options)
      return patiently(play, ctx, (patience) => turns.play(send, ctx, patience))
    }
  }
}

// A session with nothing to compact is as the step wants the session.
function passIfEmpty({ message }: Error): void {
  if (!['Nothing to compact (session too small)', 'Already compacted'].includes(message)) { // pi's words
    throw new Error(message)
  }
}

// Calls a command that an extension offers. The command may hang: Escape, and `/sequence stop`, end the wait.
async function call(name: string, run: (signal: AbortSignal) => unknown, play: Play, ctx: Context) {
  const wait = new Wait(play, ctx)
  const timer = setTimeout(() => wait.begin(`/${name}`), SHOWN_MS)
  let isKnown = true
  const failed = await fail('refused', async () => {
    await unlessAborted(wait.signal, (async () => run(wait.signal))(), () => { isKnown = false })
  })
  clearTimeout(timer)
  wait.end()
  if (!isKnown) {
    throw new Error(unknownEffect(`/${name}`))
  }
  return failed
}

const unknownEffect = (command: string) => `whether ${command} still takes effect is not known`

// Waits for a turn as long as a person does. Throws if nobody knows whether the turn begins: the step stays open, and
// the person decides.
async function patiently(play: Play, ctx: Context,
  act: (patience: Patience) => Promise<boolean>): Promise<End | undefined> {
  const wait = new Wait(play, ctx)
  let isKnown = true
  const failed = await fail('host', async () => {
    isKnown = await act({ signal: wait.signal, late: () => wait.begin(TURN, ALONE_MS), begun: () => wait.end() })
  })
  wait.end()
  if (!isKnown) {
    throw new Error(MAY_BEGIN)
  }
  return failed
}

async function fail(code: RunFailure, act: () => Promise<void>): Promise<End | undefined> {
  try {
    await act()
    return undefined
  } catch (error) {
    return { outcome: 'failed', code, message: error instanceof Error ? error.message : String(error) } // of others
  }
}

// --- A new session between two iterations --------------------------------------------------------------------------

// The session, its manager and the context are stale afterwards: the closures hold texts alone.
async function reset(play: Play, ctx: Context): Promise<End | undefined> {
  const { snapshot, run: { id } } = play
  play.isResetting = true
  play.isAnnounced = false
  let message = 'another extension cancelled the new session'
  try {
    const { cancelled } = await ctx.newSession({
      parentSession: ctx.sessionManager.getSessionFile(),
      setup: async (manager) => { manager.appendCustomEntry('sequence', JSON.parse(snapshot)) },
      withSession: (fresh) => enter(id, fresh),
    })
    if (!cancelled) {
      return undefined
    }
  } catch (error) {
    if (!play.isResetting) { // the new session has begun
      return undefined
    }
    message = (error as Error).message
  }
  play.isResetting = false
  return { outcome: 'failed', code: 'reset', message }
}

// The run goes on in the new session, with the extension's instance of that session.
async function enter(id: string, ctx: Context): Promise<void> {
  const play = plays.get(id)
  if (!play || play.isOver) {
    return
  }
  try {
    play.sessionId = ctx.sessionManager.getSessionId()
    const host = hosts.get(play.sessionId) ?? refuse(NO_HOST)
    await host.session.catchUp() // so that the store can bring the session back, before pi has written its file
    if (play.isOver) {
      return
    }
    play.isResetting = false // the person may leave the new session
    await stored(play, ctx, again(() => play.run.inSessionAsync(play.sessionId), () => !play.isOver))
    if (host.life.isOver) { // pi has loaded the extensions again
      leave(play, 'pause', 'left')
    } else if (!play.isOver) {
      mark(host, play.store, play.run.id, 'begin')
      void goOn(play, ctx)
    }
  } catch (error) {
    play.isResetting = false
    if (!play.isOver) {
      giveUp(play, ctx, (error as Error).message)
    }
  }
}
