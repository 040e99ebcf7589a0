// The steps of a recording, and what a person is told about them. The rules are the library's.
import type { Recorder } from 'xylem-native'
import type { Native } from '../store/native.ts'

const STEP_LINES = 3 // of one step in the preview

const WARNINGS: { [word: string]: string } = {
  toggles: 'the command toggles without an argument: every second run gets the other state',
  shadowed: 'a template has the name of this command, and the command wins',
  placeholder: 'a placeholder without an argument stays as written',
}

export class Recorded {
  readonly #native: Native
  readonly #recorder: Recorder
  readonly #catalogue: () => string

  constructor(native: Native, steps: string[], catalogue: () => string) {
    this.#native = native
    this.#recorder = new native.Recorder(steps)
    this.#catalogue = catalogue
  }

  get steps(): string[] {
    return this.#recorder.steps
  }

  get changed(): boolean {
    return this.#recorder.changed
  }

  // Adds a step, or puts a step in the place of the step `at`. The message is the problem of a text that is not taken,
  // or has the warnings about a step that is taken.
  take(text: string, at?: number): { isTaken: boolean; message: string } {
    try {
      const catalogue = this.#catalogue()
      const step = at === undefined ? this.#recorder.add(catalogue, text) : this.#recorder.replace(catalogue, at, text)
      if (step.problem) {
        return { isTaken: false, message: step.message }
      }
      const warnings = step.warnings.map((word) => WARNINGS[word] ?? word).join('; ')
      return { isTaken: true, message: warnings && `Step ${(at ?? this.steps.length - 1) + 1} is taken: ${warnings}` }
    } catch (error) { // a limit of the whole sequence
      return { isTaken: false, message: (error as Error).message }
    }
  }

  remove(at: number): void {
    this.#recorder.remove(at)
  }

  // Why the recording cannot end; '': the recording can.
  missing(): string {
    return this.steps.length > 0 ? '' : this.#native.resolveSequence(this.#catalogue(), []).message
  }

  status(cells: number): string {
    return this.#recorder.status({ cells })
  }

  preview(): string[] {
    return this.#native.sequencePreview(this.steps, { stepLines: STEP_LINES }).trimEnd().split('\n')
  }
}
