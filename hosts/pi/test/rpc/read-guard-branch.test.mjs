// Read before write in a real pi: the table of what was read, where it is kept, and what brings it back.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { extension } from '../lib/pi.mjs'
import { COMPACTION, bash, exported, record, restart, runPi, tool } from './moves.mjs'
import { batch, blocked, calls, changed, edit, file, guarded, inTurn, kept, longAgo, passed, read,
  unread } from './reads.mjs'

// --- The table ---

test('of 101 files the first is evicted, must be read again, and was read too long ago', async (t) => {
  const w = await guarded(t)
  const names = Array.from({ length: 101 }, (_, i) => `f${i}`)
  names.forEach((name) => file(w, name))
  const pi = w.start()
  await inTurn(pi, names.map((name) => calls.read(name)))
  blocked(await edit(pi, 'f0'), longAgo('f0'))
  passed(await edit(pi, 'f1'))
  passed(await edit(pi, 'f100'))
  passed(await read(pi, 'f0'))
  blocked(await edit(pi, 'f2'), longAgo('f2'))
  const again = await restart(w, pi)
  passed(await edit(again, 'f0'))
  passed(await edit(again, 'f3'))
  blocked(await edit(again, 'f2'), longAgo('f2'))
})

test('a passed check uses a file: it outlives a file that was read later', async (t) => {
  const w = await guarded(t)
  const names = Array.from({ length: 100 }, (_, i) => `f${i}`)
  names.forEach((name) => file(w, name))
  file(w, 'more')
  const pi = w.start()
  await inTurn(pi, names.map((name) => calls.read(name)))
  assert.match((await edit(pi, 'f0', 'none')).text, /^Could not find/)
  passed(await read(pi, 'more'))
  passed(await edit(pi, 'f0'))
  blocked(await edit(pi, 'f1'), longAgo('f1'))
})

// --- The entries ---

test('a turn with notes has one entry, and a turn without notes has none', async (t) => {
  const w = await guarded(t)
  const paths = ['a', 'b'].map((name) => file(w, name))
  const pi = w.start()
  await batch(pi, calls.read('a'), calls.read('b'), calls.write('c', 'new\n'))
  const [data, ...more] = await kept(w, pi)
  assert.deepEqual(more, [])
  assert.equal(data.version, 1)
  const byPath = data.files.map(({ path, bytes, by, hash }) => {
    assert.match(hash, /^xxh3-128:[0-9a-f]{32}$/)
    return [path, bytes, by]
  }).sort()
  assert.deepEqual(byPath, [[paths[0], 4, 'read'], [paths[1], 4, 'read'], [join(w.sandbox.project, 'c'), 4, 'write']])
  await pi.prompt('hello')
  await edit(pi, 'unknown')
  assert.equal((await kept(w, pi)).length, 1)
  await exported(w, await pi.sessionId())
})

test('the store has the reads, and the command lists them', async (t) => {
  const w = await guarded(t)
  const path = file(w, 'f')
  const pi = w.start()
  await read(pi, 'f')
  const id = await pi.sessionId()
  await exported(w, id)
  assert.match(await w.xylem('files', id, '--noted'), /\bread\b.*\bf\b/)
  await w.xylem('files', id, '--check', 'f') // fails if edit is blocked
  writeFileSync(path, 'other\n')
  await assert.rejects(w.xylem('files', id, '--check', 'f'), { code: 1 })
})

test('an entry that is not valid is skipped', async (t) => {
  const w = await guarded(t)
  file(w, 'f')
  const pi = w.start()
  await read(pi, 'f')
  for (const data of ['', 'null', '[]', '{"redacted":"x"}', '{"version":2,"whole":true,"files":[]}',
    '{"version":1,"whole":false,"files":[{"path":7}]}']) {
    await pi.command(`/entry file-reads ${data}`)
  }
  await pi.command('/again')
  passed(await edit(pi, 'f'))
})

// --- What brings the table back ---

test('after a kill and --continue an unchanged file passes, and a file changed behind pi is blocked', async (t) => {
  const w = await guarded(t)
  const path = file(w, 'f')
  file(w, 'g')
  const pi = w.start()
  await read(pi, 'f')
  await read(pi, 'g')
  await pi.kill()
  writeFileSync(path, 'one, behind\n')
  const again = w.start(['--continue'])
  blocked(await edit(again, 'f'), changed('f'))
  passed(await edit(again, 'g'))
  await again.kill()
  const third = w.start(['--continue'])
  blocked(await edit(third, 'f'), changed('f'))
  passed(await edit(third, 'g', 'two', 'three'))
})

test('a reload and a compaction keep the reads', async (t) => {
  const w = await guarded(t, { settings: COMPACTION })
  file(w, 'f')
  const pi = w.start()
  await read(pi, 'f')
  await pi.command('/again')
  passed(await edit(pi, 'f'))
  await pi.prompt('~big 4000')
  await pi.send('compact')
  passed(await edit(pi, 'f', 'two', 'three'))
})

// Waits until a read has ended and a command beside it goes on.
async function isRead(w, pi, from) {
  await pi.wait(({ type, toolName }) => type === 'tool_execution_end' && toolName === 'read', 'the read', from)
  await w.until(() => existsSync(join(w.sandbox.project, 'began')), 'the command')
}

// pi 1.5 refuses such a reload.
for (const extensions of [['read-guard'], ['read-guard', 'todo'], ['todo', 'read-guard']]) {
  test(`a reload in the middle of a turn keeps what was read before and behind it: ${extensions}`, async (t) => {
    const w = await guarded(t, { problems: true, extensions })
    for (const name of ['f', 'g']) {
      file(w, name)
    }
    const pi = w.start()
    const from = pi.lines.length
    const wait = ['bash', { command: 'touch began; while [ ! -e go ]; do sleep 0.05; done' }]
    await pi.send('prompt', { message: `~tools ${JSON.stringify([calls.read('f'), wait])}\n~tool read {"path":"g"}` })
    await isRead(w, pi, from)
    await pi.command('/again')
    file(w, 'go')
    await pi.wait(({ type }) => type === 'agent_settled', 'the end of the turn', from)
    assert.deepEqual(pi.problems().filter(({ error }) => !/^Wait for the current response/.test(error)), [])
    passed(await edit(pi, 'f'))
    passed(await edit(pi, 'g'))
  })
}

test('a turn that was aborted keeps what was read', async (t) => {
  const w = await guarded(t)
  file(w, 'f')
  const pi = w.start()
  const from = pi.lines.length
  const wait = ['bash', { command: 'touch began; sleep 60' }]
  await pi.send('prompt', { message: `~tools ${JSON.stringify([calls.read('f'), wait])}` })
  await isRead(w, pi, from)
  await pi.send('abort')
  await pi.wait(({ type }) => type === 'agent_settled', 'the end of the turn', from)
  passed(await edit(await restart(w, pi), 'f'))
})

test('a pi that ends in the middle of a turn keeps what was read', async (t) => {
  const w = await guarded(t)
  file(w, 'f')
  const pi = w.start()
  const from = pi.lines.length
  const wait = ['bash', { command: 'touch began; sleep 60' }]
  const id = await pi.sessionId()
  await pi.send('prompt', { message: `~tools ${JSON.stringify([calls.read('f'), wait])}` })
  await isRead(w, pi, from)
  await pi.stop()
  passed(await edit(w.start(['--session', w.fileOf(id)]), 'f'))
})

test('a new session knows no file', async (t) => {
  const w = await guarded(t)
  file(w, 'f')
  const pi = w.start()
  await read(pi, 'f')
  await pi.send('new_session')
  blocked(await edit(pi, 'f'), unread('f'))
})

test('a fork has the reads of its path, a clone has all, and each goes on by itself', async (t) => {
  const w = await guarded(t)
  for (const name of ['f', 'g']) {
    file(w, name)
  }
  const pi = w.start()
  await read(pi, 'f')
  await read(pi, 'g')
  const source = w.fileOf(await pi.sessionId())
  await pi.send('clone')
  passed(await edit(pi, 'g'))
  await pi.send('switch_session', { sessionPath: source })
  assert.ok((await edit(pi, 'g')).text.startsWith(changed('g'))) // by the clone
  const { messages } = await pi.send('get_fork_messages')
  await pi.send('fork', { entryId: messages[1].entryId })
  passed(await edit(pi, 'f'))
  blocked(await edit(pi, 'g'), unread('g'))
})

test('a move in the tree before a read forgets the read, and a move back brings it back', async (t) => {
  const w = await guarded(t)
  file(w, 'f')
  const pi = w.start()
  await pi.prompt('hello')
  const { leaf: before } = await record(w, pi)
  await read(pi, 'f')
  const { leaf: behind } = await record(w, pi)
  await pi.command(`/goto ${before}`)
  blocked(await edit(pi, 'f'), unread('f'))
  await pi.command(`/goto ${behind}`)
  passed(await edit(pi, 'f'))
})

test('a second pi at the session knows its reads', async (t) => {
  const w = await guarded(t)
  file(w, 'f')
  const pi = w.start()
  await read(pi, 'f')
  const other = w.start(['--session', w.fileOf(await pi.sessionId())])
  passed(await edit(other, 'f'))
  blocked(await edit(pi, 'f', 'two', 'three'), changed('f'))
})

test('a session without a file has a table too', async (t) => {
  const w = await guarded(t)
  file(w, 'f')
  const pi = w.start(['--no-session'])
  blocked(await edit(pi, 'f'), unread('f'))
  await read(pi, 'f')
  await pi.command('/again')
  passed(await edit(pi, 'f'))
})

test('in print mode the guard blocks', async (t) => {
  const w = await guarded(t)
  const path = file(w, 'f')
  await runPi(w, ['-p', `~tool edit ${JSON.stringify(calls.edit('f')[1])}`], [extension('read-guard')])
  assert.equal(readFileSync(path, 'utf8'), 'one\n')
})

// --- Who wrote last ---

test('a block names the session of the directory that changed the file', async (t) => {
  const w = await guarded(t)
  file(w, 'f')
  const [pi, other] = [w.start(), w.start()]
  await read(pi, 'f')
  await read(other, 'f')
  passed(await edit(other, 'f', 'one', 'two'))
  const id = await other.sessionId()
  await exported(w, id)
  const { text } = await edit(pi, 'f', 'two', 'three')
  assert.equal(text, `${changed('f')} It was last written by session ${id}, less than 1 min ago.`)
  await other.stop()
  passed(await read(pi, 'f'))
  passed(await edit(pi, 'f', 'two', 'three'))
  passed(await bash(pi, 'echo four >f'))
  blocked(await edit(pi, 'f', 'four', 'five'), changed('f')) // the other session wrote before this read
})

test('a block names nobody if the session that wrote is in another directory, or not kept', async (t) => {
  const w = await guarded(t)
  file(w, 'f')
  const pi = w.start()
  await read(pi, 'f')
  const other = w.start(['--no-session'])
  await read(other, 'f')
  passed(await edit(other, 'f', 'one', 'two'))
  blocked(await edit(pi, 'f', 'two', 'three'), changed('f'))
})

// --- Children ---

// A child in the process of its parent, with the guard.
async function spawned(t, more) {
  const w = await guarded(t, { helpers: ['spawn'] })
  const path = file(w, 'f')
  const pi = w.start()
  await read(pi, 'f')
  const [name, input] = calls.edit('f')
  const task = `~tool ${name} ${JSON.stringify(input)}`
  const result = await tool(pi, 'spawn', { task, extensions: [extension('read-guard')], ...more })
  return { pi, path, ...result }
}

test('a child in the same process has its own table', async (t) => {
  const { pi, path, text } = await spawned(t, {})
  assert.ok(text.includes(unread('f')), text)
  assert.equal(readFileSync(path, 'utf8'), 'one\n')
  passed(await edit(pi, 'f'))
})

test('a child with the context of its parent has the reads of its parent, and its own afterwards', async (t) => {
  const { pi, path, text } = await spawned(t, { context: true })
  assert.match(text, /Successfully replaced/)
  assert.equal(readFileSync(path, 'utf8'), 'two\n')
  blocked(await edit(pi, 'f', 'two', 'three'), changed('f'))
})
