// What checkpoints cost a turn, and what became of a checkpoint beyond the limits, in a real pi, over RPC.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { test } from 'node:test'
import { files, git, ours } from '../lib/repository.mjs'
import { checkpoints, fakeGit, fork, KEEP, keepers, kept, say, settle, threeStates, told, write } from './keeping.mjs'

// A git whose first look at the files waits for a file.
async function waiting(t) {
  const { w, work, a } = await kept(t)
  const go = join(w.sandbox.root, 'go')
  const { environment, calls } = fakeGit(w,
    `case "$*" in *' status '*) while [ ! -e '${go}' ] && [ -d '${work}' ]; do sleep 0.05; done;; esac`)
  const pi = w.start([], environment)
  return { w, work, a, pi, calls, release: () => writeFileSync(go, '') }
}

test('the request does not wait for git; a tool that writes does, and its files are kept as they were', async (t) => {
  const { w, work, a, pi, calls, release } = await waiting(t)
  const turn = pi.prompt(write('a.txt', 'two\n'))
  await w.model.asked(1)
  await w.until(() => calls().includes(' status '), 'a git that waits')
  await setTimeout(1000)
  assert.deepEqual([a(), w.model.requests.length], ['one\n', 1])
  release()
  await turn
  assert.equal(a(), 'two\n')
  const found = await checkpoints(pi)
  assert.deepEqual(found.map(({ data }) => git(work, 'show', `${data.commit}:a.txt`)), ['one', 'two'])
})

test('a tool that reads does not wait for git', async (t) => {
  const { w, pi, release } = await waiting(t)
  const turn = pi.prompt('~tool read {"path":"a.txt"}')
  await w.model.asked(2)
  release()
  await turn
  assert.equal((await checkpoints(pi)).length, 1)
})

test('a turn takes at most 2 processes of git, with a change at most 9, and none outside of a repository', async (t) => {
  const { w, work } = await kept(t)
  const { environment, calls } = fakeGit(w, '')
  const pi = w.start([], environment)
  const count = async (act) => {
    const before = calls().split('\n').length
    await act()
    await settle(pi)
    return calls().split('\n').length - before
  }
  await pi.prompt('one')
  await setTimeout(2200) // git looks again into files as young as its index
  await pi.prompt('two')
  assert.ok(await count(() => pi.prompt('three')) <= 2, calls())
  files(work, { 'a.txt': 'two\n' })
  const changed = await count(() => pi.prompt('four'))
  assert.ok(changed > 2 && changed <= 9, calls()) // control: a change is seen

  const outside = await keepers(t)
  const other = fakeGit(outside, '')
  const there = outside.start([], other.environment)
  await there.prompt('one')
  await there.prompt(write('b.txt', 'two\n'))
  await settle(there)
  assert.equal(other.calls(), '')
})

test('old checkpoints are looked for at the first checkpoint of a session and at the eleventh behind that', async (t) => {
  const { w, work } = await kept(t)
  const { environment, calls } = fakeGit(w, '')
  const pi = w.start([], environment)
  const looks = () => calls().split(' rev-list ').length - 1
  for (let i = 0; i < 12; i++) {
    files(work, { 'a.txt': `${i}\n` })
    await pi.prompt(`turn ${i}`)
    const due = i < 11 ? 1 : 2
    await w.until(() => looks() >= due, `look ${due} for old checkpoints`) // beside the turn
    assert.equal(looks(), due)
  }
})

test('no turn waits for the look for old checkpoints', async (t) => {
  const { w, work, a } = await kept(t)
  const go = join(w.sandbox.root, 'go')
  const { environment, calls } = fakeGit(w,
    `case "$*" in *' rev-list '*) while [ ! -e '${go}' ] && [ -d '${work}' ]; do sleep 0.05; done;; esac`)
  const pi = w.start([], environment)
  await pi.prompt('one')
  await w.until(() => calls().includes(' rev-list '), 'a git that waits')
  await pi.prompt(write('a.txt', 'two\n'))
  assert.deepEqual([a(), (await checkpoints(pi)).length], ['two\n', 2])
  writeFileSync(go, '')
})

test('a checkpoint that was dropped says so before a fork and in the list, and no other takes its place', async (t) => {
  const { work, a, pi, first, second } = await threeStates(t)
  const found = await checkpoints(pi)
  git(work, 'update-ref', '-d', ours(work).find((name) => name.endsWith(found[1].data.commit)))
  const { text } = await say(pi, '/checkpoints')
  assert.match(text, /\n 2 {2}\S+ {2}gone {2}during/)
  assert.match((await say(pi, '/checkpoints restore 2')).text, /is gone: a session keeps the newest 100, for 30 days, and a repository 200 MiB/)
  await fork(pi, second) // no dialog
  await settle(pi)
  assert.match(told(pi).at(-1), /the files stay as they are: the checkpoint of .* is gone: a session keeps the newest 100/)
  assert.equal(a(), 'three\n')
  assert.ok(first)
})

test('a file that checkpoints leave alone is told once', async (t) => {
  const { work, pi } = await (async () => {
    const { w, work } = await kept(t, { contents: { '.gitattributes': '*.key filter=crypt\n', 'a.txt': 'one\n' } })
    return { work, pi: w.start() }
  })()
  files(work, { 'e.key': 'secret\n' })
  await pi.prompt('one')
  await pi.prompt('two')
  assert.deepEqual(told(pi), ['xylem: checkpoints leave alone 1 file (e.key: filter crypt)'])
  mkdirSync(join(work, 'd'))
  files(work, { 'd/big': Buffer.alloc((1 << 20) + 1) })
  await pi.prompt('three')
  rmSync(join(work, 'd'), { recursive: true })
  assert.deepEqual(told(pi).slice(1), ['xylem: checkpoints leave alone 1 file (d/big: untracked, and more than 1 MiB)'])
})

test('a fork before the first prompt takes the checkpoint of its place along, whatever the answer is', async (t) => {
  const { work, a, pi, first } = await threeStates(t)
  await fork(pi, first, KEEP)
  const [{ data }, ...more] = await checkpoints(pi)
  assert.deepEqual([git(work, 'show', `${data.commit}:a.txt`), more, a()], ['one', [], 'three\n'])
  await say(pi, '/checkpoints restore 1')
  assert.equal(a(), 'one\n')
})
