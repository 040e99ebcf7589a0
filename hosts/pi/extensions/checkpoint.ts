// Checkpoint: keeps the working tree of git beside the conversation, and offers the files of a place to a fork.
//
// A checkpoint is a commit that no branch has, and an entry `git-checkpoint` that names the commit. So a fork and a
// restart find the checkpoints of their path. git works beside the request to the model, and only a tool that may write
// waits for git. So the entry of a turn may stand behind the prompt: the entry names the place.
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'
import { checkpointsOf, choose, STATUS, takeChosen } from '../lib/checkpoint/entry.ts'
import { watchKeys } from '../lib/guard/choice.ts'
import type { Keeper } from '../lib/checkpoint/keeper.ts'
import { shared } from '../lib/shared.ts'

const { completing, follow, remote, telling } = await shared()

const READERS = new Set(['read', 'grep', 'find', 'ls', 'todo'])
const END_MS = 2000 // the longest wait of the end of a session

const WORDS = ['list', 'restore', 'prune']

export default function checkpoint(pi: ExtensionAPI): void {
  let over = new AbortController() // of the session
  let keeping: Promise<unknown> = Promise.resolve()

  // Before the store ends with the session: an entry may still come.
  pi.on('session_shutdown', async () => {
    const late = setTimeout(() => over.abort(), END_MS)
    await keeping
    await keeper?.end()
    clearTimeout(late)
    over.abort()
    keeper = undefined
  })

  const current = follow(pi)
  let keeper: Keeper | undefined
  let lib: typeof import('../lib/checkpoint/keeper.ts') | undefined // each import takes time
  let host: string | undefined // on which the tools act, instead of this machine
  let isNew = true // the next run is none that goes on, such as a retry
  let isRetry = false

  // undefined: the session is not kept, so nothing of it is. Or the tools act on another machine (--ssh): files here
  // change by other hands then, and nobody could restore the files there.
  async function load(ctx: ExtensionContext): Promise<Keeper | undefined> {
    const { session } = current
    if (!session || session.settings.isRefused || (ctx.sessionManager.getSessionFile() === undefined && !session.isKept)) {
      return undefined
    }
    lib ??= await import('../lib/checkpoint/keeper.ts')
    if (current.session !== session) {
      return undefined
    }
    host = remote()?.host
    if (host !== undefined) {
      ctx.ui.setStatus(STATUS, undefined)
      return undefined
    }
    return keeper = keeper?.session === session ? keeper : new lib.Keeper(pi, session, over.signal)
  }

  // Beside the event. A host may dispose of a session without an end, and may remove the package: there is nothing to
  // show then.
  function show(ctx: ExtensionContext): void {
    look(ctx).catch(() => {})
  }

  async function look(ctx: ExtensionContext): Promise<void> {
    if (current.session && checkpointsOf(ctx.sessionManager.getBranch()).length > 0) {
      await (await load(ctx))?.look(ctx)
    } else if (current.session) {
      ctx.ui.setStatus(STATUS, undefined)
    }
  }

  pi.on('session_start', async (event, ctx) => {
    watchKeys(ctx)
    if (over.signal.aborted) { // a host of the SDK starts a session again
      over = new AbortController()
    }
    const chosen = takeChosen(event)
    if (chosen) {
      await (await load(ctx))?.begin(ctx, chosen)
    }
    show(ctx)
  })

  pi.on('session_tree', (_event, ctx) => {
    keeper?.moved()
    show(ctx)
  })

  // A run that goes on, after a failed answer or a compaction, comes without a prompt and before the agent settled.
  pi.on('before_agent_start', () => { isNew = true })
  pi.on('agent_settled' as 'agent_end', () => { isNew = true })
  pi.on('agent_start', () => {
    isRetry = !isNew
    isNew = false
  })

  // Beside what follows. Never fails.
  function keep(ctx: ExtensionContext, signal?: AbortSignal): void {
    const leaf = ctx.sessionManager.getLeafId()
    keeping = keeping.then(async () => (await load(ctx))?.keep(ctx, leaf, signal)).catch(() => {})
  }

  pi.on('turn_start', (_event, ctx) => {
    if (!isRetry) {
      keep(ctx, ctx.signal)
    }
    isRetry = false
  })

  pi.on('agent_end', (_event, ctx) => keep(ctx))

  pi.on('tool_call', async ({ toolName }) => {
    if (!READERS.has(toolName)) {
      await keeping
    }
  })

  // No answer keeps pi from the fork.
  pi.on('session_before_fork', async ({ entryId, position }, ctx) => {
    choose(undefined)
    await keeping
    return ctx.hasUI ? (await load(ctx))?.offer(ctx, entryId, position) : undefined
  })

  pi.registerCommand('checkpoints', {
    description: 'List the checkpoints of the working tree, restore one, or prune those of sessions that are gone',
    getArgumentCompletions: completing(WORDS),
    handler: (words, ctx) => telling('checkpoints', ctx, over.signal, async () => {
      await keeping
      await run(words.trim() || 'list', ctx)
    }),
  })

  async function run(words: string, ctx: ExtensionContext): Promise<void> {
    const [word, rest = ''] = words.split(/\s+(.*)/s)
    if (!WORDS.includes(word) || (rest !== '' && word !== 'restore')) {
      throw new Error(`expected list, restore [N], prune or nothing, found '${words}'`)
    }
    const now = await load(ctx)
    if (!now) {
      throw new Error(host === undefined ? 'a session without a file has no checkpoints'
        : `the tools act on ${host}, and checkpoints are of this machine's files`)
    }
    await (word === 'list' ? now.list(ctx) : word === 'prune' ? now.prune(ctx) : now.restore(ctx, rest))
  }
}
