// A pi that ends in the middle of a run, and the pi after it: what it says, that it starts nothing by itself, and what
// each decision sends.
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { assertSilent, customs, ended, heard, ledgerIds, newest, notice, path, play, record, runs, say, SEQUENCE,
  sequencePi, sequenceWorld, settle, started, test, told } from './runs.mjs'

// A run of such steps, behind a first prompt, whose pi was killed after so many requests of the run, the last held.
async function killed(t, steps, requests, { runs = 2, releases = 0, ...options } = {}) {
  const { w, pi } = await sequencePi(t, steps, options)
  await pi.prompt('hello')
  const first = await pi.sessionId()
  for (let i = 0; i < releases; i++) {
    w.model.release()
  }
  await started(w, pi, `run ${runs}`, 1 + requests)
  const session = await pi.sessionId()
  await pi.kill()
  return { w, first, session, sent: heard(w) }
}

// The same for a pi that kills itself instead of a call of the library.
async function killedAt(t, steps, call, count, runs) {
  const environment = { XYLEM_TEST_BETWEEN: JSON.stringify({ call, count, kill: true }) }
  const { w, pi } = await sequencePi(t, steps, { helpers: ['between'], environment })
  await pi.prompt('hello')
  const first = await pi.sessionId()
  pi.send('prompt', { message: `/sequence run ${runs}` }).catch(() => {}) // the response may not come
  assert.deepEqual(await pi.exit, { code: null, signal: 'SIGKILL' })
  return { w, first, sent: heard(w) }
}

// The next pi, at a session or at a new one: it says how the run stands, once, and starts nothing.
async function next(w, session, place) {
  const before = w.model.requests.length
  const pi = w.start(session ? ['--session', w.fileOf(session)] : [])
  const { notifyType } = await notice(pi, place)
  assert.equal(notifyType, 'warning')
  await assertSilent(w, pi, before)
  assert.equal(spoken(pi, place).length, 1)
  return pi
}

const cutOff = (step, of, run, runs) =>
  new RegExp(`^Step ${step} of ${of} in run ${run} of ${runs} was being executed.*not known\\. /sequence asks\\.`)
const TAKE = 'Stop the run, and take its steps over'
const paused = (step, of, run, runs) =>
  new RegExp(`^The sequence is paused in run ${run} of ${runs}, before step ${step} of ${of}\\.`)
const elsewhere = (words, session) => new RegExp(`^The sequence of session ${session.slice(0, 13)} ${words}`)

const spoken = (pi, pattern) => pi.notices().filter(({ message }) => pattern.test(message))

// --- kill -9 in a step ---

test('kill -9 in a step: the next start says so once, and starts nothing', async (t) => {
  const { w, session } = await killed(t, ['one', '~hold', 'three'], 2)
  const pi = await next(w, session, cutOff(2, 3, 1, 2))
  assert.equal((await newest(w)).phase, 'interrupted')
  const [menu] = await say(pi, '/sequence', undefined)
  assert.deepEqual(menu.options, ['Execute the step again', 'Skip the step', 'Stop the run', 'Cancel'])
  await assertSilent(w, pi, 3)
})

test('retry sends the step exactly once more, and goes on', async (t) => {
  const { w, session, sent } = await killed(t, ['one', '~hold', 'three'], 2, { runs: 1 })
  const pi = await next(w, session, cutOff(2, 3, 1, 1))
  await say(pi, '/sequence retry')
  await w.model.asked(4)
  w.model.release()
  w.model.release()
  assert.equal(await ended(pi), '✓ sequence · 1 run')
  assert.deepEqual(heard(w).slice(sent.length), ['~hold', 'three'])
  assert.equal(w.model.heard.every((one) => one.session === session), true)
  assert.deepEqual((await ledgerIds(w)).slice(4), ['i0.s1.a1', 'resume.1', 'i0.s1.a2', 'i0.s1.a2.end', 'i0.s2.a1',
    'i0.s2.a1.end', 'finish'])
})

test('skip sends the step no more, and goes on behind it', async (t) => {
  const { w, session, sent } = await killed(t, ['one', '~hold', 'three'], 2, { runs: 1 })
  const pi = await next(w, session, cutOff(2, 3, 1, 1))
  await say(pi, '/sequence skip')
  assert.equal(await ended(pi), '✓ sequence · 1 run\n1 step was skipped')
  assert.deepEqual(heard(w).slice(sent.length), ['three'])
  assert.equal((await newest(w)).skipped_count, 1)
})

test('stop ends the run, and nothing is sent', async (t) => {
  const { w, session } = await killed(t, ['~hold'], 1)
  const pi = await next(w, session, cutOff(1, 1, 1, 2))
  await told(pi, '/sequence stop', /stopped/)
  await assertSilent(w, pi, 2)
  assert.equal((await newest(w)).phase, 'stopped')
  assert.equal((await say(pi, '/sequence', undefined))[0].options.length, 4)
})

test('continue is no answer to an interrupted step', async (t) => {
  const { w, session } = await killed(t, ['~hold'], 1)
  const pi = await next(w, session, cutOff(1, 1, 1, 2))
  await told(pi, '/sequence continue', /interrupted|retry/)
  await assertSilent(w, pi, 2)
  assert.equal((await newest(w)).phase, 'interrupted')
})

test('the menu offers the decision: execute the step again', async (t) => {
  const { w, session, sent } = await killed(t, ['~hold', 'two'], 1, { runs: 1 })
  const pi = await next(w, session, cutOff(1, 2, 1, 1))
  await say(pi, '/sequence', 'Execute the step again')
  await w.model.asked(3)
  w.model.release()
  w.model.release()
  await ended(pi)
  assert.deepEqual(heard(w).slice(sent.length), ['~hold', 'two'])
})

test('a pi that is killed twice in a step: each retry is one more request', async (t) => {
  const { w, session } = await killed(t, ['~hold'], 1, { runs: 1 })
  for (const attempt of [2, 3]) {
    const pi = await next(w, session, cutOff(1, 1, 1, 1))
    await say(pi, '/sequence retry')
    await w.model.asked(1 + attempt)
    await pi.kill()
  }
  assert.deepEqual(heard(w), ['hello', '~hold', '~hold', '~hold'])
  assert.deepEqual((await ledgerIds(w)).filter((id) => /a\d$/.test(id)), ['i0.s0.a1', 'i0.s0.a2', 'i0.s0.a3'])
})

test('kill -9 in /readonly: the claim is there, and retry goes on', async (t) => {
  const { w, first } = await killedAt(t, ['one', '/readonly on', 'three'], 'doneAsync', 2, 1)
  const pi = await next(w, first, cutOff(2, 3, 1, 1))
  await say(pi, '/sequence retry')
  await ended(pi)
  assert.deepEqual(heard(w), ['hello', 'one', 'three'])
})

// --- kill -9 in the second iteration, before pi has a file ---

// Both iterations hold their first step; the first is released.
const inSecond = (t, options) => killed(t, ['~hold', 'two'], 3, { releases: 1, ...options })

test('kill -9 in the first step of the second iteration, before the first answer: a fresh start is told', async (t) => {
  const { w, first, session } = await inSecond(t)
  assert.notEqual(session, first)
  await next(w, undefined, elsewhere('was cut off in run 2 of 2, in step 1 of 2', session))
  assert.equal((await newest(w)).phase, 'interrupted')
})

for (const [word, more] of [['retry', ['~hold', 'two']], ['skip', ['two']]]) {
  test(`there \`${word}\` goes on in the session of the second iteration`, async (t) => {
    const { w, first, session, sent } = await inSecond(t)
    const pi = await next(w, undefined, elsewhere('was cut off', session))
    const from = pi.lines.length
    await say(pi, `/sequence ${word}`)
    if (word === 'retry') {
      await w.model.asked(5)
    }
    w.model.release()
    w.model.release()
    assert.equal(await ended(pi, from), `✓ sequence · 2 runs${word === 'skip' ? '\n1 step was skipped' : ''}`)
    assert.deepEqual(sent, ['hello', '~hold', 'two', '~hold'])
    assert.deepEqual(heard(w).slice(sent.length), more)
    assert.equal(await pi.sessionId(), session)
    assert.deepEqual(new Set(w.model.heard.slice(sent.length - 1).map((one) => one.session)), new Set([session]))
    assert.ok(w.fileOf(session))
    assert.ok(w.fileOf(first))
    const entries = await path(w, session)
    assert.deepEqual(customs(entries, 'sequence').map(({ steps }) => steps), [['~hold', 'two']])
  })
}

test('a decision about a run of another session goes there, and the session before stays as it was', async (t) => {
  const { w, session } = await killed(t, ['one', '~hold'], 2, { runs: 1 })
  const pi = await next(w, undefined, elsewhere('was cut off', session))
  await pi.prompt('another conversation')
  const other = await pi.sessionId()
  await say(pi, '/sequence skip')
  assert.equal(await ended(pi), '✓ sequence · 1 run\n1 step was skipped')
  assert.equal(await pi.sessionId(), session)
  assert.deepEqual(customs(await path(w, other), 'sequence-mark'), [])
})

// The session of the run was killed before its first answer: pi may have no file of it, and the store may lose it too.
for (const isGone of [false, true]) {
  test(`the steps of a run are taken over${isGone ? ', also of a gone session' : ''}, and run anew`, async (t) => {
    const { w, pi } = await sequencePi(t, ['~hold', 'two'])
    await started(w, pi, 'run 2', 1)
    const session = await pi.sessionId()
    await pi.kill()
    if (isGone) {
      w.files().forEach((file) => rmSync(file))
      await w.xylem('delete', '--yes', session)
      await w.xylem('gc', '--yes')
    }
    const later = await next(w, undefined, elsewhere('was cut off in run 1 of 2, in step 1 of 2', session))
    if (isGone) {
      await told(later, '/sequence retry', /neither pi nor the store has session .*\/sequence take/)
    }
    const [decisions, menu] = await say(later, '/sequence', TAKE, 'Run the sequence', '1')
    assert.match(decisions.title, /^sequence 1\/2 · cut off in \S+\n\nSequence, 2 steps\n 1 {2}~hold\n 2 {2}two$/)
    assert.deepEqual(decisions.options, ['Execute the step again', 'Skip the step', 'Stop the run', TAKE,
      'Record a new sequence', 'Cancel'])
    assert.equal(menu.options[0], 'Run the sequence')
    await w.model.asked(2)
    assert.deepEqual((await runs(w)).map(({ phase }) => phase), ['running', 'stopped'])
    w.model.release()
    w.model.release()
    assert.equal(await ended(later), '✓ sequence · 1 run')
    assert.deepEqual(heard(w), ['~hold', '~hold', 'two'])
    await told(later, '/sequence take', /no run of another session waits here/)
  })
}

// --- kill -9 between steps, and between sessions ---

test('kill -9 between two steps: the run is paused, and continue sends the rest', async (t) => {
  const { w, first, sent } = await killedAt(t, ['one', 'two', 'three'], 'nextAsync', 3, 1)
  assert.deepEqual(sent, ['hello', 'one', 'two'])
  assert.equal((await newest(w)).phase, 'paused')
  const pi = await next(w, first, paused(3, 3, 1, 1))
  assert.equal(await play(pi, 'continue'), '✓ sequence · 1 run')
  assert.deepEqual(heard(w), ['hello', 'one', 'two', 'three'])
  assert.equal(w.model.heard.every(({ session }) => session === first), true)
})

test('retry and skip are no answers to a paused run', async (t) => {
  const { w, first } = await killedAt(t, ['one', 'two'], 'nextAsync', 2, 1)
  const pi = await next(w, first, paused(2, 2, 1, 1))
  for (const word of ['retry', 'skip']) {
    await told(pi, `/sequence ${word}`, /paused|continue|not interrupted/)
  }
  await assertSilent(w, pi, 2)
  assert.equal((await newest(w)).phase, 'paused')
})

test('kill -9 before the first step: continue sends all steps', async (t) => {
  const { w, first } = await killedAt(t, ['one', 'two'], 'nextAsync', 1, 1)
  const pi = await next(w, first, paused(1, 2, 1, 1))
  await play(pi, 'continue')
  assert.deepEqual(heard(w), ['hello', 'one', 'two'])
})

test('kill -9 between two sessions: continue makes a new session and goes on there', async (t) => {
  const { w, first, sent } = await killedAt(t, ['one', 'two'], 'inSessionAsync', 1, 2)
  assert.deepEqual(sent, ['hello', 'one', 'two'])
  assert.equal((await newest(w)).phase, 'paused')
  const pi = await next(w, first, paused(1, 2, 2, 2))
  assert.equal(await play(pi, 'continue'), '✓ sequence · 2 runs')
  const session = await pi.sessionId()
  assert.notEqual(session, first)
  assert.deepEqual(w.model.heard.slice(sent.length), [{ session, text: 'one' }, { session, text: 'two' }])
  assert.deepEqual((await ledgerIds(w)).slice(6, 10), ['i0.reset.a1', 'resume.1', 'i0.reset.a2', 'i1.begin'])
  assert.deepEqual(customs(await path(w, session), 'sequence').map(({ steps }) => steps), [['one', 'two']])
})

test('kill -9 at the end of an iteration, before the reset: continue makes the session', async (t) => {
  const { w, first } = await killedAt(t, ['one'], 'nextAsync', 2, 2)
  const pi = await next(w, first, paused(1, 1, 2, 2))
  assert.equal(await play(pi, 'continue'), '✓ sequence · 2 runs')
  const session = await pi.sessionId()
  assert.notEqual(session, first)
  assert.deepEqual(w.model.heard.map((one) => one.session), [first, first, session])
})

test('kill -9 behind the last step: continue ends the run, and nothing is sent', async (t) => {
  const { w, first } = await killedAt(t, ['one'], 'nextAsync', 2, 1)
  const pi = await next(w, first, paused(1, 1, 1, 1))
  assert.equal(await play(pi, 'continue'), '✓ sequence · 1 run')
  assert.deepEqual(heard(w), ['hello', 'one'])
})

test('kill -9 in the second iteration before its first step: a fresh start continues in its session', async (t) => {
  const { w, first } = await killedAt(t, ['one'], 'nextAsync', 3, 2)
  const { host_session: hostSession } = await newest(w)
  assert.notEqual(hostSession, first)
  const pi = await next(w, undefined, elsewhere('is paused in run 2 of 2, before step 1 of 1', hostSession))
  assert.equal(await play(pi, 'continue'), '✓ sequence · 2 runs')
  assert.equal(await pi.sessionId(), hostSession)
  assert.deepEqual(w.model.heard.map((one) => one.session), [first, first, hostSession])
})

test('a run that broke off before its mark is told of in its session, and goes on there', async (t) => {
  const { w, first } = await killedAt(t, ['one'], 'nextAsync', 3, 2)
  const { host_session: hostSession } = await newest(w)
  const exported = (await w.xylem('export', hostSession)).split('\n').filter((line) => line !== '')
  const lines = exported.filter((line) => !line.includes('"customType":"sequence-mark"'))
  const { id, timestamp } = JSON.parse(lines.at(-1))
  const message = { role: 'user', content: [{ type: 'text', text: 'a person' }], timestamp: 1 }
  lines.push(JSON.stringify({ type: 'message', id: 'a0000001', parentId: id, timestamp, message }))
  writeFileSync(join(dirname(w.fileOf(first)), `2026-11-20T17-18-05-515Z_${hostSession}.jsonl`), `${lines.join('\n')}\n`)
  const pi = await next(w, hostSession, paused(1, 1, 2, 2))
  assert.equal(await play(pi, 'continue'), '✓ sequence · 2 runs')
  assert.deepEqual(w.model.heard.map(({ session }) => session), [first, first, hostSession])
})

// --- Order and the end of pi ---

for (const [words, end] of [['the end of its input', (pi) => pi.stop()], ['SIGTERM', (pi) => pi.kill('SIGTERM')]]) {
  test(`pi ends by ${words} in a step: the run is interrupted, and nothing is lost`, async (t) => {
    const { w, pi } = await sequencePi(t, ['one', '~hold', 'three'], { problems: true })
    await started(w, pi, 'run 1', 2)
    const session = await pi.sessionId()
    await end(pi)
    assert.equal((await newest(w)).phase, 'interrupted')
    const after = await next(w, session, cutOff(2, 3, 1, 1))
    await say(after, '/sequence skip')
    assert.equal(await ended(after), '✓ sequence · 1 run\n1 step was skipped')
    assert.deepEqual(heard(w), ['one', '~hold', 'three'])
    // pi itself reports the answer that it lost
    assert.deepEqual(pi.problems().filter(({ extensionPath }) => extensionPath !== '<boundary>'), [])
  })
}

test('pi quits between two steps: the run is paused, and continue sends the rest', async (t) => {
  const environment = { XYLEM_TEST_BETWEEN: JSON.stringify({ call: 'nextAsync', count: 2, quit: true }) }
  const { w, pi } = await sequencePi(t, ['one', 'two'], { helpers: ['between'], environment })
  await say(pi, '/sequence run 1')
  const session = await pi.sessionId()
  await pi.exit
  const { phase, code } = await newest(w)
  assert.deepEqual({ phase, code }, { phase: 'paused', code: 'shutdown' })
  const after = await next(w, session, paused(2, 2, 1, 1))
  assert.equal(await play(after, 'continue'), '✓ sequence · 1 run')
  assert.deepEqual(heard(w), ['one', 'two'])
})

test('a run that ended is not told of at the next start', async (t) => {
  const { w, pi } = await sequencePi(t, ['one'])
  await play(pi, 'run 1')
  const session = await pi.sessionId()
  await pi.stop()
  for (const at of [session, undefined]) {
    const after = w.start(at ? ['--session', w.fileOf(at)] : [])
    await told(after, '/sequence status', /no run|✓/)
    assert.equal(spoken(after, /^The sequence|was being executed/).length, 0)
    await after.stop()
  }
})

test('a start in another directory is not told of the run', async (t) => {
  const { w } = await killed(t, ['~hold'], 1)
  const other = await sequenceWorld(t)
  const pi = other.start([], { XYLEM_STORE: w.sandbox.store })
  await record(pi, ['x'])
  await told(pi, '/sequence status', /no run/)
  assert.equal(spoken(pi, /was being executed|was cut off/).length, 0)
})

test('the notice comes at a resume too, and not in a new session of the same pi', async (t) => {
  const { w, session } = await killed(t, ['one', '~hold'], 2)
  const pi = await next(w, undefined, elsewhere('was cut off', session))
  await pi.send('switch_session', { sessionPath: w.fileOf(session) })
  await notice(pi, cutOff(2, 2, 1, 2))
  await pi.send('new_session')
  await settle(pi)
  assert.equal(spoken(pi, cutOff(2, 2, 1, 2)).length, 1)
})
