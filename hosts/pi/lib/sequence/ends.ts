// The ends of the steps of a run: a known end is kept until the store takes it. The handle of the run has the lease of
// the ledger, which has no term, so nobody else goes on with the run meanwhile.
import { writeSync } from 'node:fs'
import type { Run, RunFailure } from 'xylem-native'
import { inProcess } from '../process.ts'

export type End =
  | { outcome: 'done'; entryId?: string }
  | { outcome: 'failed'; code: RunFailure; message: string }
  | { outcome: 'stopped'; message: string }

type Kept = End & { place: string } // for people

const AGAIN_MS = 500 // between two tries of a commit

// Repeats a commit while another process writes, and while the disk is full, as long as `isWanted`.
export async function again<T>(commit: () => Promise<T>, isWanted: () => boolean): Promise<T> {
  for (;;) {
    try {
      return await commit()
    } catch (error) {
      if (!passes(error) || !isWanted()) {
        throw error
      }
    }
    await new Promise((later) => { setTimeout(later, AGAIN_MS).unref() })
  }
}

export const passes = (error: unknown) => ['XYLEM_E_BUSY', 'XYLEM_E_NO_SPACE'].includes((error as Error).name)

// Runs with an end that is not stored, of this process. At the end of the process the ends are tried once more.
const unstored = inProcess('ends', listen)

function listen(): Set<Ends> {
  const all = new Set<Ends>()
  process.on('exit', () => all.forEach((ends) => ends.lastWords()))
  return all
}

const tellNow = (run: Run, end: End): unknown => end.outcome === 'done' ? run.done(end.entryId)
  : end.outcome === 'failed' ? run.failed(end.code, end.message) : run.stop(end.message)

const tellLater = (run: Run, end: End): Promise<unknown> => end.outcome === 'done' ? run.doneAsync(end.entryId)
  : end.outcome === 'failed' ? run.failedAsync(end.code, end.message) : run.stopAsync(end.message)

export class Ends {
  readonly #run: Run
  readonly #ends: Kept[] = []
  #storing: Promise<void> | undefined

  constructor(run: Run) {
    this.#run = run
  }

  // What is not stored, for people; undefined: everything is stored.
  get waiting(): string | undefined {
    return this.#ends[0] && `the end of ${this.#ends[0].place} (${this.#ends[0].outcome})`
  }

  // Ends when all ends are stored. Fails for good where another owner may have decided, or the outcome is not known.
  add(end: End, place = 'the run'): Promise<void> {
    this.#ends.push({ ...end, place })
    unstored.add(this)
    return this.stored()
  }

  stored(): Promise<void> {
    return this.#storing ??= this.#store()
  }

  async #store(): Promise<void> {
    try {
      for (let end; (end = this.#ends[0]);) {
        const isNext = () => this.#ends[0] === end // else storeNow() has stored the end
        await again(() => tellLater(this.#run, end!), isNext).catch((error) => { if (isNext()) throw error })
        if (isNext()) {
          this.#ends.shift()
        }
      }
    } catch (error) {
      const { message } = error as Error
      const { waiting } = this
      this.#ends.length = 0
      throw new Error(`${message}; ${waiting} is not stored`)
    } finally {
      this.#storing = undefined
      unstored.delete(this)
    }
  }

  // The same in this tick, with one try. Throws why an end is not stored.
  storeNow(): void {
    for (let end; (end = this.#ends[0]); this.#ends.shift()) {
      try {
        tellNow(this.#run, end)
      } catch (error) {
        if ((error as Error).name !== 'XYLEM_E_ARGUMENT') { // else a call on its way has stored the end
          throw error
        }
      }
    }
  }

  lastWords(): void {
    try {
      this.storeNow()
    } catch (error) {
      const words = `${this.waiting} is not stored: ${(error as Error).message}`
      writeSync(2, `xylem: ${words}. At the next start /sequence asks about the step\n`)
    }
  }
}
