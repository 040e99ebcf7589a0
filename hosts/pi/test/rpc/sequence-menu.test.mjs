// The menu of /sequence, its subcommands, the count and the arguments, over RPC.
import assert from 'node:assert/strict'
import { SEQUENCE, assertSilent, customs, ended, heard, ledger, newest, notice, path, play, record, runs, say,
  sequencePi, sequenceWorld, started, test, told } from './runs.mjs'
import { exported } from './moves.mjs'

const COUNT = 'Run this sequence how many times? [1]'
const ARGUMENTS = /^Arguments of this run/
const ROWS = { run: 'Run the sequence', edit: 'Edit the sequence', new: 'Record a new sequence', cancel: 'Cancel' }

// The snapshots on the path of a session, the oldest first.
async function snapshots(w, pi) {
  const id = await pi.sessionId()
  return customs(await path(w, id), 'sequence')
}

// --- The menu ---

test('the menu shows the steps as authored, and four rows', async (t) => {
  const { w, pi } = await sequencePi(t, ['/readonly on', 'Plan $@\nin detail', '/plan x'])
  const [menu] = await say(pi, '/sequence', undefined)
  assert.equal(menu.method, 'select')
  for (const text of ['/readonly on', 'Plan $@', 'in detail', '/plan x']) {
    assert.ok(menu.title.includes(text), text)
  }
  assert.deepEqual(menu.options.slice(1), [ROWS.edit, ROWS.new, ROWS.cancel])
  assert.ok(menu.options[0].startsWith(ROWS.run))
  await assertSilent(w, pi, 0)
})

for (const answer of [undefined, ROWS.cancel]) {
  test(`${answer ?? 'no answer'} in the menu starts nothing`, async (t) => {
    const { w, pi } = await sequencePi(t, ['one'])
    await say(pi, '/sequence', answer)
    await assertSilent(w, pi, 0)
    assert.deepEqual(await runs(w), [])
  })
}

test('run in the menu asks the count, and runs', async (t) => {
  const { w, pi } = await sequencePi(t, ['one'])
  const [, count] = await say(pi, '/sequence', ROWS.run, '2')
  assert.equal(count.method, 'input')
  assert.equal(count.title, COUNT)
  assert.equal(await ended(pi), '✓ sequence · 2 runs')
  assert.deepEqual(heard(w), ['one', 'one'])
})

test('a disabled run shows its reason, says the reason if it is chosen, and asks again', async (t) => {
  const { w, pi } = await sequencePi(t, ['one', '/nobody'])
  const from = pi.lines.length
  const [menu] = await say(pi, '/sequence', undefined)
  const row = menu.options.find((option) => option.startsWith(ROWS.run))
  assert.match(row, /\/nobody/)
  const [, again] = await say(pi, '/sequence', row, undefined)
  assert.deepEqual(again.options, menu.options)
  await notice(pi, /no command, prompt or skill \/nobody/, from)
  assert.deepEqual(await runs(w), [])
  assert.deepEqual(heard(w), [])
})

test('while a run goes on the menu offers its status and its stop', async (t) => {
  const { w, pi } = await sequencePi(t, ['~hold'])
  await started(w, pi, 'run 1', 1)
  const [menu] = await say(pi, '/sequence', 'Stop the run')
  assert.deepEqual(menu.options, ['Show the run', 'Pause the run behind this step', 'Stop the run', 'Cancel'])
  assert.match(await ended(pi), /^■/)
})

// --- The count ---

test('an empty count is 1, and the default is in the question', async (t) => {
  const { w, pi } = await sequencePi(t, ['one'])
  const [count] = await say(pi, '/sequence run', '')
  assert.equal(count.title, COUNT)
  assert.equal(await ended(pi), '✓ sequence · 1 run')
  assert.deepEqual(heard(w), ['one'])
})

test('a bad count is said, and asked again, until a good count', async (t) => {
  const { w, pi } = await sequencePi(t, ['one'])
  const from = pi.lines.length
  const bad = ['0', '-1', '1.5', 'x', '1e3', '1001', '0x2', 'two words']
  const questions = await say(pi, '/sequence run', ...bad, ' 2 ')
  assert.deepEqual(new Set(questions.map(({ title }) => title)), new Set([COUNT]))
  for (const text of bad) {
    const { notifyType } = await notice(pi, new RegExp(`^a run has 1 to 1000 iterations, not ${text}$`), from)
    assert.equal(notifyType, 'error')
  }
  await ended(pi)
  assert.deepEqual(heard(w), ['one', 'one'])
})

test('Escape at the count cancels the run, and the sequence stays', async (t) => {
  const { w, pi } = await sequencePi(t, ['one'])
  await say(pi, '/sequence run', undefined)
  await assertSilent(w, pi, 0)
  assert.deepEqual(await runs(w), [])
  assert.equal(await play(pi, 'run 1'), '✓ sequence · 1 run')
})

test('a count in the command is not asked for, and a bad count refuses', async (t) => {
  const { w, pi } = await sequencePi(t, ['one'])
  for (const count of ['0', '1001', '-3', 'x']) {
    const from = pi.lines.length
    await say(pi, `/sequence run ${count}`)
    await notice(pi, new RegExp(`a run has 1 to 1000 iterations, not ${count}`), from)
  }
  assert.deepEqual(await runs(w), [])
  const from = pi.lines.length
  assert.equal(await play(pi, 'run 3'), '✓ sequence · 3 runs')
  assert.equal(pi.lines.slice(from).some(({ method }) => method === 'input' || method === 'select'), false)
  assert.deepEqual(heard(w), ['one', 'one', 'one'])
})

// --- The arguments ---

test('arguments are asked for where a step has $@, and an answer replaces the placeholders', async (t) => {
  const { w, pi } = await sequencePi(t, ['Plan $@', 'Test $2 of $1', 'costs $5, $ARGUMENTS'])
  const questions = await say(pi, '/sequence run 1', 'parser "two words"')
  assert.equal(questions.length, 1)
  assert.match(questions[0].title, ARGUMENTS)
  await ended(pi)
  assert.deepEqual(heard(w), ['Plan parser two words', 'Test two words of parser', 'costs $5, parser two words'])
  assert.deepEqual((await ledger(w))[0].data.args, ['parser', 'two words'])
})

test('$ARGUMENTS and ${@:2} are asked for too', async (t) => {
  for (const step of ['a $ARGUMENTS', 'a ${@:2}']) {
    const { pi } = await sequencePi(t, [step])
    assert.equal((await say(pi, '/sequence run 1', undefined)).length, 1)
  }
})

test('no arguments: the placeholders of all arguments become empty', async (t) => {
  const { w, pi } = await sequencePi(t, ['Plan for $@.', '$1 and $5 stay'])
  await say(pi, '/sequence run 1', '')
  await ended(pi)
  assert.deepEqual(heard(w), ['Plan for .', '$1 and $5 stay'])
  assert.deepEqual((await ledger(w))[0].data.args, [])
})

test('Escape at the arguments cancels the run', async (t) => {
  const { w, pi } = await sequencePi(t, ['Plan $@'])
  await say(pi, '/sequence run 1', undefined)
  await assertSilent(w, pi, 0)
  assert.deepEqual(await runs(w), [])
})

test('arguments in the command are not asked for; quotes keep words together', async (t) => {
  const { w, pi } = await sequencePi(t, ['Plan $1 for $2, of $@'])
  const from = pi.lines.length
  await play(pi, 'run 2 "the parser" \'my "own" team\'')
  assert.equal(pi.lines.slice(from).some(({ method }) => method === 'input'), false)
  const text = 'Plan the parser for my "own" team, of the parser my "own" team'
  assert.deepEqual(heard(w), [text, text])
})

test('without $@ nothing is asked, and $5 and $1 are sent as authored', async (t) => {
  const { w, pi } = await sequencePi(t, ['costs $5 or $1'])
  await play(pi, 'run 1')
  assert.deepEqual(heard(w), ['costs $5 or $1'])
  assert.equal((await ledger(w))[0].data.args, null)
})

test('an argument is replaced once, and never becomes a command', async (t) => {
  const { w, pi } = await sequencePi(t, ['$1', 'and $2'])
  await play(pi, "run 1 /new '$1'")
  assert.deepEqual(heard(w), ['/new', 'and $1'])
  assert.equal(w.files().length, 1)
})

// --- Subcommands ---

test('a word that is no subcommand is refused, and names the subcommands', async (t) => {
  const { w, pi } = await sequencePi(t, ['one'])
  const { notifyType } = await told(pi, '/sequence walk', /run.*edit.*new.*status.*stop.*continue.*retry.*skip/s)
  assert.notEqual(notifyType, 'info')
  await assertSilent(w, pi, 0)
})

for (const word of ['stop', 'continue', 'retry', 'skip', 'status']) {
  test(`without a run \`${word}\` says that there is none`, async (t) => {
    const { w, pi } = await sequencePi(t, ['one'])
    await told(pi, `/sequence ${word}`, /no|none|not/i)
    assert.equal(w.model.requests.length, 0)
  })
}

test('the status of a run that ended says how', async (t) => {
  const { pi } = await sequencePi(t, ['one'])
  await play(pi, 'run 2')
  await told(pi, '/sequence status', /✓ sequence · 2 runs/)
})

// --- Recording by dialogs ---

test('new: steps by dialogs, then the count, then the run; the session has the snapshot', async (t) => {
  const w = await sequenceWorld(t)
  const pi = w.start()
  const questions = await say(pi, '/sequence new', 'one', 'two', '/done', '2')
  assert.equal(questions.at(-1).title, COUNT)
  assert.equal(await ended(pi), '✓ sequence · 2 runs')
  assert.deepEqual(heard(w), ['one', 'two', 'one', 'two'])
  const [snapshot] = await snapshots(w, pi)
  assert.deepEqual(snapshot.steps, ['one', 'two'])
  assert.match(snapshot.sequenceId, /^[0-9a-f-]{36}$/)
  assert.equal((await newest(w)).sequence_id, snapshot.sequenceId)
})

test('without a sequence /sequence records at once', async (t) => {
  const w = await sequenceWorld(t)
  const pi = w.start()
  await say(pi, '/sequence', 'one', '/done', '1')
  await ended(pi)
  assert.deepEqual(heard(w), ['one'])
})

test('Escape at the count keeps the recording', async (t) => {
  const w = await sequenceWorld(t)
  const pi = w.start()
  await say(pi, '/sequence new', 'one', '/done', undefined)
  await assertSilent(w, pi, 0)
  assert.deepEqual((await snapshots(w, pi)).map(({ steps }) => steps), [['one']])
  await play(pi, 'run 1')
  assert.deepEqual(heard(w), ['one'])
})

test('a cancelled recording keeps nothing', async (t) => {
  const { w, pi } = await sequencePi(t, ['old'])
  await say(pi, '/sequence new', 'one', undefined)
  await assertSilent(w, pi, 0)
  assert.deepEqual((await snapshots(w, pi)).map(({ steps }) => steps), [['old']])
  assert.equal((await say(pi, '/sequence', undefined))[0].title.includes('old'), true)
})

const REFUSED = [['/goto x', /Unsupported|belongs to the extension .*commands\.ts/], ['/settings', /opens a dialog/],
  ['/new', /\/new is no step/], ['/sequence', /cannot run a sequence/], ['!ls', /shell command/],
  ['/nobody', /no command, prompt or skill \/nobody/], ['/etc/hosts', /is no command/]]

test('a step that cannot be run is refused while recording, visibly, and is not taken', async (t) => {
  const w = await sequenceWorld(t)
  const pi = w.start()
  await say(pi, '/sequence new', 'one', ...REFUSED.map(([step]) => step), 'two', '/done', undefined)
  for (const [step, pattern] of REFUSED) {
    const shown = pi.lines.filter(({ method }) => ['notify', 'input', 'select'].includes(method))
    assert.ok(shown.some(({ message, title }) => pattern.test(message ?? title)), step)
  }
  assert.deepEqual((await snapshots(w, pi)).map(({ steps }) => steps), [['one', 'two']])
})

// --- A snapshot of pi-agenticoding ---

test('a snapshot of pi-agenticoding is restored and run', async (t) => {
  const w = await sequenceWorld(t)
  const pi = w.start()
  await record(pi, ['one', 'two'], { type: 'agenticoding-sequence', sequenceId: 'their-id' })
  assert.ok((await say(pi, '/sequence', undefined))[0].title.includes('two'))
  await play(pi, 'run 2')
  assert.deepEqual(heard(w), ['one', 'two', 'one', 'two'])
  assert.equal((await newest(w)).sequence_id, 'their-id')
})

test('a snapshot of pi-agenticoding is edited, and kept as ours with their id', async (t) => {
  const w = await sequenceWorld(t)
  const pi = w.start()
  await record(pi, ['one', 'two'], { type: 'agenticoding-sequence', sequenceId: 'their-id' })
  await say(pi, '/sequence edit', 'Add a step', 'three', 'Done', '1')
  await ended(pi)
  assert.deepEqual(heard(w), ['one', 'two', 'three'])
  const [kept] = await snapshots(w, pi)
  const { updatedAt, ...rest } = kept
  assert.deepEqual(rest, { version: 1, sequenceId: 'their-id', steps: ['one', 'two', 'three'] })
  assert.ok(Number.isInteger(updatedAt) && updatedAt > 1)
})

test('an edit that changes nothing appends nothing', async (t) => {
  const { w, pi } = await sequencePi(t, ['one', 'two'])
  await say(pi, '/sequence edit', 'Done', undefined)
  await assertSilent(w, pi, 0)
  assert.equal((await snapshots(w, pi)).length, 1)
})

test('an edit keeps the id, changes and removes steps, and refuses what cannot be run', async (t) => {
  const { w, pi } = await sequencePi(t, ['one', 'two', 'three'])
  const from = pi.lines.length
  await say(pi, '/sequence edit', '2. two', 'Change', '/settings', 'second', '1. one', 'Remove', 'Done', '1')
  assert.ok(pi.lines.slice(from).some(({ title }) => /\/settings opens a dialog/.test(title)))
  await ended(pi)
  assert.deepEqual(heard(w), ['second', 'three'])
  const [, kept] = await snapshots(w, pi)
  assert.deepEqual({ id: kept.sequenceId, steps: kept.steps }, { id: SEQUENCE, steps: ['second', 'three'] })
})

test('a cancelled edit keeps the old steps', async (t) => {
  const { w, pi } = await sequencePi(t, ['one'])
  await say(pi, '/sequence edit', 'Add a step', 'two', 'Cancel')
  await play(pi, 'run 1')
  assert.deepEqual(heard(w), ['one'])
})

test('the newest valid snapshot of the path counts', async (t) => {
  const { w, pi } = await sequencePi(t, ['old'])
  await record(pi, ['new'])
  await pi.command('/entry sequence {"version":2,"steps":["later"]}')
  await pi.command('/again')
  await play(pi, 'run 1')
  assert.deepEqual(heard(w), ['new'])
})

test('where the branch has no snapshot there is no sequence', async (t) => {
  const w = await sequenceWorld(t)
  const pi = w.start()
  await pi.prompt('hello')
  const id = await pi.sessionId()
  await exported(w, id)
  const before = (await path(w, id)).at(-1).id
  await record(pi, ['one'])
  await pi.prompt('behind')
  assert.equal((await say(pi, '/sequence', undefined))[0].options.length, 4)
  await pi.command(`/goto ${before}`)
  await told(pi, '/sequence run 1', /no (recorded )?sequence|record/i)
  assert.deepEqual(heard(w), ['hello', 'behind'])
  assert.deepEqual(await runs(w), [])
})

test('the id of the sequence goes with the run', async (t) => {
  const { w, pi } = await sequencePi(t, ['one'])
  await play(pi, 'run 1')
  assert.equal((await newest(w)).sequence_id, SEQUENCE)
})
