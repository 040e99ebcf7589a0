// The rules that the package has twice, for a pi without the addon: the library says the same, or the package is the
// stricter one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BADGE, isBlocked, mayBeReadonly, todoOf } from '../../lib/guard/fallback.ts'
import { native } from '../../lib/store/native.ts'
import { randomFrom } from '../lib/random.mjs'

const LOOK = { type: 'session_start', reason: 'resume' }
const custom = (kind, data, id = '00000001') => ({ id, kind: `custom:${kind}`, data: JSON.stringify(data) })
const stateOf = (entries, event = LOOK, pieces = ['todo', 'nudge']) => native.rehydrateFrom(entries, event, pieces)

test('readonly is on wherever the library says so, and wherever a toggle is no clear off', () => {
  for (const kind of ['readonly', 'agenticoding-readonly']) {
    for (const data of [{ enabled: true }, { enabled: false }, {}, null, 'on', { enabled: 'no' }, []]) {
      for (const flagReadonly of [false, true]) {
        const path = [{ type: 'custom', customType: kind, data }]
        const here = mayBeReadonly(path, flagReadonly)
        const { readonly } = stateOf([custom(kind, data)], { ...LOOK, flagReadonly })
        assert.ok(here || !readonly, JSON.stringify({ kind, data, flagReadonly }))
        if (data?.enabled === true || data?.enabled === false) {
          assert.equal(here, readonly, JSON.stringify({ kind, data, flagReadonly }))
        }
      }
    }
  }
})

test('the library blocks the same tools, where a shell gets a command that destroys', () => {
  const state = stateOf([custom('readonly', { enabled: true })])
  const names = ['read', 'grep', 'find', 'ls', 'write', 'Edit', 'apply_patch', 'bash', 'powershell', 'todo', 'other',
    'Deploy', 'ssh_run']
  for (const rules of [{}, { blockOthers: true }, { writeTools: ['deploy'] }, { shellTools: ['ssh_run'] }]) {
    for (const name of names) {
      const { block } = state.ask({ name, input: '{"command":"rm -r x"}', cwd: '/' }, rules)
      assert.equal(isBlocked(name, rules), block, `${name} ${JSON.stringify(rules)}`)
    }
  }
  assert.equal(state.badge, BADGE)
})

test('a todo list is read as the library reads it, in both spellings', () => {
  const random = randomFrom(38)
  const pick = (...all) => all[random(all.length)]
  const odd = (usual, ...others) => random(12) > 0 ? usual : pick(...others)
  const item = (_, at) => ({ id: odd(at + 1, 1, 0, 1.5, '1', 9),
    text: odd('a', '', 7, 'x'.repeat(4096), 'x'.repeat(4097)), done: odd(pick(true, false), 0, null), ...odd({}, { more: 1 }) })
  let lists = 0
  for (let i = 0; i < 3000; i++) {
    const items = odd(Array.from({ length: random(4) }, item), undefined, null, 'no')
    const data = odd(pick({ lastId: odd(3, 0, -1, 2.5, undefined), items },
      { nextId: odd(4, 1, 0, undefined), todos: items }), { lastId: 3, todos: items }, null, [])
    const { todo } = JSON.parse(stateOf([custom('todo', data)]).json)
    const ours = todoOf(data)
    const theirs = todo ? { lastId: todo.last_id, items: todo.items.map(({ id, text, done }) => ({ id, text, done })) }
      : undefined
    assert.deepEqual(ours, theirs, JSON.stringify(data)?.slice(0, 300))
    lists += ours ? 1 : 0
  }
  assert.ok(lists > 1000 && lists < 2500, String(lists))
})
