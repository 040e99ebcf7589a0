// What the package costs: `/costs` measures a mirror of this session, a rehydration and a judgement. `/stall` begins
// and ends a watch on the event loop. Each writes a line into XYLEM_TEST_RECORDS; times are in microseconds.
import { appendFileSync } from 'node:fs'
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'
import { type Manager, Mirror } from '../../lib/store/mirror.ts'
import { native } from '../../lib/store/native.ts'
import { storePath } from '../../lib/settings.ts'

const ROUNDS = 501

function write(record: object): void {
  appendFileSync(process.env.XYLEM_TEST_RECORDS!, JSON.stringify(record) + '\n')
}

// The median.
function measure(work: () => void): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const began = performance.now()
    work()
    return performance.now() - began
  })
  return 1000 * times.sort((a, b) => a - b)[ROUNDS >> 1]
}

export default function costs(pi: ExtensionAPI): void {
  let timer: NodeJS.Timeout | undefined
  let longest = 0

  pi.registerCommand('costs', {
    description: 'Measure the package',
    handler: async (_words, ctx) => {
      const manager: Manager = ctx.sessionManager
      const mirror = new Mirror(native!, storePath({}), manager, () => {})
      await mirror.catchUp()
      const state = mirror.rehydrate({ type: 'session_tree' }, ['nudge'])!
      const call = { name: 'bash', input: '{"command":"git log --oneline | head -3"}', cwd: ctx.cwd }
      const entries = manager.getEntries()
      write({ event: 'costs', entries: entries.length, current: mirror.isCurrent(), problem: mirror.problem,
        catchUp: measure(() => void mirror.catchUp()),
        copy: measure(() => void (manager.getEntryCount?.() ?? manager.getEntries().length)),
        rehydrate: measure(() => void mirror.rehydrate({ type: 'session_tree' }, ['nudge'])),
        ask: measure(() => void state.ask(call)) })
    },
  })

  pi.registerCommand('stall', {
    description: 'Watch the event loop',
    handler: async () => {
      if (timer) {
        clearInterval(timer)
        timer = undefined
        write({ event: 'stall', longest: 1000 * longest })
        return
      }
      longest = 0
      let last = performance.now()
      timer = setInterval(() => {
        const now = performance.now()
        longest = Math.max(longest, now - last - 1)
        last = now
      }, 1)
    },
  })
}
