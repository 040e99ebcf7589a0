// Waits for the turn of a prompt, and for a compaction. pi takes a prompt of an extension without an answer: the events
// of the session tell that a turn has begun. "Idle" alone comes too early: before the turn begins, pi is idle.
import { EventEmitter, once } from 'node:events'
import type { ExtensionAPI, ExtensionCommandContext, SessionEntry } from '@earendil-works/pi-coding-agent'

const START_MS = 10_000 // a wait for the begin of a turn that is longer is told to the person
const CALL_MS = 2000 // between "idle" and a call that says how a compaction ended

type Context = Pick<ExtensionCommandContext, 'compact' | 'isIdle' | 'waitForIdle'>

// Of who waits for a turn. An extension may ask a person, or wait for a machine, before pi begins the turn.
export interface Patience {
  readonly signal: AbortSignal // ends the wait
  late(): void // the wait is long
  begun(): void // the turn has begun
}

export class Turns {
  #begins = 0 // of turns
  #coming = 0 // prompts of anybody whose turn has not begun
  readonly #events = new EventEmitter() // `begin` of a turn

  constructor({ on }: Pick<ExtensionAPI, 'on'>) {
    on('input', (_event, ctx) => {
      this.#coming += ctx.isIdle() ? 1 : 0 // else the prompt joins the turn that goes on
    })
    on('agent_start', () => {
      this.#begins++
      this.#coming = Math.max(0, this.#coming - 1)
      this.#events.emit('begin')
    })
  }

  // Sends a prompt, and waits until its turn is over. False: the patience ended first, and whether a turn begins is not
  // known. Throws if pi refuses the prompt.
  play(send: () => Promise<void> | void, ctx: Context, patience: Patience): Promise<boolean> {
    const before = this.#begins
    const sent = send() // without an answer, or with an answer that comes with the end of the turn
    const refused = new Promise<never>((_, refuse) => { sent?.catch(refuse) })
    const played = this.#begun(before, patience) // perhaps the turn of somebody else's prompt: then ours is on its way
      .then((hasBegun) => hasBegun && this.settle(ctx, patience))
    return Promise.race([played, refused])
  }

  // Waits until pi is idle, and no prompt is on its way. False: the patience ended first. Without patience a prompt
  // without a turn is waited for a short time: another extension may have taken the prompt.
  async settle(ctx: Context, patience?: Patience): Promise<boolean> {
    let hasBegun = true
    do {
      await ctx.waitForIdle()
      await new Promise((resolve) => { setImmediate(resolve) })
      if (this.#coming > 0 && !await this.#begun(this.#begins, patience)) {
        hasBegun = false
        this.#coming = 0
      }
    } while (this.#coming > 0 || !ctx.isIdle())
    return hasBegun
  }

  // pi may call neither function that it is given. Then pi is idle again, and that is the end.
  compact(ctx: Context, customInstructions?: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error('pi ended the compaction without a word'))
      ctx.compact({ customInstructions, onComplete: () => resolve(), onError: reject })
      delay(CALL_MS).then(() => ctx.waitForIdle()).then(() => delay(CALL_MS)).then(giveUp, giveUp)
    })
  }

  // False: no turn has begun up to the end of the patience; without patience, in a short time.
  async #begun(before: number, patience?: Patience): Promise<boolean> {
    const over = new AbortController()
    const timer = setTimeout(() => patience ? patience.late() : over.abort(), START_MS)
    const signal = patience?.signal ?? over.signal
    try {
      signal.throwIfAborted()
      if (this.#begins <= before) {
        await once(this.#events, 'begin', { signal })
      }
      patience?.begun()
      return true
    } catch {
      return false
    } finally {
      clearTimeout(timer)
    }
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => { setTimeout(resolve, ms).unref() })
}

// The last answer of the model behind an entry of the path. Custom entries may stand behind the answer.
export function answerAfter(path: SessionEntry[], entryId: string | null) {
  const since = path.slice(path.findIndex(({ id }) => id === entryId) + 1)
  for (const [at, entry] of [...since.entries()].reverse()) {
    if (entry.type === 'message' && entry.message.role === 'assistant') {
      const before = since[at - 1]
      return { id: entry.id, stopReason: entry.message.stopReason, errorMessage: entry.message.errorMessage,
        isBehindTool: before?.type === 'message' && before.message.role === 'toolResult' }
    }
  }
  return undefined
}
