// Other versions: a package that is replaced under a pi that runs, a store of a newer xylem, two versions of pi at one
// store. And a store that cannot be written.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { otherPi, piPath, world } from '../lib/pi.mjs'
import { BLOCKED, bash, bigSession, changeSettings, exported, isOn, packageCopy, restart, runPi, said, settle, toggle,
  write } from './moves.mjs'

// --- An update ---

const NATIVE = fileURLToPath(new URL('../../../node', import.meta.url))
const { version: VERSION, files: FILES } = JSON.parse(readFileSync(join(NATIVE, 'package.json'), 'utf8'))
const NEXT = VERSION.replace(/\.(\d+)\./, (_, minor) => `.${(Number(minor) + 1) % 10}.`)

function editFile(path, from, to) {
  writeFileSync(path, readFileSync(path, 'latin1').replaceAll(from, to), 'latin1')
}

// Puts both packages where the copy lies, with a version: new files in new directories, as npm does.
function update(extension, version) {
  const pi = dirname(dirname(extension))
  const native = join(pi, '../node')
  rmSync(native, { recursive: true, force: true })
  mkdirSync(native)
  for (const part of ['package.json', ...FILES].filter((name) => existsSync(join(NATIVE, name)))) {
    cpSync(join(NATIVE, part), join(native, part), { recursive: true })
  }
  const [addon] = readdirSync(native, { recursive: true }).filter((name) => name.endsWith('.node'))
  editFile(join(native, 'package.json'), VERSION, version)
  editFile(join(native, addon), VERSION, version)
  editFile(join(pi, 'package.json'), VERSION, version)
  return statSync(join(native, addon)).ino
}

async function installed(t) {
  const w = await world(t, { extensions: [], helpers: ['commands'] })
  const extension = packageCopy(w, false)
  const inode = update(extension, VERSION)
  const start = (args = []) => w.start(['-e', extension, ...args])
  return { w: { ...w, start }, extension, inode }
}

test('an update to another minor version, then a reload: "restart pi", and readonly fails closed', async (t) => {
  const { w, extension } = await installed(t)
  const pi = w.start()
  await toggle(pi, 'on')
  await pi.prompt('hello')
  const id = await pi.sessionId()
  update(extension, NEXT)
  await pi.prompt('before the reload all is well')
  await exported(w, id)
  await pi.command('/again')
  await settle(pi)
  const words = `this pi runs xylem ${VERSION}, and xylem ${NEXT} is installed: restart pi`
  assert.equal(said(pi).split(words).length, 2)
  assert.doesNotMatch(said(pi), /restart the host/)
  for (const { isError, text } of [await write(pi), await bash(pi, 'ls')]) {
    assert.equal(isError, true)
    assert.ok(text.includes(`${words}. '/readonly off' lifts the block`), text)
  }
  assert.equal(isOn(pi), true)
  const again = await restart(w, pi)
  assert.equal((await write(again)).text, BLOCKED)
  assert.equal((await bash(again, 'ls')).isError, false)
  await exported(w, id)
  assert.doesNotMatch(said(again), /restart/)
  await again.stop()
  await w.xylem('verify')
})

test('an update to another minor version, then a reload: without readonly everything runs', async (t) => {
  const { w, extension } = await installed(t)
  const pi = w.start()
  await pi.prompt('hello')
  update(extension, NEXT)
  await pi.command('/again')
  await settle(pi)
  assert.match(said(pi), /restart pi/)
  assert.equal((await write(pi)).isError, false)
})

test('an update with new files and the same minor version, then a reload: all goes on', async (t) => {
  const { w, extension, inode } = await installed(t)
  const pi = w.start()
  await toggle(pi, 'on')
  await pi.prompt('hello')
  assert.notEqual(update(extension, VERSION.replace(/\d+$/, '9')), inode)
  await pi.command('/again')
  await settle(pi)
  assert.equal((await write(pi)).text, BLOCKED)
  await exported(w, await pi.sessionId())
  assert.doesNotMatch(said(pi), /restart|not kept/)
  const again = await restart(w, pi)
  assert.equal((await write(again)).text, BLOCKED)
})

// --- A store that cannot be used ---

// The row `format` of the table `meta`: its key and its value, which ends with a sum.
const ROW = Buffer.from('format\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x6a\xda\xa3\x5e\x63\x0d\xde\x2e', 'latin1')
const NEWER = Buffer.from('format\x63\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xe3\x96\x70\x49\xe7\xdc\x9a\x93', 'latin1')

const dataOf = (w) => readFileSync(join(w.sandbox.store, 'data.mdb'))

test('a store of a newer xylem is left alone, readonly works from pi, and the notice names the remedy', async (t) => {
  const w = await world(t)
  await runPi(w, ['-p', 'hello'], [])
  await w.xylem('init')
  const path = join(w.sandbox.store, 'data.mdb')
  editFile(path, ROW.toString('latin1'), NEWER.toString('latin1'))
  const before = dataOf(w)
  assert.ok(before.includes(NEWER))
  const names = readdirSync(w.sandbox.store)
  const pi = w.start(['--continue'])
  await toggle(pi, 'on')
  assert.equal((await write(pi)).text, BLOCKED)
  assert.equal((await bash(pi, 'ls')).isError, false)
  assert.match(said(pi), /not kept: .* format version 99, .*\. Update pi-xylem, then restart pi/)
  assert.doesNotMatch(said(pi), /xylem verify/)
  assert.equal(pi.status('xylem'), 'xylem: not kept')
  const again = await restart(w, pi)
  assert.equal((await write(again)).text, BLOCKED)
  await again.stop()
  assert.ok(dataOf(w).equals(before))
  assert.deepEqual(readdirSync(w.sandbox.store), names)
})

// /proc takes no new directory, of nobody: like a file system that is read only.
const PARENTS = [['on a file system that takes nothing', () => '/proc/xylem'],
  ['below a file', (w) => join(w.sandbox.root, 'file')]]
for (const [words, parentOf] of PARENTS) {
  test(`a store ${words} stops nothing, and a notice says why`, async (t) => {
    const w = await world(t)
    writeFileSync(join(w.sandbox.root, 'file'), '')
    changeSettings(w, { xylem: { store: join(parentOf(w), 'store') } })
    const pi = w.start()
    await toggle(pi, 'on')
    assert.equal((await write(pi)).text, BLOCKED)
    assert.match(said(pi), /not kept: (E[A-Z]+: |.*not a directory).*xylem verify/i)
    assert.equal(pi.status('xylem'), 'xylem: not kept')
  })
}

async function fullDisk(t) {
  const w = await world(t)
  const big = join(w.sandbox.root, 'big.jsonl')
  bigSession(big, 3000) // the store is then larger than any file that pi writes
  await w.xylem('import', '--quiet', big)
  // A limit for the size of a file stands in for the disk. A handler keeps pi alive at the signal, which no disk sends.
  const pi = w.start([], { NODE_OPTIONS: "--import=data:text/javascript,process.on('SIGXFSZ',()=>{})" })
  await pi.prompt('hello')
  const id = await pi.sessionId()
  await exported(w, id)
  execFileSync('prlimit', [`--pid=${pi.child.pid}`, `--fsize=${dataOf(w).length}:`])
  for (let turn = 0; turn < 40 && !/not kept/.test(said(pi)); turn++) {
    await pi.prompt('~big 20000')
  }
  assert.match(said(pi), /not kept: .*the process's file size limit/)
  assert.equal(pi.status('xylem'), 'xylem: not kept')
  return { w, pi, id }
}

test('on a full disk pi goes on, and the next start keeps what is missing', async (t) => {
  const { w, pi, id } = await fullDisk(t)
  await toggle(pi, 'on')
  assert.equal((await write(pi)).text, BLOCKED)
  const again = await restart(w, pi)
  assert.equal((await write(again)).text, BLOCKED)
  await exported(w, id)
  await again.stop()
  await w.xylem('verify')
})

test('once the disk has room again, pi keeps what is missing, and the status goes', async (t) => {
  const { w, pi, id } = await fullDisk(t)
  execFileSync('prlimit', [`--pid=${pi.child.pid}`, '--fsize=unlimited:'])
  await exported(w, id)
  await w.until(() => pi.status('xylem') === undefined, 'the end of the status')
  await pi.prompt('behind')
  await exported(w, id)
  await pi.stop()
  await w.xylem('verify')
})

// --- Two versions of pi ---

test('two versions of pi at one store: a session each, and then the session of the other', async (t) => {
  const w = await world(t)
  let commands = [piPath, otherPi()]
  const ids = []
  for (let round = 0; round < 3; round++) {
    const pis = commands.map((command, i) => w.start(ids[i] ? ['--session', w.fileOf(ids[i])] : [], {}, command))
    await Promise.all(pis.map((pi) => pi.prompt(`round ${round}`)))
    for (const [i, pi] of pis.entries()) {
      ids[i] ??= await pi.sessionId()
      assert.equal(await pi.sessionId(), ids[i])
      assert.equal(isOn(pi), round === 2)
      await pi.prompt('~tool bash {"command":"echo one"}')
      await toggle(pi, round === 1 ? 'on' : 'off')
      await exported(w, ids[i])
      assert.doesNotMatch(said(pi), /not kept|quarantine/)
      await pi.stop()
    }
    commands = commands.reverse()
  }
  for (const id of ids) {
    await exported(w, id)
  }
  await w.xylem('verify')
})
