// pi replaces the session while a dialog of the package is open: nothing fails, and nothing gets lost.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from './moves.mjs'
import { isQuestion, startAll, worldOf, replaced, checkAll } from './replacing.mjs'

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
