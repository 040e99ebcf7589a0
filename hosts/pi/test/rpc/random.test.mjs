// Random scripts, with all extensions of the package or some: each start draws anew, as a person who uses `pi config`.
// After each step the state in the store, the state by a scan of pi's branch and of its file, and the badge agree, the
// todo list is the newest list of the path, and the export equals pi's file. Of several gates the first by rank asks.
// No extension fails, and nothing stands on standard error. XYLEM_SEED=N repeats a script; XYLEM_SCRIPTS and
// XYLEM_STEPS are the numbers of scripts, and of the steps of each.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { extension, extensionNames } from '../lib/pi.mjs'
import { randomFrom } from '../lib/random.mjs'
import { repository } from '../lib/repository.mjs'
import { entriesOf, pathTo, scan } from '../lib/scan.mjs'
import { answering, call, COMPACTION, exported, isOn, lastResult, record, said, settle } from './moves.mjs'
import { ended, newest, SEQUENCE, sequenceWorld, test } from './runs.mjs'

const SCRIPTS = Number(process.env.XYLEM_SCRIPTS ?? 40)
const STEPS = Number(process.env.XYLEM_STEPS ?? 15)
const first = Number(process.env.XYLEM_SEED ?? Date.now() % 1e9)

// With one of these pi's session is in the store.
const KEPT = ['checkpoint', 'confirm', 'find', 'read-guard', 'readonly', 'sequence', 'todo']
const UNGUARDED = 'readonly is on in this session, and nothing blocks what the agent writes'

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
  const asks = s.names.has('confirm') && !isOn(s.pi)
  const [blockedBy, answer] = isOn(s.pi) ? [/^Readonly mode: /, undefined]
    : !asks ? [/^(?!Blocked)/, 'Run it once']
    : pick(s, [[/^Blocked: /, undefined], [/^Blocked: /, 'Block'], [/^(?!Blocked)/, 'Run it once']])
  const dialogs = await prompt(s, call(`rm -r d${s.n}`), () => answer)
  assert.equal(dialogs.length, asks ? 1 : 0, JSON.stringify(dialogs))
  assert.match((await lastResult(s.pi)).text, blockedBy)
  assert.equal(existsSync(path), answer !== 'Run it once')
}

async function fork(s) {
  const { messages } = await s.pi.send('get_fork_messages')
  return messages.length > 0 && ask(s, 'fork', { entryId: pick(s, messages).entryId })
}

// All extensions, or each with a chance of the script.
function drawNames({ random }) {
  const chance = random(8)
  return new Set(extensionNames.filter(() => chance > 3 || random(4) <= chance))
}

// A pi that was killed may leave a lock on its settings behind, which the next pi respects for a while.
async function start(s, needed = []) {
  s.names = new Set([...drawNames(s), ...needed])
  const args = [...s.names].flatMap((name) => ['-e', extension(name)])
  s.pi = s.w.start([...args, ...s.file && existsSync(s.file) ? ['--session', s.file] : []])
  const problem = await s.pi.sessionId().then(() => undefined, ({ message }) => message)
  if (problem?.includes('ELOCKED')) {
    return start(s, needed)
  }
  assert.equal(problem, undefined)
  s.pis.push(s.pi)
}

async function restart(s, end, needed) {
  await end()
  await start(s, needed)
  const { toggled } = await record(s.w, s.pi)
  // Every extension tells, and whatever is no clear off counts as on.
  const isTold = s.names.size > 0 && !s.names.has('readonly') && toggled !== undefined && toggled?.enabled !== false
  assert.equal(said(s.pi).includes(UNGUARDED), isTold)
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
  const steps = [`step of ${s.n}`, ...s.names.has('readonly') ? [`/readonly ${words}`] : [],
    `~tool read {"path":"step ${s.n}"}`]
  await recorded(s, steps)
  const from = s.pi.lines.length
  const heard = s.w.model.heard.length
  const dialogs = await answering(s.pi, anyAnswer(s), async () => {
    await s.pi.command(`/sequence run ${times}`)
    assert.match(await ended(s.pi, from), /^✓/)
  })
  assert.deepEqual(dialogs, [])
  const prompts = Array(times).fill([steps[0], steps.at(-1)]).flat()
  assert.deepEqual(s.w.model.heard.slice(heard).map(({ text }) => text), prompts)
}

async function killInSequence(s) {
  await recorded(s, [`held step of ${s.n}\n~hold`, 'never'])
  const before = s.w.model.requests.length
  await s.pi.command('/sequence run 2')
  await s.w.model.asked(before + 1)
  await restart(s, () => s.pi.kill(), ['sequence'])
  await s.pi.wait(({ method, message }) => method === 'notify' && /\brun 1 of 2/.test(message), 'the notice of the run')
  assert.equal(s.w.model.requests.length, before + 1, 'a start asks the model')
  await answering(s.pi, anyAnswer(s), () => s.pi.command('/sequence stop'))
  assert.equal((await newest(s.w)).phase, 'stopped')
}

// A toggle of another package, which the extensions find when they start.
async function foreignToggle({ pi, random }) {
  await pi.command(`/entry agenticoding-readonly {"enabled":${random(2) === 0}}`)
  await pi.command('/again')
}

const command = (s, words) => answering(s.pi, anyAnswer(s), () => s.pi.command(words))
const goto = (s, words = '') => s.file && command(s, `/goto ${anyEntry(s)}${words}`)

// The steps, with weights; the last column is the extension that a step needs.
const STEP = [
  [4, 'prompt', (s) => prompt(s, `prompt ${s.n}`)],
  [2, 'failing prompt', (s) => prompt(s, '~err')],
  [4, 'toggle', (s) => s.pi.command('/readonly'), 'readonly'],
  [2, 'on', (s) => s.pi.command('/readonly on'), 'readonly'],
  [2, 'foreign toggle', foreignToggle],
  [1, 'wrong toggle', (s) => s.pi.command('/entry readonly {"enabled":"yes"}')],
  [3, 'write', write],
  [1, 'bash', (s) => prompt(s, '~tools [["bash",{"command":"echo x"}],["read",{"path":"none"}]]')],
  [4, 'destroy', destroy],
  [4, 'todo', (s) => prompt(s, `~tool todo {"action":"add","text":"${s.n}"}\n~tool todo {"action":"toggle","id":1}`),
    'todo'],
  [1, 'clear', (s) => prompt(s, '~tool todo {"action":"clear"}'), 'todo'],
  [4, 'goto', goto],
  [1, 'goto with a summary', (s) => goto(s, ' summarize')],
  [1, 'undo', (s) => command(s, '/undo'), 'checkpoint'],
  [1, 'compact', (s) => ask(s, 'compact')],
  [1, 'reload', ({ pi }) => pi.command('/again')],
  [2, 'new', (s) => ask(s, 'new_session')],
  [2, 'clone', (s) => ask(s, 'clone')],
  [2, 'fork', fork],
  [2, 'switch', (s) => s.w.files().length > 0 && ask(s, 'switch_session', { sessionPath: pick(s, s.w.files()) })],
  [2, 'sequence', sequence, 'sequence'],
  [2, 'restart', (s) => restart(s, () => s.pi.stop())],
  [1, 'kill', (s) => restart(s, () => s.pi.kill())],
  [1, 'kill in a turn', killInTurn],
  [1, 'kill in a sequence', killInSequence, 'sequence'],
]
const deck = STEP.flatMap(([weight, name, run, needed]) => Array(weight).fill({ name, run, needed }))

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

// A checkpoint may append its entry behind the turn, so the leaf is asked for again and again.
async function check(s) {
  const { w, pi, names } = s
  names.has('readonly') && await settle(pi)
  const isKept = [...names].some((name) => KEPT.includes(name))
  let now, kept
  await w.until(async () => {
    now = await record(w, pi)
    kept = isKept ? await w.state(now.session).catch(() => undefined) : undefined
    return !isKept || kept?.at.entry === now.leaf
  }, 'the leaf in the store', { every: 10 })
  const { session, leaf, state } = now
  s.file = w.fileOf(session)
  const enabled = state.enabled ?? false
  assert.equal(isOn(pi), enabled && names.has('readonly'), 'the badge')
  if (isKept) {
    assert.equal(kept.readonly, enabled, 'the store')
    const lines = s.file ? await exported(w, session) : (await w.xylem('export', session)).trimEnd().split('\n')
    const path = pathTo(entriesOf(lines.join('\n')), leaf)
    assert.equal(scan(path).enabled ?? false, enabled, "pi's file")
    names.has('todo') && assert.deepEqual(await shownList(pi), listOf(path))
  }
  assert.equal(pi.status('xylem'), undefined)
  assert.deepEqual([pi.problems(), pi.errors()], [[], ''])
}

for (let i = 0; i < SCRIPTS; i++) {
  const seed = first + i
  test(`a random script of ${STEPS} steps, seed ${seed}`, async (t) => {
    const s = { w: await sequenceWorld(t, { extensions: [], helpers: ['recorder'], settings: COMPACTION }),
      random: randomFrom(seed), n: 0, pis: [] }
    repository(s.w.sandbox.project)
    const done = []
    try {
      await start(s)
      for (; s.n < STEPS; s.n++) {
        const fitting = deck.filter(({ needed }) => !needed || s.names.has(needed))
        const { name, run } = pick(s, fitting)
        done.push(name)
        await run(s)
        await check(s)
      }
      await s.pi.stop()
    } catch (error) {
      throw new Error(`seed ${seed}: ${done.join(', ')}; with ${[...s.names].join(' ')}`, { cause: error })
    }
    assert.deepEqual(s.pis.map((pi) => pi.errors()).join(''), '')
  })
}
