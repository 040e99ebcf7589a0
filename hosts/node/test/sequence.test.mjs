// Sequences: steps, recordings, and runs, in one process and in several.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  dyingWriter, header, inWorker, isError, line, newStore as newEmptyStore, other, place, require, scratch,
  stoppedWriter, xylem,
} from './lib.mjs'

const catalogueOf = (...commands) => JSON.stringify({ schema: 1, compact: true, expands: true, commands })
const plan = { name: 'plan', source: 'prompt', path: '/p/plan.md', hash: 'abc' }
const readonly = { name: 'readonly', source: 'own', arguments: ['', 'on', 'off'], toggles: true }
const catalogue = catalogueOf({ ...readonly, canonical: 'read-only', path: '/x.ts' }, plan,
  { name: 'skill:tidy', source: 'skill', path: '/s/SKILL.md', hash: 'def' }, { name: 'model', source: 'builtin' })
const nobody = '0198d2f4-7c11-7a02-9d6e-3b5c8f21a4e7' // the id of no run
const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
const half = 'half \ud800 and \udc00 é 😀'
// An error of the name, whose message has the text.
const says = (name, text) => (error) => isError(name)(error) && error.message.includes(text)
const texts = { problem: '', message: '', warnings: [], name: '', args: '', canonical: '', path: '', hash: '' }

// An open store. Its runs end with the test, before the store.
function newStore(t, options) {
  const runs = []
  t.after(() => runs.forEach((run) => run.close()))
  return Object.assign(newEmptyStore(t, options), { runs })
}

async function begin(store, more = {}) {
  const run = await store.runStartAsync(catalogue, { sequenceId: 'q', steps: ['a', 'b', 'c'], session: 's', ...more })
  store.runs?.push(run)
  return run
}

// The events of a run, as the command tells them. The command is a program of this machine: beside an emulated Node it
// must not open the store (LMDB's locks differ), so the store tells the events there.
function ledger(store, run) {
  if (process.env.XYLEM_EMULATED) {
    return store.entries(`seq.${run.id}`).map((line) => JSON.parse(line)).map(({ id, data }) => ({ entry: id, data }))
  }
  const env = { PATH: process.env.PATH, HOME: store.path, XYLEM_STORE: store.path }
  const text = execFileSync(process.env.XYLEM_BIN, ['sequence', 'log', run.id, '--json'], { encoding: 'utf8', env })
  return JSON.parse(text).events
}
const entries = (store, run) => ledger(store, run).map(({ entry }) => entry)

test('a step has a meaning under a catalogue', () => {
  const step = (text) => xylem.resolveStep(catalogue, text)
  assert.deepEqual(step('hello'), { ...texts, kind: 'prompt', raw: 'hello' })
  assert.deepEqual(step('/readonly'), { ...texts, kind: 'command', warnings: ['toggles'], raw: '/readonly',
    name: 'readonly', canonical: 'read-only', path: '/x.ts' })
  assert.deepEqual(step(' /plan a $1 '), { ...texts, kind: 'template', raw: ' /plan a $1 ', name: 'plan', args: 'a $1',
    path: '/p/plan.md', hash: 'abc' })
  assert.equal(step('/skill:tidy').kind, 'skill')
  assert.equal(step('/compact now').kind, 'compact')
  assert.equal(step(half).raw, half)
  const refused = step('/plna')
  assert.equal(refused.problem, 'unknown')
  assert.equal(refused.message, 'there is no command, prompt or skill /plna; is /plan meant?')
  assert.equal(step('').problem, 'empty')
  assert.equal(step('x'.repeat(65536)).problem, '')
  assert.equal(step('x'.repeat(65537)).problem, 'too-long')
})

test('a sequence has the meaning of its steps', () => {
  const fine = xylem.resolveSequence(catalogue, ['a', '/plan $1'])
  assert.deepEqual([fine.problem, fine.message, fine.problemCount], ['', '', 0])
  assert.deepEqual(fine.steps[1], xylem.resolveStep(catalogue, '/plan $1'))
  const warned = xylem.resolveSequence(catalogue, ['a', '/plan $1'], [])
  assert.deepEqual(warned.steps.map(({ warnings }) => warnings), [[], ['placeholder']])
  const refused = xylem.resolveSequence(catalogue, ['a', '/new', '/x'])
  assert.deepEqual([refused.problem, refused.problemCount, refused.firstProblem], ['step', 2, 1])
  assert.match(refused.message, /^step 2 of 3: \/new is no step/)
  assert.deepEqual(refused.steps.map(({ problem }) => problem), ['', 'reset', 'unknown'])
  assert.deepEqual(xylem.resolveSequence(catalogue, Array(101).fill('a')).steps, [])
  assert.equal(xylem.resolveSequence(catalogue, Array(101).fill('a')).problem, 'too-many-steps')
  assert.equal(xylem.resolveSequence(catalogue, []).problem, 'no-steps')
  assert.equal(xylem.resolveSequence(catalogue, Array(100).fill('a')).steps.length, 100)
  assert.equal(xylem.resolveSequence(catalogue, Array(17).fill('x'.repeat(65536))).problem, 'too-large')
})

test('a catalogue that is none is an error that names the place', async (t) => {
  const store = newStore(t)
  const run = await begin(store)
  const bad = [['', /./], ['{}', /schema/], [catalogueOf({ name: 'a' }), /commands\[0\]\.source/], ['\ud800', /./]]
  for (const [text, place] of bad) {
    const refused = (error) => isError('XYLEM_E_MALFORMED')(error) && place.test(error.message)
    assert.throws(() => xylem.resolveStep(text, 'a'), refused)
    assert.throws(() => xylem.resolveSequence(text, ['a']), refused)
    assert.throws(() => new xylem.Recorder().add(text, 'a'), refused)
    assert.throws(() => new xylem.Recorder(['a']).replace(text, 0, 'b'), refused)
    assert.throws(() => store.sequenceMenu({ catalogue: text, steps: [] }), refused)
    await assert.rejects(store.runStartAsync(text, { sequenceId: 'q', steps: ['a'], session: 'other' }), refused)
    await assert.rejects(next(run, text), refused)
  }
  assert.equal((await next(run, catalogue)).stepIndex, 0) // the refused calls changed nothing
})

test('a sequence wants arguments for a placeholder of all arguments', () => {
  const sequences = [['a $@'], ['/plan $ARGUMENTS'], ['${@:2}'], ['a $1'], []]
  assert.deepEqual(sequences.map((steps) => xylem.wantsArgs(steps)), [true, true, true, false, false])
})

test('a preview shows the steps within its options', () => {
  const steps = ['first\nsecond\nthird', 'x'.repeat(60)]
  assert.match(xylem.sequencePreview(steps), /^Sequence, 2 steps\n 1 {2}first\n/)
  const cut = xylem.sequencePreview(steps, { ascii: true, cells: 20, stepLines: 1 })
  assert.match(cut, /first/)
  assert.doesNotMatch(cut, /second/)
  assert.match(cut, /^[\n -~]+$/)
  for (const shown of cut.split('\n')) {
    assert.ok(shown.length <= 20, shown)
  }
  assert.equal(xylem.sequencePreview(steps, { cells: 2 ** 40 }), xylem.sequencePreview(steps, {}))
})

test('the data of a snapshot has the steps as they are, and an id', () => {
  const before = Date.now()
  const { updatedAt, ...data } = JSON.parse(xylem.sequenceJson([half, 'x'.repeat(65536)], 'q'))
  assert.deepEqual(data, { version: 1, sequenceId: 'q', steps: [half, 'x'.repeat(65536)] })
  assert.ok(updatedAt >= before && updatedAt <= Date.now())
  const ids = [0, 1].map(() => JSON.parse(xylem.sequenceJson([])).sequenceId)
  assert.match(ids[0], uuid7)
  assert.notEqual(ids[0], ids[1])
  assert.throws(() => xylem.sequenceJson(Array(101).fill('a')), isError('XYLEM_E_LIMIT'))
  assert.throws(() => xylem.sequenceJson(['x'.repeat(65537)]), isError('XYLEM_E_LIMIT'))
  assert.throws(() => xylem.sequenceJson([], 'x'.repeat(65)), isError('XYLEM_E_MALFORMED'))
  assert.throws(() => xylem.sequenceJson([], '\ud800'), isError('XYLEM_E_MALFORMED'))
})

test('the store finds the snapshot that a host appended', (t) => {
  const store = newStore(t)
  const data = JSON.parse(xylem.sequenceJson(['a', half], 'q'))
  store.mirror({ header: header('s'), lines: [line('e1', null, { type: 'custom', customType: 'sequence', data })] })
  const { sequence } = JSON.parse(store.rehydrate('s').json)
  assert.deepEqual([sequence.sequence_id, sequence.steps], ['q', ['a', half]])
})

test('a recording takes the steps without a problem', () => {
  const recorder = new xylem.Recorder()
  assert.deepEqual([recorder.steps, recorder.changed], [[], false])
  assert.deepEqual(recorder.add(catalogue, '/plan x'), xylem.resolveStep(catalogue, '/plan x'))
  assert.equal(recorder.add(catalogue, '/nothing').problem, 'unknown')
  recorder.add(catalogue, half)
  assert.deepEqual([recorder.steps, recorder.changed], [['/plan x', half], true])
  assert.match(recorder.status({ ascii: true }), /recording .* 2 steps/)
  assert.equal(recorder.replace(catalogue, 0, '/new').problem, 'reset')
  assert.equal(recorder.replace(catalogue, 0, 'b').problem, '')
  recorder.remove(1)
  assert.deepEqual(recorder.steps, ['b'])
})

test('a recording of an edit is changed where its steps differ from the first', () => {
  const recorder = new xylem.Recorder(['a', '/unknown now'])
  assert.deepEqual([recorder.steps, recorder.changed], [['a', '/unknown now'], false])
  recorder.replace(catalogue, 0, 'b')
  assert.equal(recorder.changed, true)
  recorder.replace(catalogue, 0, 'a')
  assert.equal(recorder.changed, false)
})

test('a recording has a last step, a greatest step and a greatest number of steps', () => {
  const recorder = new xylem.Recorder(Array(99).fill('a'))
  recorder.add(catalogue, 'x'.repeat(65536))
  assert.equal(recorder.steps[99].length, 65536)
  assert.throws(() => recorder.add(catalogue, 'a'), isError('XYLEM_E_LIMIT'))
  for (const at of [100, 2 ** 52]) {
    assert.throws(() => recorder.remove(at), isError('XYLEM_E_ARGUMENT'))
    assert.throws(() => recorder.replace(catalogue, at, 'a'), isError('XYLEM_E_ARGUMENT'))
  }
  assert.equal(recorder.steps.length, 100)
  assert.throws(() => new xylem.Recorder(Array(101).fill('a')), isError('XYLEM_E_LIMIT'))
})

// The next action; a step is claimed, and has the text that a host sends which splits nothing.
async function next(run, given) {
  const action = await run.nextAsync(given)
  if (action.type === 'execute') {
    await run.claimAsync('0123456789abcdef')
    const { step: { kind, name, raw, args: authored }, args } = action
    const text = kind === 'prompt' ? raw : authored
    action.text = (kind === 'template' ? `/${name} ` : '') + (args ? xylem.putArgs(text, args) : text)
  }
  return action
}

// Plays a run to its end, and gives what the host did.
async function play(run, given = catalogue) {
  const played = []
  for (;;) {
    const action = await next(run, given)
    const { type, iteration, stepIndex } = action
    played.push(type === 'execute' ? `${iteration}.${stepIndex} ${action.step.kind} ${action.text}` : type)
    if (type === 'finished') {
      return { played, state: action.state, step: action.step }
    }
    await (type === 'execute' ? run.doneAsync(`e${iteration}${stepIndex}`) : run.inSessionAsync(`s${iteration}`))
  }
}

test('a run of two iterations is played to its end, and its ledger has each event', async (t) => {
  const store = newStore(t)
  const options = { steps: ['go', '/plan $1', '/readonly on'], args: ['a b'] }
  const run = await begin(store, { ...options, iterationCount: 2, entry: 'leaf', cwd: '/tmp' })
  assert.match(run.id, uuid7)
  const { played, state, step } = await play(run)
  const iteration = (i) => [`${i}.0 prompt go`, `${i}.1 template /plan a b`, `${i}.2 command on`]
  assert.deepEqual(played, [...iteration(0), 'new-session', ...iteration(1), 'finished'])
  assert.deepEqual([state.phase, state.doneCount, step], ['done', 6, null])
  assert.deepEqual(state.origin, { session: 's', entry: 'leaf' })
  assert.equal((await next(run, catalogue)).type, 'finished') // and again
  run.close()
  const ofIteration = (i) => [`i${i}.begin`, ...[0, 1, 2].flatMap((s) => [`i${i}.s${s}.a1`, `i${i}.s${s}.a1.end`])]
  assert.deepEqual(entries(store, run), ['start', ...ofIteration(0), 'i0.reset.a1', ...ofIteration(1), 'finish'])
  const { steps, args, totalRuns } = ledger(store, run)[0].data
  assert.deepEqual({ steps, args, totalRuns }, { ...options, totalRuns: 2 })
  assert.equal(ledger(store, run).find(({ entry }) => entry === 'i1.begin').data.session, 's1')
  assert.equal(ledger(store, run).find(({ entry }) => entry === 'i1.s2.a1.end').data.entry, 'e12')
})

test('an action has the members of its type', async (t) => {
  const run = await begin(newStore(t), { steps: ['a'], iterationCount: 2, fresh: true })
  const members = async () => Object.keys(await run.nextAsync(catalogue)).sort()
  const placed = ['attempt', 'iteration', 'state', 'stepIndex', 'type']
  assert.deepEqual(await members(), placed) // new-session
  await run.inSessionAsync('s0')
  assert.deepEqual(await members(), [...placed, 'args', 'step'].sort()) // execute
  await run.stopAsync('enough')
  assert.deepEqual(await members(), [...placed, 'step'].sort()) // finished
})

test('the state of a run has the names of JavaScript', async (t) => {
  const store = newStore(t)
  const run = await begin(store)
  const { state } = await next(run, catalogue)
  const names = ['schema', 'runId', 'sequenceId', 'phase', 'iteration', 'iterationCount', 'stepIndex', 'stepCount',
    'attempt', 'step', 'session', 'hostSession', 'origin', 'started', 'newest', 'outcome', 'code', 'message', 'owner',
    'doneCount', 'skippedCount'].sort()
  for (const one of [state, store.runState(run.id)]) {
    assert.deepEqual(Object.keys(one).sort(), names)
  }
})

test('steps and arguments come back as they went in', async (t) => {
  const store = newStore(t)
  const long = 'x'.repeat(65536)
  const steps = [half, `${half} $1`, long, ...Array(97).fill('$2')]
  const run = await begin(store, { steps, args: ['\ud800', '"\udc00 \n'] })
  const { played } = await play(run)
  const sent = [half, `${half} \ud800`, long, ...Array(97).fill('"\udc00 \n')]
  assert.deepEqual(played, [...sent.map((text, i) => `0.${i} prompt ${text}`), 'finished'])
  const { data } = ledger(store, run)[0]
  assert.deepEqual([data.steps, data.args], [steps, ['\ud800', '"\udc00 \n']])
})

test('without arguments steps are executed as authored', async (t) => {
  const store = newStore(t)
  for (const [args, text] of [[undefined, 'a $1 $@'], [[], 'a $1 '], [['x'], 'a x x']]) {
    const run = await begin(store, { steps: ['a $1 $@'], args })
    assert.equal((await next(run, catalogue)).text, text)
    run.stop('enough')
    run.close()
  }
})

test('a run that cannot be started is an error, and leaves nothing', async (t) => {
  const store = newStore(t)
  const refused = [
    [{ steps: ['a', '/nothing'] }, 'XYLEM_E_MALFORMED', /step 2 of 2: there is no command, prompt or skill \/nothing/],
    [{ steps: [] }, 'XYLEM_E_MALFORMED', /step/], [{ args: Array(65).fill('') }, 'XYLEM_E_LIMIT', /64 arguments/],
    [{ iterationCount: 1001 }, 'XYLEM_E_LIMIT', /not 1001/],
    [{ iterationCount: 2 ** 40 + 1 }, 'XYLEM_E_LIMIT', /1000 iterations/],
    [{ sequenceId: '' }, 'XYLEM_E_ARGUMENT', /sequence/], [{ session: 'x'.repeat(300) }, 'XYLEM_E_LIMIT', /session/],
    [{ entry: 'x'.repeat(300) }, 'XYLEM_E_LIMIT', /entry/]]
  for (const [more, name, text] of refused) {
    await assert.rejects(begin(store, more), (error) => isError(name)(error) && text.test(error.message))
  }
  const run = await begin(store)
  await assert.rejects(begin(store), says('XYLEM_E_CONFLICT', run.id))
  await begin(store, { session: 'other' })
  const reader = xylem.open(store.path, { readOnly: true })
  await assert.rejects(begin(reader, { session: 'third' }), isError('XYLEM_E_READ_ONLY'))
  reader.close()
})

test('a run that nobody has open here is an error, or nothing', async (t) => {
  const store = newStore(t)
  for (const id of [nobody, '', 'x'.repeat(1000), 'a\0b', '\ud800', 'a\nb']) {
    const run = new xylem.Run(id)
    assert.equal(run.id, id)
    assert.equal(run.isOpen, false)
    run.close()
    await run.closeAsync()
    const calls = [() => next(run, catalogue), () => run.doneAsync(), () => run.inSessionAsync('s'),
      () => run.failedAsync('host', 'm'), () => run.stopAsync('m'), () => store.runEndAsync(id, 'm'),
      () => store.runOpenAsync(id, 'continue', 's')]
    for (const call of calls) {
      await assert.rejects(call(), isError('XYLEM_E_NOT_FOUND'))
    }
    for (const call of [() => run.stop('m'), () => run.pause('left', 'm'), () => store.runMark(id, 'begin')]) {
      assert.throws(call, isError('XYLEM_E_NOT_FOUND'))
    }
    assert.deepEqual([store.runState(id), store.runStatus(id), store.runNotice(id)], [null, '', ''])
  }
  assert.throws(() => new xylem.Run(nobody).stop('m'), /the run is not open in this process/)
})

test('calls out of order are errors, and change nothing', async (t) => {
  const store = newStore(t)
  const run = await begin(store, { steps: ['a', 'b'], iterationCount: 2 })
  const refused = async (...calls) => {
    for (const call of calls) {
      await assert.rejects(async () => call(), isError('XYLEM_E_ARGUMENT'))
    }
  }
  const following = () => next(run, catalogue)
  const done = () => run.doneAsync()
  const named = () => run.inSessionAsync('n')
  const failed = () => run.failedAsync('host', 'm')
  await refused(done, named, failed)
  await following()
  await refused(following, named, () => run.failedAsync('user', 'm'), () => run.failedAsync('', 'm'),
    () => run.pause('host', 'm'), () => run.doneAsync(''))
  await assert.rejects(run.doneAsync('x'.repeat(300)), isError('XYLEM_E_LIMIT'))
  await done()
  await refused(done)
  await following()
  await done()
  assert.equal((await following()).type, 'new-session')
  await refused(following, done, () => run.inSessionAsync(''))
  await named()
  run.pause('left', 'm')
  await refused(following, done, () => run.stop('m'), () => run.pause('left', 'm'))
  run.close()
  assert.deepEqual(entries(store, run), ['start', 'i0.begin', 'i0.s0.a1', 'i0.s0.a1.end', 'i0.s1.a1', 'i0.s1.a1.end',
    'i0.reset.a1', 'i1.begin', 'pause.1'])
  const again = await store.runOpenAsync(run.id, 'continue', 'n')
  again.stop('enough')
  await refused(() => again.stop('m'), () => again.pause('shutdown', 'm'), failed)
  again.close()
})

test('a failure or a stop ends the run', async (t) => {
  const store = newStore(t)
  for (const code of ['unresolved', 'turn-error', 'refused', 'compact', 'reset', 'host']) {
    const run = await begin(store)
    await next(run, catalogue)
    await run.failedAsync(code, `${half} failed`)
    const { type, step, state } = await next(run, catalogue)
    assert.deepEqual([type, step, state.phase, state.code], ['finished', null, 'failed', code])
    assert.equal(state.message, `${half} failed`)
    await run.closeAsync()
    assert.equal(store.runState(run.id).outcome, 'failed')
  }
  for (const stop of ['stop', 'stopAsync']) {
    const run = await begin(store)
    await run[stop]('enough')
    const { state } = await next(run, catalogue)
    assert.deepEqual([state.phase, state.code, state.message], ['stopped', 'user', 'enough'])
    run.close()
  }
})

test('a step that can no longer be run ends the run, and is shown once', async (t) => {
  const store = newStore(t)
  const run = await begin(store, { steps: ['a', '/plan x'] })
  await next(run, catalogue)
  await run.doneAsync()
  const { type, step, state } = await next(run, catalogueOf())
  assert.deepEqual([type, state.phase, state.code], ['finished', 'failed', 'unresolved'])
  assert.deepEqual([step.problem, step.raw], ['unknown', '/plan x'])
  assert.match(state.message, /step 2 of 2: there is no command, prompt or skill \/plan/)
  assert.equal((await next(run, catalogueOf())).step, null)
})

test('a template that changed between two iterations has a warning', async (t) => {
  const run = await begin(newStore(t), { steps: ['/plan'], iterationCount: 2 })
  assert.deepEqual((await next(run, catalogue)).step.warnings, [])
  await run.doneAsync()
  await next(run, catalogue)
  await run.inSessionAsync('s1')
  const { step } = await next(run, catalogueOf({ ...plan, hash: 'new' }))
  assert.deepEqual([step.warnings, step.hash], [['changed'], 'new'])
})

test('a paused run goes on in its session', async (t) => {
  const store = newStore(t)
  const run = await begin(store)
  await next(run, catalogue)
  await run.doneAsync('e1')
  run.pause('left', 'a person left')
  run.close()
  const { phase, code, message, stepIndex, owner } = store.runState(run.id)
  assert.deepEqual([phase, code, message, stepIndex, owner], ['paused', 'left', 'a person left', 1, null])
  assert.match(store.runNotice(run.id), /paused in run 1 of 1, before step 2 of 3/)
  assert.match(store.runStatus(run.id, { ascii: true, ownSession: 'other' }), /paused in s$/)
  assert.notEqual(store.runStatus(run.id, { ownSession: 's' }), store.runStatus(run.id, { ownSession: 'other' }))
  await assert.rejects(store.runOpenAsync(run.id, 'retry', 's'), isError('XYLEM_E_CONFLICT'))
  await assert.rejects(store.runOpenAsync(run.id, 'continue', 'other'), isError('XYLEM_E_CONFLICT'))
  assert.equal(run.isOpen, false)
  const again = await store.runOpenAsync(run.id, 'continue', 's')
  assert.deepEqual([again.id, run.isOpen], [run.id, true])
  assert.deepEqual((await play(again)).played, ['0.1 prompt b', '0.2 prompt c', 'finished'])
  assert.equal(store.runNotice(run.id), '')
  again.close()
  await assert.rejects(store.runOpenAsync(run.id, 'continue', 's'), says('XYLEM_E_CONFLICT', 'has ended'))
})

test('a run that is closed in a step waits for a decision', async (t) => {
  const store = newStore(t)
  const run = await begin(store)
  await next(run, catalogue)
  run.pause('shutdown', 'm')
  await run.closeAsync()
  assert.equal(store.runState(run.id).phase, 'interrupted')
  assert.deepEqual(entries(store, run), ['start', 'i0.begin', 'i0.s0.a1'])
  await assert.rejects(store.runOpenAsync(run.id, 'continue', 's'), isError('XYLEM_E_CONFLICT'))
  const words = '{"run_id":1,"a_b":[{"c_d":2}]},"' // no names of the document
  await store.runEndAsync(run.id, words)
  const { phase, message } = store.runState(run.id)
  assert.deepEqual([phase, message], ['stopped', words])
})

test('the newest run that waits in a directory is found there', async (t) => {
  const store = newStore(t)
  const here = { cwd: '/here' }
  assert.equal(store.openRun('/here'), null)
  const older = await begin(store, here)
  older.close()
  const newer = await begin(store, { ...here, session: 't' })
  assert.equal(store.openRun('/here'), older.id) // the newer run has an owner
  newer.close()
  await begin(store, { cwd: '/there', session: 'u' }).then((run) => run.close())
  assert.equal(store.openRun('/here'), newer.id)
  assert.equal(store.openRun('/her'), null)
  assert.deepEqual(['s', 't', 'u'].map((session) => store.openRun('/here', session)), [older.id, newer.id, null])
  await store.runEndAsync(newer.id, 'over')
  assert.equal(store.openRun('/here'), older.id)
  await store.runOpenAsync(older.id, 'continue', 's').then(async (run) => {
    await next(run, catalogue)
    run.close()
  })
  assert.equal(store.openRun('/here'), older.id) // interrupted
  await store.runEndAsync(older.id, 'over')
  assert.equal(store.openRun('/here'), null)
})

test('a deleted run is no run', async (t) => {
  const store = newStore(t)
  const run = await begin(store)
  run.close()
  store.deleteSession(`seq.${run.id}`)
  assert.deepEqual([store.runState(run.id), store.runStatus(run.id), store.runNotice(run.id)], [null, '', ''])
  assert.throws(() => store.runMark(run.id, 'stop'), isError('XYLEM_E_DELETED'))
  assert.deepEqual(store.sequenceMenu({ catalogue, runId: run.id }), [])
})

test('a mark names the run, the iteration and the outcome', async (t) => {
  const store = newStore(t)
  const run = await begin(store, { iterationCount: 3 })
  const mark = (event) => JSON.parse(store.runMark(run.id, event))
  const common = { version: 1, runId: run.id, sequenceId: 'q', runIndex: 0, totalRuns: 3 }
  assert.deepEqual(mark('begin'), { ...common, event: 'begin' })
  run.stop('m')
  assert.deepEqual(mark('stop'), { ...common, event: 'stop', outcome: 'stopped', code: 'user' })
})

test('the menu has the rows of the snapshot and of the run', async (t) => {
  const store = newStore(t)
  const words = (menu) => store.sequenceMenu({ catalogue, ...menu }).map(({ word }) => word)
  assert.deepEqual(words({}), [])
  assert.deepEqual(words({ steps: ['a'], runId: nobody }), ['run', 'edit', 'new', 'cancel'])
  const [row, next] = store.sequenceMenu({ catalogue, steps: ['/nothing'] })
  assert.deepEqual([row.word, row.enabled], ['run', false])
  assert.match(row.label, /./)
  assert.equal(row.reason, 'step 1 of 1: there is no command, prompt or skill /nothing')
  assert.deepEqual([next.enabled, next.reason], [true, ''])
  assert.equal(store.sequenceMenu({ catalogue, steps: [] })[0].enabled, false)
  const run = await begin(store)
  const own = { steps: ['a'], runId: run.id, ownSession: 's' }
  assert.deepEqual(words(own), ['status', 'pause', 'stop', 'cancel'])
  assert.deepEqual(words({ ...own, ownSession: 'other' }), ['status', 'run', 'edit', 'new', 'cancel'])
  run.pause('left', 'm')
  run.close()
  assert.deepEqual(words(own), ['continue', 'stop', 'run', 'edit', 'new', 'cancel'])
  assert.deepEqual(words({ ...own, ownSession: 'other' }), ['status', 'run', 'edit', 'new', 'cancel'])
  assert.deepEqual(words({ runId: run.id, ownSession: 'other' }), ['continue', 'stop', 'take', 'new', 'cancel'])
})

// --- Several handles, threads and processes --------------------------------------------------------------------------

// The open files of this process that are the store.
function openFiles(store) {
  const file = join(realpathSync(store.path), 'data.mdb')
  const target = (descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`)
    } catch { // the descriptor of the directory itself
      return ''
    }
  }
  return readdirSync('/proc/self/fd').filter((descriptor) => target(descriptor) === file).length
}

test('a run outlives the handle of its store, and the store ends with the run', async (t) => {
  const store = newStore(t)
  const run = await begin(store, { steps: ['a'] })
  store.close()
  assert.ok(openFiles(store) > 0)
  assert.deepEqual((await play(run)).played, ['0.0 prompt a', 'finished'])
  assert.equal(run.isOpen, true)
  run.close()
  assert.equal(run.isOpen, false)
  run.close()
  await run.closeAsync()
  assert.equal(openFiles(store), 0)
  const again = xylem.open(store.path)
  assert.deepEqual([again.runState(run.id).phase, again.runState(run.id).owner], ['done', null])
  again.close()
})

test('a second copy of the module sees the open run', async (t) => {
  const run = await begin(newStore(t))
  const name = Object.keys(require.cache).find((path) => path.endsWith('index.js'))
  delete require.cache[name]
  const again = require(place)
  assert.notEqual(again.Run, xylem.Run)
  const same = new again.Run(run.id)
  assert.equal(same.isOpen, true)
  assert.equal((await next(same, catalogue)).text, 'a')
  await run.doneAsync()
  same.close()
  assert.equal(run.isOpen, false)
})

test('a worker sees the open run, and leads it', async (t) => {
  const store = newStore(t)
  const run = await begin(store)
  await next(run, catalogue)
  const seen = await inWorker(async (place, id, catalogue) => {
    const run = new (require(place).Run)(id)
    await run.doneAsync('from a worker')
    const { step } = await run.nextAsync(catalogue)
    await run.claimAsync('0123456789abcdef')
    return [run.isOpen, step.raw]
  }, place, run.id, catalogue)
  assert.deepEqual(seen, [true, 'b'])
  await run.doneAsync()
  assert.equal((await next(run, catalogue)).text, 'c')
})

test('a run that a worker started stays open behind the worker', async (t) => {
  const store = newStore(t)
  const id = await inWorker(async (place, path, catalogue) => {
    const options = { sequenceId: 'q', steps: ['a'], session: 's' }
    return (await require(place).open(path).runStartAsync(catalogue, options)).id
  }, place, store.path, catalogue)
  const run = new xylem.Run(id)
  assert.equal(run.isOpen, true)
  assert.deepEqual((await play(run)).played, ['0.0 prompt a', 'finished'])
  run.close()
})

test('of calls at once each step is given to one', async (t) => {
  const run = await begin(newStore(t), { iterationCount: 10, steps: ['a', 'b'] })
  const one = async (calls) => {
    const settled = await Promise.allSettled(calls)
    const given = settled.filter(({ status }) => status === 'fulfilled')
    settled.filter(({ status }) => status === 'rejected').forEach(({ reason }) => isError('XYLEM_E_ARGUMENT')(reason))
    assert.equal(given.length, 1)
    return given[0].value
  }
  const four = (call) => [1, 2, 3, 4].map(call)
  for (let i = 0; i < 19; i++) {
    const { type } = await one(four(() => next(run, catalogue)))
    await one(four(() => type === 'execute' ? run.doneAsync() : run.inSessionAsync(`s${i}`)))
  }
})

test('a close between calls of other threads ends all of them', async (t) => {
  const store = newStore(t)
  for (let i = 0; i < 50; i++) {
    const run = await begin(store, { session: `s${i}` })
    const following = () => next(run, catalogue)
    const calls = [following(), run.closeAsync(), run.stopAsync('m'), following(), run.closeAsync()]
    if (i % 2) {
      run.close()
    }
    for (const { status, reason } of await Promise.allSettled(calls)) {
      const refused = reason?.name === 'XYLEM_E_NOT_FOUND' || /was not reported|the run has ended|no step was given/.test(reason?.message)
      assert.ok(status === 'fulfilled' || refused, reason)
    }
    assert.equal(run.isOpen, false)
    assert.equal(store.runState(run.id).owner, null)
  }
})

test('an open run is not opened again, in this process or in another', async (t) => {
  const store = newStore(t)
  const run = await begin(store)
  const again = store.runOpenAsync(run.id, 'continue', 's')
  await assert.rejects(again, says('XYLEM_E_CONFLICT', 'this process has the run open'))
  await assert.rejects(store.runEndAsync(run.id, 'm'), isError('XYLEM_E_CONFLICT'))
  const { said } = await other(t, store.path, `const said = []
    const catalogue = ${JSON.stringify(catalogue)}
    const id = '${run.id}'
    const calls = [() => store.runOpenAsync(id, 'continue', 's'), () => store.runEndAsync(id, 'm'),
      () => new xylem.Run(id).nextAsync(catalogue),
      () => store.runStartAsync(catalogue, { sequenceId: 'q', steps: ['a'], session: 's' })]
    for (const call of calls) {
      await call().catch(({ name, message }) => said.push([name, message]))
    }
    return said`)
  const names = ['CONFLICT', 'CONFLICT', 'NOT_FOUND', 'CONFLICT'].map((name) => `XYLEM_E_${name}`)
  assert.deepEqual(said.map(([name]) => name), names)
  assert.ok(said[0][1].includes(`${process.pid}`), said[0][1])
  assert.equal((await next(run, catalogue)).text, 'a')
})

test('the run of a copied store is not opened beside the run of the store', async (t) => {
  const store = newStore(t)
  const run = await begin(store)
  const path = join(scratch(t), 'copy')
  cpSync(store.path, path, { recursive: true })
  const copy = xylem.open(path)
  await assert.rejects(copy.runOpenAsync(run.id, 'continue', 's'), isError('XYLEM_E_CONFLICT'))
  run.close()
  const copied = await copy.runOpenAsync(run.id, 'continue', 's')
  assert.deepEqual((await play(copied)).played.length, 4)
  copied.close()
  assert.deepEqual([store.runState(run.id).phase, copy.runState(run.id).phase], ['paused', 'done'])
  copy.close()
})

test('a step in which a process was killed is attempted again, or skipped, by another process', async (t) => {
  const store = newStore(t)
  const first = await other(t, store.path, `const run = await store.runStartAsync(\`${catalogue}\`, {
    sequenceId: 'q', steps: ['a', 'b'], session: 's', cwd: '/tmp' })
    await run.nextAsync(\`${catalogue}\`)
    await run.claimAsync('0123456789abcdef')
    return run.id`)
  const run = new xylem.Run(first.said)
  const { phase, owner } = store.runState(run.id)
  assert.deepEqual([run.isOpen, phase, owner.pid, owner.alive], [false, 'running', first.pid, true])
  await assert.rejects(store.runOpenAsync(run.id, 'retry', 's'), says('XYLEM_E_CONFLICT', `${first.pid}`))
  await first.end('SIGKILL')
  assert.deepEqual([store.runState(run.id).phase, store.runState(run.id).owner.alive], ['interrupted', false])
  assert.deepEqual(store.orphanedSessions(), []) // a ledger is no session of a host
  assert.equal(store.openRun('/tmp'), run.id)
  assert.match(store.runNotice(run.id), /^Step 1 of 2 in run 1 of 1 was being executed, and its end is not stored/)
  const second = await other(t, store.path, `const run = await store.runOpenAsync('${run.id}', 'retry', 's')
    const { step, attempt } = await run.nextAsync(\`${catalogue}\`)
    await run.claimAsync('0123456789abcdef')
    return [step.raw, attempt]`)
  assert.deepEqual(second.said, ['a', 2])
  await second.end('SIGKILL')
  const skipped = await store.runOpenAsync(run.id, 'skip', 's')
  assert.deepEqual((await play(skipped)).played, ['0.1 prompt b', 'finished'])
  const { doneCount, skippedCount } = store.runState(run.id)
  assert.deepEqual([doneCount, skippedCount], [1, 1])
  skipped.close()
  assert.deepEqual(entries(store, run), ['start', 'i0.begin', 'i0.s0.a1', 'resume.1', 'i0.s0.a2', 'i0.s0.a2.end',
    'resume.2', 'i0.s1.a1', 'i0.s1.a1.end', 'finish'])
})

test('a close while another process writes for long leaves the run open', dyingWriter, async (t) => {
  const store = newStore(t, { waitMs: 50 })
  const run = await begin(store)
  const writer = await stoppedWriter(t, store)
  assert.throws(() => run.close(), isError('XYLEM_E_BUSY'))
  await assert.rejects(run.closeAsync(), isError('XYLEM_E_BUSY'))
  await assert.rejects(next(run, catalogue), isError('XYLEM_E_BUSY'))
  assert.equal(run.isOpen, true)
  await writer.end('SIGKILL')
  assert.equal((await next(run, catalogue)).text, 'a')
  run.close()
  assert.equal(run.isOpen, false)
})

test('what nobody holds is collected, in the middle of calls', async (t) => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc')
  const store = newStore(t)
  const steps = Array.from({ length: 20 }, (_, i) => `step ${i} ${half}`)
  const run = await xylem.open(store.path).runStartAsync(catalogue, { sequenceId: 'q', steps, session: 's' })
  for (let i = 0; i < steps.length; i++) {
    const recorder = new xylem.Recorder(steps)
    const later = next(new xylem.Run(run.id), catalogue)
    gc()
    assert.equal(xylem.resolveSequence(catalogue, steps).steps[i].raw, steps[i])
    assert.match(new xylem.Recorder(['a']).status({ get ascii() { gc(); return true } }), /1 step/)
    assert.equal((await later).step.raw, steps[i])
    gc()
    assert.deepEqual(recorder.steps, steps)
    const menu = { get catalogue() { gc(); return catalogue }, get steps() { gc(); return steps }, runId: run.id }
    assert.equal(store.sequenceMenu(menu)[0].word, 'status')
    await new xylem.Run(run.id).doneAsync()
  }
  gc()
  assert.equal((await next(run, catalogue)).state.phase, 'done')
  run.close()
})
