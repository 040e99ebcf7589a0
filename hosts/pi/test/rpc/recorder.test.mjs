// The recorder by dialogs, over RPC.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { world } from '../lib/pi.mjs'

const TITLE = (number) => `Step ${number} (empty or /done ends, cancel gives up)`
const CHOICES = ['Add a step', 'Done', 'Cancel']

// A recording, and what the person answers to each dialog: [method, title or its beginning, answer, options].
async function recordingPi(t, steps) {
  const w = await world(t, { extensions: [], helpers: ['recording', 'commands', 'recorder'] })
  const pi = w.start()
  await pi.send('get_state')
  let from = pi.lines.length
  const command = pi.command(`/recording ${steps ? JSON.stringify(steps) : ''}`)
  const isDialog = ({ method }) => ['select', 'input', 'editor'].includes(method)
  async function dialog() {
    const found = await pi.wait(isDialog, 'a dialog', from)
    from = pi.lines.indexOf(found) + 1
    return found
  }
  return {
    w,
    pi,
    dialog,
    async expect(method, title, answer, options) {
      const found = await dialog()
      assert.deepEqual({ method: found.method, title: found.title, options: found.options }, { method, title, options })
      pi.answer(found, answer)
      return found
    },
    async outcome() {
      await command
      const [{ outcome, problem }] = w.records('recording')
      assert.equal(problem, undefined)
      assert.equal(pi.lines.slice(from).some(isDialog), false)
      return outcome
    },
  }
}

for (const done of ['', ' ', '/done']) {
  test(`steps are asked for until ${JSON.stringify(done)}`, async (t) => {
    const { w, expect, outcome } = await recordingPi(t)
    await expect('input', TITLE(1), 'Plan it for $@')
    await expect('input', TITLE(2), '/readonly on')
    await expect('input', TITLE(3), 'two\nlines')
    await expect('input', TITLE(4), done)
    assert.deepEqual(await outcome(), { steps: ['Plan it for $@', '/readonly on', 'two\nlines'], changed: true })
    assert.equal(w.model.requests.length, 0)
  })
}

test('a cancelled dialog gives up', async (t) => {
  const { expect, outcome } = await recordingPi(t)
  await expect('input', TITLE(1), 'one')
  await expect('input', TITLE(2), undefined)
  assert.equal(await outcome(), null)
})

test('the title of the next dialog has the reason of a refusal, a warning, and that there are no steps', async (t) => {
  const { expect, outcome } = await recordingPi(t)
  await expect('input', TITLE(1), '/new')
  await expect('input', `${TITLE(1)}\n/new is no step: each run after the first begins in a new session by itself`, '')
  await expect('input', `${TITLE(1)}\nthe sequence has no steps`, '/readonly')
  await expect('input', `${TITLE(2)}\nStep 1 is taken: the command toggles without an argument: every second run ` +
    'gets the other state', '/done')
  assert.deepEqual(await outcome(), { steps: ['/readonly'], changed: true })
})

test('steps that are there are changed, removed and added', async (t) => {
  const { pi, expect, outcome } = await recordingPi(t, ['one', 'two\nlines', 'three'])
  const menu = (rows, answer, message = '') => expect('select',
    `Sequence, ${rows.length} ${rows.length === 1 ? 'step' : 'steps'}${message}`, answer, [...rows, ...CHOICES])
  await menu(['1. one', '2. two⏎lines', '3. three'], '2. two⏎lines')
  await expect('select', 'Step 2: two⏎lines', 'Change', ['Change', 'Remove', 'Back'])
  const first = await expect('editor', 'Step 2', '!two')
  assert.equal(first.prefill, 'two\nlines')
  const second = await expect('editor', "Step 2\n'!two' runs a shell command, which a sequence cannot do: ask for it " +
    'in words', '/readonly')
  assert.equal(second.prefill, '!two')
  await menu(['1. one', '2. /readonly', '3. three'], '1. one')
  assert.match(pi.notices().at(-1).message, /^Step 2 is taken: the command toggles/)
  await expect('select', 'Step 1: one', 'Remove', ['Change', 'Remove', 'Back'])
  await menu(['1. /readonly', '2. three'], '2. three')
  await expect('select', 'Step 2: three', 'Back', ['Change', 'Remove', 'Back'])
  await menu(['1. /readonly', '2. three'], '2. three')
  await expect('select', 'Step 2: three', 'Change', ['Change', 'Remove', 'Back'])
  await expect('editor', 'Step 2', undefined)
  await menu(['1. /readonly', '2. three'], 'Add a step')
  await expect('input', 'Step 3 (empty goes back)', '')
  await menu(['1. /readonly', '2. three'], 'Add a step')
  await expect('input', 'Step 3 (empty goes back)', '/a/b')
  await expect('input', "Step 3 (empty goes back)\n'/a/b' is no command: a name follows the slash, without another " +
    'slash; to send it as text begin with a word', 'Done')
  await menu(['1. /readonly', '2. three', '3. Done'], 'Done')
  assert.deepEqual(await outcome(), { steps: ['/readonly', 'three', 'Done'], changed: true })
})

test('an edit without changes, a cancelled edit, and an edit that removes all steps', async (t) => {
  const unchanged = await recordingPi(t, ['one'])
  await unchanged.expect('select', 'Sequence, 1 step', 'Done', ['1. one', ...CHOICES])
  assert.deepEqual(await unchanged.outcome(), { steps: ['one'], changed: false })
  for (const answer of ['Cancel', undefined]) {
    const cancelled = await recordingPi(t, ['one'])
    await cancelled.expect('select', 'Sequence, 1 step', answer, ['1. one', ...CHOICES])
    assert.equal(await cancelled.outcome(), null)
  }
  const removed = await recordingPi(t, ['one'])
  await removed.expect('select', 'Sequence, 1 step', '1. one', ['1. one', ...CHOICES])
  await removed.expect('select', 'Step 1: one', 'Remove', ['Change', 'Remove', 'Back'])
  await removed.expect('select', 'Sequence, 0 steps', 'Done', CHOICES)
  await removed.expect('select', 'Sequence, 0 steps\nthe sequence has no steps', 'Add a step', CHOICES)
  await removed.expect('input', 'Step 1 (empty goes back)', 'two')
  await removed.expect('select', 'Sequence, 1 step', undefined, ['1. two', ...CHOICES])
  assert.equal(await removed.outcome(), null)
})

for (const [what, replace] of [['a new session', (pi) => pi.send('new_session')],
  ['a reload', (pi) => pi.command('/again')]]) {
  for (const method of ['input', 'select', 'editor']) {
    test(`${what} ends the recording in the dialog '${method}'`, async (t) => {
      const { w, pi, dialog, expect, outcome } = await recordingPi(t, method === 'input' ? undefined : ['one'])
      if (method === 'editor') {
        await expect('select', 'Sequence, 1 step', '1. one', ['1. one', ...CHOICES])
        await expect('select', 'Step 1: one', 'Change', ['Change', 'Remove', 'Back'])
      }
      assert.equal((await dialog()).method, method)
      await replace(pi)
      assert.equal(await outcome(), null)
      await pi.prompt('after')
      assert.deepEqual(w.records('uncaught'), [])
    })
  }
}
