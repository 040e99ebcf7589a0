// The files of a fork, in a real pi, over RPC.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { extension, helper } from '../lib/pi.mjs'
import { files, git, model, ours, untouched } from '../lib/repository.mjs'
import { answering, clone, fork, KEEP, kept, prompts, RESTORE, RESTORE_ONLY, settle, threeStates, write }
  from './keeping.mjs'
import { runPi, said } from './moves.mjs'

const STAY = 'Stay in this session'

test('a fork offers the files of its place; Restore brings them back, and HEAD and index stay', async (t) => {
  const { work, a, pi, first, second } = await threeStates(t)
  files(work, { 'new.txt': 'new\n' })
  const person = untouched(work)
  const { dialogs: [dialog] } = await fork(pi, second, RESTORE)
  assert.match(dialog.title, /^Restore the files of [\d:]{8} in the fork\?\n1 file \(a\.txt\) to restore, 1 newer file \(new\.txt\) to remove\.\n/)
  assert.deepEqual(dialog.options, [KEEP, RESTORE])
  assert.deepEqual([...model(work)], [['a.txt', '- two\n']])
  const { dialogs } = await fork(pi, first, RESTORE)
  assert.equal(dialogs.length, 1)
  assert.equal(a(), 'one\n')
  assert.deepEqual(untouched(work), person)
})

for (const [words, answer] of [['keep', KEEP], ['Escape', undefined], ['an answer that is none', 'yes']]) {
  test(`${words} leaves the files alone, and the fork goes on`, async (t) => {
    const { a, pi, first } = await threeStates(t)
    const id = await pi.sessionId()
    const { cancelled } = await fork(pi, first, answer)
    assert.equal(cancelled, false)
    assert.notEqual(await pi.sessionId(), id)
    await settle(pi)
    assert.equal(a(), 'three\n')
    await pi.send('new_session')
    await settle(pi)
    assert.equal(a(), 'three\n')
  })
}

test('where the files are as at the checkpoint nobody is asked', async (t) => {
  const { work, pi, first } = await threeStates(t)
  await clone(pi)
  files(work, { 'a.txt': 'one\n' })
  await fork(pi, first)
})

test('a clone offers the newest checkpoint of the leaf', async (t) => {
  const { work, a, pi } = await threeStates(t)
  files(work, { 'a.txt': 'by hand\n' })
  await clone(pi, RESTORE)
  assert.equal(a(), 'three\n')
})

test('without a UI the files stay', async (t) => {
  const { w, a } = await kept(t)
  const loaded = [extension('checkpoint'), helper('forks')]
  const { code, output } = await runPi(w, ['-p', write('a.txt', 'two\n'), '/fork-first'], loaded)
  assert.equal(code, 0, output)
  assert.equal(w.files().length > 0, true)
  assert.equal(a(), 'two\n')
})

test('HEAD at another commit: the text says so, files alone change, and the branch keeps its commits', async (t) => {
  const { work, a, pi, first } = await threeStates(t)
  git(work, 'commit', '-qam', 'second')
  const head = git(work, 'rev-parse', 'main')
  const person = untouched(work)
  const { dialogs: [dialog] } = await fork(pi, first, RESTORE_ONLY)
  assert.match(dialog.title, /HEAD is another commit than at the checkpoint: \w{8} then, \w{8} now\./)
  assert.deepEqual(dialog.options, [KEEP, RESTORE_ONLY])
  assert.equal(a(), 'one\n')
  assert.deepEqual(untouched(work), person)
  assert.equal(git(work, 'rev-parse', 'main'), head)
})

test('a fork of a fork has the checkpoints of both', async (t) => {
  const { a, pi } = await threeStates(t)
  await clone(pi)
  await pi.prompt(write('a.txt', 'four\n'))
  await clone(pi)
  await pi.prompt(write('a.txt', 'five\n'))
  const all = await prompts(pi)
  assert.equal(all.length, 4)
  await fork(pi, all[3].entryId, RESTORE)
  assert.equal(a(), 'four\n')
  await fork(pi, all[1].entryId, RESTORE)
  assert.equal(a(), 'two\n')
})

test('killed between turn and fork, and collected by git: the next pi has the checkpoints', async (t) => {
  const { w, work, a, pi } = await threeStates(t)
  files(work, { 'new.txt': 'untracked\n' })
  await pi.prompt('keep that too')
  const path = w.fileOf(await pi.sessionId())
  await pi.kill()
  git(work, 'gc', '-q', '--prune=now')
  rmSync(join(work, 'new.txt'))
  const next = w.start(['--session', path])
  const [first, , third] = await prompts(next)
  await next.wait(({ statusText }) => statusText === '⎇ 4 checkpoints', 'the status')
  await fork(next, third.entryId, RESTORE)
  assert.deepEqual([...model(work)].sort(), [['a.txt', '- three\n'], ['new.txt', '- untracked\n']])
  await fork(next, first.entryId, RESTORE)
  assert.equal(a(), 'one\n')
})

test('a fork does not need the references of its source', async (t) => {
  const { w, work, a, pi } = await threeStates(t)
  const source = await pi.sessionId()
  await clone(pi)
  const id = await pi.sessionId()
  const refs = () => ours(work).filter((name) => name.includes(id))
  await w.until(() => refs().length === 3, 'references of the fork')
  for (const name of ours(work).filter((name) => name.includes(source))) {
    git(work, 'update-ref', '-d', name)
  }
  git(work, 'gc', '-q', '--prune=now')
  await fork(pi, (await prompts(pi))[0].entryId, RESTORE)
  assert.equal(a(), 'one\n')
})

test('a restore of all files is told as an info', async (t) => {
  const { pi, first } = await threeStates(t)
  await fork(pi, first, RESTORE)
  const { notifyType } = await pi.wait(({ message }) => /^The files are as at/.test(message), 'the report')
  assert.equal(notifyType, 'info')
})

// --- Beside confirm, and beside a sequence ---

for (const extensions of [['checkpoint', 'confirm'], ['confirm', 'checkpoint']]) {
  test(`${extensions.join(' before ')}: one dialog asks, and Stay is first and changes nothing`, async (t) => {
    const { work, a, pi, first, second } = await threeStates(t, { extensions })
    const id = await pi.sessionId()
    for (const answer of [STAY, undefined, 'yes']) {
      const { cancelled, dialogs: [dialog] } = await fork(pi, first, answer)
      assert.deepEqual([cancelled, await pi.sessionId(), a()], [true, id, 'three\n'])
      assert.deepEqual(dialog.options, [STAY, 'Fork with the files of then', 'Fork, keep the files'])
      assert.match(dialog.title, new RegExp(['^Fork this session[?]', 'You go on in a new session; this session .*',
        'The files of .* differ from those of now:', '1 file [(]a.txt[)] to restore.', 'A checkpoint .*$'].join('\n')))
    }
    assert.equal((await fork(pi, second, 'Fork, keep the files')).cancelled, false)
    await settle(pi)
    assert.equal(a(), 'three\n')
    git(work, 'commit', '-qam', 'second')
    const { dialogs: [moved] } = await fork(pi, first, 'Fork with the files of then')
    assert.match(moved.title, /\nHEAD is another commit than at the checkpoint/)
    assert.equal(a(), 'one\n')
    await pi.prompt('hello')
    files(work, { 'a.txt': 'by hand\n' })
    const { dialogs: [dialog] } = await clone(pi, 'Clone with the files of then')
    assert.match(dialog.title, /^Clone this session\?\n/)
    assert.deepEqual([dialog.options[2], a()], ['Clone, keep the files', 'one\n'])
    assert.deepEqual((await clone(pi, STAY)).dialogs[0].options, [STAY, 'Clone this session'])
    await answering(pi, () => pi.send('new_session'), 'Start a new session')
    await settle(pi)
    assert.equal(a(), 'one\n')
  })
}

test("a sequence that goes on asks too: 'Stay' restores nothing, and nor does a HEAD that moved since", async (t) => {
  const { w, work, a } = await kept(t, { extensions: ['checkpoint', 'confirm', 'sequence'] })
  const pi = w.start()
  await pi.prompt(write('a.txt', 'two\n'))
  const [{ entryId }] = await prompts(pi)
  const steps = { version: 1, sequenceId: '01a1f9f7-0000-7000-8000-00000000abcd', steps: ['~hold'], updatedAt: 1 }
  await pi.command(`/entry sequence ${JSON.stringify(steps)}`)
  await pi.send('prompt', { message: '/sequence run 1' })
  await w.model.asked(3)
  assert.equal((await fork(pi, entryId, RESTORE, 'Stay')).cancelled, true)
  assert.equal(a(), 'two\n')
  const from = pi.lines.length
  const going = pi.send('fork', { entryId })
  const restore = await pi.dialog(from)
  pi.answer(restore, RESTORE)
  const leave = await pi.dialog(pi.lines.indexOf(restore) + 1)
  git(work, 'commit', '-q', '--allow-empty', '-m', 'moved')
  pi.answer(leave, 'Stop the sequence')
  await going
  await settle(pi)
  assert.equal(a(), 'two\n')
  assert.match(said(pi), /^xylem: the files are not restored: HEAD is another commit/m)
})
