// A session with --ssh: connects beside pi's start, has the tools act there, and says how it stands.
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'
import { remote, setRemote } from './remote.ts'
import { endConnections, Machine } from './machine.ts'
import { Lost } from './run.ts'
import { parseTarget, type Target } from './target.ts'
import { registerTools, remoteOperations } from './tools.ts'

const KEY = 'xylem-ssh' // of the status

function targetOf(given: unknown): Target | Error {
  try {
    return parseTarget(typeof given === 'string' ? given : '')
  } catch (error) {
    return error as Error
  }
}

export class SshSession {
  readonly machine: Machine
  readonly isForeign: (tool: string) => boolean
  readonly #asks: boolean
  readonly #end = new AbortController()

  constructor(pi: ExtensionAPI, given: unknown, asks: boolean, ctx: ExtensionContext) {
    this.#asks = asks
    this.machine = new Machine(String(given), targetOf(given), ctx.cwd,
      asks ? (problem) => this.#password(problem, ctx) : undefined)
    this.isForeign = registerTools(pi, this.machine)
    setRemote(this.machine)
  }

  // Connects beside pi's start: a client of RPC answers questions only behind the start. If that fails, a later call of
  // a tool may connect.
  connect(ctx: ExtensionContext): void {
    const { host } = this.machine
    ctx.ui.setStatus(KEY, `⚡ connecting to ${host}`)
    this.machine.onPlace = () => void this.#show(ctx).catch(() => {}) // lost again: the next call says so
    this.machine.place().catch((error: Error) => this.#showProblem(error, ctx))
  }

  async #show(ctx: ExtensionContext): Promise<void> {
    const { host, cwd } = this.machine
    const { kind } = await this.machine.connection()
    if (this.#end.signal.aborted) {
      return
    }
    if (this.#asks && kind !== 'own') {
      const why = kind === 'system' ? `the config of ssh has a master for ${host}` : 'ssh has no masters on Windows'
      ctx.ui.notify(`xylem: --ssh-ask-pass has no effect: ${why}`, 'warning')
    }
    ctx.ui.setStatus(KEY, `⚡ ${kind === 'none' ? 'no' : kind} master ${host}:${cwd}`)
  }

  #showProblem({ message }: Error, ctx: ExtensionContext): void {
    if (!this.#end.signal.aborted) {
      ctx.ui.notify(`xylem: ${message}. Until there is a connection read, write, edit and bash fail`, 'error')
      ctx.ui.setStatus(KEY, `⚡ not connected to ${this.machine.host}`)
    }
  }

  // Where the session works, for the model.
  async whereabouts(): Promise<string> {
    const { host } = this.machine
    const place = await this.machine.placeInTime().catch((error: Error) => error)
    return place instanceof Error ? `unknown: there is no connection to ${host}, so read, write, edit and bash fail`
      : `${place.cwd} (on ${host}, by ssh: read, write, edit and bash act there)`
  }

  operations = () => remoteOperations(this.machine)

  async #password(problem: string | undefined, ctx: ExtensionContext): Promise<string | undefined> {
    const { signal } = this.#end
    const title = `Password for ${this.machine.host}`
    if (signal.aborted) {
      return undefined
    }
    if (!ctx.hasUI) {
      throw new Lost('--ssh-ask-pass needs a person, and pi runs without a UI')
    }
    if (ctx.mode !== 'tui') {
      return ctx.ui.input(`${problem === undefined ? '' : `${problem}. `}${title} (this client may show the letters)`,
        undefined, { signal })
    }
    const { passwordView } = await import('./password.ts')
    return signal.aborted ? undefined : ctx.ui.custom<string | undefined>((_tui, theme, _keys, done) => {
      signal.addEventListener('abort', () => done(undefined), { once: true })
      return passwordView(title, problem, theme, done)
    })
  }

  // A question for a password ends with its session. An own master ends with pi.
  async end(isQuit: boolean): Promise<void> {
    if (remote() === this.machine) {
      setRemote(undefined)
    }
    this.#end.abort()
    if (isQuit) {
      await endConnections()
    } else if (this.#asks) {
      await this.machine.settled()
    }
  }
}
