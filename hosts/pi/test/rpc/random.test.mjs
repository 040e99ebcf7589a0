// Random scripts: after each step the state in the store, the state by a scan of pi's own branch and the badge agree,
// and each export equals pi's file. XYLEM_SEED=N repeats a script; XYLEM_SCRIPTS is the number of scripts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { world } from '../lib/pi.mjs'
import { randomFrom } from '../lib/random.mjs'
import { COMPACTION, exported, isOn, record, settle } from './moves.mjs'

const SCRIPTS = Number(process.env.XYLEM_SCRIPTS ?? 30)
const STEPS = 40
const first = Number(process.env.XYLEM_SEED ?? Date.now() % 1e9)

const linesOf = (w, file) => w.read(file).trimEnd().split('\n').slice(1).map((line) => JSON.parse(line))

// The steps, with weights.
const STEP = [
  [6, 'prompt', async ({ pi, n }) => pi.prompt(`prompt ${n}`)],
  [3, 'failing prompt', async ({ pi }) => pi.prompt('~err')],
  [6, 'toggle', async ({ pi }) => pi.command('/readonly')],
  [2, 'on', async ({ pi }) => pi.command('/readonly on')],
  [2, 'off', async ({ pi }) => pi.command('/readonly off')],
  [3, 'write', async ({ pi, n }) => pi.prompt(`~tool write {"path":"f${n}","content":"x"}`)],
  [3, 'bash', async ({ pi }) => pi.prompt('~tools [["bash",{"command":"echo x"}],["bash",{"command":"rm none"}]]')],
  [1, 'foreign toggle', async ({ pi, random }) => {
    await pi.command(`/entry agenticoding-readonly {"enabled":${random(2) === 0}}`)
    await pi.command('/again')
  }],
  [1, 'wrong toggle', async ({ pi }) => pi.command('/entry readonly {"enabled":"yes"}')],
  [6, 'goto', async (s) => s.file && s.pi.command(`/goto ${s.anyEntry()}`)],
  [1, 'goto with a summary', async (s) => s.file && s.pi.command(`/goto ${s.anyEntry()} summarize`)],
  [1, 'compact', async ({ pi }) => pi.send('compact').catch(() => {})],
  [1, 'reload', async ({ pi }) => pi.command('/again')],
  [1, 'new', async ({ pi }) => pi.send('new_session')],
  [2, 'clone', async ({ pi }) => pi.send('clone').catch(() => {})],
  [2, 'fork', async ({ pi, random }) => {
    const { messages } = await pi.send('get_fork_messages')
    return messages.length && pi.send('fork', { entryId: messages[random(messages.length)].entryId }).catch(() => {})
  }],
  [2, 'switch', async (s) => {
    const files = s.w.files()
    return files.length && s.pi.send('switch_session', { sessionPath: files[s.random(files.length)] })
  }],
  [1, 'restart', async (s) => {
    await s.pi.stop()
    s.pi = s.w.start(s.file ? ['--session', s.file] : [])
  }],
]
const deck = STEP.flatMap(([weight, name, run]) => Array(weight).fill({ name, run }))

async function check(s, done) {
  await settle(s.pi)
  const { w, pi } = s
  const { session, leaf, state } = await record(w, pi)
  s.file = w.fileOf(session)
  const where = `seed ${s.seed}: ${done.join(', ')}`
  let kept
  await w.until(async () => (kept = await w.state(session).catch(() => undefined))?.at.entry === leaf,
    `leaf ${leaf} in the store (${where})`, { every: 10 })
  const enabled = state.enabled ?? false
  assert.deepEqual({ store: kept.readonly, badge: isOn(pi) }, { store: enabled, badge: enabled }, where)
  if (s.file) {
    await exported(w, session)
  }
}

for (let i = 0; i < SCRIPTS; i++) {
  const seed = first + i
  test(`a random script of ${STEPS} steps, seed ${seed}`, async (t) => {
    const w = await world(t, { helpers: ['commands', 'recorder'], settings: COMPACTION })
    const random = randomFrom(seed)
    const s = { w, seed, random, pi: w.start(), file: undefined, n: 0 }
    s.anyEntry = () => {
      const entries = linesOf(w, s.file)
      return entries[random(entries.length)].id
    }
    const done = []
    for (; s.n < STEPS; s.n++) {
      const { name, run } = deck[random(deck.length)]
      done.push(name)
      await run(s)
      await check(s, done)
    }
    await s.pi.stop()
    await w.xylem('verify')
  })
}
