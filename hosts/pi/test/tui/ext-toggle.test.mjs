// /ext in a terminal.
import assert from 'node:assert/strict'
import { existsSync, lstatSync, mkdirSync, readlinkSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { extension } from '../lib/pi.mjs'
import { changeSettings } from '../rpc/moves.mjs'
import { HINT, apply, codeOf, enter, extTerminal, mark, open } from './ext-lists.mjs'

const PLACE = '~/.pi/agent/extensions'

test('Space marks, Enter switches all and reloads once, and the report comes behind the reload', async (t) => {
  const { w, terminal, names } = await extTerminal(t, ['alpha.ts', 'beta.ts', 'gamma.ts.off'])
  const screen = await open(terminal)
  assert.match(screen, /→ alpha +● enabled\n +beta +● enabled\n +gamma +○ disabled\n/)
  await mark(terminal, 0, /alpha +○ disabled/)
  await mark(terminal, 2, /gamma +● enabled/)
  await terminal.wait('Extensions, 2 changes')
  assert.deepEqual(names(), ['alpha.ts', 'beta.ts', 'gamma.ts.off']) // nothing yet
  await apply(terminal, 'Extensions: alpha is off, gamma is on')
  assert.deepEqual(names(), ['alpha.ts.off', 'beta.ts', 'gamma.ts'])
  assert.equal(w.records('start').length, 2) // the start and one reload
  await terminal.submit('/gamma')
  await terminal.wait('gamma is loaded')
  await terminal.submit('/alpha')
  await terminal.wait('heard: /alpha') // pi knows no such command
})

test('a second Space takes the mark back, and Enter without a mark marks', async (t) => {
  const { w, terminal, names } = await extTerminal(t, ['alpha.ts'])
  await open(terminal)
  await mark(terminal, 0, 'Extensions, 1 change')
  await terminal.keys('Space')
  await terminal.gone('Extensions, 1 change')
  await terminal.keys('Enter')
  await terminal.wait('Extensions, 1 change')
  await terminal.keys('Escape')
  await terminal.gone(HINT)
  await terminal.prompt('next')
  assert.deepEqual(names(), ['alpha.ts'])
  assert.equal(w.records('start').length, 1)
})

test('Escape leaves, and nothing is switched', async (t) => {
  const { w, terminal, names } = await extTerminal(t, ['alpha.ts'])
  await open(terminal)
  await mark(terminal, 0, 'Extensions, 1 change')
  await terminal.keys('Escape')
  await terminal.gone(HINT)
  await terminal.prompt('next')
  assert.deepEqual(names(), ['alpha.ts'])
  assert.equal(w.records('start').length, 1)
})

test('of a link the link itself is renamed, off and on again', async (t) => {
  const { w, terminal, directory, names } = await extTerminal(t, [], { links: ['todo'] })
  await open(terminal)
  await mark(terminal, 0, '○ disabled')
  await apply(terminal, 'Extensions: todo is off')
  assert.deepEqual(names(), ['todo.ts.off'])
  assert.equal(readlinkSync(join(directory, 'todo.ts.off')), extension('todo'))
  assert.equal(lstatSync(extension('todo')).isFile(), true)
  await terminal.submit('/todos')
  await terminal.wait('heard: /todos')
  await open(terminal, '○ disabled')
  await mark(terminal, 0, '● enabled')
  await apply(terminal, 'Extensions: todo is on')
  assert.deepEqual(names(), ['todo.ts'])
  await terminal.submit('/todos')
  await terminal.wait('No todos')
  assert.equal(w.records('start').length, 3)
})

test('a directory, a package, a broken link and a name that is there twice are shown, and not switched', async (t) => {
  const { w, terminal, directory, names } = await extTerminal(t, ['twice.ts', 'twice.ts.off'])
  for (const name of ['tools', 'nothing', 'node_modules']) {
    mkdirSync(join(directory, name))
  }
  for (const name of ['tools', 'node_modules']) {
    writeFileSync(join(directory, name, 'index.ts'), codeOf('tools'))
  }
  symlinkSync('/nowhere', join(directory, 'ghost.ts'))
  writeFileSync(join(directory, '.hidden.ts'), '')
  writeFileSync(join(directory, 'notes.txt'), '')
  changeSettings(w, { packages: ['npm:some-package', { source: '/other/package', extensions: [] }] })
  const before = names()
  const screen = await open(terminal)
  assert.match(screen, new RegExp(['→ ghost +\\[broken\\]', ' +tools/ +\\[dir\\]',
    ' +twice +● enabled', ' +twice +○ disabled', ' +npm:some-package +\\[package\\]',
    ' +/other/package +\\[package\\]\n'].join('\n')))
  for (const why of ['ghost.ts is a link to nothing', '/ext switches files, not directories',
    'twice.ts and twice.ts.off are both there: remove one', 'twice.ts and twice.ts.off are both there: remove one',
    "'pi config' in a shell switches the extensions of a package"]) {
    await terminal.wait(why)
    await terminal.keys('Space', 'Down')
  }
  await terminal.keys('Enter', 'Escape')
  await terminal.gone(HINT)
  assert.deepEqual(names(), before)
})

test('the list is made anew each time', async (t) => {
  const { terminal, directory } = await extTerminal(t, ['alpha.ts'])
  await open(terminal, /alpha +● enabled/)
  await terminal.keys('Escape')
  await terminal.gone(HINT)
  renameSync(join(directory, 'alpha.ts'), join(directory, 'alpha.ts.off'))
  writeFileSync(join(directory, 'beta.ts'), codeOf('beta'))
  await open(terminal, /alpha +○ disabled\n +beta +● enabled/)
})

test('a file whose other name appears is not overwritten; the others are switched, with one reload', async (t) => {
  const { w, terminal, directory, names } = await extTerminal(t, ['alpha.ts', 'beta.ts', 'gamma.ts'])
  await open(terminal)
  await mark(terminal, 0, '1 change')
  await mark(terminal, 1, '2 changes')
  await mark(terminal, 1, '3 changes')
  writeFileSync(join(directory, 'beta.ts.off'), 'precious')
  await enter(terminal, '/ext: beta stays on: beta.ts.off is there already')
  await terminal.wait('Extensions: alpha is off, gamma is off')
  assert.deepEqual(names(), ['alpha.ts.off', 'beta.ts', 'beta.ts.off', 'gamma.ts.off'])
  assert.equal(w.read(join(directory, 'beta.ts.off')), 'precious')
  assert.equal(w.records('start').length, 2)
})

test('a file that is gone is reported, and without a change pi does not reload', async (t) => {
  const { w, terminal, directory } = await extTerminal(t, ['alpha.ts'])
  await open(terminal)
  await mark(terminal, 0, '1 change')
  renameSync(join(directory, 'alpha.ts'), join(directory, 'moved'))
  await enter(terminal, /\/ext: alpha stays on: ENOENT/)
  assert.equal(w.records('start').length, 1)
  await terminal.prompt('next')
})

test('a session that is replaced while the list is open: nothing is switched, and nothing fails', async (t) => {
  const { w, terminal, names } = await extTerminal(t, ['alpha.ts'], { helpers: ['clock', 'replacer'] })
  await open(terminal)
  await mark(terminal, 0, '1 change')
  writeFileSync(join(w.sandbox.project, 'prompt'), '/replace {"delays":[0]}')
  await w.until(() => w.records('replacements-done').length > 0, 'a new session')
  await terminal.keys('Enter')
  await terminal.gone(HINT)
  await terminal.prompt('next')
  assert.equal((await terminal.screen()).includes('stale'), false)
  assert.deepEqual(names(), ['alpha.ts'])
})

for (const [columns, rows] of [[130, 45], [40, 24]]) {
  test(`at ${columns} columns a list of 200 extensions scrolls, and each line shows the state`, async (t) => {
    const files = Array.from({ length: 200 },
      (_, i) => `${String(i + 1).padStart(3, '0')}-${'long-name-'.repeat(6)}.ts.off`)
    const { terminal } = await extTerminal(t, files, { size: { columns, rows } })
    const first = await open(terminal, '(1/200)')
    assert.ok(first.includes(` Extensions\n ${PLACE}\n`) && first.includes(HINT))
    const lines = first.split('\n').filter((line) => /^[→ ] ?\d{3}-/.test(line))
    assert.ok(lines.length >= 8 && lines.every((line) => /\S +○ disabled$/.test(line) && [...line].length <= columns))
    await terminal.keys('Up') // to the last
    const last = await terminal.wait('(200/200)')
    assert.match(last, /→ 200-/)
    assert.ok(last.split('\n').every((line) => [...line].length <= columns))
    await terminal.keys('Escape')
    await terminal.gone(HINT)
    await terminal.prompt('next')
  })
}

test('a file name cannot move the cursor, in the list and in an error', async (t) => {
  const { terminal, directory } = await extTerminal(t, ['a\x1b[2Jb\u202e.ts.off'])
  await open(terminal, 'a\\u{1b}[2Jb\\u{202e}')
  await mark(terminal, 0, '1 change')
  renameSync(join(directory, 'a\x1b[2Jb\u202e.ts.off'), join(directory, 'moved'))
  await terminal.keys('Enter')
  const screen = await terminal.wait(/stays off: ENOENT/)
  assert.match(screen.replace(/\n/g, ''), /rename '[^']*a\\u\{1b\}\[2Jb/)
})

test('an empty directory, a missing one and one that cannot be read are said', async (t) => {
  const { w, terminal, directory } = await extTerminal(t, [])
  await terminal.submit('/ext')
  await terminal.wait(`No extensions in ${PLACE}`)
  renameSync(directory, `${directory}-moved`)
  await terminal.submit('/again')
  await terminal.wait('Reloaded')
  await terminal.submit('/ext')
  await terminal.wait(`No extensions in ${PLACE}`)
  writeFileSync(directory, 'a file')
  await terminal.submit('/ext')
  await terminal.wait(/\/ext: ENOTDIR/)
  assert.equal(existsSync(join(w.sandbox.agent, 'extensions-moved')), true)
})
