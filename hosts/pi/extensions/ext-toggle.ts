// Ext-toggle: /ext switches the extensions in the user's extension directory off and on.
//
// NAME.ts becomes NAME.ts.off, which pi does not load, and the other way round. No state lies anywhere else.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'
import type { Report } from '../lib/ext/switch.ts'

// From the instance before a reload to the instance behind the reload.
const KEY = Symbol.for('pi-xylem.ext')
const shared = globalThis as { [KEY]?: Report }

export default function extToggle(pi: ExtensionAPI): void {
  const over = new AbortController() // the session ended

  pi.on('session_shutdown', () => over.abort())

  pi.on('session_start', (_event, ctx) => {
    const report = shared[KEY]
    if (report) {
      shared[KEY] = undefined
      ctx.ui.notify(report.text, report.type)
    }
  })

  pi.registerCommand('ext', {
    description: 'Show the extensions of your extension directory, and switch them off and on',
    handler: async (_words, ctx) => {
      const { choose } = await import('../lib/ext/switch.ts')
      if (over.signal.aborted) {
        return
      }
      if (!ctx.isIdle()) { // a reload would cut the turn off
        ctx.ui.notify('/ext: the agent is working. Switch extensions when it is idle', 'warning')
        return
      }
      try {
        shared[KEY] = await choose(ctx, over.signal)
      } catch (error) {
        if (!over.signal.aborted) {
          ctx.ui.notify(`/ext: ${(error as Error).message}`, 'error')
        }
      }
      if (shared[KEY] && !over.signal.aborted) {
        await ctx.reload()
      }
    },
  })
}
