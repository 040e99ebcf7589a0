// Tools of others: two that write under other names, and three with annotations (pi 1.5 shows them to extensions). Each
// says that it ran, with its command in the details. `/tools` says which tools are active.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'
import { Type } from 'typebox'

const TOOLS: [name: string, annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean }][] = [
  ['apply_patch'], ['powershell'], ['handoff'], ['wipe', { destructiveHint: true }], ['look', { readOnlyHint: true }],
]

export default function tools(pi: ExtensionAPI): void {
  for (const [name, annotations] of TOOLS) {
    const tool = { name, label: name, description: name, annotations,
      parameters: Type.Object({ command: Type.Optional(Type.String()) }),
      execute: async (_id: string, { command }: { command?: string }) =>
        ({ content: [{ type: 'text' as const, text: `${name} ran` }], details: { command } }) }
    pi.registerTool(tool)
  }
  pi.registerCommand('tools', {
    description: 'Say which tools are active',
    handler: async (_words, ctx) => ctx.ui.notify(`tools: ${pi.getActiveTools().join(' ')}`, 'info'),
  })
}
