// /find and /sessions over RPC: a match is looked for in the store, and pi goes on there.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { world } from '../lib/pi.mjs'
import { bigSession, changeSettings, exported, said } from './moves.mjs'

// A pi in its second session. The first session has two prompts, and an answer to each.
async function second(t, options) {
  const w = await world(t, { extensions: ['find'], helpers: ['commands'], ...options })
  const pi = w.start()
  await pi.prompt('the parser idea of monday')
  await pi.prompt('something else')
  const first = await pi.sessionId()
  await exported(w, first)
  await pi.send('new_session')
  await pi.prompt('unrelated words')
  await exported(w, await pi.sessionId())
  return { w, pi, first }
}

// Sends a command, and answers its dialogs in order: with a text, or with the first choice of a pattern.
async function act(pi, message, ...answers) {
  let at = pi.lines.length
  const sent = pi.send('prompt', { message }).catch(() => {}) // pi may leave the session
  const dialogs = []
  for (const answer of answers) {
    const dialog = await pi.dialog(at)
    at = pi.lines.indexOf(dialog) + 1
    dialogs.push(dialog)
    pi.answer(dialog, answer instanceof RegExp ? dialog.options.find((option) => answer.test(option)) : answer)
  }
  await sent
  return dialogs
}

const textsOf = async (pi) => (await pi.messages()).map(({ content }) =>
  typeof content === 'string' ? content : content.map(({ text = '' }) => text).join(''))
const inSession = (w, pi, id) => w.until(async () => await pi.sessionId() === id, 'the session of the match')

test('a match on the path of another session resumes that session at its end', async (t) => {
  const { w, pi, first } = await second(t)
  const [dialog] = await act(pi, '/find parser idea', /the parser idea of monday/)
  assert.match(dialog.title, /^Find in the sessions: \d match/)
  await inSession(w, pi, first)
  await w.until(async () => (await textsOf(pi)).includes('something else'), 'the end of the session')
})

test('a match on another branch of another session is where pi goes', async (t) => {
  const { w, pi, first } = await second(t)
  await pi.send('switch_session', { sessionPath: w.fileOf(first) })
  await inSession(w, pi, first)
  await act(pi, '/find something else', /min: something else/)
  await w.until(() => /What came later is in the session/.test(said(pi)), 'what is not on the screen')
  await pi.prompt('a second branch')
  await exported(w, first)
  await pi.send('new_session')
  await act(pi, '/find "heard: something else"', /heard: something else/)
  await inSession(w, pi, first)
  await w.until(async () => !(await textsOf(pi)).includes('a second branch'), 'the move to the match')
})

test('the words are looked for together, quotes make a phrase, and no match is told', async (t) => {
  const { w, pi } = await second(t)
  const words = (text) => new RegExp(text)
  await act(pi, '/find monday parser', words('parser idea'))
  await act(pi, '/find "idea of monday"', words('parser idea'))
  await act(pi, '/find "monday parser"')
  await w.until(() => /^0 matches\. 'xylem import' takes/m.test(said(pi)), 'no match')
})

test('a match in this session moves there without leaving the session', async (t) => {
  const { w, pi } = await second(t)
  const id = await pi.sessionId()
  await pi.prompt('later')
  await exported(w, id)
  await act(pi, '/find unrelated', /unrelated words/)
  await w.until(async () => !(await textsOf(pi)).includes('later'), 'the move')
  assert.equal(await pi.sessionId(), id)
})

test('/sessions lists what is in the store, and resumes a session whose file is gone', async (t) => {
  const { w, pi, first } = await second(t)
  const before = w.read(w.fileOf(first))
  rmSync(w.fileOf(first))
  await act(pi, '/sessions parser', /the parser idea/)
  await inSession(w, pi, first)
  assert.equal(w.read(w.fileOf(first)), before)
})

test('a session of another directory is told of before, and a no stays', async (t) => {
  const { w, pi } = await second(t)
  const id = await pi.sessionId()
  const file = join(w.sandbox.root, '2026-11-22T00-00-00-000Z_big.jsonl')
  bigSession(file, 1) // works in /
  await w.xylem('import', file)
  const [, question] = await act(pi, '/sessions big', /xxx/, /^Stay/)
  assert.match(question.title, /^Open 'xxx.*'\?\nIt works in \/, and pi goes there\.$/)
  assert.equal(await pi.sessionId(), id)
  await act(pi, '/sessions big', /xxx/, /^Open/)
  await inSession(w, pi, 'big')
})

test('a session that another pi has open is told of before', async (t) => {
  const { w, pi, first } = await second(t)
  const other = w.start(['--session', w.fileOf(first)])
  await other.prompt('also here')
  await exported(w, first)
  const [, question] = await act(pi, '/find monday', /monday/, /^Stay/)
  assert.match(question.title, new RegExp(`\\nProcess ${other.child.pid} on .* has it open: what you do there`))
})

test('without a store one line says why there is nothing to look in', async (t) => {
  const w = await world(t, { extensions: ['find'] })
  changeSettings(w, { xylem: { mirror: false } })
  const pi = w.start()
  await act(pi, '/find x')
  await w.until(() => /^\/find: there is nothing to look in: the settings of xylem say "mirror": false$/m.test(said(pi)),
    'why')
})
