// A stand-in for pi-agenticoding: another extension with a /readonly, its key and its flag.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'

export default function agenticoding(pi: ExtensionAPI): void {
  pi.registerFlag('readonly', { description: 'Start in readonly mode', type: 'boolean', default: false })
  pi.registerShortcut('ctrl+shift+r', { description: 'Toggle', handler: () => {} })
  pi.registerCommand('readonly', {
    description: 'Toggle readonly mode',
    handler: async (_words, ctx) => {
      pi.appendEntry('agenticoding-readonly', { enabled: true })
      ctx.ui.notify('the other readonly', 'info')
    },
  })
}
