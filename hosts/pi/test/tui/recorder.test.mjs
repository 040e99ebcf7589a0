// The recorder in pi's editor.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { world } from '../lib/pi.mjs'

const CTRL_ENTER = { csiU: ['-l', '\x1b[13;5u'], xterm: ['-l', '\x1b[27;5;13~'] }
const RECORDING = '● recording'
const MANY = Array.from({ length: 30 }, (_, i) => `step number ${i + 1}`)

// A terminal in which a recording goes on.
async function recordingTerminal(t, { steps, size, before, helpers = [] } = {}) {
  const w = await world(t, { extensions: [], helpers: ['recording', ...helpers] })
  await before?.(w)
  const terminal = await w.terminal([], size)
  await record(terminal, steps)
  return { w, terminal }
}

async function record(terminal, steps) {
  await terminal.type(`/recording ${steps ? JSON.stringify(steps) : ''}`)
  await terminal.wait(RECORDING)
}

async function outcomeOf(w, count = 1) {
  await w.until(() => w.records('recording').length === count, 'the end of the recording')
  const { outcome, problem } = w.records('recording').at(-1)
  assert.equal(problem, undefined)
  return outcome
}

// Enters a step, which the widget shows then.
async function enter(terminal, number, text) {
  await terminal.submit(text)
  await terminal.wait(`${number}  ${text}`)
}

const end = (terminal) => terminal.keys(...CTRL_ENTER.csiU)
const paste = (terminal, text) => terminal.keys('-l', `\x1b[200~${text}\x1b[201~`)
// The text of the editor stands between two rules.
const editorText = (screen) =>
  /\n─+[^\n]*\n([^]*?)\n─+/.exec(screen)?.[1].split('\n').map((line) => line.trim()).join('\n')
const waitEditor = (w, terminal, text) =>
  w.until(async () => editorText(await terminal.screen()) === text, `'${text}' in the editor`)

test('Enter adds steps, the widget shows the steps as typed, and Ctrl+Enter ends', async (t) => {
  const { w, terminal } = await recordingTerminal(t)
  await terminal.wait('Sequence, 0 steps')
  await terminal.wait('Enter adds · Ctrl+Enter, Ctrl+J or /done ends · Alt+↑↓ step · Esc cancels')
  await enter(terminal, 1, 'Plan  it for $@')
  await terminal.wait(`${RECORDING} · 1 step ·`)
  await enter(terminal, 2, '/readonly on')
  await enter(terminal, 3, '/compact keep the plan')
  await terminal.wait(`${RECORDING} · 3 steps ·`)
  await terminal.wait('Sequence, 3 steps')
  await end(terminal)
  assert.deepEqual(await outcomeOf(w),
    { steps: ['Plan  it for $@', '/readonly on', '/compact keep the plan'], changed: true })
  await terminal.gone(RECORDING)
  await terminal.gone('Sequence, 3 steps')
  assert.equal(w.model.requests.length, 0)
})

for (const [name, keys] of [['CSI u', CTRL_ENTER.csiU], ['xterm', CTRL_ENTER.xterm], ['ctrl+j', ['C-j']]]) {
  test(`${name} takes the text in the editor, and ends`, async (t) => {
    const { w, terminal } = await recordingTerminal(t)
    await enter(terminal, 1, 'one')
    await terminal.keys('-l', 'the last')
    await terminal.keys(...keys)
    assert.deepEqual(await outcomeOf(w), { steps: ['one', 'the last'], changed: true })
    await terminal.prompt('after')
  })
}

for (const key of ['Enter', 'M-Enter', 'C-j']) { // Alt+Enter submits too
  test(`/done and ${key} end, although pi would complete it, and it is no step`, async (t) => {
    const { w, terminal } = await recordingTerminal(t, { steps: ['one'], before: addTemplate })
    await terminal.keys('-l', '/done')
    await terminal.wait('The document of the test')
    await terminal.keys(key)
    assert.deepEqual(await outcomeOf(w), { steps: ['one'], changed: false })
  })
}

test('/done in the place of a chosen step ends, and the step stays', async (t) => {
  const { w, terminal } = await recordingTerminal(t, { steps: ['one'] })
  await terminal.keys('M-Up', 'C-u')
  await terminal.submit('/done')
  assert.deepEqual(await outcomeOf(w), { steps: ['one'], changed: false })
})

test('a recording without steps does not end', async (t) => {
  const { w, terminal } = await recordingTerminal(t)
  for (const done of [() => end(terminal), () => terminal.submit('/done')]) {
    await done()
    await terminal.wait('the sequence has no steps')
    await terminal.keys('x', 'BSpace')
    await terminal.gone('the sequence has no steps')
  }
  await terminal.keys('Enter') // an empty line is no step
  await terminal.keys('-l', 'one')
  await end(terminal)
  assert.deepEqual(await outcomeOf(w), { steps: ['one'], changed: true })
})

test('Escape cancels, and what stood in the editor before is there again', async (t) => {
  const w = await world(t, { extensions: [], helpers: ['recording'] })
  const terminal = await w.terminal()
  await terminal.keys('-l', 'a message')
  await terminal.wait('a message')
  await terminal.keys('F9')
  await terminal.gone('a message')
  await terminal.wait(RECORDING)
  await enter(terminal, 1, 'one')
  await terminal.keys('-l', 'half a st')
  await terminal.wait('half a st')
  await terminal.keys('Escape')
  assert.equal(await outcomeOf(w), null)
  await terminal.gone(RECORDING)
  await terminal.gone('half a st')
  await waitEditor(w, terminal, 'a message')
  await terminal.keys('Enter')
  await terminal.wait('heard: a message')
})

test("a bare newline ends the recording, except with kitty's protocol", async (t) => {
  const { w, terminal } = await recordingTerminal(t)
  await terminal.keys('-l', '\x1b[?7u') // the answer of a terminal that has the protocol
  await terminal.keys('-l', 'one')
  await terminal.keys('-l', '\n')
  await terminal.keys('-l', 'two')
  await terminal.wait(/one\ntwo/)
  await terminal.keys('-l', '\x1b[106;5u')
  assert.deepEqual(await outcomeOf(w), { steps: ['one\ntwo'], changed: true })
})

test('a refused text stays unchanged in the editor, with the reason, until the next change', async (t) => {
  const { w, terminal } = await recordingTerminal(t)
  for (const [text, reason] of [
    ['  !ls -l', "'!ls -l' runs a shell command"],
    ['/model', '/model opens a dialog of the host'],
    ['/handoff now', '/handoff belongs to the extension /elsewhere/handoff.ts'],
    ['/nowhere', 'there is no command, prompt or skill /nowhere'],
    ['/new', '/new is no step'],
  ]) {
    for (const keys of [['Enter'], CTRL_ENTER.csiU]) {
      await paste(terminal, text)
      await terminal.keys(...keys)
      const screen = await terminal.wait(reason)
      assert.ok(screen.includes(`\n${text}`), `'${text}' is not in the editor:\n${screen}`)
      await terminal.keys('-l', 'x')
      await terminal.gone(reason)
      await terminal.keys('C-u')
      await terminal.gone(`${text}x`)
    }
  }
  await terminal.keys('Escape')
  assert.equal(await outcomeOf(w), null)
})

test('a step with a warning is taken, and the warning shows', async (t) => {
  const { w, terminal } = await recordingTerminal(t)
  await enter(terminal, 1, '/readonly')
  await terminal.wait('Step 1 is taken: the command toggles without an argument: every second run gets the other state')
  await terminal.keys('-l', '/readonly')
  await terminal.gone('is taken')
  await end(terminal)
  assert.deepEqual(await outcomeOf(w), { steps: ['/readonly', '/readonly'], changed: true })
  await terminal.gone(RECORDING)
  await terminal.wait('Step 2 is taken: the command toggles')
})

test('the limit of steps refuses a step, which stays in the editor', async (t) => {
  const { w, terminal } = await recordingTerminal(t, { steps: Array.from({ length: 100 }, (_, i) => `step ${i}`) })
  await terminal.submit('one too many')
  await terminal.wait(/100 steps|at most 100/)
  await waitEditor(w, terminal, 'one too many')
  await terminal.keys('Escape')
  assert.equal(await outcomeOf(w), null)
})

// Templates that pi completes.
function addTemplate({ sandbox }) {
  mkdirSync(join(sandbox.agent, 'prompts'))
  writeFileSync(join(sandbox.agent, 'prompts/plan.md'), '---\ndescription: The plan of the test\n---\nPlan $@')
  writeFileSync(join(sandbox.agent, 'prompts/document-one.md'), '---\ndescription: The document of the test\n---\nDo')
}

test('completion works while recording, Escape closes it, and afterwards it works in the former editor', async (t) => {
  const { w, terminal } = await recordingTerminal(t, { before: addTemplate })
  await terminal.keys('-l', '/pla')
  await terminal.wait('The plan of the test')
  await terminal.keys('Escape')
  await terminal.gone('The plan of the test')
  await terminal.wait(RECORDING)
  await terminal.keys('-l', 'n')
  await terminal.wait('The plan of the test')
  await terminal.keys('Tab')
  await terminal.keys('-l', 'a feature')
  await terminal.wait('/plan a feature')
  await end(terminal)
  assert.deepEqual(await outcomeOf(w), { steps: ['/plan a feature'], changed: true })
  await terminal.gone(RECORDING)
  await terminal.keys('-l', '/pla')
  await terminal.wait('The plan of the test')
  await terminal.keys('Tab')
  await terminal.keys('-l', 'it')
  await terminal.wait('/plan it')
  await terminal.keys('Enter')
  await terminal.wait('heard: Plan it')
})

test('the history has the messages of the branch and the added steps, and pi keeps its own history', async (t) => {
  const w = await world(t, { extensions: [], helpers: ['recording'] })
  const terminal = await w.terminal()
  await terminal.prompt('first message')
  await terminal.prompt('second message')
  await record(terminal)
  await enter(terminal, 1, 'a step')
  for (const text of ['a step', 'second message', 'first message']) {
    await terminal.keys('Up')
    await waitEditor(w, terminal, text)
  }
  await terminal.keys('Enter')
  await terminal.wait('2  first message')
  await end(terminal)
  assert.deepEqual(await outcomeOf(w), { steps: ['a step', 'first message'], changed: true })
  await terminal.gone(RECORDING)
  await terminal.keys('Up')
  await waitEditor(w, terminal, '/recording')
  await terminal.keys('Up')
  await waitEditor(w, terminal, 'second message')
})

test('steps of several lines, and a paste that the editor folds, are taken whole', async (t) => {
  const { w, terminal } = await recordingTerminal(t)
  const long = Array.from({ length: 40 }, (_, i) => `line ${i}`).join('\n')
  await paste(terminal, 'one\ntwo\nthree\nfour\nfive')
  await terminal.keys('Enter')
  await terminal.wait('(2 more lines)')
  await terminal.keys('-l', 'six')
  await terminal.keys('-l', '\x1b[13;2u') // shift+enter
  await terminal.keys('-l', 'seven')
  await terminal.keys('Enter')
  await terminal.wait(/2 {2}six\n +seven/)
  await paste(terminal, long)
  await terminal.wait('[paste #1 +40 lines]')
  await terminal.keys('-l', ' and more')
  await terminal.keys('Enter')
  await terminal.wait('(37 more lines)')
  await paste(terminal, `!${long}`) // refused: the text is there whole
  await terminal.wait('[paste #1 +40 lines]')
  await terminal.keys('Enter')
  await terminal.wait('runs a shell command')
  await terminal.keys('C-a', ...Array(39).fill('Up'), 'C-a', 'DC')
  await terminal.keys('Enter')
  await terminal.wait('Sequence, 4 steps')
  await paste(terminal, long)
  await terminal.wait('[paste #1 +40 lines]')
  await end(terminal)
  assert.deepEqual(await outcomeOf(w),
    { steps: ['one\ntwo\nthree\nfour\nfive', 'six\nseven', `${long} and more`, long, long], changed: true })
})

test('a chosen step is replaced, removed, or left, and what was being typed waits', async (t) => {
  const steps = ['first', '/readonly on', 'tab\there', 'fourth']
  const { w, terminal } = await recordingTerminal(t, { steps })
  await terminal.keys('-l', 'a draft')
  await terminal.keys('M-Up', 'M-Up')
  await terminal.wait('▸  3  tab')
  await terminal.wait('Enter replaces step 3')
  await terminal.keys('Enter') // not changed: the tab stays
  await waitEditor(w, terminal, 'a draft')
  await terminal.keys('M-Up', 'M-Up', 'M-Up', 'M-Up', 'M-Up')
  await terminal.wait('▸  1  first')
  await waitEditor(w, terminal, 'first')
  await terminal.keys('-l', ' of all')
  await terminal.keys('Enter')
  await terminal.wait('1  first of all')
  await waitEditor(w, terminal, 'a draft')
  await terminal.keys('M-Up', 'M-Up', 'M-Up')
  await terminal.wait('▸  2  /readonly on')
  await terminal.keys('-l', 'off') // /readonly onoff
  await terminal.keys('Enter')
  await terminal.wait("not 'onoff'")
  await terminal.wait('▸  2  /readonly on')
  await terminal.keys('C-u', 'Enter')
  await terminal.wait('Sequence, 3 steps')
  await waitEditor(w, terminal, 'a draft')
  await terminal.keys('M-Up', 'M-Down', 'M-Down')
  await waitEditor(w, terminal, 'a draft')
  await terminal.keys('M-Up')
  await end(terminal) // takes the draft too
  assert.deepEqual(await outcomeOf(w), { steps: ['first of all', 'tab\there', 'fourth', 'a draft'], changed: true })
})

test('a step that was chosen and changed counts when the recording ends', async (t) => {
  const { w, terminal } = await recordingTerminal(t, { steps: ['one', 'two'] })
  await terminal.keys('-l', 'three')
  await terminal.keys('M-Up')
  await terminal.keys('-l', ' and a half')
  await end(terminal)
  assert.deepEqual(await outcomeOf(w), { steps: ['one', 'two and a half', 'three'], changed: true })
})

test('a step that no longer resolves does not keep the recording from its end, unless it is entered', async (t) => {
  const { w, terminal } = await recordingTerminal(t, { steps: ['/nowhere', 'two'] })
  await terminal.keys('M-Up', 'M-Up', 'Enter')
  await terminal.wait('there is no command, prompt or skill /nowhere')
  await end(terminal)
  assert.deepEqual(await outcomeOf(w), { steps: ['/nowhere', 'two'], changed: false })
})

for (const columns of [130, 40]) {
  test(`at ${columns} columns the widget shows about ten rows around the chosen step or the end`, async (t) => {
    const { w, terminal } = await recordingTerminal(t, { steps: MANY, size: { columns, rows: 30 } })
    const last = await terminal.wait('30  step number 30')
    assert.match(last, /Sequence, 30 steps\n +… 23 rows above\n +24 {2}step/)
    assert.doesNotMatch(last, / below/)
    await terminal.keys('M-Up', 'M-Up')
    await terminal.wait('▸ 29  step number 29')
    await terminal.keys(...Array(14).fill('M-Up'))
    const middle = await terminal.wait('▸ 15  step number 15')
    assert.match(middle, /Sequence, 30 steps\n +… 11 rows above\n +12 {2}.*(\n.*){6}\n +… 12 rows below/)
    await terminal.keys(...Array(20).fill('M-Up'))
    const first = await terminal.wait('▸  1  step number 1')
    assert.match(first, /Sequence, 30 steps\n▸ {2}1 {2}step number 1\n/)
    await terminal.keys('Escape')
    assert.equal(await outcomeOf(w), null)
  })
}

test('at 40 columns long steps and messages fit', async (t) => {
  const { w, terminal } = await recordingTerminal(t, { size: { columns: 40, rows: 24 } })
  const long = 'a long step of 漢字 and many more words than forty columns have'
  await paste(terminal, long)
  await terminal.keys('Enter')
  await terminal.wait(/1 {2}a long step of 漢字 and .*…\n/)
  await paste(terminal, '/a/path')
  await terminal.keys('Enter')
  const screen = await terminal.wait('to send it')
  assert.match(screen.replace(/\s+/g, ' '),
    /'\/a\/path' is no command: a name follows the slash, without another slash; to send it as text begin with a word/)
  assert.match(screen, /Alt\+↑↓ step · \/done ends · Esc cancels\n/)
  await terminal.resize(100, 24)
  await terminal.wait(long)
  await terminal.keys('C-u')
  await end(terminal)
  assert.deepEqual(await outcomeOf(w), { steps: [long], changed: true })
})

for (const name of ['custom', 'plain']) {
  test(`the ${name} editor of another extension composes, and is there afterwards`, async (t) => {
    const w = await world(t, { extensions: [], helpers: ['recording', 'editors'] })
    addTemplate(w)
    const terminal = await w.terminal()
    await terminal.submit(`/editor ${name}`)
    await terminal.wait(`the ${name} editor`)
    await record(terminal)
    await terminal.wait(`the ${name} editor`)
    await enter(terminal, 1, 'one')
    await terminal.submit('!ls')
    await terminal.wait('runs a shell command')
    await terminal.keys('C-u')
    await terminal.keys('-l', name === 'custom' ? '\x1b[19~' : 'two') // F8
    await end(terminal)
    assert.deepEqual(await outcomeOf(w),
      { steps: ['one', name === 'custom' ? 'the custom editor' : 'two'], changed: true })
    await terminal.gone(RECORDING)
    await record(terminal)
    await terminal.keys('-l', '/pla')
    await terminal.wait('The plan of the test')
    await terminal.keys('Escape')
    await terminal.gone('The plan of the test')
    await terminal.wait(RECORDING)
    await terminal.keys('Escape')
    assert.equal(await outcomeOf(w, 2), null)
    await terminal.gone(RECORDING)
    await terminal.wait(`the ${name} editor`)
    await terminal.prompt('after')
    if (name === 'custom') { // Escape is pi's again
      await terminal.submit('~hold')
      await w.model.asked(2)
      await terminal.keys('Escape')
      await terminal.wait('Operation aborted')
    }
    await terminal.submit('/editor none')
    await terminal.gone(`the ${name} editor`)
  })
}

test('where Ctrl+Enter submits, Ctrl+Enter adds', async (t) => {
  const keys = { 'tui.input.submit': 'ctrl+enter', 'tui.input.newLine': ['enter', 'shift+enter'] }
  const w = await world(t, { extensions: [], helpers: ['recording'] })
  writeFileSync(join(w.sandbox.agent, 'keybindings.json'), JSON.stringify(keys))
  const terminal = await w.terminal()
  await terminal.keys('-l', '/recording')
  await end(terminal)
  await terminal.wait(RECORDING)
  await terminal.keys('-l', 'one')
  await terminal.keys('Enter')
  await terminal.keys('-l', 'two')
  await end(terminal)
  await terminal.wait(/1 {2}one\n +two/)
  assert.deepEqual(w.records('recording'), [])
  await terminal.keys('C-j')
  assert.deepEqual(await outcomeOf(w), { steps: ['one\ntwo'], changed: true })
})

for (const [what, key, told] of [['a new session', 'F6', ''], ['a reload', 'F7', 'Reloaded keybindings']]) {
  test(`${what} ends the recording, and pi goes on`, async (t) => {
    const { w, terminal } = await recordingTerminal(t, { helpers: ['recorder'] })
    await enter(terminal, 1, 'one')
    await terminal.keys(key)
    assert.equal(await outcomeOf(w), null)
    await w.until(() => w.records('session_start').length === 2, 'the next session')
    await terminal.gone(RECORDING)
    await terminal.gone('Sequence, 1 step')
    await terminal.wait(told)
    await terminal.prompt('after')
    await record(terminal)
    await enter(terminal, 1, 'two')
    await end(terminal)
    assert.deepEqual(await outcomeOf(w, 2), { steps: ['two'], changed: true })
    assert.deepEqual(w.records('uncaught'), [])
  })
}
