// Tools with the names that the MCP of pi 1.5 gives: one adds, one only reads, and one does not say. XYLEM_TEST_LATE:
// `start` registers the tools behind the start, `never` registers none.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'
import { Type } from 'typebox'

const TOOLS = { add: { readOnlyHint: false }, look: { readOnlyHint: true }, some: undefined }

export default function mcpNames(pi: ExtensionAPI): void {
  const late = process.env.XYLEM_TEST_LATE
  if (late === 'start') {
    pi.on('session_start', () => register(pi))
  } else if (late === undefined) {
    register(pi)
  }
}

function register(pi: ExtensionAPI): void {
  for (const [name, annotations] of Object.entries(TOOLS)) {
    const tool = { name: `mcp__srv__${name}`, label: name, description: name, annotations, parameters: Type.Object({}),
      execute: async () => ({ content: [{ type: 'text' as const, text: `${name} ran` }], details: {} }) }
    pi.registerTool(tool)
  }
}
