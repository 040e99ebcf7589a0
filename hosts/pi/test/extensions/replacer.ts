// Replaces the session from timers, to find an extension in the middle of an await:
//
//     /replace {"delays": [0, 1, 5]}                     three times, so many milliseconds after one another
//     /replace {"delays": [0, 1, 5], "on": "turn_end"}   each time so long after the next such event
//     /replace {"delays": [0], "fork": true}             by a fork at the leaf, where there is one
//
// Writes a line {"event": "replaced", ...} into XYLEM_TEST_RECORDS for each, and {"event": "replacements-done"} behind
// the last one.
import { appendFileSync } from 'node:fs'
import type { ExtensionAPI, ExtensionCommandContext } from '@earendil-works/pi-coding-agent'

interface Plan {
  delays: number[]
  on?: string
  fork?: boolean
}

const EVENTS = ['session_start', 'session_tree', 'session_shutdown', 'input', 'context', 'tool_call', 'tool_result',
  'turn_end', 'agent_end', 'message_end', 'session_compact', 'session_before_switch', 'session_before_tree',
  'ui_prompt_start', 'ui_prompt_end', 'before_agent_start', 'turn_start', 'agent_settled', 'tool_execution_start',
  'session_info_changed']

// The module outlives the sessions in which pi calls its factory.
let plan: Plan | undefined
let context: ExtensionCommandContext | undefined
let timer: NodeJS.Timeout | undefined
let replacing = false // a replacement replaces the context too: the next one begins behind it

function write(record: object): void {
  if (process.env.XYLEM_TEST_RECORDS) {
    appendFileSync(process.env.XYLEM_TEST_RECORDS, JSON.stringify({ pid: process.pid, ...record }) + '\n')
  }
}

async function replace(): Promise<void> {
  const [ctx, current] = [context, plan]
  if (!ctx || !current) {
    return
  }
  replacing = true
  const delay = current.delays.shift()
  let from: string | undefined
  let to: string | undefined
  const withSession = async (next: ExtensionCommandContext) => {
    to = next.sessionManager.getSessionId()
    context = next
  }
  let problem: string | undefined
  try {
    from = ctx.sessionManager.getSessionId()
    const leaf = ctx.sessionManager.getLeafId()
    const { cancelled } = current.fork && leaf
      ? await ctx.fork(leaf, { position: 'at', withSession })
      : await ctx.newSession({ withSession })
    problem = cancelled ? 'cancelled' : undefined
  } catch (error) {
    problem = String(error)
  }
  replacing = false
  write({ event: 'replaced', delay, from, to, problem })
  next()
}

// The next replacement: after its delay, which begins now, or with the next event of the plan.
function next(): void {
  if (plan && plan.delays.length === 0) {
    plan = undefined
    write({ event: 'replacements-done' })
  } else if (plan && !plan.on) {
    timer = setTimeout(() => { timer = undefined; void replace() }, plan.delays[0])
  }
}

export default function replacer(pi: ExtensionAPI): void {
  pi.registerCommand('replace', {
    description: 'Replace the session from timers',
    handler: async (words, ctx) => {
      plan = JSON.parse(words) as Plan
      context = ctx
      next()
    },
  })
  const on = pi.on as (name: string, handler: () => void) => void
  for (const name of EVENTS) {
    on(name, () => {
      if (plan?.on === name && !timer && !replacing) {
        timer = setTimeout(() => { timer = undefined; void replace() }, plan.delays[0])
      }
    })
  }
}
