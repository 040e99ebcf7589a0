// Readonly in a real pi, over RPC: what holds at a start, after a move and beside other extensions.
import assert from 'node:assert/strict'
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { extension, helper, world } from '../lib/pi.mjs'
import { BLOCKED, COMPACTION, NUDGE_ON, changeSettings, isOn, packageCopy, readonlyPi, record, restart, runPi, said,
  settle, toggle, told, tool, write } from './moves.mjs'

// --- Starts ---

test('--readonly starts with readonly on, and stays on behind the nudge', async (t) => {
  const w = await world(t)
  const pi = w.start(['--readonly'])
  for (const name of ['first', 'second']) {
    assert.equal((await write(pi, name)).text, BLOCKED)
    assert.equal(isOn(pi), true)
  }
  assert.deepEqual(told(w, NUDGE_ON), [true, false, false, false])
})

test('/readonly on under the flag is kept without the flag', async (t) => {
  const w = await world(t)
  const pi = w.start(['--readonly'])
  await toggle(pi, 'on')
  await pi.prompt('hello')
  const again = await restart(w, pi)
  await settle(again)
  assert.equal(isOn(again), true)
})

test('a restart and a resume bring readonly back', async (t) => {
  const { w, pi } = await readonlyPi(t)
  await pi.prompt('hello')
  const file = w.fileOf(await pi.sessionId())
  const again = await restart(w, pi)
  assert.equal((await write(again)).text, BLOCKED)
  assert.equal(isOn(again), true)
  await again.send('new_session')
  await settle(again)
  assert.equal(isOn(again), false)
  await again.send('switch_session', { sessionPath: file })
  await settle(again)
  assert.equal(isOn(again), true)
})

test('--readonly overrides an off of the path at a start', async (t) => {
  const { w, pi } = await readonlyPi(t)
  await toggle(pi, 'off')
  await pi.prompt('hello')
  const again = await restart(w, pi, ['--readonly'])
  await settle(again)
  assert.equal(isOn(again), true)
})

test('a reload keeps readonly, and an off of this process under the flag', async (t) => {
  const w = await world(t, { helpers: ['commands'] })
  const pi = w.start(['--readonly'])
  await pi.command('/again')
  await settle(pi)
  assert.equal(isOn(pi), true)
  await toggle(pi, 'off')
  await pi.command('/again')
  await settle(pi)
  assert.equal(isOn(pi), false)
  await toggle(pi, 'on')
  await pi.command('/again')
  await settle(pi)
  assert.equal(isOn(pi), true)
})

test('/new starts off, and with the flag on', async (t) => {
  const { w, pi } = await readonlyPi(t)
  await pi.prompt('hello')
  await pi.send('new_session')
  await settle(pi)
  assert.equal(isOn(pi), false)
  await pi.stop()
  const flagged = w.start(['--readonly'])
  await toggle(flagged, 'off')
  await flagged.prompt('hello')
  await flagged.send('new_session')
  await settle(flagged)
  assert.equal(isOn(flagged), true)
})

test('a fork before the toggle is off, a fork behind the toggle is on', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await pi.prompt('one')
  await toggle(pi, 'on')
  await pi.prompt('two')
  await pi.prompt('three')
  const file = w.fileOf(await pi.sessionId())
  const { messages } = await pi.send('get_fork_messages')
  for (const [number, wanted] of [[2, true], [1, true], [0, false]]) { // the toggle lies before the second message
    await pi.send('fork', { entryId: messages[number].entryId })
    await settle(pi)
    assert.equal(isOn(pi), wanted, `before message ${number}`)
    await pi.send('switch_session', { sessionPath: file })
  }
})

test('a clone keeps readonly', async (t) => {
  const { pi } = await readonlyPi(t)
  await pi.prompt('hello')
  await pi.send('clone')
  await settle(pi)
  assert.equal(isOn(pi), true)
})

test('a move in the tree brings back what held there', async (t) => {
  const w = await world(t, { helpers: ['commands', 'recorder'] })
  const pi = w.start()
  await pi.prompt('before')
  const { leaf: before } = await record(w, pi)
  await toggle(pi, 'on')
  await pi.prompt('after')
  const { leaf: after } = await record(w, pi)
  await pi.command(`/goto ${before}`)
  assert.equal(isOn(pi), false)
  assert.equal((await write(pi)).isError, false)
  await pi.command(`/goto ${after}`)
  assert.equal(isOn(pi), true)
  assert.equal((await write(pi)).text, BLOCKED)
})

test('a compaction keeps readonly, and tells nothing again', async (t) => {
  const { w, pi } = await readonlyPi(t, { settings: COMPACTION })
  for (const text of ['hello', '~big 4000', 'hello again']) {
    await pi.prompt(text)
  }
  await pi.send('compact')
  const before = w.model.requests.length
  assert.equal((await write(pi)).text, BLOCKED)
  assert.equal(told(w, NUDGE_ON).slice(before).includes(true), false)
})

test('entries of pi-agenticoding are read', async (t) => {
  const w = await world(t, { helpers: ['commands'] })
  const pi = w.start()
  await pi.command('/entry agenticoding-readonly {"enabled":true}')
  await pi.prompt('hello')
  const again = await restart(w, pi)
  await settle(again)
  assert.equal(isOn(again), true)
})

// --- Others ---

test('beside an extension with the same command, key and flag this one is inert, and says so once', async (t) => {
  const w = await world(t, { helpers: ['agenticoding'], settings: { xylem: { readonly: { flag: false } } } })
  const pi = w.start()
  await pi.command('/readonly:1')
  await pi.command('/readonly:2')
  assert.equal(isOn(pi), false)
  assert.equal((await write(pi)).isError, false)
  assert.match(said(pi), /the other readonly/)
  assert.equal(said(pi).match(/has a \/readonly too/g).length, 1)
})

test('with the setting `beside` this one stays active beside the other', async (t) => {
  const settings = { xylem: { readonly: { flag: false, beside: true } } }
  const w = await world(t, { helpers: ['agenticoding'], settings })
  const pi = w.start(['--readonly'])
  assert.equal((await write(pi)).text, BLOCKED)
})

test('pi-agenticoding in the settings gets the flag without further settings', async (t) => {
  const w = await world(t)
  const path = join(w.sandbox.root, 'pi-agenticoding/index.ts')
  cpSync(helper('agenticoding'), path)
  changeSettings(w, { extensions: [path] })
  const pi = w.start()
  await settle(pi, '/readonly:1')
  assert.match(said(pi), /has a \/readonly too/)
})

for (const order of ['the one order', 'the other order']) {
  test(`of two copies of the package one is active, loaded in ${order}`, async (t) => {
    const w = await world(t, { extensions: [] })
    changeSettings(w, { xylem: { readonly: { flag: false } } })
    const paths = [extension('readonly'), packageCopy(w, true)]
    const loaded = order === 'the one order' ? paths : paths.reverse()
    const pi = w.start(loaded.flatMap((path) => ['-e', path]))
    await pi.command('/readonly:1 on')
    await pi.command('/readonly:2 on')
    assert.equal((await write(pi)).text, BLOCKED)
    assert.equal(said(pi).match(/^Readonly is on$/gm).length, 1)
    assert.equal(said(pi).match(/has a \/readonly too/g).length, 1)
  })
}

test('without a person at a screen readonly works too', async (t) => {
  const w = await world(t)
  const { output } = await runPi(w, ['--readonly', '--mode', 'json', '~tool write {"path":"a.txt","content":"x"}'])
  assert.match(output, /Readonly mode: write\/edit disabled/)
  const printed = await runPi(w, ['-p', '/readonly on', '~tool write {"path":"a.txt","content":"x"}'])
  assert.equal(printed.code, 0)
  assert.equal(existsSync(join(w.sandbox.project, 'a.txt')), false)
})
