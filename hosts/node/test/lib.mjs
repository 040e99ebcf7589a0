// What the tests of the addon share. The package under test lies in $XYLEM_NATIVE.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

// Tests copy the package, and a copy of a link is a link.
export const place = realpathSync(process.env.XYLEM_NATIVE)
// The program that runs the tests: process.execPath is no program of this machine where an emulator runs the tests.
export const node = process.env.NODE ?? process.execPath
// The options of a test in which a process dies while it writes: qemu does not pass the locks of the dead on.
const KEEPS = 'the emulator keeps the locks of a process that died'
export const dyingWriter = { skip: process.env.XYLEM_EMULATED ? KEEPS : false }
export const require = createRequire(import.meta.url)
export const xylem = require(place)
export const addonPath = join(place, 'prebuilds', `${process.platform}-${process.arch}`, 'xylem.node')
export const addon = require(addonPath)

// A directory that ends with the test.
export function scratch(t) {
  const directory = mkdtempSync(join(tmpdir(), 'xylem-node-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

// An open store in a directory of its own.
export function newStore(t, options = {}) {
  const path = join(scratch(t), 'store')
  const store = xylem.open(path, { create: true, ...options })
  t.after(() => store.close())
  return Object.assign(store, { path })
}

export function isError(name) {
  return (error) => {
    assert.ok(error instanceof Error, String(error))
    assert.equal(error.name, name, error.message)
    assert.equal(typeof error.code, 'number')
    assert.match(error.message, /^[^\n]+$/)
    return true
  }
}

export const header = (id, more = {}) =>
  JSON.stringify({ type: 'session', version: 3, id, timestamp: '2026-11-22T10:00:00.000Z', cwd: '/tmp', ...more })

export const line = (id, parentId, more = {}) =>
  JSON.stringify({ type: 'message', id, parentId, timestamp: '2026-11-22T10:00:01.000Z', ...more })

export const toggle = (id, parentId, enabled) =>
  line(id, parentId, { type: 'custom', customType: 'readonly', data: { enabled } })

// A session with entries e1, e2, ... in a row.
export function fill(store, id, count = 2) {
  const lines = Array.from({ length: count }, (_, i) => line(`e${i + 1}`, i ? `e${i}` : null, { text: `${i}` }))
  return store.mirror({ header: header(id), lines })
}

// Closes the store, changes a letter of the text wherever the file of the store has it, and opens the store again.
export function damage(store, text) {
  store.close()
  const path = join(store.path, 'data.mdb')
  const bytes = readFileSync(path)
  for (let place = bytes.indexOf(text); place >= 0; place = bytes.indexOf(text, place + 1)) {
    bytes[place] ^= 1
  }
  writeFileSync(path, bytes)
  return xylem.open(store.path)
}

// Another process with the store open: runs `body` with `store` and `xylem`, gives back what `body` returns, and lives
// until it is ended.
export async function other(t, path, body) {
  const source = `const xylem = require(${JSON.stringify(place)})
    const store = xylem.open(${JSON.stringify(path)});
    (async () => { ${body} })().then((said) => console.log(JSON.stringify(said ?? null)))
    setInterval(() => {}, 1000)`
  const child = spawn(node, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const said = await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve)
    child.once('exit', () => reject(new Error('the other process failed')))
  })
  const end = (signal) => new Promise((resolve) => { child.once('exit', resolve); child.kill(signal) })
  return { pid: child.pid, said: JSON.parse(said), end }
}

// Another process that is stopped within a write. The store of the caller waits a bounded time.
export async function stoppedWriter(t, store) {
  const writer = await other(t, store.path, `const lines = Array.from({ length: 20000 }, (_, i) => JSON.stringify({
    type: 'message', id: 'e' + i, parentId: i ? 'e' + (i - 1) : null, timestamp: '2026-11-22T10:00:01.000Z' }))
    const header = ${JSON.stringify(header('x'))}
    setInterval(() => store.mirror({ header: header.replace('"x"', '"x' + Date.now() + '"'), lines }), 1)`)
  const isStopped = () => {
    process.kill(writer.pid, 'SIGSTOP')
    try {
      store.undeleteSession('none')
    } catch ({ name }) {
      return name === 'XYLEM_E_BUSY'
    }
  }
  while (!isStopped()) {
    process.kill(writer.pid, 'SIGCONT')
    await new Promise((later) => setTimeout(later, 7))
  }
  return writer
}

// Runs a function in a worker, with its arguments; the result, or the error.
export function inWorker(work, ...given) {
  const source = `const { parentPort, workerData } = require('node:worker_threads')
    Promise.resolve((${work})(...workerData)).then((result) => parentPort.postMessage(result))`
  const worker = new Worker(source, { eval: true, workerData: given })
  return new Promise((resolve, reject) => {
    let result
    worker.on('message', (message) => { result = message })
    worker.on('error', reject)
    worker.on('exit', () => resolve(result))
  })
}
