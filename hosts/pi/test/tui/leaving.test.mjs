// The notice of the first start in a terminal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { world } from '../lib/pi.mjs'

test('the notice of the first start is two lines, and no warning', async (t) => {
  const w = await world(t)
  const terminal = await w.terminal([], { columns: 100 })
  const screen = await terminal.wait('To delete: xylem delete.')
  assert.match(screen, /^ xylem keeps your conversations in ~\/\.local\/share\/xylem, for you alone\. *\n To stop: /m)
})
