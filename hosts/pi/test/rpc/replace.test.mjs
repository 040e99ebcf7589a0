// pi replaces the session in the middle of whatever an extension awaits, a dialog too: nothing fails, and nothing gets
// lost. All extensions of the package are loaded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extension, extensionNames, helper, world } from '../lib/pi.mjs'
import { LIMIT_MS } from '../lib/wait.mjs'
import { call, COMPACTION, exported, idOf, settle, toggle } from './moves.mjs'

const CALLS = '~tools [["bash",{"command":"echo x"}],["bash",{"command":"rm -r none"}],' +
  '["todo",{"action":"add","text":"x"}]]'
const DELAYS = [0, 0, 0, 1, 1, 2, 2, 3, 3, 5, 5, 8, 13, 21]

const isQuestion = ({ method }) => ['select', 'input', 'editor'].includes(method)

// A pi whose client takes the first choice of each dialog, from the line `at` on: the dialog about a new session too.
function startAll(w, args = []) {
  const pi = w.start(args)
  let at = 0
  let isSilent = false
  const look = () => {
    for (; !isSilent && at < pi.lines.length; at++) {
      if (isQuestion(pi.lines[at])) {
        pi.answer(pi.lines[at], pi.lines[at].options?.[0])
      }
    }
  }
  pi.child.stdout.on('data', look)
  return { ...pi, hush: (silent) => { isSilent = silent; at = pi.lines.length } }
}

const worldOf = (t, options = {}) => world(t, { problems: true, extensions: extensionNames, ...options })

async function readonlyPi(t, options) {
  const w = await worldOf(t, options)
  const pi = startAll(w)
  await toggle(pi, 'on')
  return { w, pi }
}

async function replaced(w) {
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

async function checkAll(w, pi) {
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

test('replacements one behind the other', async (t) => {
  const w = await worldOf(t, { helpers: ['replacer', 'recorder'] })
  const pi = startAll(w)
  await pi.prompt('hello')
  await pi.command(`/replace ${JSON.stringify({ delays: DELAYS })}`)
  await replaced(w)
  await checkAll(w, pi)
})

test('forks one behind the other', async (t) => {
  const { w, pi } = await readonlyPi(t, { helpers: ['replacer', 'recorder'] })
  await pi.prompt('hello')
  await pi.command(`/replace ${JSON.stringify({ delays: DELAYS, fork: true })}`)
  await replaced(w)
  await settle(pi)
  assert.match(pi.status('xylem-readonly'), /readonly/)
  await checkAll(w, pi)
})

for (const event of ['input', 'context', 'tool_call', 'tool_result', 'turn_end', 'agent_end', 'session_before_switch',
  'session_compact', 'session_before_tree', 'session_tree', 'ui_prompt_start', 'ui_prompt_end']) {
  test(`a replacement in each await behind ${event}`, async (t) => {
    const helpers = ['replacer', 'recorder', 'commands']
    const w = await worldOf(t, { helpers, settings: COMPACTION })
    const pi = startAll(w)
    await pi.prompt('hello')
    await pi.prompt('~big 2000')
    const delays = [0, 0, 1, 2, 5]
    await pi.command(`/replace ${JSON.stringify({ delays, on: event })}`)
    for (let i = 0; i < 4 * delays.length && w.records('replacements-done').length === 0; i++) {
      const { leaf } = w.records().findLast(({ leaf }) => leaf) ?? {}
      await pi.send('prompt', { message: CALLS }).catch(() => {})
      await pi.send('prompt', { message: '/readonly' }).catch(() => {})
      const move = () => pi.send('prompt', { message: `/goto ${leaf}` })
      await (event === 'session_compact' ? pi.send('compact') : move()).catch(() => {})
      await new Promise((later) => setTimeout(later, 60))
    }
    assert.deepEqual(w.records('uncaught'), [])
    await checkAll(w, pi)
  })
}

// An extension in front of the package waits, and pi replaces the session meanwhile: the handlers of the package then
// have a context of no use.
for (const event of ['session_tree', 'input', 'before_agent_start', 'turn_start', 'agent_end', 'agent_settled',
  'message_end', 'tool_execution_start', 'tool_result', 'context', 'session_info_changed']) {
  test(`a replacement before the package hears of ${event}`, async (t) => {
    const w = await world(t, { problems: true, extensions: [] })
    const paths = [...['recorder', 'replacer', 'slow', 'commands'].map(helper), ...extensionNames.map(extension)]
    const pi = startAll(w, paths.flatMap((path) => ['-e', path]))
    await pi.prompt('hello')
    const { leaf } = w.records().findLast(({ leaf }) => leaf)
    await pi.prompt('again')
    await pi.command(`/replace ${JSON.stringify({ delays: [5], on: event })}`)
    const act = event === 'session_tree' ? () => pi.send('prompt', { message: `/goto ${leaf}` })
      : event === 'session_info_changed' ? () => pi.send('set_session_name', { name: 'x' })
      : () => pi.send('prompt', { message: CALLS })
    await act().catch(() => {})
    await replaced(w)
    await checkAll(w, pi)
  })
}

// Dialogs that stay open until the session is replaced. The answer comes too late.
const DIALOGS = [
  ['about a command', call('rm -r none')],
  ['of the menu of sequences', '/sequence'],
  ['of the recorder', '/sequence new'],
  ['about the number of runs', '/sequence run'],
  ['about the arguments of a run', '/sequence run 1'],
]
for (const [words, message] of DIALOGS) {
  test(`a replacement while the dialog ${words} is open`, async (t) => {
    const w = await worldOf(t, { helpers: ['replacer', 'recorder', 'commands'] })
    const pi = startAll(w)
    await pi.prompt('hello')
    const steps = JSON.stringify({ version: 1, sequenceId: 'a', steps: ['a step with $@'], updatedAt: 1 })
    for (const delays of [[0], [1, 0], [5, 2]]) {
      const count = w.records('replacements-done').length
      await pi.command(`/entry sequence ${steps}`)
      pi.hush(true)
      const from = pi.lines.length
      pi.send('prompt', { message }).catch(() => {})
      const question = await pi.wait(isQuestion, 'the dialog', from)
      pi.hush(false)
      await pi.send('prompt', { message: `/replace ${JSON.stringify({ delays })}` })
      await w.until(() => w.records('replacements-done').length > count, 'all replacements')
      pi.answer(question, question.options?.[0] ?? '1')
      assert.deepEqual(w.records('replaced').slice(-delays.length).filter(({ problem }) => problem), [])
    }
    assert.deepEqual(w.records('uncaught'), [])
    await checkAll(w, pi)
  })
}

test('a client that replaces the session without a pause', async (t) => {
  const { w, pi } = await readonlyPi(t, { helpers: ['replacer', 'recorder'] })
  await pi.prompt('hello')
  const file = w.fileOf(await pi.sessionId())
  const replacements = Array.from({ length: 12 }, (_, i) => i % 3 === 2
    ? pi.send('switch_session', { sessionPath: file }) : pi.send('new_session'))
  await Promise.allSettled(replacements)
  await pi.send('switch_session', { sessionPath: file })
  await settle(pi)
  assert.match(pi.status('xylem-readonly'), /readonly/)
  assert.deepEqual(w.records('uncaught'), [])
  await checkAll(w, pi)
})

test('a toggle whose session is replaced before its report', async (t) => {
  const w = await worldOf(t, { helpers: ['replacer', 'recorder'] })
  const pi = startAll(w)
  await pi.prompt('hello')
  const id = await pi.sessionId()
  for (const delay of [0, 0, 1, 1, 2, 3]) {
    const count = w.records('replacements-done').length
    await pi.send('prompt', { message: `/replace {"delays":[${delay}]}` })
    pi.send('prompt', { message: '/readonly on' }).catch(() => {})
    await w.until(() => w.records('replacements-done').length > count, 'the replacement')
    await pi.prompt('hello')
  }
  await checkAll(w, pi)
  assert.equal((await w.state(id)).session, id)
})
