// `/remote PATH` says on which machine the tools act, and the key and the fingerprint of a file there.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'
import { remote } from '../../lib/ssh/remote.ts'

export default function asker(pi: ExtensionAPI): void {
  pi.registerCommand('remote', {
    description: 'Say on which machine the tools act',
    handler: async (path, ctx) => {
      const there = remote()
      const found = await there?.look(path, ctx.cwd)
      ctx.ui.notify(`remote: ${JSON.stringify([there?.host, found?.key, found?.there])}`, 'info')
    },
  })
}
