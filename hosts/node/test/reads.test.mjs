// Paths, fingerprints, and the table of the files that a session has read.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, statSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { header, inWorker, isError, line, newStore, place, scratch, xylem } from './lib.mjs'

const HASH = /^xxh3-128:[0-9a-f]{32}$/
const held = (id, data) => ({ id, kind: 'custom:file-reads', data: JSON.stringify(data) })
const drained = (reads) => JSON.parse(reads.drain())

// A directory with a file, and an empty table.
function setUp(t) {
  const directory = scratch(t)
  const path = join(directory, 'f')
  writeFileSync(path, 'one\n')
  return { directory, path, reads: new xylem.Reads() }
}

const edit = { tool: 'edit', shown: 'f' }
const why = async (reads, path, question = edit) => (await reads.checkAsync(path, question)).why

test('a path of a model becomes an absolute path', () => {
  const key = (path) => xylem.pathKey(path, '/cwd/here', '/home/me')
  assert.deepEqual(['f', '@f', '~/f', '~', 'a\u202fb', '../f', '/x/./y//z/', 'file:///a%20b'].map(key),
    ['/cwd/here/f', '/cwd/here/f', '/home/me/f', '/home/me', '/cwd/here/a b', '/cwd/f', '/x/y/z', '/a b'])
  assert.throws(() => key('file://elsewhere/f'), isError('XYLEM_E_MALFORMED'))
  assert.throws(() => key('a\0b'), isError('XYLEM_E_MALFORMED'))
  assert.throws(() => xylem.pathKey('f', 'cwd', '/home'), isError('XYLEM_E_ARGUMENT'))
})

test('a path without links, also of a new file', async (t) => {
  const { directory, path } = setUp(t)
  symlinkSync('.', join(directory, 'link'))
  assert.equal(await xylem.pathRealAsync(join(directory, 'link/f')), path)
  assert.equal(await xylem.pathRealAsync(join(directory, 'link/new/g')), join(directory, 'new/g'))
  symlinkSync('loop', join(directory, 'loop'))
  await assert.rejects(xylem.pathRealAsync(join(directory, 'loop')), isError('XYLEM_E_IO'))
})

test('a fingerprint names its algorithm', async (t) => {
  const { directory, path } = setUp(t)
  const { hash, bytes } = await xylem.fingerprintAsync(path)
  assert.match(hash, HASH)
  assert.equal(bytes, 4)
  await assert.rejects(xylem.fingerprintAsync(join(directory, 'none')), isError('XYLEM_E_NOT_FOUND'))
  await assert.rejects(xylem.fingerprintAsync(directory), isError('XYLEM_E_IO'))
})

test('a noted file passes until it changes or goes', async (t) => {
  const { path, reads } = setUp(t)
  assert.deepEqual(await reads.checkAsync(path, edit), { why: 'unread', notedMs: 0, key: path,
    message: 'Blocked: f was not read in this session. Read it, then try again.' })
  await reads.noteAsync(path, 'read')
  const { notedMs, ...rest } = await reads.checkAsync(path, edit)
  assert.deepEqual(rest, { why: 'pass', message: '', key: path })
  assert.ok(Math.abs(notedMs - Date.now()) < 3600e3)
  writeFileSync(path, 'other\n')
  assert.equal(await why(reads, path), 'changed')
  await reads.noteAsync(path, 'write')
  assert.equal(await why(reads, path), 'pass')
  rmSync(path)
  assert.equal(await why(reads, path), 'deleted')
  assert.equal(await why(reads, path, { tool: 'write' }), 'deleted')
  assert.equal(await reads.forgetGoneAsync(path), true)
  assert.equal(await why(reads, path, { tool: 'write' }), 'pass')
})

test('a file that is there is not forgotten', async (t) => {
  const { path, reads } = setUp(t)
  await reads.noteAsync(path, 'read')
  assert.equal(await reads.forgetGoneAsync(path), false)
  assert.equal(await why(reads, path), 'pass')
})

test('a file that cannot be read is unread, with the reason, and a note of it is an error', async (t) => {
  const { directory, reads } = setUp(t)
  const { why, message } = await reads.checkAsync(directory, edit)
  assert.equal(why, 'unread')
  assert.match(message, /^Blocked: f was not read in this session: .+\.$/)
  await assert.rejects(reads.noteAsync(directory, 'read'), isError('XYLEM_E_IO'))
  await assert.rejects(reads.noteAsync(join(directory, 'none'), 'read'), isError('XYLEM_E_NOT_FOUND'))
  assert.equal(reads.drain(), null)
})

test('the table goes through an entry: the same verdicts', async (t) => {
  const { directory, path, reads } = setUp(t)
  const gone = join(directory, 'gone')
  writeFileSync(gone, '')
  await reads.noteAsync(path, 'read')
  await reads.noteAsync(gone, 'edit')
  const data = drained(reads)
  assert.equal(reads.drain(), null)
  assert.deepEqual(data.files.map(({ path, bytes, by }) => [path, bytes, by]).sort(),
    [[path, 4, 'read'], [gone, 0, 'edit']].sort())
  rmSync(gone)
  const next = new xylem.Reads()
  next.load([held('a', data)])
  assert.equal(await why(next, path), 'pass')
  assert.equal(await why(next, gone), 'deleted')
  next.load([])
  assert.equal(await why(next, path), 'unread')
})

test('a file of another machine has a key and a fingerprint of the host', () => {
  const reads = new xylem.Reads()
  const key = 'ssh:me@there:/f'
  const there = { hash: `sha256:${'0'.repeat(64)}`, bytes: 7 }
  const ask = (more) => reads.checkKey(key, { ...edit, ...more })
  assert.equal(ask({ there }).why, 'unread')
  reads.noteKey(key, 'read', there)
  assert.equal(ask({ there }).why, 'pass')
  assert.equal(ask({ there: { ...there, hash: `sha256:${'1'.repeat(64)}` } }).why, 'changed')
  assert.equal(ask({}).why, 'deleted')
  assert.match(ask({ problem: 'no route' }).message, /^Blocked: f was not read in this session: no route\.$/)
  assert.equal(reads.checkKey(key, { tool: 'edit', there: { ...there, bytes: 8 } }).key, key)
  assert.deepEqual(drained(reads).files.map(({ path, hash }) => [path, hash]), [[key, there.hash]])
  reads.forgetKey(key)
  assert.equal(ask({ there }).why, 'unread')
  for (const hash of ['', 'sha256', 'sha256:', 'sha256:xyz', ':00', 'a:0\0', `sha256:${'0'.repeat(5000)}`]) {
    assert.throws(() => reads.noteKey(key, 'read', { hash, bytes: 7 }), isError('XYLEM_E_MALFORMED'), hash)
  }
  assert.throws(() => reads.noteKey('', 'read', there), isError('XYLEM_E_MALFORMED'))
  assert.throws(() => reads.noteKey('k'.repeat(20000), 'read', there), isError('XYLEM_E_LIMIT'))
})

// Bytes that this process asked the system for.
const readBytes = () => Number(/^rchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))[1])

async function bytesOf(work) {
  const before = readBytes()
  await work()
  return readBytes() - before
}

const big = 200e6

// A younger file may change without another time.
async function settled(path) {
  while (Date.now() - statSync(path).ctimeMs < 2100) {
    await new Promise((later) => setTimeout(later, 50))
  }
}

test('a file of 200 MB that stays as it is is hashed once, for notes and checks', async (t) => {
  const { path, reads } = setUp(t)
  truncateSync(path, big)
  await settled(path)
  assert.ok(await bytesOf(() => reads.noteAsync(path, 'read')) >= big)
  assert.ok(await bytesOf(() => reads.checkAsync(path, edit)) < big / 100)
  assert.ok(await bytesOf(() => reads.noteAsync(path, 'read')) < big / 100)
  assert.equal(await why(reads, path), 'pass')
  utimesSync(path, 1e9, 1e9)
  assert.ok(await bytesOf(() => reads.checkAsync(path, edit)) >= big)
  assert.equal(await why(reads, path), 'pass')
})

test('a file is hashed beside the event loop', async (t) => {
  const { path, reads } = setUp(t)
  truncateSync(path, big)
  let turns = 0
  let done = false
  const count = () => {
    turns++
    return done || setImmediate(count)
  }
  setImmediate(count)
  await reads.noteAsync(path, 'read')
  done = true
  assert.ok(turns > 1)
})

test('calls with one table at the same time lose no note', async (t) => {
  const { directory, reads } = setUp(t)
  const paths = Array.from({ length: 60 }, (_, i) => join(directory, `f${i}`))
  paths.forEach((path) => writeFileSync(path, path))
  await Promise.all(paths.map((path) => reads.noteAsync(path, 'read')))
  assert.deepEqual((await Promise.all(paths.map((path) => why(reads, path)))).filter((one) => one !== 'pass'), [])
  assert.equal(drained(reads).files.length, 60)
})

test('a table may be collected while a call runs', async (t) => {
  const { path } = setUp(t)
  truncateSync(path, 20e6)
  await Promise.all(Array.from({ length: 4 }, () => new xylem.Reads().noteAsync(path, 'read')))
})

test('a worker has tables too, and may end while one is in use', async (t) => {
  const { path } = setUp(t)
  const work = async (place, path) => {
    const { Reads } = require(place)
    const reads = new Reads()
    await reads.noteAsync(path, 'read')
    void reads.checkAsync(path, { tool: 'edit' })
    return reads.drain()
  }
  assert.match(await inWorker(work, place, path), /"by":"read"/)
})

test('the store knows who wrote last', async (t) => {
  const { path } = setUp(t)
  const store = newStore(t)
  const write = (id, by, at) => store.mirror({ header: header(id), lines: [line('a', null, { type: 'custom',
    customType: 'file-reads', data: { version: 1, whole: false, gone: [],
      files: [{ path, hash: `xxh3-128:${'0'.repeat(32)}`, bytes: 1, at, by }] } })] })
  write('mine', 'read', 1000)
  write('reader', 'read', 5000)
  assert.equal(await store.lastWriterAsync('mine', path, 1000), null)
  write('writer', 'edit', 3000)
  assert.match(await store.lastWriterAsync('mine', path, 1000),
    /^ It was last written by session writer, \d+ days ago\.$/)
  assert.equal(await store.lastWriterAsync('mine', path, 3001), null)
  assert.equal(await store.lastWriterAsync('mine', `${path}x`, 0), null)
  await assert.rejects(store.lastWriterAsync('none', path, 0), isError('XYLEM_E_NOT_FOUND'))
})
