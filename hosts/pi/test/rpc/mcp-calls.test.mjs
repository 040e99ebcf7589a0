// Calls of MCP tools in a real pi, over RPC: sessions that end, cancellation, results, schemas, readonly.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { extension, piVersion, world } from '../lib/pi.mjs'
import { contentOf, definitionOf, mcpWorld, overview, run, saidOf, serveRaw, serveSdk } from '../mcp/worlds.mjs'
import { asked, changeSettings, restart, runPi, toggle } from './moves.mjs'

test('a remote server that forgot the session gets a new one, and the tool runs once', async (t) => {
  const web = await serveSdk(t)
  const w = await mcpWorld(t, () => ({ mcp: { web: { type: 'remote', url: web.url } } }))
  const pi = w.start()
  await pi.prompt('hello')
  web.forget()
  assert.deepEqual(await run(pi, 'mcp__web__echo', { words: 'again' }), { isError: false, text: 'web: again' })
  assert.deepEqual([web.log, web.sent('initialize').length, web.sent('tools/call').length], [['call echo'], 2, 2])
  await pi.prompt('~tools [["mcp__web__echo",{"words":"1"}],["mcp__web__echo",{"words":"2"}]]')
  assert.equal(web.sent('initialize').length, 2)
})

test('parallel calls that meet a forgotten session share the new one', async (t) => {
  const web = await serveSdk(t)
  const w = await mcpWorld(t, () => ({ mcp: { web: { type: 'remote', url: web.url } } }))
  const pi = w.start()
  await pi.prompt('hello')
  web.forget()
  await pi.prompt(`~tools ${JSON.stringify(['1', '2', '3'].map((words) => ['mcp__web__echo', { words }]))}`)
  const results = (await pi.messages()).filter(({ role }) => role === 'toolResult')
  assert.deepEqual(results.map(({ isError, content }) => [isError, content[0].text]),
    [1, 2, 3].map((n) => [false, `web: ${n}`]))
  assert.deepEqual([web.log.length, web.sent('initialize').length], [3, 2])
})

test('a second 404 is an error of the tool', async (t) => {
  const gone = ({ response }) => response.writeHead(404).end('no such session')
  const web = await serveRaw(t, { 'tools/call': gone })
  const w = await mcpWorld(t, () => ({ mcp: { web: { type: 'remote', url: web.url } } }))
  const pi = w.start()
  assert.deepEqual(await run(pi, 'mcp__web__echo'), { isError: true, text: 'HTTP 404: no such session' })
  assert.deepEqual([web.sent('initialize').length, web.sent('tools/call').length], [2, 2])
})

test('another error of a remote server is not tried again', async (t) => {
  const web = await serveRaw(t, { 'tools/call': ({ response }) => response.writeHead(500).end('broken') })
  const w = await mcpWorld(t, () => ({ mcp: { web: { type: 'remote', url: web.url } } }))
  const pi = w.start()
  assert.deepEqual(await run(pi, 'mcp__web__echo'), { isError: true, text: 'HTTP 500: broken' })
  assert.deepEqual([web.sent('initialize').length, web.sent('tools/call').length], [1, 1])
})

test('a dead local server is told once, and /reload starts it again', async (t) => {
  const w = await mcpWorld(t, ({ local }) => ({ mcp: { files: local(), other: local('other') } }))
  const pi = w.start()
  await run(pi, 'mcp__files__die')
  const line = 'mcp: files: the server has ended: \\u{1b}[31mready\\u{7}. /reload starts the server again'
  await w.until(() => saidOf(pi).includes(line), 'the line')
  for (const _ of [1, 2]) {
    assert.deepEqual(await run(pi, 'mcp__files__echo', { words: 'x' }), { isError: true,
      text: 'the MCP server files has ended. /reload starts the server again' })
  }
  assert.equal((await run(pi, 'mcp__other__echo', { words: 'x' })).text, 'other: x')
  assert.deepEqual(saidOf(pi), [line])
  assert.match(await overview(pi),
    /^✗ files: local, ended\n {4}the server has ended: .*\n● other: local, connected, 18 tools\n {4}echo, .*$/)
  await pi.command('/again')
  assert.equal((await run(pi, 'mcp__files__echo', { words: 'again' })).text, 'files: again')
})

test('an abort cancels the call on the server', async (t) => {
  const web = await serveSdk(t)
  const w = await mcpWorld(t, ({ local }) => ({ mcp: { files: local(), web: { type: 'remote', url: web.url } } }))
  const pi = w.start()
  await pi.prompt('hello')
  for (const [name, called, cancelled] of [
    ['mcp__files__slow', () => w.logged('files call slow'), () => w.logged('files cancelled')],
    ['mcp__web__slow', () => web.logged('call slow'), () => web.logged('cancelled')]]) {
    const from = pi.lines.length
    await pi.send('prompt', { message: `~tool ${name}` })
    await called()
    await pi.send('abort')
    await cancelled()
    await pi.wait(({ type }) => type === 'agent_settled', 'the end of the turn', from)
  }
  assert.equal((await run(pi, 'mcp__files__echo', { words: 'goes on' })).text, 'files: goes on')
})

test('a tool may run for longer than the limit of the SDK', async (t) => {
  const w = await mcpWorld(t, ({ raw }) => ({ mcp: { slow: raw(`
    on = (m) => m.method === 'tools/call' ? setTimeout(() => answer(m.id, text('late')), 300)
      : usual(m, [{ name: 'run', inputSchema: schema }])`) } }))
  const hurry = join(w.sandbox.root, 'hurry.mjs') // a minute is over at once
  writeFileSync(hurry, 'const later = setTimeout; globalThis.setTimeout = (run, ms, ...rest) => ' +
    'later(run, ms === 60000 ? 1 : ms, ...rest)')
  const pi = w.start([], { NODE_OPTIONS: `--import ${hurry}` })
  assert.deepEqual(await run(pi, 'mcp__slow__run'), { isError: false, text: 'late' })
})

test('progress of a tool shows while it runs', async (t) => {
  const w = await mcpWorld(t, ({ local }) => ({ mcp: { files: local() } }))
  const pi = w.start()
  assert.equal((await run(pi, 'mcp__files__steps')).text, 'arrived')
  const updates = pi.lines.filter(({ type }) => type === 'tool_execution_update')
  assert.deepEqual(updates.map(({ partialResult }) => partialResult.content[0].text), ['halfway'])
})

test('texts, images, resources and structured content reach the model', async (t) => {
  const w = await mcpWorld(t, ({ local }) => ({ mcp: { files: local() } }))
  const pi = w.start()
  await run(pi, 'mcp__files__picture')
  const [text, image, ...rest] = await contentOf(pi)
  assert.deepEqual([text.text, image.type, image.mimeType, rest], ['a pixel\n[image image/bmp: not shown]', 'image',
    'image/png', []])
  assert.equal((await run(pi, 'mcp__files__kinds')).text, ['[resource file:///a.txt]', 'inside of a',
    '[resource file:///b.bin application/zip: not shown]', '[resource c file:///c.txt] the third',
    '[audio audio/wav: not shown]'].join('\n'))
  assert.equal((await run(pi, 'mcp__files__both')).text, 'two found\n{"found":[1,2]}')
  assert.equal((await run(pi, 'mcp__files__same')).text, '{"found":[3]}')
})

test('an error of a tool is an error for the model, with its words and images', async (t) => {
  const w = await mcpWorld(t, ({ local }) => ({ mcp: { files: local() } }))
  const pi = w.start()
  assert.deepEqual(await run(pi, 'mcp__files__fail'), { isError: true, text: 'no such row' })
  assert.deepEqual((await contentOf(pi)).map(({ type }) => type), ['text', 'image'])
})

test('a large result is cut as pi cuts its own, and a file has all of it', async (t) => {
  const w = await mcpWorld(t, ({ local }) => ({ mcp: { files: local() } }))
  const pi = w.start()
  for (const [words, count, length] of [['\n', 5000, 500000], ['ü', 80000, 8000000]]) {
    const { text } = await run(pi, 'mcp__files__big', { words, count })
    const [, kept, path] = /^([^]*)\n\n\[Cut: .* of .*\. All of it: (.*)\]$/.exec(text)
    assert.ok(kept.length <= 51200 && kept.length > 50000, String(kept.length))
    assert.match(kept, /^[xü\n]*$/)
    assert.equal(readFileSync(path, 'utf8').length, length)
    const { details } = (await pi.messages()).findLast(({ role }) => role === 'toolResult')
    assert.deepEqual(details, { fullOutputPath: path })
  }
})

// What `run` costs pi with Buffer.concat(), Buffer.indexOf() and their like: bytes for each byte of the answer.
test('reading an answer costs the same for each byte, also in small pieces', async (t) => {
  const w = await mcpWorld(t, ({ raw }) => ({ mcp: { s: raw(`
    on = (m) => usual(m, [{ name: 't', inputSchema: schema }],
      ({ arguments: { size } }) => text('x'.repeat(size)))`) } }))
  const counter = join(w.sandbox.root, 'counter.mjs')
  const counts = join(w.sandbox.root, 'counts')
  writeFileSync(counter, `
    import { writeFileSync } from 'node:fs'
    import { isMainThread } from 'node:worker_threads'
    let bytes = 0
    let written = 0
    const counted = (run, size) => function (...given) {
      bytes += size.call(this, given)
      if (isMainThread && bytes - written > 100000) {
        written = bytes
        writeFileSync(${JSON.stringify(counts)}, String(bytes))
      }
      return run.apply(this, given)
    }
    Buffer.concat = counted(Buffer.concat, ([list]) => list.reduce((sum, { length }) => sum + length, 0))
    for (const of of [Buffer.prototype, Uint8Array.prototype]) {
      of.indexOf = counted(of.indexOf, function ([, from = 0]) { return this.length - from })
    }`)
  const pi = w.start([], { NODE_OPTIONS: `--import ${counter}` })
  await run(pi, 'mcp__s__t', { size: 10 })
  const bytes = () => existsSync(counts) ? Number(readFileSync(counts, 'utf8')) : 0
  for (const size of [1e6, 4e6, 8e6]) {
    const before = bytes()
    assert.equal((await run(pi, 'mcp__s__t', { size })).isError, false)
    const perByte = (bytes() - before) / size
    assert.ok(perByte > 1.5 && perByte < 8, `${perByte} bytes for each of ${size}`)
  }
})

const TOO_LONG = 'the answer has more than 8 MiB, which is the limit of a message. A tool that was called has run: ' +
  'ask for a part of the result'

test('an answer of more than 8 MiB is an error that names the limit, and a local server goes on', async (t) => {
  const w = await mcpWorld(t, ({ raw }) => ({ mcp: { s: raw(`
    on = (m) => {
      if (m.method !== 'tools/call') return usual(m, [{ name: 't', inputSchema: schema }])
      const { id, params: { arguments: { size, order } } } = m
      const members = { id: '"id":' + id, jsonrpc: '"jsonrpc":"2.0"',
        result: '"result":' + JSON.stringify({ ...text('x'.repeat(size)), structuredContent: { id: 1 } }) }
      if (order === 'others') {
        const params = { level: 'info', data: 'x'.repeat(size) }
        send({ method: 'notifications/message', params, jsonrpc: '2.0', id })
        send({ jsonrpc: '2.0', id, method: 'sampling/createMessage', params })
        return answer(id, text('others'))
      }
      send('{' + order.map((name) => members[name]).join(', ') + '}')
    }`) } }))
  const pi = w.start()
  const limit = 8 * 1024 * 1024
  const edge = (size) => run(pi, 'mcp__s__t', { size, order: ['jsonrpc', 'id', 'result'] })
  const around = (await edge(10)).text.length - 10 // the text of `structuredContent`
  assert.ok(around > 0)
  for (const order of [['jsonrpc', 'id', 'result'], ['result', 'jsonrpc', 'id'], ['id', 'result', 'jsonrpc'],
    ['jsonrpc', 'result', 'id']]) {
    const result = await run(pi, 'mcp__s__t', { size: limit, order })
    assert.deepEqual(result, { isError: true, text: TOO_LONG }, String(order))
    assert.equal((await edge(limit - 200)).isError, false)
  }
  assert.deepEqual(saidOf(pi), [])
  assert.equal((await run(pi, 'mcp__s__t', { size: limit, order: 'others' })).text, 'others')
  const leftOut = 'mcp: s: a message of more than 8 MiB, which is the limit, was left out'
  assert.deepEqual(saidOf(pi), [leftOut, leftOut])
})

test('an answer of a remote server of more than 8 MiB is an error that names the limit', async (t) => {
  const big = (id, size) => JSON.stringify({ jsonrpc: '2.0', id,
    result: { content: [{ type: 'text', text: 'x'.repeat(size) }] } })
  // Each line of the event is far below the limit.
  const long = (id, size) => JSON.stringify({ jsonrpc: '2.0', id, result: { content:
    Array(Math.ceil(size / 1e5)).fill({ type: 'text', text: 'x'.repeat(Math.min(size, 1e5)) }) } }, null, 1)
  const answers = {
    lines: ({ response, body, size }) => response.writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`: words\nid: 1\n${long(body.id, size).replace(/^/gm, 'data: ')}\n\n`),
    json: ({ response, body, size }) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(big(body.id, size)),
    events: ({ response, body, size }) => response.writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`id: 1\ndata: \n\nevent: message\r\ndata: ${big(body.id, size)}\r\n\r\n`) }
  for (const [name, call] of Object.entries(answers)) {
    const web = await serveRaw(t, { 'tools/call': (asked) =>
      call({ ...asked, size: asked.body.params.arguments.size }) })
    const w = await mcpWorld(t, () => ({ mcp: { web: { type: 'remote', url: web.url } } }))
    const pi = w.start()
    assert.equal((await run(pi, 'mcp__web__echo', { size: 8e6 })).isError, false, name)
    assert.deepEqual(await run(pi, 'mcp__web__echo', { size: 8.5e6 }), { isError: true, text: TOO_LONG }, name)
    assert.equal((await run(pi, 'mcp__web__echo', { size: 10 })).text, 'x'.repeat(10), name)
    assert.equal(web.sent('tools/call').length, 3, name)
  }
})

test('where no file can have the whole text, the beginning is a result all the same', async (t) => {
  const w = await mcpWorld(t, ({ local }) => ({ mcp: { files: local() } }))
  const pi = w.start([], { TMPDIR: '/dev/null' })
  const { isError, text } = await run(pi, 'mcp__files__big', { words: '\n', count: 5000 })
  assert.equal(isError, false)
  assert.match(text.slice(-200), /x{50}\n\n\[Cut: .* of .*\. No file could be written: ENOTDIR[^\n]*\]$/)
})

test('the schema of a tool goes to the model as the server has it', async (t) => {
  const inputSchema = { type: 'object', properties: {
    a: { anyOf: [{ type: 'string', pattern: '^x' }, { $ref: '#/$defs/n' }] },
    b: { type: 'array', items: { enum: [1, null, 'z'] } },
  }, required: ['a'], additionalProperties: false, $defs: { n: { type: 'number', description: 'n' } } }
  const w = await mcpWorld(t, ({ raw }) => ({ mcp: { s: raw(`
    on = (m) => usual(m, [{ name: 't', description: 'does t', inputSchema: ${JSON.stringify(inputSchema)} }],
      ({ arguments: given }) => text(JSON.stringify(given)))`) } }))
  const pi = w.start()
  assert.equal((await run(pi, 'mcp__s__t', { a: 'x1', b: [null] })).text, '{"a":"x1","b":[null]}')
  const { parameters, description } = definitionOf(w, 'mcp__s__t')
  assert.deepEqual([parameters, description], [inputSchema, 'does t'])
  assert.equal((await run(pi, 'mcp__s__t', { b: [] })).isError, true)
})

test('readonly blocks a tool that its server does not call one that only reads', async (t) => {
  const web = await serveSdk(t)
  const w = await mcpWorld(t, () => ({ mcp: { web: { type: 'remote', url: web.url } } }),
    { extensions: ['readonly', 'mcp-loader'] })
  const pi = w.start()
  for (const name of ['wipe', 'add']) {
    assert.equal((await run(pi, `mcp__web__${name}`)).text, `${name} ran`)
  }
  await toggle(pi, 'on')
  for (const name of ['wipe', 'add']) {
    const { isError, text } = await run(pi, `mcp__web__${name}`)
    assert.deepEqual([isError, text], [true, `Readonly mode: mcp__web__${name} disabled. Use /readonly to disable.`])
  }
  assert.equal((await run(pi, 'mcp__web__look')).text, 'look ran')
  changeSettings(w, { xylem: { readonly: { blockOthers: true } } })
  await pi.command('/again')
  assert.equal((await run(pi, 'mcp__web__look')).text, 'look ran')
  assert.deepEqual(pi.dialogs(), [])
})

const NO = 'No, block it'
const YES = 'Yes, it only reads'
const answersIn = (w) => readdirSync(join(w.sandbox.agent, 'xylem/mcp-tools'))
  .map((name) => w.read(join(w.sandbox.agent, 'xylem/mcp-tools', name))).sort()

test('under readonly a tool without annotations is asked about once, also after a restart', async (t) => {
  const tools = [{ name: 'get', description: 'gets it', inputSchema: { type: 'object' } },
    { name: 'put', inputSchema: { type: 'object' } }]
  const web = await serveRaw(t, { 'tools/list': ({ json }) => json({ tools }) })
  const w = await mcpWorld(t, () => ({ mcp: { web: { type: 'remote', url: web.url } } }),
    { extensions: ['readonly', 'mcp-loader'] })
  const pi = w.start()
  assert.match((await run(pi, 'mcp__web__put')).text, /^ran/) // nobody is asked while readonly is off
  await toggle(pi, 'on')
  const unanswered = await asked(pi, '~tool mcp__web__get', undefined) // not kept
  assert.match(unanswered.text, /^Readonly mode: mcp__web__get disabled/)
  const { dialogs: [{ title, options }], text } = await asked(pi, '~tool mcp__web__get', YES)
  assert.equal(title, 'Does web/get only read? Readonly is on, and the MCP server does not say.\n' +
    'The answer is kept.\n\ngets it')
  assert.deepEqual(options, [NO, YES])
  assert.match(text, /^ran/)
  assert.match((await asked(pi, '~tool mcp__web__put', NO)).text, /^Readonly mode: mcp__web__put disabled/)
  assert.deepEqual(answersIn(w), ['changes web/put\n', 'reads web/get\n'])
  changeSettings(w, { xylem: { readonly: { blockOthers: true } } }) // the answer counts like an annotation
  const again = await restart(w, pi)
  assert.match((await asked(again, '~tool mcp__web__get')).text, /^ran/)
  assert.match((await asked(again, '~tool mcp__web__put')).text, /^Readonly mode/)
  tools[0].description = 'gets and removes it'
  await again.command('/again')
  assert.match((await asked(again, '~tool mcp__web__get', NO)).text, /^Readonly mode/)
  const calls = web.sent('tools/call').length
  assert.equal(calls, 3)
})

test('without a person a tool without annotations is blocked under readonly', async (t) => {
  const web = await serveRaw(t)
  const w = await mcpWorld(t, () => ({ mcp: { web: { type: 'remote', url: web.url } } }),
    { extensions: ['readonly', 'mcp-loader'] })
  const extensions = [extension('readonly'), extension('mcp-loader')]
  await runPi(w, ['--readonly', '-p', '~tool mcp__web__echo'], extensions)
  assert.equal(web.sent('tools/call').length, 0)
  await runPi(w, ['-p', '~tool mcp__web__echo'], extensions)
  assert.equal(web.sent('tools/call').length, 1)
})

test('under readonly the MCP of pi 1.5 is judged by its annotations too', async (t) => {
  if (piVersion.startsWith('0.')) {
    return
  }
  const w = await world(t, { helpers: ['mcp-names'] })
  const pi = w.start()
  await toggle(pi, 'on')
  assert.match((await asked(pi, '~tool mcp__srv__add')).text, /^Readonly mode: mcp__srv__add disabled/)
  assert.equal((await asked(pi, '~tool mcp__srv__look')).text, 'look ran')
  assert.match((await asked(pi, '~tool mcp__srv__some', NO)).text, /^Readonly mode: mcp__srv__some disabled/)
  assert.deepEqual(answersIn(w), ['changes srv/some\n'])
})
