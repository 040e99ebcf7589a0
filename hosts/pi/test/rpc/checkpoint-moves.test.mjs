// The files of a place at /tree, and /undo, in a real pi, over RPC.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { extension, helper } from '../lib/pi.mjs'
import { files, git, ours } from '../lib/repository.mjs'
import { answering, checkpoints, entries, fakeGit, KEEP, kept, prompts, RESTORE, RESTORE_ONLY, say, settle, threeStates,
  told, write } from './keeping.mjs'
import { said } from './moves.mjs'

const RESTORED = /^The files are as at [\d:]{8}: 1 file \(a\.txt\) restored\.\n'\/checkpoints restore 2' brings back/m

const go = (pi, id, ...answers) => answering(pi, () => pi.command(`/goto ${id}`), ...answers)
const undo = (pi, words = '', ...answers) => say(pi, `/undo${words}`, ...answers)
const asked = async (pi) => (await pi.messages()).filter(({ role }) => role === 'user').length // prompts of the path
const lastAnswer = async (pi) => (await entries(pi)).findLast(({ message }) => message?.role === 'assistant').id

// --- /tree ---

for (const [words, answer, text] of [['Keep', KEEP, 'three\n'], ['Escape', undefined, 'three\n'],
  ['Restore', RESTORE, 'two\n']]) {
  test(`a move in the tree offers the files of its place, once: ${words}`, async (t) => {
    const { a, pi, second } = await threeStates(t)
    const last = await lastAnswer(pi)
    const { dialogs: [dialog] } = await go(pi, second, answer)
    assert.match(dialog.title, /^Restore the files of [\d:]{8} at that place\?\n1 file \(a\.txt\) to restore\.\nA checkpoint/)
    assert.deepEqual(dialog.options, [KEEP, RESTORE])
    assert.deepEqual([a(), await asked(pi)], [text, 1])
    if (answer !== RESTORE) {
      assert.equal((await checkpoints(pi)).length, 3)
      await go(pi, last) // nothing to ask about: the files are those of that place
      return
    }
    await pi.wait(({ message }) => RESTORED.test(message), 'the report')
    await go(pi, last, RESTORE) // the way back has the files too
    assert.equal(a(), 'three\n')
    await go(pi, second, RESTORE) // and so has the place, whatever was put away there
    assert.equal(a(), 'two\n')
    await say(pi, '/checkpoints restore 2')
    assert.equal(a(), 'three\n')
  })
}

test('a move to an answer offers the files behind the answer', async (t) => {
  const { a, pi, second } = await threeStates(t)
  const all = await entries(pi)
  const before = all.slice(0, all.findIndex(({ id }) => id === second))
  const { id } = before.findLast(({ message }) => message?.role === 'assistant')
  for (let visit = 0; visit < 2; visit++) { // the second after files of elsewhere were put away there
    await go(pi, id, RESTORE)
    assert.deepEqual([a(), await asked(pi)], ['two\n', 1])
    await go(pi, await lastAnswer(pi), RESTORE)
    assert.equal(a(), 'three\n')
  }
  await go(pi, all.find(({ message }) => message?.role === 'assistant').id, RESTORE) // which called the first tool
  assert.equal(a(), 'one\n')
})

test('a move that is cancelled changes no file, also later', async (t) => {
  const { a, pi, first, second } = await threeStates(t, { helpers: ['canceller'] })
  const leaf = (await entries(pi)).at(-1).id
  await pi.command('/forbid tree')
  await go(pi, first, RESTORE)
  assert.deepEqual([a(), (await entries(pi)).at(-1).id], ['three\n', leaf])
  await pi.command('/forbid')
  await go(pi, second, KEEP)
  await settle(pi)
  assert.equal(a(), 'three\n')
})

test('where HEAD is another commit, a move says so, and offers the files alone', async (t) => {
  const { work, a, pi, first } = await threeStates(t)
  git(work, 'commit', '-qam', 'second')
  const { dialogs: [dialog] } = await go(pi, first, RESTORE_ONLY)
  assert.match(dialog.title, /\nHEAD is another commit than at the checkpoint/)
  assert.equal(a(), 'one\n')
})

// --- /undo ---

test('/undo goes back one prompt with its files, again and again, and /undo back takes each back', async (t) => {
  const { work, a, pi } = await threeStates(t)
  files(work, { 'new.txt': 'mine\n' })
  const states = []
  const look = async (words, pattern) => {
    const { text } = await undo(pi, words)
    assert.match(text, pattern)
    states.push([a(), await asked(pi)])
  }
  await look('',
    /^Back before your last prompt\. The files .*: 1 file \(a\.txt\) restored, 1 newer file \(new\.txt\) removed\.\nIn an empty editor/)
  await look('', /^Back before your last prompt\. The files are as at .*: 1 file \(a\.txt\) restored\.\n/)
  await look('', /there is no prompt on the path/)
  await look(' back', /^Back where you were\. The files are as at .*: 1 file \(a\.txt\) restored\.$/)
  await look(' back', /^Back where you were\. .*: 2 files \(a\.txt, new\.txt\) restored\.$/)
  await look(' back', /there is no \/undo after the last prompt/)
  assert.deepEqual(states, [['two\n', 1], ['one\n', 0], ['one\n', 0], ['two\n', 1], ['three\n', 2], ['three\n', 2]])
  assert.equal(pi.notices().some(({ notifyType, message }) => notifyType !== 'info' && /^Back/.test(message)), false)
  assert.deepEqual(told(pi), [])
})

test('/undo back works in the next pi, and not behind a new prompt', async (t) => {
  const { w, a, pi } = await threeStates(t)
  await undo(pi)
  const path = w.fileOf(await pi.sessionId())
  await pi.stop()
  const next = w.start(['--session', path])
  assert.deepEqual([a(), await asked(next)], ['two\n', 1])
  await undo(next, ' back')
  assert.deepEqual([a(), await asked(next)], ['three\n', 2])
  await undo(next)
  await next.prompt('another way')
  assert.match((await undo(next, ' back')).text, /there is no \/undo after the last prompt/)
  await undo(next) // the files are those of then: the conversation alone moves
  assert.deepEqual([a(), await asked(next)], ['two\n', 1])
  await undo(next, ' back')
  assert.equal(await asked(next), 2)
})

test('/undo is refused under readonly, in a turn, without a checkpoint, and for other words', async (t) => {
  const { w, work, a, pi } = await threeStates(t, { extensions: ['checkpoint', 'readonly'] })
  const refused = async (pattern, words) => {
    assert.match((await undo(pi, words)).text, pattern)
    assert.deepEqual([a(), await asked(pi)], ['three\n', 2])
  }
  await refused(/expected back or nothing, found 'x'/, ' x')
  await pi.command('/readonly on')
  await refused(/\/undo: readonly is on, and files would change\. '\/readonly off' first/)
  await pi.command('/readonly off')
  const [, { data }] = await checkpoints(pi)
  git(work, 'update-ref', '-d', ours(work).find((name) => name.endsWith(data.commit)))
  await refused(/\/undo: the checkpoint of .* is gone/)
  const turn = pi.prompt('~hold')
  await w.model.asked(5)
  assert.match((await undo(pi)).text, /the agent is working/)
  w.model.release()
  await turn
})

test('/undo before the first checkpoint says so, and does not move', async (t) => {
  const { w, work } = await kept(t, { contents: {} })
  git(work, 'update-ref', '-d', 'HEAD') // no commit, so no checkpoint
  const pi = w.start()
  await pi.prompt('hello')
  assert.match((await undo(pi)).text, /there is no checkpoint from before your last prompt, so nothing moves/)
  assert.equal(await asked(pi), 1)
})

test('/undo asks if HEAD moved, and Stay changes nothing', async (t) => {
  const { work, a, pi } = await threeStates(t)
  git(work, 'commit', '-qam', 'second')
  const { dialogs: [dialog] } = await undo(pi, '', 'Stay')
  assert.match(dialog.title, /^Back before your last prompt\?\nHEAD is another commit/)
  assert.deepEqual([dialog.options, a(), await asked(pi)], [['Stay', RESTORE_ONLY], 'three\n', 2])
  await undo(pi, '', RESTORE_ONLY)
  assert.deepEqual([a(), await asked(pi)], ['two\n', 1])
})

test('/undo: a move that is cancelled leaves the files, and files that cannot come leave the place', async (t) => {
  const { w, a } = await kept(t, { helpers: ['canceller'] })
  const flag = join(w.sandbox.root, 'no-room')
  const { environment } = fakeGit(w,
    `[ -e '${flag}' ] && case "$*" in *objectsize*) echo "fatal: no room" >&2; exit 128;; esac`)
  const pi = w.start([], environment)
  await pi.prompt(write('a.txt', 'two\n'))
  await pi.command('/forbid tree')
  assert.match((await undo(pi)).text, /^Nothing changed: the move was cancelled/)
  assert.deepEqual([a(), await asked(pi)], ['two\n', 1])
  await pi.command('/forbid')
  writeFileSync(flag, '')
  assert.match((await undo(pi)).text, /^\/undo: no room: nothing changed$/)
  assert.deepEqual([a(), await asked(pi)], ['two\n', 1])
})

// A git that kills its pi, once a file is there. What the next pi has: the files, the prompts of the path, and a
// checkpoint of the files from before.
for (const [words, when, text, count] of [
  ['before the files change', '*update-ref*', 'three\n', 2],
  ['while the files change', "*'cat-file --batch'", 'three\n', 2],
  ['behind the files', '*status*', 'two\n', 1]]) {
  test(`killed ${words} of /undo: place and files belong together, and the next pi tells nothing wrong`, async (t) => {
    const { w, work, a } = await kept(t)
    const flag = join(w.sandbox.root, 'kill')
    const { environment } = fakeGit(w, `case "$*" in ${when}) [ -e '${flag}' ] && ` +
      `[ "$(cat '${work}/a.txt')" = ${text.trim()} ] && kill -9 $PPID;; esac`)
    const pi = w.start([], environment)
    await pi.prompt(write('a.txt', 'two\n'))
    await pi.prompt(write('a.txt', 'three\n'))
    const path = w.fileOf(await pi.sessionId())
    writeFileSync(flag, '')
    await undo(pi).catch(() => {})
    await pi.exit
    const next = w.start(['--session', path])
    await next.wait(({ statusText }) => /^⎇ \d checkpoints$/.test(statusText), 'the status')
    assert.deepEqual([a(), await asked(next), told(next)], [text, count, []])
    await undo(next, count === 1 ? ' back' : '')
    assert.deepEqual([a(), await asked(next)], count === 1 ? ['three\n', 2] : ['two\n', 1])
  })
}

test('killed between the answer and the arrival of a move: the next pi is at the place of before', async (t) => {
  const { w, work, a } = await kept(t, { extensions: [], helpers: [] })
  const loaded = [helper('killer'), extension('checkpoint'), helper('commands')].flatMap((path) => ['-e', path])
  const pi = w.start(loaded, { XYLEM_TEST_KILL: 'session_tree' })
  await pi.prompt(write('a.txt', 'two\n'))
  files(work, { 'a.txt': 'by hand\n' })
  const path = w.fileOf(await pi.sessionId())
  await go(pi, (await prompts(pi))[0].entryId, RESTORE).catch(() => {})
  await pi.exit
  const next = w.start(['-e', extension('checkpoint'), '--session', path])
  await settle(next)
  assert.deepEqual([a(), await asked(next), said(next).includes('restored')], ['by hand\n', 1, false])
})
