// `/recording [STEPS]` records steps, beginning with a JSON list of steps, under a catalogue of its own. What came out
// is a line {"event": "recording", "outcome": ...} of XYLEM_TEST_RECORDS. F9 begins without a command. While the
// recording goes on F6 replaces the session, and F7 loads the extensions again: the recording hears of the end of its
// session from the next session, when pi has taken its context away.
import { appendFileSync } from 'node:fs'
import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext } from '@earendil-works/pi-coding-agent'
import { native } from '../../lib/store/native.ts'
import { record } from '../../lib/sequence/recorder.ts'

const CATALOGUE = JSON.stringify({ schema: 1, compact: true, expands: true, commands: [
  { name: 'model', source: 'builtin' },
  { name: 'readonly', source: 'own', arguments: ['', 'on', 'off'], toggles: true },
  { name: 'handoff', source: 'extension', path: '/elsewhere/handoff.ts' },
  { name: 'plan', source: 'prompt', path: '/elsewhere/plan.md' },
  { name: 'skill:review', source: 'skill', path: '/elsewhere/SKILL.md' },
] })

function write(line: object): void {
  appendFileSync(process.env.XYLEM_TEST_RECORDS!, JSON.stringify({ event: 'recording', ...line }) + '\n')
}

// Of all recordings of the process.
const shared = globalThis as { recordingsOfTest?: AbortController }

export default function recording(pi: ExtensionAPI): void {
  const end = new AbortController()
  let context: ExtensionCommandContext | undefined

  async function start(steps: string[], ctx: ExtensionContext): Promise<void> {
    try {
      const outcome = await record(ctx, native!, steps, () => CATALOGUE, end.signal)
      write({ outcome: outcome ?? null })
    } catch (error) {
      write({ problem: String((error as Error).stack) })
    }
  }

  pi.on('session_start', () => {
    if (shared.recordingsOfTest !== end) { // over RPC the event comes twice
      shared.recordingsOfTest?.abort()
      shared.recordingsOfTest = end
    }
  })
  pi.registerShortcut('f6', { handler: async () => { await context?.newSession() } })
  pi.registerShortcut('f7', { handler: async () => { await context?.reload() } })
  pi.registerShortcut('f9', { handler: (ctx) => start([], ctx) })
  pi.registerCommand('recording', {
    description: 'Record steps',
    handler: async (words, ctx) => {
      context = ctx
      await start(words ? JSON.parse(words) : [], ctx)
    },
  })
}
