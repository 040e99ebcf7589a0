// Loads the extensions of the package with a pi whose `on` counts. `/count` writes the number of handlers of the
// package on each event, and how often pi built its context since the last `/count`. The environment variable
// XYLEM_TEST_PACKAGE has the paths of the extensions; with XYLEM_TEST_BOUNDARY an empty handler stands on that event.
import { appendFileSync } from 'node:fs'
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'

type Manager = ExtensionContext['sessionManager']

const paths = (process.env.XYLEM_TEST_PACKAGE ?? '').split(':').filter(Boolean)
const boundary = process.env.XYLEM_TEST_BOUNDARY

export default async function boundaries(pi: ExtensionAPI): Promise<void> {
  const handlers: Record<string, number> = {}
  let builds = 0

  const counted = new Proxy(pi, {
    get(target, name) {
      const member = Reflect.get(target, name)
      return name !== 'on' ? member : (event: string, handler: unknown) => {
        handlers[event] = (handlers[event] ?? 0) + 1
        return member.call(target, event, handler)
      }
    },
  })
  for (const path of paths) {
    await (await import(path)).default(counted)
  }
  if (boundary) {
    counted.on(boundary as 'turn_end', () => {})
  }

  // pi gives a preview of the session to each handler on a boundary: another manager of the same class.
  pi.on('session_start', (_event, { sessionManager }) => {
    const shape = Object.getPrototypeOf(sessionManager) as Manager
    const build = shape.buildSessionProjection
    shape.buildSessionProjection = function counting(this: Manager) {
      builds++
      return build.call(this)
    }
  })

  pi.registerCommand('count', {
    description: 'Write the counts',
    handler: async () => {
      appendFileSync(process.env.XYLEM_TEST_RECORDS!, `${JSON.stringify({ event: 'count', handlers, builds })}\n`)
      builds = 0
    },
  })
}
