// A session with --ssh: connects beside pi's start, has the tools act there, and says how it stands.
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'
import { load } from '../load.ts'
import type { Life } from '../live.ts'
import type { Owner } from '../owner.ts'
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
  readonly #ctx: ExtensionContext
  readonly #owner: Owner
  readonly #life: Life

  constructor(pi: ExtensionAPI, given: unknown, asks: boolean, ctx: ExtensionContext, owner: Owner) {
    this.#asks = asks
    this.#ctx = ctx
    this.#owner = owner
    this.#life = owner.life
    this.machine = new Machine(String(given), targetOf(given), ctx.cwd,
      asks ? (problem) => this.#password(problem) : undefined)
    this.isForeign = registerTools(pi, this.machine)
    setRemote(this.machine)
  }

  // Connects beside pi's start: a client of RPC answers questions only behind the start. If that fails, a later call of
  // a tool may connect.
  connect(): void {
    const { host } = this.machine
    this.#ctx.ui.setStatus(KEY, `⚡ connecting to ${host}`)
    this.machine.onPlace = () => void this.#owner.beside(this.#show()) // lost again: the next call says so
    void this.#owner.beside(this.machine.place(), ({ message }) => {
      this.#ctx.ui.notify(`xylem: ${message}. Until there is a connection read, write, edit and bash fail`, 'error')
      this.#ctx.ui.setStatus(KEY, `⚡ not connected to ${host}`)
    })
  }

  async #show(): Promise<void> {
    const { host, cwd } = this.machine
    const { ui } = this.#ctx
    const { kind } = await this.#life.live(this.machine.connection())
    if (this.#asks && kind !== 'own') {
      const why = kind === 'system' ? `the config of ssh has a master for ${host}` : 'ssh has no masters on Windows'
      ui.notify(`xylem: --ssh-ask-pass has no effect: ${why}`, 'warning')
    }
    ui.setStatus(KEY, `⚡ ${kind === 'none' ? 'no' : kind} master ${host}:${cwd}`)
  }

  // Where the session works, for the model.
  async whereabouts(): Promise<string> {
    const { host } = this.machine
    const place = await this.#life.live(this.machine.placeInTime().catch((error: Error) => error))
    return place instanceof Error ? `unknown: there is no connection to ${host}, so read, write, edit and bash fail`
      : `${place.cwd} (on ${host}, by ssh: read, write, edit and bash act there)`
  }

  operations = () => remoteOperations(this.machine)

  async #password(problem: string | undefined): Promise<string | undefined> {
    const ctx = this.#ctx
    const { live, signal } = this.#life
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
    const { passwordView } = await live(load('ssh/password'))
    return ctx.ui.custom<string | undefined>((_tui, theme, _keys, done) => {
      signal.addEventListener('abort', () => done(undefined), { once: true })
      return passwordView(title, problem, theme, done)
    })
  }

  // A question for a password ends with its session. An own master ends with pi.
  async end(isQuit: boolean): Promise<void> {
    if (remote() === this.machine) {
      setRemote(undefined)
    }
    if (isQuit) {
      await endConnections()
    } else if (this.#asks) {
      await this.machine.settled()
    }
  }
}
