// `/fork-first` forks before the first prompt of the path.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'

export default function forks(pi: ExtensionAPI): void {
  pi.registerCommand('fork-first', {
    description: 'Fork before the first prompt',
    handler: async (_words, ctx) => {
      const first = ctx.sessionManager.getBranch()
        .find((entry) => entry.type === 'message' && entry.message.role === 'user')
      await ctx.fork(first!.id)
    },
  })
}
