// /find and /sessions in a terminal: rows follow what is typed, and the screen fits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { world } from '../lib/pi.mjs'
import { exported } from '../rpc/moves.mjs'

const LONG = 'a very long question about the grammar of the parser that no line of a narrow terminal can hold to its end'

async function terminalOf(t, size) {
  const w = await world(t, { extensions: ['find', 'todo'] })
  const pi = w.start()
  for (const prompt of ['the parser idea of monday', LONG, 'ein Wort mit \u001b[31mFarbe und ü']) {
    await pi.prompt(prompt)
    await exported(w, await pi.sessionId())
    await pi.send('new_session')
  }
  await pi.stop()
  return w.terminal([], size)
}

for (const columns of [60, 100]) {
  test(`what is typed is looked for, and Enter goes on there, in ${columns} columns`, async (t) => {
    const terminal = await terminalOf(t, { columns, rows: 30 })
    await terminal.submit('/find')
    await terminal.wait('Type the words to look for')
    await terminal.keys('-l', 'parser')
    const screen = await terminal.wait('4 matches')
    assert.ok(screen.split('\n').every((line) => [...line.trimEnd()].length <= columns))
    await terminal.keys('-l', ' monday')
    await terminal.wait('2 matches')
    await terminal.keys('Down')
    await terminal.keys('Enter')
    await terminal.gone('Esc leave')
    await terminal.wait('the parser idea of monday')
  })
}

test('/sessions shows the name and the words of each session, Tab all directories, Escape leaves', async (t) => {
  const terminal = await terminalOf(t, { columns: 80, rows: 30 })
  await terminal.submit('/sessions nobody')
  await terminal.wait('0 sessions beside this one')
  for (const _letter of 'nobody') {
    await terminal.keys('BSpace')
  }
  const screen = await terminal.wait('3 sessions beside this one')
  assert.match(screen, /Sessions, this directory/)
  assert.match(screen, /Farbe/)
  await terminal.keys('Tab')
  await terminal.wait('Sessions, all directories')
  await terminal.keys('Escape')
  await terminal.gone('Esc leave')
  await terminal.prompt('after')
})
