// The end of a step that pi knows is not lost: a store that is busy or full is waited for. A turn that begins late is
// waited for too, and is never said not to have begun.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ended, heard, ledgerIds, newest, notice, say, sequencePi, started, test } from './runs.mjs'
import { node } from '../lib/pi.mjs'

const ENDS = ['start', 'i0.begin', 'i0.s0.a1', 'i0.s0.a1.end', 'i0.s1.a1', 'i0.s1.a1.end', 'finish']

const status = (pi, pattern, from) =>
  pi.wait(({ method, statusText }) => method === 'setStatus' && pattern.test(statusText), String(pattern), from)

function file(w, name, text) {
  const path = join(w.sandbox.project, name)
  text === undefined ? rmSync(path) : writeFileSync(path, text)
}

// Another process in the middle of a write: `end` ends the process.
async function stoppedWriter(t, w) {
  const native = fileURLToPath(new URL('../../../node/index.js', import.meta.url))
  const source = `const store = require(${JSON.stringify(native)}).open(${JSON.stringify(w.sandbox.store)})
    const timestamp = '2026-11-22T10:00:00.000Z'
    const lines = Array.from({ length: 20000 }, (_, i) => JSON.stringify({ type: 'message', id: 'e' + i,
      parentId: i ? 'e' + (i - 1) : null, timestamp }))
    for (let i = 0; ; i++) {
      const header = JSON.stringify({ type: 'session', version: 3, id: 'big' + i, timestamp, cwd: '/' })
      store.mirror({ header, lines })
    }`
  const child = spawn(node, ['-e', source], { stdio: 'ignore' })
  const signal = (name) => child.kill(name)
  t.after(() => signal('SIGKILL'))
  await w.until(async () => {
    signal('SIGSTOP')
    const append = w.xylem('append', 'other', '--create', '--kind', 'custom:x', '--wait', '0')
    const isBusy = await append.then(() => false, () => true)
    if (!isBusy) {
      signal('SIGCONT')
    }
    return isBusy
  }, 'a write of another process')
  return { end: () => signal('SIGKILL') }
}

test('a process that writes for longer than a second delays the end of a step, and the end is stored', async (t) => {
  const { w, pi } = await sequencePi(t, ['~hold', 'two'])
  const from = pi.lines.length
  await started(w, pi, 'run 1', 1)
  const writer = await stoppedWriter(t, w)
  w.model.release()
  await status(pi, /step 1\/2 · ~hold · waits for the store$/, from)
  await new Promise((later) => { setTimeout(later, 2500) }) // longer than a commit waits
  assert.deepEqual(heard(w), ['~hold'])
  writer.end()
  assert.equal(await ended(pi, from), '✓ sequence · 1 run')
  assert.deepEqual(await ledgerIds(w), ENDS)
  assert.deepEqual(heard(w), ['~hold', 'two'])
})

test('on a full disk each commit of a run waits for room', async (t) => {
  for (const call of ['claimAsync', 'doneAsync', 'inSessionAsync']) {
    const { w, pi } = await sequencePi(t, ['one'], { helpers: ['full-store'] })
    file(w, `refuse-${call}`, 'XYLEM_E_NO_SPACE')
    const from = pi.lines.length
    await say(pi, '/sequence run 2')
    await status(pi, /waits for the store$/, from)
    file(w, `refuse-${call}`)
    assert.equal(await ended(pi, from), '✓ sequence · 2 runs')
    assert.deepEqual(heard(w), ['one', 'one'])
  }
})

test('a failure that waits for room is stored as the failure', async (t) => {
  const { w, pi } = await sequencePi(t, ['~err'], { helpers: ['full-store'] })
  file(w, 'refuse-failedAsync', 'XYLEM_E_NO_SPACE')
  const from = pi.lines.length
  await say(pi, '/sequence run 1')
  await status(pi, /waits for the store$/, from)
  file(w, 'refuse-failedAsync')
  assert.match(await ended(pi, from), /^✗ sequence 1\/1 · step 1\/1 · turn-error/)
})

test('a stop behind an end that waits: the end is stored first', async (t) => {
  const { w, pi } = await sequencePi(t, ['one', 'two'], { helpers: ['full-store'] })
  file(w, 'refuse-doneAsync', 'XYLEM_E_BUSY')
  const from = pi.lines.length
  await say(pi, '/sequence run 1')
  await status(pi, /waits for the store$/, from)
  const stopping = say(pi, '/sequence stop')
  await pi.send('get_state')
  file(w, 'refuse-doneAsync')
  await stopping
  assert.match(await ended(pi, from), /^■ sequence 1\/1 · stopped at step 2\/2/)
  assert.deepEqual(await ledgerIds(w), ['start', 'i0.begin', 'i0.s0.a1', 'i0.s0.a1.end', 'finish'])
  assert.equal((await newest(w)).done_count, 1)
})

test('an owner whose lease was broken waits no more, and says that the end is not stored', async (t) => {
  for (const name of ['XYLEM_E_CONFLICT', 'XYLEM_E_OUTCOME_UNKNOWN']) {
    const { w, pi } = await sequencePi(t, ['one', 'two'], { helpers: ['full-store'] })
    file(w, 'refuse-doneAsync', name)
    const from = pi.lines.length
    await say(pi, '/sequence run 1')
    const end = 'the end of step 1 of 2 in run 1 of 1 \\(done\\) is not stored\\.'
    await notice(pi, new RegExp(`^The sequence stands still: the store took nothing; ${end}`), from)
    assert.equal((await newest(w)).phase, 'interrupted')
  }
})

test('who leaves the session keeps the end: it is stored as soon as the store takes it', async (t) => {
  const { w, pi } = await sequencePi(t, ['one', 'two'], { helpers: ['full-store'] })
  const from = pi.lines.length
  await pi.prompt('hello')
  const session = await pi.sessionId()
  for (const name of ['doneAsync', 'done']) {
    file(w, `refuse-${name}`, 'XYLEM_E_NO_SPACE')
  }
  await say(pi, '/sequence run 1')
  await status(pi, /waits for the store$/, from)
  const left = pi.send('new_session')
  pi.answer(await pi.dialog(from), 'Pause the sequence')
  assert.equal((await left).cancelled, false)
  await notice(pi, /^The end of step 1 of 2 in run 1 of 1 \(done\) waits for the store: the store took nothing/, from)
  assert.equal((await newest(w)).phase, 'running')
  for (const name of ['doneAsync', 'done']) {
    file(w, `refuse-${name}`)
  }
  await w.until(async () => (await newest(w)).phase === 'paused', 'the end of the step')
  await pi.send('switch_session', { sessionPath: w.fileOf(session) })
  await say(pi, '/sequence continue')
  assert.equal(await ended(pi, from), '✓ sequence · 1 run')
  assert.deepEqual(heard(w), ['hello', 'one', 'two'])
})

for (const isFull of [true, false]) {
  const words = isFull ? 'is told of an end that is not stored' : 'has the end stored, if the store takes it'
  test(`who quits ${words}`, async (t) => {
    const { w, pi } = await sequencePi(t, ['one', 'two'], { helpers: ['full-store'] })
    const from = pi.lines.length
    file(w, 'refuse-doneAsync', 'XYLEM_E_NO_SPACE')
    if (isFull) {
      file(w, 'refuse-done', 'XYLEM_E_NO_SPACE')
    }
    await say(pi, '/sequence run 1')
    await status(pi, /waits for the store$/, from)
    await pi.stop()
    const words = 'xylem: the end of step 1 of 2 in run 1 of 1 (done) is not stored: the store took nothing.'
    assert.equal(pi.errors().includes(words), isFull)
    assert.equal((await newest(w)).phase, isFull ? 'interrupted' : 'paused')
  })
}

// --- Turns that begin late ---

for (const [words, steps, before] of [['in the first run', ['slow', 'two'], []],
  ['sent by the context of a new session', ['one', 'slow'], ['one']]]) {
  test(`a turn that begins later than 10 s is waited for: ${words}`, async (t) => {
    const { w, pi } = await sequencePi(t, steps, { helpers: ['slow-turns'] })
    if (before.length > 0) {
      file(w, 'slow', '')
    }
    const from = pi.lines.length
    await say(pi, `/sequence run ${before.length > 0 ? 2 : 1}`)
    if (before.length > 0) {
      await w.model.asked(2)
      file(w, 'slow')
    }
    await status(pi, /slow · waits for pi to begin the turn$/, from)
    file(w, 'slow', '')
    assert.match(await ended(pi, from), /^✓ sequence/)
    assert.equal(pi.notices().some(({ message }) => /no turn|not known/.test(message)), false)
  })
}

test('a stop in that wait says that the turn may still begin', async (t) => {
  const { w, pi } = await sequencePi(t, ['slow', 'two'], { helpers: ['slow-turns'] })
  const from = pi.lines.length
  await say(pi, '/sequence run 1')
  await status(pi, /waits for pi to begin the turn$/, from)
  await say(pi, '/sequence stop')
  assert.match(await ended(pi, from), /^■ .*\n.*whether pi still begins the turn of the step is not known/)
  file(w, 'slow', '') // pi 1.5 has aborted the turn
})

test('the end of the session ends that wait as not known', async (t) => {
  const { w, pi } = await sequencePi(t, ['slow', 'two'], { helpers: ['slow-turns'] })
  await pi.prompt('hello')
  const session = await pi.sessionId()
  const from = pi.lines.length
  await say(pi, '/sequence run 1')
  await status(pi, /waits for pi to begin the turn$/, from)
  const left = pi.send('new_session')
  pi.answer(await pi.dialog(from), 'Pause the sequence')
  await w.until(async () => (await newest(w)).phase === 'interrupted', 'the end of the wait')
  assert.equal((await newest(w)).host_session, session)
  assert.equal(pi.notices().some(({ message }) => /no turn|not begun/.test(message)), false)
  file(w, 'slow', '') // pi 1.5 waits for the turn before it leaves the session
  assert.equal((await left).cancelled, false)
})
