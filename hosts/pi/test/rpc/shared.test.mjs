// The modules of the package: one evaluation for all extensions of a start, and another one at each reload,
// of the files as they are by then.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { world } from '../lib/pi.mjs'
import { BLOCKED, isOn, packageCopy, settle, toggle, write } from './moves.mjs'

// A copy of the package whose modules note each evaluation, with a word.
async function copied(t, options) {
  const w = await world(t, { extensions: [], helpers: ['commands'], ...options })
  const folder = dirname(packageCopy(w, true))
  const lib = join(folder, '../lib')
  const names = readdirSync(lib, { recursive: true }).filter((file) => file.endsWith('.ts'))
    .map((file) => file.slice(0, -'.ts'.length))
  const note = (name, word) => ["\nimport { appendFileSync } from 'node:fs'",
    `appendFileSync(process.env.XYLEM_TEST_RECORDS!, '${JSON.stringify({ event: 'evaluated', name, word })}\\n')`, '']
    .join('\n')
  const texts = new Map(names.map((name) => [name, readFileSync(join(lib, `${name}.ts`), 'utf8')]))
  const put = (word) => texts.forEach((text, name) =>
    writeFileSync(join(lib, `${name}.ts`), text + note(name, word)))
  put('first')
  const paths = readdirSync(folder).map((file) => join(folder, file))
  const evaluated = (word) => w.records('evaluated').filter((record) => record.word === word).map(({ name }) => name)
  const start = (extensions = paths) => w.start(extensions.flatMap((path) => ['-e', path]))
  return { w, paths, lib, names, put, evaluated, start }
}

function checkOnce(names) {
  assert.deepEqual(names, [...new Set(names)])
  assert.ok(names.includes('owner') && names.includes('store/session'))
}

test('all extensions of a start share one evaluation, and a reload takes the files as they are', async (t) => {
  const { put, evaluated, start } = await copied(t)
  const pi = start()
  await toggle(pi, 'on')
  checkOnce(evaluated('first'))
  put('second')
  await pi.command('/again')
  await toggle(pi, 'on')
  checkOnce(evaluated('second'))
  assert.equal((await write(pi)).text, BLOCKED)
})

test('each extension alone has all that it needs', async (t) => {
  const { w, paths, start } = await copied(t)
  for (const path of paths) {
    const pi = start([path])
    await pi.prompt('hello')
    await pi.stop()
    checkOnce(w.records('evaluated').map(({ name }) => name))
    writeFileSync(w.sandbox.records, '')
  }
})

// Large modules wait for their first use.
test('a start evaluates no module that is seldom used', async (t) => {
  const { names, evaluated, start } = await copied(t)
  const pi = start()
  await pi.sessionId()
  const seldom = ['checkpoint/keeper', 'ext/switch', 'find/pick', 'mcp/server', 'notify/notification', 'sequence/player',
    'sequence/recorder', 'ssh/machine']
  assert.deepEqual(seldom.filter((name) => !names.includes(name)), [])
  assert.deepEqual(evaluated('first').filter((name) => seldom.includes(name)), [])
})

test('a module that cannot be evaluated is tried again at the next reload', async (t) => {
  const { w, lib, put, start } = await copied(t, { problems: true })
  const pi = start()
  await toggle(pi, 'on')
  await pi.prompt('hello')
  writeFileSync(join(lib, 'live.ts'), 'throw new Error("a broken module")\n')
  await pi.command('/again')
  assert.equal((await write(pi)).isError, false)
  put('mended')
  await pi.command('/again')
  await settle(pi)
  await w.until(() => isOn(pi), 'the badge')
  assert.equal((await write(pi)).text, BLOCKED)
})
