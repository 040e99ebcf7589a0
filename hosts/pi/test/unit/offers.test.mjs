// Offers of other extensions, and the catalogue of pi's commands.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { catalogueOf } from '../../lib/sequence/catalogue.ts'
import { isOffer } from '../../lib/sequence/offers.ts'

const run = () => {}

for (const offer of [
  { name: 'note', run },
  { name: 'note:2', run, path: '/x/note.ts', arguments: ['on', ''], toggles: true },
  { name: 'é', run, path: undefined, arguments: undefined, toggles: undefined },
  { name: 'n'.repeat(256), run, more: 1 },
]) {
  test(`an offer: ${JSON.stringify(offer).slice(0, 60)}`, () => assert.equal(isOffer(offer), true))
}

for (const offer of [
  undefined, null, 'note', run, {}, { name: 'note' }, { name: 'note', run: 'run' }, { run }, { name: 1, run },
  { name: '', run }, { name: ' ', run }, { name: 'a b', run }, { name: 'a\n', run }, { name: '/note', run },
  { name: 'a\u007f', run }, { name: 'n'.repeat(257), run }, { name: 'é'.repeat(129), run },
  { name: 'note', run, path: 1 }, { name: 'note', run, path: null }, { name: 'note', run, arguments: [] },
  { name: 'note', run, arguments: ['on', 1] }, { name: 'note', run, arguments: 'on' },
  { name: 'note', run, toggles: 'yes' },
]) {
  const text = typeof offer === 'function' ? 'a function' : JSON.stringify(offer)
  test(`no offer: ${String(text).slice(0, 60)}`, () => assert.equal(isOffer(offer), false))
}

// The commands of the catalogue that are not pi's own.
function commandsOf(commands, offers, steps) {
  const pi = { getCommands: () => commands.map(([name, source, path]) => ({ name, source, sourceInfo: { path } })) }
  const catalogue = catalogueOf({ pi, offers: new Map(offers.map((offer) => [offer.name, { run, ...offer }])) }, steps)
  return JSON.parse(catalogue).commands.filter(({ source }) => source !== 'builtin')
}

const named = (commands) => commands.map(({ name, source }) => `${source} ${name}`)

test("pi's own commands come first", () => {
  const { schema, compact, expands, commands } = JSON.parse(catalogueOf({ pi: { getCommands: () => [] }, offers: new Map() }))
  assert.deepEqual({ schema, compact, expands }, { schema: 1, compact: true, expands: true })
  assert.ok(commands.length > 10)
  assert.ok(commands.every(({ source }) => source === 'builtin'))
})

test('an offer is a command of its own, with the path of its extension', () => {
  const found = commandsOf([['note', 'extension', '/x/note.ts']], [{ name: 'note', arguments: ['on'], toggles: true }])
  assert.deepEqual(found, [
    { name: 'note', source: 'own', canonical: 'note', path: '/x/note.ts', arguments: ['on'], toggles: true },
    { name: 'note', source: 'extension', path: '/x/note.ts' }])
})

test('an offer without a command of pi counts too', () => {
  assert.deepEqual(commandsOf([], [{ name: 'note', path: '/x/note.ts' }]),
    [{ name: 'note', source: 'own', canonical: 'note', path: '/x/note.ts' }])
})

test('of two commands with one name the path tells which one is offered', () => {
  const commands = [['note:1', 'extension', '/x/a.ts'], ['note:2', 'extension', '/x/b.ts']]
  const [own] = commandsOf(commands, [{ name: 'note', path: '/x/b.ts' }])
  assert.deepEqual(own, { name: 'note:2', source: 'own', canonical: 'note', path: '/x/b.ts' })
  for (const offer of [{ name: 'note' }, { name: 'note', path: '/x/c.ts' }]) {
    assert.deepEqual(named(commandsOf(commands, [offer])), ['extension note:1', 'extension note:2'])
  }
})

test('a link to the file of an extension is that file', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'xylem-offers-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [file, link] = ['note.ts', 'link.ts'].map((name) => join(folder, name))
  writeFileSync(file, '')
  symlinkSync(file, link)
  const commands = [['note:1', 'extension', file], ['note:2', 'extension', '/x/b.ts']]
  assert.equal(commandsOf(commands, [{ name: 'note', path: link }])[0].name, 'note:1')
})

test('a template or a skill of the name is expanded by pi, whatever an extension offers', () => {
  for (const source of ['prompt', 'skill']) {
    assert.deepEqual(named(commandsOf([['note', source, '/p/note.md']], [{ name: 'note' }])), [`${source} note`])
  }
})

test('a name that nobody can type is left out', () => {
  assert.deepEqual(commandsOf(['', ' ', 'a b', '/a', 'a\t'].map((name) => [name, 'prompt', '/p/a.md']), []), [])
})

test('files of the named templates count with their hashes', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'xylem-offers-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'plan.md')
  writeFileSync(file, 'the plan')
  const commands = [['plan', 'prompt', file], ['other', 'prompt', file], ['gone', 'skill', join(folder, 'gone.md')]]
  const hashes = commandsOf(commands, [], [' /plan now', '/gone', 'no /other']).map(({ hash }) => hash)
  assert.deepEqual(hashes, [createHash('sha256').update('the plan').digest('hex'), '', ''])
})
