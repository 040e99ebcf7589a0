// Waiting for a turn and for a compaction, against a pi that does as the test says.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerAfter, Turns } from '../../lib/turns.ts'

// A pi with handlers, and a context whose idleness the test sets.
function fakePi() {
  const handlers = {}
  const pi = { on: (event, handler) => { handlers[event] = handler } }
  const ctx = { idle: true, isIdle: () => ctx.idle, waitForIdle: async () => {} }
  return { turns: new Turns(pi), ctx, emit: (event) => handlers[event]({}, ctx) }
}

const tick = () => new Promise((resolve) => { setImmediate(resolve) })

test('a compaction ends as pi says', async () => {
  const { turns, ctx } = fakePi()
  await turns.compact({ ...ctx, compact: ({ onComplete }) => onComplete() }, 'short')
  await assert.rejects(turns.compact({ ...ctx, compact: ({ onError }) => onError(new Error('too small')) }), /too small/)
})

test('a compaction of which pi says nothing ends when pi is idle again', async (t) => {
  const { turns, ctx } = fakePi()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let idle
  const waiting = new Promise((resolve) => { idle = resolve })
  let ended = false
  const compacting = turns.compact({ compact: () => {}, waitForIdle: () => waiting }).catch((error) => {
    ended = true
    return error
  })
  t.mock.timers.tick(1_000_000)
  await tick()
  t.mock.timers.tick(1_000_000)
  await tick()
  assert.equal(ended, false) // pi compacts still
  idle()
  await tick()
  t.mock.timers.tick(1_000_000)
  assert.match((await compacting).message, /without a word/)
})

test('a prompt without a turn is an error after its time, and not before', async (t) => {
  const { turns, ctx, emit } = fakePi()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let problem
  const played = turns.play(() => emit('input'), ctx).catch((error) => { problem = error })
  await tick()
  t.mock.timers.tick(9_999)
  await tick()
  assert.equal(problem, undefined)
  t.mock.timers.tick(1)
  await played
  assert.match(problem.message, /no turn/)
})

test('a turn that begins in the middle of sending counts', async () => {
  const { turns, ctx, emit } = fakePi()
  await turns.play(async () => {
    emit('input')
    emit('agent_start')
  }, ctx)
})

test('the turn of another prompt is not the turn of this prompt', async (t) => {
  const { turns, ctx, emit } = fakePi()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let problem
  emit('input') // of a person
  const played = turns.play(() => emit('input'), ctx).catch((error) => { problem = error })
  emit('agent_start')
  for (let i = 0; i < 5; i++) {
    await tick()
  }
  t.mock.timers.tick(10_000)
  await played
  assert.match(problem.message, /no turn/)
})

test('the answer is the last one behind the entry, whatever stands behind the answer', () => {
  const answer = (id, stopReason) => ({ id, type: 'message', message: { role: 'assistant', stopReason } })
  const path = [answer('a', 'stop'), { id: 'u', type: 'message', message: { role: 'user' } }, answer('b', 'toolUse'),
    answer('c', 'error'), { id: 'd', type: 'custom' }]
  assert.equal(answerAfter(path, 'a').id, 'c')
  assert.equal(answerAfter(path, null).stopReason, 'error')
  assert.equal(answerAfter(path, 'c'), undefined)
  assert.equal(answerAfter([], null), undefined)
})
