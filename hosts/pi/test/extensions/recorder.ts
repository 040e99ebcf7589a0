// Writes every event into the file XYLEM_TEST_RECORDS: a line each, with the session, its leaf, the number of its
// entries, the state by a scan of pi's branch, and what the newest toggle there says. `/record` writes such a line at
// once. An exception that nobody caught is a line too.
import { appendFileSync } from 'node:fs'
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'
import { READONLY, scan } from '../lib/scan.mjs'

const EVENTS = [
  'project_trust', 'resources_discover', 'session_start', 'session_info_changed', 'session_before_switch',
  'session_before_fork', 'session_before_compact', 'session_compact', 'session_compact_failed', 'session_shutdown',
  'mcp_servers_change', 'session_before_tree', 'session_tree', 'context', 'context_with_system',
  'before_provider_request', 'before_provider_headers', 'after_provider_response', 'before_agent_start',
  'agent_start', 'agent_end', 'agent_before_settle', 'agent_settled', 'ui_prompt_start', 'ui_prompt_end',
  'turn_start', 'turn_end', 'message_start', 'message_update', 'message_end', 'tool_execution_start',
  'tool_execution_update', 'tool_execution_end', 'model_select', 'thinking_level_select', 'tool_call', 'tool_result',
  'user_bash', 'input',
]

const file = process.env.XYLEM_TEST_RECORDS
let instances = 0

function write(record: object): void {
  if (file) {
    appendFileSync(file, JSON.stringify({ pid: process.pid, ...record }) + '\n')
  }
}

// The members of an event that are short.
function brief(event: object): object {
  return Object.fromEntries(Object.entries(event).filter(([name, value]) => name !== 'type' &&
    (value === null || ['string', 'number', 'boolean'].includes(typeof value)) && String(value).length < 300))
}

function stateOf(ctx: ExtensionContext): object {
  const manager = ctx.sessionManager
  const branch = manager.getBranch()
  const toggle = branch.findLast((entry) => entry.type === 'custom' && READONLY.includes(entry.customType))
  return { session: manager.getSessionId(), file: manager.getSessionFile() ?? null, leaf: manager.getLeafId(),
    entries: manager.getEntries().length, depth: branch.length, state: scan(branch),
    toggled: toggle?.type === 'custom' ? toggle.data ?? null : undefined }
}

process.on('uncaughtExceptionMonitor', (error, origin) => {
  write({ event: 'uncaught', origin, error: String(error?.stack ?? error) })
})

export default function recorder(pi: ExtensionAPI): void {
  const instance = ++instances
  const record = (event: string, data: object, ctx: ExtensionContext) => {
    try {
      write({ event, instance, data, ...stateOf(ctx) })
    } catch (error) { // a context of a session that was replaced
      write({ event, instance, data, error: String(error) })
    }
  }
  const on = pi.on as (name: string, handler: (event: object, ctx: ExtensionContext) => void) => void
  for (const name of EVENTS) {
    on(name, (event, ctx) => record(name, brief(event), ctx))
  }
  pi.registerCommand('record', {
    description: 'Write the state at the leaf into the file of records',
    handler: async (words, ctx) => record('record', { words }, ctx),
  })
}
