// Privacy, and leaving: what a person is told at the first start, who can read what is kept, and pi remove.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { node, piPath, world } from '../lib/pi.mjs'
import { BLOCKED, changeSettings, exported, idOf, isOn, readonlyPi, runPi, said, toggle, write } from './moves.mjs'

const NOTICE = 'xylem keeps your conversations'
const isTold = (pi) => said(pi).includes(NOTICE)
const marks = (w) => join(w.sandbox.agent, 'xylem', 'told')

// A pi that has said all that it has to say about its start: the report of /readonly comes behind all of it.
async function started(w, args) {
  const pi = w.start(args)
  await pi.prompt('hello')
  await toggle(pi, 'on')
  return pi
}

// --- The first start ---

test('the first start tells where sessions are, how to stop and how to delete, and no later start does', async (t) => {
  const w = await world(t)
  const first = await started(w)
  await first.send('new_session')
  await first.prompt('hello')
  assert.equal(said(first).split(NOTICE).length, 2)
  const notice = first.notices().find(({ message }) => message.startsWith(NOTICE))
  assert.equal(notice.notifyType, 'info')
  assert.deepEqual(notice.message.split('\n'), ['xylem keeps your conversations in ~/.local/share/xylem, for you alone.',
    'To stop: "xylem": {"mirror": false} in settings.json of pi. To delete: xylem delete.'])
  await first.stop()
  assert.equal(isTold(await started(w)), false)
})

test('a run without a person is not told, and does not count', async (t) => {
  const w = await world(t)
  const { output } = await runPi(w, ['-p', 'hello'])
  assert.equal(output.includes(NOTICE), false)
  assert.equal(existsSync(w.sandbox.store), true)
  assert.equal(existsSync(marks(w)), false)
  assert.equal(isTold(await started(w)), true)
})

for (const [words, settings, args] of [['`mirror` false', { xylem: { mirror: false } }, []],
  ['--no-session', {}, ['--no-session']]]) {
  test(`with ${words} nothing is kept, and nothing told`, async (t) => {
    const w = await world(t, { settings })
    const pi = await started(w, args)
    assert.equal(isTold(pi), false)
    assert.equal(existsSync(join(w.sandbox.agent, 'xylem')), false)
    assert.equal(existsSync(w.sandbox.store), false)
  })
}

test('where the store cannot be opened, nobody is told that the store keeps sessions', async (t) => {
  const w = await world(t)
  mkdirSync(w.sandbox.store, { recursive: true })
  writeFileSync(join(w.sandbox.store, 'data.mdb'), 'no store\n'.repeat(2000))
  assert.equal(isTold(await started(w)), false)
  assert.equal(existsSync(marks(w)), false)
})

test('of two pis that start at once, one tells', async (t) => {
  const w = await world(t)
  const pis = [w.start(), w.start()]
  await Promise.all(pis.map((pi) => pi.prompt('hello')))
  for (const pi of pis) {
    await exported(w, await pi.sessionId())
    await toggle(pi, 'on')
  }
  assert.equal(pis.filter(isTold).length, 1)
})

test('another store is told again', async (t) => {
  const w = await world(t)
  await (await started(w)).stop()
  const store = join(w.sandbox.root, 'other')
  changeSettings(w, { xylem: { store } })
  const pi = await started(w)
  assert.ok(said(pi).includes(`in ${store}, for you alone`))
  await pi.stop()
  assert.equal(isTold(await started(w)), false)
})

test('without a place for the mark each start tells, and the session is kept', async (t) => {
  const w = await world(t)
  writeFileSync(join(w.sandbox.agent, 'xylem'), 'a file')
  for (let start = 0; start < 2; start++) {
    const pi = await started(w)
    assert.equal(isTold(pi), true)
    await exported(w, await pi.sessionId())
    await pi.stop()
  }
})

// --- Who can read what is kept ---

const mode = (path) => (statSync(path).mode & 0o777).toString(8)

function assertPrivate(folder) {
  assert.equal(mode(folder), '700', folder)
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    assert.equal(mode(path), entry.isDirectory() ? '700' : '600', path)
  }
}

for (const umask of [0o000, 0o177]) {
  test(`the store and its parents are the person's alone, with the umask ${umask.toString(8)}`, async (t) => {
    const w = await world(t)
    const store = join(w.sandbox.root, 'one', 'two', 'store')
    changeSettings(w, { xylem: { store } })
    const before = process.umask(umask)
    const pi = w.start()
    process.umask(before)
    await pi.prompt('hello')
    await toggle(pi, 'on')
    assert.equal(existsSync(join(store, 'data.mdb')), true)
    assertPrivate(dirname(dirname(store)))
    assertPrivate(join(w.sandbox.agent, 'xylem'))
  })
}

test('a store that others can read is told, and the notice of the first start does not call it private', async (t) => {
  const w = await world(t)
  mkdirSync(w.sandbox.store, { recursive: true })
  chmodSync(w.sandbox.store, 0o755)
  const pi = await started(w)
  assert.match(said(pi), /^xylem: .*chmod/m)
  assert.equal(isTold(pi), true)
  assert.doesNotMatch(said(pi), /mode 0700/)
})

// --- A file that is deleted in pi ---

const gone = async (w) =>
  JSON.parse(await w.xylem('sessions', '--json', '--file-gone')).sessions.map(({ session }) => session)

test('a session whose file was deleted shows as gone, and `xylem delete --file-gone` takes it away', async (t) => {
  const w = await world(t)
  const pi = await started(w)
  const id = await pi.sessionId()
  const lines = await exported(w, id)
  assert.deepEqual(await gone(w), [])
  rmSync(w.fileOf(id))
  assert.deepEqual(await gone(w), [id])
  await pi.send('new_session')
  await pi.prompt('stays')
  const other = await pi.sessionId()
  await pi.stop()
  assert.deepEqual(await gone(w), [id])
  assert.equal(await w.xylem('export', id), `${lines.join('\n')}\n`)
  await w.xylem('delete', '--file-gone', '--yes')
  await assert.rejects(w.xylem('export', id), /deleted/)
  await exported(w, other)
})

test('the file of a session that ends at once is known too', async (t) => {
  const w = await world(t)
  const { code } = await runPi(w, ['-p', 'hello'])
  assert.equal(code, 0)
  const [file] = w.files()
  rmSync(file)
  assert.deepEqual(await gone(w), [idOf(file)])
})

test('before the first answer a session has no file that could be gone', async (t) => {
  const { w } = await readonlyPi(t)
  assert.deepEqual(await gone(w), [])
})

test('a file that cannot be noted stops nothing', async (t) => {
  const w = await world(t)
  const pi = w.start()
  const { sessionFile } = await pi.send('get_state')
  mkdirSync(sessionFile)
  assert.equal(await toggle(pi, 'on'), 'Readonly is on')
  assert.doesNotMatch(said(pi), /not kept/)
})

// --- pi remove ---

const folder = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
const run = (w, ...words) => execFileSync(node, [piPath, ...words],
  { cwd: w.sandbox.project, env: w.sandbox.environment, encoding: 'utf8' })

test('after pi remove the sessions continue in pi, and the store is whole', async (t) => {
  const w = await world(t, { extensions: [] })
  run(w, 'install', folder)
  const pi = await started(w)
  await pi.prompt('~tool bash {"command":"echo one"}')
  const id = await pi.sessionId()
  await pi.stop()
  const [file] = w.files()
  run(w, 'remove', folder)
  assert.equal(await w.xylem('export', id), w.read(file))
  const kept = readFileSync(join(w.sandbox.store, 'data.mdb'))
  const after = w.start(['--continue'])
  assert.equal((await write(after)).isError, false)
  assert.equal(await after.sessionId(), id)
  assert.ok((await after.messages()).length > 4)
  await after.stop()
  assert.ok(kept.equals(readFileSync(join(w.sandbox.store, 'data.mdb'))))
  await w.xylem('verify')
})

test('a pi that runs while the package is removed keeps its guard and its session, until a reload', async (t) => {
  const w = await world(t, { extensions: [], helpers: ['commands'] })
  run(w, 'install', folder)
  const pi = w.start()
  await pi.prompt('hello')
  run(w, 'remove', folder)
  await toggle(pi, 'on')
  assert.equal((await write(pi)).text, BLOCKED)
  const id = await pi.sessionId()
  const lines = await exported(w, id)
  assert.equal(isOn(pi), true)
  await pi.command('/again')
  assert.equal((await write(pi)).isError, false)
  await pi.stop()
  assert.equal(await w.xylem('export', id), `${lines.join('\n')}\n`)
  await w.xylem('verify')
})
