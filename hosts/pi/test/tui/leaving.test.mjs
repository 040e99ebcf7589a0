// The notice of the first start in a terminal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { world } from '../lib/pi.mjs'

const LINES = [
  ' Warning: xylem keeps a copy of your conversations in',
  '   ~/.local/share/xylem (mode 0700, yours alone)',
  ' To stop, put "xylem": {"mirror": false} into',
  '   ~/.pi/agent/settings.json',
  " To delete, use 'xylem delete' and 'xylem gc', or remove",
  '   the directory. You are told this once.',
]

test('the notice of the first start fits 60 columns, and a later notice does not replace it', async (t) => {
  const w = await world(t)
  const terminal = await w.terminal([], { columns: 60 })
  await terminal.wait(LINES.at(-1))
  await terminal.submit('/readonly on')
  await terminal.wait('Readonly is on')
  const lines = (await terminal.screen()).split('\n').map((line) => line.trimEnd())
  const at = lines.indexOf(LINES[0])
  assert.deepEqual(lines.slice(at, at + LINES.length), LINES)
})
