// pi builds its whole context before it asks the handlers of `turn_end` and `agent_before_settle`, and after each of
// them: the package has no handler there. What a prompt costs goes to standard output.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { extension, extensionNames, piVersion, world } from '../lib/pi.mjs'
import { repository } from '../lib/repository.mjs'

const BOUNDARIES = ['turn_end', 'agent_before_settle']
const PROMPTS = ['hello', '~tool read {"path":"a.txt"}']
// The readonly of the package takes the extension of the test, which registers /readonly, for another one.
const SETTINGS = { compaction: { enabled: false }, xylem: { readonly: { beside: true } } }

// The handlers of the package, and the builds of each prompt, in a pi with these extensions.
async function counts(t, names, environment = {}) {
  const w = await world(t, { extensions: [], helpers: ['boundaries'], settings: SETTINGS })
  writeFileSync(join(w.sandbox.project, 'a.txt'), 'x\n')
  const pi = w.start([], { XYLEM_TEST_PACKAGE: names.map(extension).join(':'), ...environment })
  const builds = []
  await pi.command('/count')
  for (const prompt of PROMPTS) {
    await pi.prompt(prompt)
    await pi.command('/count')
    builds.push(w.records('count').at(-1).builds)
  }
  return { handlers: w.records('count').at(-1).handlers, builds }
}

test('no extension of the package has a handler on a boundary, and pi builds no context for the package', async (t) => {
  const plain = await counts(t, [])
  const ours = await counts(t, extensionNames)
  assert.ok(ours.handlers.session_start)
  assert.deepEqual([...new Set(Object.values(ours.handlers))], [1]) // one handler of the package for each event
  assert.deepEqual(BOUNDARIES.map((name) => [name, ours.handlers[name] ?? 0]), BOUNDARIES.map((name) => [name, 0]))
  assert.deepEqual(ours.builds, plain.builds)
})

for (const name of BOUNDARIES) {
  test(`a handler on ${name} is counted, and pi builds contexts for the handler`, async (t) => {
    const plain = await counts(t, [])
    const { handlers, builds } = await counts(t, [], { XYLEM_TEST_BOUNDARY: name })
    assert.equal(handlers[name], 1)
    assert.ok(builds.every((count, i) => count > plain.builds[i]), `${builds}, without ${plain.builds}`)
  })
}

// --- The price of a prompt ---

const PAIRS = 5
const PROMPTS_TIMED = 4 // of each member of a pair
const WARM = 5 // prompts before: they compile
const SIZES = (process.env.XYLEM_TEST_ENTRIES ?? '1000 10000').split(' ').map(Number) // by hand also 100 and 20000
const TURNS = { text: (i) => `hello ${i}`, 'one tool': () => PROMPTS[1] }

// A session of turns: a prompt and an answer.
function writeSession(path, count) {
  const timestamp = '2026-11-22T00:00:00.000Z'
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } }
  const messages = [{ role: 'user', timestamp: 0 }, { role: 'assistant', api: 'openai-completions', provider: 'fake',
    model: 'fake-1', usage, stopReason: 'stop', timestamp: 0 }]
  const id = (i) => (i < 0 ? null : i.toString(16).padStart(8, '0'))
  const lines = Array.from({ length: count }, (_, i) => JSON.stringify({ type: 'message', id: id(i), parentId: id(i - 1),
    timestamp, message: { ...messages[i % 2], content: [{ type: 'text', text: `${i} `.repeat(20) }] } }))
  writeFileSync(path, [JSON.stringify({ type: 'session', version: 3, id: 'big', timestamp, cwd: '/' }), ...lines, '']
    .join('\n'))
}

// The processor's time of a process, in milliseconds, without its children.
function processorTime(pid) {
  const tasks = readdirSync(`/proc/${pid}/task`)
  return tasks.reduce((sum, task) => sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8')
    .split(' ')[0]), 0) / 1e6
}

async function started(t, extensions, count) {
  const w = await world(t, { extensions, settings: SETTINGS })
  repository(w.sandbox.project, { 'a.txt': 'x\n' }) // checkpoints are at work too
  const file = join(w.sandbox.sessions, '2026-11-22T00-00-00-000Z_big.jsonl')
  writeSession(file, count)
  const pi = w.start(['--session', file])
  for (let i = 0; i < WARM; i++) {
    await pi.prompt(PROMPTS[i % 2])
  }
  return pi
}

async function priceOf(pi, promptOf) {
  const began = processorTime(pi.child.pid)
  for (let i = 0; i < PROMPTS_TIMED; i++) {
    await pi.prompt(promptOf(i))
  }
  return (processorTime(pi.child.pid) - began) / PROMPTS_TIMED
}

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1]

for (const count of SIZES) {
  test(`the processor's time of a prompt with the package and without, at ${count} entries`, async (t) => {
    const pis = [await started(t, [], count), await started(t, extensionNames, count)]
    for (const [turn, promptOf] of Object.entries(TURNS)) {
      const prices = [[], []]
      for (let i = 0; i < PAIRS; i++) {
        for (const [which, pi] of pis.entries()) {
          prices[which].push(await priceOf(pi, promptOf))
        }
      }
      const [without, ours] = prices.map(median)
      console.log(`pi ${piVersion}, ${count} entries, a prompt with ${turn}: ${ours.toFixed(1)} ms of the processor ` +
        `with the package, ${without.toFixed(1)} ms without: ${(ours / without).toFixed(2)} times`)
      assert.ok(ours < 3 * without + 50)
    }
  })
}
