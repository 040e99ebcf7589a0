// Checkpoint: keeps the working tree of git beside the conversation, and offers the files of a place to a fork.
//
// A checkpoint is a commit that no branch has, and an entry `git-checkpoint` that names the commit. So a fork and a
// restart find the checkpoints of their path. git works beside the request to the model, and only a tool that may write
// waits for git. So the entry of a turn may stand behind the prompt: the entry names the place.
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'
import { load } from '../load.ts'
import type { Owner } from '../owner.ts'
import { checkpointsOf, choose, STATUS, takeChosen } from './entry.ts'
import { watchKeys } from '../guard/choice.ts'
import type { Keeper } from './keeper.ts'
import { remote } from '../ssh/remote.ts'


const READERS = new Set(['read', 'grep', 'find', 'ls', 'todo'])
const END_MS = 2000 // the longest wait of the end of a session

const WORDS = ['list', 'restore', 'prune']

export default function checkpoint(pi: ExtensionAPI, owner: Owner): void {
  const { live } = owner
  let stop = new AbortController() // of git, at the end of the session
  let keeping: Promise<unknown> = Promise.resolve()
  let keeper: Keeper | undefined
  let host: string | undefined // on which the tools act, instead of this machine
  let isNew = true // the next run is none that goes on, such as a retry
  let isRetry = false

  // undefined: the session is not kept, so nothing of it is. Or the tools act on another machine (--ssh): files here
  // change by other hands then, and nobody could restore the files there.
  async function find(ctx: ExtensionContext): Promise<Keeper | undefined> {
    const { session } = owner
    if (!session || session.settings.isRefused || (ctx.sessionManager.getSessionFile() === undefined && !session.isKept)) {
      return undefined
    }
    const { Keeper } = await live(load('checkpoint/keeper'))
    host = remote()?.host
    if (host !== undefined) {
      ctx.ui.setStatus(STATUS, undefined)
      return undefined
    }
    return keeper = keeper?.session === session ? keeper : new Keeper(pi, session, owner, stop.signal)
  }

  // Beside the event. A host may dispose of a session without an end, and may remove the package: there is nothing to
  // show then.
  const show = (ctx: ExtensionContext) => void owner.beside(look(ctx))

  async function look(ctx: ExtensionContext): Promise<void> {
    if (checkpointsOf(ctx.sessionManager.getBranch()).length > 0) {
      await live((await live(find(ctx)))?.look(ctx))
    } else {
      ctx.ui.setStatus(STATUS, undefined)
    }
  }

  owner.on('session_start', async (event, ctx) => {
    watchKeys(ctx)
    if (stop.signal.aborted) { // a host of the SDK starts a session again
      stop = new AbortController()
    }
    const chosen = takeChosen(event)
    if (chosen) {
      await live((await live(find(ctx)))?.begin(ctx, chosen))
    }
    show(ctx)
  })

  owner.on('session_tree', (_event, ctx) => {
    keeper?.moved()
    show(ctx)
  })

  // Before the store ends with the session: an entry may still come. git is stopped if it is late.
  owner.beforeEnd(async () => {
    const late = setTimeout(() => stop.abort(), END_MS)
    await live(keeping)
    await live(keeper?.end())
    clearTimeout(late)
    stop.abort()
    keeper = undefined
  })

  // A run that goes on, after a failed answer or a compaction, comes without a prompt and before the agent settled.
  owner.on('before_agent_start', () => { isNew = true })
  owner.on('agent_settled', () => { isNew = true })
  owner.on('agent_start', () => {
    isRetry = !isNew
    isNew = false
  })

  // Beside what follows. Never fails.
  function keep(ctx: ExtensionContext, signal?: AbortSignal): void {
    const leaf = ctx.sessionManager.getLeafId()
    keeping = owner.beside(keeping.then(async () => live((await live(find(ctx)))?.keep(ctx, leaf, signal))))
  }

  owner.on('turn_start', (_event, ctx) => {
    if (!isRetry) {
      keep(ctx, ctx.signal)
    }
    isRetry = false
  })

  owner.on('agent_end', (_event, ctx) => keep(ctx))

  owner.on('tool_call', async ({ toolName }) => {
    if (!READERS.has(toolName)) {
      await live(keeping)
    }
  })

  // No answer keeps pi from the fork.
  owner.on('session_before_fork', async ({ entryId, position }, ctx) => {
    choose(undefined)
    await live(keeping)
    return ctx.hasUI ? live((await live(find(ctx)))?.offer(ctx, entryId, position)) : undefined
  })

  owner.command(pi, 'checkpoints', {
    description: 'List the checkpoints of the working tree, restore one, or prune those of sessions that are gone',
    words: WORDS,
    async run(words, ctx) {
      await live(keeping)
      await live(act(words || 'list', ctx))
    },
  })

  async function act(words: string, ctx: ExtensionContext): Promise<void> {
    const [word, rest = ''] = words.split(/\s+(.*)/s)
    if (!WORDS.includes(word) || (rest !== '' && word !== 'restore')) {
      throw new Error(`expected list, restore [N], prune or nothing, found '${words}'`)
    }
    const now = await live(find(ctx))
    if (!now) {
      throw new Error(host === undefined ? 'a session without a file has no checkpoints'
        : `the tools act on ${host}, and checkpoints are of this machine's files`)
    }
    await live(word === 'list' ? now.list(ctx) : word === 'prune' ? now.prune(ctx) : now.restore(ctx, rest))
  }
}
