// A store that does not take a commit of a run: while the project has a file `refuse-CALL`, that call of a run fails with
// the error that the file names.
import { existsSync, readFileSync } from 'node:fs'
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'
import { native } from '../../lib/store/native.ts'

type Call = ((this: object, ...given: unknown[]) => unknown) & { isFull?: true }

const CALLS = ['claimAsync', 'doneAsync', 'done', 'failedAsync', 'failed', 'stopAsync', 'stop', 'pause',
  'inSessionAsync']

export default function fullStore(_pi: ExtensionAPI): void {
  const calls = native!.Run.prototype as unknown as Record<string, Call | undefined>
  for (const name of CALLS) {
    const call = calls[name]
    if (call && !call.isFull) {
      calls[name] = Object.assign(function full(this: object, ...given: unknown[]) {
        const file = `refuse-${name}`
        if (!existsSync(file)) {
          return call.apply(this, given)
        }
        const error = Object.assign(new Error('the store took nothing'), { name: readFileSync(file, 'utf8') })
        if (name.endsWith('Async')) {
          return Promise.reject(error)
        }
        throw error
      }, { isFull: true as const })
    }
  }
}
