// The state, the gate and the judge.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { header, line, newStore, toggle, xylem } from './lib.mjs'

const start = { type: 'session_start' }
const on = () => xylem.rehydrateFrom([], { ...start, flagReadonly: true })
const held = (id, enabled) => ({ id, kind: 'custom:readonly', data: JSON.stringify({ enabled }) })

test('a path without a toggle is off', () => {
  const { readonly, nudge, badge, childNotice, json } = xylem.rehydrateFrom([])
  assert.deepEqual({ readonly, nudge, badge, childNotice }, { readonly: false, nudge: null, badge: '', childNotice: '' })
  assert.equal(JSON.parse(json).readonly_from, 'default')
})

test('the newest toggle of held entries decides', () => {
  assert.equal(xylem.rehydrateFrom([held('b', true), held('a', false)]).readonly, true)
  assert.equal(xylem.rehydrateFrom([held('b', false), held('a', true)], start).readonly, false)
  const state = xylem.rehydrateFrom([{ id: 'c', kind: 'custom:readonly' }, { id: 'x', kind: 'message', data: '{}' }, held('\ud800', true)])
  assert.equal(state.readonly, true)
  assert.equal(JSON.parse(state.json).readonly_entry, '\ud800')
  assert.equal(typeof state.nudge, 'string')
  assert.notEqual(state.badge, '')
  assert.notEqual(state.childNotice, '')
})

test('an event counts as it does in the library', () => {
  const entries = [held('a', false)]
  assert.equal(xylem.rehydrateFrom(entries, { ...start, flagReadonly: true }).readonly, true)
  assert.equal(xylem.rehydrateFrom(entries, { ...start, flagReadonly: true, flagIsFallback: true }).readonly, false)
  assert.equal(xylem.rehydrateFrom([held('a', true)], { ...start, reason: 'new' }).readonly, false)
  for (const reason of ['startup', 'reload', 'resume', 'fork']) {
    assert.equal(xylem.rehydrateFrom([held('a', true)], { ...start, reason }).readonly, true)
  }
  assert.equal(xylem.rehydrateFrom(entries, { type: 'toggled', flagReadonly: true }).readonly, false)
  const told = { id: 'n', kind: 'custom:readonly-nudge', data: '{"direction":"on","delivered":true}' }
  const tree = (previousReadonly) => xylem.rehydrateFrom([told, held('a', true)], { type: 'session_tree', previousReadonly })
  assert.equal(tree(true).nudge, null)
  assert.equal(tree(undefined).nudge, null)
  assert.equal(typeof tree(false).nudge, 'string')
})

test('a host names the pieces that it wants, and readonly comes in any case', (t) => {
  const told = { id: 'n', kind: 'custom:readonly-nudge', data: '{"direction":"on","delivered":true}' }
  const todo = { id: 't', kind: 'custom:todo', data: '{"version":1,"lastId":0,"items":[]}' }
  const store = newStore(t)
  store.mirror({ header: header('s'), lines: [toggle('b', null, true)] })
  const entries = [todo, told, held('a', true)]
  const found = (...pieces) => JSON.parse(xylem.rehydrateFrom(entries, start, ...pieces).json)
  assert.notEqual(found().todo, null)
  assert.deepEqual(found(undefined), found())
  for (const pieces of [[], ['readonly'], ['nudge'], ['sequence', 'mark']]) {
    assert.deepEqual([found(pieces).readonly, found(pieces).todo], [true, null])
    assert.equal(store.rehydrate('s', start, pieces).ask({ name: 'write', input: '{}' }).block, true)
  }
  assert.deepEqual(found(['mark', 'todo', 'todo']).todo, found().todo)
  assert.equal(found(['nudge']).nudge.why, 'told')
  assert.equal(xylem.rehydrateFrom([held('a', true)], start, ['readonly']).nudge, null)
  assert.equal(store.rehydrate('s', start, ['readonly']).nudge, null)
  assert.equal(typeof store.rehydrate('s', start).nudge, 'string')
  for (const pieces of [['todos'], [''], [1], 'todo', null]) {
    assert.throws(() => xylem.rehydrateFrom(entries, start, pieces), { name: 'XYLEM_E_ARGUMENT' })
    assert.throws(() => store.rehydrate('s', start, pieces), { name: 'XYLEM_E_ARGUMENT' })
  }
})

test('a store and held entries give the same state', (t) => {
  const store = newStore(t)
  const lines = [line('a', null), toggle('b', 'a', true), line('c', 'b')]
  store.mirror({ header: header('s'), lines })
  const state = store.rehydrate('s', start)
  const { readonly, nudge, badge } = xylem.rehydrateFrom([held('b', true)], start)
  assert.deepEqual({ readonly: state.readonly, nudge: state.nudge, badge: state.badge }, { readonly, nudge, badge })
  store.close()
  assert.equal(state.ask({ name: 'write', input: '{}' }).block, true) // a state outlives its store
  assert.equal(JSON.parse(state.json).readonly, true)
})

test('the gate blocks while readonly is on', () => {
  const state = on()
  const write = state.ask({ name: 'write', input: '{"path":"a"}' })
  assert.deepEqual([write.block, write.rule], [true, null])
  assert.match(write.reason, /\/readonly/)
  const bash = (command) => state.ask({ name: 'bash', input: JSON.stringify({ command }), cwd: '/tmp' })
  assert.deepEqual(bash('ls'), { block: false, reason: '', rule: bash('ls').rule })
  assert.equal(bash('rm -rf x').block, true)
  assert.equal(bash('rm -rf x').rule, 'file-mutation')
  assert.equal(state.ask({ name: 'bash', input: 'no json' }).block, true)
  assert.equal(xylem.rehydrateFrom([]).ask({ name: 'write', input: '{}' }).block, false)
})

test('options of the gate name more tools', () => {
  const state = on()
  const blocks = (call, options) => state.ask({ input: '{"command":"touch /etc/x"}', ...call }, options).block
  assert.equal(blocks({ name: 'save' }), false)
  assert.equal(blocks({ name: 'save' }, { writeTools: ['keep', 'save'] }), true)
  assert.equal(blocks({ name: 'sh' }, { shellTools: ['sh'] }), true)
  assert.equal(blocks({ name: 'other' }, { blockOthers: true }), true)
  assert.equal(blocks({ name: 'other', readOnly: true }, { blockOthers: true }), false)
  assert.equal(blocks({ name: 'other', readOnly: true }), false)
  assert.equal(blocks({ name: 'other', readOnly: false }), true)
  assert.equal(blocks({ name: 'other', destructive: true }), true)
  assert.equal(blocks({ name: 'other' }, { writeTools: [], shellTools: [] }), false)
})

test('a child gets the names that are allowed', () => {
  const names = ['write', 'read', 'EDIT', 'bash', 'save']
  assert.deepEqual(on().childTools(names), ['read', 'bash', 'save'])
  assert.deepEqual(on().childTools(names, { writeTools: ['save'] }), ['read', 'bash'])
  assert.deepEqual(xylem.rehydrateFrom([]).childTools(names), names)
  assert.deepEqual(on().childTools([]), [])
})

test('a person teaches a policy, and a text that is no rule is an error', () => {
  const verdict = (config) => xylem.judge('confirm', 'rm -r build', undefined, config).decision
  assert.deepEqual([verdict({ allow: ['rm -r build'] }), verdict({ deny: ['rm **'] }), verdict({}), verdict(undefined)],
    ['allow', 'deny', 'ask', 'ask'])
  assert.equal(xylem.judge('confirm', 'ls', '/tmp', { ask: ['ls **'] }).decision, 'ask')
  assert.throws(() => verdict({ allow: ['rm $x'] }), /rm \$x/)
  assert.throws(() => verdict({ alow: [] }), /alow/)
})

test('a command is judged', () => {
  assert.equal(xylem.judge('readonly', 'ls', '/tmp').decision, 'allow')
  assert.equal(xylem.judge('strict', 'some-program').decision, 'ask')
  assert.equal(xylem.judge('confirm', 'ls').decision, 'allow')
  assert.deepEqual(xylem.judge('readonly', 'ls; rm x'), { decision: 'deny', rule: 'file-mutation',
    reason: 'rm removes files', offset: 4, length: 4, grants: [], unlisted: false,
    judged: [{ decision: 'allow', rule: 'allowed', program: 'ls' },
      { decision: 'deny', rule: 'file-mutation', program: 'rm' }] })
  assert.equal(xylem.judge('readonly', 'rm \ud800').rule, 'not-understood')
})

test('the place of the deciding part counts in units of JavaScript', () => {
  for (const before of ['', 'é', '\u20ac', '😀', '😀é\u20ac', '\ufffd', '\uffff']) {
    for (const part of ['rm -r x', 'rm -r 😀é']) {
      const command = `echo '${before}'; ${part}; echo '${before}'`
      const { offset, length } = xylem.judge('confirm', command)
      assert.equal(command.slice(offset, offset + length), part, JSON.stringify(command))
    }
  }
  const { offset, length } = xylem.judge('confirm', 'ls')
  assert.deepEqual([offset, length], [0, 0])
})

test('half a pair of surrogates counts as a unit: the whole of such a command decides', () => {
  for (const half of ['\ud83d', '\ude00', '\ude00\ud83d', '\ud83d\ud83d\ude00']) {
    const command = `echo '😀é${half}'; rm -r x`
    const { rule, offset, length } = xylem.judge('confirm', command)
    assert.deepEqual([rule, offset, length], ['not-understood', 0, command.length], JSON.stringify(command))
  }
})

test('a verdict tells each command with its rule and its program', () => {
  const judged = (command) => xylem.judge('confirm', command).judged.map(({ rule, program }) => [rule, program])
  assert.deepEqual(judged('echo $(sudo a); rm -r b; ls'),
    [['sudo', 'sudo'], ['allowed', 'a'], ['allowed', 'echo'], ['recursive-rm', 'rm'], ['allowed', 'ls']])
  assert.deepEqual(judged("$x 'rm'"), [['not-decidable', '']])
  assert.deepEqual(judged('> /dev/sda'), [])
  assert.deepEqual(judged('/opt/é😀/mkfs.é x'), [['mkfs', 'mkfs.é']])
  const unlisted = (command) => xylem.judge('confirm', command).unlisted
  assert.deepEqual(['rm -r x', '> /dev/sda', 'rm -r x > /dev/sda'].map(unlisted), [false, true, true])
})

test('a verdict has the grants that a host may offer', () => {
  const grants = (command) => xylem.judge('confirm', command, '/p').grants
  assert.deepEqual(grants('rm -r é/x; sudo -n true'), ['rm (recursive-rm) in /p/é', 'sudo -n true (sudo)'])
  assert.deepEqual(grants('sudo rm -r x'), [])
})

test('the version and the kinds are those of the library', () => {
  const { version } = JSON.parse(readFileSync(join(process.env.XYLEM_NATIVE, 'package.json'), 'utf8'))
  assert.equal(xylem.version(), version)
  const kinds = ['custom:readonly', 'custom:readonly-nudge', 'custom:sequence', 'custom:todo', 'custom:sequence-mark']
  for (const kind of kinds) {
    assert.ok(xylem.stateKinds().includes(kind))
  }
})
