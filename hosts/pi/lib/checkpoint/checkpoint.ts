// Checkpoint: keeps the working tree of git beside the conversation, and offers the files of a place to a fork and to a
// move in the tree. /undo goes back before a prompt, with its files.
//
// A checkpoint is a commit that no branch has, and an entry `git-checkpoint` that names the commit. So a fork and a
// restart find the checkpoints of their path. git works beside the request to the model, and only a tool that may write
// waits for git. So the entry of a turn may stand behind the prompt: the entry names the place.
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'
import { load } from '../load.ts'
import type { Owner } from '../owner.ts'
import { checkpointsOf, choose, STATUS, takeChosen } from './entry.ts'
import { guards } from '../guard/children.ts'
import { watchKeys } from '../guard/choice.ts'
import { beforeFork } from '../guard/fork.ts'
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
  let none: string | undefined // why there are no checkpoints, at the end of the last turn
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
      showNone(ctx)
      return undefined
    }
    return keeper = keeper?.session === session ? keeper : new Keeper(pi, session, owner, stop.signal)
  }

  const whyNone = () => owner.session?.settings.isRefused ? 'settings refused'
    : host !== undefined ? '--ssh' : keeper ? keeper.none : 'session not kept'

  function showNone({ mode, ui }: ExtensionContext): void {
    const text = none === undefined ? undefined : `no checkpoints: ${none}`
    ui.setStatus(STATUS, text && mode === 'tui' ? ui.theme.fg('dim', text) : text)
  }

  // Beside the event. A host may dispose of a session without an end, and may remove the package: there is nothing to
  // show then.
  const show = (ctx: ExtensionContext) => void owner.beside(look(ctx))

  async function look(ctx: ExtensionContext): Promise<void> {
    if (checkpointsOf(ctx.sessionManager.getBranch()).length > 0) {
      await live((await live(find(ctx)))?.look(ctx))
    } else {
      showNone(ctx)
    }
  }

  owner.on('session_start', async (event, ctx) => {
    none = undefined
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

  owner.on('session_before_tree', async ({ preparation }, ctx) => {
    await live(keeping)
    return ctx.hasUI ? live((await live(find(ctx)))?.offerMove(ctx, preparation.targetId)) : undefined
  })

  owner.on('session_tree', async (_event, ctx) => {
    await live(keeper?.arrived(ctx))
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

  owner.on('agent_end', (_event, ctx) => {
    keep(ctx)
    keeping = owner.beside(keeping.then(() => {
      none = whyNone()
      none !== undefined && showNone(ctx)
    }))
  })

  owner.on('tool_call', async ({ toolName }) => {
    if (!READERS.has(toolName)) {
      await live(keeping)
    }
  })

  beforeFork(owner, {
    async offer({ entryId, position }, ctx) {
      choose(undefined)
      await live(keeping)
      return ctx.hasUI ? live((await live(find(ctx)))?.offer(ctx, entryId, position)) : undefined
    },
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
    const now = await live(needed(ctx))
    await live(word === 'list' ? now.list(ctx) : word === 'prune' ? now.prune(ctx) : now.restore(ctx, rest))
  }

  owner.command(pi, 'undo', {
    description: 'Go back before the last prompt, with the files of then',
    words: ['back'],
    async run(word, ctx) {
      if (word !== '' && word !== 'back') {
        throw new Error(`expected back or nothing, found '${word}'`)
      }
      if ([...guards].some((guard) => guard.isOn())) {
        throw new Error("readonly is on, and files would change. '/readonly off' first")
      }
      await live(keeping)
      await live((await live(needed(ctx))).undo(ctx, word))
    },
  })

  async function needed(ctx: ExtensionContext): Promise<Keeper> {
    const now = await live(find(ctx))
    if (!now) {
      throw new Error(host !== undefined ? `the tools act on ${host}, and checkpoints are of this machine's files`
        : owner.session?.settings.isRefused ? 'no checkpoints are kept while the settings of xylem are refused'
        : 'a session without a file has no checkpoints')
    }
    return now
  }
}
