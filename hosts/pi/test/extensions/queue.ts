// A tool `hold` that keeps pi's queue of the file `path` until there is a file `until`.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type ExtensionAPI, withFileMutationQueue } from '@earendil-works/pi-coding-agent'
import { Type } from 'typebox'

export default function queue(pi: ExtensionAPI): void {
  pi.registerTool({
    name: 'hold',
    label: 'hold',
    description: 'Hold the queue of a file',
    parameters: Type.Object({ path: Type.String(), until: Type.String() }),
    execute: (_id, { path, until }, signal, _onUpdate, ctx) =>
      withFileMutationQueue(resolve(ctx.cwd, path), async () => {
        while (!existsSync(resolve(ctx.cwd, until)) && !signal?.aborted) {
          await new Promise((later) => { setTimeout(later, 10) })
        }
        return { content: [{ type: 'text', text: 'held' }], details: {} }
      }),
  })
}
