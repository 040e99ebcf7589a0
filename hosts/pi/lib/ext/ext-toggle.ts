// Ext-toggle: /ext switches the extensions in the user's extension directory off and on.
//
// NAME.ts becomes NAME.ts.off, which pi does not load, and the other way round. No state lies anywhere else.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'
import { load } from '../load.ts'
import type { Owner } from '../owner.ts'
import { inProcess } from '../process.ts'
import type { Report } from './switch.ts'

// From the start before a reload to the start behind the reload.
const shared = inProcess('ext', (): { report?: Report } => ({}))

export default function extToggle(pi: ExtensionAPI, owner: Owner): void {
  const { live } = owner

  owner.on('session_start', (_event, ctx) => {
    const { report } = shared
    if (report) {
      shared.report = undefined
      ctx.ui.notify(report.text, report.type)
    }
  })

  owner.command(pi, 'ext', {
    description: 'Show the extensions of your extension directory, and switch them off and on',
    async run(_words, ctx) {
      const { choose } = await live(load('ext/switch'))
      if (!ctx.isIdle()) { // a reload would cut the turn off
        ctx.ui.notify('/ext: the agent is working. Switch extensions when it is idle', 'warning')
        return
      }
      shared.report = await live(choose(ctx, owner))
      if (shared.report) {
        await live(ctx.reload())
      }
    },
  })
}
