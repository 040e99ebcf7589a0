// Children: an extension that makes children asks the package what a child may do.
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { PACKAGE, world } from '../lib/pi.mjs'
import { lastResult, packageCopy, toggle, tool } from './moves.mjs'

const rules = join(PACKAGE, 'lib/guard/children.ts')
const NOTICE = 'Readonly restrictions apply in this child'

// The request that the child made: its task stands in its prompt.
const asked = (w, task) => w.model.requests.find(({ messages }) => messages.some(({ role, content }) =>
  role === 'user' && JSON.stringify(content).includes(task) && !JSON.stringify(content).includes('~tool spawn')))
const toolsOf = (request) => request.tools.map(({ function: { name } }) => name)

async function spawned(t, { args = [], on = false, task = '~text done' }) {
  const w = await world(t, { helpers: ['spawn'] })
  const pi = w.start(args, { XYLEM_TEST_CHILDREN: rules })
  if (on) {
    await toggle(pi, 'on')
  }
  writeFileSync(join(w.sandbox.project, 'kept'), '')
  await tool(pi, 'spawn', { task })
  return { w, pi, child: asked(w, task) }
}

test('a child loses write and edit while readonly is on', async (t) => {
  const { child } = await spawned(t, { on: true })
  assert.deepEqual(toolsOf(child).sort(), ['bash', 'read'])
})

test('a child has all its tools while readonly is off', async (t) => {
  const { child } = await spawned(t, {})
  assert.deepEqual(toolsOf(child).sort(), ['bash', 'edit', 'read', 'write'])
  assert.equal(JSON.stringify(child.messages).includes(NOTICE), false)
})

test('the prompt of a child has a notice while readonly is on, by the flag too', async (t) => {
  const { child } = await spawned(t, { args: ['--readonly'] })
  assert.equal(JSON.stringify(child.messages).includes(NOTICE), true)
})

test('the bash of a child is judged while readonly is on', async (t) => {
  const { w, pi } = await spawned(t, { on: true, task: '~tool bash {"command":"rm kept"}' })
  assert.equal(existsSync(join(w.sandbox.project, 'kept')), true)
  assert.match((await lastResult(pi)).text, /Readonly mode: dangerous command blocked/)
})

test('the bash of a child that only reads runs', async (t) => {
  const { pi } = await spawned(t, { on: true, task: '~tool bash {"command":"echo $((40+2))"}' })
  assert.match((await lastResult(pi)).text, /42/)
})

test('a child of a session that is off again is free', async (t) => {
  const w = await world(t, { helpers: ['spawn'] })
  const pi = w.start([], { XYLEM_TEST_CHILDREN: rules })
  await toggle(pi, 'on')
  await toggle(pi, 'off')
  await tool(pi, 'spawn', { task: '~tool write {"path":"new","content":""}' })
  assert.equal(existsSync(join(w.sandbox.project, 'new')), true)
})

test('readonly that goes on while a child runs says that the child keeps its tools', async (t) => {
  const w = await world(t, { helpers: ['spawn'] })
  const pi = w.start([], { XYLEM_TEST_CHILDREN: rules })
  await pi.send('prompt', { message: '~tool spawn {"task":"~hold"}' })
  await w.model.asked(2)
  assert.equal(await toggle(pi, 'on'),
    'Readonly is on from the next tool call on. Children that already run keep their tools')
  w.model.release()
  await pi.wait(({ type }) => type === 'agent_settled', 'the end of the turn')
})

test('without the addon a child of a readonly session writes nothing and runs no command', async (t) => {
  const w = await world(t, { extensions: [], helpers: ['spawn'] })
  const extension = packageCopy(w, false)
  const pi = w.start(['-e', extension, '--readonly'],
    { XYLEM_TEST_CHILDREN: join(extension, '../../lib/guard/children.ts') })
  await tool(pi, 'spawn', { task: '~tool bash {"command":"touch new"}' })
  assert.equal(existsSync(join(w.sandbox.project, 'new')), false)
  assert.equal(toolsOf(w.model.requests[1]).includes('write'), false)
})
