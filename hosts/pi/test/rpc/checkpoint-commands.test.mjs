// /checkpoints in a real pi, over RPC; and entries that lie.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { files, git, model, untouched } from '../lib/repository.mjs'
import { checkpoints, clone, fork, KEEP, RESTORE, RESTORE_ONLY, say, settle, status, threeStates } from './keeping.mjs'
import { exported } from './moves.mjs'

// --- /checkpoints ---

test('/checkpoints lists time, files and the text of the place', async (t) => {
  const { work, pi } = await threeStates(t)
  files(work, { 'new.txt': 'new\n' })
  await pi.prompt('again')
  const time = String.raw`\d\d:\d\d:\d\d`
  const { text } = await say(pi, '/checkpoints')
  assert.match(text, new RegExp(['^Checkpoints, newest first, beside the files of now:',
    ` 1  ${time}  as now  before again`,
    ` 2  ${time}  1 file differs  during ~tool write {"path":"a\\.txt.*`,
    ` 3  ${time}  2 files differ  during ~tool write .*`,
    ` 4  ${time}  2 files differ  before ~tool write .*`,
    String.raw`They take [1-9]\d* KiB; all of this repository [1-9]\d* KiB of at most 200 MiB\.$`].join('\n')))
})

test('/checkpoints restore asks which one, takes a number, and can be undone, also after a fork', async (t) => {
  const { work, a, pi, first } = await threeStates(t)
  files(work, { 'new.txt': 'new\n', 'a.txt': 'by hand\n' })
  const before = [...model(work)].sort()
  const { dialogs: [dialog] } = await say(pi, '/checkpoints restore', undefined)
  assert.equal(dialog.options.length, 3)
  assert.equal(a(), 'by hand\n')
  await say(pi, '/checkpoints restore', dialog.options[2])
  assert.deepEqual([...model(work)], [['a.txt', '- one\n']])
  assert.equal(status(pi), '⎇ 5 checkpoints')
  assert.match((await say(pi, '/checkpoints')).text, /\n 2 {2}\S+ {2}2 files differ {2}before a restore\n/)
  await say(pi, '/checkpoints restore 2')
  assert.deepEqual([...model(work)].sort(), before)
  await fork(pi, first, RESTORE)
  assert.deepEqual([...model(work)], [['a.txt', '- one\n']])
  await say(pi, '/checkpoints restore 2')
  assert.deepEqual([...model(work)].sort(), before)
  assert.match((await say(pi, '/checkpoints restore 1')).text, /^Nothing to restore/)
})

test('/checkpoints restore asks if HEAD moved, and waits for the end of a turn', async (t) => {
  const { w, work, a, pi } = await threeStates(t)
  git(work, 'commit', '-qam', 'second')
  await say(pi, '/checkpoints restore 3', KEEP)
  assert.equal(a(), 'three\n')
  await say(pi, '/checkpoints restore 3', RESTORE_ONLY)
  assert.equal(a(), 'one\n')
  const from = pi.lines.length
  void pi.send('prompt', { message: '/checkpoints restore 3' })
  const dialog = await pi.dialog(from)
  const turn = pi.prompt('~hold') // while the person is asked
  await w.model.asked(5)
  pi.answer(dialog, RESTORE_ONLY)
  await pi.wait(({ method, message }) => method === 'notify' && /the agent is working/.test(message), 'a refusal', from)
  assert.equal(a(), 'one\n')
  assert.match((await say(pi, '/checkpoints restore 2')).text, /the agent is working/)
  w.model.release()
  await turn
})

test('/checkpoints refuses words that do not fit', async (t) => {
  const { pi } = await threeStates(t)
  assert.match((await say(pi, '/checkpoints foo')).text, /expected list, restore \[N\], prune or nothing, found 'foo'/)
  assert.match((await say(pi, '/checkpoints prune 1')).text, /expected list/)
  for (const word of ['0', '4', '-1', '1.5', 'x', 'NaN']) {
    assert.match((await say(pi, `/checkpoints restore ${word}`)).text, /expected a number from 1 to 3/)
  }
})

test('/checkpoints prune removes references of sessions that neither pi nor the store has, after a yes', async (t) => {
  const { w, work, pi } = await threeStates(t)
  const id = await pi.sessionId()
  const head = git(work, 'rev-parse', 'HEAD')
  await clone(pi)
  const inPi = await pi.sessionId() // the store does not have that session
  await pi.stop()
  const next = w.start()
  await next.prompt('hello')
  rmSync(w.fileOf(id)) // the store has that session
  await exported(w, await next.sessionId())
  const dead = ['refs/xylem/dead/1', 'refs/xylem/dead/2', 'refs/xylem/%2e%2e/1']
  for (const name of [...dead, 'refs/heads/other', 'refs/other/x', `refs/xylem/${inPi}/mine`]) {
    git(work, 'update-ref', name, head)
  }
  await w.xylem('delete', inPi, '--yes')
  await w.xylem('gc', '--yes')
  const before = git(work, 'for-each-ref').split('\n')
  const kept = await say(next, '/checkpoints prune', 'Keep')
  assert.match(kept.dialogs[0].title, /^Remove 3 checkpoints of 2 sessions that neither pi nor the store has\?/)
  assert.deepEqual(git(work, 'for-each-ref').split('\n'), before)
  const { text } = await say(next, '/checkpoints prune', 'Remove these checkpoints')
  assert.match(text, /^Removed 3 checkpoints of 2 sessions/)
  const living = before.filter((line) => !dead.some((name) => line.endsWith(name)))
  assert.deepEqual(git(work, 'for-each-ref').split('\n'), living)
  assert.match((await say(next, '/checkpoints prune')).text, /^Nothing to remove/)
})

// --- Entries that lie ---

test('an entry of another shape, or of another repository, is no checkpoint', async (t) => {
  const { work, a, pi } = await threeStates(t)
  const [{ data }] = await checkpoints(pi)
  const { commit, tree, repo } = data
  const lies = [...[{ commit: '--output=x' }, { commit: 'HEAD' }, { commit: commit.slice(1) },
    { commit: commit.toUpperCase() }, { commit: [commit] }, { tree: `${tree}^{tree}` }, { head: '-n' }, { repo: '/' },
    { repo: `${repo}/../project` }, { version: 2 }, { at: 'now' }, { at: 1e300 }, { after: 1 }].map((lie) => ({ ...data, ...lie })),
    null, [], 'text']
  for (const lie of lies) {
    await pi.command(`/entry git-checkpoint ${JSON.stringify(lie)}`)
  }
  await pi.command('/again')
  await settle(pi)
  assert.equal(status(pi), '⎇ 3 checkpoints')
  files(work, { 'a.txt': 'by hand\n' })
  await clone(pi, RESTORE)
  assert.equal(a(), 'three\n')
})

test('an entry whose commit is gone, is no checkpoint or has another tree is refused', async (t) => {
  const { work, a, pi } = await threeStates(t)
  const [{ data }] = await checkpoints(pi)
  const lies = [{ ...data, commit: 'f'.repeat(40) }, { ...data, commit: data.head }, { ...data, tree: data.head },
    { ...data, head: data.tree }, { ...data, commit: '0'.repeat(64) }]
  for (const lie of lies) {
    await pi.command(`/entry git-checkpoint ${JSON.stringify(lie)}`)
  }
  const person = untouched(work)
  assert.match((await say(pi, '/checkpoints')).text, /1 .* gone .*\n 2 .* gone .*\n 3 .* gone .*\n 4 .* gone/)
  for (let i = 1; i <= lies.length; i++) {
    assert.match((await say(pi, `/checkpoints restore ${i}`)).text, /the checkpoint of .* is gone: a session keeps the newest 100/)
  }
  files(work, { 'a.txt': 'by hand\n' })
  await clone(pi)
  await settle(pi)
  assert.equal(a(), 'by hand\n')
  assert.deepEqual(untouched(work), person)
})
