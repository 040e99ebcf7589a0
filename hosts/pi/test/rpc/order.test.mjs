// All extensions of the package at once, in random scripts. After each step the state in the store, the state by a scan
// of pi's own branch and the badge agree, the todo list is the newest list of the path, and the export equals pi's
// file. Of several gates the first by rank answers. No extension fails, and nothing stands on standard error.
// XYLEM_SEED=N repeats a script; XYLEM_SCRIPTS is the number of scripts.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { extensionNames } from '../lib/pi.mjs'
import { randomFrom } from '../lib/random.mjs'
import { entriesOf, pathTo } from '../lib/scan.mjs'
import { answering, call, COMPACTION, exported, isOn, lastResult, record, settle } from './moves.mjs'
import { ended, newest, SEQUENCE, sequenceWorld, test } from './runs.mjs'

const SCRIPTS = Number(process.env.XYLEM_SCRIPTS ?? 50)
const STEPS = 12
const first = Number(process.env.XYLEM_SEED ?? Date.now() % 1e9)

const pick = ({ random }, list) => list[random(list.length)]
const anyAnswer = (s) => ({ options }) => pick(s, [...options ?? [], undefined])
const anyEntry = (s) => pick(s, entriesOf(s.w.read(s.file))).id

// --- Steps ---------------------------------------------------------------------------------------------------------

// A prompt to the end of its turn: its dialogs.
const prompt = (s, message, answer = anyAnswer(s)) => answering(s.pi, answer, () => s.pi.prompt(message))
// What pi may refuse, such as a clone of a session without a file.
const ask = (s, type, fields) => answering(s.pi, anyAnswer(s), () => s.pi.send(type, fields).catch(() => {}))

async function write(s) {
  await prompt(s, `~tool write {"path":"f${s.n}","content":"x"}`)
  const { isError, text } = await lastResult(s.pi)
  assert.equal(isError, isOn(s.pi), text)
  assert.equal(existsSync(join(s.w.sandbox.project, `f${s.n}`)), !isOn(s.pi))
}

// Readonly is asked before confirm: while readonly is on, no dialog opens.
async function destroy(s) {
  const path = join(s.w.sandbox.project, `d${s.n}`)
  mkdirSync(path)
  const [blockedBy, answer] = isOn(s.pi) ? [/^Readonly mode: /, undefined]
    : pick(s, [[/^Blocked: /, undefined], [/^Blocked: /, 'Block'], [/^(?!Blocked)/, 'Run it once']])
  const dialogs = await prompt(s, call(`rm -r d${s.n}`), () => answer)
  assert.equal(dialogs.length, isOn(s.pi) ? 0 : 1, JSON.stringify(dialogs))
  assert.match((await lastResult(s.pi)).text, blockedBy)
  assert.equal(existsSync(path), answer !== 'Run it once')
}

async function fork(s) {
  const { messages } = await s.pi.send('get_fork_messages')
  return messages.length > 0 && ask(s, 'fork', { entryId: pick(s, messages).entryId })
}

// A pi that was killed may leave a lock on its settings behind, which the next pi respects for a while.
async function start(s) {
  s.pi = s.w.start(s.file && existsSync(s.file) ? ['--session', s.file] : [])
  const problem = await s.pi.sessionId().then(() => undefined, ({ message }) => message)
  if (problem?.includes('ELOCKED')) {
    return start(s)
  }
  assert.equal(problem, undefined)
  s.pis.push(s.pi)
}

async function restart(s, end) {
  await end()
  await start(s)
}

async function killInTurn(s) {
  const before = s.w.model.requests.length
  s.pi.send('prompt', { message: `person of ${s.n}\n~hold` }).catch(() => {})
  await s.w.model.asked(before + 1)
  await restart(s, () => s.pi.kill())
}

async function recorded(s, steps) {
  const data = { version: 1, sequenceId: SEQUENCE, steps, updatedAt: 1 }
  await s.pi.command(`/entry sequence ${JSON.stringify(data)}`)
}

// Confirm asks nothing about the resets, and a new session starts with readonly off.
async function sequence(s) {
  const [times, words] = [1 + s.random(2), pick(s, ['on', 'off'])]
  const steps = [`step of ${s.n}`, `/readonly ${words}`, `~tool todo {"action":"add","text":"step ${s.n}"}`]
  await recorded(s, steps)
  const from = s.pi.lines.length
  const heard = s.w.model.heard.length
  const dialogs = await answering(s.pi, anyAnswer(s), async () => {
    await s.pi.command(`/sequence run ${times}`)
    assert.match(await ended(s.pi, from), /^✓/)
  })
  assert.deepEqual(dialogs, [])
  const prompts = Array(times).fill([steps[0], steps[2]]).flat()
  assert.deepEqual(s.w.model.heard.slice(heard).map(({ text }) => text), prompts)
}

async function killInSequence(s) {
  await recorded(s, [`held step of ${s.n}\n~hold`, 'never'])
  const before = s.w.model.requests.length
  await s.pi.command('/sequence run 2')
  await s.w.model.asked(before + 1)
  await restart(s, () => s.pi.kill())
  await s.pi.wait(({ method, message }) => method === 'notify' && /\brun 1 of 2/.test(message), 'the notice of the run')
  assert.equal(s.w.model.requests.length, before + 1, 'a start asks the model')
  await answering(s.pi, anyAnswer(s), () => s.pi.command('/sequence stop'))
  assert.equal((await newest(s.w)).phase, 'stopped')
}

// The steps, with weights.
const STEP = [
  [4, 'prompt', (s) => prompt(s, `prompt ${s.n}`)],
  [2, 'failing prompt', (s) => prompt(s, '~err')],
  [4, 'toggle', (s) => s.pi.command('/readonly')],
  [3, 'write', write],
  [1, 'bash', (s) => prompt(s, '~tools [["bash",{"command":"echo x"}],["read",{"path":"none"}]]')],
  [4, 'destroy', destroy],
  [4, 'todo', (s) => prompt(s, `~tool todo {"action":"add","text":"${s.n}"}\n~tool todo {"action":"toggle","id":1}`)],
  [1, 'clear', (s) => prompt(s, '~tool todo {"action":"clear"}')],
  [4, 'goto', (s) => s.file && s.pi.command(`/goto ${anyEntry(s)}`)],
  [1, 'goto with a summary', (s) => s.file && s.pi.command(`/goto ${anyEntry(s)} summarize`)],
  [1, 'compact', (s) => ask(s, 'compact')],
  [1, 'reload', ({ pi }) => pi.command('/again')],
  [2, 'new', (s) => ask(s, 'new_session')],
  [2, 'clone', (s) => ask(s, 'clone')],
  [2, 'fork', fork],
  [2, 'switch', (s) => s.w.files().length > 0 && ask(s, 'switch_session', { sessionPath: pick(s, s.w.files()) })],
  [2, 'sequence', sequence],
  [1, 'restart', (s) => restart(s, () => s.pi.stop())],
  [1, 'kill', (s) => restart(s, () => s.pi.kill())],
  [1, 'kill in a turn', killInTurn],
  [1, 'kill in a sequence', killInSequence],
]
const deck = STEP.flatMap(([weight, name, run]) => Array(weight).fill({ name, run }))

// --- What holds after each step ------------------------------------------------------------------------------------

const linesOf = ({ items }) => items.map(({ id, text, done }) => `[${done ? 'x' : ' '}] #${id} ${text}`)

// The newest list of a path.
function listOf(path) {
  for (const { type, customType, data, message } of path.toReversed()) {
    if (type === 'custom' && customType === 'todo') {
      return linesOf(data)
    }
    if (type === 'message' && message.role === 'toolResult' && message.toolName === 'todo' && message.details?.todos) {
      return linesOf({ items: message.details.todos })
    }
  }
  return []
}

async function shownList(pi) {
  const from = pi.lines.length
  await pi.send('prompt', { message: '/todos' })
  const isList = ({ method, message }) => method === 'notify' && /^(Todos, |No todos)/.test(message)
  return (await pi.wait(isList, 'the list', from)).message.split('\n').slice(1)
}

async function check(s) {
  const { w, pi } = s
  await settle(pi)
  const { session, leaf, state } = await record(w, pi)
  s.file = w.fileOf(session)
  let kept
  await w.until(async () => (kept = await w.state(session).catch(() => undefined))?.at.entry === leaf,
    `leaf ${leaf} in the store`, { every: 10 })
  const enabled = state.enabled ?? false
  assert.deepEqual({ store: kept.readonly, badge: isOn(pi) }, { store: enabled, badge: enabled })
  const lines = s.file ? await exported(w, session) : (await w.xylem('export', session)).trimEnd().split('\n')
  assert.deepEqual(await shownList(pi), listOf(pathTo(entriesOf(lines.join('\n')), leaf)))
  assert.equal(pi.status('xylem'), undefined)
  assert.deepEqual([pi.problems(), pi.errors()], [[], ''])
}

for (let i = 0; i < SCRIPTS; i++) {
  const seed = first + i
  test(`all extensions in a random script of ${STEPS} steps, seed ${seed}`, async (t) => {
    const options = { extensions: extensionNames, helpers: ['recorder'], settings: COMPACTION }
    const s = { w: await sequenceWorld(t, options), random: randomFrom(seed), n: 0, pis: [] }
    await start(s)
    const done = []
    try {
      for (; s.n < STEPS; s.n++) {
        const { name, run } = deck[s.random(deck.length)]
        done.push(name)
        await run(s)
        await check(s)
      }
      await s.pi.stop()
    } catch (error) {
      throw new Error(`seed ${seed}: ${done.join(', ')}`, { cause: error })
    }
    assert.deepEqual(s.pis.map((pi) => pi.errors()).join(''), '')
  })
}
