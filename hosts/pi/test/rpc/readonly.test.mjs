// Readonly in a real pi, over RPC: a test for each rule of the design.
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { world } from '../lib/pi.mjs'

const BLOCKED_TOOL = 'Readonly mode: write/edit disabled. Use /readonly to disable.'
const NUDGE_ON = 'Readonly mode is active.'
const NUDGE_OFF = 'Readonly mode has been turned off.'

const resultsOf = async (pi) => (await pi.send('get_messages')).messages.filter(({ role }) => role === 'toolResult')
const lastResult = async (pi) => {
  const result = (await resultsOf(pi)).at(-1)
  return { isError: result.isError, text: result.content.map(({ text }) => text).join('') }
}
const sessionId = async (pi) => (await pi.send('get_state')).sessionId
const badge = (pi) => pi.status('xylem-readonly')
const saidTo = (request) => JSON.stringify(request.messages)
const settled = (pi) => pi.command('/readonly nonsense').then(() => pi.wait(({ type, message }) =>
  type === 'extension_ui_request' && /expected on, off/.test(message), 'an answer of the extension'))

async function toggle(pi, word = '') {
  const from = pi.lines.length
  await pi.send('prompt', { message: `/readonly ${word}`.trim() })
  await pi.wait(({ type, method, message }) => type === 'extension_ui_request' && method === 'notify' &&
    /^Readonly is/.test(message), 'the report of /readonly', from)
}

test('write and edit are blocked while readonly is on, with the reason of the design', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await toggle(pi, 'on')
  await pi.prompt('~tool write {"path":"a.txt","content":"x"}')
  assert.deepEqual(await lastResult(pi), { isError: true, text: BLOCKED_TOOL })
  assert.equal(existsSync(join(w.sandbox.project, 'a.txt')), false)
  writeFileSync(join(w.sandbox.project, 'b.txt'), 'old')
  await pi.prompt('~tool edit {"path":"b.txt","edits":[{"oldText":"old","newText":"new"}]}')
  assert.deepEqual(await lastResult(pi), { isError: true, text: BLOCKED_TOOL })
  assert.equal(w.read(join(w.sandbox.project, 'b.txt')), 'old')
})

test('write runs while readonly is off', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await pi.prompt('~tool write {"path":"a.txt","content":"x"}')
  assert.equal(w.read(join(w.sandbox.project, 'a.txt')), 'x')
})

test('a destructive command is blocked, and the reason names the command', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await toggle(pi, 'on')
  writeFileSync(join(w.sandbox.project, 'kept'), '')
  await pi.prompt('~tool bash {"command":"rm kept"}')
  const { isError, text } = await lastResult(pi)
  assert.equal(isError, true)
  assert.match(text, /^Readonly mode: dangerous command blocked\. Use \/readonly to disable\.\nCommand: rm kept\n/)
  assert.equal(existsSync(join(w.sandbox.project, 'kept')), true)
})

test('a command that only reads runs while readonly is on', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await toggle(pi, 'on')
  await pi.prompt('~tool bash {"command":"echo alive | tr a-z A-Z"}')
  assert.deepEqual(await lastResult(pi), { isError: false, text: 'ALIVE\n' })
})

test('git commands that write are blocked, and git commands that read run', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await toggle(pi, 'on')
  for (const command of ['git commit -m x', 'git push', 'git stash', 'git checkout .']) {
    await pi.prompt(`~tool bash {"command":"${command}"}`)
    assert.equal((await lastResult(pi)).isError, true, command)
  }
  await pi.prompt('~tool bash {"command":"git --version; git status || true"}')
  assert.match((await lastResult(pi)).text, /git version/)
})

test('other tools are not blocked', async (t) => {
  const w = await world(t)
  writeFileSync(join(w.sandbox.project, 'read.txt'), 'to read')
  const pi = w.start()
  await toggle(pi, 'on')
  await pi.prompt('~tool read {"path":"read.txt"}')
  assert.deepEqual(await lastResult(pi), { isError: false, text: 'to read' })
})

test('a toggle on is told once, to the model alone', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await toggle(pi, 'on')
  await pi.prompt('first')
  await pi.prompt('second')
  const [first, second] = w.model.requests
  assert.equal(saidTo(first).includes(NUDGE_ON), true)
  assert.equal(saidTo(second).includes(NUDGE_ON), false)
  const messages = JSON.stringify((await pi.send('get_messages')).messages)
  assert.equal(messages.includes(NUDGE_ON), false)
})

test('a toggle off is told once, where an on was told', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await toggle(pi, 'on')
  await pi.prompt('first')
  await toggle(pi, 'off')
  await pi.prompt('second')
  await pi.prompt('third')
  assert.deepEqual(w.model.requests.map((request) => saidTo(request).includes(NUDGE_OFF)), [false, true, false])
})

test('a nudge whose request failed is told again', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await toggle(pi, 'on')
  await pi.prompt('~err')
  const failed = w.model.requests.length
  await pi.prompt('second')
  assert.equal(saidTo(w.model.requests[failed]).includes(NUDGE_ON), true)
})

test('the badge follows the toggle', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await toggle(pi)
  assert.match(badge(pi), /readonly/)
  await toggle(pi)
  assert.equal(badge(pi), undefined)
})

test('--readonly starts with readonly on', async (t) => {
  const w = await world(t)
  const pi = w.start(['--readonly'])
  await pi.prompt('~tool write {"path":"a.txt","content":"x"}')
  assert.equal((await lastResult(pi)).text, BLOCKED_TOOL)
  assert.match(badge(pi), /readonly/)
})

test('a resume brings readonly back, and a restart too', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await toggle(pi, 'on')
  await pi.prompt('hello')
  const id = await sessionId(pi)
  await pi.stop()
  const again = w.start(['--session', w.fileOf(id)])
  await settled(again)
  assert.match(badge(again), /readonly/)
  await again.prompt('~tool write {"path":"a.txt","content":"x"}')
  assert.equal((await lastResult(again)).text, BLOCKED_TOOL)
})

test('--readonly overrides an off of the branch at a start', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await toggle(pi, 'on')
  await toggle(pi, 'off')
  await pi.prompt('hello')
  const id = await sessionId(pi)
  await pi.stop()
  const again = w.start(['--readonly', '--session', w.fileOf(id)])
  await settled(again)
  assert.match(badge(again), /readonly/)
})

test('/new starts off, and with the flag on', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await toggle(pi, 'on')
  await pi.prompt('hello')
  await pi.send('new_session')
  await settled(pi)
  assert.equal(badge(pi), undefined)
  await pi.stop()
  const flagged = w.start(['--readonly'])
  await toggle(flagged, 'off')
  await flagged.prompt('hello')
  await flagged.send('new_session')
  await settled(flagged)
  assert.match(badge(flagged), /readonly/)
})

test('a fork before the toggle is off, a fork after the toggle is on', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await pi.prompt('one')
  await toggle(pi, 'on')
  await pi.prompt('two')
  await pi.prompt('three')
  const file = w.fileOf(await sessionId(pi))
  const { messages } = await pi.send('get_fork_messages')
  await pi.send('fork', { entryId: messages.at(-1).entryId })
  await settled(pi)
  assert.match(badge(pi), /readonly/)
  await pi.send('switch_session', { sessionPath: file })
  await pi.send('fork', { entryId: messages[1].entryId })
  await settled(pi)
  assert.match(badge(pi), /readonly/) // the toggle lies before the second message
  await pi.send('switch_session', { sessionPath: file })
  await pi.send('fork', { entryId: messages[0].entryId })
  await settled(pi)
  assert.equal(badge(pi), undefined)
})

test('a clone keeps readonly', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await toggle(pi, 'on')
  await pi.prompt('hello')
  await pi.send('clone')
  await settled(pi)
  assert.match(badge(pi), /readonly/)
})

test('a compaction keeps readonly', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await toggle(pi, 'on')
  await pi.prompt('hello')
  await pi.prompt('hello again')
  await pi.send('compact').catch(() => {})
  await pi.prompt('~tool write {"path":"a.txt","content":"x"}')
  assert.equal((await lastResult(pi)).text, BLOCKED_TOOL)
})

test('a toggle while the agent works is refused', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await pi.send('prompt', { message: '~slow 600' })
  await pi.send('prompt', { message: '/readonly on' })
  await pi.wait(({ method, message }) => method === 'notify' && /idle/.test(message), 'the refusal')
  await pi.wait(({ type }) => type === 'agent_settled', 'the end of the slow turn')
  assert.equal(badge(pi), undefined)
})

test('a kill before the first answer loses nothing: the store says what held', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await toggle(pi, 'on')
  const id = await sessionId(pi)
  await pi.kill()
  assert.deepEqual(w.files(), [])
  assert.equal((await w.state(id)).readonly.enabled, true)
  const next = w.start()
  await settled(next)
  assert.equal(badge(next), undefined)
  assert.match(JSON.stringify(next.notices()), new RegExp(`xylem undelete ${id}`))
})

test('tools that write under other names are blocked', async (t) => {
  const w = await world(t, { settings: { xylem: { readonly: { writeTools: ['grep'] } } } })
  const pi = w.start(['--tools', 'read,bash,edit,write,grep'])
  await toggle(pi, 'on')
  await pi.prompt('~tool grep {"pattern":"x"}')
  assert.equal((await lastResult(pi)).text, 'Readonly mode: grep disabled. Use /readonly to disable.')
})
