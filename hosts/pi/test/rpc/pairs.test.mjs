// Pairs of extensions whose rules meet. Other pairs: rpc/gates; rpc/sequence-leaving has sequence and confirm,
// rpc/sequence the steps `/readonly`, rpc/todo the compaction, rpc/two two pis, rpc/read-guard readonly, rpc/ssh-session
// the guards beside ssh, tui/notify the end of a sequence, tui/ext-guards the guards of /ext.
import assert from 'node:assert/strict'
import { ours, repository } from '../lib/repository.mjs'
import { settle } from './keeping.mjs'
import { BLOCKED, isOn } from './moves.mjs'
import { path, play, sequencePi, sessionsHeard, test } from './runs.mjs'

const results = (entries) => entries.filter(({ message }) => message?.role === 'toolResult')
const textOf = ({ message }) => message.content.map(({ text }) => text).join('')

test('sequence x readonly: under --readonly each iteration begins with readonly on', async (t) => {
  const steps = ['~tool write {"path":"a","content":"x"}', '/readonly off', '~tool write {"path":"b","content":"x"}']
  const { w, pi } = await sequencePi(t, steps, { args: ['--readonly'] })
  assert.match(await play(pi, 'run 2'), /^✓/)
  const sessions = sessionsHeard(w).map(({ session }) => session)
  assert.equal(sessions.length, 2)
  for (const session of sessions) {
    const [first, second] = results(await path(w, session))
    assert.equal(textOf(first), BLOCKED)
    assert.equal(second.message.isError, false)
  }
  assert.equal(isOn(pi), false)
})

test('sequence x todo: each iteration begins with an empty list', async (t) => {
  const extensions = ['readonly', 'sequence', 'todo']
  const steps = ['~tool todo {"action":"list"}', '~tool todo {"action":"add","text":"x"}']
  const { w, pi } = await sequencePi(t, steps, { extensions })
  assert.match(await play(pi, 'run 2'), /^✓/)
  for (const { session } of sessionsHeard(w)) {
    assert.deepEqual(results(await path(w, session)).map(textOf), ['The list is empty', 'Added #1: x'])
  }
})

test('sequence x checkpoint: each iteration has checkpoints of its own', async (t) => {
  const steps = ['~tool bash {"command":"echo more >>a.txt"}', 'go on']
  const { w, pi } = await sequencePi(t, steps, { extensions: ['sequence', 'checkpoint'] })
  const work = repository(w.sandbox.project)
  assert.match(await play(pi, 'run 2'), /^✓/)
  await settle(pi)
  const heard = [...new Set(sessionsHeard(w).map(({ session }) => session))]
  assert.equal(heard.length, 2)
  for (const session of heard) {
    const found = (await path(w, session)).filter(({ customType }) => customType === 'git-checkpoint')
    assert.equal(found.length, 2)
    assert.deepEqual(ours(work).filter((ref) => ref.includes(session)).sort(),
      found.map(({ data }) => `refs/xylem/${session}/${data.commit}`).sort())
  }
})

test('readonly x confirm x todo: the calls of one answer are judged one by one, and the list keeps its items', async (t) => {
  const { pi } = await sequencePi(t, ['never'], { extensions: ['readonly', 'confirm', 'todo'] })
  await pi.command('/readonly on')
  await pi.prompt('~tools [["todo",{"action":"add","text":"x"}],["bash",{"command":"rm -r none"}],' +
    '["todo",{"action":"list"}]]')
  const texts = (await pi.messages()).filter(({ role }) => role === 'toolResult').map((message) => textOf({ message }))
  assert.deepEqual([texts[0], texts[2]], ['Added #1: x', '[ ] #1: x'])
  assert.match(texts[1], /^Readonly mode:/)
  assert.deepEqual(pi.dialogs(), [])
})
