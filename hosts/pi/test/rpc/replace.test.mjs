// pi replaces the session in the middle of whatever an extension awaits, a dialog too: nothing fails, and nothing gets
// lost. All extensions of the package are loaded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extension, extensionNames, helper, world } from '../lib/pi.mjs'
import { COMPACTION, settle } from './moves.mjs'
import { CALLS, DELAYS, startAll, worldOf, readonlyPi, replaced, checkAll } from './replacing.mjs'

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
