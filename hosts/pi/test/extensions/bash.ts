// Another bash, whose command need not be a text.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'
import { Type } from 'typebox'

export default function bash(pi: ExtensionAPI): void {
  pi.registerTool({
    name: 'bash',
    label: 'bash',
    description: 'Run nothing',
    parameters: Type.Object({ command: Type.Optional(Type.Any()) }),
    execute: async () => ({ content: [{ type: 'text', text: 'this bash ran' }], details: {} }),
  })
}
