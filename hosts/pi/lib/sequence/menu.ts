// The command /sequence: the menu, the subcommands, and the notice of a start.
import type { ExtensionCommandContext as Context } from '@earendil-works/pi-coding-agent'
import type { MenuRow, RunDecision, RunState, Step, Store } from 'xylem-native'
import { catalogueOf } from './catalogue.ts'
import { begin, goOn, mark, reasonOf, refuse, resume, RULE, type Sequence, snapshotOf, stop, STOPPED, travel,
} from './player.ts'
import { type Host, type Play, playIn, plays, travels, withStore, WORDS } from './plays.ts'
import { load } from '../load.ts'
import { sessionFile } from '../store/session-file.ts'
import { columns } from '../excerpt.ts'
import { native } from '../store/native.ts'
import { countOf, splitArguments, textOf } from './words.ts'

const DECISIONS = ['continue', 'retry', 'skip', 'stop', 'cancel'] // rows about a run
const COUNT = 'Run this sequence how many times? [1]'
const ARGUMENTS = 'Arguments of this run, for $@ and its like (quotes keep words together)'
const TITLE_ROWS = 12 // of a menu, for the steps
const NO_RUN = 'no run of a sequence is here'
const NO_TAKE = 'no run of another session waits here'
const TAKEN = 'another session took the steps over'
const MISSING = "there is no sequence here: '/sequence new' records one"
const badCount = (text: string) => `a run has 1 to 1000 iterations, not ${text.trim() || 'nothing'}`

export async function act(host: Host, word: string, rest: string, ctx: Context): Promise<void> {
  if (!WORDS.includes(word)) {
    const others = WORDS.slice(2).join(', ')
    throw new Error(`expected run [N [ARGUMENTS]], preview [ARGUMENTS], ${others} or nothing, found '${word}'`)
  }
  if (rest !== '' && word !== 'run' && word !== 'preview') {
    throw new Error(`${word} takes no '${rest}'`)
  }
  if (!['status', 'pause', 'stop', 'preview'].includes(word)) {
    if (playIn(host.session.id)) {
      throw new Error("a sequence is running: '/sequence stop' stops it")
    }
    if (!ctx.isIdle()) {
      throw new Error('the agent is working: wait, or stop the agent')
    }
  }
  const recorded = () => host.session.pieces().sequence ?? refuse(MISSING)
  const acts: Record<string, () => Promise<void> | void> = {
    run: () => run(host, ctx, recorded(), rest),
    preview: () => preview(host, ctx, recorded(), rest),
    new: () => edit(host, ctx, undefined),
    edit: () => edit(host, ctx, recorded()),
    status: () => withStore(host, (store) => status(host, store, ctx)),
    pause: () => pause(host, ctx),
    stop: () => withStore(host, (store) => end(host, store, ctx)),
    take: () => take(host, ctx),
  }
  await host.life.live((acts[word] ?? (() => decide(host, word as RunDecision, ctx)))())
}

// --- The menu ------------------------------------------------------------------------------------------------------

export async function menu(host: Host, ctx: Context): Promise<void> {
  const { live } = host.life
  const { sequence } = host.session.pieces()
  const ownSession = host.session.id
  const steps = sequence?.steps
  const { rows, line, shown } = await live(withStore(host, (store) => {
    const state = runAtHand(host, store)
    const runId = state?.runId
    const rows = store.sequenceMenu({ catalogue: catalogueOf(host, steps), steps, runId, ownSession })
    const shown = steps ?? (isOpen(state) ? sequenceOf(store, state).steps : [])
    return { rows, shown, line: isOpen(state) ? store.runStatus(state.runId, { cells: columns(), ownSession }) : '' }
  }))
  const title = [line, shown.length > 0 ? stepsOf(shown) : ''].filter(Boolean).join('\n\n') || 'Sequence'
  const word = rows.length === 0 ? 'new' : await live(choose(host, title, rows, ctx))
  if (word !== undefined) {
    await live(act(host, word, '', ctx))
  }
}

function stepsOf(steps: string[]): string {
  const lines = native!.sequencePreview(steps, { cells: columns(), stepLines: 2 }).trimEnd().split('\n')
  return lines.length <= TITLE_ROWS ? lines.join('\n')
    : [...lines.slice(0, TITLE_ROWS - 1), `(${lines.length - TITLE_ROWS + 1} more lines)`].join('\n')
}

// The word of the chosen row; undefined: none.
async function choose({ life: { live, signal } }: Host, title: string, rows: MenuRow[], ctx: Context):
  Promise<string | undefined> {
  const labels = rows.map(({ label, enabled, reason }) => enabled ? label : `${label} (not possible: ${reason})`)
  for (;;) {
    const answer = await live(ctx.ui.select(title, labels, { signal }))
    const row = rows[labels.indexOf(answer ?? '')]
    if (!row || row.word === 'cancel') {
      return undefined
    }
    if (row.enabled) {
      return row.word
    }
    ctx.ui.notify(row.reason, 'warning')
  }
}

// --- Record and run ------------------------------------------------------------------------------------------------

async function edit(host: Host, ctx: Context, before: Sequence | undefined): Promise<void> {
  const { pi, session, life: { live, signal } } = host
  const { record } = await live(load('sequence/recorder'))
  const recorded = await live(record(ctx, native!, before?.steps ?? [], () => catalogueOf(host), signal))
  if (!recorded) {
    return
  }
  let sequence = before
  if (recorded.changed || !sequence) {
    sequence = JSON.parse(native!.sequenceJson(recorded.steps, before?.sequenceId)) as Sequence
    pi.appendEntry('sequence', sequence) // before the count is asked: the recording must not be lost
    await live(session.catchUp())
  }
  await live(run(host, ctx, sequence, ''))
}

async function run(host: Host, ctx: Context, { sequenceId, steps, updatedAt }: Sequence, words: string): Promise<void> {
  const { live } = host.life
  const resolved = resolve(host, steps)
  const [count, rest] = words.split(/\s+(.*)/s)
  const iterationCount = count ? countOf(count) ?? refuse(badCount(count)) : await live(askCount(host, ctx))
  const args = rest ? splitArguments(RULE, rest)
    : native!.wantsArgs(steps) ? await live(askArguments(host, ctx)) : undefined
  if (iterationCount === undefined || args === null) {
    return
  }
  textsOf(resolved, args)
  await hold(await begin(host, ctx, { sequenceId, steps, updatedAt }, iterationCount, args), ctx)
}

// Throws why the sequence cannot be run.
function resolve(host: Host, steps: string[]): Step[] {
  const { problem, message, steps: resolved } = native!.resolveSequence(catalogueOf(host, steps), steps)
  if (problem !== '') {
    throw new Error(problem !== 'step' ? message : resolved.flatMap((step, i) =>
      step.problem !== '' ? [`step ${i + 1}: ${step.message}`] : []).join('\n'))
  }
  return resolved
}

// The texts for pi. Throws for an argument beyond pi's rule, before anything is claimed.
function textsOf(resolved: Step[], args: string[] | undefined): string[] {
  return resolved.map((step, i) => {
    try {
      return textOf(native!, RULE, step, args)
    } catch (error) {
      throw new Error(`step ${i + 1}: ${(error as Error).message}`)
    }
  })
}

// Shows the texts, and below a template the words, as pi splits the text.
function preview(host: Host, ctx: Context, { steps }: Sequence, words: string): void {
  const resolved = resolve(host, steps)
  const texts = textsOf(resolved, words ? splitArguments(RULE, words) : undefined)
  const wordsOf = (i: number) => resolved[i].kind !== 'template' ? []
    : splitArguments(RULE, texts[i].slice(1 + resolved[i].name.length))
  const isCalled = (i: number) => ['command', 'compact'].includes(resolved[i].kind)
  const lines = resolved.flatMap(({ name }, i) => [isCalled(i) ? `/${name} ${texts[i]}`.trimEnd() : texts[i],
    ...wordsOf(i).map((word, at) => `  $${at + 1} ${word}`)].map((text, at) => at === 0 ? `${i + 1}. ${text}` : text))
  ctx.ui.notify(lines.join('\n'), 'info')
}

// undefined: the person gave up.
async function askCount({ life: { live, signal } }: Host, ctx: Context): Promise<number | undefined> {
  for (;;) {
    const answer = await live(ctx.ui.input(COUNT, '1', { signal }))
    if (answer === undefined) {
      return undefined
    }
    const count = answer.trim() === '' ? 1 : countOf(answer)
    if (count !== undefined) {
      return count
    }
    ctx.ui.notify(badCount(answer), 'error')
  }
}

// null: the person gave up.
async function askArguments({ life: { live, signal } }: Host, ctx: Context): Promise<string[] | null> {
  const answer = await live(ctx.ui.input(ARGUMENTS, '', { signal }))
  return answer === undefined ? null : splitArguments(RULE, answer)
}

// In a terminal the next input of the person waits for the end of the run. A client of RPC has its answer at once.
async function hold(play: Play, ctx: Context): Promise<void> {
  const waits = ctx.mode === 'tui'
  void goOn(play, ctx)
  if (waits) {
    await play.ended
  }
}

// --- Runs ----------------------------------------------------------------------------------------------------------

const isOpen = (state: RunState | null | undefined): state is RunState =>
  state != null && ['running', 'resetting', 'paused', 'interrupted'].includes(state.phase)

// The run of the newest mark of the path, if the run is open; else the open run of the session: a run without a mark in
// the session broke off behind a reset. A path without a sequence, such as the path of a fresh session after a crash,
// has the waiting run of the directory, also after another pi took the run.
function runAtHand(host: Host, store: Store): RunState | undefined {
  const { sequence, mark: newest } = host.session.pieces()
  if (newest || sequence) {
    const marked = newest ? store.runState(newest.runId) : null
    const own = isOpen(marked) ? null : store.openRun(host.cwd, host.session.id)
    return (own === null ? marked : store.runState(own)) ?? undefined
  }
  const known = host.waiting === undefined ? null : store.runState(host.waiting)
  host.waiting = isOpen(known) ? known.runId : store.openRun(host.cwd) ?? undefined
  return host.waiting === undefined ? undefined : store.runState(host.waiting) ?? undefined
}

// The notice of an open run at a start; undefined: none. No run starts by itself.
export async function noticeOf(host: Host, isStartup: boolean): Promise<string | undefined> {
  if ('problem' in host.session.keeper) {
    return undefined
  }
  return host.life.live(withStore(host, (store) => {
    const state = isStartup || host.session.pieces().mark ? runAtHand(host, store) : undefined
    if (!isOpen(state) || travels.has(state.runId) || plays.has(state.runId)) {
      return undefined
    }
    const notice = store.runNotice(state.runId, { ownSession: host.session.id })
    return isElsewhere(host, state) ? `${notice} /sequence goes on there, or ends the run.` : notice
  }))
}

const isHere = ({ session }: Host, { hostSession }: RunState) => hostSession === session.id

// True for a run of another session without a player.
const isElsewhere = (host: Host, state: RunState) => !isHere(host, state) && !state.owner?.alive

// Shows a run of another session with the decisions about the run: a decision goes to the other session.
async function status(host: Host, store: Store, ctx: Context): Promise<void> {
  const { live } = host.life
  const state = runAtHand(host, store)
  if (!state) {
    ctx.ui.notify(NO_RUN, 'info')
    return
  }
  const { runId, message } = state
  const own = { ownSession: host.session.id }
  const waits = plays.get(runId)?.waits
  const waiting = waits === undefined ? '' : `The run waits for ${waits}.`
  const lines = [store.runStatus(runId, own), ...reasonOf(message), store.runNotice(runId, own), waiting]
  const text = lines.filter(Boolean).join('\n')
  if (!isOpen(state) || !isElsewhere(host, state) || !ctx.isIdle()) {
    ctx.ui.notify(text, 'info')
    return
  }
  const rows = store.sequenceMenu({ catalogue: catalogueOf(host), runId, ownSession: state.hostSession ?? undefined })
    .filter(({ word }) => DECISIONS.includes(word))
  const word = await live(choose(host, text, rows, ctx))
  if (word !== undefined) {
    await live(act(host, word, '', ctx))
  }
}

function pause({ session }: Host, ctx: Context): void {
  const play = playIn(session.id) ?? refuse('no sequence is running here')
  play.pauses = true
  ctx.ui.notify('The sequence pauses behind the step that is being executed', 'info')
}

async function end(host: Host, store: Store, ctx: Context): Promise<void> {
  const play = playIn(host.session.id)
  if (play) {
    return host.life.live(stop(play, host, ctx))
  }
  const state = runAtHand(host, store) ?? refuse(NO_RUN)
  const { runId } = state
  await host.life.live(store.runEndAsync(runId, STOPPED))
  if (isHere(host, state)) {
    mark(host, store, runId, 'stop')
  }
  ctx.ui.notify(store.runStatus(runId, { ownSession: host.session.id }), 'info')
}

const sequenceOf = (store: Store, { runId }: RunState) => JSON.parse(snapshotOf(store, runId)) as Sequence

// The session of the run may be gone. The steps are kept here before the run ends: no crash loses them.
async function take(host: Host, ctx: Context): Promise<void> {
  const { pi, session, life: { live } } = host
  await live(withStore(host, async (store) => {
    const state = runAtHand(host, store)
    if (!isOpen(state) || !isElsewhere(host, state)) {
      refuse(NO_TAKE)
    }
    pi.appendEntry('sequence', sequenceOf(store, state))
    await live(session.catchUp())
    await live(store.runEndAsync(state.runId, TAKEN))
  }))
  await live(menu(host, ctx))
}

async function decide(host: Host, decision: RunDecision, ctx: Context): Promise<void> {
  const { live } = host.life
  const { id, file } = await live(withStore(host, async (store) => {
    const state = runAtHand(host, store) ?? refuse(NO_RUN)
    const isFitting = state.phase === (decision === 'continue' ? 'paused' : 'interrupted')
    const home = isFitting && isElsewhere(host, state) ? state.hostSession : null // else the library names the problem
    const directory = ctx.sessionManager.getSessionDir()
    const file = home === null ? undefined : await live(sessionFile(store, home, directory))
    return { id: state.runId, file }
  }))
  await (file === undefined ? hold(await resume(host, id, decision), ctx) : travel(id, decision, file, ctx))
}
