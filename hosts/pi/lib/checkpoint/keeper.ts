// The checkpoints of a session: keeps the working tree as entries, asks before a fork, restores, lists, prunes.
//
// Each await may be the last moment of the session: `isOver` says so, and the context is not used any more.
import type { ExtensionAPI, ExtensionContext, SessionEntry } from '@earendil-works/pi-coding-agent'
import { type Checkpoint, checkpointsAt, checkpointsOf, choose, type Chosen, type Data, forkCheckpoints, KIND, placeOf,
  STATUS } from './entry.ts'
import { ADDED_MAX, anchor, anchorAll, anchorUndo, commit, COUNT_MAX, DAYS_MAX, dropOld, isEqual, type Plan, planOf,
  refs, remove, REPOSITORY_MAX, treesOf } from './commits.ts'
import { chooseToLeave } from '../guard/choice.ts'
import { Git, GitError } from './git.ts'
import { findRepository, type Repository } from './repository.ts'
import { restore } from './restore.ts'
import { BYTES_MAX, FILES_MAX, Scratch, type Trees } from './scratch.ts'
import type { Session } from '../store/session.ts'
import { shared } from '../shared.ts'

const { oneLine } = await shared()

const KEEP_MS = 10_000 // the longest wait of a tool for git
const RESTORE_MS = 120_000
const ROWS_MAX = 20
const TEXT_COLUMNS = 60
const NAMES_MAX = 5

const RESTORE = 'Restore the files'
const RESTORE_ONLY = 'Restore files only'
const KEEP = 'Keep the files as they are'
const ENDED = 'ended' // another dialog took the place of the question

type Context = ExtensionContext

export class Keeper {
  readonly session: Session
  readonly #pi: ExtensionAPI
  readonly #over: AbortSignal
  readonly #trees = new Map<string, Trees>() // by commit
  readonly #named = new Set<string>() // files that are left alone, of which the person heard
  #repository: Repository | undefined
  #scratch: Scratch | undefined
  #path: { newest: Checkpoint | undefined; count: number } | undefined // checkpoints of the leaf
  #spare = 0 // checkpoints that may come before old ones are looked for
  #isLate = false // git did not end in time: no turn waits again
  #work: Promise<unknown> = Promise.resolve()
  #dropping: Promise<void> | undefined // of old checkpoints

  constructor(pi: ExtensionAPI, session: Session, over: AbortSignal) {
    this.session = session
    this.#pi = pi
    this.#over = over
  }

  get isOver(): boolean {
    return this.#over.aborted
  }

  // --- Keep --------------------------------------------------------------------------------------------------------

  // Keeps the working tree of the moment at which `leaf` is the leaf. Never fails: the person hears of a problem once.
  async keep(ctx: Context, leaf: string | null, signal?: AbortSignal): Promise<void> {
    if (!this.#isLate) {
      await this.#guarded(ctx, 'no checkpoint', () => this.#queued(async () => {
        const repository = await this.#find(ctx, KEEP_MS)
        if (repository) {
          const signals = AbortSignal.any([this.#over, ...signal ? [signal] : []])
          await this.#keep(ctx, repository, new Git(repository.top, KEEP_MS, signals), leaf)
        }
      }))
    }
  }

  // The trees of now, and the newest checkpoint of the path, which has them afterwards; undefined: the session is over,
  // or its leaf is elsewhere.
  async #keep(ctx: Context, repository: Repository, git: Git, leaf = ctx.sessionManager.getLeafId(),
    before?: 'restore'): Promise<{ trees: Trees; commit: string } | undefined> {
    const path = this.#path ??= this.#pathOf(ctx, repository)
    const trees = await this.#look(git)
    if (this.isOver) {
      return undefined
    }
    this.#tellLeft(ctx, repository, trees)
    const { newest } = path
    const known = newest && await this.#treesOf(git, newest)
    if (newest && known && isEqual(known, trees)) {
      return this.isOver ? undefined : { trees, commit: newest.commit }
    }
    const at = Date.now()
    const id = await commit(git, trees, at)
    await anchor(git, this.session.id, id) // first: an entry whose reference is missing is one whose checkpoint is gone
    if (this.isOver || path !== this.#path) {
      return undefined
    }
    const data: Data = { version: 1, repo: repository.top, commit: id, tree: trees.tree, head: trees.head, at,
      after: leaf, ...before && { before } }
    this.#pi.appendEntry(KIND, data)
    this.#trees.set(id, trees)
    this.#path = { newest: { ...data, id: ctx.sessionManager.getLeafId()! }, count: path.count + 1 }
    this.#show(ctx)
    void this.session.catchUp()
    if (this.#spare-- <= 0 || this.#scratch!.bytes > ADDED_MAX) {
      // Beside what follows: checkpoints of git are bounded.
      this.#scratch!.bytes = 0
      this.#spare = 0 // as long as git looks, nobody looks again
      this.#dropping ??= this.#guarded(ctx, 'old checkpoints stay', async () => {
        this.#spare = await dropOld(new Git(repository.top, RESTORE_MS, this.#over), this.session.id)
      }, false).then(() => { this.#dropping = undefined })
    }
    return { trees, commit: id }
  }

  #look(git: Git): Promise<Trees> {
    this.#scratch ??= new Scratch(this.#repository!, this.session.settings.checkpoints?.filters)
    return this.#scratch.look(git)
  }

  // Each file once.
  #tellLeft(ctx: Context, { top }: Repository, { untracked }: Trees): void {
    if (untracked === undefined) {
      this.#tell(ctx, `checkpoints leave out the untracked files of ${top}: there are more than ` +
        `${FILES_MAX}, or more than ${BYTES_MAX >> 20} MiB`)
    }
    const left = [...this.#scratch!.left].filter(([name]) => !this.#named.has(name))
    left.forEach(([name]) => this.#named.add(name))
    if (left.length > 0) {
      this.#tell(ctx, `checkpoints leave alone ${listOf(left.map(([name, why]) => `${wordOf(name)}: ${why}`))}`)
    }
  }

  // The count, and references of this session for checkpoints that a fork inherited.
  async look(ctx: Context): Promise<void> {
    this.#path = undefined
    await this.#guarded(ctx, 'no checkpoints', () => this.#queued(async () => {
      const repository = await this.#find(ctx, KEEP_MS)
      if (repository) {
        this.#path = this.#pathOf(ctx, repository)
        this.#show(ctx)
        const all = checkpointsOf(ctx.sessionManager.getEntries(), repository.top)
        await anchorAll(new Git(repository.top, KEEP_MS, this.#over), this.session.id, all.map(({ commit }) => commit))
      }
    }))
  }

  // The leaf is elsewhere: a checkpoint that is being made does not belong there.
  moved(): void {
    this.#path = undefined
  }

  // The newest of the path itself: a fork takes it along.
  #pathOf({ sessionManager }: Context, { top }: Repository) {
    return { newest: checkpointsOf(sessionManager.getBranch(), top).at(0),
      count: checkpointsAt(sessionManager, sessionManager.getLeafId(), top).length }
  }

  #show(ctx: Context): void {
    const { count } = this.#path!
    ctx.ui.setStatus(STATUS, count === 0 ? undefined : `⎇ ${plural(count, 'checkpoint')}`)
  }

  // Ends when what began has ended.
  async end(): Promise<void> {
    await Promise.all([this.#work, this.#dropping])
    await this.#scratch?.dispose()
  }

  // --- Fork --------------------------------------------------------------------------------------------------------

  // Asks whether the fork gets the files of its place back. The files change once there is a fork. Another dialog of
  // the package ends the question, and the fork: for the next question about the fork a terminal would forget that
  // dialog.
  async offer(ctx: Context, entryId: string, position: 'before' | 'at'): Promise<{ cancel: true } | undefined> {
    return this.#guarded(ctx, 'the files stay as they are', async () => {
      await this.#work
      const all = forkCheckpoints(ctx, entryId, position)
      const repository = all.length > 0 ? await this.#find(ctx, KEEP_MS) : undefined
      const checkpoint = repository && all.find(({ repo }) => repo === repository.top)
      if (!repository || !checkpoint) {
        return undefined
      }
      const { now, then, plan } = await this.#due(repository, checkpoint)
      const file = ctx.sessionManager.getSessionFile()
      choose({ checkpoint, head: undefined, file })
      if (plan.changes.length === 0) {
        return undefined
      }
      const head = await this.#ask(ctx, `Restore the files of ${timeOf(checkpoint)} in the fork?`, now, then, plan)
      if (!this.isOver && head !== undefined && head !== ENDED) {
        choose({ checkpoint, head, file })
      }
      return head === ENDED ? { cancel: true } : undefined
    })
  }

  // The HEAD that the person saw, or ENDED; undefined: the files stay.
  async #ask(ctx: Context, question: string, now: Trees, then: Trees, plan: Plan): Promise<string | undefined> {
    const isMoved = now.head !== then.head
    const yes = isMoved ? RESTORE_ONLY : RESTORE
    const title = [question, ...isMoved ? [movedText(now, then)] : [],
      summaryOf(plan, ['to restore', 'to remove']),
      'A checkpoint of the files as they are comes first.'].join('\n')
    const answer = await chooseToLeave(title, [KEEP, yes], ctx, this.#over)
    return answer === null ? ENDED : answer === yes && !this.isOver ? now.head : undefined
  }

  // The fork has no entry of a checkpoint that was made behind its place: such an entry comes first.
  async begin(ctx: Context, { checkpoint, head }: Chosen): Promise<void> {
    await this.#guarded(ctx, 'the files are not restored', async () => {
      if (!checkpointsOf(ctx.sessionManager.getBranch()).some(({ id }) => id === checkpoint.id)) {
        const { id: _id, ...data } = checkpoint
        this.#pi.appendEntry(KIND, data)
        void this.session.catchUp()
      }
      if (head !== undefined) {
        await this.#restore(ctx, checkpoint, head, true)
      }
    })
  }

  // --- Restore -----------------------------------------------------------------------------------------------------

  // `head`: the HEAD that the person agreed to. Behind a fork pi itself has something to say, which would take the
  // place of an 'info'.
  async #restore(ctx: Context, checkpoint: Checkpoint, head: string, isFork: boolean): Promise<void> {
    await this.#queued(async () => {
      const repository = await this.#find(ctx, RESTORE_MS) ?? nowhere(ctx)
      const git = new Git(repository.top, RESTORE_MS)
      const then = await this.#treesOf(git, checkpoint) ?? isGone(checkpoint)
      const kept = await this.#keep(ctx, repository, git, undefined, 'restore')
      if (!kept) {
        return
      }
      const { trees: now } = kept
      if (now.head !== then.head && now.head !== head) {
        throw new Error(movedText(now, then))
      }
      await anchorUndo(git, this.session.id, kept.commit)
      const plan = await restore(git, repository, this.#scratch!, now, then, ctx.cwd)
      const after = this.isOver ? undefined : (await this.#keep(ctx, repository, git))?.trees
      const names = new Set(plan.changes.map(({ name }) => name))
      const rest = after && (await planOf(git, repository, after, then)).changes.filter(({ name }) => names.has(name))
      if (rest && !this.isOver) {
        const left = [...this.#scratch!.left.keys()]
        const isWhole = rest.length + plan.left.length + left.length === 0
        ctx.ui.notify(reportOf(checkpoint, plan, rest.map(({ name }) => name), left),
          isFork || !isWhole ? 'warning' : 'info')
      }
    })
  }

  // Of /checkpoints: `words` is a number of the list, or nothing.
  async restore(ctx: Context, words: string): Promise<void> {
    refuseInTurn(ctx)
    const repository = await this.#find(ctx, RESTORE_MS) ?? nowhere(ctx)
    const all = await this.#all(ctx, repository)
    const at = words === '' ? await this.#chooseRow(ctx, repository, all) : Number(words) - 1
    if (at === undefined || this.isOver) {
      return
    }
    const checkpoint = all[at]
    if (!checkpoint) {
      throw new Error(`expected a number from 1 to ${all.length}, found '${words}'`)
    }
    const { now, then, plan } = await this.#due(repository, checkpoint)
    if (plan.changes.length === 0) {
      ctx.ui.notify(reportOf(checkpoint, plan, [], []), 'info')
      return
    }
    if (now.head !== then.head && !ctx.hasUI) {
      throw new Error(movedText(now, then))
    }
    const head = now.head === then.head ? now.head
      : await this.#ask(ctx, `Restore the files of ${timeOf(checkpoint)}?`, now, then, plan)
    if (head !== undefined && head !== ENDED && !this.isOver) {
      refuseInTurn(ctx) // a turn may have begun while the person was asked
      await this.#restore(ctx, checkpoint, head, false)
    }
  }

  async #chooseRow(ctx: Context, repository: Repository, all: Checkpoint[]) {
    const rows = await this.#rows(repository, ctx.sessionManager.getBranch(), all)
    if (this.isOver || rows.length === 0) {
      throw new Error('there is no checkpoint on the path of this session')
    }
    const answer = await ctx.ui.select('Restore which checkpoint?', rows, { signal: this.#over })
    const at = rows.indexOf(answer ?? '')
    return at < 0 ? undefined : at
  }

  // --- List --------------------------------------------------------------------------------------------------------

  async list(ctx: Context): Promise<void> {
    const repository = await this.#find(ctx, RESTORE_MS) ?? nowhere(ctx)
    const all = await this.#all(ctx, repository)
    const rows = await this.#rows(repository, ctx.sessionManager.getBranch(), all)
    if (!this.isOver) {
      const more = all.length > rows.length ? [`(${all.length - rows.length} older)`] : []
      ctx.ui.notify(['Checkpoints, newest first, beside the files of now:', ...rows, ...more].join('\n'), 'info')
    }
  }

  async #rows(repository: Repository, path: SessionEntry[], all: Checkpoint[]): Promise<string[]> {
    const git = new Git(repository.top, RESTORE_MS)
    const now = await this.#queued(() => this.#look(git)).catch(() => undefined)
    const there = await this.#there(git)
    const rows: string[] = []
    for (const checkpoint of all.slice(0, ROWS_MAX)) {
      const then = there.has(checkpoint.commit) ? await this.#treesOf(git, checkpoint) : undefined
      const count = now && then && (await planOf(git, repository, now, then)).changes.length
      const { word, text } = placeOf(path, checkpoint)
      rows.push([`${rows.length + 1}`.padStart(2), timeOf(checkpoint), then ? countOf(count) : 'gone',
        `${word} ${oneLine(text, TEXT_COLUMNS)}`].join('  ').trimEnd())
    }
    return rows
  }

  // --- Prune -------------------------------------------------------------------------------------------------------

  async prune(ctx: Context): Promise<void> {
    const { knownSessions } = await import('../store/known-sessions.ts')
    const repository = await this.#find(ctx, RESTORE_MS) ?? nowhere(ctx)
    const git = new Git(repository.top, RESTORE_MS)
    const found = await refs(git)
    const known = await knownSessions(this.session, ctx.sessionManager.getSessionDir(),
      new Set(found.map(({ session }) => session)))
    const dead = found.filter(({ session }) => !known.has(session))
    this.#over.throwIfAborted()
    const what = `${plural(dead.length, 'checkpoint')} of ${plural(new Set(dead.map(({ session }) => session)).size,
      'session')} that neither pi nor the store has`
    if (dead.length === 0) {
      ctx.ui.notify(`Nothing to remove: ${plural(found.length, 'checkpoint')} of sessions that are there`, 'info')
      return
    }
    if (!ctx.hasUI) {
      throw new Error(`nobody can be asked whether to remove ${what}`)
    }
    const yes = 'Remove these checkpoints'
    const answer = await chooseToLeave(`Remove ${what}?\nNobody can undo this.`, ['Keep', yes], ctx, this.#over)
    if (answer === yes && !this.isOver) {
      await remove(git, dead)
      ctx.ui.notify(`Removed ${what}. 'git gc' frees the room`, 'info')
    }
  }

  // --- Parts -------------------------------------------------------------------------------------------------------

  // One change of the files or of the path at a time.
  #queued<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#work.then(act)
    this.#work = done.catch(() => {})
    return done
  }

  // `isWaited`: turns wait for the work, and not again once it was late.
  async #guarded<T>(ctx: Context, what: string, act: () => Promise<T>, isWaited = true): Promise<T | undefined> {
    try {
      return await act()
    } catch (error) {
      this.#isLate ||= isWaited && error instanceof GitError && error.failure === 'late'
      const isQuiet = error instanceof GitError && ['missing', 'stopped'].includes(error.failure)
      if (!isQuiet && !this.isOver) {
        this.#tell(ctx, `${what}: ${(error as Error).message}${this.#isLate ? ". '/reload' tries again" : ''}`)
      }
      return undefined
    }
  }

  #tell(ctx: Context, text: string): void {
    this.session.tell(`xylem: ${text}`)
    this.session.show(ctx)
  }

  // A directory without a repository may get one.
  async #find({ cwd }: Context, limitMs: number): Promise<Repository | undefined> {
    this.#repository ??= await findRepository(cwd, limitMs)
    return this.isOver ? undefined : this.#repository
  }

  async #treesOf(git: Git, { commit, tree, head }: Checkpoint): Promise<Trees | undefined> {
    const trees = this.#trees.get(commit) ?? await treesOf(git, commit)
    if (trees?.tree !== tree || trees.head !== head) {
      return undefined
    }
    this.#trees.set(commit, trees)
    return trees
  }

  async #all({ sessionManager }: Context, { top }: Repository): Promise<Checkpoint[]> {
    await this.#work
    return this.isOver ? [] : checkpointsAt(sessionManager, sessionManager.getLeafId(), top)
  }

  // The commits that references of this session hold.
  async #there(git: Git): Promise<Set<string>> {
    return new Set((await refs(git, this.session.id)).map(({ commit }) => commit))
  }

  // What a restore would do now. Throws if the session is over: who calls the keeper drops the error then.
  async #due(repository: Repository, checkpoint: Checkpoint) {
    const git = new Git(repository.top, RESTORE_MS)
    const known = (await this.#there(git)).has(checkpoint.commit) ? await this.#treesOf(git, checkpoint) : undefined
    const now = await this.#queued(() => this.#look(git))
    const then = known ?? isGone(checkpoint)
    const plan = await planOf(git, repository, now, then)
    this.#over.throwIfAborted()
    return { now, then, plan }
  }
}

// --- Words ----------------------------------------------------------------------------------------------------------

const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`

const countOf = (count: number | undefined) =>
  count === undefined ? '' : count === 0 ? 'as now' : `${plural(count, 'file')} differ${count === 1 ? 's' : ''}`

const movedText = (now: Trees, then: Trees) => `HEAD is another commit than at the checkpoint: ` +
  `${then.head.slice(0, 8)} then, ${now.head.slice(0, 8)} now. HEAD and your branch stay where they are.`

// With the verbs of a plan, or of what was done.
function summaryOf({ changes, left }: Plan, [restore, remove] = ['restored', 'removed']): string {
  const going = changes.filter(({ then }) => then === undefined).length
  const parts = [...changes.length > going ? [`${plural(changes.length - going, 'file')} ${restore}`] : [],
    ...going > 0 ? [`${plural(going, 'newer file')} ${remove}`] : [], ...left.length > 0 ? [leftText(left)] : []]
  return parts.length > 0 ? `${parts.join(', ')}.` : 'the files are as at the checkpoint.'
}

const wordOf = (name: string) => oneLine(Buffer.from(name, 'latin1').toString(), TEXT_COLUMNS)

const listOf = (words: string[]) =>
  `${plural(words.length, 'file')} (${words.slice(0, NAMES_MAX).join(', ')}${words.length > NAMES_MAX ? ', …' : ''})`

const leftText = (left: string[]) => `${listOf(left.map(wordOf))} left alone, something is in the way`

const isGone = (checkpoint: Checkpoint): never => {
  throw new Error(`the checkpoint of ${timeOf(checkpoint)} is gone: a session keeps the newest ${COUNT_MAX}, for ` +
    `${DAYS_MAX} days, and a repository ${REPOSITORY_MAX >> 20} MiB of them`)
}

function reportOf(checkpoint: Checkpoint, plan: Plan, rest: string[], left: string[]): string {
  if (plan.changes.length === 0) {
    return `Nothing to restore: ${summaryOf(plan)}`
  }
  const failed = (rest.length > 0 ? `\n${listOf(rest.map(wordOf))} could not be restored.` : '') +
    (left.length > 0 ? `\nNo checkpoint has ${listOf(left.map(wordOf))}: left alone.` : '')
  return `The files are as at ${timeOf(checkpoint)}: ${summaryOf(plan)}${failed}\n` +
    "'/checkpoints restore 2' brings back the files from before."
}

// The day too, if it is another day.
function timeOf({ at }: Checkpoint): string {
  const pad = (number: number) => String(number).padStart(2, '0')
  const date = new Date(at)
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(pad).join(':')
  const isToday = date.toDateString() === new Date().toDateString()
  return isToday ? time : `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${time}`
}

function refuseInTurn(ctx: Context): void {
  if (!ctx.isIdle()) {
    throw new Error('the agent is working: wait, or stop the agent')
  }
}

function nowhere({ cwd }: Context): never {
  throw new Error(`${cwd} is in no work tree of git`)
}
