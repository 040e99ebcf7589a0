// A write of another extension, which appends a line of its own; with XYLEM_TEST_WRITER=late from the start of the
// session on.
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'
import { Type } from 'typebox'

export default function writer(pi: ExtensionAPI): void {
  const register = () => pi.registerTool({
    name: 'write',
    label: 'write',
    description: 'Write with a mark',
    parameters: Type.Object({ path: Type.String(), content: Type.String() }),
    async execute(_id, { path, content }, _signal, _onUpdate, ctx) {
      writeFileSync(resolve(ctx.cwd, path), `${content}marked\n`)
      return { content: [{ type: 'text', text: 'written with a mark' }], details: {} }
    },
  })
  if (process.env.XYLEM_TEST_WRITER === 'late') {
    pi.on('session_start', register)
  } else {
    register()
  }
}
