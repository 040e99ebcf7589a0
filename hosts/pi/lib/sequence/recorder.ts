// Asks a person for the steps of a sequence: in pi's editor where pi has a terminal, else by dialogs.
import type { ExtensionContext } from '@earendil-works/pi-coding-agent'
import { oneLine } from '../excerpt.ts'
import type { Native } from '../store/native.ts'
import { unlessAborted } from '../race.ts'
import { Recorded } from './recorded.ts'
import { DONE, recordInEditor } from './recorder-editor.ts'

const COLUMNS = 60 // of a step in a dialog

/**
 * Records steps, beginning with `steps`; undefined: the person gave up. `changed`: the steps differ from those at the
 * beginning. `catalogue` gives the commands of the moment.
 *
 * `signal` aborts when pi replaces the session or loads the extensions again: the recording ends with undefined, and
 * does not touch `ctx` any more.
 */
export async function record(ctx: ExtensionContext, native: Native, steps: string[], catalogue: () => string,
  signal: AbortSignal): Promise<{ steps: string[]; changed: boolean } | undefined> {
  if (signal.aborted || !ctx.hasUI) {
    return undefined
  }
  const recorded = new Recorded(native, steps, catalogue)
  const isDone = ctx.mode === 'tui' ? await recordInEditor(ctx, recorded, signal)
    : await new Dialogs(ctx, recorded, signal).record()
  return isDone ? { steps: recorded.steps, changed: recorded.changed } : undefined
}

class Dialogs {
  readonly #ctx: ExtensionContext
  readonly #recorded: Recorded
  readonly #signal: AbortSignal

  constructor(ctx: ExtensionContext, recorded: Recorded, signal: AbortSignal) {
    this.#ctx = ctx
    this.#recorded = recorded
    this.#signal = signal
  }

  record(): Promise<boolean> {
    return this.#recorded.steps.length > 0 ? this.#edit() : this.#addAll()
  }

  // An answer of the person; undefined: a cancelled dialog, or the end of the session. No dialog may follow then.
  async #ask(ask: (ui: ExtensionContext['ui']) => Promise<string | undefined>): Promise<string | undefined> {
    return this.#signal.aborted ? undefined : unlessAborted(this.#signal, ask(this.#ctx.ui), () => undefined)
  }

  #input(title: string): Promise<string | undefined> {
    return this.#ask((ui) => ui.input(title, undefined, { signal: this.#signal }))
  }

  #select(title: string, rows: string[]): Promise<string | undefined> {
    return this.#ask((ui) => ui.select(title, rows, { signal: this.#signal }))
  }

  // New steps, one after another.
  async #addAll(): Promise<boolean> {
    for (let message = ''; ;) {
      const step = `Step ${this.#recorded.steps.length + 1} (empty or ${DONE} ends, cancel gives up)`
      const text = await this.#input(titleOf(step, message))
      if (text === undefined) {
        return false
      }
      if (!isEnd(text)) {
        message = this.#recorded.take(text).message
      } else if (!(message = this.#recorded.missing())) {
        return true
      }
    }
  }

  // The menu of steps that are there.
  async #edit(): Promise<boolean> {
    for (let message = ''; ;) {
      const steps = this.#recorded.steps
      const rows = steps.map((text, at) => `${at + 1}. ${oneLine(text, COLUMNS)}`)
      const count = `Sequence, ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`
      const row = await this.#select(titleOf(count, message), [...rows, 'Add a step', 'Done', 'Cancel'])
      if (row === undefined || row === 'Cancel') {
        return false
      }
      message = ''
      if (row === 'Add a step') {
        await this.#take(`Step ${steps.length + 1} (empty goes back)`, (title) => this.#input(title))
      } else if (row !== 'Done') {
        await this.#editStep(rows.indexOf(row))
      } else if (!(message = this.#recorded.missing())) {
        return true
      }
    }
  }

  // Asks until a text is taken, or there is none.
  async #take(step: string, ask: (title: string, before: string) => Promise<string | undefined>, at?: number) {
    for (let message = '', text = at === undefined ? '' : this.#recorded.steps[at]; ;) {
      const answer = await ask(titleOf(step, message), text)
      if (answer === undefined || (at === undefined && isEnd(answer))) {
        return
      }
      const { isTaken, message: said } = this.#recorded.take(answer, at)
      if (isTaken) {
        if (said) { // a warning
          this.#ctx.ui.notify(said, 'warning')
        }
        return
      }
      text = answer
      message = said
    }
  }

  async #editStep(at: number): Promise<void> {
    const step = `Step ${at + 1}`
    const row = `${step}: ${oneLine(this.#recorded.steps[at], COLUMNS)}`
    const choice = await this.#select(row, ['Change', 'Remove', 'Back'])
    if (choice === 'Remove') {
      this.#recorded.remove(at)
    } else if (choice === 'Change') {
      await this.#take(step, (title, text) => this.#ask((ui) => ui.editor(title, text)), at)
    }
  }
}

const titleOf = (title: string, message: string) => message ? `${title}\n${message}` : title
const isEnd = (text: string) => text.trim() === '' || text.trim() === DONE
