// Leaving a session while a run goes on; resets that are cancelled; confirm; reload; forks; and two pis at one run.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { call, exported } from './moves.mjs'
import { assertSilent, customs, ended, heard, ledgerIds, newest, notice, path, play, record, runs, say, sequencePi,
  sequenceWorld, settle, started, test, told } from './runs.mjs'

const CHOICES = ['Stay', 'Pause the sequence', 'Stop the sequence']

// A run that goes on in its second step, in a session with a file, and the way to another session.
async function running(t, options) {
  const { w, pi } = await sequencePi(t, ['one', '~hold', 'three'], options)
  await pi.prompt('hello')
  const session = await pi.sessionId()
  const from = pi.lines.length
  await started(w, pi, 'run 2', 3)
  return { w, pi, session, from }
}

const entryOf = async (pi) => (await pi.send('get_fork_messages')).messages[0].entryId

const WAYS = {
  new: async (pi) => pi.send('new_session'),
  switch: async (pi, w, other) => pi.send('switch_session', { sessionPath: other }),
  fork: async (pi) => pi.send('fork', { entryId: await entryOf(pi) }),
  clone: async (pi) => pi.send('clone'),
}

async function otherSession(w) {
  const pi = w.start()
  await pi.prompt('the other session')
  const file = w.fileOf(await pi.sessionId())
  await pi.stop()
  return file
}

// Goes the way, and answers the question: the question, and what pi said.
async function leave(w, pi, way, answer) {
  const other = way === 'switch' ? await otherSession(w) : undefined
  const from = pi.lines.length
  const gone = WAYS[way](pi, w, other)
  const question = await pi.dialog(from)
  pi.answer(question, answer)
  return { question, cancelled: (await gone).cancelled }
}

// --- The question ---

for (const way of Object.keys(WAYS)) {
  test(`${way} while a run goes on: the person is asked, and without an answer stays`, async (t) => {
    const { w, pi, session, from } = await running(t)
    for (const answer of [undefined, 'Stay']) {
      const { question, cancelled } = await leave(w, pi, way, answer)
      assert.match(question.title, /^A sequence is running\./)
      assert.deepEqual(question.options, CHOICES)
      assert.equal(cancelled, true)
    }
    assert.equal(await pi.sessionId(), session)
    w.model.release()
    w.model.release()
    assert.equal(await ended(pi, from), '✓ sequence · 2 runs')
    const mine = heard(w).filter((text) => text !== 'the other session')
    assert.deepEqual(mine, ['hello', 'one', '~hold', 'three', 'one', '~hold', 'three'])
  })

  test(`${way}, and the person stops the run`, async (t) => {
    const { w, pi, session } = await running(t)
    const { cancelled } = await leave(w, pi, way, 'Stop the sequence')
    assert.equal(cancelled, false)
    assert.notEqual(await pi.sessionId(), session)
    w.model.release()
    await settle(pi)
    assert.equal((await newest(w)).phase, 'stopped')
    assert.deepEqual(heard(w).filter((text) => text !== 'the other session'), ['hello', 'one', '~hold'])
  })

  test(`${way}, and the person pauses the run: the step was cut off, and is decided in its session`, async (t) => {
    const { w, pi, session } = await running(t)
    await leave(w, pi, way, 'Pause the sequence')
    w.model.release()
    assert.notEqual(await pi.sessionId(), session)
    await settle(pi)
    assert.equal((await newest(w)).phase, 'interrupted')
    const from = pi.lines.length
    await pi.send('switch_session', { sessionPath: w.fileOf(session) })
    await notice(pi, /^Step 2 of 3 in run 1 of 2 was being executed/, from)
    await say(pi, '/sequence skip')
    w.model.release()
    assert.equal(await ended(pi, from), '✓ sequence · 2 runs\n1 step was skipped')
    const mine = w.model.heard.filter(({ text }) => text !== 'the other session')
    const second = await pi.sessionId()
    assert.deepEqual(mine.map((one) => [one.session, one.text]), [
      ...['hello', 'one', '~hold', 'three'].map((text) => [session, text]),
      ...['one', '~hold', 'three'].map((text) => [second, text])])
    assert.notEqual(second, session)
  })
}

test('a question that fails leaves the person in the session, and says so', async (t) => {
  const { pi, session } = await running(t, { helpers: ['commands'] })
  await pi.command('/broken')
  const from = pi.lines.length
  assert.equal((await pi.send('new_session')).cancelled, true)
  await pi.wait(({ message }) => message === 'A sequence is running, and the session stays: no dialogs here', 'why', from)
  assert.equal(await pi.sessionId(), session)
})

// pi itself refuses a move in the tree during a turn. A step can be a command without a turn.
for (const [answer, phase, texts] of [['Stay', 'done', ['hello', 'two']], ['Stop the sequence', 'stopped', ['hello']],
  ['Pause the sequence', 'interrupted', ['hello']]]) {
  test(`a move in the tree while a run goes on: ${answer}`, async (t) => {
    const { w, pi } = await sequencePi(t, ['/linger', 'two'], { helpers: ['offers'] })
    await pi.prompt('hello')
    const id = await pi.sessionId()
    await exported(w, id)
    const target = await entryOf(pi)
    const from = pi.lines.length
    await say(pi, '/sequence run 1')
    await pi.wait(({ statusText }) => /step 1/.test(statusText), 'the first step', from)
    const [question] = await say(pi, `/goto ${target}`, answer)
    assert.match(question.title, /^A sequence is running\./)
    assert.deepEqual(question.options, CHOICES)
    writeFileSync(join(w.sandbox.project, 'go'), '')
    if (answer === 'Stay') {
      assert.equal(await ended(pi, from), '✓ sequence · 1 run')
    }
    await settle(pi)
    assert.equal((await newest(w)).phase, phase)
    assert.deepEqual(heard(w), texts)
    const moved = pi.notices().find(({ message }) => /^goto|^the leaf is/.test(message)).message
    assert.match(moved, answer === 'Stay' ? /cancelled/ : /^the leaf is/)
  })
}

// The replacement comes from a timer: the player stands in the middle of an await.
for (const event of ['input', 'context', 'turn_end', 'agent_end', 'message_end']) {
  for (const [answer, phases] of [['Stop the sequence', ['stopped']], ['Pause the sequence', ['paused', 'interrupted']]]) {
    test(`another extension replaces the session behind ${event}: ${answer}`, async (t) => {
      const helpers = ['replacer', 'recorder']
      const { w, pi } = await sequencePi(t, ['one', 'two', '~hold'], { helpers, problems: true })
      await pi.prompt('hello')
      const session = await pi.sessionId()
      await pi.command(`/replace ${JSON.stringify({ delays: [0], on: event })}`)
      const from = pi.lines.length
      await say(pi, '/sequence run 1')
      pi.answer(await pi.dialog(from), answer)
      await w.until(() => w.records('replacements-done').length > 0, 'the replacement')
      await settle(pi)
      assert.notEqual(await pi.sessionId(), session)
      const { phase } = await newest(w)
      assert.ok(phases.includes(phase), phase)
      await w.until(async () => !(await pi.send('get_state')).isStreaming, 'the end of the turn')
      await pi.prompt('behind')
      assert.deepEqual(w.records('uncaught'), [])
      // pi itself reports the turns that it took out of their session
      assert.deepEqual(pi.problems().filter(({ extensionPath }) => !/<boundary>/.test(extensionPath)), [])
    })
  }
}

test('leaving without a run asks nothing', async (t) => {
  const { pi } = await sequencePi(t, ['one'])
  await play(pi, 'run 2')
  await pi.send('new_session')
  assert.deepEqual(pi.dialogs(), [])
})

// --- A reset that is cancelled ---

test('another extension cancels the reset: the run fails, visibly', async (t) => {
  const { w, pi } = await sequencePi(t, ['one'], { helpers: ['canceller'] })
  const session = await pi.sessionId()
  await pi.command('/forbid switch')
  assert.match(await play(pi, 'run 3'), /^✗ sequence 2\/3 · step 1\/1 · reset\n./)
  assert.equal(await pi.sessionId(), session)
  assert.deepEqual(heard(w), ['one'])
  assert.equal((await newest(w)).code, 'reset')
  await pi.command('/forbid')
  assert.equal(await play(pi, 'run 2'), '✓ sequence · 2 runs')
})

// --- Beside confirm ---

test('confirm asks nothing about resets, and asks about a command of a step', async (t) => {
  const steps = [call('sudo -n id'), 'two']
  const { w, pi } = await sequencePi(t, steps, { extensions: ['readonly', 'confirm', 'sequence'] })
  const from = pi.lines.length
  await say(pi, '/sequence run 2')
  for (let run = 0, at = from; run < 2; run++) {
    const dialog = await pi.dialog(at)
    assert.match(dialog.title, /^Run this command\?/)
    at = pi.lines.indexOf(dialog) + 1
    pi.answer(dialog, 'Block')
  }
  assert.equal(await ended(pi, from), '✓ sequence · 2 runs')
  assert.equal(pi.dialogs().length, 2)
  assert.deepEqual(heard(w), [...steps, ...steps])
})

test('while a run goes on confirm leaves the question about the session to the sequence', async (t) => {
  const { w, pi, from } = await running(t, { extensions: ['confirm', 'readonly', 'sequence'] })
  const dialogs = pi.dialogs().length
  await leave(w, pi, 'new', 'Stay')
  await leave(w, pi, 'clone', undefined)
  assert.equal(pi.dialogs().length, dialogs + 2)
  w.model.release()
  w.model.release()
  assert.equal(await ended(pi, from), '✓ sequence · 2 runs')
  assert.equal(pi.dialogs().length, dialogs + 2)
})

// --- Reload ---

// pi 1.5 refuses a reload during a turn.
test('a reload in a step cuts the step off: the new instance says so, and goes on when asked', async (t) => {
  const { w, pi } = await sequencePi(t, ['one', '/linger', 'three'], { helpers: ['offers'] })
  const from = pi.lines.length
  await say(pi, '/sequence run 1')
  await pi.wait(({ statusText }) => /step 2\/3/.test(statusText), 'the second step', from)
  await say(pi, '/again')
  await notice(pi, /^Step 2 of 3 in run 1 of 1 was being executed/, from)
  writeFileSync(join(w.sandbox.project, 'go'), '')
  await assertSilent(w, pi, 1)
  assert.equal((await newest(w)).phase, 'interrupted')
  await say(pi, '/sequence skip')
  assert.equal(await ended(pi, from), '✓ sequence · 1 run\n1 step was skipped')
  assert.deepEqual(heard(w), ['one', 'three'])
})

test('a reload between two runs changes nothing', async (t) => {
  const { w, pi } = await sequencePi(t, ['one'])
  await play(pi, 'run 2')
  await pi.command('/again')
  assert.equal(await play(pi, 'run 2'), '✓ sequence · 2 runs')
  assert.equal(heard(w).length, 4)
  assert.deepEqual(pi.notices().filter(({ message }) => /paused|was being executed/.test(message)), [])
})

// --- Forks ---

for (const way of ['fork', 'clone']) {
  test(`a ${way} behind a paused run shows the run, and cannot go on with it there`, async (t) => {
    const { w, pi, session } = await running(t)
    await leave(w, pi, 'new', 'Pause the sequence')
    w.model.release()
    await pi.send('switch_session', { sessionPath: w.fileOf(session) })
    if (way === 'fork') {
      const { messages } = await pi.send('get_fork_messages')
      await pi.send('fork', { entryId: messages.at(-1).entryId })
    } else {
      await pi.send('clone')
    }
    const other = await pi.sessionId()
    assert.notEqual(other, session)
    const [menu] = await say(pi, '/sequence', undefined)
    assert.equal(menu.options[0], 'Show the run')
    assert.equal(menu.options.some((row) => /Go on|again|Skip/.test(row)), false)
    assert.ok(menu.options.some((row) => row.startsWith('Run the sequence')))
    const before = w.model.requests.length
    await assertSilent(w, pi, before)
    assert.equal((await newest(w)).host_session, session)
  })
}

test('a fork of a finished run has the sequence, and a run of its own', async (t) => {
  const { w, pi } = await sequencePi(t, ['one', 'two'])
  await play(pi, 'run 1')
  await pi.send('clone')
  const fork = await pi.sessionId()
  assert.equal(await play(pi, 'run 1'), '✓ sequence · 1 run')
  const [mine, first] = await runs(w)
  assert.equal(mine.host_session, fork)
  assert.notEqual(first.host_session, fork)
  assert.deepEqual(heard(w), ['one', 'two', 'one', 'two'])
})

// --- Two pis ---

test('a second pi at the session of a run that goes on is refused, with the name of the owner', async (t) => {
  const { w, pi, session, from } = await running(t)
  const second = w.start(['--session', w.fileOf(session)])
  for (const word of ['run 1', 'continue', 'retry', 'skip']) {
    const at = second.lines.length
    await say(second, `/sequence ${word}`)
    await second.wait(({ method, message }) => method === 'notify' && message.includes(String(pi.child.pid)) &&
      message.startsWith('/sequence'), `a refusal of ${word}`, at)
  }
  assert.deepEqual(heard(w), ['hello', 'one', '~hold'])
  w.model.release()
  w.model.release()
  assert.equal(await ended(pi, from), '✓ sequence · 2 runs')
  assert.equal((await runs(w)).length, 1)
})

test('of two pis that resume a paused run one goes on, and the other is told the owner', async (t) => {
  const { w, pi, session } = await running(t)
  await pi.kill()
  w.model.release()
  const [first, second] = [w.start(), w.start()]
  for (const one of [first, second]) {
    await notice(one, /^The sequence of session .* was cut off in run 1 of 2, in step 2 of 3\./)
  }
  await say(first, '/sequence retry')
  await w.model.asked(4)
  const at = second.lines.length
  await say(second, '/sequence retry')
  await second.wait(({ method, message }) => method === 'notify' && message.includes(String(first.child.pid)),
    'the name of the owner', at)
  assert.deepEqual(heard(w), ['hello', 'one', '~hold', '~hold'])
  w.model.release()
  w.model.release()
  assert.equal(await ended(first), '✓ sequence · 2 runs')
  assert.equal(await first.sessionId() === session, false)
})

test('a run that was stopped from the command line while nobody had it is not gone on with', async (t) => {
  const { w, pi, session } = await running(t)
  await pi.kill()
  await w.xylem('sequence', 'stop', (await newest(w)).run_id, '--yes')
  const after = w.start(['--session', w.fileOf(session)])
  const before = w.model.requests.length
  await assertSilent(w, after, before)
  for (const word of ['retry', 'continue']) {
    await told(after, `/sequence ${word}`, /stopped|no run|not/)
  }
  assert.equal(w.model.requests.length, before)
  assert.equal((await ledgerIds(w)).at(-1), 'finish')
})

test('a decision of the command line lets the next pi continue, and sends the step once more', async (t) => {
  const { w, pi, session } = await running(t)
  await pi.kill()
  await w.xylem('sequence', 'retry', (await newest(w)).run_id, '--yes')
  const after = w.start(['--session', w.fileOf(session)])
  await say(after, '/sequence continue')
  await w.model.asked(4)
  for (let i = 0; i < 3; i++) {
    w.model.release()
  }
  assert.equal(await ended(after), '✓ sequence · 2 runs')
  assert.deepEqual(heard(w), ['hello', 'one', '~hold', '~hold', 'three', 'one', '~hold', 'three'])
})

test('two pis at two sessions run the same sequence, each its own', async (t) => {
  const w = await sequenceWorld(t)
  const pis = [w.start(), w.start()]
  for (const pi of pis) {
    await record(pi, ['one', 'two'])
  }
  assert.deepEqual(await Promise.all(pis.map((pi) => play(pi, 'run 2'))), Array(2).fill('✓ sequence · 2 runs'))
  const listed = await runs(w)
  assert.equal(listed.length, 2)
  const bySession = Map.groupBy(w.model.heard, ({ session }) => session)
  assert.equal(bySession.size, 4)
  assert.equal([...bySession.values()].every((texts) => texts.map(({ text }) => text).join() === 'one,two'), true)
})

test('the mark says how a run ended in its session', async (t) => {
  const { w, pi } = await sequencePi(t, ['one', '~err'])
  await play(pi, 'run 2')
  const session = await pi.sessionId()
  await exported(w, session)
  const [, stop] = customs(await path(w, session), 'sequence-mark')
  assert.deepEqual({ event: stop.event, outcome: stop.outcome, code: stop.code },
    { event: 'stop', outcome: 'failed', code: 'turn-error' })
})
