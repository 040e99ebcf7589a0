// The dialogs of confirm in a terminal.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { world } from '../lib/pi.mjs'
import { call } from '../rpc/moves.mjs'

const FILLER = 'echo aaaaaaaaaaaaaaaaaaaaa; '.repeat(180)

async function confirmTerminal(t, size, options) {
  const w = await world(t, { extensions: ['confirm'], ...options })
  mkdirSync(join(w.sandbox.project, 'build'))
  return { w, terminal: await w.terminal([], size), built: () => existsSync(join(w.sandbox.project, 'build')) }
}

// The text of the screen, whose lines are folded at the width of the terminal.
const unfolded = (screen) => screen.replace(/\s+/g, ' ')

for (const [columns, rows] of [[130, 45], [40, 30]]) {
  test(`at ${columns} columns the dialog shows reason, mark and choices, and Escape blocks`, async (t) => {
    const { terminal, built } = await confirmTerminal(t, { columns, rows })
    await terminal.type(call('echo one && rm -r build && echo two'))
    await terminal.wait('cancel')
    const screen = unfolded(await terminal.screen())
    assert.ok(screen.includes('Run this command? rm with -r, -R or --recursive removes whole trees (recursive-rm) ' +
      'echo one && ▸rm -r build◂ && echo two → Block Run it once Run in this session without asking: rm (recursive-rm) in'),
    screen)
    await terminal.answer('Escape')
    await terminal.wait('the tool answered')
    assert.match(unfolded(await terminal.screen()), /Blocked: rm -r build: .*The person did not allow it\./)
    assert.equal(built(), true)
    await terminal.prompt('next')
  })

  test(`at ${columns} columns the dialog of a command of 10 KB shows the mark and the choices`, async (t) => {
    const { terminal, built } = await confirmTerminal(t, { columns, rows })
    await terminal.type(call(`${FILLER}rm -r build; ${FILLER}sudo ls`))
    await terminal.wait('cancel')
    const screen = unfolded(await terminal.screen())
    assert.match(screen, /Run this command\? rm with .* \(recursive-rm\) ….*; ▸rm -r build◂; echo.*… Also asked/)
    assert.match(screen, /Also asked about: sudo → Block Run it once/)
    assert.match(screen, / Run it once Run in this session without asking: /)
    await terminal.answer('Enter')
    await terminal.wait('the tool answered')
    assert.equal(built(), true)
  })
}

test('Enter blocks, the second choice runs the command, and the third asks no more', async (t) => {
  const { w, terminal, built } = await confirmTerminal(t)
  await terminal.type(call('rm -r build && echo zero'))
  await terminal.wait('→ Block')
  await terminal.answer('Enter')
  await terminal.wait('The person did not allow it')
  assert.equal(built(), true)
  await terminal.type(call('rm -r build && echo second'))
  await terminal.wait('▸rm -r build◂ && echo second')
  await terminal.answer('Down', 'Enter')
  await w.until(() => !built(), 'the second rm')
  mkdirSync(join(w.sandbox.project, 'build'))
  await terminal.type(call('rm -r build && echo third'))
  await terminal.wait('▸rm -r build◂ && echo third')
  await terminal.answer('Down', 'Down')
  await terminal.wait('→ Run in this session')
  await terminal.keys('Enter')
  await w.until(() => !built(), 'the third rm')
  mkdirSync(join(w.sandbox.project, 'build'))
  await terminal.type(call('rm -r build && echo fourth'))
  await w.until(() => !built(), 'the fourth rm')
  await terminal.type(call('sudo -n nothing'))
  await terminal.wait('▸sudo -n nothing◂')
  await terminal.answer('Escape')
})

test('a command of 200 lines that writes from right to left does not spoil the dialog', async (t) => {
  const { terminal } = await confirmTerminal(t, { columns: 40, rows: 24 })
  await terminal.type(call(`echo '\u202e\u2066${'\n'.repeat(200)}'; rm -r build`))
  await terminal.wait('cancel')
  const screen = unfolded(await terminal.screen())
  assert.match(screen, /Run this command\? .* \(recursive-rm\) …[⏎ ]+'; ▸rm -r build◂ → Block/)
  await terminal.answer('Escape')
  await terminal.wait('the tool answered')
})

for (const columns of [130, 40]) {
  test(`at ${columns} columns /new and /fork ask, and Escape stays`, async (t) => {
    const { w, terminal } = await confirmTerminal(t, { columns, rows: 24 })
    await terminal.prompt('hello')
    await terminal.submit('/new')
    await terminal.wait('Start a new session?')
    await terminal.wait('→ Stay in this session')
    await terminal.answer('Escape')
    await terminal.gone('Start a new session')
    await terminal.wait('heard: hello')
    await terminal.submit('/fork')
    await terminal.wait('Fork from Message')
    await terminal.keys('Enter')
    await terminal.wait('→ Stay in this session')
    await terminal.answer('Enter')
    await terminal.gone('→ Stay in this session')
    assert.equal(w.files().length, 1)
    await terminal.submit('/new')
    await terminal.wait('→ Stay in this session')
    await terminal.answer('Down', 'Enter')
    await terminal.gone('heard: hello')
  })
}

// --- Who types when the dialog comes up ---

const WORDS = 'wait, do not'

test('keys 0 and 300 ms behind the last letter are no answer, and 2,000 ms behind it they are', async (t) => {
  const { w, terminal, built } = await confirmTerminal(t)
  await terminal.type(call('rm -r build'))
  await terminal.wait('→ Block')
  for (const [ms, ...names] of [[0, 'Down', 'Enter'], [300, 'Down', 'Enter'], [0, 'Escape'], [300, 'Escape']]) {
    await terminal.typing(`${WORDS} `, ms, ...names)
    await new Promise((later) => { setTimeout(later, 300) })
    await terminal.wait('→ Block')
    assert.equal(built(), true)
  }
  await terminal.typing(WORDS, 2000, 'Down', 'Enter')
  await w.until(() => !built(), 'the rm that was chosen')
  await terminal.wait('the tool answered')
  await terminal.wait(`${`${WORDS} `.repeat(4)}${WORDS}`) // in the editor
  await terminal.keys('C-u')
  await terminal.prompt('next')
})

test('letters before the dialog count too, and the dialog leaves them in the editor', async (t) => {
  const { w, terminal, built } = await confirmTerminal(t)
  const go = join(w.sandbox.root, 'go')
  await terminal.type(`${call(`while [ ! -e ${go} ]; do sleep 0.01; done`)}\n${call('rm -r build')}`)
  await w.model.asked(1)
  await terminal.keys('-l', 'wait,')
  await terminal.wait('wait,')
  writeFileSync(go, '')
  let typedMs
  while (!/→ Block/.test(await terminal.screen())) {
    typedMs = performance.now()
    await terminal.keys('-l', '.')
  }
  await terminal.keys('Down', 'Enter')
  if (performance.now() - typedMs < 600) { // else the machine was too slow to say
    await terminal.keys('C-l')
    await terminal.wait('→ Block')
    assert.equal(built(), true)
    await terminal.keys('-l', 'do nor')
    await terminal.keys('BSpace')
    await terminal.typing('t', 0, 'Down', 'Enter')
    await terminal.answer('Escape')
    await terminal.wait('The person did not allow it')
    await terminal.wait(/wait,\.*do not\s/)
  }
})

test('who types behind /new stays in the session until the keys rest', async (t) => {
  const { w, terminal } = await confirmTerminal(t)
  await terminal.prompt('hello')
  await terminal.submit('/new')
  await terminal.wait('→ Stay in this session')
  await terminal.typing('no', 0, 'Down', 'Enter')
  await terminal.typing('no', 300, 'Down', 'Enter')
  await terminal.wait('→ Stay in this session')
  await terminal.typing('no', 2000, 'Enter')
  await terminal.gone('→ Stay in this session')
  await terminal.wait('nonono')
  await terminal.wait('heard: hello')
  assert.equal(w.files().length, 1)
})
