// Checkpoints of the turns, in a real pi, over RPC.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { files, git, ours, untouched } from '../lib/repository.mjs'
import { answering, checkpoints, KEEP, kept, order, settle, status, threeStates, told, write } from './keeping.mjs'
import { exported } from './moves.mjs'

test('before each turn the working tree is kept, at the place of the prompt, once for each state', async (t) => {
  const { w, work } = await kept(t)
  const pi = w.start()
  const person = untouched(work)
  await pi.prompt('hello')
  await pi.prompt('nothing changed')
  assert.deepEqual(await order(pi), ['checkpoint', 'user', 'assistant', 'user', 'assistant'])
  await pi.prompt(write('a.txt', 'two\n'))
  assert.deepEqual((await order(pi)).slice(5), ['user', 'assistant', 'toolResult', 'checkpoint', 'assistant'])
  files(work, { 'a.txt': 'by hand\n' })
  await pi.prompt('hello again')
  assert.deepEqual((await order(pi)).slice(10), ['checkpoint', 'user', 'assistant'])
  assert.deepEqual(untouched(work), person)
  assert.equal(status(pi), '⎇ 3 checkpoints')
  const found = await checkpoints(pi)
  const id = await pi.sessionId()
  assert.deepEqual(ours(work).sort(), found.map(({ data }) => `refs/xylem/${id}/${data.commit}`).sort())
  for (const { data } of found) {
    assert.deepEqual(Object.keys(data), ['version', 'repo', 'commit', 'tree', 'head', 'at', 'after'])
    assert.equal(git(work, 'rev-parse', `${data.commit}^{tree}`, `${data.commit}^1`), `${data.tree}\n${data.head}`)
  }
  assert.deepEqual(found.map(({ data }) => git(work, 'show', `${data.commit}:a.txt`)), ['one', 'two', 'by hand'])
  assert.deepEqual(told(pi), [])
  await exported(w, id)
})

test('what changes during the last turn is kept at the end of the run', async (t) => {
  const { w, work } = await kept(t)
  const pi = w.start()
  const turn = pi.prompt('~hold')
  await w.model.asked(1)
  await settle(pi)
  files(work, { 'a.txt': 'during the answer\n' })
  w.model.release()
  await turn
  assert.deepEqual(await order(pi), ['checkpoint', 'user', 'assistant', 'checkpoint'])
  await pi.prompt('next')
  assert.deepEqual((await order(pi)).slice(4), ['user', 'assistant'])
})

test('a commit and a staged file are a new checkpoint, although the files are the same', async (t) => {
  const { w, work } = await kept(t)
  const pi = w.start()
  files(work, { 'a.txt': 'two\n' })
  await pi.prompt('one')
  git(work, 'add', 'a.txt')
  await pi.prompt('two')
  git(work, 'commit', '-qm', 'second')
  await pi.prompt('three')
  assert.equal((await checkpoints(pi)).length, 3)
})

test('a retry makes no checkpoint of its own, and leaves the checkpoint of its prompt', async (t) => {
  const { w, work } = await kept(t, { settings: { retry: { enabled: true, maxRetries: 1, baseDelayMs: 5000 } } })
  const pi = w.start()
  const turn = pi.prompt('~err overloaded')
  await pi.wait(({ type }) => type === 'auto_retry_start', 'a retry')
  await settle(pi)
  files(work, { 'a.txt': 'between\n' })
  await turn
  assert.deepEqual(await order(pi), ['checkpoint', 'user', 'assistant', 'assistant', 'checkpoint'])
  const [first] = await checkpoints(pi)
  assert.equal(git(work, 'show', `refs/xylem/${await pi.sessionId()}/${first.data.commit}:a.txt`), 'one')
  files(work, { 'a.txt': 'by hand\n' })
  await pi.prompt('next')
  assert.deepEqual((await order(pi)).slice(5), ['checkpoint', 'user', 'assistant'])
})

test('the status counts the checkpoints of the path, also after a move in the tree and a reload', async (t) => {
  const { pi, second } = await threeStates(t)
  const from = pi.lines.length
  assert.equal(status(pi), '⎇ 3 checkpoints')
  await answering(pi, () => pi.command(`/goto ${second}`), KEEP)
  await pi.wait(({ statusText }) => statusText === '⎇ 2 checkpoints', 'the status of the place', from)
  await pi.command('/again')
  await settle(pi)
  assert.equal(status(pi), '⎇ 2 checkpoints')
  await pi.send('new_session')
  await settle(pi)
  assert.equal(status(pi), undefined)
})

test('settings that are refused keep no checkpoint, since they may have said so', async (t) => {
  for (const [xylem, count] of [[{ checkpoints: false }, 0], [{ checkpoint: false }, 0], [{}, 1]]) {
    const { w, work } = await kept(t, { settings: { xylem }, problems: true })
    const pi = w.start()
    files(work, { secret: 'nobody else has this\n' })
    await pi.prompt('hello')
    await settle(pi)
    assert.equal((await checkpoints(pi)).length, count)
    assert.equal(ours(work).length, count)
    assert.match(status(pi), count === 0 ? /no checkpoints: settings refused/ : /^⎇ 1 checkpoint$/)
    await pi.stop()
  }
})
