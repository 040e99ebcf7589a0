// What the suites of sequences do with a pi, and look at. What the model heard is the proof of what ran, in which
// order, and in which session.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test as plainTest } from 'node:test'
import { world } from '../lib/pi.mjs'
import { entriesOf, pathTo } from '../lib/scan.mjs'

export const SEQUENCE = '01a1f9f7-0000-7000-8000-00000000abcd' // the id of a recorded sequence
const worlds = new WeakMap()

// A test whose ledgers, and whose store, are whole in the end.
export function test(name, body) {
  plainTest(name, async (t) => {
    await body(t)
    for (const w of worlds.get(t) ?? []) {
      await audit(w)
    }
  })
}

async function audit(w) {
  if (!existsSync(w.sandbox.store)) {
    return
  }
  const claimed = new Map()
  for (const { run_id: runId, phase } of await runs(w)) {
    assert.notEqual(phase, 'damaged')
    count(claimed, await ledger(w, runId))
  }
  for (const { session, text } of w.model.heard) {
    const key = `${session}: ${text}`
    if (claimed.has(key)) {
      claimed.set(key, claimed.get(key) - 1)
    }
  }
  const twice = [...claimed].filter(([, left]) => left < 0).map(([key]) => key)
  assert.deepEqual(twice, [], 'the model heard a step more often than the ledger has claims of the step')
  await w.xylem('verify')
}

// Adds the claims of prompts in a ledger to the counts of "session: prompt". With arguments a prompt has another text.
function count(claimed, entries) {
  let session
  const [{ data: { steps, args } }] = entries
  for (const { data } of entries) {
    session = data.event === 'begin' ? data.session : session
    if (data.event === 'claim' && data.kind === 'prompt' && args === null) {
      const key = `${session}: ${steps[data.stepIndex]}`
      claimed.set(key, (claimed.get(key) ?? 0) + 1)
    }
  }
}

export async function sequenceWorld(t, { extensions = ['readonly', 'sequence'], helpers = [], ...options } = {}) {
  const w = await world(t, { extensions, helpers: ['commands', ...helpers], ...options })
  worlds.set(t, [...worlds.get(t) ?? [], w])
  return w
}

// A pi whose session has a recorded sequence.
export async function sequencePi(t, steps, { args, environment, ...options } = {}) {
  const w = await sequenceWorld(t, options)
  const pi = w.start(args, environment)
  await record(pi, steps)
  return { w, pi }
}

// Appends a snapshot, as an older session has it, and starts the extensions at it.
export async function record(pi, steps, { type = 'sequence', sequenceId = SEQUENCE } = {}) {
  await pi.command(`/entry ${type} ${JSON.stringify({ version: 1, sequenceId, steps, updatedAt: 1 })}`)
  await pi.command('/again')
}

// Sends a command, and answers its questions in order; undefined cancels one: the questions.
export async function say(pi, message, ...answers) {
  let at = pi.lines.length
  const responded = pi.send('prompt', { message })
  const questions = []
  for (const answer of answers) {
    const question = await pi.question(at)
    at = pi.lines.indexOf(question) + 1
    questions.push(question)
    pi.answer(question, answer)
  }
  await responded
  return questions
}

// A command, and the first notice that fits.
export async function told(pi, message, pattern, ...answers) {
  const from = pi.lines.length
  await say(pi, message, ...answers)
  return notice(pi, pattern, from)
}

export const notice = (pi, pattern, from = 0) =>
  pi.wait(({ method, message }) => method === 'notify' && pattern.test(message), `a notice like ${pattern}`, from)

const END = /^(✓|✗|■|⏸) sequence/

// Waits for the notice at the end of a run: its words.
export const ended = async (pi, from = 0) => (await notice(pi, END, from)).message

// Plays a run to its end: the words of its notice.
export async function play(pi, words, ...answers) {
  const from = pi.lines.length
  await say(pi, `/sequence ${words}`, ...answers)
  return ended(pi, from)
}

// Starts a run, up to so many requests.
export async function started(w, pi, words, requests) {
  await say(pi, `/sequence ${words}`)
  await w.model.asked(requests)
}

// The prompts that the model heard, and the prompts of each session in turn.
export const heard = (w) => w.model.heard.map(({ text, summary }) => summary ? '(summary)' : text)
export function sessionsHeard(w) {
  const turns = []
  for (const { session, text } of w.model.heard) {
    if (turns.at(-1)?.session !== session) {
      turns.push({ session, texts: [] })
    }
    turns.at(-1).texts.push(text)
  }
  return turns
}

// The status lines of a sequence, without repetitions.
export const statusLines = (pi) => pi.lines
  .filter(({ method, statusKey, statusText }) => method === 'setStatus' && statusKey === 'xylem-sequence' && statusText)
  .map(({ statusText }) => statusText).filter((text, i, all) => text !== all[i - 1])

// The runs in the store, the newest first; the newest run; the entries of a ledger, and their ids.
export const runs = async (w) => JSON.parse(await w.xylem('sequence', 'runs', '--all', '--json')).runs
export const newest = async (w) => (await runs(w))[0]
export async function ledger(w, runId) {
  const text = await w.xylem('sequence', 'log', runId ?? (await newest(w)).run_id, '--jsonl')
  return text.trimEnd().split('\n').map((line) => JSON.parse(line))
}
export const ledgerIds = async (w, runId) => (await ledger(w, runId)).map(({ entry }) => entry)

// The path to the leaf of a session, from the store.
export async function path(w, session) {
  return pathTo(entriesOf(await w.xylem('export', session)))
}
export const customs = (entries, type) =>
  entries.filter(({ customType }) => customType === type).map(({ data }) => data)

// pi has answered all that came before.
export const settle = (pi) => told(pi, '/sequence nonsense', /expected run/)

// Nobody asked the model since `before` requests, also after a question to the extension.
export async function assertSilent(w, pi, before) {
  await settle(pi)
  assert.equal(w.model.requests.length, before)
}
