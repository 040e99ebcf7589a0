// Read before write in a real pi, over RPC: the rules, several calls in one answer, the settings.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { piVersion, world } from '../lib/pi.mjs'
import { bash, changeSettings, packageCopy, restart, said, toggle, tool } from './moves.mjs'
import { batch, blocked, calls, changed, deleted, edit, file, guarded, kept, passed, read, unread, write,
} from './reads.mjs'

const withGuard = (guard) => ({ settings: { xylem: { readGuard: guard } } })

// --- The rules ---

test('an edit of a file that was not read is blocked, and passes after a read', async (t) => {
  const w = await guarded(t)
  const path = file(w, 'f')
  const pi = w.start()
  blocked(await edit(pi, 'f'), unread('f'))
  assert.equal(readFileSync(path, 'utf8'), 'one\n')
  passed(await read(pi, 'f'))
  passed(await edit(pi, 'f'))
  assert.equal(readFileSync(path, 'utf8'), 'two\n')
})

test('a write to a file that exists is blocked until a read, and a write to a new file is free', async (t) => {
  const w = await guarded(t)
  const path = file(w, 'f')
  const pi = w.start()
  blocked(await write(pi, 'f'), unread('f'))
  assert.equal(readFileSync(path, 'utf8'), 'one\n')
  passed(await write(pi, 'deep/new'))
  passed(await read(pi, 'f'))
  passed(await write(pi, 'f'))
})

test('a read notes the whole file, whatever part was shown', async (t) => {
  const w = await guarded(t)
  const lines = Array.from({ length: 5000 }, (_, i) => `line ${i}`)
  const path = file(w, 'f', lines.join('\n'))
  const pi = w.start()
  assert.match((await read(pi, 'f', { offset: 10, limit: 1 })).text, /^line 9\n/)
  passed(await edit(pi, 'f', 'line 4999', 'last'))
  passed(await read(pi, 'f', { limit: 1 }))
  writeFileSync(path, [...lines.slice(0, -1), 'end'].join('\n'))
  blocked(await edit(pi, 'f', 'line 0\n', 'first\n'), changed('f'))
})

test('a write over a file of which a range was shown is told the range, and blocked if most of the rest is lost',
  async (t) => {
    const w = await guarded(t)
    const lines = Array.from({ length: 5000 }, (_, i) => `line ${i + 1}`)
    const joined = (list) => `${list.join('\n')}\n`
    const path = file(w, 'f', joined(lines))
    const pi = w.start()
    passed(await read(pi, 'f'))
    const unseen = '3000 of lines 2001 to 5000 of f were never shown'
    const lost = [...lines.slice(0, 3000), 'end']
    blocked(await write(pi, 'f', joined(lost)),
      `Blocked: ${unseen}, and the write drops 2000 of them. Read them, then try again.`)
    assert.equal(readFileSync(path, 'utf8'), joined(lines))
    passed(await edit(pi, 'f', 'line 4999', 'next to last'))
    const few = await write(pi, 'f', joined(['first', ...lines.slice(0, 4997)]))
    passed(few)
    assert.ok(few.text.endsWith('Warning: 2999 of lines 2001 to 5000 of f were never shown, and the write drops 2 of ' +
      'them. The write was not blocked.'), few.text)
    assert.doesNotMatch((await write(pi, 'f', joined(lines))).text, /never shown/) // the model wrote all lines
    passed(await read(pi, 'f', { offset: 3, limit: 2 }))
    assert.doesNotMatch((await write(pi, 'f', joined(lost))).text, /never shown/)
    passed(await bash(pi, `seq 10 >f`))
    passed(await read(pi, 'f', { offset: 9 }))
    blocked(await write(pi, 'f', joined(lines)),
      'Blocked: 8 of lines 1 to 8 of f were never shown, and the write drops 8 of them. Read them, then try again.')
    const again = await restart(w, pi)
    blocked(await write(again, 'f', joined([9, 10])),
      'Blocked: 8 of lines 1 to 8 of f were never shown, and the write drops 8 of them. Read them, then try again.')
    passed(await read(again, 'f', { limit: 8 }))
    passed(await write(again, 'f', 'new'))
  })

test('a read that failed notes nothing', async (t) => {
  const w = await guarded(t)
  file(w, 'f')
  const pi = w.start()
  assert.equal((await read(pi, 'f', { offset: 100 })).isError, true)
  blocked(await edit(pi, 'f'), unread('f'))
})

test('a file that changed after its read blocks edit and write, until it is read again', async (t) => {
  const w = await guarded(t)
  const path = file(w, 'f')
  const pi = w.start()
  passed(await read(pi, 'f'))
  writeFileSync(path, 'one and more\n')
  blocked(await edit(pi, 'f'), changed('f'))
  blocked(await write(pi, 'f'), changed('f'))
  assert.equal(readFileSync(path, 'utf8'), 'one and more\n')
  passed(await read(pi, 'f'))
  passed(await edit(pi, 'f'))
})

test('a file with other times and the same content has not changed', async (t) => {
  const w = await guarded(t)
  const path = file(w, 'f')
  const pi = w.start()
  passed(await read(pi, 'f'))
  utimesSync(path, 1e9, 1e9)
  rmSync(path)
  writeFileSync(path, 'one\n')
  passed(await edit(pi, 'f'))
})

test('a file that was read and is gone blocks both; after a read that fails a write makes it anew', async (t) => {
  const w = await guarded(t)
  const path = file(w, 'f')
  const pi = w.start()
  passed(await read(pi, 'f'))
  rmSync(path)
  blocked(await edit(pi, 'f'), deleted('f'))
  blocked(await write(pi, 'f'), `${deleted('f')} Read it to see that it is gone, then write it anew.`)
  assert.equal(existsSync(path), false)
  assert.equal((await read(pi, 'f')).isError, true)
  passed(await write(pi, 'f'))
})

test('an edit and a write note the new fingerprint', async (t) => {
  const w = await guarded(t)
  const path = file(w, 'f')
  const pi = w.start()
  passed(await read(pi, 'f'))
  passed(await edit(pi, 'f', 'one', 'two'))
  passed(await edit(pi, 'f', 'two', 'three'))
  passed(await write(pi, 'f', 'four\n'))
  passed(await edit(pi, 'f', 'four', 'five'))
  writeFileSync(path, 'by another\n')
  blocked(await edit(pi, 'f', 'by', 'of'), changed('f'))
})

test('a new file that was written may be edited and written', async (t) => {
  const w = await guarded(t)
  const pi = w.start()
  passed(await write(pi, 'f', 'one\n'))
  passed(await edit(pi, 'f', 'one', 'two'))
  passed(await write(pi, 'f'))
})

test('an edit that failed notes nothing', async (t) => {
  const w = await guarded(t)
  const path = file(w, 'f')
  const pi = w.start()
  passed(await read(pi, 'f'))
  assert.match((await edit(pi, 'f', 'none', 'x')).text, /^Could not find/)
  writeFileSync(path, 'other\n')
  blocked(await edit(pi, 'f', 'other', 'x'), changed('f'))
})

test('a formatter that bash ran makes a file changed', async (t) => {
  const w = await guarded(t)
  file(w, 'f')
  const pi = w.start()
  passed(await read(pi, 'f'))
  passed(await edit(pi, 'f', 'one', 'two'))
  passed(await bash(pi, 'sed -i s/two/TWO/ f'))
  blocked(await edit(pi, 'f', 'TWO', 'x'), changed('f'))
  passed(await read(pi, 'f'))
  passed(await edit(pi, 'f', 'TWO', 'x'))
})

test('an image that was read may be written', async (t) => {
  const w = await guarded(t)
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  file(w, 'f.png', Buffer.from(png, 'base64'))
  const pi = w.start()
  assert.match((await read(pi, 'f.png')).text, /^Read image file/)
  passed(await write(pi, 'f.png'))
})

test('cat alone counts as a read, and whatever else bash runs does not', async (t) => {
  const w = await guarded(t, { extensions: ['read-guard', 'readonly'] })
  const names = ['f', 'a b', "it's", '-n', 'é.txt', 'long']
  names.forEach((name) => file(w, name))
  file(w, 'long', Array.from({ length: 3000 }, (_, i) => `line ${i}\n`).join(''))
  const pi = w.start()
  for (const command of ['cat f >g', 'cat f | tail -1', 'cat -n f', 'cat f; true', 'cat <f', 'cat *', 'cat "f"',
    'cat $(echo f)', 'echo f', 'cd . && cat f', 'cat f\ntrue', 'cat f nowhere', 'head f', 'cat -- -n', 'cat f # f']) {
    await bash(pi, command)
    blocked(await edit(pi, 'f'), unread('f'))
  }
  const [, early] = await batch(pi, ['bash', { command: 'cat f' }], calls.edit('f'))
  blocked(early, `${unread('f')} It is being read in the same batch.`)
  await toggle(pi, 'on') // which puts a command in front of the command
  passed(await bash(pi, "cat ./f 'a b' é.txt"))
  await toggle(pi, 'off')
  for (const name of ['f', 'a b', 'é.txt']) {
    passed(await edit(pi, name))
  }
  blocked(await edit(pi, "it's"), unread("it's"))
  passed(await bash(pi, 'cat long')) // pi shows the end
  assert.match((await write(pi, 'long')).text, /^Blocked: \d+ of lines 1 to \d+ of long were never shown/)
})

test('other tools than read, edit and write pass', async (t) => {
  const w = await guarded(t)
  const path = file(w, 'f')
  const pi = w.start()
  passed(await bash(pi, 'echo more >>f'))
  assert.equal(readFileSync(path, 'utf8'), 'one\nmore\n')
})

// --- Several calls in one answer ---

test('a read and an edit of one file in one batch: the edit is blocked, and the reason says so', async (t) => {
  const w = await guarded(t)
  file(w, 'f')
  symlinkSync('f', join(w.sandbox.project, 'link'))
  const pi = w.start()
  const [first, second, third] = await batch(pi, calls.read('link'), calls.edit('f'), calls.write('f'))
  passed(first)
  blocked(second, `${unread('f')} It is being read in the same batch.`)
  blocked(third, `${unread('f')} It is being read in the same batch.`)
  passed(await edit(pi, 'f'))
})

test('two edits of one file in one batch both pass, and a later edit too', async (t) => {
  const w = await guarded(t)
  const path = file(w, 'f', 'one two\n')
  const pi = w.start()
  passed(await read(pi, 'f'))
  const results = await batch(pi, calls.edit('f', 'one', '1'), calls.edit('f', 'two', '2'))
  results.forEach(passed)
  passed(await edit(pi, 'f', '1 2', '3'))
  assert.equal(readFileSync(path, 'utf8'), '3\n')
})

test('two edits of one unread file in one batch are both blocked', async (t) => {
  const w = await guarded(t)
  file(w, 'f')
  const pi = w.start()
  for (const result of await batch(pi, calls.edit('f'), calls.edit('f'), calls.write('f'))) {
    blocked(result, unread('f'))
  }
})

test('a write of a new file and its edits in one batch pass', async (t) => {
  const w = await guarded(t)
  const pi = w.start()
  const results = await batch(pi, calls.write('deep/f', 'one\n'), calls.edit('deep/f', 'one', 'two'),
    calls.edit('./deep/f', 'two', 'three'))
  results.forEach(passed)
  assert.equal(readFileSync(join(w.sandbox.project, 'deep/f'), 'utf8'), 'three\n')
  passed(await edit(pi, 'deep/f', 'three', 'four'))
})

test('a new file behind a linked directory is the file in the directory', async (t) => {
  const w = await guarded(t)
  mkdirSync(join(w.sandbox.project, 'folder'))
  symlinkSync('folder', join(w.sandbox.project, 'link'))
  const pi = w.start()
  passed(await write(pi, 'link/deep/f', 'one\n'))
  passed(await edit(pi, 'folder/deep/f', 'one', 'two'))
})

test('a call that ended, and a call that was blocked, let no later edit pass', async (t) => {
  const w = await guarded(t)
  const path = file(w, 'f')
  const pi = w.start()
  passed(await read(pi, 'f'))
  passed(await edit(pi, 'f'))
  writeFileSync(path, 'other\n')
  blocked(await edit(pi, 'f'), changed('f'))
  blocked(await edit(pi, 'f'), changed('f'))
})

test('calls that a tool makes are guarded too', async (t) => {
  const w = await guarded(t, { helpers: ['nested'] })
  const path = file(w, 'f', 'one two\n')
  file(w, 'g')
  const pi = w.start()
  passed(await read(pi, 'f'))
  const { text } = await tool(pi, 'nested', { calls: [calls.edit('f', 'one', '1'), calls.edit('g'),
    calls.edit('f', 'two', '2')] })
  if (piVersion === '0.87.1') {
    assert.match(text, /no nested calls/)
    return
  }
  const outcomes = JSON.parse(text)
  assert.deepEqual(outcomes.map(({ isError }) => isError), [false, true, false], text)
  assert.equal(outcomes[1].result.content[0].text, unread('g'))
  assert.equal(readFileSync(path, 'utf8'), '1 2\n')
  passed(await edit(pi, 'f', '1 2', '3'))
})

test('calls that a tool makes one by one: a formatter in between makes the file changed', async (t) => {
  const w = await guarded(t, { helpers: ['nested'] })
  file(w, 'f')
  const pi = w.start()
  passed(await read(pi, 'f'))
  const { text } = await tool(pi, 'nested', { oneByOne: true, calls: [calls.edit('f', 'one', 'two'),
    calls.edit('f', 'two', 'three'), ['bash', { command: 'echo other >f' }], calls.edit('f', 'other', 'x')] })
  if (piVersion === '0.87.1') {
    assert.match(text, /no nested calls/)
    return
  }
  const outcomes = JSON.parse(text)
  assert.deepEqual(outcomes.map(({ isError }) => isError), [false, false, false, true], text)
  assert.equal(outcomes[3].result.content[0].text, changed('f'))
})

// --- Settings ---

test('with the setting warn a change passes, and the model is told', async (t) => {
  const w = await guarded(t, withGuard('warn'))
  const path = file(w, 'f')
  const pi = w.start()
  const { isError, text } = await edit(pi, 'f')
  assert.equal(isError, false)
  assert.match(text, /^Successfully replaced/)
  assert.ok(text.endsWith('Warning: f was not read in this session. The edit was not blocked.'), text)
  assert.match(JSON.stringify(w.model.requests.at(-1).messages.at(-1)), /Warning: f was not read/)
  writeFileSync(path, 'other\n')
  const again = await edit(pi, 'f', 'other', 'more')
  assert.ok(again.text.endsWith('Warning: f changed on disk after it was read. The edit was not blocked.'), again.text)
  assert.doesNotMatch((await edit(pi, 'f', 'more', 'less')).text, /Warning/)
  rmSync(path)
  const anew = await write(pi, 'f')
  passed(anew)
  assert.match(anew.text, /Warning: f was deleted after it was read\./)
  assert.equal(readFileSync(path, 'utf8'), 'new\n')
})

test('with the setting warn an edit that fails is told too', async (t) => {
  const w = await guarded(t, withGuard('warn'))
  const path = file(w, 'f')
  const pi = w.start()
  await read(pi, 'f')
  writeFileSync(path, 'other\n')
  assert.match((await edit(pi, 'f')).text, /^Could not find[^]*Warning: f changed on disk after it was read/)
})

test('with the setting write an edit passes with a warning and proves nothing, and a write is blocked', async (t) => {
  const w = await guarded(t, withGuard('write'))
  const path = file(w, 'f', 'one\ntwo\n')
  const pi = w.start()
  for (const [from, to] of [['one', '1'], ['two', '2']]) {
    const result = await edit(pi, 'f', from, to)
    passed(result)
    assert.ok(result.text.endsWith('Warning: f was not read in this session. The edit was not blocked.'), result.text)
  }
  assert.equal(readFileSync(path, 'utf8'), '1\n2\n')
  blocked(await write(pi, 'f'), unread('f'))
  const [first, second] = await batch(pi, calls.edit('f', '1', 'one'), calls.write('f'))
  passed(first)
  blocked(second, unread('f'))
  passed(await read(pi, 'f'))
  assert.doesNotMatch((await edit(pi, 'f', '2', 'two')).text, /Warning/)
  passed(await write(pi, 'f'))
})

test('with the setting off nothing is blocked, told or kept', async (t) => {
  const w = await guarded(t, withGuard('off'))
  file(w, 'f')
  const pi = w.start()
  await read(pi, 'f')
  passed(await bash(pi, 'echo other >f'))
  assert.match((await edit(pi, 'f', 'other', 'more')).text, /^Successfully replaced 1 block\(s\) in f\.$/)
  assert.deepEqual(await kept(w, pi), [])
})

test('a setting that does not fit is named, and the guard stays strict', async (t) => {
  const w = await guarded(t, withGuard('on'))
  file(w, 'f')
  const pi = w.start()
  blocked(await edit(pi, 'f'), unread('f'))
  assert.match(said(pi), /xylem\.readGuard: expected "strict", "write", "warn" or "off"/)
})

test('a name that is unknown is named, nothing is kept, and the guard stays strict', async (t) => {
  const named = [[{ miror: false }, 'miror'], [{ readonly: { blockOther: true } }, 'readonly.blockOther'],
    [{ 'readonly.flag': false }, 'readonly.flag']]
  const w = await guarded(t, { settings: { xylem: named[0][0] } })
  file(w, 'f')
  for (const [xylem, name] of named) {
    changeSettings(w, { xylem })
    const pi = w.start()
    blocked(await edit(pi, 'f'), unread('f'))
    assert.ok(said(pi).includes(`xylem.${name}: an unknown name, or a name of a newer version. Until this is mended`))
    await pi.stop()
  }
  assert.equal(existsSync(w.sandbox.store), false)
  changeSettings(w, { xylem: { readonly: { flag: false } } })
  const pi = w.start()
  await pi.prompt('hello')
  assert.doesNotMatch(said(pi), /unknown name/)
  await w.until(() => existsSync(w.sandbox.store), 'a store') // the control
})

test('the settings of a project change nothing', async (t) => {
  const w = await guarded(t)
  file(w, 'f')
  file(w, '.pi/settings.json', JSON.stringify({ xylem: { readGuard: 'off' } }))
  blocked(await edit(w.start(), 'f'), unread('f'))
})

test('a changed setting holds from the next session on', async (t) => {
  const w = await guarded(t)
  file(w, 'f')
  const pi = w.start()
  blocked(await edit(pi, 'f'), unread('f'))
  changeSettings(w, { xylem: { readGuard: 'off' } })
  await pi.send('new_session')
  passed(await edit(pi, 'f'))
})

// --- Beside readonly; without the store; without the addon ---

test('readonly answers first', async (t) => {
  const w = await guarded(t, { extensions: ['read-guard', 'readonly'] })
  file(w, 'f')
  const pi = w.start()
  await toggle(pi, 'on')
  assert.match((await edit(pi, 'f')).text, /^Readonly mode/)
  await read(pi, 'f')
  await toggle(pi, 'off')
  passed(await edit(pi, 'f'))
})

test('without a store the guard works in full, from the session of pi', async (t) => {
  const w = await guarded(t)
  mkdirSync(w.sandbox.store, { recursive: true })
  writeFileSync(join(w.sandbox.store, 'data.mdb'), 'no store\n'.repeat(2000))
  const path = file(w, 'f')
  const pi = w.start()
  blocked(await edit(pi, 'f'), unread('f'))
  await read(pi, 'f')
  const again = await restart(w, pi)
  passed(await edit(again, 'f'))
  writeFileSync(path, 'other\n')
  blocked(await edit(again, 'f', 'other'), changed('f'))
})

test('without the addon nothing is blocked, and one notice says so', async (t) => {
  const w = await world(t, { extensions: [], helpers: ['commands', 'recorder'] })
  file(w, 'f')
  const pi = w.start(['-e', packageCopy(w, false, 'read-guard')])
  passed(await edit(pi, 'f'))
  await pi.send('new_session')
  await pi.command('/again')
  passed(await edit(pi, 'f', 'two', 'three'))
  assert.equal(said(pi).match(/xylem-native.*Nothing checks that a file was read before it is changed/g).length, 1)
  assert.deepEqual(await kept(w, pi), [])
})
