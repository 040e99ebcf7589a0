// Notifications where pi has no screen: there are none.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { extension, node, piPath, world } from '../lib/pi.mjs'
import { runPi, said } from './moves.mjs'

const FLAG = '--notify-min-secs'
const ESCAPES = /[\x07\x1b]/

test('over RPC a turn notifies nobody, and nothing is said about the flag', async (t) => {
  const w = await world(t, { extensions: ['notify'] })
  const pi = w.start([FLAG, 'soon'], { KITTY_WINDOW_ID: '1' })
  await pi.prompt('hello')
  assert.equal(said(pi), '')
  assert.equal(ESCAPES.test(JSON.stringify(pi.lines)), false) // a line that is no JSON is a problem of the world
})

test('in print and JSON mode too', async (t) => {
  const w = await world(t, { extensions: [] })
  for (const args of [['-p', 'hello'], ['--mode', 'json', 'hello']]) {
    const { code, output } = await runPi(w, [...args, FLAG, '0'], [extension('notify')])
    assert.equal(code, 0)
    assert.equal(ESCAPES.test(output), false)
    assert.match(output, /heard: hello/)
  }
})

test('the flag stands in the help of pi', async (t) => {
  const w = await world(t, { extensions: [] })
  const help = execFileSync(node, [piPath, '-e', extension('notify'), '--help'],
    { cwd: w.sandbox.project, env: w.sandbox.environment, encoding: 'utf8' })
  assert.match(help, /--notify-min-secs.*Notify after a turn of more than so many seconds \(8\)/)
})
