// What the suites of replacements share: pis in which the session is replaced, and what must hold afterwards.
import assert from 'node:assert/strict'
import { extensionNames, world } from '../lib/pi.mjs'
import { LIMIT_MS } from '../lib/wait.mjs'
import { exported, idOf, toggle } from './moves.mjs'

export const CALLS = '~tools [["bash",{"command":"echo x"}],["bash",{"command":"rm -r none"}],' +
  '["todo",{"action":"add","text":"x"}]]'
export const DELAYS = [0, 0, 0, 1, 1, 2, 2, 3, 3, 5, 5, 8, 13, 21]

export const isQuestion = ({ method }) => ['select', 'input', 'editor'].includes(method)

// The first choice that changes something.
const choiceOf = ({ options }) => options?.find((option) => !/^(Stay|Block|Keep)/.test(option))

// A pi whose client takes such a choice in each dialog, from the line `at` on: in the dialog about a new session too.
export function startAll(w, args = []) {
  const pi = w.start(args)
  let at = 0
  let isSilent = false
  const look = () => {
    for (; !isSilent && at < pi.lines.length; at++) {
      if (isQuestion(pi.lines[at])) {
        pi.answer(pi.lines[at], choiceOf(pi.lines[at]))
      }
    }
  }
  pi.child.stdout.on('data', look)
  return { ...pi, hush: (silent) => { isSilent = silent; at = pi.lines.length } }
}

export const worldOf = (t, options = {}) => world(t, { problems: true, extensions: extensionNames, ...options })

export async function readonlyPi(t, options) {
  const w = await worldOf(t, options)
  const pi = startAll(w)
  await toggle(pi, 'on')
  return { w, pi }
}

export async function replaced(w) {
  await w.until(() => w.records('replacements-done').length > 0, 'all replacements')
  assert.deepEqual(w.records('uncaught'), [])
}

// Ends the plan of the replacer. While pi replaces the session commands go nowhere: they are sent again.
async function steady(w, pi) {
  const isAnswer = ({ method, message }) => method === 'notify' && /expected on, off/.test(message)
  await w.until(async () => {
    const from = pi.lines.length
    for (const message of ['/replace {"delays":[]}', '/readonly nonsense']) {
      pi.send('prompt', { message }).catch(() => {})
    }
    return pi.wait(isAnswer, 'an answer of the extension', from, 2000).catch(() => undefined)
  }, 'a session that stays', { limit: 2 * LIMIT_MS })
}

// A prompt may come between the abort of the old session and its end. pi writes the turn behind the end: the store has
// the turn with the next start of the session.
async function kept(w, file) {
  if (await w.xylem('export', idOf(file)).catch(() => '') !== w.read(file)) {
    const pi = startAll(w, ['--session', file])
    await exported(w, idOf(file))
    await pi.stop()
  }
}

export async function checkAll(w, pi) {
  await steady(w, pi)
  await w.until(async () => !(await pi.send('get_state')).isStreaming, 'the end of the last turn')
  await pi.prompt('behind')
  // pi itself reports the turns and the commands that it took out of their session
  assert.deepEqual(pi.problems().filter(({ extensionPath }) => !/<boundary>|goto/.test(extensionPath)), [])
  await pi.stop()
  for (const file of w.files()) {
    await kept(w, file)
  }
  await w.xylem('verify')
}
