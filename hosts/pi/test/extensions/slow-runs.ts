// Calls of a run that take as long as the test says: each waits for a file of its name in the project, if the
// environment names the call. The class is the addon's, and so the same for all extensions.
import { existsSync } from 'node:fs'
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'
import { native } from '../../lib/store/native.ts'

type Calls = Record<string, ((...given: unknown[]) => Promise<unknown>) & { isSlow?: true }>

export default function slowRuns(_pi: ExtensionAPI): void {
  const calls = native!.Run.prototype as unknown as Calls
  for (const name of (process.env.XYLEM_TEST_SLOW ?? '').split(' ').filter(Boolean)) {
    const call = calls[name]
    if (!call.isSlow) {
      calls[name] = Object.assign(async function slow(this: unknown, ...given: unknown[]) {
        const isEarly = name === 'claimAsync' // the claim is durable
        if (isEarly) {
          await call.apply(this, given)
        }
        while (!existsSync(name)) {
          await new Promise((again) => { setTimeout(again, 10) })
        }
        return isEarly ? undefined : call.apply(this, given)
      }, { isSlow: true as const })
    }
  }
}
