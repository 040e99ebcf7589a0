// What every extension of the package does with the events of pi: find the session, and keep the store up to date.
//
// An extension may have modules of its own (shared.ts). The session, its mirror and its gates are shared all the same,
// so the order in which pi loads the extensions, and a missing one, change nothing.
import type { ExtensionAPI, ExtensionContext, ToolCallEvent } from '@earendil-works/pi-coding-agent'
import { type Gate, Session } from './store/session.ts'
import { forgetShared } from './shared.ts'

// Not `turn_end` and `agent_before_settle`: pi builds its whole context before it asks the handlers of these two, and
// after each of them. Behind the last entry of a turn comes `turn_start` or `agent_end`.
const EVENTS = ['session_tree', 'input', 'turn_start', 'agent_end', 'agent_settled', 'session_compact',
  'session_info_changed', 'model_select', 'thinking_level_select']

export interface Current {
  // The session from its start to its end; undefined in between, while pi replaces the session.
  readonly session: Session | undefined
}

// To be called before the extension's own handlers: they find the session then. pi calls the handlers of each extension
// that follows. One extension brings the store up to date, the last that started: so each event costs that once.
export function follow(pi: ExtensionAPI): Current {
  const current: { session: Session | undefined } = { session: undefined }
  const followed = () => current.session?.follower === current ? current.session : undefined

  // Commits are slow where another process writes: no event waits for them.
  function catchUp(_event: unknown, ctx: ExtensionContext): void {
    const now = followed()
    void now?.catchUp().then(() => {
      if (current.session === now) {
        now.show(ctx)
      }
    })
  }

  pi.on('session_start', async (event, ctx) => {
    current.session = Session.of(ctx.sessionManager)
    current.session.follower = current
    catchUp(event, ctx)
    await current.session.start()
  })
  for (const event of EVENTS) {
    pi.on(event as 'agent_end', catchUp)
  }

  pi.on('message_end', (event) => followed()?.expectMessage(event.message.role))

  pi.on('session_shutdown', (event) => {
    forgetShared()
    followed()?.end(event.reason === 'reload') // the last extension: those before may still append entries
    current.session = undefined
  })
  return current
}

// Calls back when a turn is over, with all of its entries in pi.
export function onTurnOver(pi: ExtensionAPI, callback: (ctx: ExtensionContext) => void): void {
  pi.on('turn_start', (_event, ctx) => callback(ctx))
  pi.on('agent_end', (_event, ctx) => callback(ctx))
}

// Completes one of these words. A whole word has no completion: Enter would take the completion, and send nothing.
export const completing = (words: string[]) => (prefix: string) =>
  words.filter((word) => word.startsWith(prefix) && word !== prefix).map((word) => ({ value: word, label: word }))

// Tells the person of an error of a command, unless the session is over.
export async function telling(name: string, ctx: ExtensionContext, over: AbortSignal, run: () => Promise<void>) {
  try {
    await run()
  } catch (error) {
    if (over.aborted) {
      return
    }
    if (!ctx.hasUI) { // pi prints the error: nobody sees a notice
      throw error
    }
    ctx.ui.notify(`/${name}: ${(error as Error).message}`, 'error')
  }
}

// Asks a gate before each tool. The first gate of a session asks all of them, in the order of their ranks: pi calls
// handlers in the order in which the gates were added. The first block wins, and an error blocks too. A gate that the
// session does not have yet, because the start waits for the store, asks for itself.
export function addGate(pi: ExtensionAPI, current: Current, gate: Gate): void {
  pi.on('session_start', (event) => {
    current.session?.addGate(gate, event)
  })

  pi.on('tool_call', async (event: ToolCallEvent, ctx) => {
    const known = current.session?.gates
    const gates = known?.has(gate) ? [...known] : [gate]
    if (gates[0] !== gate) {
      return undefined
    }
    for (const { ask } of gates.sort((a, b) => a.rank - b.rank)) {
      const answer = await ask(event, ctx)
      if (answer) {
        return answer
      }
    }
    return undefined
  })
}
