// The checkpoints of a session: keeps the working tree as entries, offers files to a fork and to a move in the tree,
// restores, goes back before a prompt, lists, prunes.
//
// Each await may be the last moment of the session: `live` ends the work then.
import { setTimeout } from 'node:timers/promises'
import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext, SessionEntry } from
  '@earendil-works/pi-coding-agent'
import { type Checkpoint, checkpointsAt, checkpointsOf, choose, type Chosen, type Data, isPrompt, KIND,
  placeCheckpoints, placeOf, STATUS } from './entry.ts'
import { ADDED_MAX, anchor, anchorAll, commit, COUNT_MAX, DAYS_MAX, dropOld, isEqual, type Plan, planOf,
  refs, remove, REPOSITORY_MAX, roomOf, treesOf, UNDO } from './commits.ts'
import { chooseToLeave } from '../guard/choice.ts'
import { KEEP, type Offer } from '../guard/fork.ts'
import { Git, GitError } from './git.ts'
import { findRepository, type Repository } from './repository.ts'
import { restore } from './restore.ts'
import { BYTES_MAX, FILES_MAX, Scratch, type Trees } from './scratch.ts'
import type { Life } from '../live.ts'
import { load } from '../load.ts'
import type { Owner } from '../owner.ts'
import type { Session } from '../store/session.ts'
import { oneLine } from '../excerpt.ts'

const KEEP_MS = 10_000 // the longest wait of a tool for git
const RESTORE_MS = 120_000
const ROWS_MAX = 20
const TEXT_COLUMNS = 60
const NAMES_MAX = 5

const RESTORE = 'Restore the files'
const RESTORE_ONLY = 'Restore files only'
const STAY = 'Stay'

const LATER_MS = 500 // behind a fork and a move pi clears the screen, and has something to say itself

type Context = ExtensionContext

// What a restore would do now.
interface Due {
  repository: Repository
  checkpoint: Checkpoint
  now: Trees
  then: Trees
  plan: Plan
}

// The files of a moment, and the commit that has them.
interface Kept {
  trees: Trees
  commit: string
}

// What was done.
interface Report {
  text: string
  isWhole: boolean
}

// A move in the tree that brings files back.
interface Move {
  due: Due // that the person agreed to
  kept: Kept // the files of the place that is left
  from?: string // of /undo
  outcome?: Report | Error | undefined // undefined: the leaf is elsewhere
}

export class Keeper {
  readonly session: Session
  none: string | undefined // why there are no checkpoints, if git or a repository is missing
  readonly #pi: ExtensionAPI
  readonly #owner: Owner
  readonly #life: Life
  readonly #live: Life['live']
  readonly #stopped: AbortSignal // of git, at the end of the session
  readonly #trees = new Map<string, Trees>() // by commit
  readonly #named = new Set<string>() // files that are left alone, of which the person heard
  #repository: Repository | undefined
  #scratch: Scratch | undefined
  #path: { newest: Checkpoint | undefined; count: number } | undefined // checkpoints of the leaf
  #spare = 0 // checkpoints that may come before old ones are looked for
  #isLate = false // git did not end in time: no turn waits again
  #work: Promise<unknown> = Promise.resolve()
  #dropping: Promise<void> | undefined // of old checkpoints
  #move: Move | undefined // from the answer to the arrival
  #isUndoing = false // the person has answered already

  constructor(pi: ExtensionAPI, session: Session, owner: Owner, stopped: AbortSignal) {
    this.session = session
    this.#pi = pi
    this.#owner = owner
    this.#life = owner.life
    this.#live = owner.life.live
    this.#stopped = stopped
  }

  // --- Keep --------------------------------------------------------------------------------------------------------

  // Keeps the working tree of the moment at which `leaf` is the leaf. Never fails: the person hears of a problem once.
  async keep(ctx: Context, leaf: string | null, signal?: AbortSignal): Promise<void> {
    if (!this.#isLate) {
      await this.#live(this.#guarded(ctx, 'no checkpoint', () => this.#queued(async () => {
        const repository = await this.#live(this.#find(ctx, KEEP_MS))
        if (repository) {
          const signals = AbortSignal.any([this.#stopped, ...signal ? [signal] : []])
          await this.#live(this.#keep(ctx, repository, new Git(repository.top, KEEP_MS, signals), leaf))
        }
      })))
    }
  }

  // The trees of now, and the newest checkpoint of the path, which has them afterwards; undefined: the leaf is
  // elsewhere.
  async #keep(ctx: Context, repository: Repository, git: Git, leaf = ctx.sessionManager.getLeafId(),
    before?: 'restore'): Promise<Kept | undefined> {
    const path = this.#path ??= this.#pathOf(ctx, repository)
    const trees = await this.#live(this.#look(git))
    this.#tellLeft(ctx, repository, trees)
    const { newest } = path
    const known = newest && await this.#live(this.#treesOf(git, newest))
    if (newest && known && isEqual(known, trees)) {
      return { trees, commit: newest.commit }
    }
    const at = Date.now()
    const id = await this.#live(commit(git, trees, at))
    // First: an entry whose reference is missing is one whose checkpoint is gone.
    await this.#live(anchor(git, this.session.id, id))
    if (path !== this.#path) {
      return undefined
    }
    this.#trees.set(id, trees)
    this.#append(ctx, repository, { trees, commit: id }, { at, after: leaf, ...before && { before } })
    if (this.#spare-- <= 0 || this.#scratch!.bytes > ADDED_MAX) {
      // Beside what follows: checkpoints of git are bounded.
      this.#scratch!.bytes = 0
      this.#spare = 0 // as long as git looks, nobody looks again
      this.#dropping ??= this.#owner.beside(this.#guarded(ctx, 'old checkpoints stay', async () => {
        this.#spare = await this.#live(dropOld(new Git(repository.top, RESTORE_MS, this.#stopped), this.session.id))
      }, false)).then(() => { this.#dropping = undefined })
    }
    return { trees, commit: id }
  }

  #append(ctx: Context, { top }: Repository, { trees: { tree, head }, commit }: Kept,
    more: Pick<Data, 'at' | 'after' | 'before' | 'from'>): void {
    const { count } = this.#path ??= this.#pathOf(ctx, { top })
    const data: Data = { version: 1, repo: top, commit, tree, head, ...more }
    this.#pi.appendEntry(KIND, data)
    this.#path = { newest: { ...data, id: ctx.sessionManager.getLeafId()! }, count: count + 1 }
    this.#show(ctx)
    void this.session.catchUp()
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
    await this.#live(this.#guarded(ctx, 'no checkpoints', () => this.#queued(async () => {
      const repository = await this.#live(this.#find(ctx, KEEP_MS))
      if (repository) {
        this.#path = this.#pathOf(ctx, repository)
        this.#show(ctx)
        const all = checkpointsOf(ctx.sessionManager.getEntries(), repository.top)
        const git = new Git(repository.top, KEEP_MS, this.#stopped)
        await this.#live(anchorAll(git, this.session.id, all.map(({ commit }) => commit)))
      }
    })))
  }

  // The newest of the path itself: a fork takes it along.
  #pathOf({ sessionManager }: Context, { top }: Pick<Repository, 'top'>) {
    return { newest: checkpointsOf(sessionManager.getBranch(), top).at(0),
      count: checkpointsAt(sessionManager, sessionManager.getLeafId(), top).length }
  }

  #show(ctx: Context): void {
    const { count } = this.#path!
    ctx.ui.setStatus(STATUS, count === 0 ? undefined : `⎇ ${plural(count, 'checkpoint')}`)
  }

  // Ends when what began has ended.
  async end(): Promise<void> {
    await this.#live(Promise.all([this.#work, this.#dropping]))
    await this.#live(this.#scratch?.dispose())
  }

  // --- Fork --------------------------------------------------------------------------------------------------------

  // The files of its place for a fork, if they are others. The files change once there is a fork.
  async offer(ctx: Context, entryId: string, position: 'before' | 'at'): Promise<Offer | undefined> {
    return this.#guarded(ctx, 'the files stay as they are', async () => {
      const due = await this.#live(this.#dueAt(ctx, entryId, position))
      if (!due) {
        return undefined
      }
      const { checkpoint, now, plan } = due
      const file = ctx.sessionManager.getSessionFile()
      choose({ checkpoint, head: undefined, file })
      const word = position === 'at' ? 'clone' : 'fork'
      const accept = () => choose({ checkpoint, head: now.head, file })
      return plan.changes.length === 0 ? undefined : { accept, yes: yesOf(due),
        question: titleOf(`Restore the files of ${timeOf(checkpoint)} in the ${word}?`, due),
        text: titleOf(`The files of ${timeOf(checkpoint)} differ from those of now:`, due) }
    })
  }

  #ask = (ctx: Context, question: string, due: Due, first = KEEP) =>
    chooseToLeave(titleOf(question, due), [first, yesOf(due)], ctx, this.#life.signal)

  // Where HEAD is another commit than then, the person must agree.
  async #isAgreed(ctx: Context, question: string, due: Due, first?: string): Promise<boolean> {
    const isMoved = due.now.head !== due.then.head && due.plan.changes.length > 0
    if (isMoved && !ctx.hasUI) {
      throw new Error(movedText(due))
    }
    if (isMoved && await this.#live(this.#ask(ctx, question, due, first)) !== yesOf(due)) {
      return false
    }
    refuseInTurn(ctx) // a turn may have begun while the person was asked
    return true
  }

  // The fork has no entry of a checkpoint that was made behind its place: such an entry comes first.
  async begin(ctx: Context, { checkpoint, head }: Chosen): Promise<void> {
    await this.#live(this.#guarded(ctx, 'the files are not restored', async () => {
      if (!checkpointsOf(ctx.sessionManager.getBranch()).some(({ id }) => id === checkpoint.id)) {
        const { id: _id, ...data } = checkpoint
        this.#pi.appendEntry(KIND, data)
        void this.session.catchUp()
      }
      if (head !== undefined) {
        this.#tellLater(ctx, await this.#live(this.#restore(ctx, checkpoint, head)))
      }
    }))
  }

  // --- Move --------------------------------------------------------------------------------------------------------

  // Asks whether the files of the place come back. They change on arrival: pi may yet cancel the move.
  async offerMove(ctx: Context, targetId: string): Promise<{ cancel: true } | undefined> {
    if (this.#isUndoing) {
      return undefined
    }
    this.#move = undefined
    return this.#guarded(ctx, 'the files stay as they are', async () => {
      const due = await this.#live(this.#dueAt(ctx, targetId))
      if (!due || due.plan.changes.length === 0) {
        return undefined
      }
      const question = `Restore the files of ${timeOf(due.checkpoint)} at that place?`
      const answer = await this.#live(this.#ask(ctx, question, due))
      if (answer === yesOf(due)) {
        this.#move = await this.#live(this.#prepare(ctx, due))
      }
      return answer === null ? { cancel: true } : undefined
    })
  }

  // The place that is left gets a checkpoint first: a move back finds the files.
  async #prepare(ctx: Context, due: Due): Promise<Move | undefined> {
    const { repository } = due
    const kept = await this.#live(this.#queued(() => this.#keep(ctx, repository, new Git(repository.top, RESTORE_MS))))
    return kept && { due, kept }
  }

  // Behind a move in the tree. The checkpoint of the files from before stands here too, once all is done: pi does not
  // write where the leaf is, but with the next entry. So a pi that is killed in between is back at the place that the
  // person left, whose newest checkpoint has the files.
  async arrived(ctx: Context): Promise<void> {
    const move = this.#move
    this.#path = this.#move = undefined // a checkpoint that is being made does not belong here
    if (move) {
      const restored = this.#restore(ctx, move.due.checkpoint, move.due.now.head, move)
      move.outcome = await this.#live(restored.catch((error: Error) => error))
      if (!this.#isUndoing) {
        this.#tellLater(ctx, move.outcome)
      }
    }
  }

  #tellLater(ctx: Context, outcome: Report | Error | undefined): void {
    void this.#owner.beside((async () => {
      await this.#live(setTimeout(LATER_MS))
      if (outcome instanceof Error) {
        ctx.ui.notify(`The files are not restored: ${outcome.message}`, 'error')
      } else if (outcome) {
        tell(ctx, outcome)
      }
    })())
  }

  // Back before the last prompt of the path, with the files of then. Once more goes one prompt further, as people
  // expect of an undo; `back` takes the last one back.
  async undo(ctx: ExtensionCommandContext, word: string): Promise<void> {
    refuseInTurn(ctx)
    await this.#live(this.#find(ctx, RESTORE_MS)) ?? nowhere(ctx)
    const path = ctx.sessionManager.getBranch()
    const at = path.findLastIndex(isPrompt)
    if (word === 'back') {
      const left = checkpointsOf(path.slice(at + 1)).find(({ from }) => from !== undefined)
      if (!left || !ctx.sessionManager.getEntry(left.from!)) {
        throw new Error("there is no /undo after the last prompt. '/tree' leads to every place")
      }
      const due = await this.#live(this.#due(this.#repository!, left))
      await this.#live(this.#go(ctx, left.from!, due, 'Back where you were'))
    } else {
      const prompt = path[at] ?? refuse('there is no prompt on the path of this session')
      const due = await this.#live(this.#dueAt(ctx, prompt.id)) ??
        refuse("there is no checkpoint from before your last prompt, so nothing moves. '/tree' moves without the files")
      await this.#live(this.#go(ctx, prompt.id, due, 'Back before your last prompt',
        "In an empty editor (ctrl+c) '/undo back' takes this back, and '/undo' goes further back."))
    }
  }

  // The move and the files, both or neither.
  async #go(ctx: ExtensionCommandContext, target: string, due: Due, words: string, hint?: string): Promise<void> {
    const isAgreed = await this.#live(this.#isAgreed(ctx, `${words}?`, due, STAY))
    const move = isAgreed ? await this.#live(this.#prepare(ctx, due)) : undefined
    if (!move) {
      return
    }
    // pi moves in front of a text, so the way back needs an entry without one.
    const leaf = ctx.sessionManager.getLeafEntry()
    if (leaf?.type !== 'custom') {
      this.#append(ctx, due.repository, move.kept, { at: Date.now(), after: leaf?.id ?? null })
    }
    const from = ctx.sessionManager.getLeafId()!
    this.#move = hint === undefined ? move : { ...move, from }
    const going = this.#move
    this.#isUndoing = true
    try {
      const { cancelled } = await this.#live(ctx.navigateTree(target))
      if (cancelled) {
        ctx.ui.notify('Nothing changed: the move was cancelled', 'info')
        return
      }
      const { outcome } = going
      if (outcome instanceof Error) {
        const back = await this.#live(ctx.navigateTree(from))
        const rest = back.cancelled ? "the files stay, and '/tree' leads back" : 'nothing changed'
        throw new Error(`${outcome.message}: ${rest}`)
      }
      if (outcome) {
        tell(ctx, { ...outcome, text: [`${words}. ${outcome.text}`, ...hint ? [hint] : []].join('\n') })
      }
    } finally {
      this.#move = undefined
      this.#isUndoing = false
    }
  }

  // --- Restore -----------------------------------------------------------------------------------------------------

  // `head`: the HEAD that the person agreed to. Behind a move there are checkpoints of the files from before.
  #restore(ctx: Context, checkpoint: Checkpoint, head: string, move?: Move): Promise<Report | undefined> {
    return this.#queued(async () => {
      const repository = await this.#live(this.#find(ctx, RESTORE_MS)) ?? nowhere(ctx)
      const git = new Git(repository.top, RESTORE_MS)
      const then = await this.#live(this.#treesOf(git, checkpoint)) ?? isGone(checkpoint)
      const kept = move?.kept ?? await this.#live(this.#keep(ctx, repository, git, undefined, 'restore'))
      if (!kept) {
        return undefined
      }
      const { trees: now } = kept
      if (now.head !== then.head && now.head !== head) {
        throw new Error(movedText({ now, then }))
      }
      await this.#live(anchor(git, this.session.id, kept.commit, UNDO))
      const plan = await this.#live(restore(git, repository, this.#scratch!, now, then, ctx.cwd))
      if (move) {
        const { from } = move
        this.#append(ctx, repository, kept, { at: Date.now(), after: ctx.sessionManager.getLeafId(), before: 'restore',
          ...from !== undefined && { from } })
      }
      const after = (await this.#live(this.#keep(ctx, repository, git)))?.trees
      if (!after) {
        return undefined
      }
      const names = new Set(plan.changes.map(({ name }) => name))
      const { changes } = await this.#live(planOf(git, repository, after, then))
      const rest = changes.filter(({ name }) => names.has(name)).map(({ name }) => name)
      const left = [...this.#scratch!.left.keys()]
      return reportOf(checkpoint, plan, rest, left, !this.#isUndoing)
    })
  }

  // Of /checkpoints: `words` is a number of the list, or nothing.
  async restore(ctx: Context, words: string): Promise<void> {
    refuseInTurn(ctx)
    const repository = await this.#live(this.#find(ctx, RESTORE_MS)) ?? nowhere(ctx)
    const all = await this.#live(this.#all(ctx, repository))
    const at = words === '' ? await this.#live(this.#chooseRow(ctx, repository, all)) : Number(words) - 1
    if (at === undefined) {
      return
    }
    const checkpoint = all[at]
    if (!checkpoint) {
      throw new Error(`expected a number from 1 to ${all.length}, found '${words}'`)
    }
    const due = await this.#live(this.#due(repository, checkpoint))
    if (due.plan.changes.length === 0) {
      tell(ctx, reportOf(checkpoint, due.plan, [], [], true))
    } else if (await this.#live(this.#isAgreed(ctx, `Restore the files of ${timeOf(checkpoint)}?`, due))) {
      const report = await this.#live(this.#restore(ctx, checkpoint, due.now.head))
      report && tell(ctx, report)
    }
  }

  async #chooseRow(ctx: Context, repository: Repository, all: Checkpoint[]) {
    const rows = await this.#live(this.#rows(repository, ctx.sessionManager.getBranch(), all))
    if (rows.length === 0) {
      throw new Error('there is no checkpoint on the path of this session')
    }
    const { signal } = this.#life
    const answer = await this.#live(ctx.ui.select('Restore which checkpoint?', rows, { signal }))
    const at = rows.indexOf(answer ?? '')
    return at < 0 ? undefined : at
  }

  // --- List --------------------------------------------------------------------------------------------------------

  async list(ctx: Context): Promise<void> {
    const repository = await this.#live(this.#find(ctx, RESTORE_MS)) ?? nowhere(ctx)
    const all = await this.#live(this.#all(ctx, repository))
    const rows = await this.#live(this.#rows(repository, ctx.sessionManager.getBranch(), all))
    const more = all.length > rows.length ? [`(${all.length - rows.length} older)`] : []
    const git = new Git(repository.top, RESTORE_MS)
    const found = await this.#live(refs(git))
    const own = await this.#live(roomOf(git, found.filter(({ session }) => session === this.session.id)))
    const whole = await this.#live(roomOf(git, found))
    ctx.ui.notify(['Checkpoints, newest first, beside the files of now:', ...rows, ...more,
      `They take ${sizeOf(own)}; all of this repository ${sizeOf(whole)} of at most ${sizeOf(REPOSITORY_MAX)}.`]
      .join('\n'), 'info')
  }

  async #rows(repository: Repository, path: SessionEntry[], all: Checkpoint[]): Promise<string[]> {
    const git = new Git(repository.top, RESTORE_MS)
    const now = await this.#live(this.#queued(() => this.#look(git)).catch(() => undefined))
    const there = await this.#live(this.#there(git))
    const rows: string[] = []
    for (const checkpoint of all.slice(0, ROWS_MAX)) {
      const then = there.has(checkpoint.commit) ? await this.#live(this.#treesOf(git, checkpoint)) : undefined
      const count = now && then && (await this.#live(planOf(git, repository, now, then))).changes.length
      const { word, text } = placeOf(path, checkpoint)
      rows.push([`${rows.length + 1}`.padStart(2), timeOf(checkpoint), then ? countOf(count) : 'gone',
        `${word} ${oneLine(text, TEXT_COLUMNS)}`].join('  ').trimEnd())
    }
    return rows
  }

  // --- Prune -------------------------------------------------------------------------------------------------------

  async prune(ctx: Context): Promise<void> {
    const { knownSessions } = await this.#live(load('store/known-sessions'))
    const repository = await this.#live(this.#find(ctx, RESTORE_MS)) ?? nowhere(ctx)
    const git = new Git(repository.top, RESTORE_MS)
    const found = await this.#live(refs(git))
    const known = await this.#live(knownSessions(this.session, ctx.sessionManager.getSessionDir(),
      new Set(found.map(({ session }) => session))))
    const dead = found.filter(({ session }) => !known.has(session))
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
    const title = `Remove ${what}?\nNobody can undo this.`
    const answer = await this.#live(chooseToLeave(title, ['Keep', yes], ctx, this.#life.signal))
    if (answer === yes) {
      await this.#live(remove(git, dead))
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
      return await this.#live(act())
    } catch (error) {
      if (this.#life.isOver) {
        throw error
      }
      const isMissing = error instanceof GitError && error.failure === 'missing'
      this.none = isMissing ? 'git is missing' : this.none
      this.#isLate ||= isWaited && error instanceof GitError && error.failure === 'late'
      const isQuiet = error instanceof GitError && (isMissing || error.failure === 'stopped')
      if (!isQuiet) {
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
    this.#repository ??= await this.#live(findRepository(cwd, limitMs))
    this.none = this.#repository ? undefined : 'no git work tree'
    return this.#repository
  }

  async #treesOf(git: Git, { commit, tree, head }: Checkpoint): Promise<Trees | undefined> {
    const trees = this.#trees.get(commit) ?? await this.#live(treesOf(git, commit))
    if (trees?.tree !== tree || trees.head !== head) {
      return undefined
    }
    this.#trees.set(commit, trees)
    return trees
  }

  async #all({ sessionManager }: Context, { top }: Repository): Promise<Checkpoint[]> {
    await this.#live(this.#work)
    return checkpointsAt(sessionManager, sessionManager.getLeafId(), top)
  }

  // The commits that references of this session hold.
  async #there(git: Git): Promise<Set<string>> {
    return new Set((await this.#live(refs(git, this.session.id))).map(({ commit }) => commit))
  }

  // What a restore would do now.
  async #due(repository: Repository, checkpoint: Checkpoint): Promise<Due> {
    const git = new Git(repository.top, RESTORE_MS)
    const isThere = (await this.#live(this.#there(git))).has(checkpoint.commit)
    const known = isThere ? await this.#live(this.#treesOf(git, checkpoint)) : undefined
    const now = await this.#live(this.#queued(() => this.#look(git)))
    const then = known ?? isGone(checkpoint)
    const plan = await this.#live(planOf(git, repository, now, then))
    return { repository, checkpoint, now, then, plan }
  }

  // The same for the newest checkpoint of a place.
  async #dueAt(ctx: Context, entryId: string, position?: 'before' | 'at'): Promise<Due | undefined> {
    await this.#live(this.#work)
    const all = placeCheckpoints(ctx, entryId, position)
    const repository = all.length > 0 ? await this.#live(this.#find(ctx, KEEP_MS)) : undefined
    const checkpoint = repository && all.find(({ repo }) => repo === repository.top)
    return checkpoint && await this.#live(this.#due(repository, checkpoint))
  }
}

// --- Words ----------------------------------------------------------------------------------------------------------

const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`

const countOf = (count: number | undefined) =>
  count === undefined ? '' : count === 0 ? 'as now' : `${plural(count, 'file')} differ${count === 1 ? 's' : ''}`

const sizeOf = (bytes: number) =>
  bytes < 1 << 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${Math.round(bytes / (1 << 20))} MiB`

const yesOf = ({ now, then }: Due) => now.head === then.head ? RESTORE : RESTORE_ONLY

const titleOf = (question: string, due: Due) => [question, ...due.now.head === due.then.head ? [] : [movedText(due)],
  summaryOf(due.plan, ['to restore', 'to remove']), 'A checkpoint of the files as they are comes first.'].join('\n')

const movedText = ({ now, then }: Pick<Due, 'now' | 'then'>) => `HEAD is another commit than at the checkpoint: ` +
  `${then.head.slice(0, 8)} then, ${now.head.slice(0, 8)} now. HEAD and your branch stay where they are.`

// With the verbs of a plan, or of what was done.
function summaryOf({ changes, left }: Plan, [restore, remove] = ['restored', 'removed']): string {
  const named = (isNewer: boolean) => changes.filter(({ then }) => (then === undefined) === isNewer)
    .map(({ name }) => wordOf(name))
  const [older, newer] = [named(false), named(true)]
  const parts = [...older.length > 0 ? [`${listOf(older)} ${restore}`] : [],
    ...newer.length > 0 ? [`${listOf(newer, 'newer file')} ${remove}`] : [], ...left.length > 0 ? [leftText(left)] : []]
  return parts.length > 0 ? `${parts.join(', ')}.` : 'the files are as at the checkpoint.'
}

const wordOf = (name: string) => oneLine(Buffer.from(name, 'latin1').toString(), TEXT_COLUMNS)

const listOf = (words: string[], what = 'file') =>
  `${plural(words.length, what)} (${words.slice(0, NAMES_MAX).join(', ')}${words.length > NAMES_MAX ? ', …' : ''})`

const leftText = (left: string[]) => `${listOf(left.map(wordOf))} left alone, something is in the way`

const isGone = (checkpoint: Checkpoint): never => {
  throw new Error(`the checkpoint of ${timeOf(checkpoint)} is gone: a session keeps the newest ${COUNT_MAX}, for ` +
    `${DAYS_MAX} days, and a repository ${REPOSITORY_MAX >> 20} MiB of them`)
}

// `isNamed`: with the way back.
function reportOf(checkpoint: Checkpoint, plan: Plan, rest: string[], left: string[], isNamed: boolean): Report {
  if (plan.changes.length === 0) {
    return { text: `Nothing to restore: ${summaryOf(plan)}`, isWhole: true }
  }
  const lines = [`The files are as at ${timeOf(checkpoint)}: ${summaryOf(plan)}`,
    ...rest.length > 0 ? [`${listOf(rest.map(wordOf))} could not be restored.`] : [],
    ...left.length > 0 ? [`No checkpoint has ${listOf(left.map(wordOf))}: left alone.`] : [],
    ...isNamed ? ["'/checkpoints restore 2' brings back the files from before."] : []]
  return { text: lines.join('\n'), isWhole: rest.length + plan.left.length + left.length === 0 }
}

const tell = ({ ui }: Context, { text, isWhole }: Report) => ui.notify(text, isWhole ? 'info' : 'warning')

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

function refuse(why: string): never {
  throw new Error(why)
}

const nowhere = ({ cwd }: Context): never => refuse(`${cwd} is in no work tree of git`)
