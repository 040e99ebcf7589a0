// The owner of what the extension files of a start have together: the session, the gates, and the events of pi.
//
//     extensions/todo.ts ─┐                 ┌─ todo/todo.ts
//     extensions/ssh.ts  ─┼─> this module ──┼─ ssh/ssh.ts        evaluated once, for all files
//     ...                ─┘                 └─ ...
//
// pi evaluates each extension file with modules of its own, and takes about a millisecond for each module. So the first
// file evaluates the modules of the package, and later files find the modules under the symbol of process.ts. Each file
// joins with its feature. The order in which pi loads the files, and a missing file, change nothing.
//
// pi calls one handler of the package for an event, however many features want the event: pi copies its context, and the
// list of messages, for each handler.
import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext, ToolCallEvent,
} from '@earendil-works/pi-coding-agent'
import type { Block } from './guard/children.ts'
import { mayBeReadonly } from './guard/fallback.ts'
import type { Gate } from './guard/gate.ts'
import { Gone, isGone, Life, type Live } from './live.ts'
import { type FeatureName, load } from './load.ts'
import { inProcess } from './process.ts'
import { Session } from './store/session.ts'

export interface Command {
  description: string
  words?: string[] // that the command takes, for the completion
  run(text: string, ctx: ExtensionCommandContext): Promise<void> | void
}

interface Given {
  type: string
  messages?: unknown
}

interface Answer {
  block?: boolean
  cancel?: boolean
  messages?: unknown
}

type Handler = (event: any, ctx: ExtensionContext) => unknown

// Not `turn_end` and `agent_before_settle`: pi builds its whole context before it asks the handlers of these two, and
// after each of them. Behind the last entry of a turn comes `turn_start` or `agent_end`.
const EVENTS = ['session_tree', 'input', 'turn_start', 'agent_end', 'agent_settled', 'session_compact',
  'session_info_changed', 'model_select', 'thinking_level_select'] as const

// pi goes on without an answer to these: in a session that is gone nothing may run, and an error of a handler stops.
const GUARDED = ['tool_call', 'user_bash']

// Features that need the session in the store, or its state.
const KEPT = new Set<FeatureName>(['checkpoint', 'confirm', 'find', 'fleet', 'read-guard', 'readonly', 'sequence', 'todo'])

// For the extension files.
export interface Joining {
  [key: symbol]: { modules?: Map<string, { join: typeof join; ownerOf: typeof ownerOf }> } | undefined
}
const evaluated = inProcess('modules', (): NonNullable<NonNullable<Joining[symbol]>['modules']> => new Map())

// Ids of sessions whose person knows that nothing holds their readonly.
const unguarded = inProcess('unguarded', () => new Set<string>())

const CHANNEL = `xylem:owner:${import.meta.url}`

// `here`: the folder of the package as pi has the path of the file. A process may have two copies of the package.
export async function join(pi: ExtensionAPI, name: FeatureName, here: string): Promise<void> {
  evaluated.set(here, { join, ownerOf })
  const { default: begin } = await load(name)
  await begin(pi, ownerOf(pi, here, name))
}

// The owner of this start: whoever joined first made the owner. The files of a start have one bus of events.
export function ownerOf(pi: ExtensionAPI, here: string, name?: FeatureName): Owner {
  let found: Owner | undefined
  pi.events.emit(CHANNEL, (owner: Owner) => { found = owner.takes(name) ? owner : found })
  return found ?? new Owner(pi, here, name)
}

export class Owner {
  // From the start of a session to its end. Undefined in between, while pi replaces the session; and where no feature
  // needs the store, so that nothing of the session is kept.
  session: Session | undefined
  readonly #pi: ExtensionAPI
  readonly #here: string
  readonly #names = new Set<FeatureName>()
  readonly #handlers = new Map<string, Handler[]>()
  readonly #gates: Gate[] = []
  readonly #lastWorks: (() => Promise<void>)[] = []
  #life = new Life()
  #started: unknown // the session, or its id

  constructor(pi: ExtensionAPI, here: string, name?: FeatureName) {
    this.#pi = pi
    this.#here = here
    this.takes(name)
    pi.events.on(CHANNEL, (found) => (found as (owner: Owner) => void)(this))
    pi.on('session_start', (event, ctx) => this.#start(event, ctx))
    for (const event of EVENTS) {
      this.on(event as 'agent_end', (_event, ctx) => this.#catchUp(ctx))
    }
    this.on('session_tree', (_event, ctx) => this.#tellUnguarded(ctx))
    this.on('message_end', ({ message }) => this.#followed()?.expectMessage(message.role))
    pi.on('session_shutdown', (event, ctx) => this.#end(event, ctx))
  }

  // False: a file of this start has joined with the feature already, so this is another start.
  takes(name: FeatureName | undefined): boolean {
    const isTaken = this.#life.isOver || (name !== undefined && this.#names.has(name))
    if (name !== undefined && !isTaken) {
      this.#names.add(name)
    }
    return !isTaken
  }

  // Of the session.
  get life(): Life {
    return this.#life
  }

  get signal(): AbortSignal {
    return this.#life.signal
  }

  // Ends the work at this await if pi has replaced the session meanwhile.
  readonly live: Live = (work) => this.#life.live(work)

  // As pi.on(), in the order in which the files joined. A handler whose session is gone is not called.
  readonly on = ((event: string, handler: Handler) => {
    const handlers = this.#handlers.get(event) ?? []
    handlers.push(handler)
    if (handlers.length === 1) {
      this.#handlers.set(event, handlers)
      if (event !== 'session_start' && event !== 'session_shutdown') {
        this.#pi.on(event as 'agent_end', (given, ctx) => this.#ask(handlers, given, ctx) as Promise<void>)
      }
    }
  }) as ExtensionAPI['on']

  // Work in the session that pi's end of the session waits for.
  beforeEnd(work: () => Promise<void>): void {
    this.#lastWorks.push(work)
  }

  // Calls back when a turn is over, with all of its entries in pi.
  onTurnOver(callback: (ctx: ExtensionContext) => void): void {
    this.on('turn_start', (_event, ctx) => callback(ctx))
    this.on('agent_end', (_event, ctx) => callback(ctx))
  }

  // The first block wins, and an error blocks too.
  gate(gate: Gate): void {
    this.#gates.push(gate)
    this.#gates.sort((a, b) => a.rank - b.rank)
    if (this.#gates.length === 1) {
      this.on('tool_call', (event, ctx) => this.#askGates(event, ctx))
    }
  }

  async #askGates(event: ToolCallEvent, ctx: ExtensionContext): Promise<Block | undefined> {
    for (const gate of this.#gates) {
      const answer = await this.live(gate.ask(event, ctx))
      if (answer) {
        return answer
      }
    }
    return undefined
  }

  // A command of the feature that has this `pi`. An error is told to the person.
  command(pi: ExtensionAPI, name: string, { description, words, run }: Command): void {
    pi.registerCommand(name, { description, getArgumentCompletions: words && completing(words),
      handler: (text, ctx) => this.act(name, ctx, () => run(text.trim(), ctx)) })
  }

  // Does what a person asked for, by the name of the command.
  async act(name: string, ctx: ExtensionContext, run: () => Promise<void> | void): Promise<void> {
    const life = this.#life
    if (life.isOver) { // pi is replacing the session
      return
    }
    try {
      await life.live(run())
    } catch (error) {
      if (isGone(error)) {
        return
      }
      if (!ctx.hasUI) { // pi prints the error: nobody sees a notice
        throw error
      }
      ctx.ui.notify(`/${name}: ${(error as Error).message}`, 'error')
    }
  }

  // Beside what follows. `failed` hears of an error while the session is there.
  beside(work: Promise<unknown>, failed: (error: Error) => void = () => {}): Promise<void> {
    return this.live(work).then(() => {}, (error) => isGone(error) ? undefined : failed(error))
  }

  // pi may replace the session before all extensions heard of its start, also without a word about the end.
  async #start(event: Given, ctx: ExtensionContext): Promise<void> {
    try {
      await this.#begin(event, ctx)
    } catch (error) {
      if (!isStale(ctx)) {
        throw error
      }
    }
  }

  // Over RPC a session starts twice. A host of the SDK may start a session again, or another one, without an end.
  async #begin(event: Given, ctx: ExtensionContext): Promise<void> {
    const session = this.#names.size === 0 || [...this.#names].some((name) => KEPT.has(name))
      ? Session.of(ctx.sessionManager) : undefined
    const started = session ?? ctx.sessionManager.getSessionId()
    if (started !== this.#started) {
      this.#life.end()
      this.#life = new Life()
      this.#started = started
    }
    this.session = session
    if (session) {
      session.owner = this
      this.#catchUp(ctx)
    }
    this.#tellUnguarded(ctx)
    await this.#ask([() => session?.start(), ...this.#handlers.get('session_start') ?? []], event, ctx)
  }

  // A filter of the settings may leave the extension readonly out, and keep another of the package.
  #tellUnguarded({ sessionManager, ui }: ExtensionContext): void {
    const id = sessionManager.getSessionId()
    const isLeftOut = this.#names.size > 0 && !this.#names.has('readonly') && !unguarded.has(id)
    if (isLeftOut && mayBeReadonly(sessionManager.getBranch(), false) &&
        !this.#pi.getCommands().some(({ name }) => /^readonly(:\d+)?$/.test(name))) {
      unguarded.add(id)
      ui.notify('xylem: readonly is on in this session, and nothing blocks what the agent writes: the extension ' +
        'readonly is not loaded. Look into pi config, and into the filter of pi-xylem in settings.json', 'warning')
    }
  }

  // Behind the last works the life ends; behind the features, which may still append entries, the session.
  async #end(event: Given & { reason: string }, ctx: ExtensionContext): Promise<void> {
    evaluated.delete(this.#here) // at the next start, such as /reload, the package may be newer
    const works = await Promise.allSettled(this.#lastWorks.map((work) => work()))
    this.#life.end()
    const handlers = this.#handlers.get('session_shutdown') ?? []
    const outcomes = [...works, ...await Promise.allSettled(handlers.map(async (handler) => handler(event, ctx)))]
    this.#followed()?.end(event.reason === 'reload')
    this.session = this.#started = undefined
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected').find(({ reason }) => !isGone(reason))
    if (failed) {
      throw failed.reason
    }
  }

  // The session, if no other copy of the package started later.
  #followed(): Session | undefined {
    return this.session?.owner === this ? this.session : undefined
  }

  // Commits are slow where another process writes: no event waits for them.
  #catchUp(ctx: ExtensionContext): void {
    const session = this.#followed()
    if (session) {
      void this.beside(session.catchUp().then(() => this.session === session && session.show(ctx)))
    }
  }

  // The answers of all handlers as one. After an error the next handlers are asked all the same.
  async #ask(handlers: Handler[], event: Given, ctx: ExtensionContext): Promise<Answer | undefined> {
    const life = this.#life
    let answer: Answer | undefined
    let failure: unknown
    for (const handler of handlers) {
      if (life.isOver) {
        return goneAnswer(event)
      }
      try {
        const given = answer?.messages === undefined ? event : { ...event, messages: answer.messages }
        const one = await life.live(handler(given, ctx)) as Answer | undefined
        if (one) {
          answer = { ...answer, ...one }
        }
        if (one?.block || one?.cancel) {
          return answer
        }
      } catch (error) {
        if (life.isOver) {
          return goneAnswer(event)
        }
        if (GUARDED.includes(event.type)) {
          throw error
        }
        failure ??= error
      }
    }
    if (failure !== undefined && !(answer && this.session)) {
      throw failure
    }
    if (failure !== undefined) { // pi takes an answer or an error
      this.session?.tell(`xylem: ${event.type}: ${(failure as Error).message}`)
    }
    return answer
  }
}

function goneAnswer({ type }: Given): Answer | undefined {
  if (GUARDED.includes(type)) {
    throw new Gone()
  }
  return type.startsWith('session_before_') ? { cancel: true } : undefined
}

function isStale(ctx: ExtensionContext): boolean {
  try {
    return !ctx.sessionManager
  } catch {
    return true
  }
}

// Completes one of these words. A whole word has no completion: Enter would take the completion, and send nothing.
const completing = (words: string[]) => (prefix: string) =>
  words.filter((word) => word.startsWith(prefix) && word !== prefix).map((word) => ({ value: word, label: word }))
