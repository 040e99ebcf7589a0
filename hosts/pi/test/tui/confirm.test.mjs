// The dialogs of confirm in a terminal.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync } from 'node:fs'
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

for (const [columns, rows] of [[130, 45], [40, 24]]) {
  test(`at ${columns} columns the dialog shows reason, mark and choices, and Escape blocks`, async (t) => {
    const { terminal, built } = await confirmTerminal(t, { columns, rows })
    await terminal.type(call('echo one && rm -r build && echo two'))
    await terminal.wait('cancel')
    const screen = unfolded(await terminal.screen())
    assert.ok(screen.includes('Run this command? rm with -r, -R or --recursive removes whole trees (recursive-rm) ' +
      'echo one && ▸rm -r build◂ && echo two → Run it once Block Run in this session without asking: rm (recursive-rm) in'),
    screen)
    await terminal.keys('Escape')
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
    assert.match(screen, /Also asked about: sudo → Run it once/)
    assert.match(screen, / Block Run in this session without asking: /)
    await terminal.keys('Down')
    await terminal.wait('→ Block')
    await terminal.keys('Enter')
    await terminal.wait('the tool answered')
    assert.equal(built(), true)
  })
}

test('Enter runs the command, and the third choice asks no more', async (t) => {
  const { w, terminal, built } = await confirmTerminal(t)
  await terminal.type(call('rm -r build && echo first'))
  await terminal.wait('→ Run it once')
  await terminal.keys('Down', 'Down')
  await terminal.wait('→ Run in this session')
  await terminal.keys('Enter')
  await terminal.wait('the tool answered')
  assert.equal(built(), false)
  mkdirSync(join(w.sandbox.project, 'build'))
  await terminal.type(call('rm -r build && echo second'))
  await w.until(() => !built(), 'the second rm')
  await terminal.type(call('sudo -n nothing'))
  await terminal.wait('▸sudo -n nothing◂')
  await terminal.keys('Escape')
})

test('a command of 200 lines that writes from right to left does not spoil the dialog', async (t) => {
  const { terminal } = await confirmTerminal(t, { columns: 40, rows: 24 })
  await terminal.type(call(`echo '\u202e\u2066${'\n'.repeat(200)}'; rm -r build`))
  await terminal.wait('cancel')
  const screen = unfolded(await terminal.screen())
  assert.match(screen, /Run this command\? .* \(recursive-rm\) …[⏎ ]+'; ▸rm -r build◂ → Run it once/)
  await terminal.keys('Escape')
  await terminal.wait('the tool answered')
})

for (const columns of [130, 40]) {
  test(`at ${columns} columns /new and /fork ask, and Escape stays`, async (t) => {
    const { w, terminal } = await confirmTerminal(t, { columns, rows: 24 })
    await terminal.prompt('hello')
    await terminal.submit('/new')
    await terminal.wait('Start a new session?')
    await terminal.wait('→ Start a new session')
    await terminal.keys('Escape')
    await terminal.gone('Start a new session')
    await terminal.wait('heard: hello')
    await terminal.submit('/fork')
    await terminal.wait('Fork from Message')
    await terminal.keys('Enter')
    await terminal.wait('→ Fork this session')
    await terminal.keys('Escape')
    await terminal.gone('→ Fork this session')
    assert.equal(w.files().length, 1)
    await terminal.submit('/new')
    await terminal.wait('→ Start a new session')
    await terminal.keys('Enter')
    await terminal.gone('heard: hello')
  })
}
