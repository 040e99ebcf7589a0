// A pi that is killed, and the pi after it.
import assert from 'node:assert/strict'
import { readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { world } from '../lib/pi.mjs'
import { exported, isOn, readonlyPi, said, settle, toggle } from './moves.mjs'

// The next pi leaves a session in the store, and says nothing of the session.
async function nextKeeps(w, id) {
  const next = w.start()
  await settle(next)
  await next.prompt('hello')
  assert.equal((await w.state(id)).readonly, true)
  assert.equal(said(next).includes(id), false)
}

test('after a kill -9 before the first answer the store says what held, and the next pi the way back', async (t) => {
  const { w, pi } = await readonlyPi(t)
  const id = await pi.sessionId()
  await pi.kill()
  assert.deepEqual(w.files(), [])
  assert.equal((await w.state(id)).readonly, true)
  const next = w.start()
  await w.until(async () => { await settle(next); return said(next).includes(id) }, 'the notice')
  assert.equal(isOn(next), false)
  assert.equal(said(next).match(new RegExp(`xylem undelete ${id}`, 'g')).length, 1)
  await assert.rejects(w.state(id), /deleted/)
  await w.xylem('undelete', id)
  await next.stop()
  const third = w.start()
  await settle(third)
  await third.prompt('hello')
  assert.equal(said(third).includes(id), false)
  assert.equal((await w.state(id)).readonly, true)
})

test('a session of a living pi is not taken for a dead one', async (t) => {
  const { w, pi } = await readonlyPi(t)
  const id = await pi.sessionId()
  const next = w.start()
  await toggle(next, 'on')
  assert.equal((await w.state(id)).readonly, true)
  await toggle(pi, 'off')
  assert.equal((await w.state(id)).readonly, false)
})

test('a killed session with a file is not deleted, also if the file lies elsewhere', async (t) => {
  const { w, pi } = await readonlyPi(t)
  await pi.prompt('hello')
  const id = await pi.sessionId()
  await pi.kill()
  renameSync(w.fileOf(id), join(w.sandbox.root, 'elsewhere.jsonl'))
  await nextKeeps(w, id)
})

test('a killed session with an answer is not deleted, also if its note says that pi wrote no file', async (t) => {
  const { w, pi } = await readonlyPi(t)
  await pi.prompt('hello')
  const id = await pi.sessionId()
  await exported(w, id)
  await pi.kill()
  const note = { id, store: w.sandbox.store, file: join(w.sandbox.root, 'nowhere.jsonl'), pid: pi.child.pid }
  writeFileSync(join(w.sandbox.agent, 'xylem', 'unwritten', `${id}.json`), JSON.stringify(note))
  await nextKeeps(w, id)
})

test('a kill -9 in the middle of a turn: the next start has what the file has', async (t) => {
  const { w, pi } = await readonlyPi(t)
  await pi.prompt('hello')
  await pi.send('prompt', { message: '~hold' })
  await w.model.asked(2)
  const id = await pi.sessionId()
  await pi.kill()
  const next = w.start(['--session', w.fileOf(id)])
  await settle(next)
  assert.equal(isOn(next), true)
  await next.prompt('more')
  await exported(w, id)
  await w.xylem('verify')
})

test('no notes of unwritten sessions stay behind', async (t) => {
  const w = await world(t)
  const notes = () => readdirSync(join(w.sandbox.agent, 'xylem', 'unwritten'))
  const pi = w.start()
  await toggle(pi, 'on')
  assert.equal(notes().length, 1)
  await pi.prompt('hello')
  await w.until(() => notes().length === 0, 'the end of the note')
  await pi.send('new_session')
  await settle(pi)
  await toggle(pi, 'on')
  assert.equal(notes().length, 1)
  await pi.stop()
  assert.equal(notes().length, 0)
})
