// Ends pi, or writes a file, at an exact moment of a sequence. XYLEM_TEST_BETWEEN is a JSON object:
//
//     {"call": "nextAsync", "count": 3, "kill": true}           kills pi, as `kill -9` does, instead of the third call
//     {"call": "nextAsync", "count": 3, "quit": true}           lets pi quit instead of the third call
//     {"call": "nextAsync", "count": 1, "write": [PATH, TEXT]}  writes a file behind the first call, before its answer
//     {"event": "after_provider_response", "count": 2, "kill": true}  kills pi with the second such event
//
// Calls are those of the library's Run. Calls and events count for the process: pi evaluates this module for each
// session.
import { writeFileSync } from 'node:fs'
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'
import { native } from '../../lib/store/native.ts'

type Call = (this: object, ...args: unknown[]) => Promise<unknown>
interface Plan {
  call?: string
  event?: string
  count: number
  kill?: boolean
  quit?: boolean
  write?: [path: string, text: string]
}

const KEY = Symbol.for('xylem-test.between')
interface Shared {
  count: number
  isReplaced: boolean
}
const shared = ((globalThis as { [KEY]?: Shared })[KEY] ??= { count: 0, isReplaced: false })

function kill(): void {
  process.kill(process.pid, 'SIGKILL')
}

function replace(call: string, plan: Plan): void {
  const prototype = (native as unknown as { Run: { prototype: Record<string, Call> } }).Run.prototype
  const original = prototype[call]
  prototype[call] = async function (...args) {
    const isMeant = ++shared.count === plan.count
    if (isMeant && plan.kill) {
      kill()
    }
    if (isMeant && plan.quit) {
      process.kill(process.pid, 'SIGTERM')
      await new Promise(() => {})
    }
    const answer = await original.apply(this, args)
    if (isMeant && plan.write) {
      writeFileSync(...plan.write)
    }
    return answer
  }
}

export default function between(pi: ExtensionAPI): void {
  const plan = JSON.parse(process.env.XYLEM_TEST_BETWEEN ?? '{}') as Plan
  if (plan.call && !shared.isReplaced) {
    shared.isReplaced = true
    replace(plan.call, plan)
  }
  if (plan.event) {
    const on = pi.on as (name: string, handler: () => void) => void
    on(plan.event, () => ++shared.count === plan.count && kill())
  }
}
