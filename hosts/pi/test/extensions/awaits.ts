// Has the client replace the session at one await of the package. `/await SITE` says at which; `/await` alone at none.
// In the copy of the package each call of `live` gives its site (lib/awaits.mjs), behind the work.
//
// Writes lines into XYLEM_TEST_RECORDS: {"event": "reached", "site"} for the first call of a site since the command;
// {"event": "wanted"} where the client shall replace the session; {"event": "passed", "isOver"} when the work goes on;
// {"event": "late"} where the session is gone already; {"event": "uncaught"} for an error that nobody caught.
import { appendFileSync } from 'node:fs'
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'

const LIMIT_MS = 1500
const END_MS = 60 // the end of the session waits for this very work

interface Life {
  isOver: boolean
}

interface State {
  reached: Set<string>
  wanted?: string
  session?: string
  endingMs?: number // since when the session ends
  stop(site: string, life: Life): Promise<void> | undefined
}

const write = (record: object) => appendFileSync(process.env.XYLEM_TEST_RECORDS!, JSON.stringify(record) + '\n')

// pi evaluates this module again at a reload.
const place = globalThis as { xylemAwaits?: State }
if (!place.xylemAwaits) {
  process.on('uncaughtExceptionMonitor', (error) => write({ event: 'uncaught', error: String(error?.stack ?? error) }))
}
const state: State = place.xylemAwaits ??= {
  reached: new Set(),
  wanted: process.env.XYLEM_TEST_AWAIT || undefined,
  stop(site, life) {
    if (!state.reached.has(site)) {
      state.reached.add(site)
      write({ event: 'reached', site, at: Date.now() })
    }
    if (site !== state.wanted) {
      return undefined
    }
    if (life.isOver) { // by the very work, or the work is of an earlier round
      write({ event: 'late', site, isOver: true })
      return undefined
    }
    state.wanted = undefined
    return replaced(site, life)
  },
}

// The session is replaced once another one starts.
async function replaced(site: string, life: Life): Promise<void> {
  const { session } = state
  const began = performance.now()
  write({ event: 'wanted', site })
  const isWaitedFor = () => state.endingMs !== undefined && !life.isOver && performance.now() - state.endingMs > END_MS
  while (state.session === session && performance.now() - began < LIMIT_MS && !isWaitedFor()) {
    await new Promise((later) => { setTimeout(later, 2) })
  }
  write({ event: 'passed', site, isOver: life.isOver, isReplaced: state.session !== session,
    ms: Math.round(performance.now() - began) })
}

export default function awaits(pi: ExtensionAPI): void {
  pi.on('session_start', (_event, ctx) => {
    state.session = ctx.sessionManager.getSessionId()
    state.endingMs = undefined
  })
  pi.on('session_shutdown', () => {
    state.endingMs = performance.now()
  })
  pi.registerCommand('await', {
    description: 'Replace the session at an await',
    handler: async (site) => {
      state.wanted = site || undefined
      state.reached.clear()
    },
  })
}
