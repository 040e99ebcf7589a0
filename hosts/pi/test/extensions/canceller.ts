// `/forbid WORD...`: from now on this extension cancels what pi announces by `session_before_WORD`; `/forbid` alone
// ends that. The words outlive the session.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'

const KEY = Symbol.for('xylem-test.canceller')
const forbidden = ((globalThis as { [KEY]?: Set<string> })[KEY] ??= new Set())

export default function canceller(pi: ExtensionAPI): void {
  pi.registerCommand('forbid', {
    description: 'Cancel the next changes of the session',
    handler: async (words) => {
      forbidden.clear()
      words.split(' ').filter(Boolean).forEach((word) => forbidden.add(word))
    },
  })
  const on = pi.on as (name: string, handler: () => { cancel: true } | undefined) => void
  for (const word of ['switch', 'fork', 'compact', 'tree']) {
    on(`session_before_${word}`, () => forbidden.has(word) ? { cancel: true } : undefined)
  }
}
