// The terminal driver, with a plain pi: its screens, its keys, its end.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { world } from '../lib/pi.mjs'
import { CTRL_SHIFT_R } from '../lib/tui.mjs'

const plain = (t, options = {}) => world(t, { extensions: [], ...options })

for (const [columns, rows] of [[130, 45], [60, 20]]) {
  test(`a turn, a tool and the footer, on ${columns} by ${rows}`, async (t) => {
    const w = await plain(t)
    const terminal = await w.terminal([], { columns, rows })
    await terminal.submit('hello')
    await terminal.wait('heard: hello')
    await terminal.submit('~tool bash {"command":"echo $((6*7))"}')
    await terminal.wait('the tool answered')
    const lines = (await terminal.wait('42')).split('\n')
    assert.equal(lines.length, rows + 1)
    assert.equal(lines.every((line) => line.length <= columns), true)
  })
}

test('ctrl+shift+r reaches a shortcut in each encoding', async (t) => {
  const w = await plain(t)
  const shortcut = join(w.sandbox.root, 'shortcut.ts')
  writeFileSync(shortcut, `let count = 0
    export default (pi) => pi.registerShortcut('ctrl+shift+r', { description: 'Count',
      handler: (ctx) => ctx.ui.setStatus('count', 'counted ' + ++count) })`)
  const terminal = await w.terminal(['-e', shortcut])
  await terminal.wait('fake-1')
  let count = 0
  for (const keys of Object.values(CTRL_SHIFT_R)) {
    await terminal.keys(...keys)
    await terminal.wait(`counted ${++count}`)
  }
})

test('the tree on the screen, and a navigation', async (t) => {
  const w = await plain(t, { helpers: ['recorder'] })
  const terminal = await w.terminal()
  await terminal.wait('fake-1')
  await terminal.prompt('one')
  await terminal.prompt('two')
  await terminal.climb(2)
  await w.until(() => w.records('session_tree').length === 1, 'the navigation')
  await terminal.gone('heard: two')
})

test('a terminal changes its size', async (t) => {
  const w = await plain(t)
  const terminal = await w.terminal()
  await terminal.wait('fake-1')
  await terminal.resize(60, 20)
  await terminal.submit('narrow')
  const lines = (await terminal.wait('heard: narrow')).split('\n')
  assert.equal(lines.every((line) => line.length <= 60), true)
})

test('/quit ends pi, a kill -9 too, and a second pi continues the session', async (t) => {
  const w = await plain(t)
  const first = await w.terminal()
  await first.wait('fake-1')
  await first.prompt('remember this')
  assert.deepEqual(await first.kill(), { code: null, signal: 'SIGKILL' })
  const second = await w.terminal(['--continue'])
  await second.wait('heard: remember this')
  await second.submit('/quit')
  assert.deepEqual(await second.exit(), { code: 0, signal: null })
})

test('a pi that ends at its start is an error with its last words', async (t) => {
  const w = await plain(t)
  await assert.rejects(w.terminal(['--no-such-option']), /pi ended at its start[\s\S]*no-such-option/)
})

test('a wait without success says what the screen shows', async (t) => {
  const w = await plain(t)
  const terminal = await w.terminal()
  await terminal.wait('fake-1')
  await assert.rejects(terminal.wait('never there', 200),
    /'never there' on the screen, and the screen shows:[\s\S]*fake-1/)
})
