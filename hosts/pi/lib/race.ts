// Waits that end early.

// The result of `work`, or what `otherwise` gives or throws, if the signal aborts first.
export function unlessAborted<T, Other>(signal: AbortSignal | undefined, work: Promise<T>,
  otherwise: () => Other): Promise<T | Other> {
  let abort = () => {}
  const aborted = new Promise<void>((end) => { abort = end }).then(otherwise)
  signal?.addEventListener('abort', abort)
  if (signal?.aborted) {
    abort()
  }
  return Promise.race([work, aborted]).finally(() => signal?.removeEventListener('abort', abort))
}

// The result of `work`, or an error if there is none in so many milliseconds.
export const inTime = <T>(ms: number, work: Promise<T>, message: string): Promise<T> =>
  unlessAborted(AbortSignal.timeout(ms), work, () => { throw new Error(message) })
