// Random scripts: a sequence is recorded and run, is disturbed at random moments, and a person decides how the run goes
// on, until the run has ended. Each script is made from a seed. `words` says what happened.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomFrom } from '../lib/random.mjs'
import { COMPACTION, settle } from './moves.mjs'
import { ledger, record, runs } from './runs.mjs'

export const OPTIONS = { extensions: ['readonly', 'sequence'], helpers: ['commands', 'notes'], settings: COMPACTION,
  problems: true } // the proof looks at the problems

const LIMIT_MS = 60000
const OVER = /^(✓|✗|■|⏸) sequence|stands still|^\/sequence:/ // notices after which the run does not go on
const IS_TOLD = /\brun \d+ of \d+/
const ENDED = ['done', 'failed', 'stopped']
const CHOICES = { stop: 'Stop the sequence', pause: 'Pause the sequence', stay: 'Stay' }
const sleep = (ms) => new Promise((done) => { setTimeout(done, ms) })

const weigh = (table) => table.flatMap(([weight, value]) => Array(weight).fill(value))

// --- A script ------------------------------------------------------------------------------------------------------

// `sends`: the prompt that the model hears; `note`: the words of the offered command.
const prompt = (text) => ({ text, sends: text })
const STEPS = weigh([
  [4, (token) => prompt(`${token}: a question`)],
  [3, (token) => prompt(`${token}\n~hold`)],
  [3, (token, random) => prompt(`${token}\n~slow ${random(200)}`)],
  [2, (token) => prompt(`${token}\n~tool bash {"command":"echo ${token}"}`)],
  [2, (token) => ({ text: `/plan ${token}`, sends: `The plan of ${token}.` })],
  [3, (token) => ({ text: `/note ${token}`, note: token })],
  [2, (_token, random) => ({ text: `/readonly ${random(2) ? 'on' : 'off'}` })],
])
const MOMENTS = weigh([[6, 'request'], [3, 'answer'], [4, 'status'], [3, 'reset'], [3, 'session'], [2, 'delay']])
const ACTS = weigh([[9, 'kill'], [1, 'SIGTERM'], [1, 'end of input'], [2, 'new'], [2, 'switch'], [1, 'fork'],
  [1, 'abort'], [1, 'reload'], [4, 'prompt'], [1, 'stop']])
const ANSWERS = weigh([[1, 'stop'], [2, 'pause'], [1, 'stay'], [1, 'kill']]) // to the question about the run

export function makeScript(seed) {
  const random = randomFrom(seed)
  const pick = (list) => list[random(list.length)]
  const steps = Array.from({ length: 1 + random(4) }, (_, i) => pick(STEPS)(`step-${i}-of-${seed}`, random))
  if (steps.filter(({ sends }) => sends).length > 1 && random(4) === 0) {
    steps.push({ text: '/compact' }) // behind prompts: else there is nothing to compact
  }
  const disturbances = Array.from({ length: 2 + random(4) }, () => {
    const act = pick(ACTS)
    const [moment, count] = [act === 'prompt' ? pick(['request', 'settled']) : pick(MOMENTS), 1 + random(2)]
    const [delay, answer, how] = [random(2) ? 0 : random(120), pick(ANSWERS), pick(['steer', 'followUp'])]
    return { moment, count, act, delay, answer, how }
  })
  const [times, hasOther, hasFile] = [1 + random(3), random(3) > 0, random(2) > 0]
  return { seed, random, pick, steps, disturbances, times, hasOther, hasFile, words: [], persons: [],
    decisions: [], bounds: [], pis: [], released: 0, pi: undefined, since: 0 }
}

const problemOf = ({ message }) => message.split('\n')[0]
const say = (s, words) => { s.words.push(words) }

// The script in words.
export const describe = ({ seed, times, steps, words }) =>
  [`seed ${seed}: ${times} times`, ...steps.map(({ text }) => JSON.stringify(text)), ...words].join('\n    ')

// --- Waiting -------------------------------------------------------------------------------------------------------

export const newest = async (s) => (await runs(s.w))[0]

function release(s) {
  const held = s.w.model.heard.filter(({ text }) => text?.endsWith('\n~hold')).length
  for (; s.released < held; s.released++) {
    s.w.model.release()
  }
}

const isOver = ({ pi, since }) => pi.hasEnded || pi.lines.slice(since).some(({ method, message }) =>
  method === 'notify' && OVER.test(message))

// Waits until something happened: true; or until the run does not go on here. Held answers come after a while.
async function until(s, happened) {
  const end = Date.now() + LIMIT_MS
  for (let tick = 1; ; tick++) {
    if (happened()) {
      return true
    }
    if (isOver(s) || (tick % 100 === 0 && !(await newest(s)).owner?.alive)) {
      return false
    }
    assert.ok(Date.now() < end, 'the run neither goes on nor ends')
    if (tick % 20 === 0) {
      release(s)
    }
    await sleep(2)
  }
}

function momentOf(s, { moment, count, delay }) {
  const [lines, asked, began] = [s.pi.lines.length, s.w.model.heard.length, Date.now()]
  const later = (fits) => () => s.pi.lines.slice(lines).filter(fits).length >= count
  switch (moment) {
    case 'request':
      return () => s.w.model.heard.length >= asked + count
    case 'answer':
      return later(({ type, message }) => type === 'message_end' && message.role === 'assistant')
    case 'settled': // between two steps
      return later(({ type }) => type === 'agent_settled')
    case 'status':
      return later(({ statusKey, statusText }) => statusKey === 'xylem-sequence' && statusText)
    case 'reset':
      return () => s.pi.lines.slice(lines).some(({ statusText }) => /new session$/.test(statusText))
    case 'session':
      return () => s.pi.lines.slice(lines).some(({ statusKey }) => statusKey === 'notes')
    default:
      return () => Date.now() - began >= delay
  }
}

// --- What a person does --------------------------------------------------------------------------------------------

// A killed pi may leave a lock on its settings behind, which the next pi respects for a while.
async function start(s, args) {
  const pi = s.w.start(args)
  const problem = await pi.sessionId().then(() => '', ({ message }) => message)
  if (problem.includes('ELOCKED')) {
    await sleep(1000)
    return start(s, args)
  }
  assert.equal(problem, '')
  pi.hasEnded = false
  pi.exit.then(() => { pi.hasEnded = true })
  s.pis.push(pi)
  return Object.assign(s, { pi, since: 0 })
}

async function person(s, how) {
  const message = `person ${s.persons.length}`
  s.persons.push(message)
  await s.pi.send('prompt', { message, streamingBehavior: how })
}

export async function begin(s, w) {
  Object.assign(s, { w, model: w.model })
  mkdirSync(join(w.sandbox.agent, 'prompts'))
  writeFileSync(join(w.sandbox.agent, 'prompts', 'plan.md'), 'The plan of $1.')
  await start(s, [])
  const talk = (message) => {
    s.persons.push(message)
    return s.pi.prompt(message)
  }
  if (s.hasOther) {
    await talk('the other conversation')
    await s.pi.send('new_session')
  }
  await record(s.pi, s.steps.map(({ text }) => text))
  if (s.hasFile) {
    await talk('before the run')
  }
  await s.pi.command(`/sequence run ${s.times}`)
}

// The decisions before the bound tell nothing of the attempts behind the bound, and the other way round.
async function bound(s, { run_id: runId }) {
  s.bounds.push({ ledger: (await ledger(s.w, runId)).length, requests: s.w.model.requests.length,
    notes: s.w.records('note').length })
}

// Answers the question about the run, if there is a question.
async function leave(s, way, { answer }) {
  const { pi } = s
  const before = pi.dialogs().length
  let isGone = false
  const gone = way().catch((error) => say(s, problemOf(error))).finally(() => { isGone = true })
  for (let asked = before; !isGone && !pi.hasEnded; await sleep(2)) {
    const dialog = pi.dialogs()[asked]
    if (dialog && answer === 'kill') {
      await pi.kill()
    } else if (dialog) {
      asked++
      pi.answer(dialog, CHOICES[answer])
    }
  }
  await gone
}

async function otherFile(s) {
  const id = await s.pi.sessionId()
  return s.w.files().find((file) => !file.includes(id))
}

async function fork({ pi, pick }) {
  const { messages } = await pi.send('get_fork_messages')
  await (messages.length ? pi.send('fork', { entryId: pick(messages).entryId }) : pi.send('clone'))
}

async function act(s, plan) {
  const { pi } = s
  switch (plan.act) {
    case 'kill':
      return pi.kill()
    case 'SIGTERM':
      return pi.kill('SIGTERM')
    case 'end of input':
      return pi.stop()
    case 'new':
      return leave(s, () => pi.send('new_session'), plan)
    case 'switch': {
      const sessionPath = await otherFile(s)
      return sessionPath && leave(s, () => pi.send('switch_session', { sessionPath }), plan)
    }
    case 'fork':
      return leave(s, () => fork(s), plan)
    case 'abort':
      return pi.send('abort')
    case 'reload':
      return pi.command('/again')
    case 'prompt':
      return person(s, plan.how)
    default:
      return pi.command('/sequence stop')
  }
}

async function disturb(s) {
  const plan = s.disturbances.shift()
  if (!plan || !await until(s, momentOf(s, plan))) {
    return plan ? s.disturbances.unshift(plan) : until(s, () => false)
  }
  await sleep(plan.delay)
  const { moment, count, delay, act: name, answer } = plan
  say(s, `${moment} ${count} and ${delay} ms: ${name}${/new|switch|fork/.test(name) ? `, ${answer}` : ''}`)
  await act(s, plan).catch((error) => say(s, problemOf(error)))
}

// --- The next start, and a decision --------------------------------------------------------------------------------

// The next pi tells of the run, if the run is open, and asks the model nothing.
async function restart(s, run) {
  const home = s.w.fileOf(run.host_session)
  const files = s.w.files()
  const at = (file) => (file ? ['--session', file] : [])
  const [name, args] = s.pick(weigh([[1, ['fresh', []]], [1, ['--continue', ['--continue']]], [2, ['home', at(home)]],
    [1, ['elsewhere', at(files.length ? s.pick(files) : undefined)]]]))
  await bound(s, run)
  const before = s.w.model.requests.length
  say(s, `start: ${name}, the run is ${run.phase}`)
  await start(s, args)
  if (!ENDED.includes(run.phase)) {
    await s.pi.wait(({ method, message }) => method === 'notify' && IS_TOLD.test(message), 'the notice of the run')
  }
  await settle(s.pi)
  assert.equal(s.w.model.requests.length, before, 'a start asks the model')
  if (s.random(5) === 0) {
    await person(s, 'steer')
    await s.pi.wait(({ type }) => type === 'agent_settled', 'the end of the turn of the person')
  }
}

async function goHome(s, run) {
  const sessionPath = s.w.fileOf(run.host_session)
  if (sessionPath && await s.pi.sessionId() !== run.host_session && s.random(2)) {
    say(s, 'switch to the session of the run')
    await s.pi.send('switch_session', { sessionPath })
  } else {
    await s.pi.stop()
  }
}

async function decide(s, run) {
  const decision = s.pick(run.phase === 'paused' ? weigh([[8, 'continue'], [1, 'stop']])
    : weigh([[4, 'retry'], [3, 'skip'], [1, 'stop']]))
  say(s, `${run.phase}, run ${run.iteration}, step ${run.step_index}: ${decision}`)
  await bound(s, run)
  s.decisions.push(decision)
  const from = s.since = s.pi.lines.length
  const answered = s.pi.command(`/sequence ${decision}`).catch((error) => say(s, problemOf(error)))
  if (s.random(8) === 0) {
    const delay = s.random(150)
    say(s, `kill ${delay} ms behind the decision`)
    await sleep(delay)
    await s.pi.kill()
  }
  await answered
  const refusal = s.pi.lines.slice(from)
    .find(({ method, message }) => method === 'notify' && message.startsWith('/sequence:'))
  if (refusal && !s.pi.hasEnded) {
    say(s, refusal.message)
    await goHome(s, run)
  }
}

// Plays a script to the end of its run, and gives the state of the run.
export async function play(s, w) {
  await begin(s, w)
  for (let round = 0; round < 40; round++) {
    const run = await newest(s)
    if (s.pi.hasEnded) {
      await restart(s, run)
    } else if (ENDED.includes(run.phase)) {
      release(s)
      await s.pi.stop()
      say(s, `the run is ${run.phase}`)
      return run
    } else if (run.owner?.alive) {
      await disturb(s)
    } else {
      await decide(s, run)
    }
  }
  throw new Error('the run comes to no end')
}
