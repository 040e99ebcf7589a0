// A session with --ssh: connects beside pi's start, has the tools act there, and says how it stands.
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'
import { load } from '../load.ts'
import type { Owner } from '../owner.ts'
import { remote, setRemote } from './remote.ts'
import { endConnections, Machine } from './machine.ts'
import { Lost } from './run.ts'
import { parseTarget, type Target } from './target.ts'
import { registerTools, remoteOperations } from './tools.ts'

const KEY = 'xylem-ssh' // of the status

export type SshSession = ReturnType<typeof sshSession>

function targetOf(given: unknown): Target | Error {
  try {
    return parseTarget(typeof given === 'string' ? given : '')
  } catch (error) {
    return error as Error
  }
}

export function sshSession(pi: ExtensionAPI, given: unknown, asks: boolean, ctx: ExtensionContext, owner: Owner) {
  const { live, signal } = owner.life
  const machine = new Machine(String(given), targetOf(given), ctx.cwd, asks ? password : undefined)
  const { host } = machine
  const isForeign = registerTools(pi, machine)
  setRemote(machine)

  // Connects beside pi's start: a client of RPC answers questions only behind the start. If that fails, a later call of
  // a tool may connect.
  ctx.ui.setStatus(KEY, `⚡ connecting to ${host}`)
  machine.onPlace = () => void owner.beside(show()) // lost again: the next call says so
  void owner.beside(machine.place(), ({ message }) => {
    ctx.ui.notify(`xylem: ${message}. Until there is a connection read, write, edit and bash fail`, 'error')
    ctx.ui.setStatus(KEY, `⚡ not connected to ${host}`)
  })

  async function show(): Promise<void> {
    const { kind } = await live(machine.connection())
    if (asks && kind !== 'own') {
      const why = kind === 'system' ? `the config of ssh has a master for ${host}` : 'ssh has no masters on Windows'
      ctx.ui.notify(`xylem: --ssh-ask-pass has no effect: ${why}`, 'warning')
    }
    ctx.ui.setStatus(KEY, `⚡ ${kind === 'none' ? 'no' : kind} master ${host}:${machine.cwd}`)
  }

  // Where the session works, for the model.
  async function whereabouts(): Promise<string> {
    const place = await live(machine.placeInTime().catch((error: Error) => error))
    return place instanceof Error ? `unknown: there is no connection to ${host}, so read, write, edit and bash fail`
      : `${place.cwd} (on ${host}, by ssh: read, write, edit and bash act there)`
  }

  async function password(problem: string | undefined): Promise<string | undefined> {
    const title = `Password for ${host}`
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
  async function end(isQuit: boolean): Promise<void> {
    if (remote() === machine) {
      setRemote(undefined)
    }
    if (isQuit) {
      await endConnections()
    } else if (asks) {
      await machine.settled()
    }
  }

  return { machine, isForeign, whereabouts, operations: () => remoteOperations(machine), end }
}
