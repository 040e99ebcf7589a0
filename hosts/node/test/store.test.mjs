// Stores: handles, sessions, leases, lines.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { damage, dyingWriter, fill, header, isError, line, newStore, other, scratch, stoppedWriter, toggle, xylem } from './lib.mjs'

test('a store that cannot be opened is an error with code and name', async (t) => {
  const directory = scratch(t)
  const failing = [
    [() => xylem.open(join(directory, 'none')), 'XYLEM_E_NOT_FOUND', -5],
    [() => xylem.open(join(directory, 'a', 'b'), { create: true }), 'XYLEM_E_IO', -10],
    [() => { writeFileSync(join(directory, 'file'), 'x'); xylem.open(join(directory, 'file')) }, 'XYLEM_E_NOT_A_STORE', -13],
    [() => { mkdirSync(join(directory, 'foreign')); writeFileSync(join(directory, 'foreign', 'data.mdb'), 'x'.repeat(8192)); xylem.open(join(directory, 'foreign')) }, 'XYLEM_E_NOT_A_STORE', -13],
  ]
  for (const [call, name, code] of failing) {
    assert.throws(call, (error) => isError(name)(error) && error.code === code)
  }
  await assert.rejects(xylem.openAsync(join(directory, 'none')), isError('XYLEM_E_NOT_FOUND'))
  const store = await xylem.openAsync(join(directory, 'new'), { create: true })
  assert.equal(store.warning, null)
  assert.equal(store.wanted, false)
  store.close()
})

// As `xylem compact` holds the lock file while it replaces data.mdb.
test('a promise waits for a process that replaces the file of the store, and a call does not', async (t) => {
  const made = newStore(t)
  const { path } = made
  made.close()
  const holder = spawn('flock', ['-x', join(path, 'xylem.lock'), '-c', 'echo held; read over'])
  t.after(() => holder.kill())
  const dir = join(scratch(t), 'copy')
  await once(holder.stdout, 'data')
  assert.throws(() => xylem.open(path, { readOnly: true, waitMs: 60000 }), isError('XYLEM_E_BUSY'))
  await assert.rejects(xylem.openAsync(path, { readOnly: true, waitMs: 40 }), (error) =>
    isError('XYLEM_E_BUSY')(error) && /\(flock\) replaces the file of the store in .*: waited 40 ms/.test(error.message))
  let opened = false
  const opening = xylem.openAsync(path, { readOnly: true, waitMs: 60000 }).then((store) => { opened = true; return store })
  xylem.open(dir, { create: true }).close() // other stores go on meanwhile
  assert.equal(opened, false)
  holder.stdin.end('\n')
  const store = await opening
  store.close()
})

// Whatever the size of a mutex on the processor: a full disk under the map of the file ends the process.
test('all blocks of the lock file are reserved', (t) => {
  const { path } = newStore(t)
  const { size, blocks } = statSync(join(path, 'lock.mdb'))
  assert.ok(blocks * 512 >= size, `${blocks} blocks for ${size} bytes`)
})

test('a reader does not write', (t) => {
  const { path } = newStore(t)
  const reader = xylem.open(path, { readOnly: true })
  assert.throws(() => fill(reader, 's'), isError('XYLEM_E_READ_ONLY'))
  assert.equal(reader.session('s'), null)
  reader.close()
})

test('calls after close are errors, and close again does nothing', async (t) => {
  const store = newStore(t)
  fill(store, 's')
  store.close()
  store.close()
  const calls = [() => store.warning, () => store.wanted, () => store.session('s'), () => store.hasEntry('s', 'e1'),
    () => store.entries('s'), () => store.orphanedSessions(), () => store.rehydrate('s'), () => store.deleteSession('s'),
    () => store.undeleteSession('s'), () => store.leaseTake('s'), () => store.leaseRelease('s'), () => fill(store, 's'),
    () => store.noteFile('s', '/f'), () => store.fork('s')]
  for (const call of calls) {
    assert.throws(call, isError('XYLEM_E_ARGUMENT'))
  }
  for (const name of ['deleteSession', 'undeleteSession', 'leaseTake', 'leaseRelease', 'import', 'noteFile', 'fork', 'lines', 'preview']) {
    await assert.rejects(store[`${name}Async`]('s'), isError('XYLEM_E_ARGUMENT'))
  }
  await assert.rejects(store.mirrorAsync({ header: header('s'), lines: [] }), isError('XYLEM_E_ARGUMENT'))
})

test('handles of a process share a store and its leases', (t) => {
  const store = newStore(t)
  const again = xylem.open(join(store.path, '..', 'store'))
  fill(store, 's')
  store.leaseTake('s')
  again.leaseTake('s')
  fill(again, 's', 3)
  store.close()
  assert.equal(again.session('s').entryCount, 3)
  again.close()
})

test('stores that are open at once are apart', (t) => {
  const [a, b] = [newStore(t), newStore(t)]
  fill(b, 's')
  for (const store of [a, xylem.open(a.path)]) {
    assert.equal(store.session('s'), null)
    store.close()
  }
})

test('a store in the place of another is another store', (t) => {
  const store = newStore(t)
  fill(store, 's')
  rmSync(store.path, { recursive: true })
  const fresh = xylem.open(store.path, { create: true })
  assert.equal(fresh.session('s'), null)
  assert.throws(() => { // a reader looks at the lock files at most every 100 ms
    assert.equal(store.session('s').entryCount, 2)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150)
    store.session('s')
  }, isError('XYLEM_E_BUSY'))
  const again = xylem.open(store.path)
  assert.equal(again.session('s'), null)
  again.close()
  fresh.close()
})

test('a promise that still runs at close ends well', async (t) => {
  const store = newStore(t)
  const lines = Array.from({ length: 2000 }, (_, i) => line(`e${i}`, i ? `e${i - 1}` : null))
  const running = [store.mirrorAsync({ header: header('s'), lines }), store.mirrorAsync({ header: header('other'), lines })]
  store.close()
  for (const report of await Promise.all(running)) {
    assert.deepEqual(report.problems, [])
  }
  const again = xylem.open(store.path)
  assert.equal(again.session('s').entryCount, 2000)
  again.close()
})

test('a session is described', (t) => {
  const store = newStore(t)
  assert.equal(store.session('s'), null)
  fill(store, 's')
  const { number, ...rest } = store.session('s')
  assert.ok(Number.isInteger(number))
  assert.deepEqual(rest, { deleted: false, entryCount: 2, leafId: 'e2' })
  assert.deepEqual([store.hasEntry('s', 'e1'), store.hasEntry('s', 'e9'), store.hasEntry('none', 'e1')], [true, false, false])
})

test('a deleted session comes back', async (t) => {
  const store = newStore(t)
  assert.throws(() => store.deleteSession('s'), isError('XYLEM_E_NOT_FOUND'))
  assert.throws(() => store.undeleteSession('s'), isError('XYLEM_E_NOT_FOUND'))
  fill(store, 's')
  assert.throws(() => store.undeleteSession('s'), isError('XYLEM_E_EXISTS'))
  await store.deleteSessionAsync('s')
  assert.equal(store.session('s').deleted, true)
  assert.equal(store.session('s').entryCount, 2)
  assert.equal(store.hasEntry('s', 'e1'), true)
  for (const call of [() => store.rehydrate('s'), () => store.deleteSession('s'), () => store.leaseTake('s')]) {
    assert.throws(call, isError('XYLEM_E_DELETED'))
  }
  await assert.rejects(store.mirrorAsync({ header: header('s'), lines: [] }), isError('XYLEM_E_DELETED'))
  await store.undeleteSessionAsync('s')
  assert.equal(store.session('s').deleted, false)
  store.deleteSession('s')
  store.undeleteSession('s')
})

test('a lease keeps another process out, and ends with its process', async (t) => {
  const store = newStore(t)
  fill(store, 's')
  fill(store, 'free')
  const owner = await other(t, store.path, `store.leaseTake('s')`)
  assert.throws(() => store.leaseTake('s'), (error) => isError('XYLEM_E_CONFLICT')(error) && error.message.includes(`${owner.pid}`))
  await assert.rejects(store.leaseTakeAsync('s'), isError('XYLEM_E_CONFLICT'))
  assert.throws(() => fill(store, 's', 3), isError('XYLEM_E_CONFLICT'))
  assert.throws(() => store.deleteSession('s'), isError('XYLEM_E_CONFLICT'))
  assert.equal(store.rehydrate('s').readonly, false)
  assert.deepEqual(store.orphanedSessions(), [])
  await owner.end('SIGKILL')
  assert.deepEqual(store.orphanedSessions(), [{ id: 's', cwd: '/tmp' }])
  await store.leaseTakeAsync('s')
  assert.deepEqual(store.orphanedSessions(), [])
  await store.leaseReleaseAsync('s')
  store.leaseRelease('s')
  store.leaseRelease('none')
})

test('a close while another process writes does not keep the lease for ever', dyingWriter, async (t) => {
  const store = newStore(t, { waitMs: 50 })
  fill(store, 's')
  fill(store, 'next')
  store.leaseTake('s')
  const writer = await stoppedWriter(t, store)
  store.close()
  await writer.end('SIGKILL')
  const again = xylem.open(store.path)
  await again.leaseTakeAsync('next') // as the next session of a host does
  const owner = await other(t, store.path, `store.leaseTake('s')`)
  await owner.end('SIGKILL')
  again.close()
})

test('a close, or the end of a process, releases its leases', async (t) => {
  const store = newStore(t)
  fill(store, 's')
  const owner = await other(t, store.path, `store.leaseTake('s'); store.close()`)
  store.leaseTake('s')
  store.deleteSession('s')
  store.leaseRelease('s') // also of a deleted session
  store.undeleteSession('s')
  await owner.end('SIGTERM')
  assert.deepEqual(store.orphanedSessions(), [])
})

test('sessions are listed by activity, with what a list shows', async (t) => {
  const store = newStore(t)
  const message = (id, parentId, time, role, text) => JSON.stringify({ type: 'message', id, parentId,
    timestamp: `2026-01-01T00:00:0${time}.000Z`, message: { role, content: [{ type: 'text', text }] } })
  const add = (id, cwd, lines) => store.mirror({ lines,
    header: JSON.stringify({ type: 'session', version: 3, id, timestamp: '2026-01-01T00:00:00.000Z', cwd }) })
  add('a', '/p', [message('1', null, 1, 'user', 'hello'), message('2', '1', 2, 'assistant', 'there'),
    JSON.stringify({ type: 'session_info', id: '3', parentId: '2', timestamp: '2026-01-01T00:00:03.000Z', name: 'greeting' })])
  add('b', '/p/below', [message('1', null, 5, 'user', 'later')])
  add('c', '/pq', [message('1', null, 4, 'toolResult', 'x'.repeat(200))])
  add('gone', '/p', [message('1', null, 6, 'user', 'deleted')])
  store.deleteSession('gone')
  const ids = (options) => store.sessions(options).map(({ id }) => id)
  for (const kept of [false, true]) {
    if (kept) {
      await store.refreshOutlinesAsync()
      store.refreshOutlines()
    }
    assert.deepEqual(ids(), ['b', 'c', 'a'])
    assert.deepEqual(ids({ max: 2 }), ['b', 'c'])
    assert.deepEqual(ids({ after: 'c' }), ['a'])
    assert.deepEqual(ids({ directory: '/p' }), ['a'])
    assert.deepEqual(ids({ directory: '/p/', below: true }), ['b', 'a'])
    assert.deepEqual(ids({ directory: '/none' }), [])
    assert.deepEqual(store.sessions({ directory: '/p' }), [{ id: 'a', cwd: '/p', name: 'greeting', first: 'hello',
      last: 'there', activeMs: Date.parse('2026-01-01T00:00:03Z'), entryCount: 3, tipCount: 1, problem: null, parent: null,
      createdMs: Date.parse('2026-01-01T00:00:00Z'), deleted: false, owner: null, files: [] }])
    assert.deepEqual(ids({ deleted: true }), ['gone', 'b', 'c', 'a'])
    assert.deepEqual(store.sessions({ deleted: true }).map(({ deleted }) => deleted), [true, false, false, false])
    assert.deepEqual(await store.sessionsAsync(), store.sessions())
    assert.equal(store.sessions()[1].last, 'x'.repeat(117) + '\u2026')
  }
  assert.throws(() => store.sessions({ after: 'none' }), isError('XYLEM_E_NOT_FOUND'))
  assert.throws(() => store.sessions({ below: 'yes' }), /below/)
})

test('a list tells the parent, the owner and the files of a session', async (t) => {
  const store = newStore(t)
  fill(store, 's')
  const only = (id) => store.sessions().find((session) => session.id === id)
  store.fork('s', 'e1', 'fork')
  assert.equal(only('fork').parent, 's')
  const begin = Date.now()
  store.leaseTake('fork')
  const { sinceMs, ...owner } = only('fork').owner
  assert.deepEqual(owner, { pid: process.pid, host: hostname(), alive: true })
  assert.ok(sinceMs >= begin && sinceMs <= Date.now())
  const dying = await other(t, store.path, `store.leaseTake('s')`)
  assert.deepEqual([only('s').owner.pid, only('s').owner.alive], [dying.pid, true])
  await dying.end('SIGKILL')
  assert.deepEqual([only('s').owner.pid, only('s').owner.alive], [dying.pid, false])
  store.leaseTake('s')
  const directory = scratch(t)
  const paths = Array.from({ length: 9 }, (_, i) => join(directory, `${i}.jsonl`))
  for (const [i, path] of paths.entries()) {
    writeFileSync(path, '')
    store.noteFile('s', path)
    assert.deepEqual(only('s').files.toSorted(), i < 8 ? paths.slice(0, i + 1) : only('s').files)
  }
  assert.equal(only('s').files.length, 8)
  assert.deepEqual(only('fork').files, [])
})

test('a damaged session is listed with its problem, and its preview is an error', async (t) => {
  const made = newStore(t)
  for (const id of ['whole', 'broken']) {
    made.mirror({ header: header(id), lines: [line(`${id}1`, null, { message: { role: 'user', content: `${id} words` } })] })
  }
  const store = damage(made, 'broken words')
  t.after(() => store.close())
  const [broken, whole] = store.sessions()
  assert.deepEqual([whole.id, whole.first, whole.problem], ['whole', 'whole words', null])
  assert.deepEqual([broken.id, broken.first, broken.deleted], ['broken', null, false])
  assert.match(broken.problem, /./)
  await assert.rejects(store.previewAsync('broken'), isError('XYLEM_E_CORRUPT'))
  assert.equal((await store.previewAsync('whole')).entries.length, 1)
  assert.equal((await store.previewAsync('broken', { maxBytes: 9 })).entries[0].line, null) // what is too long is not read
})

test('a preview is the end of a path, the newest entry first', async (t) => {
  const store = newStore(t)
  const lines = [line('a', null), line('b', 'a', { type: 'custom', customType: 'todo' }), line('c', 'b'), line('d', 'a')]
  store.mirror({ header: header('s'), lines, leafId: 'c' })
  const ids = async (options) => (await store.previewAsync('s', options)).entries.map(({ id }) => id)
  const timeMs = Date.parse('2026-11-22T10:00:01Z')
  assert.deepEqual(await store.previewAsync('s', { max: 2 }), { more: true, entries: [
    { id: 'c', kind: 'message', timeMs, line: lines[2] }, { id: 'b', kind: 'custom:todo', timeMs, line: lines[1] }] })
  assert.deepEqual([await ids(), await ids({ entry: 'd' }), await ids({ entry: 'a' })], [['c', 'b', 'a'], ['d', 'a'], ['a']])
  assert.equal((await store.previewAsync('s', { max: 3 })).more, false)
  store.deleteSession('s')
  assert.deepEqual(await ids(), ['c', 'b', 'a'])
  store.mirror({ header: header('empty'), lines: [] })
  assert.deepEqual(await store.previewAsync('empty'), { entries: [], more: false })
})

test('a preview has no more entries and bytes than it may', async (t) => {
  const store = newStore(t)
  const lines = [line('a', null), line('large', 'a', { text: 'x'.repeat(5000) }), line('quoted', 'large', { text: '\0'.repeat(900) }), line('d', 'quoted')]
  store.mirror({ header: header('s'), lines })
  const whole = async (options) => (await store.previewAsync('s', options)).entries.map(({ line }) => line !== null)
  assert.deepEqual(await whole(), [true, true, true, true])
  assert.deepEqual(await whole({ maxBytes: 1500 }), [true, false, false, true]) // escapes make a line longer than it is stored
  assert.deepEqual(await whole({ maxBytes: lines[3].length + lines[0].length }), [true, false, false, true])
  assert.deepEqual(await whole({ maxBytes: lines[3].length + lines[0].length - 1 }), [true, false, false, false])
  fill(store, 'long', 600)
  const count = async (max) => (await store.previewAsync('long', { max })).entries.length
  assert.deepEqual([await count(undefined), await count(0), await count(500)], [20, 20, 500])
  for (const options of [{ max: 501 }, { maxBytes: (2 << 20) + 1 }]) {
    await assert.rejects(store.previewAsync('s', options), isError('XYLEM_E_LIMIT'))
  }
  await assert.rejects(store.previewAsync('none'), isError('XYLEM_E_NOT_FOUND'))
  await assert.rejects(store.previewAsync('s', { entry: 'none' }), isError('XYLEM_E_NOT_FOUND'))
})

test('a noted file is known to the store, and a second note writes nothing', async (t) => {
  const store = newStore(t)
  const directory = scratch(t)
  const path = join(directory, 'pi.jsonl')
  const lines = [line('a', null), line('b', 'a')]
  store.mirror({ header: header('s'), lines })
  assert.throws(() => store.noteFile('s', path), isError('XYLEM_E_IO'))
  await assert.rejects(store.noteFileAsync('s', path), isError('XYLEM_E_IO'))
  writeFileSync(path, [header('s'), ...lines].join('\n') + '\n')
  assert.equal(store.noteFile('s', path), true)
  const before = readFileSync(join(store.path, 'data.mdb'))
  assert.equal(store.noteFile('s', path), false)
  assert.equal(await store.noteFileAsync('s', join(directory, '.', 'pi.jsonl')), false)
  assert.ok(readFileSync(join(store.path, 'data.mdb')).equals(before))
  const report = await store.importAsync(path)
  assert.deepEqual([report.added, report.problems], [0, []])
  assert.equal(store.noteFile('s', path), false)
  writeFileSync(join(directory, 'copy.jsonl'), '')
  assert.equal(await store.noteFileAsync('s', join(directory, 'copy.jsonl')), true)
})

test('a file is noted for a live session alone, by the owner', async (t) => {
  const store = newStore(t)
  const path = join(scratch(t), 'pi.jsonl')
  writeFileSync(path, '')
  assert.throws(() => store.noteFile('s', path), isError('XYLEM_E_NOT_FOUND'))
  fill(store, 's')
  for (const bad of [undefined, 7, 'a\0b']) {
    assert.throws(() => store.noteFile('s', bad), isError('XYLEM_E_ARGUMENT'))
  }
  const owner = await other(t, store.path, 'store.leaseTake("s")')
  assert.throws(() => store.noteFile('s', path), isError('XYLEM_E_CONFLICT'))
  await owner.end('SIGKILL')
  assert.equal(store.noteFile('s', path), true)
  store.deleteSession('s')
  assert.throws(() => store.noteFile('s', path), isError('XYLEM_E_DELETED'))
})

test('a mirror is idempotent', async (t) => {
  const store = newStore(t)
  const held = { header: header('s'), lines: [line('a', null), toggle('b', 'a', true)], sourceName: 'memory' }
  assert.equal(store.mirror(held).added, 2)
  const again = await store.mirrorAsync(held)
  assert.deepEqual([again.added, again.problems], [0, []])
  const more = store.mirror({ ...held, lines: [...held.lines, line('c', 'b')] })
  assert.equal(more.added, 1)
  const tail = store.mirror({ ...held, lines: [line('d', 'c')], firstLine: 5 })
  assert.deepEqual([tail.added, tail.problems], [1, []])
  assert.deepEqual(store.entries('s').map((text) => JSON.parse(text).id), ['a', 'b', 'c', 'd'])
  assert.equal(store.mirror({ ...held, lines: [] }).added, 0)
})

test('entries come back as the lines that went in', (t) => {
  const store = newStore(t)
  const lines = [line('a', null, { text: '\ud800 \0 é 😀' }), line('b', 'a', { text: '\\ud800' })]
  store.mirror({ header: header('s'), lines })
  assert.deepEqual(store.entries('s'), lines)
  assert.deepEqual(store.entries('s', 1), lines.slice(0, 1))
  assert.throws(() => store.entries('none'), isError('XYLEM_E_NOT_FOUND'))
})

test('a session file comes back as the lines that went in, with the header', async (t) => {
  const store = newStore(t)
  const first = header('s', { more: '\ud800', parentSession: '/a/b_c.jsonl' })
  const lines = [line('a', null, { text: '\ud800 é 😀' }), line('b', 'a')]
  store.mirror({ header: first, lines })
  assert.deepEqual(await store.linesAsync('s'), [first, ...lines])
  store.mirror({ header: header('none'), lines: [] })
  assert.deepEqual(await store.linesAsync('none'), [header('none')])
  await assert.rejects(store.linesAsync('other'), isError('XYLEM_E_NOT_FOUND'))
  store.deleteSession('s')
  await assert.rejects(store.linesAsync('s'), isError('XYLEM_E_DELETED'))
})

test('a fork shares its history, up to an entry or up to the leaf', async (t) => {
  const store = newStore(t)
  const lines = [line('a', null), line('b', 'a'), line('c', 'a')]
  store.mirror({ header: header('s'), lines, leafId: 'b' })
  assert.equal(store.fork('s', 'c', 'at'), 'at')
  assert.equal(await store.forkAsync('s', undefined, 'leaf'), 'leaf')
  const minted = await store.forkAsync('s')
  assert.match(minted, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  assert.deepEqual([store.session('at').leafId, store.session('leaf').leafId, store.session(minted).leafId], ['c', 'b', 'b'])
  const [first, ...rest] = await store.linesAsync('at')
  const { timestamp, ...members } = JSON.parse(first)
  assert.deepEqual(members, { type: 'session', version: 3, id: 'at', cwd: '/tmp', parentSession: 's' })
  assert.deepEqual(rest, [lines[0], lines[2]])
  store.mirror({ header: header('s'), lines, leafId: null })
  assert.deepEqual([store.session(store.fork('s')).leafId, store.session(store.fork('s')).entryCount], [null, 0])
})

test('a fork that cannot be is an error, and leaves no session', async (t) => {
  const store = newStore(t)
  fill(store, 's')
  const refused = [['none', undefined, 'x', 'XYLEM_E_NOT_FOUND'], ['s', 'e9', 'x', 'XYLEM_E_NOT_FOUND'],
    ['s', 'e1', 's', 'XYLEM_E_EXISTS'], ['s', 'e1', 'x'.repeat(201), 'XYLEM_E_LIMIT'], ['s', 'e1', 'a\0b', 'XYLEM_E_MALFORMED'],
    ['s', 7, 'x', 'XYLEM_E_ARGUMENT'], ['s', null, 'x', 'XYLEM_E_ARGUMENT']]
  for (const [id, entryId, forkId, name] of refused) {
    assert.throws(() => store.fork(id, entryId, forkId), isError(name))
    await assert.rejects(store.forkAsync(id, entryId, forkId), isError(name))
  }
  assert.equal(store.session('x'), null)
  store.deleteSession('s')
  assert.throws(() => store.fork('s', 'e1', 'x'), isError('XYLEM_E_DELETED'))
})

test('the leaf goes where the host says', (t) => {
  const store = newStore(t)
  const held = { header: header('s'), lines: [line('a', null), line('b', 'a'), line('c', 'a')] }
  const leaf = (leafId) => { store.mirror({ ...held, leafId, leafReason: 'pi' }); return store.session('s').leafId }
  assert.equal(leaf(undefined), 'c')
  assert.equal(leaf('b'), 'b')
  assert.equal(leaf(null), null)
  assert.equal(leaf('a'), 'a')
  assert.throws(() => leaf('none'), isError('XYLEM_E_NOT_FOUND'))
  assert.equal(store.session('s').leafId, 'a')
})

test('hostile lines are problems, not crashes', (t) => {
  const store = newStore(t)
  const deep = '['.repeat(5000) + ']'.repeat(5000)
  const hostile = ['', ' ', '\0\0', '{', 'null', '[]', '{"type":1}', '{"type":"message"}', '{"type":"message","id":7}',
    line('', null), line('x'.repeat(65), null), line('a', 'missing'), line('a', null), line('loop', 'loop'),
    `{"type":"message","id":"deep","parentId":null,"timestamp":"","x":${deep}}`, '\ud800', '{"id":"\\ud800"}']
  const report = store.mirror({ header: header('s'), lines: hostile, firstLine: 7 })
  assert.ok(report.problems.length >= hostile.length - 3)
  for (const problem of report.problems) {
    assert.ok(problem.line >= 7 && problem.line < 7 + hostile.length && typeof problem.type === 'string')
  }
  assert.equal(store.mirror({ header: header('s'), lines: hostile, firstLine: 7 }).added, 0)
  const changed = store.mirror({ header: header('s'), lines: [line('a', 'missing', { other: 1 })] })
  assert.equal(changed.problems[0].type, 'conflict')
  for (const held of [{ firstLine: 1, lines: [] }, { sourceName: 'a\0b', lines: [] }]) {
    assert.throws(() => store.mirror({ header: header('s'), ...held }), isError('XYLEM_E_ARGUMENT'))
  }
  assert.throws(() => store.mirror({ header: header('s'), lines: ['{}\n{}'] }), isError('XYLEM_E_MALFORMED'))
  for (const bad of ['', '{', '[]', '{"type":"message"}', '{"type":"session"}', '\ud800', header('')]) {
    assert.throws(() => store.mirror({ header: bad, lines: [] }), isError('XYLEM_E_MALFORMED'))
  }
})

test('a session file is imported', async (t) => {
  const store = newStore(t)
  const file = join(scratch(t), 'a_s.jsonl')
  const lines = [line('a', null), toggle('b', 'a', true)]
  writeFileSync(file, [header('s'), ...lines, ''].join('\n'))
  assert.equal((await store.importAsync(file)).added, 2)
  assert.equal((await store.importAsync(file)).added, 0)
  assert.equal(store.mirror({ header: header('s'), lines }).added, 0)
  assert.equal(store.rehydrate('s', { type: 'session_start' }).readonly, true)
  await assert.rejects(store.importAsync(join(file, 'none')), isError('XYLEM_E_IO'))
  writeFileSync(file, 'no header\n')
  await assert.rejects(store.importAsync(file), isError('XYLEM_E_MALFORMED'))
})

test('bytes of a file that are no text become U+FFFD', async (t) => {
  const store = newStore(t)
  const file = join(scratch(t), 'a_s.jsonl')
  const bytes = [[0xc0, 0x80], [0xe0, 0x80, 0x80], [0xf0, 0x80, 0x80, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xff], [0x80], [0xe2, 0x41], [0xed, 0xa0, 0x80]]
  const lines = bytes.map((some, i) => Buffer.concat([Buffer.from(line(`b${i}`, null).slice(0, -1) + ',"x":"'), Buffer.from(some), Buffer.from('"}\n')]))
  writeFileSync(file, Buffer.concat([Buffer.from(header('s') + '\n'), ...lines]))
  await store.importAsync(file)
  const texts = store.entries('s').map((text) => text.slice(text.indexOf('"x":"') + 5, -2))
  assert.deepEqual(texts, ['\ufffd'.repeat(2), '\ufffd'.repeat(3), '\ufffd'.repeat(4), '\ufffd'.repeat(4), '\ufffd', '\ufffd', '\ufffdA', '\ud800'])
})

test('a writer waits no longer than it may', dyingWriter, async (t) => {
  const store = newStore(t, { waitMs: 50 })
  fill(store, 's')
  const busy = await other(t, store.path, `
    const lines = Array.from({ length: 60000 }, (_, i) => \`${line('w@', null)}\`.replace('@', i))
    setTimeout(() => { for (let i = 0; i < 50; i++) store.mirror({ header: \`${header('big@')}\`.replace('@', i), lines }) }, 1)`)
  let refused
  for (let i = 0; i < 2000 && !refused; i++) {
    try {
      store.mirror({ header: header('s'), lines: [line(`n${i}`, null)] })
      await new Promise((resolve) => setTimeout(resolve, 1))
    } catch (error) {
      refused = error
    }
  }
  await busy.end('SIGKILL')
  isError('XYLEM_E_BUSY')(refused)
  fill(store, 'after')
})
