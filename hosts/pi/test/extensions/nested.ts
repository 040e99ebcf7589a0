// A tool that runs other tools, all at once or one by one: `nested` with a list of [name, input]. Where pi has no such
// calls (before 1.5) the tool says so.
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
    parameters: Type.Object({ calls: Type.Array(Type.Array(Type.Any())), oneByOne: Type.Optional(Type.Boolean()) }),
    async execute(_id, { calls, oneByOne }, _signal, _onUpdate, ctx) {
      const { executeTool } = ctx as { executeTool?: (name: string, input: unknown) => Promise<Outcome> }
      const outcomes: Promise<Outcome>[] = []
      for (const [name, input] of executeTool ? calls : []) {
        outcomes.push(executeTool!(name, input))
        await (oneByOne ? outcomes.at(-1) : undefined)
      }
      const text = JSON.stringify(executeTool ? await Promise.all(outcomes) : 'no nested calls')
      return { content: [{ type: 'text', text }], details: {} }
    },
  })
}
