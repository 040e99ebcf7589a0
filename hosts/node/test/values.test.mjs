// Values that cross between JavaScript and C.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addon, header, isError, newStore, xylem } from './lib.mjs'

const state = () => addon.rehydrateFrom([], undefined)
const wrong = {
  string: [undefined, null, 1, true, {}, [], Symbol('s'), 1n, () => 1],
  name: [undefined, null, 1, {}, [], Symbol('s'), 'a\0b'],
  count: [null, '1', -1, 0.5, NaN, Infinity, 2 ** 53, 1n, {}],
  boolean: [null, 0, 'true', {}, Symbol('s')],
  object: [null, 1, 'text', true, Symbol('s'), 1n],
  strings: [undefined, null, 'ab', {}, { length: 2 }, [1], ['a', null], [, 'hole']],
  store: [undefined, null, 1, 'store', {}, [], () => 1, Object.create(null), new Proxy({}, {})],
  word: [undefined, null, '', 'other', 1, {}, 'readonly\0'],
}

// Calls `call` with each wrong value of a type: an error that names the argument, and never a crash.
function refuses(type, call, but = []) {
  for (const value of wrong[type].filter((one) => !but.includes(one))) {
    assert.throws(() => call(value), isError('XYLEM_E_ARGUMENT'))
  }
}

test('a string comes back as it went in', () => {
  const units = Array.from({ length: 0x10000 }, (_, i) => i)
  const all = Array.from({ length: 16 }, (_, i) => String.fromCharCode(...units.slice(i * 4096, (i + 1) * 4096)))
  const texts = ['', '\0', 'a\0b', 'é', '€', '😀', '\ud800', '\udfff', '\udfff\ud800', 'a\ud83d', '\ud83d\ud83d\ude00', ...all]
  for (const text of texts) {
    xylem.note('text', text)
    assert.equal(xylem.noted('text'), text)
    xylem.note(text, 'value')
    assert.equal(xylem.noted(text), 'value')
    xylem.note(text)
    assert.equal(xylem.noted(text), null)
  }
  const long = '€\ud800'.repeat(1 << 20)
  xylem.note('text', long)
  assert.ok(xylem.noted('text') === long)
  xylem.note('text')
})

test('an argument of a wrong type is an error that names the argument', (t) => {
  const store = newStore(t)
  refuses('name', (value) => xylem.open(value))
  refuses('object', (value) => xylem.open('/tmp', value))
  refuses('boolean', (create) => xylem.open('/tmp', { create }))
  refuses('boolean', (readOnly) => xylem.open('/tmp', { readOnly }))
  refuses('count', (waitMs) => xylem.open('/tmp', { waitMs }))
  for (const name of ['session', 'rehydrate', 'entries', 'deleteSession', 'undeleteSession', 'leaseTake', 'leaseRelease']) {
    refuses('string', (value) => store[name](value))
  }
  refuses('string', (value) => store.hasEntry(value, 'e1'))
  refuses('string', (value) => store.hasEntry('s', value))
  refuses('count', (value) => store.entries('s', value))
  assert.throws(() => store.session(), /the session's id: expected a string/)
})

test('every argument of a promise is checked too', async (t) => {
  const store = newStore(t)
  await assert.rejects(xylem.openAsync(1), isError('XYLEM_E_ARGUMENT'))
  await assert.rejects(store.importAsync('a\0b'), isError('XYLEM_E_ARGUMENT'))
  await assert.rejects(store.mirrorAsync(), isError('XYLEM_E_ARGUMENT'))
  for (const name of ['deleteSession', 'undeleteSession', 'leaseTake', 'leaseRelease']) {
    await assert.rejects(store[`${name}Async`](1), isError('XYLEM_E_ARGUMENT'))
  }
})

test('every member of held lines is checked', (t) => {
  const store = newStore(t)
  const held = { header: header('s'), lines: [] }
  refuses('object', (value) => store.mirror(value))
  refuses('string', (value) => store.mirror({ ...held, header: value }))
  refuses('strings', (lines) => store.mirror({ ...held, lines }))
  refuses('count', (firstLine) => store.mirror({ ...held, firstLine }))
  for (const member of ['leafId', 'leafReason', 'sourceName']) {
    refuses('string', (value) => store.mirror({ ...held, [member]: value }), member === 'leafId' ? [undefined, null] : [undefined])
  }
  assert.equal(store.session('s'), null)
})

test('every member of an event and of a held entry is checked', (t) => {
  const store = newStore(t)
  for (const call of [(event) => xylem.rehydrateFrom([], event), (event) => store.rehydrate('s', event)]) {
    refuses('object', call)
    refuses('word', (type) => call({ type }))
    refuses('word', (reason) => call({ type: 'session_start', reason }), [undefined])
    for (const member of ['flagReadonly', 'flagIsFallback', 'previousReadonly']) {
      refuses('boolean', (value) => call({ type: 'session_tree', [member]: value }))
    }
  }
  refuses('strings', (entries) => xylem.rehydrateFrom(entries))
  const entry = { id: 'a', kind: 'custom:readonly' }
  refuses('string', (id) => xylem.rehydrateFrom([{ ...entry, id }]))
  refuses('string', (kind) => xylem.rehydrateFrom([{ ...entry, kind }]))
  refuses('string', (data) => xylem.rehydrateFrom([{ ...entry, data }]), [undefined])
  assert.throws(() => xylem.rehydrateFrom([{ ...entry, kind: 'a:b' }]), isError('XYLEM_E_MALFORMED'))
  assert.throws(() => xylem.rehydrateFrom([{ ...entry, kind: 'k'.repeat(5000) }]), isError('XYLEM_E_LIMIT'))
})

test('every argument of the gate and of the judge is checked', () => {
  const on = xylem.rehydrateFrom([], { type: 'session_start', flagReadonly: true })
  const call = { name: 'bash', input: '{}' }
  refuses('object', (value) => on.ask(value))
  refuses('string', (name) => on.ask({ ...call, name }))
  refuses('string', (input) => on.ask({ ...call, input }))
  refuses('name', (cwd) => on.ask({ ...call, cwd }), [undefined])
  assert.throws(() => on.ask({ ...call, input: '{"command":"ls"}', cwd: 'not/absolute' }), isError('XYLEM_E_ARGUMENT'))
  for (const member of ['readOnly', 'destructive']) {
    refuses('boolean', (value) => on.ask({ ...call, [member]: value }))
  }
  for (const asked of [(options) => on.ask(call, options), (options) => on.childTools([], options)]) {
    refuses('object', asked)
    refuses('strings', (writeTools) => asked({ writeTools }), [undefined])
    refuses('strings', (shellTools) => asked({ shellTools }), [undefined])
    refuses('boolean', (blockOthers) => asked({ blockOthers }))
  }
  refuses('strings', (names) => on.childTools(names))
  assert.throws(() => on.childTools(['a\0b']), isError('XYLEM_E_ARGUMENT'))
  refuses('word', (policy) => xylem.judge(policy, 'ls'))
  refuses('string', (command) => xylem.judge('readonly', command))
  refuses('name', (cwd) => xylem.judge('readonly', 'ls', cwd), [undefined])
  refuses('string', (key) => xylem.note(key, 'v'))
  refuses('string', (value) => xylem.note('k', value), [undefined])
  refuses('string', (key) => xylem.noted(key))
})

test('every argument of steps and recordings is checked', () => {
  const catalogue = '{"schema":1,"commands":[]}'
  const recorder = new xylem.Recorder()
  refuses('string', (value) => xylem.resolveStep(value, 'a'))
  refuses('string', (value) => xylem.resolveStep(catalogue, value))
  refuses('string', (value) => xylem.resolveSequence(value, []))
  refuses('strings', (steps) => xylem.resolveSequence(catalogue, steps))
  refuses('strings', (args) => xylem.resolveSequence(catalogue, [], args), [undefined])
  refuses('strings', (steps) => xylem.wantsArgs(steps))
  refuses('strings', (steps) => xylem.sequenceJson(steps))
  refuses('string', (id) => xylem.sequenceJson([], id), [undefined])
  refuses('strings', (steps) => new xylem.Recorder(steps), [undefined])
  refuses('string', (value) => recorder.add(value, 'a'))
  refuses('string', (value) => recorder.add(catalogue, value))
  refuses('count', (at) => recorder.replace(catalogue, at, 'a'))
  refuses('count', (at) => recorder.remove(at))
  assert.deepEqual(recorder.steps, [])
})

test('every argument of a run is checked', async (t) => {
  const store = newStore(t)
  const catalogue = '{"schema":1,"commands":[]}'
  const options = { sequenceId: 'q', steps: ['a'], session: 's' }
  const refusesAsync = async (type, call, but = []) => {
    for (const value of wrong[type].filter((one) => !but.includes(one))) {
      await assert.rejects(call(value), isError('XYLEM_E_ARGUMENT'))
    }
  }
  await refusesAsync('string', (value) => store.runStartAsync(value, options))
  await refusesAsync('object', (value) => store.runStartAsync(catalogue, value))
  await refusesAsync('strings', (steps) => store.runStartAsync(catalogue, { ...options, steps }))
  await refusesAsync('strings', (args) => store.runStartAsync(catalogue, { ...options, args }), [undefined])
  await refusesAsync('count', (iterationCount) => store.runStartAsync(catalogue, { ...options, iterationCount }))
  await refusesAsync('boolean', (fresh) => store.runStartAsync(catalogue, { ...options, fresh }))
  for (const member of ['sequenceId', 'session', 'entry', 'cwd']) {
    const but = ['entry', 'cwd'].includes(member) ? [undefined] : []
    await refusesAsync('string', (value) => store.runStartAsync(catalogue, { ...options, [member]: value }), but)
  }
  await refusesAsync('string', (id) => store.runOpenAsync(id, 'retry', 's'))
  await refusesAsync('word', (decision) => store.runOpenAsync('id', decision, 's'))
  await refusesAsync('string', (session) => store.runOpenAsync('id', 'retry', session))
  await refusesAsync('string', (id) => store.runEndAsync(id, 'm'))
  await refusesAsync('string', (message) => store.runEndAsync('id', message))
  for (const name of ['runState', 'runStatus', 'runNotice']) {
    refuses('string', (id) => store[name](id))
  }
  refuses('word', (event) => store.runMark('id', event))
  refuses('string', (value) => store.sequenceMenu({ catalogue: value, steps: [] }))
  refuses('strings', (steps) => store.sequenceMenu({ catalogue, steps }), [undefined])
  refuses('string', (runId) => store.sequenceMenu({ catalogue, runId }), [undefined])
  for (const id of wrong.string) {
    assert.throws(() => new xylem.Run(id).isOpen, isError('XYLEM_E_ARGUMENT'))
    assert.throws(() => new xylem.Run(id).close(), isError('XYLEM_E_ARGUMENT'))
    await assert.rejects(new xylem.Run(id).nextAsync(catalogue), isError('XYLEM_E_ARGUMENT'))
  }
  const run = new xylem.Run('id')
  await refusesAsync('string', (value) => run.nextAsync(value))
  await refusesAsync('string', (entry) => run.doneAsync(entry), [undefined])
  await refusesAsync('string', (session) => run.inSessionAsync(session))
  await refusesAsync('word', (code) => run.failedAsync(code, 'm'), [''])
  await refusesAsync('string', (message) => run.failedAsync('host', message))
  await refusesAsync('string', (message) => run.stopAsync(message))
  refuses('string', (message) => run.stop(message))
  refuses('word', (code) => run.pause(code, 'm'), [''])
  refuses('string', (message) => run.pause('left', message))
  assert.equal(store.runState('id'), null)
})

test('every argument of paths and of a table of reads is checked', async (t) => {
  const reads = new xylem.Reads()
  const store = newStore(t)
  const there = { hash: 'sha256:00', bytes: 1 }
  const refusesAsync = async (type, call, but = []) => {
    for (const value of wrong[type].filter((one) => !but.includes(one))) {
      await assert.rejects(call(value), isError('XYLEM_E_ARGUMENT'))
    }
  }
  refuses('string', (path) => xylem.pathKey(path, '/', '/'))
  refuses('name', (cwd) => xylem.pathKey('f', cwd, '/'))
  refuses('name', (home) => xylem.pathKey('f', '/', home))
  refuses('strings', (entries) => reads.load(entries))
  refuses('string', (key) => reads.noteKey(key, 'read', there))
  refuses('word', (by) => reads.noteKey('k', by, there))
  refuses('object', (value) => reads.noteKey('k', 'read', value))
  refuses('string', (hash) => reads.noteKey('k', 'read', { ...there, hash }))
  refuses('count', (bytes) => reads.noteKey('k', 'read', { ...there, bytes }))
  refuses('string', (key) => reads.forgetKey(key))
  refuses('string', (key) => reads.checkKey(key, { tool: 'edit' }))
  refuses('object', (question) => reads.checkKey('k', question))
  refuses('word', (tool) => reads.checkKey('k', { tool }))
  refuses('string', (shown) => reads.checkKey('k', { tool: 'edit', shown }), [undefined])
  refuses('object', (value) => reads.checkKey('k', { tool: 'edit', there: value }))
  refuses('string', (problem) => reads.checkKey('k', { tool: 'edit', problem }), [undefined])
  for (const call of [xylem.pathRealAsync, xylem.fingerprintAsync, (path) => reads.noteAsync(path, 'read'),
    (path) => reads.forgetGoneAsync(path), (path) => reads.checkAsync(path, { tool: 'edit' })]) {
    await refusesAsync('name', call)
  }
  await refusesAsync('word', (by) => reads.noteAsync('/f', by))
  await refusesAsync('object', (question) => reads.checkAsync('/f', question))
  await refusesAsync('word', (tool) => reads.checkAsync('/f', { tool }))
  await refusesAsync('string', (id) => store.lastWriterAsync(id, 'k', 0))
  await refusesAsync('string', (key) => store.lastWriterAsync('s', key, 0))
  await refusesAsync('count', (since) => store.lastWriterAsync('s', 'k', since))
  assert.equal(reads.drain(), null)
})

test('every argument of a search is checked', async (t) => {
  const open = addon.open(newStore(t).path)
  const given = (name) => (value) => addon.search(open, { [name]: value })
  refuses('object', (options) => addon.search(open, options))
  for (const name of ['patterns', 'sessions', 'directories', 'kinds', 'tools']) {
    refuses('strings', given(name), [undefined])
  }
  assert.throws(() => given('patterns')(['a\0b']), isError('XYLEM_E_ARGUMENT'))
  refuses('word', given('syntax'), [undefined])
  for (const name of ['sinceMs', 'untilMs', 'max']) {
    refuses('count', given(name))
  }
  for (const name of ['errors', 'quarantine', 'runs', 'fast']) {
    refuses('boolean', given(name))
  }
  refuses('store', (stop) => addon.search(open, {}, stop), [undefined])
  assert.throws(() => addon.search(open, {}, addon.reads()), isError('XYLEM_E_ARGUMENT'))
  addon.close(open)
})

test('every argument of a preview and of a list is checked', (t) => {
  const store = newStore(t)
  const open = addon.open(store.path)
  refuses('string', (id) => addon.preview(open, id))
  refuses('object', (options) => addon.preview(open, 's', options))
  refuses('string', (entry) => addon.preview(open, 's', { entry }), [undefined])
  refuses('count', (max) => addon.preview(open, 's', { max }))
  refuses('count', (maxBytes) => addon.preview(open, 's', { maxBytes }))
  refuses('boolean', (deleted) => store.sessions({ deleted }))
  addon.close(open)
})

test('a list without end is an error', (t) => {
  const store = newStore(t)
  const endless = new Array(2 ** 32 - 1)
  assert.throws(() => store.mirror({ header: header('s'), lines: endless }), /lines|memory/)
  assert.throws(() => xylem.rehydrateFrom(endless), /entries|memory/)
  assert.throws(() => addon.childTools(state(), endless), /names|memory/)
})

test('a value in the place of a handle is an error', (t) => {
  const open = addon.open(newStore(t).path)
  const look = state()
  const onStore = ['close', 'warning', 'wanted', 'session', 'hasEntry', 'deleteSession', 'undeleteSession', 'leaseTake',
    'leaseRelease', 'noteFile', 'entries', 'orphanedSessions', 'sessions', 'refreshOutlines', 'mirror', 'import', 'rehydrate', 'fork', 'lines',
    'runStart', 'runOpen', 'runEnd', 'runState', 'runMark', 'openRun',
    'lastWriter', 'search', 'preview']
  const onState = ['look', 'stateJson', 'ask', 'childTools']
  const onReads = ['Load', 'Drain', 'Note', 'ForgetGone', 'Check', 'NoteKey', 'ForgetKey', 'CheckKey']
    .map((name) => `reads${name}`)
  const onRun = ['Next', 'Claim', 'Done', 'InSession', 'Failed', 'Stop', 'Pause', 'Close', 'IsOpen'].map((name) => `run${name}`)
  const others = ['open', 'rehydrateFrom', 'judge', 'note', 'noted', 'stateKinds', 'version', 'resolveStep',
    'resolveSequence', 'wantsArgs', 'sequenceJson', 'reads', 'pathKey', 'pathReal', 'fingerprint',
    'putArgs', 'stop', ...onRun]
  const handles = [[open, onStore], [look, onState], [addon.reads(), onReads], [addon.stop(), ['stopWish']]]
  const names = [...handles.flatMap(([, on]) => on), ...others]
  assert.deepEqual(Object.keys(addon).filter((name) => !name.endsWith('Async')).sort(), names.sort())
  for (const [own, on] of handles) {
    for (const name of on) {
      refuses('store', (value) => addon[name](value))
      for (const [handle] of handles.filter(([one]) => one !== own)) {
        assert.throws(() => addon[name](handle), /: expected a handle of this addon/)
      }
    }
  }
  addon.close(open)
})

test('a method of another object is refused', (t) => {
  assert.throws(() => xylem.Store.prototype.session.call({}, 's'), TypeError)
  assert.throws(() => xylem.State.prototype.ask.call(newStore(t), {}), TypeError)
  assert.throws(() => xylem.Reads.prototype.drain.call(newStore(t)), TypeError)
  assert.throws(() => new xylem.State({}), isError('XYLEM_E_ARGUMENT'))
  assert.throws(() => new xylem.Store({}).session('s'), isError('XYLEM_E_ARGUMENT'))
})

test('an exception of a getter comes through', async (t) => {
  const store = newStore(t)
  const bad = { get header() { throw new RangeError('mine') } }
  assert.throws(() => store.mirror(bad), RangeError)
  await assert.rejects(store.mirrorAsync(bad), RangeError)
  const lines = new Proxy([], { get: (target, key) => { if (key === 'length') { throw new RangeError('mine') } return target[key] } })
  assert.throws(() => store.mirror({ header: '', lines }), isError('XYLEM_E_ARGUMENT')) // a proxy is no array for Node-API
})

test('a getter may close the store in the middle of a call', (t) => {
  const store = newStore(t)
  const report = store.mirror({ get header() { store.close(); return header('s') }, lines: [] })
  assert.deepEqual(report.problems, [])
  assert.throws(() => store.session('s'), isError('XYLEM_E_ARGUMENT'))
})
