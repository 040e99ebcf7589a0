// pi replaces the session in the middle of whatever the extension awaits: nothing fails, and nothing gets lost.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { world } from '../lib/pi.mjs'
import { COMPACTION, exported, idOf, readonlyPi, settle, toggle } from './moves.mjs'

const BOTH = ['readonly', 'todo']
const CALLS = '~tools [["bash",{"command":"echo x"}],["todo",{"action":"add","text":"x"}]]'
const DELAYS = [0, 0, 0, 1, 1, 2, 2, 3, 3, 5, 5, 8, 13, 21]

async function replaced(w) {
  await w.until(() => w.records('replacements-done').length > 0, 'all replacements')
  assert.deepEqual(w.records('uncaught'), [])
}

async function checkAll(w, pi) {
  await new Promise((later) => setTimeout(later, 300)) // the end of the last replacement: until then commands go nowhere
  await settle(pi)
  await w.until(async () => !(await pi.send('get_state')).isStreaming, 'the end of the last turn')
  await pi.prompt('behind')
  // pi itself reports the turns and the commands that it took out of their session
  assert.deepEqual(pi.problems().filter(({ extensionPath }) => !/<boundary>|goto/.test(extensionPath)), [])
  for (const file of w.files()) {
    await exported(w, idOf(file))
  }
  await pi.stop()
  await w.xylem('verify')
}

test('replacements one behind the other', async (t) => {
  const w = await world(t, { problems: true, extensions: BOTH, helpers: ['replacer', 'recorder'] })
  const pi = w.start()
  await pi.prompt('hello')
  await pi.command(`/replace ${JSON.stringify({ delays: DELAYS })}`)
  await replaced(w)
  await checkAll(w, pi)
})

test('forks one behind the other', async (t) => {
  const { w, pi } = await readonlyPi(t, { problems: true, extensions: BOTH, helpers: ['replacer', 'recorder'] })
  await pi.prompt('hello')
  await pi.command(`/replace ${JSON.stringify({ delays: DELAYS, fork: true })}`)
  await replaced(w)
  await settle(pi)
  assert.match(pi.status('xylem-readonly'), /readonly/)
  await checkAll(w, pi)
})

for (const event of ['input', 'context', 'tool_call', 'turn_end', 'agent_end', 'session_compact', 'session_tree']) {
  test(`a replacement in each await behind ${event}`, async (t) => {
    const helpers = ['replacer', 'recorder', 'commands']
    const w = await world(t, { problems: true, extensions: BOTH, helpers, settings: COMPACTION })
    const pi = w.start()
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

test('a client that replaces the session without a pause', async (t) => {
  const { w, pi } = await readonlyPi(t, { problems: true, extensions: BOTH, helpers: ['recorder'] })
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
  const w = await world(t, { problems: true, extensions: BOTH, helpers: ['replacer', 'recorder'] })
  const pi = w.start()
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
