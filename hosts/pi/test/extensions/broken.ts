// `/break`: from now on, the path of the session cannot be read.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'

export default function broken(pi: ExtensionAPI): void {
  pi.registerCommand('break', {
    description: 'Break the session manager',
    handler: async (_words, { sessionManager }) => {
      Object.assign(sessionManager, { getBranch: () => { throw new Error('broken by the test') } })
    },
  })
}
