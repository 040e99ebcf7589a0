// The protocol, as clients of both lines and both eras speak it, and as none should.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync, chmodSync, mkdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { build, environment, load, makeWorld, says, serverPath } from './lib/world.mjs'

const ID = '01a1f9f7-0001-7000-8000-000000000001'
const calls = { sessions_list: {}, sessions_search: { query: 'hello' }, session_tree: { session: ID }, session_log: { session: ID },
  entry_show: { handles: [`${ID}:one`] }, session_state: { session: ID }, session_diff: { a: ID, b: `${ID}:one` },
  sequence_show: { session: ID }, store_status: {} }

function filled(t) {
  const world = makeWorld(t)
  world.importSession({ id: ID, cwd: world.root }, [says('one', null, 'user', 'hello'), says('two', 'one', 'assistant', 'hello, too'),
    { type: 'custom', id: 'seq', parentId: 'two', timestamp: '2026-11-20T12:00:00.000Z', customType: 'sequence',
      data: { version: 1, sequenceId: 'q', steps: ['look'], updatedAt: 1 } }])
  return world
}

// What each client asks.
async function askAll(client) {
  const { tools, nextCursor } = await client.listTools()
  assert.deepEqual(tools.map(({ name }) => name), Object.keys(calls))
  assert.equal(nextCursor, undefined)
  for (const { name, title, annotations, outputSchema } of tools) {
    assert.match(name, /^[A-Za-z][A-Za-z0-9_]{0,63}$/)
    assert.ok(title && outputSchema && annotations.readOnlyHint === true && annotations.openWorldHint === false, name)
    const answer = await client.callTool({ name, arguments: calls[name] })
    assert.ok(!answer.isError && answer.structuredContent.applied, `${name}: ${JSON.stringify(answer)}`)
  }
  const { resources } = await client.listResources()
  assert.deepEqual(resources.map(({ uri }) => uri), [`xylem://session/${ID}`])
  const { resourceTemplates } = await client.listResourceTemplates()
  assert.equal(resourceTemplates.length, 2)
  const { contents: [log] } = await client.readResource({ uri: resources[0].uri })
  assert.equal(JSON.parse(log.text).entries.length, 3)
  const { contents: [shown] } = await client.readResource({ uri: `xylem://entry/${ID}/two` })
  assert.equal(JSON.parse(shown.text).entries[0].entry, 'two')
  const { prompts } = await client.listPrompts()
  assert.deepEqual(prompts.map(({ name }) => name), ['what_did_we_decide', 'where_were_we'])
  assert.match((await client.getPrompt({ name: 'what_did_we_decide', arguments: { topic: 'hello' } })).messages[0].content.text, /hello, too/)
  assert.match((await client.getPrompt({ name: 'where_were_we', arguments: { session: ID } })).messages[0].content.text, /hello, too/)
  const { completion } = await client.complete({ ref: { type: 'ref/resource', uri: 'xylem://session/{session}' },
    argument: { name: 'session', value: ID.slice(0, 8) } })
  assert.deepEqual(completion.values, [ID])
}

for (const mode of [undefined, 'auto']) {
  test(`the official client 2.x asks for everything, ${mode ? 'in the era of 2026' : 'behind initialize'}`, async (t) => {
    const { client } = await filled(t).connect(undefined, { mode })
    assert.equal(client.getProtocolEra?.() ?? client.protocolEra, mode ? 'modern' : 'legacy')
    await askAll(client)
  })
}

test('the official client 1.x asks for everything', async (t) => {
  const world = filled(t)
  const { Client } = load('@modelcontextprotocol/sdk/client/index.js')
  const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js')
  const client = new Client({ name: 'old', version: '1' })
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [serverPath, '-s', world.store], cwd: world.root, env: environment }))
  t.after(() => client.close())
  await askAll(client)
})

test('the inspector asks for everything', (t) => {
  const world = filled(t)
  const inspect = (...words) => JSON.parse(execFileSync(process.execPath, [join(process.env.XYLEM_CLIENTS, '.bin/mcp-inspector'), '--cli',
    process.execPath, serverPath, '-s', world.store, '--all', ...words], { encoding: 'utf8', cwd: world.root, env: { ...environment, HOME: world.root } }))
  assert.equal(inspect('--method', 'tools/list').tools.length, 9)
  for (const [name, input] of Object.entries(calls)) {
    const words = Object.entries(input).flatMap(([key, value]) => ['--tool-arg', `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`])
    assert.ok(inspect('--method', 'tools/call', '--tool-name', name, ...words).structuredContent.applied, name)
  }
  assert.equal(inspect('--method', 'resources/list').resources.length, 1)
  assert.equal(inspect('--method', 'resources/templates/list').resourceTemplates.length, 2)
  assert.equal(inspect('--method', 'resources/read', '--uri', `xylem://session/${ID}`).contents.length, 1)
  assert.equal(inspect('--method', 'prompts/list').prompts.length, 2)
  assert.equal(inspect('--method', 'resources/read', '--uri', `xylem://entry/${ID}/two`).contents.length, 1)
  for (const [name, input] of [['where_were_we', `session=${ID}`], ['what_did_we_decide', 'topic=hello']]) {
    assert.equal(inspect('--method', 'prompts/get', '--prompt-name', name, '--prompt-args', input).messages.length, 1)
  }
})

// --- Raw lines -------------------------------------------------------------------------------------------------------

function start(t, world, { args = ['--all'], env = environment } = {}) {
  const child = spawn(process.execPath, [serverPath, '-s', world.store, ...args], { env, cwd: world.root })
  t.after(() => child.kill('SIGKILL'))
  let out = ''
  let told = ''
  child.stdout.on('data', (piece) => { out += piece })
  child.stderr.on('data', (piece) => { told += piece })
  child.stdin.on('error', () => {})
  const lines = () => out.split('\n').filter(Boolean).map((line) => JSON.parse(line)) // nothing but the protocol
  const answer = async (id) => {
    for (let i = 0; i < 1500; i++, await sleep(20)) {
      const found = lines().find((line) => line.id === id)
      if (found) {
        return found
      }
    }
    assert.fail(`no answer to ${id}: ${out} ${told}`)
  }
  const send = (line) => child.stdin.write(typeof line === 'string' || Buffer.isBuffer(line) ? line : `${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`)
  const hello = async (protocolVersion = '2025-06-18') => {
    send({ id: 'hello', method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } } })
    const { result } = await answer('hello')
    send({ method: 'notifications/initialized' })
    return result
  }
  const call = (id, name, input = {}) => send({ id, method: 'tools/call', params: { name, arguments: input } })
  return { child, send, answer, hello, call, lines, told: () => told, ended: once(child, 'exit') }
}

test('garbage, batches and unknown methods leave the server at work', async (t) => {
  const server = start(t, filled(t))
  await server.hello()
  const many = Buffer.alloc(3000, 0)
  for (const line of ['\n', 'garbage\n', '{"jsonrpc":"2.0"}\n', '[]\n', '[{"jsonrpc":"2.0","id":8,"method":"ping"}]\n', '\u0000\n', '{"id":1}\n',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}\n', `${'['.repeat(100_000)}\n`, '"\ud800"\n', Buffer.concat([many, Buffer.from('\n')]), Buffer.from([0xff, 0xfe, 10])]) {
    server.send(line)
  }
  server.send({ id: 2, method: 'no/such' })
  assert.ok((await server.answer(2)).error)
  server.call(3, 'no_such_tool')
  const unknown = await server.answer(3)
  assert.ok(unknown.error || unknown.result.isError)
  for (const [id, input] of [[4, { session: 7 }], [5, {}], [6, { session: ID, sesion: 'x' }], [7, { session: ID, limit: 1e9 }], [9, 'text']]) {
    server.call(id, 'session_log', input)
    const { error, result } = await server.answer(id)
    assert.ok(error || result.isError, JSON.stringify(result))
  }
  server.call(10, 'sessions_list')
  assert.equal((await server.answer(10)).result.structuredContent.sessions.length, 1)
})

test('a line beyond 4 MiB is skipped and told, and the next line is read', async (t) => {
  const server = start(t, filled(t))
  await server.hello()
  server.call(1, 'sessions_search', { query: 'x'.repeat(5 * 1024 * 1024) })
  server.send(`${'y'.repeat(20 * 1024 * 1024)}\n`)
  server.call(2, 'sessions_list')
  assert.equal((await server.answer(2)).result.structuredContent.sessions.length, 1)
  assert.equal(server.lines().find(({ id }) => id === 1), undefined)
  assert.match(server.told(), /skipped a line of \d+ bytes/)
})

test('an error output that is closed ends nothing', async (t) => {
  const server = start(t, filled(t))
  await server.hello()
  server.child.stderr.destroy()
  server.send(`garbage\n${'y'.repeat(5 * 1024 * 1024)}\n`)
  server.call(1, 'sessions_list')
  assert.equal((await server.answer(1)).result.structuredContent.sessions.length, 1)
})

test('an unknown version gets a version that the server knows', async (t) => {
  const server = start(t, filled(t))
  assert.match((await server.hello('1999-01-01')).protocolVersion, /^20\d\d-\d\d-\d\d$/)
})

test('arguments that look like options are words', async (t) => {
  const { call, ask } = await filled(t).connect()
  for (const query of ['--help', '-V', '--no-lock', '-s/tmp', '--json --all', '-e', '--']) {
    assert.deepEqual((await ask('sessions_search', { query })).hits, [], query)
  }
  for (const word of ['--help', '-s', '--store=/x', '@last', '.', '../x', '$(id)', '`id`', '-']) {
    for (const [tool, input] of [['session_log', { session: word }], ['entry_show', { handles: [word] }], ['session_diff', { a: word, b: word }],
      ['sequence_show', { run: word }], ['session_state', { session: ID, entry: `${word}x` }]]) {
      const { isError, content } = await call(tool, input)
      assert.ok(isError, `${tool} ${word}: ${content[0].text}`)
    }
  }
  assert.equal((await call('sessions_list', { since: '--all' })).isError, true)
  assert.equal((await call('sessions_search', { query: 'a', kind: ['--all'] })).isError, undefined)
})

test('100 calls at once are all answered, four commands at a time', async (t) => {
  const world = filled(t)
  const place = counting(world)
  const { ask } = await world.connect(['--all'], { more: { PATH: [place, environment.PATH].join(delimiter) } })
  const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => i % 2 ? ask('session_log', { session: ID }) : ask('sessions_search', { query: 'hello' })))
  assert.ok(answers.every((one) => (one.entries ?? one.hits).length > 0))
  const counts = readFileSync(join(world.root, 'counts'), 'utf8').trim().split('\n').map(Number)
  assert.ok(Math.max(...counts) <= 4, `${Math.max(...counts)} commands at once`)
})

// A `xylem` that notes how many of it run.
function counting(world) {
  const place = join(world.root, 'bin')
  mkdirSync(place)
  mkdirSync(join(world.root, 'running'))
  writeFileSync(join(place, 'xylem'), `#!/bin/sh
touch ${world.root}/running/$$
ls ${world.root}/running | wc -l >> ${world.root}/counts
${build}/xylem "$@"
status=$?
rm ${world.root}/running/$$
exit $status
`)
  chmodSync(join(place, 'xylem'), 0o755)
  return place
}

// --- The end ---------------------------------------------------------------------------------------------------------

// A `xylem` that never ends, unless by SIGKILL where it minds no SIGTERM.
function slow(world, mindsTerm = true) {
  const place = join(world.root, 'slow')
  mkdirSync(place)
  writeFileSync(join(place, 'xylem'), `#!/bin/sh
case "$*" in *version*) exec ${build}/xylem "$@" ;; esac
${mindsTerm ? '' : "trap '' TERM"}
echo $$ >> ${world.root}/pids
while :; do sleep 0.1; done
`)
  chmodSync(join(place, 'xylem'), 0o755)
  return { ...environment, PATH: [place, environment.PATH, dirname(process.execPath)].join(delimiter) }
}

const running = (world) => readFileSync(join(world.root, 'pids'), 'utf8').trim().split('\n').filter((pid) => readdirSync('/proc').includes(pid))

async function until(question, what) {
  for (let i = 0; i < 500; i++, await sleep(20)) {
    try {
      if (question()) {
        return
      }
    } catch {
      // the file is not there yet
    }
  }
  assert.fail(what)
}

for (const mindsTerm of [true, false]) {
  test(`a cancelled call ends its command${mindsTerm ? '' : ', which minds no SIGTERM'}`, async (t) => {
    const world = filled(t)
    const server = start(t, world, { env: slow(world, mindsTerm) })
    await server.hello()
    server.call(1, 'session_log', { session: ID })
    await until(() => running(world).length > 0, 'the command runs')
    server.send({ method: 'notifications/cancelled', params: { requestId: 1 } })
    await until(() => running(world).length === 0, 'the command has ended')
    assert.equal(server.child.exitCode, null)
  })
}

for (const [how, end] of [['the end of the input', ({ child }) => child.stdin.end()], ['SIGTERM', ({ child }) => child.kill('SIGTERM')],
  ['SIGINT', ({ child }) => child.kill('SIGINT')], ['the end of the output', ({ child, call }) => { child.stdout.destroy(); call('late', 'store_status') }],
  ['a client that is gone', ({ child }) => { child.stdin.destroy(); child.stdout.destroy(); child.stderr.destroy() }]]) {
  test(`${how} ends the server and its commands`, async (t) => {
    const world = filled(t)
    const server = start(t, world, { env: slow(world) })
    await server.hello()
    for (let i = 0; i < 6; i++) {
      server.call(i, 'session_log', { session: ID })
    }
    await until(() => running(world).length > 0, 'a command runs')
    end(server)
    const [code] = await server.ended
    assert.equal(code, 0)
    await until(() => running(world).length === 0, 'no command runs')
  })
}
