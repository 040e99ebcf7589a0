// What an event costs when many extensions of the package follow a session.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { follow } from '../../lib/follow.ts'

// A session that a host keeps, and its mirror, which counts.
function keptSession() {
  const manager = { getSessionId: () => 'one', getSessionFile: () => undefined }
  const asked = { catchUp: 0, expectMessage: 0 }
  const mirror = { id: 'one', catchUp: async () => { asked.catchUp++ }, expectMessage: () => { asked.expectMessage++ },
    end() {} }
  const kept = globalThis[Symbol.for('pi-xylem.kept')] ??= new WeakMap()
  kept.set(manager, mirror)
  return { manager, asked }
}

// `count` extensions that follow, in a host that calls the handlers of an event as pi does.
function host(manager, count) {
  const handlers = []
  const currents = Array.from({ length: count }, () => follow({ on: (name, handler) => handlers.push([name, handler]) }))
  const ctx = { sessionManager: manager, hasUI: false, ui: { setStatus() {}, notify() {} } }
  return { currents, async emit(name, event = {}) {
    for (const [, handler] of handlers.filter(([of]) => of === name)) {
      await handler(event, ctx)
    }
  } }
}

test('one of many extensions brings the store up to date at an event, also after another start', async () => {
  const { manager, asked } = keptSession()
  const { currents, emit } = host(manager, 5)
  for (let start = 0; start < 2; start++) { // over RPC a session starts twice
    await emit('session_start')
    Object.assign(asked, { catchUp: 0, expectMessage: 0 })
    await emit('turn_start')
    await emit('message_end', { message: { role: 'assistant' } })
    assert.deepEqual(asked, { catchUp: 1, expectMessage: 1 })
  }
  assert.ok(currents.every(({ session }) => session === currents[0].session && session))
  await emit('session_shutdown', { reason: 'quit' })
  await emit('turn_start')
  assert.equal(asked.catchUp, 1)
})

test('extensions that start anew take the place of those that a host forgot', async () => {
  const { manager, asked } = keptSession()
  await host(manager, 3).emit('session_start')
  const { emit } = host(manager, 2)
  await emit('session_start')
  asked.catchUp = 0
  await emit('agent_end')
  assert.equal(asked.catchUp, 1)
  await emit('session_shutdown', { reason: 'quit' })
})
