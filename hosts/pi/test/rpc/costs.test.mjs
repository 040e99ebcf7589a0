// What the package costs a pi. The numbers go to standard output; the tests fail far above the goals, because the
// machine may have other work.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { piVersion, world } from '../lib/pi.mjs'
import { bigSession, startImport, toggle } from './moves.mjs'

const GOAL = 25 // microseconds of a catch-up with nothing new, without pi's own copy of its entries

for (const count of [1000, ...(piVersion === '0.87.1' ? [] : [100000])]) {
  test(`a catch-up with nothing new, at ${count} entries`, async (t) => {
    const w = await world(t, { helpers: ['costs'] })
    const file = join(w.sandbox.sessions, '2026-11-22T00-00-00-000Z_big.jsonl')
    bigSession(file, count)
    const pi = w.start(['--session', file])
    await toggle(pi, 'on')
    await w.until(async () => {
      await pi.command('/costs')
      return w.records('costs').at(-1)?.current
    }, 'a session that the store has')
    const { entries, catchUp, copy, rehydrate, ask } = w.records('costs').at(-1)
    const round = (number) => number.toFixed(1)
    console.log(`pi ${piVersion}, ${entries} entries: catch-up ${round(catchUp)} us, of this pi's copy ` +
      `${round(copy)} us; rehydration ${round(rehydrate)} us; judgement ${round(ask)} us`)
    assert.ok(catchUp - copy < 4 * GOAL)
  })
}

// The longest stall of the event loop in turns of a pi while another process imports 100 MB into the store.
async function stall(t, extensions) {
  const w = await world(t, { extensions, helpers: ['costs'] })
  await w.xylem('init')
  const pi = w.start()
  await pi.prompt('warm')
  const big = join(w.sandbox.root, 'big.jsonl')
  bigSession(big, 100e3)
  const child = startImport(w, big)
  let ended = false
  child.on('exit', () => { ended = true })
  await pi.command('/stall')
  let count = 0
  do {
    await pi.prompt(`turn ${count++}`)
  } while (!ended)
  await pi.command('/stall')
  const longest = w.records('stall').at(-1).longest / 1000
  return { longest, words: `${longest.toFixed(1)} ms in ${count} turns` }
}

test('the longest stall of the event loop beside an import of 100 MB', async (t) => {
  const plain = await stall(t, [])
  const mirrored = await stall(t, ['readonly'])
  console.log(`pi ${piVersion}, beside an import: longest stall ${mirrored.words}; without the package ${plain.words}`)
  assert.ok(mirrored.longest < 500)
})
