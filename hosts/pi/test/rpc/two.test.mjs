// Two processes at one session, or at one store.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { world } from '../lib/pi.mjs'
import { BLOCKED, bigSession, exported, isOn, said, settle, startImport, toggle, write } from './moves.mjs'

async function second(t) {
  const w = await world(t)
  const first = w.start()
  await first.prompt('hello')
  const id = await first.sessionId()
  const other = w.start(['--session', w.fileOf(id)])
  await settle(other)
  return { w, first, other, id }
}

test('a second pi at a session is told the owner, once, and keeps nothing', async (t) => {
  const { w, first, other, id } = await second(t)
  await other.prompt('from the second')
  await other.prompt('from the second again')
  assert.equal(said(other).match(/this session is not kept: /g).length, 1)
  assert.match(said(other), new RegExp(`not kept: .*process ${first.child.pid}`))
  assert.doesNotMatch(said(other), /xylem verify/)
  assert.doesNotMatch(await w.xylem('export', id), /from the second/)
})

test('a second pi at a session keeps all of the session once the first one has ended', async (t) => {
  const { w, first, other, id } = await second(t)
  await other.prompt('from the second')
  await first.prompt('from the first')
  await first.stop()
  await exported(w, id)
  await w.until(() => other.status('xylem') === undefined, 'the end of the status')
  await other.prompt('from the second again')
  await exported(w, id)
})

test('a second pi at a session toggles in pi itself, and is harmless', async (t) => {
  const { w, first, other, id } = await second(t)
  await toggle(other, 'on')
  assert.equal((await write(other)).text, BLOCKED)
  assert.equal(isOn(first), false)
  assert.equal((await w.state(id)).readonly, false)
  await other.stop()
  await first.prompt('still kept')
  await w.until(async () => (await w.xylem('export', id)).includes('still kept'), 'the first to be kept')
})

test('the status of a session that is not kept goes with the session', async (t) => {
  const { w, other } = await second(t)
  await w.until(() => other.status('xylem') === 'xylem: not kept', 'the status')
  await other.send('new_session')
  await other.prompt('hello')
  await w.until(() => other.status('xylem') === undefined, 'the end of the status')
  await exported(w, await other.sessionId())
})

for (const [words, isTwice] of [['of both', true], ['of the second alone, behind entries of the first', false]]) {
  test(`after both ended the next start has the entries ${words}`, async (t) => {
    const { w, first, other, id } = await second(t)
    await other.prompt('from the second')
    await first.prompt('from the first')
    if (isTwice) {
      await other.prompt('from the second')
    }
    await first.stop()
    await other.stop()
    const next = w.start(['--session', w.fileOf(id)])
    await settle(next)
    await w.until(async () => {
      const count = (text, words) => text.split(`"text":"${words}"`).length
      const [kept, written] = [await w.xylem('export', id), w.read(w.fileOf(id))]
      return ['from the first', 'from the second'].every((words) => count(kept, words) === count(written, words))
    }, 'the entries of both')
    await exported(w, id)
    await next.prompt('behind')
    await exported(w, id)
    assert.doesNotMatch(said(next), /quarantine/)
    await next.stop()
    await exported(w, id)
    await w.xylem('verify')
  })
}

test('two pis with a session each share a store', async (t) => {
  const w = await world(t)
  const pis = [w.start(), w.start()]
  for (let round = 0; round < 5; round++) {
    await Promise.all(pis.map((pi) => pi.prompt(`round ${round}`)))
  }
  for (const pi of pis) {
    await exported(w, await pi.sessionId())
  }
})

test('beside an import of 100 MB each turn ends, and the store has it in the end', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await pi.prompt('before')
  const big = join(w.sandbox.root, 'big.jsonl')
  bigSession(big, 100e3)
  const child = startImport(w, big)
  let ended = false
  const end = new Promise((done) => child.on('exit', (code) => { ended = true; done(code) }))
  let turns = 0
  while (!ended || turns === 0) {
    await pi.prompt(`turn ${turns++}`)
  }
  assert.equal(await end, 0)
  await toggle(pi, 'on')
  await exported(w, await pi.sessionId())
})

// Stops the process while it writes: no other process can write then.
async function stopWriting(w, child) {
  await w.until(async () => {
    child.kill('SIGSTOP')
    const append = w.xylem('append', 'other', '--create', '--kind', 'custom:x', '--wait', '0')
    const isBusy = await append.then(() => false, () => true)
    if (!isBusy) {
      child.kill('SIGCONT')
    }
    return isBusy
  }, 'a write transaction of the import')
}

test('beside a stopped writer nothing stops, the report says so, and a later event keeps all', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await pi.prompt('before')
  const id = await pi.sessionId()
  await exported(w, id)
  const big = join(w.sandbox.root, 'big.jsonl')
  bigSession(big, 50e3)
  const child = startImport(w, big)
  const end = new Promise((done) => child.on('exit', done))
  await stopWriting(w, child)
  assert.match(await toggle(pi, 'on'), /The store does not have it yet/)
  assert.equal((await write(pi)).text, BLOCKED)
  child.kill('SIGCONT')
  await end
  await pi.prompt('behind')
  await exported(w, id)
  assert.equal((await w.state(id)).readonly, true)
  assert.equal(said(pi).includes('not kept'), false)
})

test('a compaction gets the store between two turns, and the next turn has the store again', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await pi.prompt('before')
  const id = await pi.sessionId()
  await exported(w, id)
  let ended = false
  const compaction = w.xylem('compact', '--yes', '--wait', '20').finally(() => { ended = true })
  await w.until(async () => {
    await pi.prompt('in between')
    return ended
  }, 'the end of the compaction', { every: 300 })
  await compaction
  await pi.prompt('behind')
  await pi.prompt('behind')
  await exported(w, id)
  assert.equal(said(pi).includes('not kept'), false)
})
