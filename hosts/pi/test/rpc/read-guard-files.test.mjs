// Read before write in a real pi: the names of files, files that cannot be read, large files, other machines.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { helper } from '../lib/pi.mjs'
import { mcpWorld } from '../mcp/worlds.mjs'
import { restart, said, tool } from './moves.mjs'
import { batch, blocked, calls, changed, deleted, edit, file, guarded, kept, passed, read, unread, write,
} from './reads.mjs'

// --- Paths ---

// Names of the file f0, f1, ...: it is read by one name, and edited by the other.
const NAMES = {
  'a path from the root': (f, w) => [f, join(w.sandbox.project, f)],
  'dots and doubled slashes': (f) => [f, `.//folder/.././${f}`],
  'a leading @': (f) => [`@${f}`, f],
  'file://': (f, w) => [pathToFileURL(join(w.sandbox.project, f)).href, f],
  'file://localhost with escapes and a fragment': (f, w) => [f, `file://localhost${w.sandbox.project}/%66${f[1]}#top`],
  'a symbolic link': (f, w) => {
    symlinkSync(f, join(w.sandbox.project, `to-${f}`))
    return [`to-${f}`, f]
  },
  'a symbolic link to a directory': (f) => [`around/${f}`, f],
  'a link to a directory, and back by the text': (f) => [`away/../${f}`, f],
}

test('a file has one key, whatever its name', async (t) => {
  const w = await guarded(t)
  mkdirSync(join(w.sandbox.project, 'folder'))
  mkdirSync(join(w.sandbox.root, 'elsewhere/deep'), { recursive: true })
  symlinkSync('.', join(w.sandbox.project, 'around'))
  symlinkSync(join(w.sandbox.root, 'elsewhere/deep'), join(w.sandbox.project, 'away'))
  const pi = w.start()
  for (const [i, [words, names]] of Object.entries(NAMES).entries()) {
    await t.test(words, async () => {
      const path = file(w, `f${i}`)
      const [one, other] = names(`f${i}`, w)
      blocked(await edit(pi, other), unread(other))
      passed(await read(pi, one))
      passed(await edit(pi, other, 'one', 'two'))
      passed(await edit(pi, one, 'two', 'three'))
      writeFileSync(path, 'other\n')
      blocked(await edit(pi, one), changed(one))
    })
  }
})

test('~ is the home', async (t) => {
  const w = await guarded(t)
  writeFileSync(join(w.sandbox.home, 'f'), 'one\n')
  const pi = w.start()
  blocked(await edit(pi, '~/f'), unread('~/f'))
  passed(await read(pi, '@~/f'))
  passed(await edit(pi, join(w.sandbox.home, 'f')))
})

test('a Unicode space is a space, and half a surrogate pair is U+FFFD, as for the tools of pi', async (t) => {
  const w = await guarded(t)
  const pi = w.start()
  for (const [name, one, other] of [['a b c', 'a\u202fb\u3000c', 'a b\u2003c'], ['a\ufffd', 'a\ufffd', 'a\ud800']]) {
    file(w, name)
    assert.match((await edit(pi, other)).text, /^Blocked: .* was not read in this session/)
    passed(await read(pi, one))
    passed(await edit(pi, other))
  }
})

test('a read notes the file that pi finds under another spelling; edit and write look for none', async (t) => {
  const w = await guarded(t)
  const pi = w.start()
  for (const [name, input] of [['Shot 1\u202fPM.txt', 'Shot 1 PM.txt'], ['e\u0301.txt', '\u00e9.txt'],
    ['d\u2019oc.txt', "d'oc.txt"], ['e\u0301 d\u2019oc.txt', "\u00e9 d'oc.txt"]]) {
    const url = pathToFileURL(file(w, name)).href // the characters of a URL stay as they are
    blocked(await edit(pi, url), unread(url))
    assert.equal((await read(pi, input)).text, 'one\n')
    passed(await edit(pi, url))
    assert.match((await edit(pi, input)).text, /^Blocked: .* was not read in this session/)
  }
})

test('a path that no tool can open is blocked, with the reason', async (t) => {
  const w = await guarded(t)
  const pi = w.start()
  const { isError, text } = await edit(pi, 'file://elsewhere/f')
  assert.equal(isError, true)
  assert.match(text, /^Blocked: file:\/\/elsewhere\/f was not read in this session: .+\.$/)
  assert.equal((await read(pi, 'file://elsewhere/f')).isError, true)
})

// --- Files that cannot be read ---

// Each makes a file of the project that cannot be hashed.
const UNREADABLE = {
  'a FIFO': (path) => execFileSync('mkfifo', [path]),
  'a directory': (path) => mkdirSync(path),
  'a link to itself': (path) => symlinkSync(path, path),
  'a device': (path) => symlinkSync('/dev/zero', path),
  ...process.getuid() === 0 ? {} : { // root reads all
    'a file without permission': (path) => {
      writeFileSync(path, 'one\n')
      chmodSync(path, 0)
    },
  },
}

test('a file that cannot be read is blocked as unread with the text of the system, and nothing hangs', async (t) => {
  const w = await guarded(t)
  const pi = w.start()
  for (const [i, [words, make]] of Object.entries(UNREADABLE).entries()) {
    await t.test(words, async () => {
      make(join(w.sandbox.project, `f${i}`))
      for (const result of await batch(pi, calls.edit(`f${i}`), calls.write(`f${i}`))) {
        assert.equal(result.isError, true)
        assert.match(result.text, /^Blocked: f\d was not read in this session: .+\.$/)
      }
    })
  }
  file(w, 'g')
  passed(await read(pi, 'g'))
  passed(await edit(pi, 'g'))
})

test('a file that became a directory is blocked with the reason', async (t) => {
  const w = await guarded(t)
  file(w, 'f')
  const pi = w.start()
  passed(await read(pi, 'f'))
  rmSync(join(w.sandbox.project, 'f'))
  mkdirSync(join(w.sandbox.project, 'f'))
  assert.match((await edit(pi, 'f')).text, /^Blocked: f was not read in this session: .*directory.*\.$/)
})

// --- Large files ---

// Bytes that a process asked the system for, by /proc.
const readBytes = ({ child: { pid } }) => Number(/^rchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))[1])

test('a file of 200 MB that stays as it is is hashed once', async (t) => {
  const w = await guarded(t)
  const path = file(w, 'big')
  truncateSync(path, 200e6)
  await w.until(() => Date.now() - statSync(path).ctimeMs > 2100, 'a file that is 2 s old')
  const pi = w.start()
  passed(await read(pi, 'big', { limit: 1 }))
  const before = readBytes(pi)
  passed(await write(pi, 'big'))
  assert.ok(readBytes(pi) - before < 10e6, `read ${readBytes(pi) - before} bytes`)
})

// --- Other machines ---

test('on another machine the keys begin with the host, and the fingerprint is computed there', async (t) => {
  const w = await guarded(t, { helpers: ['commands', 'recorder', 'remote'] })
  const path = file(w, 'f')
  const pi = w.start([], { XYLEM_TEST_REMOTE: 'hashes' })
  blocked(await edit(pi, 'f'), unread('f'))
  await read(pi, 'f')
  const [{ files: [{ path: key, hash }] }] = await kept(w, pi)
  assert.equal(key, `ssh:me@there:${path}`)
  assert.match(hash, /^sha256:[0-9a-f]{64}$/)
  passed(await edit(pi, 'f', 'one', 'two'))
  writeFileSync(path, 'other\n')
  blocked(await edit(pi, 'f', 'other', 'x'), changed('f'))
  rmSync(path)
  blocked(await edit(pi, 'f'), deleted('f'))
  assert.equal((await read(pi, 'f')).isError, true)
  passed(await write(pi, 'f'))
  const [first, second] = await batch(pi, calls.write('g', 'one\n'), calls.edit('g'))
  passed(first)
  passed(second)
})

test('a file of another machine is not the file of this machine', async (t) => {
  const w = await guarded(t)
  file(w, 'f')
  const pi = w.start()
  await read(pi, 'f')
  const again = await restart(w, pi, ['-e', helper('remote')])
  assert.match((await edit(again, 'f')).text, /^Blocked: f was not read in this session/)
})

test('where nothing on the other machine hashes, a read is needed, and changes go unseen', async (t) => {
  const w = await guarded(t, { helpers: ['commands', 'recorder', 'remote'] })
  const path = file(w, 'f')
  file(w, 'g')
  const pi = w.start([], { XYLEM_TEST_REMOTE: 'no program there hashes' })
  blocked(await edit(pi, 'f'), 'Blocked: f was not read in this session: no program there hashes.')
  await read(pi, 'f')
  await read(pi, 'g')
  writeFileSync(path, 'one, behind\n')
  passed(await edit(pi, 'f'))
  passed(await edit(pi, 'g'))
  assert.equal(said(pi).match(/changes of files on me@there go unseen: no program there hashes/g).length, 1)
  assert.deepEqual(await kept(w, pi), [])
})

test('of two notes on a file the later look at the file counts, however long the earlier look takes', async (t) => {
  const w = await guarded(t, { helpers: ['commands', 'recorder', 'remote'] })
  file(w, 'f', 'one two\n')
  const pi = w.start([], { XYLEM_TEST_REMOTE: 'late' })
  passed(await read(pi, 'f'))
  const results = await batch(pi, calls.edit('f', 'one', '1'), calls.edit('f', 'two', '2'))
  results.forEach(passed)
  passed(await edit(pi, 'f', '1 2', '3'))
})

test('an abort ends a wait for a machine that never answers, and the next question is asked', async (t) => {
  const w = await guarded(t, { helpers: ['commands', 'recorder', 'remote'] })
  const path = file(w, 'f')
  const pi = w.start([], { XYLEM_TEST_REMOTE: 'hangs' })
  for (let round = 1; round <= 2; round++) {
    const from = pi.lines.length
    await pi.send('prompt', { message: `~tool edit ${JSON.stringify(calls.edit('f')[1])}` })
    await w.until(() => w.records('asked').length === round, 'the question')
    await pi.send('abort')
    await pi.wait(({ type }) => type === 'agent_settled', 'the end of the turn', from)
  }
  assert.equal(readFileSync(path, 'utf8'), 'one\n')
})

test('a tool of an MCP server with a path counts as a read, if its server says that it only reads', async (t) => {
  const w = await mcpWorld(t, ({ local }) => ({ mcp: { files: local() } }),
    { extensions: ['mcp-loader', 'read-guard'] })
  file(w, 'f')
  const pi = w.start()
  for (const name of ['mcp__files__add', 'mcp__files__echo']) {
    passed(await tool(pi, name, { path: 'f' }))
    blocked(await edit(pi, 'f'), unread('f'))
  }
  passed(await tool(pi, 'mcp__files__look', { path: 'f' }))
  passed(await edit(pi, 'f'))
  passed(await write(pi, 'f'))
})
