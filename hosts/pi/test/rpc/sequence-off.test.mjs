// Where a sequence cannot be run, /sequence says why, and nothing is sent.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { extension, helper } from '../lib/pi.mjs'
import { bytesOf, packageCopy, runPi } from './moves.mjs'
import { assertSilent, heard, record, sequenceWorld, test, told } from './runs.mjs'

async function refused(w, pi, pattern) {
  await record(pi, ['one'])
  for (const words of ['run 2', 'continue']) {
    const { message, notifyType } = await told(pi, `/sequence ${words}`, pattern)
    assert.notEqual(notifyType, 'info', message)
  }
  await pi.prompt('behind')
  assert.deepEqual(heard(w), ['behind'])
}

test('with --no-session /sequence is refused, and nothing lies in the store', async (t) => {
  const w = await sequenceWorld(t)
  await runPi(w, ['-p', 'a session with a file'])
  w.model.heard.length = 0
  const pi = w.start(['--no-session'])
  await refused(w, pi, /^\/sequence: .*(no file|session|kept)/)
  await pi.stop()
  assert.equal(bytesOf(w).includes('seq.'), false)
})

test('the refusal comes before any question', async (t) => {
  const w = await sequenceWorld(t)
  const pi = w.start(['--no-session'])
  await record(pi, ['one'])
  for (const words of ['run', 'new', 'edit', '']) {
    await told(pi, `/sequence ${words}`.trim(), /^\/sequence: .*a session without a file is not kept/)
  }
  assert.deepEqual(pi.lines.filter(({ method }) => method === 'input' || method === 'select'), [])
})

test('with `mirror` false /sequence is refused, and names the setting', async (t) => {
  const w = await sequenceWorld(t, { settings: { xylem: { mirror: false } } })
  await refused(w, w.start(), /^\/sequence: .*mirror/)
})

test('with a store that cannot be opened /sequence is refused, with the reason', async (t) => {
  const w = await sequenceWorld(t)
  mkdirSync(w.sandbox.store, { recursive: true })
  writeFileSync(join(w.sandbox.store, 'data.mdb'), 'no store\n'.repeat(2000))
  const pi = w.start()
  await refused(w, pi, /^\/sequence: .*(store|LMDB)/)
  await pi.stop()
  rmSync(w.sandbox.store, { recursive: true }) // there is no store to look at
})

test('without the addon /sequence is refused, with the reason', async (t) => {
  const w = await sequenceWorld(t, { extensions: [] })
  const pi = w.start(['-e', packageCopy(w, false, 'sequence')])
  await record(pi, ['one'])
  await told(pi, '/sequence run 1', /addon|platform|xylem-native/)
  await pi.prompt('behind')
  assert.deepEqual(heard(w), ['behind'])
})

for (const [name, args] of [['print mode', ['-p']], ['JSON mode', ['--mode', 'json', '-p']]]) {
  test(`in ${name} /sequence is refused, visibly`, async (t) => {
    const w = await sequenceWorld(t)
    const { output } = await runPi(w, [...args, '/sequence run 2'], [extension('sequence'), helper('commands')])
    assert.match(output, /sequence/)
    assert.match(output, /RPC|print|terminal/)
    assert.deepEqual(heard(w), [])
  })
}

test('a pi without the package ignores the entries, and the session goes on', async (t) => {
  const w = await sequenceWorld(t)
  const pi = w.start()
  await record(pi, ['one'])
  await pi.prompt('hello')
  const file = w.fileOf(await pi.sessionId())
  await pi.stop()
  const { code } = await runPi(w, ['--session', file, '-p', 'more'], [])
  assert.equal(code, 0)
  assert.deepEqual(heard(w), ['hello', 'more'])
  assert.equal(w.model.requests.some(({ messages }) => JSON.stringify(messages).includes('sequenceId')), false)
})

test('the switched-off readonly takes no part: its step is unknown', async (t) => {
  const w = await sequenceWorld(t, { extensions: ['sequence'] })
  const pi = w.start()
  await record(pi, ['/readonly on'])
  await told(pi, '/sequence run 1', /no command, prompt or skill \/readonly/)
  await assertSilent(w, pi, 0)
})
