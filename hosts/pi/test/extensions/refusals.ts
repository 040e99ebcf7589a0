// A command that refuses with what a terminal must not see.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'

export default function refusals(pi: ExtensionAPI): void {
  pi.on('session_start', () => pi.events.emit('xylem:command', {
    name: 'refuse', run: () => Promise.reject(new Error('\x1b[2Jno\nnever')),
  }))
}
