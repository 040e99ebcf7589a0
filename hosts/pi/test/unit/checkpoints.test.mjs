// Keeping and restoring a working tree, in real repositories, without pi.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, linkSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync,
  writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import * as checkpoints from '../../lib/checkpoint/commits.ts'
import { environment, Git, GitError } from '../../lib/checkpoint/git.ts'
import { knownSessions } from '../../lib/store/known-sessions.ts'
import { native } from '../../lib/store/native.ts'
import { findRepository } from '../../lib/checkpoint/repository.ts'
import { restore } from '../../lib/checkpoint/restore.ts'
import { Scratch } from '../../lib/checkpoint/scratch.ts'
import { randomFrom } from '../lib/random.mjs'
import { files, git, ignored, model, repository, succeeds, untouched } from '../lib/repository.mjs'
import { poll } from '../lib/wait.mjs'

Object.assign(process.env, { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' })
const LIMIT_MS = 60000

function place(t) {
  const folder = mkdtempSync(join(tmpdir(), 'repo-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

// A repository that keeps and restores as the extension does.
async function keeping(folder, filters) {
  const found = await findRepository(folder, LIMIT_MS)
  const calls = () => new Git(found.top, LIMIT_MS)
  const scratch = new Scratch(found, filters)
  return {
    found,
    calls,
    scratch,
    look: () => scratch.look(calls()),
    async keep() {
      const trees = await scratch.look(calls())
      const commit = await checkpoints.commit(calls(), trees)
      return { commit, ...trees }
    },
    async restore(then, cwd = folder) {
      const undo = await this.keep()
      return { undo, plan: await restore(calls(), found, scratch, undo, then, cwd) }
    },
  }
}

// --- A random history against a plain model ---

const NAMES = ['a', 'b.txt', 'd/x', 'd/e/y', 'd', 'a/deep', 'two words', '-option', ':(glob)*', 'new\nline',
  'tab\tname', 'no\xfftext', '\xc3\xa4', 'x.log', 'logs/y.log', '.gitignore', 'd/.gitignore', '"quoted"', 'glob[1]', 'last\\']
const RULES = ['*.log\n', 'd/\n', '', '!x.log\n', 'b.txt\n', 'logs\n']

// One change of the working tree, the index or the history.
function change(folder, random) {
  const name = NAMES[random(NAMES.length)]
  const bytes = (text) => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(text, 'latin1')])
  const write = () => {
    const parents = name.split('/').slice(0, -1).map((_part, i, parts) => parts.slice(0, i + 1).join('/'))
    for (const parent of parents) {
      removeFile(bytes(parent))
      mkdirSync(bytes(parent), { recursive: true })
    }
    remove(bytes(name))
    const isRule = name.endsWith('.gitignore')
    if (!isRule && random(8) === 0) {
      symlinkSync(`to-${random(3)}`, bytes(name))
    } else { // of one size often: git must look at the content
      writeFileSync(bytes(name), isRule ? RULES[random(RULES.length)] : `content ${random(10)}\n`)
      chmodSync(bytes(name), random(5) === 0 ? 0o755 : 0o644)
    }
  }
  const acts = [write, write, write, write, () => remove(bytes(name)),
    () => succeeds(folder, 'add', '-A'), () => succeeds(folder, 'add', '-u'),
    () => succeeds(folder, 'rm', '-rq', '--cached', '.gitignore', 'd'),
    () => succeeds(folder, 'commit', '-q', '-m', 'more'),
    () => succeeds(folder, 'reset', '-q'), () => succeeds(folder, 'add', '-N', '.')]
  acts[random(acts.length)]()
}

function isDirectory(path) {
  try {
    return lstatSync(path).isDirectory()
  } catch {
    return undefined // nothing is there
  }
}

const remove = (path) => isDirectory(path) !== undefined && rmSync(path, { recursive: true })
const removeFile = (path) => isDirectory(path) === false && rmSync(path)

const ROUNDS = Number(process.env.XYLEM_ROUNDS ?? 10)
const SEED = Number(process.env.XYLEM_SEED ?? Date.now() % 1e9)

test(`keep and restore equal a copy of the files, whatever happens in between (seed ${SEED})`, async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    const random = randomFrom(SEED + round)
    const folder = repository(join(place(t), 'work'), { a: 'content 1\n', 'd/x': 'content 2\n' })
    const some = () => Array.from({ length: 2 + random(12) }, () => change(folder, random))
    const here = await keeping(folder)
    some()
    const kept = model(folder)
    const keptIgnored = new Set(ignored(folder))
    const person = untouched(folder)
    const then = await here.keep()
    assert.deepEqual(untouched(folder), person, `round ${round}: a keep touches something`)
    assert.deepEqual(model(folder), kept)
    some()
    const before = model(folder)
    const beforeIgnored = ignored(folder)
    const after = untouched(folder)
    const { undo, plan } = await here.restore(then)
    const say = `round ${round} of seed ${SEED}: ${JSON.stringify(plan)}`
    assert.deepEqual(untouched(folder), after, say)
    checkRestored(model(folder), kept, { keptIgnored, stays: new Set([...beforeIgnored, ...plan.left]), say })
    for (const name of beforeIgnored) {
      assert.equal(model(folder).get(name), before.get(name), `${say}: ${name} was ignored`)
    }
    const ignoredNow = new Set(ignored(folder))
    const { plan: { left } } = await here.restore(undo)
    // What the restore brought stays where the rules of before ignore it: it may have been there. The undo names a file
    // in whose place such a file lies, also a file of the same name.
    const stays = new Set(ignored(folder).filter((name) => !before.has(name)))
    const isLeft = (name) => left.some((one) => name === one || name.startsWith(`${one}/`))
    const compared = (files) => sorted([...files].filter(([name]) => !stays.has(name) && !isLeft(name)))
    assert.deepEqual(compared(model(folder)), compared(before), `${say}: the undo`)
    const isInTheWay = (name) => (file) => file.startsWith(`${name}/`) || name.startsWith(`${file}/`) ||
      (file === name && ignoredNow.has(name))
    assert.ok(left.every((name) => [...model(folder).keys()].some(isInTheWay(name))), `${say}: the undo leaves ${left}`)
    rmSync(dirname(folder), { recursive: true, force: true })
  }
})

const sorted = (files) => [...files].sort(([a], [b]) => (a < b ? -1 : 1))

// Every file that a checkpoint had is as it was, and no other file is there.
function checkRestored(now, kept, { keptIgnored, stays, say }) {
  for (const [name, content] of kept) {
    if (!stays.has(name) && !keptIgnored.has(name)) {
      assert.equal(now.get(name), content, `${say}: ${name}`)
    }
  }
  for (const name of now.keys()) {
    assert.ok(kept.has(name) || stays.has(name) || keptIgnored.has(name), `${say}: ${name} is there`)
  }
}

// --- One by one ---

test('a checkpoint is a stash: git applies it by hand, with what is staged', async (t) => {
  const folder = repository(join(place(t), 'work'), { a: '1\n', b: '1\n', c: '1\n', gone: '1\n', run: '1\n' })
  const here = await keeping(folder)
  files(folder, { a: 'staged\n', 'new/file': 'untracked\n' })
  git(folder, 'add', 'a')
  files(folder, { b: 'unstaged\n' })
  chmodSync(join(folder, 'run'), 0o755)
  rmSync(join(folder, 'gone'))
  git(folder, 'mv', 'c', 'renamed')
  symlinkSync('nowhere', join(folder, 'link'))
  const [kept, status] = [model(folder), git(folder, 'status', '--short')]
  const { commit } = await here.keep()
  await checkpoints.anchor(here.calls(), 'session', commit)
  assert.equal(git(folder, 'stash', 'list'), '')
  git(folder, 'gc', '-q', '--prune=now')
  git(folder, 'reset', '-q', '--hard')
  git(folder, 'clean', '-qfd')
  git(folder, 'stash', 'apply', '-q', '--index', `refs/xylem/session/${commit}`)
  assert.deepEqual(sorted(model(folder)), sorted(kept))
  assert.equal(git(folder, 'status', '--short'), status)
})

test('a file of one size and one second, changed behind `git add`, is kept as it is', async (t) => {
  const folder = repository(join(place(t), 'work'))
  const here = await keeping(folder)
  for (let i = 10; i < 20; i++) {
    files(folder, { 'a.txt': `x${i}\n` })
    git(folder, 'add', 'a.txt')
    files(folder, { 'a.txt': `y${i}\n` })
    const { commit } = await here.keep()
    assert.equal(git(folder, 'show', `${commit}:a.txt`), `y${i}`)
    assert.equal(git(folder, 'show', `${commit}^2:a.txt`), `x${i}`)
  }
})

for (const [words, count, bytes, isKept] of [['1,000 untracked files are kept', 1000, 1, true],
  ['1,001 untracked files are left out', 1001, 1, false], ['20 MiB of them are kept', 20, 1 << 20, true],
  ['a byte more is left out', 21, 1 << 20, false]]) {
  test(words, async (t) => {
    const folder = repository(join(place(t), 'work'))
    const content = Buffer.alloc(bytes, 'x')
    files(folder, Object.fromEntries(Array.from({ length: count }, (_one, i) => [`u/${i}`, content])))
    if (bytes > 1 && !isKept) {
      files(folder, { 'u/1': 'x' })
    }
    const here = await keeping(folder)
    const { commit, untracked } = await here.keep()
    assert.equal(untracked !== undefined, isKept)
    assert.equal(succeeds(folder, 'rev-parse', '--verify', '-q', `${commit}^3`), isKept)
    if (isKept) {
      assert.equal(git(folder, 'ls-tree', '-r', '--name-only', `${commit}^3`).split('\n').length, count)
    }
  })
}

test('with too many untracked files a restore removes and overwrites none of them', async (t) => {
  const folder = repository(join(place(t), 'work'))
  const here = await keeping(folder)
  files(folder, { 'note.txt': 'then\n' })
  const then = await here.keep()
  files(folder, { 'note.txt': 'now\n', 'a.txt': 'two\n', ...Object.fromEntries(
    Array.from({ length: 1001 }, (_one, i) => [`u/${i}`, 'x'])) })
  const { plan, undo } = await here.restore(then)
  assert.deepEqual(plan.left, ['note.txt'])
  assert.equal(model(folder).get('note.txt'), '- now\n')
  assert.equal(model(folder).get('a.txt'), '- one\n')
  assert.equal(model(folder).size, 1003)
  await here.restore(undo)
  assert.equal(model(folder).get('a.txt'), '- two\n')
  assert.equal(model(folder).size, 1003)
})

test('a checkpoint without its untracked files removes no file', async (t) => {
  const folder = repository(join(place(t), 'work'))
  const here = await keeping(folder)
  const many = Array.from({ length: 1001 }, (_one, i) => `u/${i}`)
  files(folder, Object.fromEntries(many.map((name) => [name, 'x'])))
  const then = await here.keep()
  rmSync(join(folder, 'u'), { recursive: true })
  files(folder, { 'a.txt': 'two\n', 'mine.txt': 'mine\n' })
  await here.restore(then)
  assert.deepEqual(sorted(model(folder)), [['a.txt', '- one\n'], ['mine.txt', '- mine\n']])
  files(folder, { 'u/1': 'x' })
  git(folder, 'add', '-A') // tracked now; nobody knows whether the files were there, untracked
  const { plan } = await here.restore(then)
  assert.deepEqual(plan, { changes: [], left: [] })
  assert.deepEqual(sorted(model(folder)), [['a.txt', '- one\n'], ['mine.txt', '- mine\n'], ['u/1', '- x']])
})

test('an ignored file in the way is left alone, and so is a link that leads elsewhere', async (t) => {
  const folder = repository(join(place(t), 'work'))
  const elsewhere = join(dirname(folder), 'elsewhere')
  mkdirSync(elsewhere)
  const here = await keeping(folder)
  files(folder, { 'build/out': 'then\n', 'x.log': 'then\n', 'deep/y': 'then\n', 'free.txt': 'then\n' })
  const then = await here.keep()
  for (const name of ['build', 'deep', 'x.log', 'free.txt']) {
    rmSync(join(folder, name), { recursive: true })
  }
  files(folder, { '.git/info/exclude': 'build\n*.log\ndeep\n', 'x.log': 'now\n', build: 'a file now\n' })
  symlinkSync(elsewhere, join(folder, 'deep'))
  const { plan } = await here.restore(then)
  assert.deepEqual(plan.left.sort(), ['build/out', 'deep/y', 'x.log'])
  assert.deepEqual(sorted(model(folder)), [['a.txt', '- one\n'], ['build', '- a file now\n'],
    ['deep', `link ${elsewhere}`], ['free.txt', '- then\n'], ['x.log', '- now\n']])
  assert.deepEqual([...model(elsewhere)], [])
})

test('a directory of ignored files in the way of a file is left alone', async (t) => {
  const folder = repository(join(place(t), 'work'))
  const here = await keeping(folder)
  files(folder, { out: 'a file then\n' })
  const then = await here.keep()
  rmSync(join(folder, 'out'))
  files(folder, { 'out/kept.txt': 'now\n', 'out/x.log': 'ignored\n', '.git/info/exclude': '*.log\n' })
  const { plan } = await here.restore(then)
  assert.deepEqual(plan.left, ['out'])
  assert.equal(model(folder).get('out/x.log'), '- ignored\n')
})

test('a file that the rules of then ignore stays, and an undo leaves ignored files alone', async (t) => {
  const folder = repository(join(place(t), 'work'), { '.gitignore': '*.log\n' })
  const here = await keeping(folder)
  files(folder, { 'x.log': 'ignored then\n' })
  const then = await here.keep()
  files(folder, { '.gitignore': 'nothing\n', 'new.txt': 'newer\n' })
  const before = model(folder)
  const { undo } = await here.restore(then)
  assert.deepEqual(sorted(model(folder)), [['.gitignore', '- *.log\n'], ['x.log', '- ignored then\n']])
  await here.restore(undo)
  assert.deepEqual(sorted(model(folder)), sorted(before))
})

test('a link in the place of a directory of tracked files is kept and restored', async (t) => {
  const folder = repository(join(place(t), 'work'), { 'd/x': '1\n', 'd/e/y': '1\n' })
  const here = await keeping(folder)
  const before = model(folder)
  const then = await here.keep()
  rmSync(join(folder, 'd'), { recursive: true })
  symlinkSync('elsewhere', join(folder, 'd'))
  const linked = model(folder)
  const { undo } = await here.restore(then)
  assert.deepEqual(sorted(model(folder)), sorted(before))
  await here.restore(undo)
  assert.deepEqual(sorted(model(folder)), sorted(linked))
})

test('a file of rules that the rules of then ignore stays too', async (t) => {
  const folder = repository(join(place(t), 'work'), { '.gitignore': 'd/\n' })
  const here = await keeping(folder)
  files(folder, { 'd/.gitignore': '*.log\n' })
  const before = model(folder)
  const then = await here.keep()
  rmSync(join(folder, '.gitignore'))
  await here.restore(then)
  assert.deepEqual(sorted(model(folder)), sorted(before))
})

test('a file that changes during the restore stops the restore before the first change', async (t) => {
  const folder = repository(join(place(t), 'work'), { a: '1\n', b: '1\n' })
  const here = await keeping(folder)
  const then = await here.keep()
  files(folder, { a: '2\n', b: '2\n' })
  const now = await here.keep()
  files(folder, { b: '3\n' })
  await assert.rejects(restore(here.calls(), here.found, here.scratch, now, then, folder), /files are changing/)
  assert.deepEqual(sorted(model(folder)), [['a', '- 2\n'], ['b', '- 3\n']])
})

test('a submodule counts by its commit, no program of it runs, and its files are never touched', async (t) => {
  const root = place(t)
  const inner = repository(join(root, 'inner'), { inside: '1\n' })
  const folder = repository(join(root, 'work'))
  git(folder, 'submodule', '--quiet', 'add', inner, 'sub')
  git(folder, 'commit', '-qm', 'sub')
  const here = await keeping(folder)
  const then = await here.keep()
  const told = join(root, 'told')
  git(join(folder, 'sub'), 'config', 'filter.evil.clean', `touch ${told}; cat`)
  files(folder, { 'sub/.gitattributes': '* filter=evil\n', 'sub/inside': '2\n', 'a.txt': 'two\n' })
  await here.keep()
  assert.equal(lstatSync(told, { throwIfNoEntry: false }), undefined)
  git(join(folder, 'sub'), 'commit', '-q', '--allow-empty', '-m', 'next')
  const { commit } = await here.keep()
  assert.equal(git(folder, 'rev-parse', `${commit}:sub`), git(join(folder, 'sub'), 'rev-parse', 'HEAD'))
  const { plan } = await here.restore(then)
  assert.deepEqual([plan.changes.map(({ name }) => name), plan.left], [['a.txt'], []])
  assert.equal(model(folder).get('sub/inside'), '- 2\n')
})

test('a repository in the working tree is not kept and not removed', async (t) => {
  const folder = repository(join(place(t), 'work'))
  const here = await keeping(folder)
  const then = await here.keep()
  repository(join(folder, 'nested'), { inside: '1\n' })
  files(folder, { 'a.txt': 'two\n' })
  assert.equal((await here.keep()).untracked, then.untracked)
  await here.restore(then)
  assert.deepEqual(sorted(model(folder)), [['a.txt', '- one\n'], ['nested/inside', '- 1\n']])
})

test('files under assume-unchanged and outside of a sparse checkout are not touched', async (t) => {
  const folder = repository(join(place(t), 'work'), { a: '1\n', 'in/x': '1\n', 'out/y': '1\n' })
  const here = await keeping(folder)
  git(folder, 'sparse-checkout', 'set', 'in')
  git(folder, 'update-index', '--assume-unchanged', 'a')
  const then = await here.keep()
  files(folder, { a: 'mine\n', 'in/x': '2\n' })
  const index = untouched(folder)
  await here.restore(then)
  assert.deepEqual(sorted(model(folder)), [['a', '- mine\n'], ['in/x', '- 1\n']])
  assert.deepEqual(untouched(folder), index)
})

test('each name of a file with several names comes back', async (t) => {
  const folder = place(t)
  repository(folder)
  files(folder, { x: 'then\n' })
  linkSync(join(folder, 'x'), join(folder, 'y'))
  linkSync(join(folder, 'x'), join(folder, 'z'))
  const session = await keeping(folder)
  const then = await session.keep()
  writeFileSync(join(folder, 'x'), 'now\n')
  await session.restore(then)
  assert.deepEqual(['x', 'y', 'z'].map((name) => readFileSync(join(folder, name), 'utf8')), Array(3).fill('then\n'))
})

test('a changed permission is one change of one file', async (t) => {
  const folder = place(t)
  repository(folder)
  files(folder, { x: 'same\n' })
  chmodSync(join(folder, 'x'), 0o600)
  const session = await keeping(folder)
  const then = await session.keep()
  chmodSync(join(folder, 'x'), 0o640)
  const { plan } = await session.restore(then)
  assert.deepEqual(plan.changes.map(({ name }) => name), ['x'])
  assert.equal(lstatSync(join(folder, 'x')).mode & 0o777, 0o600)
})

test('a split index is left alone', async (t) => {
  const folder = repository(join(place(t), 'work'))
  git(folder, 'config', 'core.splitIndex', 'true')
  git(folder, 'config', 'splitIndex.maxPercentChange', '0')
  git(folder, 'update-index', '--split-index')
  const here = await keeping(folder)
  const shared = () => readdirSync(join(folder, '.git')).filter((name) => name.startsWith('sharedindex'))
  const [before, names] = [untouched(folder), shared()]
  files(folder, { 'a.txt': 'two\n', 'new.txt': 'new\n' })
  const { commit } = await here.keep()
  assert.equal(git(folder, 'show', `${commit}:a.txt`), 'two')
  assert.deepEqual([untouched(folder), shared()], [before, names])
})

test('a repository of SHA-256 is kept and restored', async (t) => {
  const folder = join(place(t), 'work')
  mkdirSync(folder)
  git(folder, 'init', '-q', '--object-format=sha256')
  files(folder, { 'a.txt': 'one\n' })
  git(folder, 'add', '.')
  git(folder, 'commit', '-qm', 'first')
  const here = await keeping(folder)
  const then = await here.keep()
  assert.equal(then.commit.length, 64)
  files(folder, { 'a.txt': 'two\n', ...Object.fromEntries(Array.from({ length: 1001 }, (_one, i) => [`u/${i}`, 'x'])) })
  await here.restore(then)
  assert.equal(model(folder).get('a.txt'), '- one\n')
})

// --- Names and programs ---

test('every id of a session has a reference, and comes back', async (t) => {
  const folder = repository(join(place(t), 'work'))
  const here = await keeping(folder)
  const { commit } = await here.keep()
  const ids = ['01a206b3-3d5c-7467-9e77-b3c1316ba523', 'a',
    '..', '.hidden', 'a.lock', 'a b', '@{-1}', 'ä/ö', '-d', '%41', '~^:?*[']
  for (const id of ids) {
    await checkpoints.anchor(here.calls(), id, commit)
  }
  const found = await checkpoints.refs(here.calls())
  assert.deepEqual(found.map(({ session }) => session).sort(), [...ids].sort())
  assert.ok(found.every(({ name }) => /^refs\/xylem\/[\w%-]+\/[\w%-]+$/.test(name)))
  await checkpoints.remove(here.calls(), found)
  assert.deepEqual(await checkpoints.refs(here.calls()), [])
})

test('the environment of git names no repository, and finds git in absolute directories alone', () => {
  const { GIT_DIR, GIT_INDEX_FILE, GIT_CONFIG_COUNT, GIT_CONFIG_GLOBAL, HOME, PATH, LC_ALL, GIT_OPTIONAL_LOCKS } =
    environment({ GIT_DIR: '/x', GIT_INDEX_FILE: '/y', GIT_CONFIG_COUNT: '1', GIT_CONFIG_GLOBAL: '/z', HOME: '/h',
      PATH: '.:/bin::bin:/usr/bin', LC_ALL: 'de_DE' })
  assert.deepEqual([GIT_DIR, GIT_INDEX_FILE, GIT_CONFIG_COUNT, GIT_CONFIG_GLOBAL, HOME, PATH, LC_ALL,
    GIT_OPTIONAL_LOCKS], [undefined, undefined, undefined, '/z', '/h', '/bin:/usr/bin', 'C', '0'])
})

test('hooks and monitors of a repository do not run', async (t) => {
  const folder = repository(join(place(t), 'work'))
  const told = join(dirname(folder), 'told')
  const program = `#!/bin/sh\necho "$0" >>'${told}'\n`
  const hooks = join(folder, '.git/hooks')
  for (const name of ['reference-transaction', 'post-index-change', 'pre-commit', 'post-checkout', 'monitor']) {
    writeFileSync(join(hooks, name), program, { mode: 0o755 })
  }
  git(folder, 'config', 'core.fsmonitor', join(hooks, 'monitor'))
  git(folder, 'config', 'core.hooksPath', hooks)
  git(folder, 'config', 'hook.mine.command', join(hooks, 'monitor'))
  git(folder, 'config', 'hook.mine.event', 'reference-transaction')
  git(folder, 'config', 'commit.gpgSign', 'true')
  git(folder, 'config', 'gpg.program', join(hooks, 'monitor'))
  git(folder, 'status')
  rmSync(told, { force: true })
  const here = await keeping(folder)
  const then = await here.keep()
  await checkpoints.anchor(here.calls(), 's', then.commit)
  files(folder, { 'a.txt': 'two\n', new: 'new\n' })
  await here.restore(then)
  await checkpoints.remove(here.calls(), await checkpoints.refs(here.calls()))
  assert.equal(lstatSync(told, { throwIfNoEntry: false }), undefined)
})

test('hooks by configuration are off wherever git changes references', async (t) => {
  const folder = repository(join(place(t), 'work'))
  git(folder, 'config', 'hook.mine.command', 'false')
  const here = await keeping(folder)
  const { commit } = await here.keep()
  const bin = join(dirname(folder), 'bin')
  const log = join(dirname(folder), 'log')
  const real = join(git(folder, '--exec-path'), 'git')
  files(bin, { git: `#!/bin/sh\necho "$* $GIT_CONFIG_KEY_0=$GIT_CONFIG_VALUE_0" >>'${log}'\nexec '${real}' "$@"\n` })
  chmodSync(join(bin, 'git'), 0o755)
  const { PATH } = process.env
  t.after(() => { process.env.PATH = PATH })
  process.env.PATH = `${bin}:${PATH}`
  await checkpoints.anchor(here.calls(), 's', commit)
  await checkpoints.anchorAll(here.calls(), 'other', [commit])
  await checkpoints.remove(here.calls(), await checkpoints.refs(here.calls()))
  const changes = readFileSync(log, 'utf8').split('\n').filter((line) => line.includes(' update-ref '))
  assert.equal(changes.length, 3)
  assert.ok(changes.every((line) => line.endsWith(' hook.mine.enabled=false')), changes.join('\n'))
})

test('a work tree by configuration alone is refused', async (t) => {
  const root = place(t)
  const folder = repository(join(root, 'evil'))
  git(folder, 'config', 'core.worktree', root)
  await assert.rejects(findRepository(folder, LIMIT_MS), /by configuration alone/)
})

test('a git that hangs ends, with the programs that it started', async (t) => {
  const folder = place(t)
  const pid = join(folder, 'pid')
  writeFileSync(join(folder, 'git'), `#!/bin/sh\nsleep 1000 & echo $! >'${pid}.new'; mv '${pid}.new' '${pid}'; wait\n`,
    { mode: 0o755 })
  const path = process.env.PATH
  t.after(() => { process.env.PATH = path })
  process.env.PATH = `${folder}:${path}`
  const stop = new AbortController()
  const stopped = new Git(folder, LIMIT_MS, stop.signal).run(['status'])
  process.env.PATH = path
  await poll(() => lstatSync(pid, { throwIfNoEntry: false }), 'a program of git')
  stop.abort()
  await assert.rejects(stopped, { failure: 'stopped' })
  const isAlive = () => {
    try {
      return !/^State:\tZ/m.test(readFileSync(`/proc/${Number(readFileSync(pid, 'utf8'))}/status`, 'utf8'))
    } catch {
      return false
    }
  }
  await poll(() => !isAlive(), 'the end of the program')
  process.env.PATH = `${folder}:${path}`
  await assert.rejects(new Git(folder, 1).run(['status']), { failure: 'late' })
})

test('a git that is late is told as such, although another git still writes', async (t) => {
  const found = await findRepository(repository(join(place(t), 'work')), LIMIT_MS)
  const git = {
    line: async () => '0'.repeat(40),
    async run(_args, { index }) {
      const writes = 'for i in $(seq 5000); do : >"$0/$i" || exit; [ "$i" != 50 ] || echo begun; done'
      const writer = spawn('sh', ['-c', writes, dirname(index)], { stdio: ['ignore', 'pipe', 'ignore'] })
      await once(writer.stdout, 'data')
      throw new GitError('late', 'late')
    },
  }
  await assert.rejects(new Scratch(found).look(git), ({ failure }) => failure === 'late')
})

test('without git the answer is `missing`, and no directory is a repository', async (t) => {
  const path = process.env.PATH
  t.after(() => { process.env.PATH = path })
  process.env.PATH = place(t)
  await assert.rejects(new Git('/', LIMIT_MS).run(['status']), { failure: 'missing' })
  assert.equal(await findRepository('/', LIMIT_MS), undefined)
})

test('a checkpoint knows its trees, and no other commit is a checkpoint', async (t) => {
  const folder = repository(join(place(t), 'work'))
  const here = await keeping(folder)
  const { commit, ...trees } = await here.keep()
  assert.deepEqual(await checkpoints.treesOf(here.calls(), commit), trees)
  const parents = [1, 2, 3, 4].flatMap((word) =>
    ['-p', git(folder, 'commit-tree', '-m', String(word), trees.tree)])
  const four = git(folder, 'commit-tree', '-m', 'four parents', ...parents, trees.tree)
  for (const other of [git(folder, 'rev-parse', 'HEAD'), four, '0'.repeat(40), trees.tree]) {
    assert.equal(await checkpoints.treesOf(here.calls(), other), undefined)
  }
})

// --- Sessions that are gone ---

test('a store that cannot be read lets no session count as gone', async (t) => {
  const folder = place(t)
  t.mock.method(native, 'openAsync', async () => ({
    session(id) { throw new Error(`${id} cannot be read`) },
    close() {},
  }))
  const session = { id: 'own', settings: { store: folder } }
  await assert.rejects(knownSessions(session, folder, new Set(['other'])), /other cannot be read/)
})
