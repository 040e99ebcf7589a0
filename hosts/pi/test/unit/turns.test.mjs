// Waiting for a turn and for a compaction, against a pi that does as the test says.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerAfter, Turns } from '../../lib/sequence/turns.ts'

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

// Patience that a test ends, and what it was told.
function patience() {
  const over = new AbortController()
  const waiting = { signal: over.signal, isLate: false, late: () => { waiting.isLate = true }, hasBegun: false,
    begun: () => { waiting.hasBegun = true }, end: () => over.abort() }
  return waiting
}

async function ticks(count = 5) {
  for (let i = 0; i < count; i++) {
    await tick()
  }
}

test('a turn that begins late is told of after its time, and is waited for', async (t) => {
  const { turns, ctx, emit } = fakePi()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const waiting = patience()
  let answer
  const played = turns.play(() => emit('input'), ctx, waiting).then((known) => { answer = known })
  await tick()
  t.mock.timers.tick(9_999)
  assert.equal(waiting.isLate, false)
  t.mock.timers.tick(1)
  assert.equal(waiting.isLate, true)
  t.mock.timers.tick(100_000_000)
  await ticks()
  assert.deepEqual([answer, waiting.hasBegun], [undefined, false])
  emit('agent_start')
  await played
  assert.deepEqual([answer, waiting.hasBegun], [true, true])
})

test('the end of the patience is an answer of its own: nobody knows', async () => {
  for (const when of ['before', 'while']) {
    const { turns, ctx, emit } = fakePi()
    const waiting = patience()
    when === 'before' && waiting.end()
    const played = turns.play(() => emit('input'), ctx, waiting)
    await ticks()
    waiting.end()
    assert.equal(await played, false)
  }
})

test('a prompt that pi refuses is an error, at once', async () => {
  const { turns, ctx } = fakePi()
  await assert.rejects(turns.play(() => Promise.reject(new Error('no model')), ctx, patience()), /no model/)
})

test('without patience a prompt without a turn is waited for a short time', async (t) => {
  const { turns, ctx, emit } = fakePi()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  emit('input')
  const settled = turns.settle(ctx)
  await ticks()
  t.mock.timers.tick(10_000)
  assert.equal(await settled, false)
})

test('a turn that begins in the middle of sending counts', async () => {
  const { turns, ctx, emit } = fakePi()
  assert.equal(await turns.play(async () => {
    emit('input')
    emit('agent_start')
  }, ctx, patience()), true)
})

test('the turn of another prompt is not the turn of this prompt', async () => {
  const { turns, ctx, emit } = fakePi()
  const waiting = patience()
  emit('input') // of a person
  const played = turns.play(() => emit('input'), ctx, waiting)
  emit('agent_start')
  await ticks()
  waiting.end()
  assert.equal(await played, false)
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
