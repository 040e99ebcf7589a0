// /sequence in a terminal: the story that the README tells, and the questions on the way.
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { world } from '../lib/pi.mjs'
import { COUNT, record, recordAndRun } from './recording.mjs'

const EXTENSIONS = ['readonly', 'confirm', 'sequence']

const paste = (terminal, text) => terminal.keys('-l', `\x1b[200~${text}\x1b[201~`)
const heard = (w) => w.model.heard.map(({ text }) => text)

// Records steps in a fresh pi, up to the question for the count.
async function recorded(t, steps, size) {
  const w = await world(t, { extensions: EXTENSIONS })
  const terminal = await w.terminal([], size)
  await record(terminal, steps)
  return { w, terminal }
}

async function running(t, steps, count, size, helpers) {
  const w = await world(t, { extensions: EXTENSIONS, helpers })
  const terminal = await w.terminal([], size)
  await recordAndRun(terminal, steps, count)
  return { w, terminal }
}

test('three steps run twice, pi is killed in the second run, and a person decides in the next pi', async (t) => {
  const { w, terminal } = await running(t, ['one', '/readonly on', '~hold'], '2')
  await terminal.wait('⟳ sequence 1/2 · step 3/3 · ~hold')
  await terminal.wait('🔒 readonly')
  w.model.release()
  await terminal.wait('⟳ sequence 2/2 · step 3/3 · ~hold')
  await w.model.asked(4)
  await terminal.kill()
  const next = await w.terminal(['--continue'])
  await next.wait('Step 3 of 3 in run 2 of 2 was being executed, and its end is not stored')
  await next.wait('🔒 readonly')
  await next.submit('/sequence')
  await next.wait('Execute the step again')
  await next.wait('sequence 2/2 · step 3/3 was cut off')
  assert.equal(w.model.requests.length, 4)
  await next.keys('Enter')
  await w.model.asked(5)
  w.model.release()
  w.model.release()
  await next.wait('✓ sequence · 2 runs')
  await next.gone('⟳ sequence')
  assert.deepEqual(heard(w), ['one', '~hold', 'one', '~hold', '~hold'])
  await next.prompt('still here?') // the terminal takes input again
})

test('a fresh pi after a crash tells of the run, and goes there', async (t) => {
  const { w, terminal } = await running(t, ['one', '~hold'], '1')
  await w.model.asked(2)
  await terminal.kill()
  const next = await w.terminal()
  await next.wait(/The sequence of session \S+ was cut off in run 1 of 1/)
  await next.submit('/sequence')
  await next.wait('Skip the step')
  await next.keys('Down')
  await next.keys('Enter')
  await next.wait('✓ sequence · 1 run')
  await next.wait('heard: one') // the session of the run
  assert.equal(w.model.requests.length, 2)
})

test('Escape ends the wait for a turn that does not begin: whether it begins is not known', async (t) => {
  const w = await world(t, { extensions: EXTENSIONS, helpers: ['slow-turns'] })
  const terminal = await w.terminal()
  await recordAndRun(terminal, ['late', 'two'], '1')
  await terminal.wait('step 1/2 · late · waits for pi to begin the turn')
  await terminal.keys('Escape')
  await terminal.wait('The sequence stands still: whether pi still begins the turn of the step is not known')
  assert.equal(JSON.parse(await w.xylem('sequence', 'runs', '--all', '--json')).runs[0].phase, 'interrupted')
  writeFileSync(join(w.sandbox.project, 'late'), '')
  await w.model.asked(1) // the turn of which nobody knew
  assert.deepEqual(heard(w), ['late'])
})

test('Escape in a turn stops the run', async (t) => {
  const { w, terminal } = await running(t, ['~hold', 'two'], '3')
  await w.model.asked(1)
  await terminal.keys('Escape')
  await terminal.wait('■ sequence 1/3 · stopped at step 1/2')
  w.model.release()
  await terminal.prompt('still here?')
  assert.deepEqual(heard(w), ['~hold', 'still here?'])
})

for (const [answer, down, end] of [['Stop the sequence', 2, 'stopped'], ['Pause the sequence', 1, 'interrupted']]) {
  test(`/new in a run asks: ${answer}`, async (t) => {
    const { w, terminal } = await running(t, ['~hold', 'two'], '2')
    await w.model.asked(1)
    await terminal.submit('/new')
    await terminal.wait('A sequence is running.')
    await terminal.wait('⟳ sequence 1/2 · step 1/2 · ~hold')
    await terminal.answer(...Array(down).fill('Down'), 'Enter')
    await terminal.wait('New session started')
    await terminal.gone('⟳ sequence')
    await terminal.prompt('still here?')
    const { runs } = JSON.parse(await w.xylem('sequence', 'runs', '--json'))
    assert.deepEqual(runs.map(({ phase }) => phase), [end])
    assert.deepEqual(heard(w), ['~hold', 'still here?'])
  })
}

test('/new in a run asks: Stay, and the run goes on', async (t) => {
  const { w, terminal } = await running(t, ['~hold', 'two'], '1')
  await w.model.asked(1)
  await terminal.submit('/new')
  await terminal.wait('A sequence is running.')
  await terminal.wait('→ Stay')
  await terminal.answer('Enter')
  await terminal.gone('A sequence is running.')
  w.model.release()
  await terminal.wait('✓ sequence · 1 run')
  assert.deepEqual(heard(w), ['~hold', 'two'])
})

for (const [down, phase] of [[2, 'stopped'], [1, 'interrupted']]) {
  test(`/tree in a turn of a run aborts the turn, and asks: the run is ${phase}`, async (t) => {
    const { w, terminal } = await running(t, ['one', '~hold'], '1')
    await w.model.asked(2)
    await terminal.climb(2)
    await terminal.wait('A sequence is running.')
    await terminal.answer(...Array(down).fill('Down'), 'Enter')
    await terminal.wait('Navigated to selected point')
    await terminal.gone('⟳ sequence')
    const { runs } = JSON.parse(await w.xylem('sequence', 'runs', '--json'))
    assert.deepEqual(runs.map((run) => run.phase), [phase])
    assert.doesNotMatch(await terminal.screen(), /cut off, not stopped/)
  })
}

test('who types when the sequence asks gives no answer until the keys rest', async (t) => {
  const { w, terminal } = await running(t, ['~hold', 'two'], '1')
  await w.model.asked(1)
  await terminal.submit('/new')
  await terminal.wait('→ Stay')
  for (const [ms, ...names] of [[0, 'Down', 'Enter'], [300, 'Down', 'Down', 'Enter'], [0, 'Escape'], [300, 'Enter']]) {
    await terminal.typing('wait ', ms, ...names)
    await new Promise((later) => { setTimeout(later, 300) })
    await terminal.wait('→ Stay')
  }
  await terminal.typing('wait', 2000, 'Down', 'Enter')
  await terminal.wait('New session started')
  await terminal.wait('wait wait wait wait wait') // in the editor
  const { runs } = JSON.parse(await w.xylem('sequence', 'runs', '--json'))
  assert.deepEqual(runs.map(({ phase }) => phase), ['interrupted'])
})

test('a command that a person types in a turn runs at once, and the run goes on', async (t) => {
  const { w, terminal } = await running(t, ['~hold', '/readonly on', 'two'], '2')
  await w.model.asked(1)
  await terminal.submit('/readonly status') // runs at once, beside the turn
  await terminal.wait("expected on, off or nothing, found 'status'")
  w.model.release()
  w.model.release()
  await terminal.wait('✓ sequence · 2 runs')
  assert.deepEqual(heard(w), ['~hold', 'two', '~hold', 'two'])
})

test('Escape ends the wait for a command that hangs, and a person decides', async (t) => {
  const { w, terminal } = await running(t, ['/linger', 'two'], '1', {}, ['offers'])
  await terminal.wait('waits for /linger')
  await terminal.keys('Escape')
  await terminal.wait('The sequence stands still: whether /linger still takes effect is not known')
  await terminal.submit('/sequence skip')
  await terminal.wait('1 step was skipped')
  assert.deepEqual(heard(w), ['two'])
})

test('the menu and the status fit 40 columns', async (t) => {
  const { w, terminal } = await running(t, ['a prompt that is much longer than the terminal is wide', '~hold'], '2',
    { columns: 40, rows: 40 })
  await w.model.asked(2)
  await terminal.wait('⟳ sequence 1/2 · step 2/2 · ~hold')
  await terminal.submit('/sequence')
  await terminal.wait('Show the run')
  const screen = await terminal.wait('Stop the run')
  assert.match(screen, /1 {2}a prompt that is much longer/)
  await terminal.keys('Down', 'Down', 'Enter')
  await terminal.wait('■ sequence 1/2')
})

test('a question about a command ends the question whether to leave, and the run goes on', async (t) => {
  const w = await world(t, { extensions: EXTENSIONS })
  const terminal = await w.terminal()
  await terminal.submit('/sequence new')
  await terminal.wait('● recording')
  const wait = 'touch begun; while [ ! -e go ]; do sleep 0.05; done'
  await paste(terminal, [wait, 'rm -rf keep'].map((command) => `~tool bash ${JSON.stringify({ command })}`).join('\n'))
  await terminal.wait('rm -rf keep')
  await terminal.keys('Enter')
  await terminal.wait('1 step ·')
  await terminal.submit('/done')
  await terminal.wait('Run this sequence how many times?')
  await terminal.keys('Enter')
  await w.until(() => existsSync(join(w.sandbox.project, 'begun')), 'the first command')
  await terminal.submit('/new')
  await terminal.wait('A sequence is running.')
  writeFileSync(join(w.sandbox.project, 'go'), '')
  await terminal.wait('→ Block')
  await terminal.answer('Enter')
  await terminal.wait('✓ sequence · 1 run')
})
