// MCP servers that do not do as they should, in a real pi: pi and the other servers go on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentOf, definitionOf, mcpWorld, offered, offeredOf, overview, run, saidOf, serve, serveRaw, serveSdk }
  from '../mcp/worlds.mjs'

const remote = ({ url }, headers = {}) => ({ type: 'remote', url, headers })

test('servers that do not start are one line each, after at most 10 s, and the others are there', async (t) => {
  const broken = await serveRaw(t, { initialize: ({ response }) => response.writeHead(500).end('<h1>broken</h1>') })
  const page = await serveRaw(t, { initialize: ({ response }) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>welcome</h1>') })
  const deaf = await serve(t, () => {})
  const w = await mcpWorld(t, ({ local, raw }) => ({ mcp: {
    gone: { type: 'local', command: ['/no/such/program'] }, dead: raw("console.error('no\\tkey'); process.exit(1)"),
    mute: raw(''), noise: raw("setInterval(() => send('noise'), 100)"),
    refuses: raw("on = ({ id }) => send({ jsonrpc: '2.0', id, error: { code: -32000, message: 'not today' } })"),
    good: local('good'), broken: remote(broken), page: remote(page), deaf: remote(deaf),
    nobody: remote({ url: 'http://127.0.0.1:1/mcp' }) } }))
  const pi = w.start()
  await pi.prompt('hello')
  assert.deepEqual(offeredOf(w, 'mcp__good__echo'), ['mcp__good__echo'])
  const lines = new Map(saidOf(pi).map((line) => /^mcp: (\w+): (.*)$/.exec(line).slice(1)))
  assert.equal(saidOf(pi).length, 9)
  const late = /^no answer in 10 s$/
  for (const [name, words] of Object.entries({ gone: /^spawn .* ENOENT$/, dead: /: no\\tkey$/, mute: late, noise: late,
    refuses: /not today/, broken: /^HTTP 500: <h1>broken<\/h1>$/, page: /Unexpected content type: text\/html/, deaf: late,
    nobody: /fetch failed/ })) {
    assert.match(lines.get(name) ?? '', words, name)
  }
  const shown = await overview(pi)
  assert.deepEqual(shown.match(/^[^ ]/gm).join(''), '✗✗✗✗✗●✗✗✗✗')
  await pi.prompt('hello')
  assert.equal(saidOf(pi).length, 9)
})

test('noise on the output of a server, and a flood of errors, are passed over', async (t) => {
  const w = await mcpWorld(t, ({ raw }) => ({ mcp: { loud: raw(`
    on = (m) => { send('starting...'); process.stderr.write('x'.repeat(3000000) + '\\n'); send('{"half')
      usual(m, [{ name: 'run', inputSchema: schema }]) }`) } }))
  const pi = w.start()
  assert.equal((await run(pi, 'mcp__loud__run')).text, 'ran')
})

test('a list of tools without an end is cut, and told', async (t) => {
  const w = await mcpWorld(t, ({ raw }) => ({ mcp: { endless: raw(`
    let page = 0
    on = ({ id, method }) => {
      if (method === 'initialize') answer(id, hello)
      const tools = [{ name: 't' + page, inputSchema: schema }]
      if (method === 'tools/list') answer(id, { tools, nextCursor: 'p' + ++page })
    }`) } }))
  const pi = w.start()
  await pi.prompt('hello')
  assert.equal(offeredOf(w, 'mcp__endless__').length, 64)
  assert.deepEqual(saidOf(pi), ['mcp: endless: the list of tools has more than 64 pages, and the rest is left out'])
})

test('a malformed schema is mended, and neither the turn nor the other tools break', async (t) => {
  const schemas = { none: undefined, text: 'x', nil: null, list: [], string: { type: 'string' },
    props: { type: 'object', properties: [1] },
    odd: { type: 'object', properties: { a: 7, b: true, c: { type: 'string' } }, required: 'a' },
    mixed: { properties: { a: {} }, required: ['a', 'a', 5] },
    pattern: { type: 'object', properties: { a: { type: 'string', pattern: '(' } } },
    ref: { type: 'object', properties: { a: { $ref: '#/nowhere' } } } }
  const tools = JSON.stringify(Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema })))
  const w = await mcpWorld(t, ({ raw }) => ({ mcp: { s: raw(`
    on = (m) => usual(m, [...${tools}, 5, null, {}, { name: 7 }, { name: '' }, { name: 'none', description: 'again' },
      { name: 'words', description: 5, title: ['x'], annotations: 'y', inputSchema: schema }])`) } }))
  const pi = w.start()
  await pi.prompt('hello')
  assert.deepEqual(offeredOf(w, 'mcp__s__'), [...Object.keys(schemas), 'words'].map((name) => `mcp__s__${name}`))
  const sent = (name) => definitionOf(w, `mcp__s__${name}`).parameters
  for (const name of ['none', 'text', 'nil', 'list', 'string', 'props']) {
    assert.deepEqual(sent(name), { type: 'object', properties: {} }, name)
    assert.deepEqual(await run(pi, `mcp__s__${name}`), { isError: false, text: 'ran' })
  }
  assert.deepEqual(sent('odd'), { type: 'object', properties: { b: {}, c: { type: 'string' } }, required: [] })
  assert.deepEqual(sent('mixed'), { type: 'object', properties: { a: {} }, required: ['a'] })
  assert.equal(definitionOf(w, 'mcp__s__words').description, 'The tool s/words of an MCP server')
  for (const name of ['pattern', 'ref']) {
    await run(pi, `mcp__s__${name}`, { a: 'x' })
  }
  assert.equal((await run(pi, 'mcp__s__words')).text, 'ran')
})

test('no provider refuses a schema for a part beside its properties; the properties of the part stay', async (t) => {
  const of = (name, more) => ({ properties: { [name]: { type: 'string' } }, required: [name], ...more })
  const inputSchema = of('a', { type: 'object', allOf: [of('b'), 5], anyOf: [of('c'), of('a', { title: 'other' })],
    oneOf: [of('d'), { $ref: '#/$defs/x' }], not: {}, enum: [{}], $defs: { x: of('x') } })
  const w = await mcpWorld(t, ({ raw }) => ({ mcp: { s: raw(`
    on = (m) => usual(m, [{ name: 't', inputSchema: ${JSON.stringify(inputSchema)} }])`) } }))
  const pi = w.start()
  assert.equal((await run(pi, 'mcp__s__t', { a: 'x', d: 'y' })).text, 'ran')
  const { parameters } = definitionOf(w, 'mcp__s__t')
  const { $defs, ...rest } = parameters
  assert.deepEqual(rest, { type: 'object', required: ['a'],
    properties: Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, { type: 'string' }])) })
})

test('names of properties fit every provider, and the server gets its own names', async (t) => {
  const long = 'x'.repeat(70)
  const names = ['plain', 'a.b-c', '$filter', '_filter', 'StartTime<', 'StartTime>', 'ids[]', 'größe', long,
    `${long}y`, '']
  const inputSchema = { type: 'object', required: ['$filter', 'plain'],
    properties: Object.fromEntries(names.map((name) => [name, { type: 'number' }])) }
  const w = await mcpWorld(t, ({ raw }) => ({ mcp: { s: raw(`
    on = (m) => usual(m, [{ name: 't', inputSchema: ${JSON.stringify(inputSchema)} }],
      ({ arguments: given }) => text(JSON.stringify(given)))`) } }))
  const pi = w.start()
  await pi.prompt('hello')
  const { properties, required } = definitionOf(w, 'mcp__s__t').parameters
  const sent = Object.keys(properties)
  assert.deepEqual(sent, ['plain', 'a.b-c', '_filter_2', '_filter', 'StartTime_', 'StartTime__2', 'ids__', 'gr__e',
    'x'.repeat(64), `${'x'.repeat(62)}_2`, '_'])
  assert.deepEqual(required, ['_filter_2', 'plain'])
  const { text } = await run(pi, 'mcp__s__t', Object.fromEntries(sent.map((name, i) => [name, i])))
  assert.deepEqual(JSON.parse(text), Object.fromEntries(names.map((name, i) => [name, i])))
})

test('a result of no known shape is a result all the same', async (t) => {
  const results = [{}, { content: 'x' }, { content: [null, 5, { type: 'text' }, { type: 'new', mimeType: 'a/b' }] },
    { content: [{ type: 'image', data: 'no image', mimeType: 'image/png' }] }, { content: [{ type: 'resource' }] },
    { content: [], structuredContent: null }, { isError: true }, { content: [{ type: 'text', text: '' }] }]
  const w = await mcpWorld(t, ({ raw }) => ({ mcp: { s: raw(`on = (m) => usual(m, [{ name: 't', inputSchema: schema }],
    ({ arguments: { at } }) => ${JSON.stringify(results)}[at])`) } }))
  const pi = w.start()
  const texts = []
  for (const at of results.keys()) {
    texts.push(await run(pi, 'mcp__s__t', { at }))
  }
  const none = '(no output)'
  assert.deepEqual(texts.map(({ text }) => text), [none, none,
    '[content of no type: not shown]\n[content of no type: not shown]\n\n[new a/b: not shown]',
    '[image image/png: not shown]', '[a resource without content]', 'null', '(an error without words)', none])
  assert.deepEqual(texts.map(({ isError }) => isError), [false, false, false, false, false, false, true, false])
})

test('a remote server that ends its answer without a result is an error, and not tried again', async (t) => {
  const end = (write) => ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    write(response)
  }
  const answers = { ended: end((response) => response.end(': nothing\n\n')),
    cut: end((response) => { response.write('data: {"jsonrpc"'); setImmediate(() => response.destroy()) }) }
  for (const [name, call] of Object.entries(answers)) {
    const web = await serveRaw(t, { 'tools/call': call })
    const w = await mcpWorld(t, () => ({ mcp: { web: remote(web) } }))
    const pi = w.start()
    const { isError, text } = await run(pi, 'mcp__web__echo')
    assert.match(text, /ended without a result/, name)
    assert.deepEqual([isError, web.sent('tools/call').length], [true, 1], name)
  }
})

test('a server that asks for a model or for a person gets no, and goes on', async (t) => {
  const w = await mcpWorld(t, ({ raw }) => ({ mcp: { s: raw(`
    let call
    const params = { messages: [], maxTokens: 1, message: 'x', requestedSchema: schema }
    on = (m) => {
      if (m.method === 'tools/call') { call = m.id
        for (const method of ['sampling/createMessage', 'elicitation/create', 'roots/list', 'no/such']) {
          send({ jsonrpc: '2.0', id: method, method, params }) }
      } else if (m.error) { log(m.id + ' ' + m.error.code); m.id === 'no/such' && answer(call, text('done')) }
      else usual(m, [{ name: 't', inputSchema: schema }])
    }`) } }))
  const pi = w.start()
  assert.equal((await run(pi, 'mcp__s__t')).text, 'done')
  assert.deepEqual(w.lines(), ['sampling/createMessage', 'elicitation/create', 'roots/list', 'no/such']
    .map((method) => `${method} -32601`))
})

test('no secret of the settings shows in a line, in the list or in an error', async (t) => {
  const echo = ({ request, response }) => response.writeHead(401)
    .end(`bad: ${request.headers.authorization} ${request.headers['x-key']} ${request.url}`)
  const refused = await serveRaw(t, { initialize: echo })
  const later = await serveRaw(t, { 'tools/call': echo })
  const headers = { Authorization: 'Bearer hunter2-hunter2', 'X-Key': 'k-123456' }
  const w = await mcpWorld(t, ({ raw }) => ({ mcp: {
    refused: remote({ url: `${refused.url}?token=qwertz` }, headers), later: remote(later, headers),
    bad: remote(later, { Key: 'line1\nline2secret' }),
    local: { ...raw('console.error(process.env.PASSWORD); process.exit(1)'),
      environment: { PASSWORD: 'sesame-open' } },
    long: { ...raw('console.error(process.env.TOKEN); process.exit(1)'),
      environment: { TOKEN: 'long-'.repeat(100) } },
    pieces: { ...raw(`process.stderr.write('in-two-')
      on = () => { process.stderr.write('pieces\\n'); process.exit(1) }`), environment: { KEY: 'in-two-pieces' } },
    key: { ...raw('console.error(process.env.PEM); process.exit(1)'), environment: { PEM: 'begin\nmiddle\nthe-last' } },
  } }))
  const pi = w.start()
  await pi.prompt('hello')
  const { text } = await run(pi, 'mcp__later__echo')
  assert.equal(text, 'HTTP 401: bad: *** *** /mcp')
  const all = [...saidOf(pi), await overview(pi), text].join('\n')
  const secrets = ['hunter2', 'k-123456', 'qwertz', 'sesame', 'line2secret', 'long-', 'pieces\n', 'the-last']
  assert.deepEqual(secrets.filter((secret) => all.includes(secret)), [])
  assert.equal(saidOf(pi).length, 6)
})

test('control characters of a server show as numbers in lines and in the list', async (t) => {
  const w = await mcpWorld(t, ({ raw }) => ({ mcp: {
    s: raw("console.error('\\x1b]0;owned\\x07\\u202e'); process.exit(1)"),
    'n\u0007': { type: 'local', command: ['/no/such\u001b[2J'] } } }))
  const pi = w.start()
  await pi.prompt('hello')
  const all = [...saidOf(pi), await overview(pi)].join('\n')
  assert.match(all, /\\u\{1b\}\]0;owned\\u\{7\}\\u\{202e\}/)
  assert.doesNotMatch(all, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
})

test('headers of the settings do not follow a redirect to another server', async (t) => {
  const thief = await serveRaw(t)
  const web = await serve(t, (_request, response) => response.writeHead(307, { location: thief.url }).end())
  const w = await mcpWorld(t, () => ({ mcp: { web: remote(web, { Authorization: 'Bearer secret-secret' }) } }))
  const pi = w.start()
  await pi.prompt('hello')
  assert.deepEqual([saidOf(pi).length, thief.requests.length], [1, 0])
})

test('a server that calls for its list again and again, while it changes, ends at the newest list', async (t) => {
  const w = await mcpWorld(t, ({ raw }) => ({ mcp: { s: raw(`
    let count = 1
    const tools = () => Array.from({ length: count }, (_, i) => ({ name: 't' + i, inputSchema: schema }))
    on = (m) => {
      for (; m.method === 'tools/call' && count < 200; count++) {
        send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
      }
      usual(m, tools())
    }`) } }))
  const pi = w.start()
  await run(pi, 'mcp__s__t0')
  await w.until(async () => (await overview(pi)).includes('200 tools'), 'the newest list')
  await pi.prompt('hello')
  assert.equal(offeredOf(w, 'mcp__s__t').length, 200)
})
