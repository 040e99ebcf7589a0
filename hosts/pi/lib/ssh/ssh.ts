// SSH: read, write, edit and bash act on another machine.
//
//     pi --ssh user@host[:/path] [--ssh-ask-pass]
//
// Without --ssh the extension only warns where a session worked on another machine before.
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'
import { RANK } from '../guard/gate.ts'
import { load } from '../load.ts'
import type { Owner } from '../owner.ts'
import type { SshSession } from './session.ts'

// An entry `ssh` says where the session works from there on. No host: on this machine.
interface Whereabouts {
  host: string | null
  path: string
}

// Tools of pi that search or run on this machine, whatever the session does.
const LOCAL = new Set(['grep', 'find', 'ls', 'powershell'])
const REMOTE = new Set(['read', 'write', 'edit', 'bash'])
const NOT_STARTED = '--ssh did not start, and nothing acts on the machine of pi instead'

export default function ssh(pi: ExtensionAPI, owner: Owner): void {
  const { live } = owner
  let session: SshSession | undefined
  let newest: Whereabouts | undefined // of the path
  let warned: string | undefined // the id of the session

  pi.registerFlag('ssh', {
    description: 'Have read, write, edit and bash act on another machine: user@host or user@host:/path',
    type: 'string',
  })
  pi.registerFlag('ssh-ask-pass', {
    description: 'Ask for the password of --ssh, for hosts without a key',
    type: 'boolean',
  })

  owner.on('session_start', async ({ reason }, ctx) => {
    newest = newestOf(ctx)
    const given = pi.getFlag('ssh')
    const id = ctx.sessionManager.getSessionId()
    const isOpened = given === undefined && reason !== 'reload' && reason !== 'new'
    if (isOpened && typeof newest?.host === 'string' && warned !== id) {
      warned = id
      ctx.ui.notify(`xylem: this session worked on ${newest.host}:${newest.path}. ` +
        'Without --ssh read, write, edit and bash now act on this machine', 'warning')
    }
    if (given !== undefined && !session) {
      const { sshSession } = await live(load('ssh/session'))
      if (!session) { // over RPC a session starts twice
        session = sshSession(pi, given, pi.getFlag('ssh-ask-pass') === true, ctx, owner)
      }
    }
  })

  owner.on('session_tree', (_event, ctx) => {
    newest = newestOf(ctx)
  })

  // pi's prompt names the directory of this machine.
  owner.on('before_agent_start', async (event, ctx) => {
    const now = session
    if (!now) {
      typeof newest?.host === 'string' && note({ host: null, path: ctx.cwd })
      return undefined
    }
    const where = await live(now.whereabouts())
    const { host, cwd } = now.machine
    if (cwd !== undefined) {
      note({ host, path: cwd })
    }
    const options = event.systemPromptOptions
    options.cwd = where
    const isForced = (options as { forceSystemPrompt?: string }).forceSystemPrompt !== undefined
    return isForced ? { systemPrompt: `${event.systemPrompt}\n\nCurrent working directory: ${where}` } : undefined
  })

  function note(where: Whereabouts): void {
    if (where.host !== newest?.host || where.path !== newest.path) {
      newest = where
      pi.appendEntry('ssh', where)
    }
  }

  const isWanted = () => pi.getFlag('ssh') !== undefined

  // Without an answer, or behind an error of a start, pi itself would act on this machine.
  owner.on('user_bash', () => {
    if (!session && isWanted()) {
      throw new Error(NOT_STARTED)
    }
    return session && { operations: session.operations() }
  })

  owner.gate({
    rank: RANK.ssh,
    ask({ toolName }) {
      const problem = problemOf(toolName)
      return problem === undefined ? undefined : { block: true, reason: `Blocked: ${problem}.` }
    },
  })

  function problemOf(tool: string): string | undefined {
    if (!session) {
      return (LOCAL.has(tool) || REMOTE.has(tool)) && isWanted() ? NOT_STARTED : undefined
    }
    const { host } = session.machine
    return LOCAL.has(tool) ? `${tool} acts on the machine of pi, and this session works on ${host}. Use bash`
      : session.isForeign(tool) ? `${tool} is a tool of another extension, which acts on the machine of pi, and this ` +
        `session works on ${host}` : undefined
  }

  owner.on('session_shutdown', async ({ reason }) => {
    const ended = session
    session = undefined
    await ended?.end(reason === 'quit')
  })
}

// What the newest entry of the path says about where the session works.
function newestOf({ sessionManager }: ExtensionContext): Whereabouts | undefined {
  const isWhereabouts = (data: Partial<Whereabouts> | null | undefined): data is Whereabouts =>
    (data?.host === null || typeof data?.host === 'string') && typeof data.path === 'string'
  return sessionManager.getBranch().flatMap((entry) => entry.type === 'custom' && entry.customType === 'ssh'
    ? [entry.data as Partial<Whereabouts> | null | undefined] : []).findLast(isWhereabouts)
}
