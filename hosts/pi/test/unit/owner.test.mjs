// What the owner does with the events of pi, in a host that calls handlers as pi does.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownerOf } from '../../lib/owner.ts'

// A session that a host keeps, and its mirror, which counts.
function keptSession() {
  const manager = { getSessionId: () => 'one', getSessionFile: () => undefined, getBranch: () => [] }
  const asked = { catchUp: 0, expectMessage: 0 }
  const mirror = { id: 'one', catchUp: async () => { asked.catchUp++ }, expectMessage: () => { asked.expectMessage++ },
    end() {} }
  const kept = (globalThis[Symbol.for('pi-xylem')] ??= {}).kept ??= new WeakMap()
  kept.set(manager, mirror)
  return { manager, asked }
}

// A start of pi with `count` files of the package, which join.
function host({ manager }, names = ['todo', 'confirm', 'notify']) {
  const handlers = []
  const listeners = []
  const events = { on: (_channel, listener) => listeners.push(listener),
    emit: (_channel, data) => listeners.forEach((listener) => listener(data)) }
  const told = []
  const commands = {}
  const join = (name) => ownerOf({ events, on: (event, handler) => handlers.push([event, handler]),
    registerCommand: (word, { handler }) => { commands[word] = handler } }, 'here', name)
  const owners = names.map(join)
  const ctx = { sessionManager: manager, hasUI: true, ui: { setStatus() {}, notify: (words) => told.push(words) } }
  const emit = async (type, event = {}) => {
    const answers = []
    for (const [, handler] of handlers.filter(([of]) => of === type)) {
      answers.push(await handler({ type, ...event }, ctx))
    }
    return answers.at(-1)
  }
  return { owner: owners[0], owners, join, emit, ctx, told, commands, handlersOf: (event) =>
    handlers.filter(([of]) => of === event).length }
}

async function started() {
  const session = keptSession()
  const pi = host(session)
  await pi.emit('session_start')
  return { ...session, ...pi }
}

test('the files of a start have one owner, and pi calls one handler for an event', async () => {
  const { owners, join, handlersOf, owner } = host(keptSession())
  assert.equal(new Set(owners).size, 1)
  owner.on('agent_end', () => {})
  owner.on('tool_result', () => {})
  owner.on('tool_result', () => {})
  assert.deepEqual(['agent_end', 'tool_result', 'session_start'].map(handlersOf), [1, 1, 1])
  assert.notEqual(join('todo'), owner) // a second start at one bus of events
})

test('the owner brings the store up to date once at an event, also after another start', async () => {
  const { asked, emit, owner } = await started()
  for (let start = 0; start < 2; start++) { // over RPC a session starts twice
    await emit('session_start')
    Object.assign(asked, { catchUp: 0, expectMessage: 0 })
    await emit('turn_start')
    await emit('message_end', { message: { role: 'assistant' } })
    assert.deepEqual(asked, { catchUp: 1, expectMessage: 1 })
  }
  await emit('session_shutdown', { reason: 'quit' })
  assert.equal(owner.session, undefined)
  await emit('turn_start')
  assert.equal(asked.catchUp, 1)
})

test('an owner that starts later takes the place of one that a host forgot', async () => {
  const session = keptSession()
  const forgotten = host(session)
  await forgotten.emit('session_start')
  const { emit } = host(session)
  await emit('session_start')
  session.asked.catchUp = 0
  await forgotten.emit('agent_end')
  await emit('agent_end')
  assert.equal(session.asked.catchUp, 1)
  await emit('session_shutdown', { reason: 'quit' })
})

// pi calls the handlers of one extension after the other, and may replace the session in between.
test('a start whose session pi has replaced fails nothing, and another failure of a start is told', async () => {
  const { owner, emit, ctx } = host(keptSession())
  const { sessionManager } = ctx
  let isStale = false
  Object.defineProperty(ctx, 'sessionManager', { get() {
    if (isStale) {
      throw new Error('this context is stale')
    }
    return sessionManager
  } })
  owner.on('session_start', () => { void ctx.sessionManager })
  owner.on('session_start', () => { throw new Error('broken') })
  await assert.rejects(emit('session_start'), /broken/)
  isStale = true
  await emit('session_start')
})

test('the answers of the features are one answer, and each list of messages has those before', async () => {
  const { owner, emit } = await started()
  owner.on('context', ({ messages }) => ({ messages: [...messages, 'a'] }))
  owner.on('context', () => undefined)
  owner.on('context', ({ messages }) => ({ messages: [...messages, 'b'] }))
  assert.deepEqual(await emit('context', { messages: ['x'] }), { messages: ['x', 'a', 'b'] })
  owner.on('tool_result', () => ({ isError: true }))
  owner.on('tool_result', () => ({ content: ['words'] }))
  assert.deepEqual(await emit('tool_result'), { isError: true, content: ['words'] })
})

test('a feature that fails keeps no other from an event, and the failure is told', async () => {
  const { owner, emit, told, ctx } = await started()
  let count = 0
  owner.on('agent_start', () => { throw new Error('broken') })
  owner.on('agent_start', () => { count++ })
  await assert.rejects(emit('agent_start'), /broken/)
  assert.equal(count, 1)
  owner.on('tool_result', () => { throw new Error('no result') })
  owner.on('tool_result', () => ({ isError: true }))
  assert.deepEqual(await emit('tool_result'), { isError: true })
  owner.session.show(ctx)
  assert.deepEqual(told, ['xylem: tool_result: no result'])
})

test('a tool is blocked by the first gate in the order of the ranks, and by an error', async () => {
  const { owner, emit } = await started()
  const asked = []
  const gate = (rank, answer) => owner.gate({ rank, ask: () => { asked.push(rank); return answer() } })
  gate(3, () => undefined)
  gate(1, () => undefined)
  gate(2, () => ({ block: true, reason: 'two' }))
  assert.deepEqual(await emit('tool_call'), { block: true, reason: 'two' })
  assert.deepEqual(asked, [1, 2])
  gate(0, () => { throw new Error('zero') })
  await assert.rejects(emit('tool_call'), /zero/)
})

// The session ends while a feature awaits.
test('behind an await whose session is gone nothing runs, tools are blocked, and a question is no', async () => {
  const { owner, emit, commands, ctx, told } = await started()
  const ran = []
  let go
  const gone = new Promise((resolve) => { go = resolve })
  const wait = async () => {
    await owner.live(gone)
    ran.push('behind the await')
  }
  owner.on('agent_start', wait)
  owner.on('agent_start', () => ran.push('the next feature'))
  owner.on('session_before_fork', wait)
  owner.gate({ rank: 0, ask: wait })
  const api = { registerCommand: (word, { handler }) => { commands[word] = handler } }
  owner.command(api, 'x', { description: '', run: wait })
  const event = emit('agent_start')
  const fork = emit('session_before_fork')
  const tool = emit('tool_call')
  const command = commands.x('', ctx)
  const failures = []
  const beside = owner.beside(wait(), (error) => failures.push(error))
  await emit('session_shutdown', { reason: 'new' })
  go()
  assert.equal(await event, undefined)
  assert.deepEqual(await fork, { cancel: true })
  await assert.rejects(tool, /replaced the session/)
  await command
  await beside
  assert.equal(await emit('agent_start'), undefined)
  await assert.rejects(emit('tool_call'), /replaced the session/)
  await commands.x('', ctx)
  assert.deepEqual([ran, failures, told], [[], [], []])
})

test('work that was to be ended before the session is done, and the session ends behind every feature', async () => {
  const { owner, emit } = await started()
  const order = []
  owner.beforeEnd(async () => {
    await owner.live(new Promise(setImmediate))
    order.push('last work')
  })
  owner.on('session_shutdown', () => { order.push('feature'); throw new Error('broken') })
  owner.on('session_shutdown', () => { order.push('another') })
  owner.session.beforeEnd(() => order.push('session'))
  await assert.rejects(emit('session_shutdown', { reason: 'quit' }), /broken/)
  assert.deepEqual(order, ['last work', 'feature', 'another', 'session'])
})

test('an error of a command is told, without a person it is thrown', async () => {
  const { owner, ctx, told } = await started()
  const fail = async () => { throw new Error('why') }
  await owner.act('x', ctx, fail)
  assert.deepEqual(told, ['/x: why'])
  await assert.rejects(owner.act('x', { ...ctx, hasUI: false }, fail), /why/)
})
