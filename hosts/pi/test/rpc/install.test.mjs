// The package of a clone, installed as a person installs it.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { node, piPath, world } from '../lib/pi.mjs'
import { BLOCKED, exported, isOn, settle, toggle, write } from './moves.mjs'

const pi = (w, ...words) => execFileSync(node, [piPath, ...words],
  { cwd: w.sandbox.project, env: w.sandbox.environment, encoding: 'utf8' })

test('pi install of the folder: every later pi has readonly, until pi remove', async (t) => {
  const w = await world(t, { extensions: [], helpers: ['commands'] })
  const folder = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
  pi(w, 'install', folder)
  const first = w.start()
  await toggle(first, 'on')
  assert.equal((await write(first)).text, BLOCKED)
  const id = await first.sessionId()
  await exported(w, id)
  await first.command('/again')
  await settle(first)
  assert.equal(isOn(first), true)
  await first.stop()
  const second = w.start(['--continue'])
  await settle(second)
  assert.equal(isOn(second), true)
  await second.stop()
  pi(w, 'remove', folder)
  const third = w.start(['--continue'])
  assert.equal((await write(third)).isError, false)
})
