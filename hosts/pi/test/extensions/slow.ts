// Makes each handler behind its own wait: pi awaits the handlers of an event one by one.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'

const EVENTS = ['session_tree', 'input', 'before_agent_start', 'turn_start', 'agent_end', 'agent_settled', 'message_end',
  'tool_execution_start', 'tool_result', 'context', 'session_info_changed']

export default function slow(pi: ExtensionAPI): void {
  for (const name of EVENTS) {
    pi.on(name as 'input', () => new Promise<void>((later) => { setTimeout(later, 40) }))
  }
}
