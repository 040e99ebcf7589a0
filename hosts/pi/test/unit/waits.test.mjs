// A wait that a person sees: what the status says, and what ends the wait.
import assert from 'node:assert/strict'
import { realpathSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { plays } from '../../lib/sequence/plays.ts'

// pi's own packages, as pi finds them.
const parentURL = pathToFileURL(realpathSync(process.env.XYLEM_PI)).href
registerHooks({ resolve: (name, context, next) =>
  next(name, name.startsWith('@earendil-works/') ? { ...context, parentURL } : context) })
const { Wait } = await import('../../lib/sequence/waits.ts')

// A play in the mode of a pi, with its status lines and the keys that it listens to.
function play(t, mode) {
  const lines = []
  const listeners = new Set()
  let end
  const ended = new Promise((resolve) => { end = resolve })
  const made = { run: { id: 'r' }, store: { runStatus: () => 'line' }, sessionId: 's', ended }
  const ui = { setStatus: (_key, text) => lines.push(text), onTerminalInput: (hear) => {
    listeners.add(hear)
    return () => listeners.delete(hear)
  } }
  plays.set('r', made)
  t.after(() => plays.delete('r'))
  t.mock.timers.enable({ apis: ['setTimeout'] })
  return { wait: new Wait(made, { mode, ui }), lines, listeners, end }
}

const tick = () => new Promise((resolve) => { setImmediate(resolve) })

test('the status says for what a run waits, up to the end of the wait', (t) => {
  const { wait, lines, listeners } = play(t, 'tui')
  wait.end()
  assert.deepEqual(lines, [])
  wait.begin('the store')
  wait.end()
  assert.deepEqual(lines, ['line · waits for the store', 'line'])
  assert.equal(listeners.size, 0)
})

test('Escape ends the wait a moment later, and no other key does', (t) => {
  const { wait, listeners } = play(t, 'tui')
  wait.begin('the store', 1)
  const press = (key) => listeners.forEach((hear) => assert.equal(hear(key), undefined))
  press('x')
  t.mock.timers.tick(1_000_000)
  assert.equal(wait.signal.aborted, false) // a terminal has no limit
  press('\x1b')
  t.mock.timers.tick(999)
  assert.equal(wait.signal.aborted, false)
  t.mock.timers.tick(1)
  assert.equal(wait.signal.aborted, true)
})

test('a wait that Escape ended in a better way, by the answer to a dialog, is not given up', (t) => {
  const { wait, listeners } = play(t, 'tui')
  wait.begin('pi to begin the turn')
  listeners.forEach((hear) => hear('\x1b'))
  wait.end()
  t.mock.timers.tick(1_000_000)
  assert.equal(wait.signal.aborted, false)
})

test('a wait that begins again takes the place of the former', (t) => {
  const { wait, lines, listeners } = play(t, 'tui')
  wait.begin('pi to begin the turn')
  wait.begin('the store')
  assert.equal(listeners.size, 1)
  listeners.forEach((hear) => hear('\x1b'))
  wait.end()
  t.mock.timers.tick(1_000_000)
  assert.deepEqual([listeners.size, wait.signal.aborted, lines.at(-1)], [0, false, 'line'])
})

test('without a terminal the limit ends the wait, and a wait without a limit goes on', (t) => {
  const { wait } = play(t, 'rpc')
  wait.begin('pi to begin the turn', 600_000)
  t.mock.timers.tick(599_999)
  assert.equal(wait.signal.aborted, false)
  t.mock.timers.tick(1)
  assert.equal(wait.signal.aborted, true)
})

test('the end of the play ends the wait', async (t) => {
  const { wait, end } = play(t, 'rpc')
  end()
  await tick()
  assert.equal(wait.signal.aborted, true)
})
