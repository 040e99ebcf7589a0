// The end of work in a session that is gone. pi replaces a session in the middle of any await of an extension; a context
// and `pi` are of no use then. So each await of the package in a session is `await live(...)`, and ends the work there.

// Not an error of the work: the owner drops it.
export class Gone extends Error {
  override readonly name = 'Gone'

  constructor() {
    super('pi has replaced the session')
  }
}

// Two copies of this module have a class each.
export const isGone = (error: unknown): boolean => error instanceof Error && error.name === 'Gone'

// The life of a session, from its start to its end.
export class Life {
  readonly #over = new AbortController()
  readonly signal = this.#over.signal

  get isOver(): boolean {
    return this.signal.aborted
  }

  end(): void {
    this.#over.abort(new Gone())
  }

  // The result of the work, which goes on to its end. Throws Gone if the session has ended by then.
  readonly live = async <T>(work: Promise<T> | T): Promise<T> => {
    try {
      return await work
    } finally {
      this.signal.throwIfAborted()
    }
  }
}

export type Live = Life['live']
