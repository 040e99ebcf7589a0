// A tool that runs other tools, all at once: `nested` with a list of [name, input]. Where pi has no such calls (before
// 1.5) the tool says so.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'
import { Type } from 'typebox'

interface Outcome {
  result: { content: { text?: string }[] }
  isError: boolean
}

export default function nested(pi: ExtensionAPI): void {
  pi.registerTool({
    name: 'nested',
    label: 'Nested',
    description: 'Run other tools',
    parameters: Type.Object({ calls: Type.Array(Type.Array(Type.Any())) }),
    async execute(_id, { calls }, _signal, _onUpdate, ctx) {
      const { executeTool } = ctx as { executeTool?: (name: string, input: unknown) => Promise<Outcome> }
      const outcomes = executeTool && await Promise.all(calls.map(([name, input]) => executeTool(name, input)))
      return { content: [{ type: 'text', text: JSON.stringify(outcomes ?? 'no nested calls') }], details: {} }
    },
  })
}
