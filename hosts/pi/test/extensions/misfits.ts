// Offers on `xylem:command` that do not fit: without a function, and with a name of two words.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'

export default function misfits(pi: ExtensionAPI): void {
  pi.on('session_start', () => {
    pi.events.emit('xylem:command', { name: 'no-function' })
    pi.events.emit('xylem:command', { name: 'two words', run: () => {} })
  })
}
