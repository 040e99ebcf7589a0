// What the package costs a pi. The numbers go to standard output; the tests fail far above the goals, because the
// machine may have other work.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { extension, extensionNames, piVersion, world } from '../lib/pi.mjs'
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

// From the start of the process to the answer of the first command, in milliseconds: the time, and that of the
// processor in the main thread, which other work on the machine changes less.
async function started(w, args) {
  const began = performance.now()
  const pi = w.start(args)
  await pi.sessionId()
  const time = performance.now() - began
  const { pid } = pi.child
  const [ran] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  await pi.stop()
  return { time, processor: Number(ran) / 1e6 }
}

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1]

// Pairs in turns: a machine that gets slower does so for both. Each start has a store with sessions.
test('the start of pi with each extension, and with all, beside a start without', async (t) => {
  const GOAL = 60
  const w = await world(t, { extensions: [] })
  const sets = [...extensionNames.map((name) => [name]), extensionNames]
  const args = sets.map((set) => set.flatMap((name) => ['-e', extension(name)]))
  const more = sets.map(() => [])
  for (const warm of [[], ...args]) {
    await started(w, warm)
  }
  for (let round = 0; round < 7; round++) {
    for (const [i, given] of args.entries()) {
      const plain = await started(w, [])
      const loaded = await started(w, given)
      more[i].push({ time: loaded.time - plain.time, processor: loaded.processor - plain.processor })
    }
  }
  const of = (i, member) => median(more[i].map((pair) => pair[member]))
  const figures = sets.map((set, i) => `${set.length > 1 ? `all ${set.length}` : set[0]} ` +
    `${of(i, 'time').toFixed(0)} ms (processor ${of(i, 'processor').toFixed(0)} ms)`)
  console.log(`pi ${piVersion}, more time to start: ${figures.join(', ')}`)
  assert.ok(of(sets.length - 1, 'time') < 10 * GOAL)
})
