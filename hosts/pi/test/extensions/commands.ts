// Commands for actions that RPC lacks: `/goto ENTRY [summarize]` moves the leaf, as /tree does; `/entry TYPE JSON`
// appends a custom entry; `/label NAME` labels the leaf; `/again` loads the extensions again, as /reload does;
// `/broken` lets each choice fail.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'

export default function commands(pi: ExtensionAPI): void {
  pi.registerCommand('goto', {
    description: 'Move the leaf to an entry',
    handler: async (words, ctx) => {
      const [id, summarize] = words.split(' ')
      const { cancelled } = await ctx.navigateTree(id, { summarize: summarize === 'summarize' })
      ctx.ui.notify(cancelled ? `goto ${id}: cancelled` : `the leaf is ${ctx.sessionManager.getLeafId()}`, 'info')
    },
  })
  pi.registerCommand('entry', {
    description: 'Append a custom entry at the leaf',
    handler: async (words) => {
      const [, type, data] = /^(\S+) ?(.*)$/s.exec(words) ?? []
      pi.appendEntry(type, data ? JSON.parse(data) : undefined)
    },
  })
  pi.registerCommand('label', {
    description: 'Label the leaf',
    handler: async (words, ctx) => pi.setLabel(ctx.sessionManager.getLeafId()!, words),
  })
  pi.registerCommand('broken', {
    description: 'Let each choice fail',
    handler: async (_words, ctx) => { ctx.ui.select = () => Promise.reject(new Error('no dialogs here')) },
  })
  pi.registerCommand('again', {
    description: 'Load the extensions again',
    handler: async (_words, ctx) => ctx.reload(),
  })
}
