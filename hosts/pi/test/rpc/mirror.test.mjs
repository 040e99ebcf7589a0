// The mirror: the store has pi's session, line by line, and pi's leaf.
import assert from 'node:assert/strict'
import { closeSync, existsSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { piVersion, world } from '../lib/pi.mjs'
import { COMPACTION, bytesOf, exported, idOf, readonlyPi, record, runPi, said, settle, toggle } from './moves.mjs'

const leaf = async (w, id) => (await w.state(id)).at.entry

const leafIs = (w, id, wanted) => w.until(async () => (await leaf(w, id)) === wanted, `the leaf ${wanted} in the store`)

test('the store equals the file, line by line, and verifies', async (t) => {
  const w = await world(t, { helpers: ['commands'], settings: COMPACTION })
  const pi = w.start(['--name', 'scenario'])
  await toggle(pi, 'on')
  await pi.prompt('hello \u{1f512} \u2028 "quoted" \\ \u0001')
  await pi.prompt('~tool bash {"command":"echo one; false"}')
  await pi.prompt('~tools [["read",{"path":"none"}],["bash",{"command":"echo two"}]]')
  await pi.prompt('~big 200000')
  await pi.command('/entry other {"deep":[1,{"a":null}],"text":"\\ud800"}')
  await pi.prompt('~err')
  await pi.send('set_session_name', { name: 'renamed' })
  await pi.send('compact')
  await pi.prompt('behind')
  const id = await pi.sessionId()
  assert.ok((await exported(w, id)).length > 15)
  await pi.stop()
  await exported(w, id)
  await w.xylem('verify')
  const { tables } = JSON.parse(await w.xylem('stat', '--json'))
  // the end of a session keeps its outline: head, outline, words, and its places by activity, directory and name
  assert.equal(tables.find(({ name }) => name === 'outlines').row_count, 6)
})

test('the store is the store of the command, also with an empty or relative variable', async (t) => {
  const w = await world(t)
  const pi = w.start([], { XYLEM_STORE: '', XDG_DATA_HOME: 'data' })
  await pi.prompt('hello')
  await exported(w, await pi.sessionId())
  assert.equal(existsSync(join(w.sandbox.project, 'data')), false)
})

test('an import of the files afterwards adds nothing and has no problem', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await pi.prompt('one')
  await pi.send('clone')
  await pi.prompt('two')
  await pi.stop()
  const { files = [] } = JSON.parse(await w.xylem('import', '--json', w.sandbox.sessions))
  assert.equal(files.length, 2)
  for (const { added, problems } of files) {
    assert.deepEqual([added, problems], [0, []])
  }
})

test('entries before the first answer are in the store, and are not in a file', async (t) => {
  const w = await world(t, { helpers: ['commands'] })
  const pi = w.start()
  await pi.command('/entry note {"text":"early"}')
  await toggle(pi, 'on')
  const id = await pi.sessionId()
  assert.deepEqual(w.files(), [])
  assert.match(await w.xylem('export', id), /"text":"early"/)
})

// In a store that may not be there yet.
const isKept = (w, id) => w.until(async () =>
  (await w.xylem('export', id).catch(() => '')) === w.read(w.fileOf(id)), 'the session in the store')

// pi has no event for a label and for the result of a command of the person.
test('entries that no event follows are in the store too', async (t) => {
  const w = await world(t, { helpers: ['commands'] })
  const pi = w.start()
  await pi.prompt('hello')
  const id = await pi.sessionId()
  for (const act of [() => pi.send('bash', { command: 'echo one' }), () => pi.command('/label here'),
    () => pi.send('set_session_name', { name: 'renamed' })]) {
    const before = w.read(w.fileOf(id))
    await act()
    assert.notEqual(w.read(w.fileOf(id)), before)
    await exported(w, id)
  }
})

test('a store that is removed while pi runs is told, and pi keeps the session in a new one', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await pi.prompt('hello')
  const id = await pi.sessionId()
  await exported(w, id)
  rmSync(w.sandbox.store, { recursive: true })
  await pi.prompt('behind')
  await w.until(() => /the store .* was removed or replaced while pi ran/.test(said(pi)), 'the notice')
  await isKept(w, id)
  assert.equal(pi.status('xylem'), undefined)
  await pi.stop()
  await w.xylem('verify')
})

test('a lock file that is removed while pi runs stops neither pi nor others', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await pi.prompt('hello')
  const id = await pi.sessionId()
  await exported(w, id)
  for (const name of ['lock.mdb', 'xylem.lock']) {
    rmSync(join(w.sandbox.store, name))
    await isKept(w, id) // pi is idle: nobody can open the store until pi has closed it
    rmSync(join(w.sandbox.store, name))
    await pi.prompt(`behind ${name}`)
    await isKept(w, id)
  }
  assert.doesNotMatch(said(pi), /not kept|removed or replaced/)
  assert.equal(pi.status('xylem'), undefined)
  await pi.stop()
  await w.xylem('verify')
})

test('a store in whose place a file lies is told, and pi keeps the session once the file is gone', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await pi.prompt('hello')
  const id = await pi.sessionId()
  await exported(w, id)
  rmSync(w.sandbox.store, { recursive: true })
  writeFileSync(w.sandbox.store, 'no store')
  await pi.prompt('behind')
  await w.until(() => pi.status('xylem') === 'xylem: not kept', 'the status')
  await w.until(() => /removed or replaced while pi ran[\s\S]*this session is not kept/.test(said(pi)), 'both notices')
  rmSync(w.sandbox.store)
  await isKept(w, id)
  await w.until(() => pi.status('xylem') === undefined, 'the end of the status')
})

test('a store whose meta pages are overwritten while pi runs is told as damaged', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await pi.prompt('hello')
  const id = await pi.sessionId()
  await exported(w, id)
  const file = openSync(join(w.sandbox.store, 'data.mdb'), 'r+')
  writeSync(file, Buffer.alloc(8192, 0xa5), 0, 8192, 0)
  closeSync(file)
  await pi.prompt('behind')
  await w.until(() => /this session is not kept/.test(said(pi)), 'the notice')
  assert.match(said(pi), /not kept: .*data\.mdb/)
  assert.equal(pi.status('xylem'), 'xylem: not kept')
  assert.doesNotMatch(said(pi), /allocate memory/)
  rmSync(w.sandbox.store, { recursive: true })
  await isKept(w, id)
  await w.until(() => pi.status('xylem') === undefined, 'the end of the status')
})

test('the leaf follows the moves in the tree, as navigations with the reason pi', async (t) => {
  const w = await world(t, { helpers: ['commands', 'recorder'] })
  const pi = w.start()
  await pi.prompt('one')
  const { leaf: first } = await record(w, pi)
  await pi.prompt('two')
  const { leaf: second } = await record(w, pi)
  const id = await pi.sessionId()
  await leafIs(w, id, second)
  await pi.command(`/goto ${first}`)
  await leafIs(w, id, first)
  await pi.command(`/goto ${second}`)
  await leafIs(w, id, second)
  const moves = JSON.parse(await w.xylem('moves', id, '--json'))
  assert.equal(JSON.stringify(moves).match(/"reason":"pi"/g).length, 2)
  await pi.command(`/goto ${first} summarize`)
  await pi.prompt('three')
  await exported(w, id)
})

test('the leaf goes back before the first message', async (t) => {
  const w = await world(t, { helpers: ['commands', 'recorder'] })
  const pi = w.start()
  await pi.prompt('one')
  const id = await pi.sessionId()
  const lines = w.read(w.fileOf(id)).trimEnd().split('\n').map((line) => JSON.parse(line))
  const user = lines.find(({ message }) => message?.role === 'user')
  await pi.command(`/goto ${user.id}`)
  await leafIs(w, id, user.parentId)
  assert.equal(lines[1].parentId, null)
})

test('forks and clones share their entries with the source', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await pi.prompt('~big 100000')
  await pi.prompt('two')
  const source = await pi.sessionId()
  const { messages } = await pi.send('get_fork_messages')
  await pi.send('clone')
  const clone = await pi.sessionId()
  await pi.prompt('in the clone')
  await pi.send('fork', { entryId: messages[1].entryId })
  await pi.prompt('in the fork')
  const fork = await pi.sessionId()
  assert.equal(new Set([source, clone, fork]).size, 3)
  for (const id of [source, clone, fork]) {
    await exported(w, id)
  }
  await pi.stop()
  const marker = 'big big big big '.repeat(100)
  assert.equal(bytesOf(w).split(marker).length < bytesOf(w).split('big big big big ').length, true)
  const sessions = JSON.parse(await w.xylem('sessions', '--json'))
  assert.equal(JSON.stringify(sessions).includes(source), true)
})

test('a session that the store does not know is imported from its file', async (t) => {
  const w = await world(t)
  await runPi(w, ['-p', 'hello'], [])
  const [file] = w.files()
  const id = idOf(file)
  assert.equal(existsSync(w.sandbox.store), false)
  const pi = w.start(['--session', file])
  await settle(pi)
  await exported(w, id)
  await pi.prompt('more')
  await exported(w, id)
})

test('what pi wrote without the package is in the store after the next start', async (t) => {
  const w = await world(t)
  await runPi(w, ['-p', 'one'])
  const [file] = w.files()
  const id = idOf(file)
  await exported(w, id)
  await runPi(w, ['--session', file, '-p', 'two'], [])
  await runPi(w, ['--session', file, '-p', 'three'])
  const lines = await exported(w, id)
  assert.match(lines.join('\n'), /two[\s\S]*three/)
})

test('a print run leaves its session in the store', async (t) => {
  const w = await world(t)
  const { code } = await runPi(w, ['-p', 'hello', 'again'])
  assert.equal(code, 0)
  await exported(w, idOf(w.files()[0]))
})

test('a session that is deleted in the store comes back when pi opens it', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await pi.prompt('hello')
  const id = await pi.sessionId()
  await pi.stop()
  await w.xylem('delete', '--yes', id)
  await assert.rejects(w.xylem('state', id))
  const again = w.start(['--session', w.files()[0]])
  await settle(again)
  await exported(w, id)
})

test('a session that pi never answered is marked deleted at its end, and a reload keeps it', async (t) => {
  const { w, pi } = await readonlyPi(t, { helpers: ['commands'] })
  const id = await pi.sessionId()
  await pi.command('/again')
  await settle(pi)
  assert.equal((await w.state(id)).readonly, true)
  await pi.send('new_session')
  await settle(pi)
  await assert.rejects(w.state(id), /deleted/)
  await pi.stop()
  assert.deepEqual(w.files(), [])
  await w.xylem('undelete', id)
  assert.equal((await w.state(id)).readonly, true)
  const next = w.start()
  await settle(next)
  assert.equal((await w.state(id)).readonly, true)
  assert.doesNotMatch(said(next), /undelete/)
})

test('a session whose file moved away is not deleted', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await pi.prompt('hello')
  const id = await pi.sessionId()
  renameSync(w.fileOf(id), join(w.sandbox.root, 'elsewhere.jsonl'))
  await pi.stop()
  assert.equal((await w.state(id)).session, id)
})

test('a failed answer is no reason to forget a session', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await pi.prompt('~err')
  const id = await pi.sessionId()
  await pi.stop()
  assert.equal(w.files().length, 1, piVersion)
  await exported(w, id)
})
