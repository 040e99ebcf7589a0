// Sequences at bad moments: a stop and a question while a commit is on its way, and what is no error.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { textOf } from '../lib/fake-openai.mjs'
import { world } from '../lib/pi.mjs'

const EXTENSIONS = ['readonly', 'confirm', 'sequence']

// Records steps, and starts so many runs. The index of the first line after the start.
async function play(pi, steps, count) {
  let mark = pi.lines.length
  const recorded = pi.command('/sequence new')
  for (const answer of [...steps, '/done', count]) {
    const question = await pi.wait(({ method }) => method === 'input', 'a question of the recorder', mark)
    mark = pi.lines.indexOf(question) + 1
    pi.answer(question, answer)
  }
  await recorded
  return mark
}

const prompts = (w) => w.model.requests.map(({ messages }) => textOf(messages.findLast(({ role }) => role === 'user').content))
const told = (pi, pattern, from) => pi.wait(({ method, message }) => method === 'notify' && pattern.test(message),
  String(pattern), from)

async function runOf(w) {
  return JSON.parse(await w.xylem('sequence', 'runs', '--json')).runs[0]
}

test('no step begins after a stop, however long the stop takes', async (t) => {
  const w = await world(t, { extensions: EXTENSIONS, helpers: ['slow-runs'] })
  const pi = w.start([], { XYLEM_TEST_SLOW: 'claimAsync stopAsync' })
  const mark = await play(pi, ['one'], '1')
  const stopped = pi.command('/sequence stop')
  await w.until(async () => (await runOf(w))?.attempt === 1, 'the claim')
  writeFileSync(join(w.sandbox.project, 'claimAsync'), '')
  await pi.send('get_state')
  await new Promise((later) => { setTimeout(later, 300) })
  writeFileSync(join(w.sandbox.project, 'stopAsync'), '')
  await stopped
  await told(pi, /stopped/, mark)
  assert.deepEqual(prompts(w), [])
})

test('no step begins while a person is asked whether to leave', async (t) => {
  const w = await world(t, { extensions: EXTENSIONS, helpers: ['slow-runs'] })
  const pi = w.start([], { XYLEM_TEST_SLOW: 'claimAsync' })
  const mark = await play(pi, ['one'], '1')
  const left = pi.send('new_session')
  const question = await pi.dialog(mark)
  assert.match(question.title, /^A sequence is running\./)
  writeFileSync(join(w.sandbox.project, 'claimAsync'), '')
  await new Promise((later) => { setTimeout(later, 300) })
  assert.deepEqual(prompts(w), [])
  pi.answer(question, 'Stay')
  assert.equal((await left).cancelled, true)
  await told(pi, /✓ sequence/, mark)
  assert.deepEqual(prompts(w), ['one'])
})

test('who stays, stays, though the run ended while the question was open', async (t) => {
  const w = await world(t, { extensions: EXTENSIONS })
  const pi = w.start()
  const mark = await play(pi, ['~hold'], '1')
  await w.model.asked(1)
  const session = await pi.sessionId()
  const left = pi.send('new_session')
  const question = await pi.dialog(mark)
  await pi.command('/sequence stop')
  await told(pi, /stopped/, mark)
  pi.answer(question, 'Stay')
  assert.equal((await left).cancelled, true)
  assert.equal(await pi.sessionId(), session)
})

test('a session that is not kept is refused before a person records steps', async (t) => {
  const w = await world(t, { extensions: EXTENSIONS, settings: { xylem: { mirror: false } } })
  const pi = w.start()
  await pi.command('/sequence new')
  assert.deepEqual(pi.lines.filter(({ method }) => method === 'input'), [])
  await told(pi, /^\/sequence: a sequence needs the store: the settings of xylem say "mirror": false$/)
})

test('a reason that comes from elsewhere is one line of text', async (t) => {
  const w = await world(t, { extensions: EXTENSIONS, helpers: ['refusals'] })
  const pi = w.start()
  const mark = await play(pi, ['/refuse now'], '1')
  const { message } = await told(pi, /refused/, mark)
  assert.equal(message, '✗ sequence 1/1 · step 1/1 · refused\n\\u{1b}[2Jno⏎never')
})

test('a second run that waits where another run waited is told of too', async (t) => {
  const w = await world(t, { extensions: EXTENSIONS })
  const pi = w.start()
  await pi.prompt('hello')
  const file = w.files()[0]
  for (const turns of [2, 3]) {
    const mark = await play(pi, ['~hold', 'two'], '1')
    await w.model.asked(turns)
    const left = pi.send('new_session')
    pi.answer(await pi.dialog(mark), 'Pause the sequence')
    assert.equal((await left).cancelled, false)
    const from = pi.lines.length
    await pi.send('switch_session', { sessionPath: file })
    await told(pi, /^Step 1 of 2 in run 1 of 1 was being executed/, from)
    await pi.command('/sequence stop')
    assert.equal(pi.lines.filter(({ message }) => /being executed/.test(message)).length, turns - 1)
  }
})

test("a client's prompt on its way is no step's prompt", async (t) => {
  const w = await world(t, { extensions: EXTENSIONS, helpers: ['slow-turns'] })
  const pi = w.start()
  const mark = await play(pi, ['one'], undefined)
  const sent = pi.send('prompt', { message: 'person' })
  await pi.command('/sequence run 1')
  const isRefused = () => pi.notices().some(({ message }) => /the agent is working/.test(message)) // by the prompt
  await new Promise((later) => { setTimeout(later, 300) })
  assert.deepEqual(prompts(w), [])
  writeFileSync(join(w.sandbox.project, 'person'), '')
  await sent
  if (isRefused()) {
    await pi.wait(({ type }) => type === 'agent_settled', 'the end of the turn of the person', mark)
    await pi.command('/sequence run 1')
  }
  await told(pi, /✓ sequence/, mark)
  assert.deepEqual(prompts(w), ['person', 'one'])
})
