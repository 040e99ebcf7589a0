// Readonly in a terminal.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { world } from '../lib/pi.mjs'
import { CTRL_SHIFT_R } from '../lib/tui.mjs'

const BADGE = '🔒 readonly'

test('/readonly shows and takes away the badge, and a write is blocked in between', async (t) => {
  const w = await world(t)
  const terminal = await w.terminal()
  await terminal.submit('/readonly on')
  await terminal.wait(BADGE)
  await terminal.wait('Readonly is on')
  await terminal.submit('~tool write {"path":"a.txt","content":"x"}')
  await terminal.wait('Readonly mode: write/edit disabled')
  await terminal.wait('the tool answered')
  assert.equal(existsSync(join(w.sandbox.project, 'a.txt')), false)
  await terminal.submit('/readonly off')
  await terminal.gone(BADGE)
})

test('ctrl+shift+r toggles, in each encoding', async (t) => {
  const w = await world(t)
  const terminal = await w.terminal()
  let on = false
  for (const keys of Object.values(CTRL_SHIFT_R)) {
    await terminal.keys(...keys)
    on = !on
    await (on ? terminal.wait(BADGE) : terminal.gone(BADGE))
  }
})

test('ctrl+shift+r goes on while the agent works, and off only when it is idle', async (t) => {
  const w = await world(t)
  const terminal = await w.terminal()
  await terminal.submit('~hold')
  await w.model.asked(1)
  await terminal.keys(...CTRL_SHIFT_R.csiU)
  await terminal.wait('Readonly is on from the next tool call on')
  await terminal.wait(BADGE)
  await terminal.keys(...CTRL_SHIFT_R.csiU)
  await terminal.wait('readonly stays on')
  w.model.release()
  await terminal.wait('held')
  await terminal.submit('next')
  await terminal.wait('heard: next')
  await terminal.keys(...CTRL_SHIFT_R.csiU)
  await terminal.gone(BADGE)
})

test('the badge follows /tree', async (t) => {
  const w = await world(t, { helpers: ['recorder'] })
  const terminal = await w.terminal()
  await terminal.prompt('one')
  await terminal.submit('/readonly on')
  await terminal.wait(BADGE)
  await terminal.prompt('two')
  await terminal.climb(2)
  await w.until(() => w.records('session_tree').length === 1, 'the navigation')
  await terminal.gone(BADGE)
})

for (const columns of [40, 25]) {
  test(`a narrow terminal of ${columns} columns shows the badge and stays whole`, async (t) => {
    const w = await world(t)
    const terminal = await w.terminal([], { columns, rows: 24 })
    await terminal.keys(...CTRL_SHIFT_R.csiU)
    await terminal.wait('readonly')
    await terminal.resize(130, 45)
    await terminal.wait(BADGE)
  })
}

test('--continue brings the badge back, and /quit ends pi', async (t) => {
  const w = await world(t)
  const first = await w.terminal()
  await first.keys(...CTRL_SHIFT_R.csiU)
  await first.wait(BADGE)
  await first.prompt('hello')
  await first.submit('/quit')
  assert.deepEqual(await first.exit(), { code: 0, signal: null })
  const second = await w.terminal(['--continue'])
  await second.wait(BADGE)
  await second.submit('/quit')
  assert.deepEqual(await second.exit(), { code: 0, signal: null })
})
