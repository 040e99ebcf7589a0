// Where checkpoints are made, and where not: repositories of every kind, in a real pi, over RPC.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { helper } from '../lib/pi.mjs'
import { files, git, model, ours, repository, succeeds, untouched } from '../lib/repository.mjs'
import { checkpoints, clone, entries, fakeGit, fork, isCheckpoint, keepers, kept, prompts, RESTORE, say, settle, status, threeStates,
  told, write } from './keeping.mjs'

// A world whose project `make` makes, from the folder beside it.
async function placed(t, make, options) {
  const w = await keepers(t, options)
  rmSync(w.sandbox.project, { recursive: true })
  make(w.sandbox.project, join(w.sandbox.root, 'beside'))
  return { w, work: w.sandbox.project }
}

// Kept before a prompt, restored in a fork before the prompt.
async function works(w, work, refs = work) {
  const person = untouched(work)
  const pi = w.start()
  files(work, { 'kept.txt': 'untracked\n' })
  const before = [...model(work)].sort()
  await pi.prompt(write('new.txt', 'new\n'))
  assert.equal((await checkpoints(pi)).length, 2)
  rmSync(join(work, 'kept.txt'))
  await fork(pi, (await prompts(pi))[0].entryId, RESTORE)
  assert.deepEqual([...model(work)].sort(), before)
  assert.deepEqual(untouched(work), person)
  assert.ok(ours(refs).length >= 4)
  assert.deepEqual(told(pi), [])
  return pi
}

test('a linked worktree has checkpoints of its own files', async (t) => {
  const { w, work } = await placed(t, (project, beside) => {
    repository(beside)
    git(beside, 'worktree', 'add', '-q', '-b', 'linked', project)
  })
  const main = untouched(join(w.sandbox.root, 'beside'))
  await works(w, work, join(w.sandbox.root, 'beside'))
  assert.deepEqual(untouched(join(w.sandbox.root, 'beside')), main)
})

test('a submodule is a repository like any other', async (t) => {
  const { w, work } = await placed(t, (project, beside) => {
    repository(beside)
    const outer = repository(join(project, '..', 'outer'))
    git(outer, 'submodule', '--quiet', 'add', beside, 'sub')
    symlinkSync(join(outer, 'sub'), project)
  })
  await works(w, work)
})

test('in a directory of a repository all files count, and the directory stays', async (t) => {
  const { w } = await placed(t, (project, beside) => {
    repository(beside, { 'top.txt': 'one\n' })
    mkdirSync(join(beside, 'below'))
    symlinkSync(join(beside, 'below'), project)
  })
  const top = join(w.sandbox.root, 'beside')
  const pi = w.start()
  await pi.prompt('one')
  files(top, { 'top.txt': 'two\n', 'below/new.txt': 'new\n' })
  await clone(pi, RESTORE)
  assert.deepEqual([...model(top)], [['top.txt', '- one\n']])
  assert.equal(existsSync(join(top, 'below')), true)
})

test('an unfinished merge, rebase or cherry-pick, and no commit: none is made, and each is told once', async (t) => {
  const { w, work } = await placed(t, (project) => {
    mkdirSync(project)
    git(project, 'init', '-q', '-b', 'main')
    files(project, { 'a.txt': 'one\n' })
  })
  const pi = w.start()
  const twice = async (pattern, count) => {
    const before = told(pi).length
    const person = untouched(work)
    files(work, { 'other.txt': `${before}\n` })
    await pi.prompt('one')
    await pi.prompt('two')
    assert.equal((await checkpoints(pi)).length, count)
    assert.deepEqual(untouched(work), person)
    assert.equal(told(pi).length, before + 1)
    assert.match(told(pi).at(-1), pattern)
    rmSync(join(work, 'other.txt'))
  }
  await twice(/^xylem: no checkpoint: .*: there is no commit yet$/, 0)
  git(work, 'add', '.')
  git(work, 'commit', '-qm', 'first')
  for (const branch of ['left', 'right']) {
    git(work, 'checkout', '-q', '-b', branch, 'main')
    files(work, { 'a.txt': `${branch}\n` })
    git(work, 'commit', '-qam', branch)
  }
  await pi.prompt('kept')
  for (const word of ['merge', 'rebase', 'cherry-pick']) {
    assert.equal(succeeds(work, word, 'left'), false)
    await twice(new RegExp(`^xylem: no checkpoint: .*: a ${word} is not finished$`), 1)
    assert.match((await say(pi, '/checkpoints restore 1')).text, new RegExp(`a ${word} is not finished`))
    git(work, word, '--abort')
  }
  files(work, { 'a.txt': 'after\n' })
  await pi.prompt('kept')
  assert.equal((await checkpoints(pi)).length, 2)
})

test('a bare repository is told once, and /checkpoints says why', async (t) => {
  const { w } = await placed(t, (project) => git('/', 'init', '-q', '--bare', project))
  const pi = w.start()
  await pi.prompt('one')
  await pi.prompt('two')
  assert.deepEqual((await checkpoints(pi)).length, 0)
  assert.equal(told(pi).length, 1)
  assert.match(told(pi)[0], /a bare repository has no files/)
  assert.match((await say(pi, '/checkpoints')).text, /a bare repository has no files/)
})

// What the footer says behind the first turn.
for (const [words, make, environment, why] of [
  ['outside of a repository', (project) => mkdirSync(project), {}, 'no git work tree'],
  ['without git', (project) => repository(project), { PATH: '/nowhere' }, 'git is missing'],
  ['in the directory of git', (project, beside) => symlinkSync(join(repository(beside), '.git'), project), {},
    'no git work tree']]) {
  test(`${words} nothing is kept, and the footer says why behind the first turn`, async (t) => {
    const { w, work } = await placed(t, make)
    const pi = w.start([], environment)
    assert.equal(status(pi), undefined)
    await pi.prompt('one')
    assert.equal(status(pi), `no checkpoints: ${why}`)
    files(work, { 'a.txt': 'two\n' })
    await pi.prompt('two')
    const { text } = await say(pi, '/checkpoints')
    assert.match(text, words === 'without git' ? /git is missing/ : /is in no work tree of git/)
    await clone(pi)
    assert.equal((await entries(pi)).some(isCheckpoint), false)
    assert.equal(status(pi), undefined)
    assert.deepEqual(told(pi), [])
  })
}

test('a repository that comes later is kept from then on', async (t) => {
  const { w, work } = await placed(t, (project) => mkdirSync(project))
  const pi = w.start()
  await pi.prompt('one')
  repository(work)
  await pi.prompt('two')
  assert.deepEqual([(await checkpoints(pi)).length, status(pi)], [1, '⎇ 1 checkpoint'])
})

test('a session without a file leaves nothing in the repository', async (t) => {
  const { w, work } = await kept(t)
  const pi = w.start(['--no-session'])
  await pi.prompt(write('a.txt', 'two\n'))
  assert.deepEqual(ours(work), [])
  assert.equal((await entries(pi)).some(isCheckpoint), false)
  assert.equal(status(pi), 'no checkpoints: session not kept')
  for (const command of ['/checkpoints', '/undo']) {
    assert.match((await say(pi, command)).text, /a session without a file has no checkpoints/)
  }
})

test('while the tools act on another machine nothing is kept, asked or restored here', async (t) => {
  const { w, work, a, pi, first } = await threeStates(t)
  const [before, path] = [ours(work), w.fileOf(await pi.sessionId())]
  await pi.stop()
  const there = w.start(['--session', path, '-e', helper('remote')])
  files(work, { 'a.txt': 'mine\n' })
  await there.prompt('hello')
  assert.equal(status(there), 'no checkpoints: --ssh')
  assert.deepEqual([(await checkpoints(there)).length, ours(work)], [3, before])
  for (const command of ['/checkpoints', '/checkpoints restore 1', '/checkpoints prune', '/undo']) {
    assert.match((await say(there, command)).text, /the tools act on me@there, and checkpoints are of this/)
  }
  await fork(there, first)
  assert.equal(a(), 'mine\n')
})

test('more than 1,000 untracked files are left out, which is told once, and a restore leaves them alone', async (t) => {
  const { w, work, a } = await kept(t)
  files(work, Object.fromEntries(Array.from({ length: 1001 }, (_one, i) => [`u/${i}`, 'x'])))
  const pi = w.start()
  await pi.prompt(write('a.txt', 'two\n'))
  await pi.prompt('next')
  assert.equal(told(pi).length, 1)
  assert.match(told(pi)[0], /leave out the untracked files of .*: there are more than 1000, or more than 20 MiB/)
  await fork(pi, (await prompts(pi))[0].entryId, RESTORE)
  assert.equal(a(), 'one\n')
  assert.equal(model(work).size, 1002)
})

test('a pi in a hook of git keeps its own project', async (t) => {
  const { w, work, a } = await kept(t)
  const other = repository(join(w.sandbox.root, 'other'))
  const person = untouched(other)
  const pi = w.start([], { GIT_DIR: join(other, '.git'), GIT_INDEX_FILE: join(other, '.git/index'),
    GIT_WORK_TREE: other })
  await pi.prompt('one')
  files(work, { 'a.txt': 'two\n' })
  await clone(pi, RESTORE)
  assert.equal(a(), 'one\n')
  assert.deepEqual([untouched(other), ours(other)], [person, []])
})

test('a git that hangs is told once, the turn goes on, and no later turn waits', async (t) => {
  const { w, work } = await kept(t)
  const { environment, calls } = fakeGit(w, 'case "$*" in *" status "*) sleep 1000;; esac')
  const pi = w.start([], environment)
  await pi.prompt('one')
  assert.equal(told(pi).length, 1)
  assert.match(told(pi)[0], /no checkpoint: git did not end within 10 s\. '\/reload' tries again/)
  const before = calls()
  files(work, { 'a.txt': 'two\n' })
  await pi.prompt('two')
  assert.equal(calls(), before)
  assert.equal(told(pi).length, 1)
})

test('an abort of the turn ends a git that hangs, without a word', async (t) => {
  const { w } = await kept(t)
  const over = join(w.sandbox.root, 'over')
  const { environment, calls } = fakeGit(w, `[ -e '${over}' ] || case "$*" in *" status "*) sleep 1000;; esac`)
  const pi = w.start([], environment)
  const turn = pi.prompt('~hold')
  await w.until(() => existsSync(join(w.sandbox.root, 'calls')) && calls().includes(' status '), 'a call of git')
  writeFileSync(over, '')
  await w.model.asked(1)
  await pi.send('abort')
  await turn
  await settle(pi)
  assert.deepEqual(told(pi), [])
})

test('a git that fails is told once, and the turn goes on', async (t) => {
  const { w } = await kept(t)
  const { environment } = fakeGit(w, 'case "$*" in *write-tree*) echo "fatal: no room" >&2; exit 128;; esac')
  const pi = w.start([], environment)
  await pi.prompt('one')
  await pi.prompt('two')
  assert.deepEqual(told(pi), ['xylem: no checkpoint: no room'])
})

for (const on of ['message_end', 'turn_end', 'agent_end']) {
  test(`a session that is replaced behind ${on}, while git works, leaves no error behind`, async (t) => {
    const { w, work } = await kept(t, { helpers: ['replacer', 'recorder'], problems: true })
    const pi = w.start()
    await pi.prompt('hello')
    await pi.command(`/replace ${JSON.stringify({ delays: [0, 5, 10, 20, 40], on })}`)
    for (let i = 0; i < 20 && w.records('replacements-done').length === 0; i++) {
      files(work, { 'a.txt': `${i}\n` })
      await pi.send('prompt', { message: write('b.txt', String(i)) }).catch(() => {})
      await w.until(async () => !(await pi.send('get_state')).isStreaming, 'the end of a turn')
    }
    assert.deepEqual(w.records('uncaught'), [])
    assert.deepEqual(pi.problems().filter(({ extensionPath }) => extensionPath.includes('checkpoint')), [])
    files(work, { 'a.txt': 'behind\n' })
    await w.until(async () => (await pi.prompt('behind'), (await checkpoints(pi)).length > 0), 'a checkpoint')
    await pi.stop()
    await w.xylem('verify')
  })
}
