// The todo list in a terminal.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { world } from '../lib/pi.mjs'

const script = (calls) => `~tools ${JSON.stringify(calls.map((call) => ['todo', call]))}`
const LONG = 'a long text with many words that no line of a narrow terminal can hold, up to its last word: END'

async function listOf(t, calls, size) {
  const w = await world(t, { extensions: ['todo'], helpers: ['commands'] })
  // The list comes with the session: keys are slow for a long script.
  const pi = w.start()
  await pi.prompt(script(calls))
  await pi.stop()
  const terminal = await w.terminal(['--continue'], size)
  return { w, terminal }
}

const adds = (count, text = (i) => `item ${i}`) =>
  Array.from({ length: count }, (_, i) => ({ action: 'add', text: text(i + 1) }))
const isWide = (screen, columns) => screen.split('\n').some((line) => [...line.trimEnd()].length > columns)

test('calls and results are drawn short, and an error in its words', async (t) => {
  const { terminal } = await listOf(t, [{ action: 'add', text: 'read' }, { action: 'toggle', id: 1 },
    { action: 'add', text: LONG }, { action: 'toggle', id: 7 }, { action: 'list' }])
  for (const wanted of ['todo add read', '✓ Added #1: read · 0/1 done', '✓ #1 is done · 1/1 done', '✓ #1 read',
    /todo add a long .*[^ ]…/, /✓ Added #2: a long .*[^ ]… · 1\/2 done/, /○ #2 a long .*[^ ]…/,
    'Error: the list has no item #7', '1/2 done']) {
    await terminal.wait(wanted)
  }
})

test('a result of a long list shows five items and the number of the others, and all when expanded', async (t) => {
  const { terminal } = await listOf(t, adds(8), { columns: 130, rows: 60 })
  await terminal.submit(script([{ action: 'list' }]))
  await terminal.wait('… 3 more')
  await terminal.keys('C-o')
  await terminal.wait('○ #8 item 8')
  await terminal.gone('… 3 more')
})

test('a call that pi refuses is drawn with the words of pi', async (t) => {
  const { terminal } = await listOf(t, [{ action: 'forget' }])
  await terminal.wait(/Validation failed .*[^ ]…/)
  await terminal.keys('C-o')
  await terminal.wait(/Validation failed[^…]*forget/)
})

test('/todos shows the list, Escape closes it, and what was typed is there again', async (t) => {
  const { terminal } = await listOf(t, [...adds(2), { action: 'toggle', id: 2 }])
  await terminal.submit('/todos')
  await terminal.wait('Todos, 1/2 done')
  const screen = await terminal.wait('Esc close')
  assert.match(screen, /○ #1 item 1\n ✓ #2 item 2/)
  await terminal.keys('Escape')
  await terminal.gone('Esc close')
  await terminal.prompt('after')
})

test('a session that is replaced while the list is open closes the list', async (t) => {
  const w = await world(t, { extensions: ['todo'], helpers: ['clock', 'replacer'] })
  const terminal = await w.terminal()
  await terminal.submit(script(adds(2)))
  await terminal.wait('Added #2')
  await terminal.submit('/todos')
  await terminal.wait('Esc close')
  writeFileSync(join(w.sandbox.project, 'prompt'), '/replace {"delays":[0]}')
  await w.until(() => w.records('replacements-done').length > 0, 'a new session')
  await terminal.gone('Esc close')
  await terminal.prompt('next')
})

test('/todos of an empty list says so', async (t) => {
  const w = await world(t, { extensions: ['todo'] })
  const terminal = await w.terminal()
  await terminal.submit('/todos')
  await terminal.wait('No todos')
  await terminal.keys('Escape')
  await terminal.gone('Esc close')
})

for (const columns of [130, 40]) {
  test(`/todos scrolls through 64 items at ${columns} columns`, async (t) => {
    const { terminal } = await listOf(t, adds(64, (i) => `item ${i} ${i === 1 ? LONG : ''}`), { columns, rows: 24 })
    await terminal.submit('/todos')
    const first = await terminal.wait('#1 item 1')
    assert.match(first.replace(/\s+/g, ' '), /its last word: END/) // wrapped, not cut
    assert.match(first, / 1-14 of \d+ · ↑↓ space · Esc close/)
    assert.equal(first.includes('#64'), false)
    assert.equal(isWide(first, columns), false)
    for (const [key, lines] of [['Down', '2-15'], ['Up', '1-14'], ['Space', '15-28'], ['Up', '14-27']]) {
      await terminal.keys(key)
      await terminal.wait(` ${lines} of`)
    }
    await terminal.keys(...Array(5).fill('Space'))
    const last = await terminal.wait('#64 item 64')
    assert.equal(isWide(last, columns), false)
    await terminal.keys('Escape')
    await terminal.gone('Esc close')
    await terminal.prompt('after')
  })
}

test('control characters of a text stay text', async (t) => {
  const { terminal } = await listOf(t, [{ action: 'add', text: 'bell \x07 clear \x1b[2J end' }])
  await terminal.wait('todo add bell \\u0007 clear \\u001b[2J end')
  await terminal.submit('/todos')
  await terminal.wait('○ #1 bell \\u0007 clear \\u001b[2J end')
})
