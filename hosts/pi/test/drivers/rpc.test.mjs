// The RPC driver, the model, the sandbox and the helpers, with a plain pi: the package's extension is not loaded.
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { piVersion, world } from '../lib/pi.mjs'
import { entriesOf, pathTo, scan } from '../lib/scan.mjs'

const plain = (t, options = {}) => world(t, { extensions: [], ...options })
const texts = (messages, role) => messages.filter((message) => message.role === role)
  .map(({ content }) => typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join(''))

test('pi is the version that it ought to be', async (t) => {
  const w = await plain(t)
  const pi = w.start(['--version'])
  await pi.exit
  assert.equal(pi.lines[0].line ?? JSON.stringify(pi.lines[0]), piVersion)
  pi.lines.length = 0 // no line of RPC
})

test('a turn: the model hears the prompt, pi has the answer in its file', async (t) => {
  const w = await plain(t)
  const pi = w.start()
  await pi.prompt('hello \u2028 there')
  assert.deepEqual(texts(await pi.messages(), 'assistant'), ['heard: hello \u2028 there'])
  assert.equal(w.model.requests.length, 1)
  const entries = entriesOf(w.read(w.fileOf(await pi.sessionId())))
  assert.deepEqual(pathTo(entries).map(({ id }) => id), entries.map(({ id }) => id))
  assert.deepEqual(await pi.stop(), { code: 0, signal: null })
})

test('a script of the model: a call of a tool, two calls in one answer, a text', async (t) => {
  const w = await plain(t)
  const pi = w.start()
  await pi.prompt('do this\n~tool write {"path":"a.txt","content":"x"}\n' +
    '~tools [["read",{"path":"a.txt"}],["bash",{"command":"echo y"}]]\n~text done now')
  assert.equal(w.read(join(w.sandbox.project, 'a.txt')), 'x')
  const messages = await pi.messages()
  assert.deepEqual(texts(messages, 'toolResult').slice(1), ['x', 'y\n'])
  assert.equal(texts(messages, 'assistant').at(-1), 'done now')
  assert.equal(w.model.requests.length, 3)
})

test('a message that an extension adds to a request is no prompt, and no end of a script', async (t) => {
  const w = await plain(t)
  const aside = join(w.sandbox.root, 'aside.ts')
  writeFileSync(aside, `export default (pi) => pi.on('context', ({ messages }) => ({ messages: [...messages,
    { role: 'user', content: [{ type: 'text', text: 'Readonly mode is active.' }], timestamp: 1 }] }))`)
  const pi = w.start(['-e', aside])
  await pi.prompt('~tool bash {"command":"echo one"}\n~tool bash {"command":"echo two"}')
  assert.deepEqual(texts(await pi.messages(), 'toolResult'), ['one\n', 'two\n'])
  const asked = w.model.requests.map(({ messages }) => JSON.stringify(messages.at(-1)))
  assert.equal(asked.every((text) => text.includes('Readonly mode')), true)
})

test('a request that fails ends the turn, and the next prompt is a new one', async (t) => {
  const w = await plain(t)
  const pi = w.start()
  await pi.prompt('~err')
  await pi.prompt('after it')
  assert.equal(texts(await pi.messages(), 'assistant').at(-1), 'heard: after it')
})

test('an answer is held until the test releases it', async (t) => {
  const w = await plain(t)
  const pi = w.start()
  await pi.send('prompt', { message: '~hold' })
  await w.model.asked(1)
  assert.equal((await pi.send('get_state')).isStreaming, true)
  w.model.release()
  await pi.wait(({ type }) => type === 'agent_settled', 'the end of the held turn')
  assert.equal(texts(await pi.messages(), 'assistant').at(-1), 'held')
})

test('an abort ends a held answer', async (t) => {
  const w = await plain(t)
  const pi = w.start()
  await pi.send('prompt', { message: '~hold' })
  await w.model.asked(1)
  await pi.send('abort')
  assert.equal((await pi.send('get_state')).isStreaming, false)
})

test('a fork before a message, a clone, and a way back', async (t) => {
  const w = await plain(t)
  const pi = w.start()
  await pi.prompt('one')
  await pi.prompt('two')
  const first = await pi.sessionId()
  const { messages } = await pi.send('get_fork_messages')
  await pi.send('fork', { entryId: messages[1].entryId })
  assert.notEqual(await pi.sessionId(), first)
  assert.deepEqual(texts(await pi.messages(), 'user'), ['one'])
  await pi.send('switch_session', { sessionPath: w.fileOf(first) })
  await pi.send('clone')
  assert.deepEqual(texts(await pi.messages(), 'user'), ['one', 'two'])
  assert.equal(w.files().length >= 2, true)
})

test('a navigation in the tree, and one with a summary', async (t) => {
  const w = await plain(t, { helpers: ['commands', 'recorder'] })
  const pi = w.start()
  await pi.prompt('one')
  const { leafId } = await pi.send('get_tree')
  await pi.prompt('two')
  await pi.command(`/goto ${leafId}`)
  assert.deepEqual(texts(await pi.messages(), 'user'), ['one'])
  const [moved] = w.records('session_tree')
  assert.equal(moved.leaf, leafId)
  await pi.prompt('three')
  await pi.command(`/goto ${leafId} summarize`)
  assert.equal(JSON.stringify(await pi.messages()).includes('a summary'), true)
  assert.equal(w.records('session_tree').length, 2)
})

test('a compaction: the model is asked for a summary', async (t) => {
  const w = await plain(t, { settings: { compaction: { enabled: true, keepRecentTokens: 100 } } })
  const pi = w.start()
  await pi.prompt('~big 4000')
  await pi.prompt('~big 4000')
  await pi.send('compact')
  assert.match(JSON.stringify(await pi.messages()), /a summary/)
})

test('a kill -9 before the first answer and one behind it: what pi had written comes back', async (t) => {
  const w = await plain(t)
  const pi = w.start()
  await pi.send('prompt', { message: '~hold' })
  await w.model.asked(1)
  assert.deepEqual(await pi.kill(), { code: null, signal: 'SIGKILL' })
  const unanswered = w.files()
  assert.equal(unanswered.length, piVersion.startsWith('0.') ? 0 : 1)
  const second = w.start()
  await second.prompt('kept')
  const id = await second.sessionId()
  await second.kill()
  const third = w.start(['--session', w.fileOf(id)])
  assert.deepEqual(texts(await third.messages(), 'user'), ['kept'])
  assert.equal(await third.sessionId(), id)
})

test('a pi that ended is an error of the next call, not a wait', async (t) => {
  const w = await plain(t)
  const pi = w.start(['--no-such-option'])
  const began = Date.now()
  await assert.rejects(pi.send('get_state'), /pi ended .*the response to get_state[\s\S]*no-such-option/)
  assert.equal(Date.now() - began < 20000, true)
})

test('the recorder has every event of a turn, and the state by a scan', async (t) => {
  const w = await plain(t, { helpers: ['recorder', 'commands'] })
  const pi = w.start()
  await pi.prompt('~tool bash {"command":"true"}')
  const events = w.records().map(({ event }) => event)
  for (const event of ['session_start', 'input', 'context', 'tool_call', 'tool_result', 'turn_end', 'agent_settled']) {
    assert.equal(events.includes(event), true, event)
  }
  await pi.command('/entry readonly {"enabled":true}')
  await pi.command('/entry readonly {"enabled":"no boolean"}')
  await pi.command('/entry readonly-nudge {"direction":"on","delivered":true}')
  await pi.command('/record')
  const [{ state, leaf, session }] = w.records('record')
  const path = pathTo(entriesOf(w.read(w.fileOf(session))), leaf)
  assert.deepEqual(state, scan(path))
  assert.equal(path.find(({ id }) => id === state.toggle).data.enabled, true)
  assert.deepEqual({ ...state, toggle: 0, toldBy: 0 },
    { enabled: true, toggle: 0, told: 'on', toldBy: 0, nudgedOn: true, outdated: false })
  assert.equal(leaf, state.toldBy)
  await pi.command('/again')
  assert.equal(w.records('session_start').at(-1).data.reason, 'reload')
})

test('an error of an extension fails the test that does not expect the error', async (t) => {
  const w = await plain(t, { helpers: ['commands'], problems: true })
  const pi = w.start()
  await pi.command('/entry readonly {no json')
  await pi.wait(({ type }) => type === 'extension_error', 'the error of the command')
  assert.equal(pi.problems().length, 1)
})

test('the recorder has an exception that nobody caught', async (t) => {
  const w = await plain(t, { helpers: ['recorder'], problems: true })
  const throws = join(w.sandbox.root, 'throws.ts')
  writeFileSync(throws, `export default (pi) => pi.registerCommand('throw', { description: 'Throw',
    handler: async () => { setTimeout(() => { throw new Error('nobody catches this') }, 1) } })`)
  const pi = w.start(['-e', throws])
  await pi.command('/throw')
  await w.until(() => w.records('uncaught').length > 0, 'the record of the exception')
  assert.match(w.records('uncaught')[0].error, /nobody catches this/)
})

test('sessions are replaced from timers, at once and at an event', async (t) => {
  const w = await plain(t, { helpers: ['recorder', 'replacer'] })
  const pi = w.start()
  const first = await pi.sessionId()
  await pi.command('/replace {"delays":[0,1,5]}')
  await w.until(() => w.records('replacements-done').length === 1, 'three replacements')
  assert.deepEqual(w.records('replaced').map(({ problem, delay }) => problem ?? delay), [0, 1, 5])
  assert.equal(w.records('replaced')[0].from, first)
  assert.equal(w.records('replaced')[2].to, await pi.sessionId())
  await pi.command('/replace {"delays":[0],"on":"context"}')
  await pi.send('prompt', { message: 'hello' })
  await w.until(() => w.records('replacements-done').length === 2, 'a replacement in the middle of a turn')
  assert.notEqual(await pi.sessionId(), w.records('replaced')[2].to)
  await pi.prompt('in the new session')
  await pi.command('/replace {"delays":[0],"fork":true}')
  await w.until(() => w.records('replacements-done').length === 3, 'a replacement by a fork')
  assert.deepEqual(texts(await pi.messages(), 'user'), ['in the new session'])
})

test('a child works in this process, with its own tools', async (t) => {
  const w = await plain(t, { helpers: ['spawn'] })
  const pi = w.start()
  const task = '~tool bash {"command":"echo from-child"}'
  await pi.prompt(`~tool spawn ${JSON.stringify({ task, tools: ['bash'] })}`)
  assert.match(texts(await pi.messages(), 'toolResult')[0], /from-child/)
  const [child] = w.model.requests.filter(({ tools }) => tools.length === 1)
  assert.equal(child.tools[0].function.name, 'bash')
})

test('a child has the tools, the notice and the judge that the rules for children give', async (t) => {
  const w = await plain(t, { helpers: ['spawn'] })
  const rules = join(w.sandbox.root, 'rules.mjs')
  writeFileSync(rules, `export const childTools = (names) => names.filter((name) => name !== 'write')
    export const childNotice = () => '\\nno writing'
    export const judgeBash = (command) => command.startsWith('rm') ? { block: true, reason: 'no rm' } : undefined`)
  const pi = w.start([], { XYLEM_TEST_CHILDREN: rules })
  const task = '~tool bash {"command":"rm kept"}'
  await pi.prompt(`~tool spawn ${JSON.stringify({ task, tools: ['bash', 'write'] })}`)
  assert.match(texts(await pi.messages(), 'toolResult')[0], /no rm/)
  assert.match(JSON.stringify(w.model.requests[1].messages), /no writing/)
  assert.deepEqual(w.model.requests[1].tools.map((tool) => tool.function.name), ['bash'])
})

test('pi writes into its sandbox alone', async (t) => {
  const w = await plain(t)
  const pi = w.start()
  await pi.prompt('~tool bash {"command":"echo $HOME $TMPDIR; pwd"}')
  const said = texts(await pi.messages(), 'toolResult')[0]
  assert.equal(said, `${w.sandbox.home} ${w.sandbox.root}/tmp\n${w.sandbox.project}\n`)
  assert.equal(existsSync(w.sandbox.store), false)
})
