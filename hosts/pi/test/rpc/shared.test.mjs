// The modules that the extensions share: one evaluation for all extensions of a start, and another one at each reload,
// of the files as they are by then.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { world } from '../lib/pi.mjs'
import { BLOCKED, isOn, packageCopy, settle, toggle, write } from './moves.mjs'

const SHARED = ['follow', 'session', 'native', 'settings', 'plays', 'offers', 'children', 'fallback', 'excerpt',
  'folder', 'remote']

// A copy of the package whose shared modules note each evaluation, with a word.
async function copied(t, options) {
  const w = await world(t, { extensions: [], helpers: ['commands'], ...options })
  const folder = dirname(packageCopy(w, true))
  const lib = join(folder, '../lib')
  const note = (name, word) => ["\nimport { appendFileSync } from 'node:fs'",
    `appendFileSync(process.env.XYLEM_TEST_RECORDS!, '${JSON.stringify({ event: 'evaluated', name, word })}\\n')`, '']
    .join('\n')
  const texts = new Map(SHARED.map((name) => [name, readFileSync(join(lib, `${name}.ts`), 'utf8')]))
  const put = (word) => texts.forEach((text, name) =>
    writeFileSync(join(lib, `${name}.ts`), text + note(name, word)))
  put('first')
  // An extension that needs one module alone imports that module.
  const paths = readdirSync(folder).map((file) => join(folder, file))
    .filter((path) => readFileSync(path, 'utf8').includes('await shared()'))
  const evaluations = () => w.records('evaluated').map(({ name, word }) => `${name} ${word}`).sort()
  const start = (extensions = paths) => w.start(extensions.flatMap((path) => ['-e', path]))
  return { w, paths, lib, put, evaluations, start }
}

const each = (word) => SHARED.map((name) => `${name} ${word}`).sort()

test('all extensions of a start share one evaluation, and a reload takes the files as they are', async (t) => {
  const { put, evaluations, start } = await copied(t)
  const pi = start()
  await toggle(pi, 'on')
  assert.deepEqual(evaluations(), each('first'))
  put('second')
  await pi.command('/again')
  await toggle(pi, 'on')
  assert.deepEqual(evaluations().filter((words) => !words.endsWith('first')), each('second'))
  assert.equal((await write(pi)).text, BLOCKED)
})

test('each extension alone has all that it needs', async (t) => {
  const { paths, evaluations, start } = await copied(t)
  for (const [i, path] of paths.entries()) {
    const pi = start([path])
    await pi.prompt('hello')
    await pi.stop()
    assert.equal(evaluations().length, SHARED.length * (i + 1), path)
  }
})

test('a module that cannot be evaluated is tried again at the next reload', async (t) => {
  const { w, lib, put, start } = await copied(t, { problems: true })
  const pi = start()
  await toggle(pi, 'on')
  await pi.prompt('hello')
  writeFileSync(join(lib, 'excerpt.ts'), 'throw new Error("a broken module")\n')
  await pi.command('/again')
  assert.equal((await write(pi)).isError, false)
  put('mended')
  await pi.command('/again')
  await settle(pi)
  await w.until(() => isOn(pi), 'the badge')
  assert.equal((await write(pi)).text, BLOCKED)
})
