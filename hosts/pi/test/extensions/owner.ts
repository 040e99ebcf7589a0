// Owns a command `/plan` in each session that begins while the project has a file `owned`.
import { existsSync } from 'node:fs'
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'

export default function owner(pi: ExtensionAPI): void {
  if (existsSync('owned')) {
    pi.registerCommand('plan', {
      description: 'The plan of the test',
      handler: async () => pi.sendUserMessage('the handler of another extension ran'),
    })
  }
}
