// Every byte and every mode: what git would convert, hide, or cannot hold.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync,
  symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { checkpointsAt } from '../../lib/checkpoint/entry.ts'
import * as checkpoints from '../../lib/checkpoint/commits.ts'
import { Git } from '../../lib/checkpoint/git.ts'
import { findRepository } from '../../lib/checkpoint/repository.ts'
import { restore } from '../../lib/checkpoint/restore.ts'
import { BYTES_MAX, FILE_MAX, FILES_MAX, Scratch, STRIPPERS } from '../../lib/checkpoint/scratch.ts'
import { randomFrom } from '../lib/random.mjs'
import { files, git, repository, succeeds, untouched } from '../lib/repository.mjs'

const LIMIT_MS = 60000
const SECRET = 'plaintext-of-a-secret'
const root = mkdtempSync(join(tmpdir(), 'bytes-'))
const told = join(root, 'told')
const config = join(root, 'gitconfig')
after(() => rmSync(root, { recursive: true, force: true }))
Object.assign(process.env, { GIT_CONFIG_GLOBAL: config, GIT_CONFIG_NOSYSTEM: '1' })

// The person's filters. Each says that it ran.
const FILTERS = { nbstripout: "sed '/^output/d'", crypt: 'tr a-z n-za-m', mine: "sed '/^note/d'" }
for (const [name, program] of Object.entries(FILTERS)) {
  for (const way of ['clean', 'smudge']) {
    git(root, 'config', '--file', config, `filter.${name}.${way}`, `echo ran >>'${told}'; ${way === 'clean' ? program : 'cat'}`)
  }
}

// Mode and content of every file but those of git.
function model(folder) {
  const found = new Map()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(folder.length + 1)
    if (!entry.isDirectory() && !/(^|\/)\.git(\/|$)/.test(name)) {
      const stat = lstatSync(path)
      found.set(name, stat.isSymbolicLink() ? `link ${readlinkSync(path)}` : stat.isFile()
        ? `${(stat.mode & 0o7777).toString(8)} ${readFileSync(path, 'latin1')}` : 'other')
    }
  }
  return found
}

const sorted = (found) => [...found].sort(([a], [b]) => (a < b ? -1 : 1))

async function keeping(folder, filters) {
  const found = await findRepository(folder, LIMIT_MS)
  const calls = () => new Git(found.top, LIMIT_MS)
  const scratch = new Scratch(found, filters)
  after(() => scratch.dispose())
  return {
    calls,
    scratch,
    async keep() {
      const trees = await scratch.look(calls())
      return { commit: await checkpoints.commit(calls(), trees), ...trees }
    },
    async restore(then) {
      const undo = await this.keep()
      return { undo, plan: await restore(calls(), found, scratch, undo, then, folder) }
    },
  }
}

// All contents of .git, also of what nothing reaches.
const objects = (folder) => execFileSync('git', ['cat-file', '--batch-all-objects', '--batch', '--unordered'],
  { cwd: folder, encoding: 'latin1', maxBuffer: 1 << 28 })

// A repository as the person's git makes it: with the filters.
function filtered(folder, contents) {
  mkdirSync(folder, { recursive: true })
  const run = (...args) => execFileSync('git', args, { cwd: folder, stdio: 'pipe', env: { ...process.env,
    GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' } })
  run('init', '-q', '-b', 'main')
  files(folder, contents)
  run('add', '-A')
  run('commit', '-qm', 'first')
  rmSync(told, { force: true })
  return { folder, run }
}

// --- Generated repositories ---

const NAMES = ['plain.txt', 'n.ipynb', 'd/n.ipynb', 'crlf.txt', 'id.c', 'wide.u16', 'e.key', 'd/e.key', 'in/x', 'out/y', 'run.sh',
  'x.mine', 'd/deep/z', 'new.bin']
const ATTRIBUTES = ['*.ipynb filter=nbstripout\n*.key filter=crypt\n*.mine filter=mine\ncrlf.txt text eol=crlf\n*.c ident\n' +
  '*.u16 working-tree-encoding=UTF-16\n', '* text=auto\n*.ipynb filter=nbstripout\n*.key filter=crypt\n', '*.key filter=crypt\n']
const MODES = [0o644, 0o644, 0o755, 0o600, 0o640, 0o700, 0o444]

function content(name, random) {
  const line = `line ${random(6)}\n`
  return name.endsWith('.key') ? `${SECRET} ${random(9)}\n` : name.endsWith('.u16')
    ? Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(line, 'utf16le')])
    : [line, `${line}output ${random(9)}\r\n`, `a\r\nb\n${line}`, `$Id: ${random(9)}$\r\n`, Buffer.from([0, 255, random(9)])][random(5)]
}

function change(folder, random) {
  const name = NAMES[random(NAMES.length)]
  const path = join(folder, name)
  const kind = random(9)
  if (kind < 4) {
    rmSync(path, { recursive: true, force: true })
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content(name, random))
    chmodSync(path, MODES[random(MODES.length)])
  } else if (kind < 6) {
    existsSync(path) && chmodSync(path, MODES[random(MODES.length)])
  } else if (kind === 6) {
    rmSync(path, { recursive: true, force: true })
  } else if (kind === 7) {
    rmSync(join(folder, 'link'), { force: true })
    symlinkSync(`to-${random(3)}`, join(folder, 'link'))
  } else {
    succeeds(folder, 'add', '-A', ':!*.key', ':!*.ipynb', ':!*.u16')
  }
}

const ROUNDS = Number(process.env.XYLEM_ROUNDS ?? 8)
const SEED = Number(process.env.XYLEM_SEED ?? Date.now() % 1e9)

test(`restore and undo bring back every byte and mode but of what is named (seed ${SEED})`, async () => {
  const seen = { changes: 0, left: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    const random = randomFrom(SEED + round)
    const place = join(root, `r${round}`)
    const first = Object.fromEntries(NAMES.filter((name) => random(4) > 0 && !name.endsWith('.u16'))
      .map((name) => [name, content(name, random)]))
    const { folder: main, run } = filtered(join(place, 'main'),
      { '.gitattributes': ATTRIBUTES[random(ATTRIBUTES.length)], 'in/always': 'x', ...first })
    const isLinked = random(3) === 0
    isLinked && run('worktree', 'add', '-q', '-b', 'linked', join(place, 'linked'))
    const folder = isLinked ? join(place, 'linked') : main
    random(2) === 0 && repository(join(folder, 'nested'), { inside: '1\n' })
    random(3) === 0 && git(folder, 'config', 'core.autocrlf', 'true')
    random(3) === 0 && execFileSync('git', ['sparse-checkout', 'set', 'in', 'd'], { cwd: folder, stdio: 'pipe' })
    // Of a sparse checkout: git forgets the mark of a file that somebody puts there, and the file stays as it is.
    const flagged = () => git(folder, 'ls-files', '-t').split('\n').filter((line) => line.startsWith('S '))
      .map((line) => line.slice(2))
    const outside = flagged()
    rmSync(told, { force: true })
    const here = await keeping(folder, ['mine'])
    const some = () => Array.from({ length: 2 + random(10) }, () => change(folder, random))
    some()
    const kept = model(folder)
    const person = untouched(folder)
    const then = await here.keep()
    const left = new Set(here.scratch.left.keys())
    assert.deepEqual([model(folder), untouched(folder)], [kept, person], `round ${round}: a keep touches something`)
    some()
    const before = model(folder)
    const { undo, plan } = await here.restore(then)
    here.scratch.left.forEach((_why, name) => left.add(name))
    for (const name of [...plan.left, ...outside, ...flagged()]) {
      left.add(name)
    }
    const known = (found) => sorted(found).filter(([name]) => !left.has(name))
    const say = `round ${round} of seed ${SEED}: ${JSON.stringify(plan)}`
    assert.deepEqual(known(model(folder)), known(kept), say)
    seen.changes += plan.changes.length
    seen.left += left.size
    await here.restore(undo)
    assert.deepEqual(sorted(model(folder)), sorted(before), `${say}: the undo`)
    assert.equal(existsSync(told), false, `${say}: a filter ran`)
    // A file that the person's own git staged while its filter was another stands in .git by the person's hand.
    assert.ok(!objects(folder).includes(SECRET), `${say}: a plaintext is in .git`)
    rmSync(place, { recursive: true, force: true })
  }
  assert.ok(seen.changes > ROUNDS && seen.left > 0, JSON.stringify(seen)) // else nothing was tried
})

// --- One by one ---

test("a notebook's output comes back, and so do CRLF, 0600 and the x of a script, without a program", async () => {
  const { folder } = filtered(join(root, 'one'), { '.gitattributes': '*.ipynb filter=nbstripout\n*.txt text eol=lf\n',
    'n.ipynb': 'code\noutput 1\n', 'a.txt': 'a\r\nb\n', 'secret': 'x\n', 'run.sh': '#!/bin/sh\n' })
  chmodSync(join(folder, 'secret'), 0o600)
  const here = await keeping(folder)
  const kept = model(folder)
  const then = await here.keep()
  files(folder, { 'n.ipynb': 'code 2\noutput 2\n', 'a.txt': 'c\n', 'secret': 'y\n' })
  chmodSync(join(folder, 'run.sh'), 0o750)
  const before = model(folder)
  const { undo } = await here.restore(then)
  assert.deepEqual(model(folder), kept)
  await here.restore(undo)
  assert.deepEqual(model(folder), before)
  assert.equal(existsSync(told), false)
  assert.equal(git(folder, 'show', `${undo.commit}:a.txt`), 'c')
  assert.equal(git(folder, 'show', `${then.commit}:a.txt`), 'a\nb') // of the stash: as git would have it
  git(folder, 'commit', '-qam', 'control') // the filter does run where the person's git works
  execFileSync('git', ['add', '--renormalize', '.'], { cwd: folder })
  assert.equal(existsSync(told), true)
})

test('a file that was tracked and no longer is gets its permissions back', async () => {
  const { folder, run } = filtered(join(root, 'untracked'), { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' })
  chmodSync(join(folder, 'a.txt'), 0o440)
  const here = await keeping(folder)
  const kept = model(folder)
  const then = await here.keep()
  run('rm', '-q', '--cached', 'a.txt')
  chmodSync(join(folder, 'a.txt'), 0o640)
  await here.restore(then)
  assert.deepEqual(model(folder), kept)
})

test('permissions come back that git does not look at', async () => {
  const { folder, run } = filtered(join(root, 'filemode'), { run: 'one\n', 'a.txt': 'one\n' })
  run('config', 'core.filemode', 'false')
  chmodSync(join(folder, 'run'), 0o755)
  const here = await keeping(folder)
  const kept = model(folder)
  const then = await here.keep()
  files(folder, { run: 'two\n', 'a.txt': 'two\n' })
  chmodSync(join(folder, 'run'), 0o644)
  const changed = model(folder)
  const { undo } = await here.restore(then)
  assert.deepEqual(model(folder), kept)
  await here.restore(undo)
  assert.deepEqual(model(folder), changed)
})

test('permissions come back where git is told not to look at the time of a change', async () => {
  for (const setting of ['core.trustctime=false', 'core.checkstat=minimal']) {
    const { folder, run } = filtered(join(root, setting), { 'a.txt': 'one\n' })
    run('config', ...setting.split('='))
    utimesSync(join(folder, 'a.txt'), 1, 1)
    run('status')
    await new Promise((done) => setTimeout(done, 1200)) // the file is not young
    const here = await keeping(folder)
    const then = await here.keep()
    chmodSync(join(folder, 'a.txt'), 0o640)
    const { undo } = await here.restore(then)
    assert.equal(lstatSync(join(folder, 'a.txt')).mode & 0o777, 0o644, setting)
    await here.restore(undo)
    assert.equal(lstatSync(join(folder, 'a.txt')).mode & 0o777, 0o640, setting)
  }
})

test('permissions of a file that change twice in a second are seen: git knows the second alone', async () => {
  const { folder, run } = filtered(join(root, 'second'), { 'a.txt': 'one\n' })
  const path = join(folder, 'a.txt')
  utimesSync(path, 1, 1) // an old file: git does not look into the content
  run('update-index', '--refresh')
  const here = await keeping(folder)
  await here.keep()
  const change = (mode) => {
    chmodSync(path, mode)
    return Math.floor(lstatSync(path).ctimeMs / 1000)
  }
  for (let tries = 0, first, second; tries === 0 || first !== second; tries++) { // a slow machine needs some
    assert.ok(tries < 20, 'no two looks in a second')
    await new Promise((done) => setTimeout(done, 1010 - Date.now() % 1000))
    first = change(0o644)
    await here.scratch.look(here.calls())
    const { raw } = await here.scratch.look(here.calls())
    second = change(0o640)
    assert.notEqual((await here.scratch.look(here.calls())).raw, raw)
  }
})

test('the tree of the stash has what git would stage, also behind changes that git does not convert', async () => {
  const { folder } = filtered(join(root, 'late'), { '.gitattributes': 'c.* text\n', 'a.txt': '1\n', 'c.txt': '1\n' })
  const here = await keeping(folder)
  const stashed = (commit, name) => execFileSync('git', ['show', `${commit}:${name}`], { cwd: folder, encoding: 'latin1' })
  await here.keep()
  const turns = [['2\n', '1\n'], ['2\n', '2\r\n'], ['3\n', '2\r\n'], ['3\n', '3\n'], ['4\n', '3\n'], ['4\n', '4\r\n']]
  for (const [i, [a, c]] of turns.entries()) {
    files(folder, { 'a.txt': a, 'c.txt': c, [i % 2 ? 'c.new' : 'new']: c })
    const { commit, tree, raw } = await here.keep()
    assert.deepEqual([stashed(commit, 'a.txt'), stashed(commit, 'c.txt')], [a, c.replace('\r', '')])
    assert.equal(stashed(raw, 'tracked/c.txt'), c)
    assert.equal(tree === git(folder, 'rev-parse', `${raw}:tracked`), !c.includes('\r')) // control
    if (i % 2) {
      assert.deepEqual([stashed(`${commit}^3`, 'c.new'), stashed(raw, 'untracked/c.new')], [c.replace('\r', ''), c])
    }
  }
})

test('a file with an unknown filter is named, left alone, and its plaintext is in no object', async () => {
  const { folder } = filtered(join(root, 'crypt'), { '.gitattributes': '*.key filter=crypt\n', 'e.key': `${SECRET}\n` })
  const here = await keeping(folder)
  files(folder, { 'e.key': `${SECRET} two\n`, 'new.key': `${SECRET} three\n`, 'd/.gitattributes': 'x filter=unheard\n',
    'd/x': `${SECRET} four\n`, 'open.txt': 'readable\n' })
  const then = await here.keep()
  assert.deepEqual([...here.scratch.left].sort(), [['d/x', 'filter unheard'], ['e.key', 'filter crypt'], ['new.key', 'filter crypt']])
  assert.equal(git(folder, 'show', `${then.commit}:e.key`), git(folder, 'show', 'HEAD:e.key')) // the index's blob
  rmSync(join(folder, 'new.key'))
  files(folder, { 'e.key': `${SECRET} five\n`, 'open.txt': 'later\n' })
  await here.restore(then)
  assert.deepEqual(['e.key', 'open.txt'].map((name) => readFileSync(join(folder, name), 'latin1')),
    [`${SECRET} five\n`, 'readable\n'])
  assert.equal(existsSync(join(folder, 'new.key')), false)
  assert.ok(!objects(folder).includes(SECRET))
  assert.ok(objects(folder).includes('readable')) // control
})

test('a file that becomes one of an unknown filter gets no further object', async () => {
  const { folder } = filtered(join(root, 'becomes'), { 'e.key': 'public\n' })
  const here = await keeping(folder)
  await here.keep()
  files(folder, { '.gitattributes': '*.key filter=crypt\n', 'e.key': `${SECRET}\n`, 'f.key': `${SECRET}\n` })
  await here.keep()
  assert.ok(!objects(folder).includes(SECRET))
  files(folder, { '.git/info/attributes': '*.key -filter\n' }) // control
  await here.keep()
  assert.ok(objects(folder).includes(SECRET))
})

test('a file that git cannot read is left out and named, the others are kept, and later the file too', async () => {
  const folder = repository(join(root, 'pipe'), { a: '1\n', b: '1\n', c: '1\n' })
  const here = await keeping(folder)
  rmSync(join(folder, 'b'))
  execFileSync('mkfifo', [join(folder, 'b')])
  files(folder, { a: '2\n' })
  if (process.getuid() !== 0) {
    writeFileSync(join(folder, 'shut'), 'x', { mode: 0 })
  }
  const then = await here.keep()
  assert.equal(here.scratch.left.get('b'), 'git cannot read the file')
  assert.equal(here.scratch.left.has('shut'), process.getuid() !== 0)
  assert.equal(git(folder, 'show', `${then.commit}:a`), '2')
  rmSync(join(folder, 'b'))
  files(folder, { b: 'again\n' })
  const next = await here.keep()
  assert.equal(git(folder, 'show', `${next.commit}:b`), 'again')
})

test('a look behind one that failed is as the first', async () => {
  const folder = repository(join(root, 'again'))
  const here = await keeping(folder)
  files(folder, { 'a.txt': 'two\n' })
  const trees = await here.scratch.look(here.calls())
  await assert.rejects(here.scratch.look(new Git(folder, LIMIT_MS, AbortSignal.abort())), { failure: 'stopped' })
  assert.deepEqual(await here.scratch.look(here.calls()), trees)
})

test('an untracked file of more than 1 MiB is left out and named, and a restore leaves the file', async () => {
  const folder = repository(join(root, 'big'))
  const here = await keeping(folder)
  files(folder, { big: Buffer.alloc(FILE_MAX + 1), fits: Buffer.alloc(FILE_MAX) })
  const then = await here.keep()
  assert.deepEqual([...here.scratch.left], [['big', 'untracked, and more than 1 MiB']])
  files(folder, { big: 'small now', 'a.txt': 'two\n' })
  rmSync(join(folder, 'fits'))
  await here.restore(then)
  assert.equal(readFileSync(join(folder, 'big'), 'latin1'), 'small now')
  assert.equal(lstatSync(join(folder, 'fits')).size, FILE_MAX)
})

test('a look at a tree in which nothing changed takes one process of git, and a change of modes is seen', async () => {
  const folder = repository(join(root, 'count'), Object.fromEntries(Array.from({ length: 50 }, (_one, i) => [`f${i}`, `${i}`])))
  files(folder, { new: 'untracked' })
  const here = await keeping(folder)
  await here.keep()
  await new Promise((done) => setTimeout(done, 2200)) // git looks again into files as young as its index
  await here.scratch.look(here.calls())
  await here.scratch.look(here.calls())
  const calls = here.calls()
  let count = 0
  const { run } = Git.prototype
  Git.prototype.run = function (...args) {
    count++
    return run.apply(this, args)
  }
  try {
    const same = await here.scratch.look(calls)
    assert.equal(count, 1)
    chmodSync(join(folder, 'f7'), 0o600)
    assert.notEqual((await here.scratch.look(calls)).raw, same.raw)
    assert.ok(count > 2) // control
    await here.scratch.look(calls)
    for (const [i, name] of ['.git/reftable/tables.list', '.git/refs/heads/main'].entries()) { // HEAD may be another
      files(folder, { [name]: i === 0 ? 'a table\n' : readFileSync(join(folder, name)) })
      count = 0
      await here.scratch.look(calls)
      assert.equal(count, i === 0 ? 2 : 1)
    }
  } finally {
    Git.prototype.run = run
  }
})

test('a file whose content is gone from git stays as it is, and the others are restored', async () => {
  const { folder } = filtered(join(root, 'gone'), { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' })
  const here = await keeping(folder)
  const then = await here.keep()
  files(folder, { 'a.txt': 'a2\n', 'b.txt': 'b2\n', 'c.txt': 'c2\n' })
  const id = git(folder, 'rev-parse', 'HEAD:b.txt')
  rmSync(join(folder, '.git/objects', id.slice(0, 2), id.slice(2)))
  const { plan } = await here.restore(then)
  assert.deepEqual(plan.changes.map(({ name }) => name).sort(), ['a.txt', 'b.txt', 'c.txt'])
  assert.deepEqual(['a.txt', 'b.txt', 'c.txt'].map((name) => readFileSync(join(folder, name), 'utf8')),
    ['a\n', 'b2\n', 'c\n'])
})

test('the checkpoints of a place come by their time, also one that was made while the conversation went on', () => {
  const entry = (id, parentId, more) => ({ id, parentId, ...more })
  const checkpoint = (id, parentId, at, after) => entry(id, parentId, { type: 'custom', customType: 'git-checkpoint',
    data: { version: 1, repo: '/r', commit: 'c'.repeat(40), tree: 'a'.repeat(40),
      head: 'd'.repeat(40), at, after } })
  const prompt = entry('1', null, { type: 'message', message: { role: 'user', content: 'x' } })
  const below = [entry('2', '1', { type: 'message', message: { role: 'assistant', content: [] } }),
    checkpoint('late', '2', 1000, '1')]
  const path = [prompt, checkpoint('before', '1', 2000, '1'), checkpoint('after', 'before', 3000, 'before')]
  const all = [prompt, ...below, ...path.slice(1)]
  const manager = { getBranch: () => path, getEntries: () => all, getEntry: (id) => all.find((one) => one.id === id) }
  assert.deepEqual(checkpointsAt(manager, 'after', '/r').map(({ id }) => id), ['after', 'before', 'late'])
})

// --- Limits ---

test('checkpoints.md has the limits and the filters of the code', () => {
  const text = readFileSync(new URL('../../docs/checkpoints.md', import.meta.url), 'utf8')
  const mib = (bytes) => `${bytes >> 20} MiB`
  for (const word of [`${checkpoints.COUNT_MAX} checkpoints, for ${checkpoints.DAYS_MAX} days`,
    `together ${mib(checkpoints.REPOSITORY_MAX)}`, `A file of more than ${mib(FILE_MAX)} is left out`,
    `${FILES_MAX.toLocaleString('en')} files and ${mib(BYTES_MAX)}`, STRIPPERS.map((name) => `\`${name}\``).join(', ')]) {
    assert.ok(text.includes(word), word)
  }
})

const at = (days) => Date.now() - days * 86400e3

test('100 checkpoints of a session and 30 days are kept, and the one that an undo needs', async () => {
  const folder = repository(join(root, 'limits'))
  const here = await keeping(folder)
  const trees = await here.scratch.look(here.calls())
  const make = async (days, session) => {
    const commit = await checkpoints.commit(here.calls(), trees, at(days))
    await checkpoints.anchor(here.calls(), session, commit)
    return commit
  }
  const undo = await make(40, 'old')
  await checkpoints.anchor(here.calls(), 'old', undo, checkpoints.UNDO)
  await make(31, 'old')
  const young = await make(29, 'old')
  const commit = await make(2, 'many')
  const lines = Array.from({ length: 100 }, (_one, i) => `update refs/xylem/many/${i} ${commit}\n`).join('')
  execFileSync('git', ['update-ref', '--stdin'], { cwd: folder, input: lines })
  const oldest = await make(3, 'many')
  assert.equal(await checkpoints.dropOld(here.calls(), 'many'), 0) // which may come before another look
  const left = await checkpoints.refs(here.calls())
  assert.deepEqual(left.filter(({ session }) => session === 'old').map(({ commit }) => commit).sort(), [undo, young].sort())
  assert.equal(left.filter(({ session }) => session === 'many').length, 100)
  assert.ok(!left.some(({ commit }) => commit === oldest))
  assert.equal(await checkpoints.dropOld(here.calls(), 'old'), 10)
  git(folder, 'update-ref', '-d', 'refs/xylem/many/7')
  assert.equal(await checkpoints.dropOld(here.calls(), 'many'), 1)
})

test('what checkpoints reach in a repository stays below the limit, measured after a collection in a copy', async () => {
  const folder = repository(join(root, 'room'))
  const here = await keeping(folder)
  const limit = 4 << 20
  const room = () => {
    const copy = join(root, 'copy')
    rmSync(copy, { recursive: true, force: true })
    execFileSync('cp', ['-a', folder, copy])
    git(copy, 'gc', '-q', '--prune=now')
    return Number(git(copy, 'count-objects', '-v').match(/size-pack: (\d+)/)[1]) * 1024
  }
  const all = []
  for (let i = 0; i < 8; i++) {
    const bytes = Buffer.alloc(900 << 10)
    const random = randomFrom(i + 1)
    bytes.forEach((_byte, at) => { bytes[at] = random(256) })
    files(folder, { 'u.bin': bytes })
    const trees = await here.scratch.look(here.calls())
    all.push(await checkpoints.commit(here.calls(), trees, at(1) + i))
    await checkpoints.anchor(here.calls(), 's', all.at(-1))
    i === 0 && await checkpoints.anchor(here.calls(), 's', all[0], checkpoints.UNDO)
  }
  assert.ok(room() > limit) // control
  assert.equal(await checkpoints.dropOld(here.calls(), 's', limit), 0) // there is little room left
  assert.ok(room() <= limit, String(room()))
  const left = (await checkpoints.refs(here.calls())).map(({ commit }) => commit)
  assert.deepEqual(left.sort(), [all[0], ...all.slice(5)].sort()) // the undo, and the newest
  assert.equal(existsSync(join(folder, '.git/gc.log')), false)
  await checkpoints.dropOld(here.calls(), 's', 1 << 20) // one and the undo are too much
  assert.deepEqual((await checkpoints.refs(here.calls())).map(({ commit }) => commit), [all[0]])
})
