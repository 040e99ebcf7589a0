// `/remote PATH` says on which machine the tools act, and the key and the fingerprint of a file there.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'
import { remote } from '../../lib/ssh/remote.ts'

export default function asker(pi: ExtensionAPI): void {
  pi.registerCommand('remote', {
    description: 'Say on which machine the tools act',
    handler: async (path, ctx) => {
      const there = remote()
      const key = await there?.key(path, ctx.cwd)
      const found = key === undefined ? undefined : await there?.fingerprint(key)
      ctx.ui.notify(`remote: ${JSON.stringify([there?.host, key, found])}`, 'info')
    },
  })
}
