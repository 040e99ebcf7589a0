// Waiting with a limit: a wait that ends without its condition says what it waited for, and what there was instead.
export const LIMIT_MS = 30000

// Waits that are looked at whenever something changed. `look` throws no error into whoever changes something.
export function waiting(tell = () => '') {
  const checks = new Set()
  return {
    look() {
      for (const check of [...checks]) {
        check()
      }
    },
    // The first truthy answer of `found`. An error that `found` throws ends the wait.
    until(found, what, limit = LIMIT_MS) {
      return new Promise((resolve, reject) => {
        const finish = (settle, value) => {
          clearTimeout(timer)
          checks.delete(check)
          settle(value)
        }
        const check = () => {
          try {
            const value = found()
            if (value) {
              finish(resolve, value)
            }
          } catch (error) {
            finish(reject, error)
          }
        }
        const timer = setTimeout(() => finish(reject, new Error(`waited ${limit} ms for ${what}${tell()}`)), limit)
        checks.add(check)
        check()
      })
    },
  }
}

// The same for a condition that nothing announces: asks again and again.
export async function poll(found, what, { limit = LIMIT_MS, tell = () => '', every = 40 } = {}) {
  for (const end = Date.now() + limit; ;) {
    const value = await found()
    if (value) {
      return value
    }
    if (Date.now() > end) {
      throw new Error(`waited ${limit} ms for ${what}${tell()}`)
    }
    await new Promise((again) => setTimeout(again, every))
  }
}
