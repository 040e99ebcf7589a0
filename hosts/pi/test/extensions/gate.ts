// A gate between readonly and confirm. It writes each call that it is asked about into XYLEM_TEST_RECORDS, and blocks
// calls whose input has the word GATE.
import { appendFileSync } from 'node:fs'
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'
import { RANK } from '../../lib/guard/gate.ts'
import type { Joining } from '../../lib/owner.ts'

export default async function gate(pi: ExtensionAPI): Promise<void> {
  const here = new URL('../..', import.meta.url).href
  const known = (globalThis as Joining)[Symbol.for('pi-xylem')]?.modules?.get(here)
  const { ownerOf } = known ?? await import('../../lib/owner.ts')
  ownerOf(pi, here).gate({
    rank: (RANK.readonly + RANK.confirm) / 2,
    ask({ toolName, input }) {
      appendFileSync(process.env.XYLEM_TEST_RECORDS!, JSON.stringify({ event: 'gate', toolName, input }) + '\n')
      return JSON.stringify(input).includes('GATE') ? { block: true, reason: 'the gate of the test blocks' } : undefined
    },
  })
}
