// Waits for the turn of a prompt, and for a compaction. pi takes a prompt of an extension without an answer: the events
// of the session tell that a turn has begun. "Idle" alone comes too early: before the turn begins, pi is idle.
import type { ExtensionAPI, ExtensionCommandContext, SessionEntry } from '@earendil-works/pi-coding-agent'

const START_MS = 10_000 // the longest wait for the begin of a turn
const CALL_MS = 2000 // between "idle" and a call that says how a compaction ended
const NO_TURN = 'pi began no turn for the prompt'

type Waiting = Pick<ExtensionCommandContext, 'isIdle' | 'waitForIdle'>
type Compacting = Pick<ExtensionCommandContext, 'compact' | 'waitForIdle'>

export interface Answer {
  id: string
  stopReason?: string
  errorMessage?: string
}

export class Turns {
  #begins = 0 // of turns
  #coming = 0 // prompts of anybody whose turn has not begun
  readonly #waiters = new Set<() => void>() // of a begin

  constructor(pi: ExtensionAPI) {
    pi.on('input', (_event, ctx) => {
      try {
        this.#coming += ctx.isIdle() ? 1 : 0 // else the prompt joins the turn that goes on
      } catch {
        // another extension's handler took long, and pi has replaced the session
      }
    })
    pi.on('agent_start', () => {
      this.#begins++
      this.#coming = Math.max(0, this.#coming - 1)
      for (const wake of this.#waiters) {
        wake()
      }
    })
  }

  // Sends a prompt, and waits until its turn is over. `sent` of send() ends with the turn, if pi can tell. Throws if no
  // turn begins.
  async play(send: () => Promise<void> | void, ctx: Waiting): Promise<void> {
    const before = this.#begins
    await send() // its end needs no limit: an extension may ask a person before the turn begins
    await this.#begun(before) // perhaps the turn of somebody else's prompt: then ours is on its way
    if (!await this.settle(ctx)) {
      throw new Error(NO_TURN)
    }
  }

  // Waits until pi is idle, and no prompt is on its way. False: a prompt had no turn.
  async settle(ctx: Waiting): Promise<boolean> {
    let hasBegun = true
    do {
      await ctx.waitForIdle()
      await new Promise((resolve) => { setImmediate(resolve) })
      if (this.#coming > 0) {
        await this.#begun(this.#begins).catch(() => { // another extension took the prompt, or pi refused the prompt
          hasBegun = false
          this.#coming = 0
        })
      }
    } while (this.#coming > 0 || !ctx.isIdle())
    return hasBegun
  }

  // pi may call neither function that it is given. Then pi is idle again, and that is the end.
  compact(ctx: Compacting, customInstructions?: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error('pi ended the compaction without a word'))
      ctx.compact({ customInstructions, onComplete: () => resolve(), onError: reject })
      delay(CALL_MS).then(() => ctx.waitForIdle()).then(() => delay(CALL_MS)).then(giveUp, giveUp)
    })
  }

  #begun(before: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = (error?: Error) => {
        if (error || this.#begins > before) {
          clearTimeout(timer)
          this.#waiters.delete(wake)
          error ? reject(error) : resolve()
        }
      }
      const timer = setTimeout(() => wake(new Error(NO_TURN)), START_MS)
      this.#waiters.add(wake)
      wake()
    })
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => { setTimeout(resolve, ms).unref() })
}

// The last answer of the model behind an entry of the path. Custom entries may stand behind the answer.
export function answerAfter(path: SessionEntry[], entryId: string | null): Answer | undefined {
  const since = path.slice(path.findIndex(({ id }) => id === entryId) + 1)
  for (const entry of since.reverse()) {
    if (entry.type === 'message' && entry.message.role === 'assistant') {
      return { id: entry.id, stopReason: entry.message.stopReason, errorMessage: entry.message.errorMessage }
    }
  }
  return undefined
}
