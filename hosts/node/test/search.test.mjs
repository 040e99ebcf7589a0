// Searches: what is found, what is refused, and how a search ends early.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { addon, damage, header, isError, line, newStore, scratch } from './lib.mjs'

const at = (second) => Date.parse('2026-01-01T00:00:00Z') + 1000 * second

// A message at a second of a minute.
const says = (id, parentId, second, role, text, more = {}) => line(id, parentId, {
  timestamp: new Date(at(second)).toISOString(), message: { role, content: [{ type: 'text', text }], ...more } })

const add = (store, id, cwd, lines) => store.mirror({ header: header(id, { cwd }), lines })

// Two sessions in two directories, and a fork of the first.
function filled(t) {
  const store = newStore(t)
  add(store, 'a', '/p', [says('a1', null, 1, 'user', 'Where is the fox?'), says('a2', 'a1', 2, 'assistant', 'The fox\nis a red fox here'),
    line('a3', 'a2', { type: 'custom', customType: 'todo', data: { text: 'a fox' }, timestamp: new Date(at(3)).toISOString() })])
  add(store, 'b', '/p/below', [says('b1', null, 4, 'user', 'a dog'), says('b2', 'b1', 5, 'toolResult', 'the dog met a fox',
    { toolName: 'bash', toolCallId: 'c', isError: true })])
  store.fork('a', 'a2', 'f')
  return store
}

const found = async (store, options) => (await store.searchAsync(options)).hits.map(({ entry }) => entry)

test('a search finds what was said, the newest first, with the place of the match', async (t) => {
  const store = filled(t)
  const { hits, ...rest } = await store.searchAsync({ patterns: ['fox'] })
  assert.deepEqual(hits.map(({ entry, session, sessionCount }) => [entry, session, sessionCount]),
    [['b2', 'b', 1], ['a3', 'a', 1], ['a2', 'a', 2], ['a1', 'a', 2]])
  assert.deepEqual(hits[0], { session: 'b', sessionCount: 1, entry: 'b2', line: 0, kind: 'message', role: 'toolResult', tool: 'bash',
    failed: true, timeMs: at(5), part: 'result', matchCount: 1, text: 'the dog met a fox', offset: 14, length: 3,
    cutBefore: false, cutAfter: false })
  assert.deepEqual(hits[1], { session: 'a', sessionCount: 1, entry: 'a3', line: 0, kind: 'custom:todo', role: null, tool: null,
    failed: false, timeMs: at(3), part: 'data', matchCount: 1, text: 'a fox', offset: 2, length: 3,
    cutBefore: false, cutAfter: false })
  assert.deepEqual([hits[2].matchCount, hits[2].text], [2, 'The fox']) // the line of the match
  assert.deepEqual(rest, { cut: false, matchCount: 4, sessionCount: 2, entryCount: 5, problems: [], problemCount: 0, ignoredCase: true,
    sessions: [{ id: 'b', matchCount: 1, newestMs: at(5) }, { id: 'a', matchCount: 3, newestMs: at(3) }] })
})

test('an entry has all patterns, in the syntax of the search', async (t) => {
  const store = filled(t)
  assert.deepEqual(await found(store, { patterns: ['fox', 'dog'] }), ['b2'])
  assert.deepEqual(await found(store, { patterns: ['the', 'where'] }), ['a1'])
  assert.deepEqual(await found(store, { patterns: ['The'] }), ['a2'])
  assert.deepEqual(await found(store, { patterns: ['the', 'fox'], syntax: 'exact' }), ['b2', 'a1'])
  assert.deepEqual(await found(store, { patterns: ['f.x\\?$'], syntax: 'regex' }), ['a1'])
  assert.deepEqual(await found(store, { patterns: ['f.x'], syntax: 'smart' }), [])
  assert.equal((await store.searchAsync({ patterns: ['fox', 'The'] })).ignoredCase, false)
})

test('each filter of a search leaves out what does not pass', async (t) => {
  const store = filled(t)
  const all = ['b2', 'b1', 'a3', 'a2', 'a1']
  const cases = [[{}, all], [undefined, all], [{ sessions: [] }, all], [{ sessions: ['b'] }, ['b2', 'b1']], [{ sessions: ['f'] }, ['a2', 'a1']],
    [{ sessions: ['f', 'b'] }, ['b2', 'b1', 'a2', 'a1']], [{ directories: ['/p'] }, all], [{ directories: ['/p/below'] }, ['b2', 'b1']],
    [{ directories: ['/q', '/p/below/'] }, ['b2', 'b1']], [{ kinds: ['user'] }, ['b1', 'a1']], [{ kinds: ['custom:todo', 'assistant'] }, ['a3', 'a2']],
    [{ kinds: ['message'] }, ['b2', 'b1', 'a2', 'a1']], [{ tools: ['bash'] }, ['b2']], [{ tools: ['read'] }, []], [{ errors: true }, ['b2']],
    [{ sinceMs: at(3) }, ['b2', 'b1', 'a3']], [{ untilMs: at(2) }, ['a2', 'a1']], [{ sinceMs: at(2), untilMs: at(4) }, ['b1', 'a3', 'a2']],
    [{ untilMs: 0 }, []], [{ sinceMs: 0 }, all], [{ fast: true, patterns: ['dog'] }, ['b2', 'b1']]]
  for (const [options, entries] of cases) {
    assert.deepEqual(await found(store, options), entries, JSON.stringify(options))
  }
  const { offset, length } = (await store.searchAsync({ kinds: ['user'] })).hits[0]
  assert.deepEqual([offset, length], [0, 0])
})

test('kinds with a colon in their names are told apart', async (t) => {
  const store = newStore(t)
  const types = ['x:1', 'y:2', 'z:3']
  add(store, 's', '/p', types.map((type) => line(type, null, { type, data: 'fox' })))
  assert.deepEqual(await found(store, { kinds: ['x\\:1', 'z\\:3'] }), ['z:3', 'x:1'])
})

test('a search gives no more hits and sessions than it may, and says so', async (t) => {
  const store = filled(t)
  const some = await store.searchAsync({ patterns: ['fox'], max: 1 })
  assert.deepEqual([some.hits.length, some.cut, some.matchCount], [1, true, 4])
  assert.deepEqual([some.sessions.map(({ id }) => id), some.sessionCount], [['b'], 2])
  assert.equal((await store.searchAsync({ patterns: ['fox'], max: 4 })).cut, false)
  add(store, 'many', '/m', Array.from({ length: 501 }, (_, i) => says(`m${i}`, null, 6, 'user', 'many')))
  const counts = async (max) => (await store.searchAsync({ patterns: ['many'], max })).hits.length
  assert.deepEqual([await counts(undefined), await counts(0), await counts(500)], [50, 50, 500])
  await assert.rejects(counts(501), isError('XYLEM_E_LIMIT'))
})

test('the place of a match counts the units of the string', async (t) => {
  const store = newStore(t)
  const long = 'é😀'.repeat(2000)
  add(store, 's', '/p', [says('1', null, 1, 'user', `😀 \ud800 é fox😀 end`), says('2', '1', 2, 'user', `${long}fox${long}`)])
  const [cut, whole] = (await store.searchAsync({ patterns: ['fox'] })).hits
  assert.equal(whole.text, '😀 \ud800 é fox😀 end')
  assert.deepEqual([whole.offset, whole.length, whole.cutBefore, whole.cutAfter], [7, 3, false, false])
  assert.equal(cut.text.slice(cut.offset, cut.offset + cut.length), 'fox')
  assert.deepEqual([cut.cutBefore, cut.cutAfter], [true, true])
  assert.match(cut.text, /^é?(😀é)*😀?foxé?/)
  const [emoji] = (await store.searchAsync({ patterns: ['é fox😀'] })).hits
  assert.equal(emoji.text.slice(emoji.offset, emoji.offset + emoji.length), 'é fox😀')
})

test('a line in quarantine has a number, and no entry', async (t) => {
  const store = newStore(t)
  const file = join(scratch(t), 'a_s.jsonl')
  const broken = Buffer.concat([Buffer.from([0xe2, 0x41, 0xff]), Buffer.from('é fox {')])
  writeFileSync(file, Buffer.concat([Buffer.from(`${header('s')}\n${line('a', null)}\n`), broken, Buffer.from('\n')]))
  await store.importAsync(file)
  assert.deepEqual(await found(store, { patterns: ['fox'] }), [])
  const { hits: [hit], sessions } = await store.searchAsync({ patterns: ['fox'], quarantine: true })
  assert.deepEqual([hit.entry, hit.kind, hit.timeMs, hit.line, hit.part, hit.session], [null, null, null, 3, 'quarantine', 's'])
  assert.equal(hit.text.slice(hit.offset, hit.offset + hit.length), 'fox')
  assert.deepEqual(sessions, [{ id: 's', matchCount: 1, newestMs: null }])
})

test('the ledger of a run is searched if it is named, or asked for', async (t) => {
  const store = newStore(t)
  const run = await store.runStartAsync('{"schema":1,"commands":[]}', { sequenceId: 'q', steps: ['a fox'], session: 's' })
  run.close()
  assert.deepEqual(await found(store, { patterns: ['fox'] }), [])
  assert.deepEqual(await found(store, { patterns: ['fox'], runs: true }), ['start'])
  assert.deepEqual(await found(store, { patterns: ['fox'], sessions: [`seq.${run.id}`] }), ['start'])
})

test('damaged entries are counted, and the first of them are named', async (t) => {
  const made = newStore(t)
  add(made, 's', '/p', [says('good', null, 1, 'user', 'a fox'), says('bad', 'good', 2, 'user', 'damage! fox')])
  add(made, 'many', '/p', Array.from({ length: 120 }, (_, i) => says(`m${i}`, null, 3, 'user', 'damage! fox')))
  const store = damage(made, 'damage!')
  t.after(() => store.close())
  const { hits, problems, problemCount } = await store.searchAsync({ patterns: ['fox'], sessions: ['s'] })
  assert.deepEqual(hits.map(({ entry }) => entry), ['good'])
  assert.equal(problemCount, 1)
  assert.deepEqual([problems[0].session, problems[0].entry, problems.length], ['s', 'bad', 1])
  assert.match(problems[0].text, /./)
  const all = await store.searchAsync({ patterns: ['fox'] })
  assert.deepEqual([all.problemCount, all.problems.length], [121, 100])
})

test('a search that cannot be is an error', async (t) => {
  const store = filled(t)
  store.deleteSession('f')
  const refused = [[{ sessions: ['none'] }, 'XYLEM_E_NOT_FOUND'], [{ sessions: ['f'] }, 'XYLEM_E_DELETED'], [{ kinds: ['a:b'] }, 'XYLEM_E_MALFORMED'],
    [{ patterns: ['('], syntax: 'regex' }, 'XYLEM_E_MALFORMED'], [{ patterns: ['\ud800'] }, 'XYLEM_E_MALFORMED'],
    [{ patterns: ['a', ''] }, 'XYLEM_E_ARGUMENT'], [{ patterns: Array(33).fill('a') }, 'XYLEM_E_LIMIT'],
    [{ patterns: ['a'.repeat(1025)] }, 'XYLEM_E_LIMIT'], [{ max: 501 }, 'XYLEM_E_LIMIT']]
  for (const [options, name] of refused) {
    await assert.rejects(store.searchAsync(options), isError(name), JSON.stringify(options))
  }
  store.close()
  await assert.rejects(store.searchAsync({}), isError('XYLEM_E_ARGUMENT'))
})

test('a store that is closed while a search runs stays open until the end of the search', async (t) => {
  const store = filled(t)
  const searches = [store.searchAsync({ patterns: ['fox'] }), store.searchAsync({ kinds: ['user'] })]
  store.close()
  assert.deepEqual((await Promise.all(searches)).map(({ matchCount }) => matchCount), [4, 2])
})

// --- An early end ------------------------------------------------------------------------------------------------------

const isAbort = (reason) => (error) => isError('AbortError')(error) && error.code === -21 && error.cause === reason

test('an aborted search rejects with an AbortError', async (t) => {
  const store = filled(t)
  await assert.rejects(store.searchAsync({ patterns: ['fox'] }, AbortSignal.abort('early')), isAbort('early'))
  const controller = new AbortController()
  const running = store.searchAsync({ patterns: ['fox'] }, controller.signal)
  controller.abort('late')
  await assert.rejects(running, isAbort('late'))
  assert.deepEqual(await found(store, { patterns: ['dog'] }), ['b2', 'b1'])
  const calm = new AbortController()
  assert.equal((await store.searchAsync({ patterns: ['fox'] }, calm.signal)).matchCount, 4)
  calm.abort() // after the end: nothing
  await assert.rejects(store.searchAsync({ sessions: ['none'] }, new AbortController().signal), isError('XYLEM_E_NOT_FOUND'))
})

test('what is no signal is refused', async (t) => {
  const store = filled(t)
  for (const signal of [null, 7, 'abort', {}, () => {}]) {
    await assert.rejects(store.searchAsync({}, signal), isError('XYLEM_E_ARGUMENT'))
  }
})

// The expression takes seconds for all entries: without the stop the search would give its result.
test('a search that runs ends early when its stop is wished', async (t) => {
  const store = newStore(t)
  const text = 'abcdefghijklmnop '.repeat(1500)
  add(store, 's', '/p', Array.from({ length: 1000 }, (_, i) => says(`e${i}`, null, 1, 'user', text)))
  const open = addon.open(store.path)
  const stop = addon.stop()
  const search = () => addon.searchAsync(open, { patterns: ['[a-p ]{1,20}\\d'], syntax: 'regex' }, stop)
  const running = search()
  const first = await Promise.race([running.catch(() => 'ended'), new Promise((begun) => setTimeout(begun, 60, 'runs'))])
  assert.equal(first, 'runs')
  addon.stopWish(stop)
  await assert.rejects(running, (error) => isError('XYLEM_E_STOPPED')(error) && error.message === 'the search was stopped')
  addon.close(open)
})

// The threads of the pool wait for a writer of a FIFO.
test('a search that waits for a thread ends early when its stop is wished', async (t) => {
  const store = filled(t)
  const fifo = join(scratch(t), 'fifo')
  assert.equal(spawnSync('mkfifo', [fifo]).status, 0)
  const waiting = Array.from({ length: Number(process.env.UV_THREADPOOL_SIZE ?? 4) }, () => open(fifo))
  const controller = new AbortController()
  const search = store.searchAsync({ patterns: ['fox'] }, controller.signal)
  const handle = addon.open(store.path)
  const stop = addon.stop()
  const running = addon.searchAsync(handle, {}, stop)
  const end = (promise) => Promise.race([promise.then(() => 'found', (error) => error),
    new Promise((waits) => setTimeout(waits, 5000, 'waits').unref())])
  controller.abort()
  addon.stopWish(stop)
  const [aborted, stopped] = await Promise.all([end(search), end(running)])
  const writer = openSync(fifo, 'w')
  for (const file of await Promise.all(waiting)) {
    await file.close()
  }
  closeSync(writer)
  addon.close(handle)
  isError('AbortError')(aborted)
  isError('XYLEM_E_STOPPED')(stopped)
  assert.match(stopped.message, /before it ran/)
})

test('a stop may be wished before a search, which does not begin, and after it', async (t) => {
  const handle = addon.open(filled(t).path)
  const stop = addon.stop()
  assert.equal((await addon.searchAsync(handle, { patterns: ['fox'] }, stop)).matchCount, 4)
  addon.stopWish(stop)
  addon.stopWish(stop)
  assert.throws(() => addon.search(handle, { patterns: ['fox'] }, stop), isError('XYLEM_E_STOPPED'))
  await assert.rejects(addon.searchAsync(handle, {}, stop), isError('XYLEM_E_STOPPED'))
  addon.close(handle)
})
