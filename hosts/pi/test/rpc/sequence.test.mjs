// Playing a sequence in a real pi, over RPC.
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { textOf } from '../lib/fake-openai.mjs'
import { BLOCKED, COMPACTION, exported, isOn } from './moves.mjs'
import { SEQUENCE, customs, ended, heard, ledger, ledgerIds, newest, notice, path, play, record, runs, say, sequencePi,
  sequenceWorld, sessionsHeard, settle, started, statusLines, test, told } from './runs.mjs'

const STEPS = ['one', 'two', 'three']

// --- Order, and sessions ---

test('two runs of three steps: these prompts, in this order, in two sessions', async (t) => {
  const { w, pi } = await sequencePi(t, STEPS)
  const first = await pi.sessionId()
  assert.equal(await play(pi, 'run 2'), '✓ sequence · 2 runs')
  const second = await pi.sessionId()
  assert.notEqual(second, first)
  assert.deepEqual(sessionsHeard(w), [{ session: first, texts: STEPS }, { session: second, texts: STEPS }])
  assert.deepEqual(await ledgerIds(w), ['start', 'i0.begin', 'i0.s0.a1', 'i0.s0.a1.end', 'i0.s1.a1', 'i0.s1.a1.end',
    'i0.s2.a1', 'i0.s2.a1.end', 'i0.reset.a1', 'i1.begin', 'i1.s0.a1', 'i1.s0.a1.end', 'i1.s1.a1', 'i1.s1.a1.end',
    'i1.s2.a1', 'i1.s2.a1.end', 'finish'])
  assert.equal((await newest(w)).phase, 'done')
})

test('a step begins when the step before is settled: the model has its whole conversation', async (t) => {
  const { w, pi } = await sequencePi(t, ['~tool bash {"command":"echo first"}\n~text ready', 'two'])
  await play(pi, 'run 1')
  const last = w.model.requests.at(-1).messages.map(({ role, content }) => [role, JSON.stringify(content)])
  assert.deepEqual(last.map(([role]) => role).filter((role) => role !== 'system' && role !== 'developer'),
    ['user', 'assistant', 'tool', 'assistant', 'user'])
  assert.match(last.at(-2)[1], /ready/)
})

test('the second session has the snapshot and the marks, and nothing else of the first', async (t) => {
  const { w, pi } = await sequencePi(t, STEPS)
  await pi.prompt('before the sequence')
  const first = await pi.sessionId()
  await play(pi, 'run 2')
  const second = await pi.sessionId()
  for (const session of [first, second]) {
    await exported(w, session)
  }
  const { run_id: runId } = await newest(w)
  const entries = await path(w, second)
  assert.deepEqual(customs(entries, 'sequence'), [{ version: 1, sequenceId: SEQUENCE, steps: STEPS, updatedAt: 1 }])
  const mark = { version: 1, runId, sequenceId: SEQUENCE, totalRuns: 2 }
  assert.deepEqual(customs(entries, 'sequence-mark'), [{ ...mark, event: 'begin', runIndex: 1 },
    { ...mark, event: 'end', runIndex: 1, outcome: 'done' }])
  assert.deepEqual(customs(await path(w, first), 'sequence-mark'), [{ ...mark, event: 'begin', runIndex: 0 }])
  assert.deepEqual(new Set(entries.filter(({ type }) => type === 'custom').map(({ customType }) => customType)),
    new Set(['sequence', 'sequence-mark']))
  const said = w.model.requests.filter(({ messages }) => JSON.stringify(messages).includes('before the sequence'))
  assert.equal(said.length, 1 + STEPS.length)
  assert.equal(JSON.parse(w.read(w.fileOf(second)).split('\n')[0]).parentSession, w.fileOf(first))
})

test('the second session can be played again', async (t) => {
  const { w, pi } = await sequencePi(t, ['one'])
  await play(pi, 'run 2')
  const second = await pi.sessionId()
  await play(pi, 'run 1')
  assert.equal(await pi.sessionId(), second)
  assert.deepEqual(heard(w), ['one', 'one', 'one'])
  assert.equal((await runs(w)).length, 2)
})

test('one iteration makes no session', async (t) => {
  const { w, pi } = await sequencePi(t, STEPS)
  const session = await pi.sessionId()
  assert.equal(await play(pi, 'run 1'), '✓ sequence · 1 run')
  assert.deepEqual(sessionsHeard(w), [{ session, texts: STEPS }])
  assert.equal(w.files().length, 1)
})

test('a prompt is sent as authored: blanks, lines, an unusual character', async (t) => {
  const steps = ['  Plan it  ', 'two\nlines\u2028', 'See /plan and !ls', '# heading', 'costs $5']
  const { w, pi } = await sequencePi(t, steps)
  await play(pi, 'run 1')
  assert.deepEqual(heard(w), steps)
})

test('the entry of each answer stands in the ledger', async (t) => {
  const { w, pi } = await sequencePi(t, ['one', '~tool bash {"command":"echo x"}\n~text two'])
  const session = await pi.sessionId()
  await play(pi, 'run 1')
  await exported(w, session)
  const answers = (await path(w, session)).filter(({ message }) => message?.role === 'assistant')
  const ends = (await ledger(w)).filter(({ data }) => data.event === 'end').map(({ data }) => data.entry)
  assert.deepEqual(ends, [answers[0].id, answers[2].id])
})

// --- Commands of the package ---

test('/readonly on as a step blocks a write in the next step, and the next session begins without it', async (t) => {
  const write = '~tool write {"path":"a.txt","content":"x"}'
  const { w, pi } = await sequencePi(t, ['/readonly on', write, '/readonly off'])
  await play(pi, 'run 2')
  assert.equal(existsSync(join(w.sandbox.project, 'a.txt')), false)
  assert.equal(isOn(pi), false)
  assert.deepEqual(heard(w), [write, write])
  const results = w.model.requests.flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'))
  assert.deepEqual(results.map(({ content }) => textOf(content)), [BLOCKED, BLOCKED])
  const claims = (await ledger(w)).filter(({ data }) => data.event === 'claim')
  assert.deepEqual(claims.map(({ data }) => data.name ?? data.kind),
    ['readonly', 'prompt', 'readonly', 'readonly', 'prompt', 'readonly'])
})

test('an iteration begins with readonly off, although the iteration before ended with readonly on', async (t) => {
  const { w, pi } = await sequencePi(t, ['~tool write {"path":"a.txt","content":"x"}', '/readonly on'])
  await play(pi, 'run 2')
  const results = w.model.requests.flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'))
  assert.equal(results.length, 2)
  assert.doesNotMatch(JSON.stringify(results), /Readonly mode/)
  assert.equal(isOn(pi), true)
})

// --- /compact ---

test('/compact as a step compacts before the next step', async (t) => {
  const { w, pi } = await sequencePi(t, ['one', '/compact keep the names', 'two'], { settings: COMPACTION })
  await pi.prompt('~big 3000')
  await pi.prompt('~big 3000')
  assert.equal(await play(pi, 'run 1'), '✓ sequence · 1 run')
  assert.deepEqual(heard(w).slice(2).filter((text, i, all) => text !== all[i - 1]), ['one', '(summary)', 'two'])
  assert.match(JSON.stringify(w.model.requests.filter(({ tools }) => !tools?.length)), /keep the names/)
  const entries = await path(w, await pi.sessionId())
  assert.equal(entries.filter(({ type }) => type === 'compaction').length, 1)
})

test('where nothing is to compact the step is done, in the two texts of pi', async (t) => {
  const steps = ['/compact', '~big 3000', '/compact', '/compact', 'two']
  const { w, pi } = await sequencePi(t, steps, { settings: COMPACTION })
  assert.equal(await play(pi, 'run 1'), '✓ sequence · 1 run')
  assert.equal(heard(w).at(-1), 'two')
})

test('another extension cancels the compaction: the run fails', async (t) => {
  const { w, pi } = await sequencePi(t, ['one', '/compact', 'two'], { settings: COMPACTION, helpers: ['canceller'] })
  await pi.prompt('~big 3000')
  await pi.command('/forbid compact')
  assert.match(await play(pi, 'run 1'), /^✗ sequence 1\/1 · step 2\/3 · compact/)
  assert.deepEqual(heard(w).slice(1), ['one'])
  assert.equal((await newest(w)).code, 'compact')
})

// --- Ends ---

test('a turn that ends in an error fails the run, visibly', async (t) => {
  const { w, pi } = await sequencePi(t, ['one', '~err', 'three'])
  const end = await play(pi, 'run 2')
  assert.match(end, /^✗ sequence 1\/2 · step 2\/3 · turn-error\n.*the model fails as it was told/s)
  assert.deepEqual(heard(w), ['one', '~err'])
  const { phase, code, message } = await newest(w)
  assert.equal(phase, 'failed')
  assert.equal(code, 'turn-error')
  assert.match(message, /the model fails as it was told/)
  assert.equal((await ledgerIds(w)).at(-1), 'finish')
})

for (const [where, step] of [['a request', '~hold'], ['a tool', '~tool bash {"command":"sleep 60"}']]) {
  test(`an abort in ${where} of a step stops the run`, async (t) => {
    const { w, pi } = await sequencePi(t, ['one', step, 'three'])
    const from = pi.lines.length
    await started(w, pi, 'run 2', 2)
    await (where === 'a tool' && pi.wait(({ type }) => type === 'tool_execution_start', 'the tool', from))
    await pi.send('abort')
    assert.match(await ended(pi), /^■ sequence 1\/2 · stopped at step 2\/3/)
    assert.deepEqual(heard(w).slice(0, 2), ['one', step])
    const { phase, code } = await newest(w)
    assert.deepEqual({ phase, code }, { phase: 'stopped', code: 'user' })
  })
}

test('/sequence pause pauses behind the step, and /sequence continue goes on with the next', async (t) => {
  const { w, pi } = await sequencePi(t, ['~hold', 'two'])
  const refused = await told(pi, '/sequence pause', /no sequence is running here/)
  assert.ok(refused)
  await started(w, pi, 'run 1', 1)
  await told(pi, '/sequence pause', /pauses behind the step that is being executed$/)
  const from = pi.lines.length
  w.model.release()
  await pi.wait(({ message }) => /^The sequence is paused/.test(message), 'the pause', from)
  assert.deepEqual([heard(w), (await newest(w)).phase], [['~hold'], 'paused'])
  const behind = pi.lines.length
  await say(pi, '/sequence continue')
  assert.equal(await ended(pi, behind), '✓ sequence · 1 run')
  assert.deepEqual(heard(w), ['~hold', 'two'])
})

test('/sequence stop in a step stops the run, and the step is not sent again', async (t) => {
  const { w, pi } = await sequencePi(t, ['~hold', 'two'])
  await started(w, pi, 'run 2', 1)
  const from = pi.lines.length
  await say(pi, '/sequence stop')
  assert.match(await ended(pi), /^■ sequence 1\/2 · stopped at step 1\/2/)
  await pi.wait(({ type }) => type === 'agent_settled', 'the end of the step', from)
  assert.equal((await newest(w)).phase, 'stopped')
  await pi.prompt('behind')
  assert.deepEqual(heard(w), ['~hold', 'behind'])
})

test('after the end of a run pi is free for a prompt, and for the next run', async (t) => {
  const { w, pi } = await sequencePi(t, ['one', '~err'])
  await play(pi, 'run 1')
  await pi.prompt('hello')
  await play(pi, 'run 1')
  assert.deepEqual(heard(w), ['one', '~err', 'hello', 'one', '~err'])
})

// --- What is shown ---

test('the status line shows each iteration and each step as authored, and the end', async (t) => {
  const { pi } = await sequencePi(t, ['one', '/readonly on', 'Plan $@'])
  await play(pi, 'run 2 the parser')
  const lines = statusLines(pi).filter((line) => line.startsWith('⟳') && !line.endsWith('new session'))
  assert.deepEqual(lines, ['⟳ sequence 1/2 · step 1/3 · one', '⟳ sequence 1/2 · step 2/3 · /readonly on',
    '⟳ sequence 1/2 · step 3/3 · Plan $@', '⟳ sequence 2/2 · step 1/3 · one',
    '⟳ sequence 2/2 · step 2/3 · /readonly on', '⟳ sequence 2/2 · step 3/3 · Plan $@'])
})

for (const [steps, type, pattern] of [[['one'], 'info', /^✓/], [['~err'], /warning|error/, /^✗/]]) {
  test(`the notice at the end of ${steps} is shown as ${type}`, async (t) => {
    const { pi } = await sequencePi(t, steps)
    await say(pi, '/sequence run 1')
    assert.match((await notice(pi, pattern)).notifyType, new RegExp(type))
  })
}

test('over RPC the client hears at once that the run began, and pi answers meanwhile', async (t) => {
  const { w, pi } = await sequencePi(t, ['~hold', 'two'])
  await started(w, pi, 'run 1', 1)
  assert.equal((await pi.send('get_state')).isStreaming, true)
  await told(pi, '/sequence status', /⟳ sequence 1\/1 · step 1\/2 · ~hold/)
  w.model.release()
  await ended(pi)
})

test('while a run goes on a second run is refused', async (t) => {
  const { w, pi } = await sequencePi(t, ['~hold'])
  await started(w, pi, 'run 1', 1)
  await told(pi, '/sequence run 1', /^\/sequence: a sequence is running/)
  w.model.release()
  await ended(pi)
  assert.equal((await runs(w)).length, 1)
  assert.deepEqual(heard(w), ['~hold'])
})

test('while a step without a turn goes on a second run is refused, and the stop stops', async (t) => {
  const { w, pi } = await sequencePi(t, ['/linger', 'two'], { helpers: ['offers'] })
  const from = pi.lines.length
  await say(pi, '/sequence run 1')
  await pi.wait(({ statusText }) => /step 1\/2/.test(statusText), 'the first step', from)
  for (const words of ['run 1', 'continue', 'retry']) {
    const { notifyType } = await told(pi, `/sequence ${words}`, /^\/sequence: /)
    assert.equal(notifyType, 'error')
  }
  await pi.wait(({ statusText }) => /waits for \/linger$/.test(statusText), 'the wait', from)
  await say(pi, '/sequence stop')
  assert.match(await ended(pi, from),
    /^■ sequence 1\/1 · stopped at step 1\/2\nstopped by hand; whether \/linger still takes effect is not known$/)
  writeFileSync(join(w.sandbox.project, 'go'), '')
  await settle(pi)
  assert.equal((await runs(w)).length, 1)
  assert.deepEqual(heard(w), [])
})

test('while the agent works for the person /sequence is refused', async (t) => {
  const { w, pi } = await sequencePi(t, ['one'])
  await pi.send('prompt', { message: '~hold' })
  await w.model.asked(1)
  await told(pi, '/sequence run 1', /./)
  w.model.release()
  await pi.wait(({ type }) => type === 'agent_settled', 'the end of the turn')
  await pi.prompt('behind')
  assert.deepEqual(heard(w), ['~hold', 'behind'])
  assert.deepEqual(await runs(w), [])
})

// --- Beside others ---

for (const event of ['turn_end', 'agent_end', 'agent_settled']) {
  test(`another extension sends a prompt at ${event}: each step is still sent once, in order`, async (t) => {
    const { w, pi } = await sequencePi(t, ['one', 'two', 'three'], { helpers: ['meddler'] })
    await pi.command(`/meddle ${event} the prompt of another`)
    assert.equal(await play(pi, 'run 2'), '✓ sequence · 2 runs')
    const others = 'the prompt of another'
    assert.deepEqual(heard(w).filter((text) => text !== others), [...STEPS, ...STEPS])
    assert.equal(heard(w).filter((text) => text === others).length, 1)
  })
}

for (const runs of [1, 2]) {
  test(`another extension takes the prompt of a step of session ${runs}: the run waits for a stop`, async (t) => {
    const { w, pi } = await sequencePi(t, ['one', 'two'], { helpers: ['meddler'] })
    const wait = (pattern) => pi.wait(({ statusText }) => pattern.test(statusText), String(pattern))
    if (runs === 1) {
      await pi.command('/swallow two')
    }
    await say(pi, `/sequence run ${runs}`)
    if (runs === 2) {
      await wait(/ 2\/2 · step 1/)
      await pi.command('/swallow two')
    }
    await wait(/ · two · waits for pi to begin the turn$/)
    await say(pi, '/sequence stop')
    assert.match(await ended(pi), /^■ .*\n.*whether pi still begins the turn of the step is not known/)
    assert.deepEqual(heard(w), runs === 1 ? ['one'] : ['one', 'two', 'one'])
  })
}

test('a prompt of the person in a step steers the turn, and the run goes on behind it', async (t) => {
  const { w, pi } = await sequencePi(t, ['~hold', 'two'])
  await started(w, pi, 'run 1', 1)
  await pi.send('prompt', { message: 'by the way', streamingBehavior: 'steer' })
  w.model.release()
  assert.equal(await ended(pi), '✓ sequence · 1 run')
  assert.deepEqual(heard(w), ['~hold', 'by the way', 'two'])
})

test('without a recorded sequence `run` says so', async (t) => {
  const w = await sequenceWorld(t)
  const pi = w.start()
  await told(pi, '/sequence run 2', /no (recorded )?sequence|no steps|record/i)
  await record(pi, [])
  await told(pi, '/sequence run 2', /no steps/)
  assert.deepEqual(heard(w), [])
})
