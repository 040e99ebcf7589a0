// A session without a file leaves nothing in the store.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { world } from '../lib/pi.mjs'
import { BLOCKED, NUDGE_ON, bytesOf, isOn, runPi, said, settle, toggle, told, write } from './moves.mjs'

const MARKER = 'a-marker-that-nobody-else-writes'

test('--no-session leaves nothing in the store, and readonly works in full', async (t) => {
  const w = await world(t, { helpers: ['commands', 'recorder'] })
  await runPi(w, ['-p', 'a session with a file']) // so that there is a store
  const pi = w.start(['--no-session'])
  await toggle(pi, 'on')
  await pi.prompt(MARKER)
  assert.equal((await write(pi)).text, BLOCKED)
  assert.equal(told(w, NUDGE_ON).filter(Boolean).length, 1)
  await pi.command(`/entry note {"text":"${MARKER}"}`)
  await pi.command('/again')
  await settle(pi)
  assert.equal(isOn(pi), true)
  await pi.send('compact').catch(() => {})
  const id = await pi.sessionId()
  await pi.stop()
  assert.equal(bytesOf(w).includes(MARKER), false)
  assert.equal(bytesOf(w).includes(id), false)
  assert.equal(said(pi).includes('not kept'), false)
})

test('--no-session alone makes no store', async (t) => {
  const w = await world(t)
  const pi = w.start(['--no-session'])
  await toggle(pi, 'on')
  await pi.prompt(MARKER)
  await pi.stop()
  assert.equal(existsSync(w.sandbox.store), false)
  assert.equal(existsSync(join(w.sandbox.agent, 'xylem')), false)
})

test('the sessions of children leave nothing in the store', async (t) => {
  const w = await world(t, { helpers: ['spawn'] })
  const pi = w.start()
  await pi.prompt(`~tool spawn {"task":"~text done"}`)
  await pi.stop()
  const sessions = JSON.parse(await w.xylem('sessions', '--json'))
  assert.equal((sessions.sessions ?? sessions).length, 1)
})
