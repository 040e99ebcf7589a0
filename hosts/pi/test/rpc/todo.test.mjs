// The todo list in a real pi, over RPC: a test for each rule of the design.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { extension, helper, piPath, world } from '../lib/pi.mjs'
import { randomFrom } from '../lib/random.mjs'
import { entriesOf, pathTo } from '../lib/scan.mjs'
import { COMPACTION, bytesOf, exported, idOf, isOn, packageCopy, record, restart, runPi, said, toggle, told, tool,
  write } from './moves.mjs'

const EXAMPLE = join(dirname(piPath), '../../examples/extensions/todo.ts')
const REMINDER = 'Your todo list'

const todoWorld = (t, options = {}) => world(t, { extensions: ['todo'], helpers: ['commands', 'recorder'], ...options })
const todo = (pi, action, more = {}) => tool(pi, 'todo', { action, ...more })
const add = (pi, text) => todo(pi, 'add', { text })
const script = (calls) => `~tools ${JSON.stringify(calls.map((call) => ['todo', call]))}`
const results = async (pi) => (await pi.messages()).filter(({ role }) => role === 'toolResult')
const lastDetails = async (pi) => (await results(pi)).at(-1).details
const item = (id, text, done = false) => ({ id, text, done })

// The lines of /todos, without the first.
async function shown(pi) {
  const from = pi.lines.length
  await pi.send('prompt', { message: '/todos' })
  const isList = ({ method, message }) => method === 'notify' && /^(Todos, |No todos)/.test(message)
  return (await pi.wait(isList, 'the list', from)).message.split('\n').slice(1)
}

// The path of pi's leaf, from pi's file.
async function pathOf(w, pi) {
  const { session, leaf } = await record(w, pi)
  return pathTo(entriesOf(w.read(w.fileOf(session))), leaf)
}

const isResult = ({ type, message }) =>
  type === 'message' && message.role === 'toolResult' && message.toolName === 'todo'
const isList = ({ type, customType }) => type === 'custom' && customType === 'todo'

// The list as pi's example reads it: the details of the last result of the path.
function detailsOf(path) {
  const result = path.findLast((entry) => isResult(entry) && entry.message.details?.todos)
  const { todos, nextId } = result?.message.details ?? { todos: [], nextId: 1 }
  return { lastId: nextId - 1, items: todos }
}

// The list that the command finds in the store, once the store has pi's leaf.
async function stored(w, { session, leaf }, ...options) {
  let state
  await w.until(async () => {
    state = await w.xylem('state', session, '--json', ...options).then(JSON.parse, () => undefined)
    return state?.at.entry === leaf
  }, `leaf ${leaf} in the store`, { every: 10 })
  const { last_id: lastId = 0, items = [] } = state.todo ?? {}
  return { lastId, items }
}

const storedNow = async (w, pi, ...options) => stored(w, await record(w, pi), ...options)

// --- The tool ---

test('add appends an open item, and the details have the shape of the example of pi', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start()
  assert.deepEqual(await add(pi, 'read'), { isError: false, text: 'Added #1: read' })
  await add(pi, 'write')
  assert.deepEqual(await lastDetails(pi), { action: 'add', todos: [item(1, 'read'), item(2, 'write')], nextId: 3 })
})

test('toggle turns an item to done and back', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start()
  await add(pi, 'read')
  assert.deepEqual(await todo(pi, 'toggle', { id: 1 }), { isError: false, text: '#1 is done' })
  assert.deepEqual(await lastDetails(pi), { action: 'toggle', todos: [item(1, 'read', true)], nextId: 2 })
  assert.deepEqual(await todo(pi, 'toggle', { id: 1 }), { isError: false, text: '#1 is open again' })
  assert.deepEqual(await lastDetails(pi), { action: 'toggle', todos: [item(1, 'read')], nextId: 2 })
})

test('a later change leaves the details of an earlier result as they were', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start()
  await pi.prompt(script([{ action: 'add', text: 'a' }, { action: 'toggle', id: 1 }, { action: 'clear' }]))
  const lists = (await results(pi)).map(({ details }) => details.todos)
  assert.deepEqual(lists, [[item(1, 'a')], [item(1, 'a', true)], []])
})

test('list shows the items to the model', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start()
  assert.equal((await todo(pi, 'list')).text, 'The list is empty')
  await pi.prompt(script([{ action: 'add', text: 'a' }, { action: 'add', text: 'b' }, { action: 'toggle', id: 2 }]))
  assert.equal((await todo(pi, 'list')).text, '[ ] #1: a\n[x] #2: b')
  assert.deepEqual(await lastDetails(pi), { action: 'list', todos: [item(1, 'a'), item(2, 'b', true)], nextId: 3 })
})

test('clear empties the list, and the numbers begin again', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start()
  await add(pi, 'a')
  assert.deepEqual(await todo(pi, 'clear'), { isError: false, text: 'Cleared 1 item' })
  assert.deepEqual(await lastDetails(pi), { action: 'clear', todos: [], nextId: 1 })
  assert.equal((await add(pi, 'b')).text, 'Added #1: b')
})

for (const [name, call, error] of [
  ['add without a text', { action: 'add' }, 'add needs a text'],
  ['add of white space', { action: 'add', text: ' \n' }, 'add needs a text'],
  ['add of 501 bytes', { action: 'add', text: `${'é'.repeat(250)}x` },
    'the text has 501 bytes, and an item has at most 500'],
  ['toggle without an id', { action: 'toggle' }, 'toggle needs an id'],
  ['toggle of a missing item', { action: 'toggle', id: 2 }, 'the list has no item #2'],
]) {
  test(`${name} is an error that the model sees, and the list stays`, async (t) => {
    const w = await todoWorld(t)
    const pi = w.start()
    await add(pi, 'a')
    const { action } = call
    assert.deepEqual(await todo(pi, action, call), { isError: true, text: `Error: ${error}` })
    assert.deepEqual(await lastDetails(pi), { action, todos: [item(1, 'a')], nextId: 2, error })
    assert.equal(w.model.requests.at(-1).messages.at(-1).content.includes(error), true)
    assert.deepEqual(await shown(pi), ['[ ] #1 a'])
  })
}

test('an item of 500 bytes is taken, and the 65th item is an error', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start()
  const long = 'é'.repeat(250)
  await pi.prompt(script(Array.from({ length: 65 }, () => ({ action: 'add', text: long }))))
  const last = await results(pi)
  assert.deepEqual(last.map(({ isError }) => isError), [...Array(64).fill(false), true])
  assert.match(last.at(-1).content[0].text, /the list has 64 items, and takes at most 64/)
  assert.equal((await storedNow(w, pi)).items.length, 64)
})

test('an item whose number would be too great is an error', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start()
  await pi.prompt('hello')
  await pi.command(`/entry todo {"lastId":${Number.MAX_SAFE_INTEGER},"items":[]}`)
  await pi.command('/again')
  assert.match((await add(pi, 'a')).text, /no number is left/)
  assert.equal((await lastDetails(pi)).nextId, 2 ** 53)
})

test('a call that pi refuses leaves the list, also after a restart', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start()
  await add(pi, 'a')
  assert.equal((await todo(pi, 'forget')).isError, true)
  assert.deepEqual(await shown(pi), ['[ ] #1 a'])
  assert.deepEqual(await shown(await restart(w, pi)), ['[ ] #1 a'])
})

test('parallel calls of one answer lose no item', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start()
  const names = Array.from({ length: 20 }, (_, i) => `item ${i}`)
  await pi.prompt(script(names.map((text) => ({ action: 'add', text }))))
  const { items } = await storedNow(w, pi)
  assert.deepEqual(items, names.map((text, i) => item(i + 1, text)))
  assert.deepEqual(detailsOf(await pathOf(w, pi)).items, items)
})

// --- The entries ---

test('a turn with changes appends one entry in the shape of the library, another turn none', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start()
  await pi.prompt(script([{ action: 'add', text: 'a' }, { action: 'add', text: 'b' }]))
  await pi.prompt('hello')
  await todo(pi, 'list')
  await todo(pi, 'toggle', { id: 9 })
  const lists = (await pathOf(w, pi)).filter(isList)
  assert.deepEqual(lists.map(({ data }) => data), [{ lastId: 2, items: [item(1, 'a'), item(2, 'b')] }])
  assert.deepEqual(await storedNow(w, pi), lists[0].data)
})

test('a session without a todo has no entry of the list', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start()
  await pi.prompt('hello')
  await todo(pi, 'list')
  const again = await restart(w, pi)
  await again.prompt('hello')
  assert.deepEqual((await pathOf(w, again)).filter(isList), [])
})

test('a list that did not change after a restart is not appended again', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start()
  await add(pi, 'a')
  await todo(pi, 'list')
  const again = await restart(w, pi)
  await again.prompt('hello')
  assert.equal((await pathOf(w, again)).filter(isList).length, 1)
})

test('an invalid list of the path is skipped', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start()
  await add(pi, 'a')
  for (const data of ['{"lastId":0,"items":[{"id":1,"text":"b","done":false}]}', '{"redacted":"x"}', '[]', '']) {
    await pi.command(`/entry todo ${data}`)
  }
  await pi.command('/again')
  assert.deepEqual(await shown(pi), ['[ ] #1 a'])
})

// --- What brings the list back ---

test('a restart and a reload bring the list back', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start()
  await add(pi, 'a')
  await pi.command('/again')
  assert.deepEqual(await shown(pi), ['[ ] #1 a'])
  const again = await restart(w, pi)
  assert.deepEqual(await shown(again), ['[ ] #1 a'])
  assert.equal((await add(again, 'b')).text, 'Added #2: b')
})

// pi 1.5 refuses such a reload.
test('a reload in the middle of a turn loses no item', async (t) => {
  const w = await todoWorld(t, { problems: true })
  const pi = w.start()
  const from = pi.lines.length
  const calls = [['todo', { action: 'add', text: 'a' }], ['bash', { command: 'touch began; sleep 3' }]]
  await pi.send('prompt', { message: `~tools ${JSON.stringify(calls)}` })
  await w.until(() => existsSync(join(w.sandbox.project, 'began')), 'the command')
  await pi.command('/again')
  assert.deepEqual(pi.problems().filter(({ error }) => !/^Wait for the current response/.test(error)), [])
  await pi.wait(({ type }) => type === 'agent_settled', 'the end of the turn', from)
  assert.deepEqual(await shown(pi), ['[ ] #1 a'])
  assert.equal((await add(pi, 'b')).text, 'Added #2: b')
  assert.deepEqual((await storedNow(w, pi)).items, [item(1, 'a'), item(2, 'b')])
})

test('a new session starts with an empty list', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start()
  await add(pi, 'a')
  await pi.send('new_session')
  assert.deepEqual(await shown(pi), [])
  assert.equal((await add(pi, 'b')).text, 'Added #1: b')
})

test('a fork has the list of its place, and a clone the whole list; both go on by themselves', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start()
  await add(pi, 'a')
  await add(pi, 'b')
  const source = w.fileOf(await pi.sessionId())
  const { messages } = await pi.send('get_fork_messages')
  await pi.send('fork', { entryId: messages[1].entryId })
  assert.deepEqual(await shown(pi), ['[ ] #1 a'])
  await add(pi, 'other')
  assert.deepEqual(await shown(pi), ['[ ] #1 a', '[ ] #2 other'])
  await pi.send('switch_session', { sessionPath: source })
  assert.deepEqual(await shown(pi), ['[ ] #1 a', '[ ] #2 b'])
  await pi.send('clone')
  assert.deepEqual(await shown(pi), ['[ ] #1 a', '[ ] #2 b'])
  await todo(pi, 'clear')
  await pi.send('switch_session', { sessionPath: source })
  assert.deepEqual(await shown(pi), ['[ ] #1 a', '[ ] #2 b'])
})

test('a move in the tree brings back the list of that place, back and forth', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start()
  await pi.prompt('hello')
  const { leaf: none } = await record(w, pi)
  await add(pi, 'a')
  const { leaf: one } = await record(w, pi)
  await add(pi, 'b')
  const { leaf: two } = await record(w, pi)
  for (const [leaf, lines] of [[none, []], [two, ['[ ] #1 a', '[ ] #2 b']], [one, ['[ ] #1 a']], [none, []]]) {
    await pi.command(`/goto ${leaf}`)
    assert.deepEqual(await shown(pi), lines)
  }
  assert.equal((await add(pi, 'c')).text, 'Added #1: c')
})

test('a move to a place in the middle of a turn finds the details, and the next turn appends the list', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start()
  await add(pi, 'a')
  await add(pi, 'b')
  const places = (await pathOf(w, pi)).filter(isResult).map(({ id }) => id)
  await todo(pi, 'clear')
  for (const [i, items] of [[item(1, 'a')], [item(1, 'a'), item(2, 'b')]].entries()) {
    await pi.command(`/goto ${places[i]}`)
    assert.equal((await shown(pi)).length, items.length)
    await pi.prompt('hello')
    assert.deepEqual((await storedNow(w, pi)).items, items)
  }
})

test('the store has the list while the agent goes on', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start()
  const id = await pi.sessionId()
  await pi.send('prompt', { message: '~tool todo {"action":"add","text":"a"}\n~hold' })
  await w.model.asked(2)
  const count = async () => (await w.state(id).catch(() => undefined))?.todo?.items.length
  await w.until(async () => await count() === 1, 'the list in the store')
  w.model.release()
})

test('after a kill -9 between the result and the end of the turn the details count', async (t) => {
  const w = await todoWorld(t, { extensions: [], helpers: ['killer'] })
  const pi = w.start(['-e', extension('todo')])
  await pi.prompt('hello')
  const file = w.fileOf(await pi.sessionId())
  await pi.send('prompt', { message: '~tool todo {"action":"add","text":"a"}' })
  await pi.exit
  const path = pathTo(entriesOf(w.read(file)))
  assert.deepEqual([path.filter(isResult).length, path.filter(isList).length], [1, 0])
  const again = w.start(['-e', extension('todo'), '--session', file])
  assert.deepEqual(await shown(again), ['[ ] #1 a'])
})

test('the list of a session of the example of pi is read, and the example reads ours', async (t) => {
  const w = await todoWorld(t, { extensions: [] })
  const example = ['-e', EXAMPLE]
  const ours = ['-e', extension('todo')]
  const first = w.start(example)
  await add(first, 'a')
  await todo(first, 'toggle', { id: 1 })
  const second = await restart(w, first, ours)
  assert.deepEqual(await shown(second), ['[x] #1 a'])
  assert.deepEqual((await storedNow(w, second, '--tool-results')).items, [item(1, 'a', true)])
  await add(second, 'b')
  const third = await restart(w, second, example)
  assert.match((await todo(third, 'list')).text, /\[x\] #1: a\n\[ \] #2: b/)
})

// --- A random script: the store, the tool and pi's own reading agree after each step ---

const STEPS = 40
const seed = Number(process.env.XYLEM_SEED ?? Date.now() % 1e9)
const pick = (random, list) => list[random(list.length)]
const anyCall = (random) => pick(random, [
  { action: 'add', text: `text ${random(1000)}` }, { action: 'add', text: 'é"\\\n\ud800' },
  { action: 'toggle', id: 1 }, { action: 'toggle', id: 1 + random(9) }, { action: 'list' },
  { action: 'add' }, { action: 'none' },
])

const STEP = [
  [8, 'call', async ({ pi, random }) => pi.prompt(script([anyCall(random)]))],
  [4, 'calls', async ({ pi, random }) => pi.prompt(script(Array.from({ length: 4 }, () => anyCall(random))))],
  [1, 'clear', async ({ pi }) => todo(pi, 'clear')],
  [2, 'prompt', async ({ pi }) => pi.prompt('hello')],
  [1, 'failing prompt', async ({ pi }) => pi.prompt('~err')],
  [8, 'goto', async (s) => s.pi.command(`/goto ${pick(s.random, entriesOf(s.w.read(s.file))).id}`)],
  [1, 'compact', async ({ pi }) => pi.send('compact').catch(() => {})],
  [2, 'reload', async ({ pi }) => pi.command('/again')],
  [2, 'clone', async ({ pi }) => pi.send('clone').catch(() => {})],
  [2, 'fork', async ({ pi, random }) => {
    const { messages } = await pi.send('get_fork_messages')
    return messages.length && pi.send('fork', { entryId: pick(random, messages).entryId }).catch(() => {})
  }],
  [2, 'switch', async (s) => s.pi.send('switch_session', { sessionPath: pick(s.random, s.w.files()) })],
  [1, 'restart', async (s) => {
    await s.pi.stop()
    s.pi = s.w.start(['--session', s.file])
  }],
  [1, 'kill', async (s) => {
    await s.pi.kill()
    s.pi = s.w.start(['--session', s.file])
  }],
]
const deck = STEP.flatMap(([weight, name, run]) => Array(weight).fill({ name, run }))

async function check(s, where) {
  const { w, pi } = s
  const at = await record(w, pi)
  const lines = await shown(pi)
  const file = w.fileOf(at.session)
  if (!file) { // pi has not written the fork yet: the next prompt does
    await pi.prompt('hello')
    return check(s, where)
  }
  s.file = file
  const path = pathTo(entriesOf(w.read(file)), at.leaf)
  const list = detailsOf(path)
  assert.deepEqual(lines.map((line) => /^\[.\] #\d+/.exec(line)[0]),
    list.items.map(({ id, done }) => `[${done ? 'x' : ' '}] #${id}`), where)
  assert.deepEqual(await stored(w, at, '--tool-results'), list, where)
  if (path.findLast((entry) => isList(entry) || isResult(entry))?.type === 'custom') {
    assert.deepEqual(await stored(w, at), list, where)
    s.compared++
  }
}

test(`a random script of ${STEPS} steps, seed ${seed}`, async (t) => {
  const w = await todoWorld(t, { settings: COMPACTION })
  const random = randomFrom(seed)
  const s = { w, random, pi: w.start(), file: undefined, compared: 0 }
  await add(s.pi, 'first')
  const done = []
  await check(s, 'the start')
  while (done.length < STEPS) {
    const { name, run } = pick(random, deck)
    done.push(name)
    await run(s)
    await check(s, `seed ${seed}: ${done.join(', ')}`)
  }
  assert.ok(s.compared > 0)
})

// --- Compaction ---

async function compacted(t, calls, options) {
  const w = await todoWorld(t, { settings: COMPACTION, ...options })
  const pi = w.start()
  await pi.prompt(script(calls))
  await pi.prompt('~big 4000')
  await pi.send('compact')
  return { w, pi, tellings: () => told(w, REMINDER).filter(Boolean).length }
}

const OPEN = [{ action: 'add', text: 'a' }, { action: 'add', text: 'b' }, { action: 'toggle', id: 1 }]

test('after a compaction the next request has the list, and no later request', async (t) => {
  const { w, pi, tellings } = await compacted(t, OPEN)
  assert.equal(tellings(), 0)
  await pi.prompt('~tool read {"path":"none"}')
  const last = w.model.requests.slice(-2)
  assert.match(JSON.stringify(last[0].messages.at(-1)), /Your todo list .*\[x\] #1: a\\n\[ \] #2: b/)
  assert.equal(JSON.stringify(last[1]).includes(REMINDER), false)
  await pi.prompt('more')
  const again = await restart(w, pi)
  await again.prompt('after a restart')
  assert.equal(tellings(), 1)
  assert.equal(w.read(w.fileOf(await again.sessionId())).includes(REMINDER), false)
})

test('a restart between the compaction and the next answer does not lose the reminder', async (t) => {
  const { w, pi, tellings } = await compacted(t, OPEN)
  const again = await restart(w, pi)
  await again.prompt('hello')
  assert.equal(tellings(), 1)
})

test('a request that failed told the model nothing', async (t) => {
  const { pi, tellings } = await compacted(t, OPEN)
  await pi.prompt('~err')
  await pi.prompt('hello')
  await pi.prompt('more')
  assert.equal(tellings(), 2)
})

test('each compaction is followed by one reminder', async (t) => {
  const { pi, tellings } = await compacted(t, OPEN)
  await pi.prompt('~big 4000')
  await pi.send('compact')
  await pi.prompt('hello')
  assert.equal(tellings(), 2)
})

test('a list without an open item is not told, nor an empty list', async (t) => {
  for (const calls of [[{ action: 'add', text: 'a' }, { action: 'toggle', id: 1 }], [{ action: 'list' }]]) {
    const { pi, tellings } = await compacted(t, calls)
    await pi.prompt('hello')
    assert.equal(tellings(), 0)
  }
})

test('a move to a place before the compaction tells nothing', async (t) => {
  const { w, pi, tellings } = await compacted(t, OPEN)
  const entries = entriesOf(w.read(w.fileOf(await pi.sessionId())))
  await pi.command(`/goto ${entries.findLast(({ type }) => type === 'compaction').parentId}`)
  await pi.prompt('hello')
  assert.equal(tellings(), 0)
})

// --- Beside others ---

for (const order of [['ours', 'other'], ['other', 'ours']]) {
  test(`beside another tool todo pi starts, and ours stays out of the way: ${order.join(', ')}`, async (t) => {
    const w = await todoWorld(t, { extensions: [], settings: COMPACTION })
    const paths = { ours: extension('todo'), other: EXAMPLE }
    const pi = w.start(order.flatMap((name) => ['-e', paths[name]]))
    await add(pi, 'a')
    assert.match((await add(pi, 'b')).text, /^Added todo #2: b/) // the words of the example
    await pi.command('/again')
    await pi.command('/todos')
    assert.match(said(pi), /\/todos requires interactive mode/)
    assert.equal(said(pi).match(/examples\/extensions\/todo\.ts has a tool 'todo' too/g).length, 1)
    const names = w.model.requests.at(-1).tools.map(({ function: { name } }) => name)
    assert.equal(names.filter((name) => name === 'todo').length, 1)
    await pi.prompt('~big 4000')
    await pi.send('compact')
    await pi.prompt('hello')
    assert.equal(told(w, REMINDER).includes(true), false)
    assert.deepEqual((await pathOf(w, pi)).filter(isList), [])
  })
}

test('two copies of the extension are one todo', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start(['-e', join(dirname(packageCopy(w, true)), 'todo.ts')])
  await add(pi, 'a')
  assert.deepEqual(await shown(pi), ['[ ] #1 a'])
  assert.equal((await pathOf(w, pi)).filter(isList).length, 1)
})

test('pi without the tool, by --tools, has no list', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start(['--tools', 'read'])
  await pi.prompt('hello')
  assert.deepEqual(w.model.requests[0].tools.map(({ function: { name } }) => name), ['read'])
})

test('todo passes while readonly is on, and both survive a fork', async (t) => {
  const w = await todoWorld(t, { extensions: ['todo', 'readonly'] })
  const pi = w.start()
  await toggle(pi, 'on')
  assert.deepEqual(await add(pi, 'a'), { isError: false, text: 'Added #1: a' })
  assert.equal((await write(pi)).isError, true)
  await pi.send('clone')
  assert.deepEqual(await shown(pi), ['[ ] #1 a'])
  assert.equal(isOn(pi), true)
  await exported(w, await pi.sessionId())
})

test('a session that began without the tool has the tool after a restart', async (t) => {
  const w = await todoWorld(t, { extensions: [] })
  const pi = w.start()
  await pi.prompt('hello')
  const again = await restart(w, pi, ['-e', extension('todo')])
  assert.equal((await add(again, 'a')).text, 'Added #1: a')
})

test('in print mode the session and the store have the list', async (t) => {
  const w = await todoWorld(t)
  await runPi(w, ['-p', '~tool todo {"action":"add","text":"a"}'], [extension('todo')])
  const [file] = w.files()
  assert.deepEqual(entriesOf(w.read(file)).findLast(isList).data.items, [item(1, 'a')])
  assert.equal((await w.state(idOf(file))).todo.items.length, 1)
})

// --- Without the store, without the addon ---

test('without a store the list works, and comes back after a restart and a move', async (t) => {
  const w = await todoWorld(t)
  mkdirSync(w.sandbox.store, { recursive: true })
  writeFileSync(join(w.sandbox.store, 'data.mdb'), 'no store\n'.repeat(2000))
  const pi = w.start()
  await add(pi, 'a')
  const { leaf } = await record(w, pi)
  await add(pi, 'b')
  assert.match(said(pi), /this session is not kept/)
  const again = await restart(w, pi)
  assert.deepEqual(await shown(again), ['[ ] #1 a', '[ ] #2 b'])
  await again.command(`/goto ${leaf}`)
  assert.deepEqual(await shown(again), ['[ ] #1 a'])
})

test('a session without a file has a list, and leaves no trace in the store', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start(['--no-session'])
  await add(pi, 'unheard-of')
  await pi.command('/again')
  assert.deepEqual(await shown(pi), ['[ ] #1 unheard-of'])
  await pi.stop()
  assert.equal(existsSync(w.sandbox.store) && bytesOf(w).includes('unheard-of'), false)
})

test('without the addon the list works by the same rules', async (t) => {
  const w = await todoWorld(t, { extensions: [] })
  const ours = ['-e', join(dirname(packageCopy(w, false)), 'todo.ts')]
  const pi = w.start(ours)
  await add(pi, 'a')
  for (const data of ['', 'null', '[]', '{"redacted":"x"}', '{"lastId":1}', '{"items":[]}', '{"lastId":-1,"items":[]}',
    '{"lastId":1,"items":[{"id":2,"text":"b","done":false}]}', '{"lastId":1,"items":[{"id":1,"text":"b","done":0}]}',
    '{"lastId":1,"items":[{"id":1,"text":2,"done":false}]}', '{"nextId":0,"todos":[]}', '{"lastId":1,"items":[null]}',
    '{"lastId":2,"items":[{"id":2,"text":"b","done":false},{"id":2,"text":"c","done":false}]}']) {
    await pi.command(`/entry todo ${data}`)
  }
  const again = await restart(w, pi, ours)
  assert.deepEqual(await shown(again), ['[ ] #1 a'])
  await again.command('/entry todo {"nextId":9,"todos":[{"id":8,"text":"b","done":true}]}')
  await again.command('/again')
  assert.deepEqual(await shown(again), ['[x] #8 b'])
  assert.equal((await add(again, 'c')).text, 'Added #9: c')
})

// --- /todos ---

test('/todos escapes characters that would move the cursor', async (t) => {
  const w = await todoWorld(t)
  const pi = w.start()
  await add(pi, 'red \x1b[31m\nnext \u202e')
  assert.deepEqual(await shown(pi), ['[ ] #1 red \\u001b[31m\\nnext \\u202e'])
})
