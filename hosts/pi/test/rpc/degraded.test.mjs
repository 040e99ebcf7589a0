// Without a store, and without the addon: readonly holds, and the person is told.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { extension, piVersion, world } from '../lib/pi.mjs'
import { BLOCKED, NUDGE_ON, badge, bash, changeSettings, isOn, packageCopy, record, restart, said, settle, toggle, told,
  tool, write } from './moves.mjs'

async function withoutStore(t) {
  const w = await world(t, { helpers: ['commands', 'recorder'] })
  mkdirSync(w.sandbox.store, { recursive: true })
  writeFileSync(join(w.sandbox.store, 'data.mdb'), 'no store\n'.repeat(2000))
  return w
}

async function withoutAddon(t, helpers = ['commands']) {
  const w = await world(t, { extensions: [], helpers })
  const extension = packageCopy(w, false)
  return { ...w, start: (args = []) => w.start(['-e', extension, ...args]) }
}

// --- Without a store ---

test('without a store readonly works in full, from the session of pi', async (t) => {
  const w = await withoutStore(t)
  const pi = w.start()
  await pi.prompt('before')
  const { leaf: before } = await record(w, pi)
  await toggle(pi, 'on')
  assert.equal((await write(pi)).text, BLOCKED)
  assert.equal((await bash(pi, 'rm x')).isError, true)
  assert.equal((await bash(pi, 'echo fine')).text, 'fine\n')
  assert.equal(told(w, NUDGE_ON).filter(Boolean).length, 1)
  assert.equal(isOn(pi), true)
  await pi.command(`/goto ${before}`)
  assert.equal(isOn(pi), false)
})

test('without a store one notice says that nothing is kept, and names xylem verify', async (t) => {
  const w = await withoutStore(t)
  const pi = w.start()
  await toggle(pi, 'on')
  await pi.prompt('hello')
  await pi.send('new_session')
  await pi.prompt('hello')
  assert.equal(said(pi).match(/this session is not kept: .*'xylem verify/g).length, 1)
  assert.equal(pi.status('xylem'), 'xylem: not kept')
})

test('without a store the report of /readonly says so', async (t) => {
  const w = await withoutStore(t)
  assert.match(await toggle(w.start(), 'on'), /The store does not have it/)
})

test('without a store readonly comes back after a restart and a fork', async (t) => {
  const w = await withoutStore(t)
  const pi = w.start()
  await toggle(pi, 'on')
  await pi.prompt('hello')
  await pi.send('clone')
  await settle(pi)
  assert.equal(isOn(pi), true)
  const again = await restart(w, pi)
  assert.equal((await write(again)).text, BLOCKED)
})

test('with `mirror` false nothing is kept and nothing is told', async (t) => {
  const w = await world(t, { settings: { xylem: { mirror: false } } })
  const pi = w.start()
  assert.equal(await toggle(pi, 'on'), 'Readonly is on')
  await pi.prompt('hello')
  assert.equal(existsSync(w.sandbox.store), false)
  assert.equal(pi.status('xylem'), undefined)
})

// --- Without the extension readonly ---

test('where readonly is on and its extension is left out, any other one says so once', async (t) => {
  const w = await world(t, { extensions: [], helpers: ['commands', 'recorder'] })
  const start = (names, ...args) => w.start([...names.flatMap((name) => ['-e', extension(name)]), ...args])
  const first = start(['readonly'])
  await first.prompt('before')
  const { leaf: before } = await record(w, first)
  await toggle(first, 'on')
  await first.prompt('behind')
  const { leaf: behind, session } = await record(w, first)
  await first.stop()
  const UNGUARDED = /readonly is on in this session, and nothing blocks what the agent writes/g
  for (const [names, count] of [[['notify'], 1], [['todo', 'ssh'], 1], [['todo', 'readonly'], 0]]) {
    const pi = start(names, '--session', w.fileOf(session))
    for (const command of ['/again', `/goto ${before}`, `/goto ${behind}`]) {
      await pi.command(command)
      assert.equal(said(pi).match(UNGUARDED)?.length ?? 0, count, `${names} ${command}`)
    }
    await pi.stop()
  }
  const free = start(['todo'], '--session', w.fileOf(session)) // whose leaf is free, until a move
  await free.command(`/goto ${before}`)
  await free.prompt('hello')
  await free.stop()
  const moved = start(['todo'], '--session', w.fileOf(session))
  await moved.command(`/goto ${before}`)
  assert.doesNotMatch(said(moved), UNGUARDED)
  await moved.command(`/goto ${behind}`)
  assert.match(said(moved), UNGUARDED)
})

// --- Without the addon ---

test('without the addon a session without readonly is free, and one notice says why nothing is kept', async (t) => {
  const w = await withoutAddon(t)
  const pi = w.start()
  assert.equal((await write(pi)).isError, false)
  assert.equal(existsSync(w.sandbox.store), false)
  await pi.send('new_session')
  await pi.command('/again')
  await settle(pi)
  assert.equal(said(pi).match(/Sessions are not kept/g).length, 1)
})

test('without the addon --readonly blocks write, edit and bash, and says why', async (t) => {
  const w = await withoutAddon(t)
  const pi = w.start(['--readonly'])
  for (const [name, input] of [['write', { path: 'a', content: '' }], ['bash', { command: 'ls' }],
    ['edit', { path: 'a', edits: [{ oldText: 'a', newText: 'b' }] }]]) {
    const { isError, text } = await tool(pi, name, input)
    assert.equal(isError, true)
    assert.match(text, new RegExp(`^Readonly mode: ${name} disabled: .*xylem-native.*'/readonly off' lifts the block`))
  }
  assert.match(badge(pi), /readonly/)
  assert.doesNotMatch((await tool(pi, 'read', { path: 'none' })).text, /Readonly mode/)
})

test("without the addon --readonly blocks the tools of the person's settings too", async (t) => {
  const w = await withoutAddon(t, ['tools'])
  changeSettings(w, { xylem: { readonly: { writeTools: ['handoff'], shellTools: ['Look'] } } })
  const pi = w.start(['--readonly'])
  assert.equal((await tool(pi, 'handoff', {})).isError, true)
  assert.equal((await tool(pi, 'look', {})).isError, true)
  assert.equal((await tool(pi, 'wipe', {})).isError, piVersion !== '0.87.1')
  changeSettings(w, { xylem: { readonly: { blockOthers: true } } })
  await pi.send('new_session')
  assert.equal((await tool(pi, 'handoff', {})).isError, true)
  assert.doesNotMatch((await tool(pi, 'read', { path: 'none' })).text, /Readonly mode/)
})

test('without the addon /readonly off lifts the block, for a reload too', async (t) => {
  const w = await withoutAddon(t)
  const pi = w.start(['--readonly'])
  assert.equal((await bash(pi, 'ls')).isError, true)
  await toggle(pi, 'off')
  assert.equal((await bash(pi, 'ls')).isError, false)
  await pi.command('/again')
  await settle(pi)
  assert.equal((await bash(pi, 'ls')).isError, false)
})

for (const [data, wanted] of [['{"enabled":true}', true], ['{"enabled":false}', false], ['{"enabled":"no"}', true],
  ['', true]]) {
  const words = wanted ? 'blocked' : 'free'
  test(`without the addon a path with the toggle ${data || 'without data'} is ${words}`, async (t) => {
    const w = await withoutAddon(t)
    const pi = w.start()
    await pi.command(`/entry readonly ${data}`)
    await pi.prompt('hello')
    const again = await restart(w, pi)
    assert.equal((await bash(again, 'true')).isError, wanted)
  })
}
