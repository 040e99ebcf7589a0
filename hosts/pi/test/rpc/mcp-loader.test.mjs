// MCP servers in a real pi, over RPC: their settings, start, names, lists and end. A test for each rule of the design.
import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { extension, piVersion } from '../lib/pi.mjs'
import { command, install, mcpWorld, offered, offeredOf, overview, run, saidOf, serveSdk } from '../mcp/worlds.mjs'
import { changeSettings, packageCopy, runPi } from './moves.mjs'

const isAlive = (pid) => existsSync(`/proc/${pid}`)
const pidOf = (w, name = 'files') => w.lines().findLast((line) => line.startsWith(`${name} start`)).split(' ')[2]
const starts = (w) => w.lines().filter((line) => line.includes(' start ')).length
const settingsPath = (w) => join(w.sandbox.agent, 'settings.json')

test('the first turn has the tools of both shapes, local and remote', async (t) => {
  const web = await serveSdk(t)
  const w = await mcpWorld(t, ({ local, serverCommand: [program, ...args], log }) => ({
    mcp: { files: local(), web: { type: 'remote', url: web.url } },
    mcpServers: { desk: { command: program, args, env: { NAME: 'desk', LOG: log } }, net: { url: web.url } } }))
  const pi = w.start()
  await pi.prompt('hello')
  assert.deepEqual(w.model.requests.length, 1)
  for (const [server, words] of [['files', 'files'], ['web', 'web'], ['desk', 'desk'], ['net', 'web']]) {
    const name = `mcp__${server}__echo`
    assert.ok(offered(w).includes(name), name)
    assert.equal((await run(pi, name, { words: 'hi' })).text, `${words}: hi`)
  }
  assert.deepEqual(saidOf(pi), [])
})

test('without a server nothing is loaded', async (t) => {
  const w = await mcpWorld(t, () => ({}), { sdk: false, extensions: [] })
  const copy = packageCopy(w, true, 'mcp-loader')
  const folder = join(dirname(copy), '../lib/mcp')
  readdirSync(folder).filter((name) => name !== 'mcp-loader.ts').forEach((name) => rmSync(join(folder, name)))
  const pi = w.start(['-e', copy])
  await pi.prompt('hello')
  assert.equal(await overview(pi), `No MCP servers: ${settingsPath(w)} has neither mcp nor mcpServers`)
  await pi.stop()
  assert.deepEqual(saidOf(pi), [])
})

test('without the SDK one line says how to install it', async (t) => {
  const w = await mcpWorld(t, ({ local }) => ({ mcp: { a: local(), b: local() } }), { sdk: false })
  const pi = w.start()
  await pi.prompt('hello')
  assert.deepEqual(saidOf(pi), ["mcp: @modelcontextprotocol/client is missing. Run 'pi install " +
    "npm:@modelcontextprotocol/client@2' and then /reload"])
  install(w)
  await pi.command('/again')
  await pi.prompt('hello')
  assert.ok(offered(w).includes('mcp__a__echo'))
})

test('without a server that is on, a missing SDK is not told', async (t) => {
  const w = await mcpWorld(t, ({ local }) => ({ mcp: { a: { ...local(), enabled: false } } }), { sdk: false })
  const pi = w.start()
  await pi.prompt('hello')
  assert.deepEqual([saidOf(pi), await overview(pi)], [[], '○ a: local, off'])
})

test('the SDK is found beside the package, and not in a folder above a copy of the package', async (t) => {
  const w = await mcpWorld(t, ({ local }) => ({ mcp: { files: local() } }), { sdk: false, extensions: [] })
  const copy = packageCopy(w, true, 'mcp-loader') // .../copy-true/hosts/pi/extensions
  install(w, join(w.sandbox.root, 'node_modules'))
  const above = w.start(['-e', copy])
  await above.prompt('hello')
  assert.match(saidOf(above)[0], /client is missing/)
  await above.stop()
  const place = join(w.sandbox.root, 'prefix/node_modules')
  mkdirSync(join(place, 'xylem-native'), { recursive: true })
  install(w, place)
  cpSync(dirname(dirname(copy)), join(place, 'pi-xylem'), { recursive: true })
  const beside = w.start(['-e', join(place, 'pi-xylem/extensions/mcp-loader.ts')])
  await beside.prompt('hello')
  assert.deepEqual([saidOf(beside), offered(w).includes('mcp__files__echo')], [[], true])
})

test('the settings of a project start no server', async (t) => {
  const w = await mcpWorld(t, ({ local }) => ({ mcp: { good: local('good') } }))
  mkdirSync(join(w.sandbox.project, '.pi'))
  writeFileSync(join(w.sandbox.project, '.pi/settings.json'), JSON.stringify({ mcp: { evil: w.local('evil') },
    mcpServers: { evil: w.local('evil') } }))
  const pi = w.start()
  await pi.prompt('hello')
  assert.match(await overview(pi), /^● good: local, connected, 18 tools\n {4}echo, [^\n]*$/)
  assert.deepEqual([offeredOf(w, 'evil'), starts(w), saidOf(pi)], [[], 1, []])
})

const NAMES = `const tool = (name) => ({ name, inputSchema: schema })
  on = (message) => usual(message, ['read', 'read_all', 'write', 'a.b', 'axb', 'x+y'].map(tool))`

test('the model gets the tools that the settings name, also by * and ?, and a name of no tool is told', async (t) => {
  const w = await mcpWorld(t, ({ raw }) => ({
    mcp: { one: { ...raw(NAMES), tools: ['read*', 'a.b', 'x+?'] }, two: { ...raw(NAMES), tools: [] },
      three: { ...raw(NAMES), tools: ['wri', 'write'] }, four: { ...raw(NAMES), tools: 'read' } },
    mcpServers: { five: { command: raw(NAMES).command[0], args: raw(NAMES).command.slice(1), tools: ['a?b'] } } }))
  const pi = w.start()
  await pi.prompt('hello')
  assert.deepEqual(offeredOf(w, 'mcp__').map((name) => name.slice('mcp__'.length)), ['one__read', 'one__read_all',
    'one__a_b', 'one__x_y', 'three__write', 'five__a_b', 'five__axb'])
  assert.deepEqual(saidOf(pi), [
    `mcp: ${settingsPath(w)}: mcp.four.tools: expected a list of texts, found a string`,
    'mcp: three: "tools" names what the server does not have: wri. The server has read, read_all, ' +
      'write, a.b, axb, x+y'])
  assert.match(await overview(pi), /● one: local, connected, 4 of 6 tools\n {4}read, read_all, a\.b, x\+y\n/)
})

test('what does not fit in the settings is one line with its key, and other servers go on', async (t) => {
  const w = await mcpWorld(t, ({ local, serverCommand }) => ({
    mcp: { good: local('good'), a: 7, b: { command: ['x'] }, c: { type: 'sse' }, d: { type: 'local', command: 'x y' },
      e: { type: 'local', command: [] }, f: { type: 'remote', url: 'ftp://x' }, g: { type: 'remote' },
      h: { type: 'remote', url: 'http://127.0.0.1:1', headers: { Key: 5 } },
      i: { type: 'local', command: ['x'], environment: ['a'] }, j: { ...local(), enabled: 'no' },
      k: { type: 'remote', url: 'http://127.0.0.1:1', headers: { Authorization: 'Bearer {env:NO_SUCH}' } },
      l: { ...local('l'), timeout: 9 } },
    mcpServers: { good: { command: 'x' }, m: {}, n: { command: ['x'] }, o: { command: 'x', args: 'y' },
      p: { url: 'http://x', type: 'sse' }, q: { command: 'x', env: { A: null } },
      r: { command: serverCommand[0], args: serverCommand.slice(1), disabled: true } } }))
  const pi = w.start()
  await pi.prompt('hello')
  assert.deepEqual(saidOf(pi).map((line) => line.replace(`mcp: ${settingsPath(w)}: `, '')), [
    'mcp.a: expected an object, found a number',
    'mcp.b.type: expected "local" or "remote", found nothing',
    'mcp.c.type: expected "local" or "remote", found a string',
    'mcp.d.command: expected a list of texts, found a string',
    'mcp.e.command: expected a list of texts, found nothing',
    'mcp.f.url: expected an http or https URL, found a string',
    'mcp.g.url: expected a text, found nothing',
    'mcp.h.headers.Key: expected a text, found a number',
    'mcp.i.environment: expected an object, found a list',
    'mcp.j.enabled: expected true or false, found a string',
    'mcp.k.headers.Authorization: expected the environment variable NO_SUCH, found nothing',
    'mcp.l.timeout: is not used',
    'mcpServers.good: mcp.good has this name already, and only that server counts',
    'mcpServers.m.command: expected a text, found nothing',
    'mcpServers.n.command: expected a text, found a list',
    'mcpServers.o.args: expected a list of texts, found a string',
    'mcpServers.p.type: expected "http" or "streamable-http", found a string',
    'mcpServers.q.env.A: expected a text, found null',
  ])
  assert.deepEqual(offeredOf(w, 'mcp__good__echo', 'mcp__l__echo'), ['mcp__good__echo', 'mcp__l__echo'])
  assert.match(await overview(pi), /^● good: .*\n {4}.*\n● l: .*\n {4}.*\n○ r: local, off$/)
})

test('a member that is no object is one line', async (t) => {
  const w = await mcpWorld(t, () => ({ mcp: [], mcpServers: 'x' }))
  const pi = w.start()
  await pi.prompt('hello')
  assert.deepEqual(saidOf(pi), [`mcp: ${settingsPath(w)}: mcp: expected an object, found a list`,
    `mcp: ${settingsPath(w)}: mcpServers: expected an object, found a string`])
})

test('settings that are no JSON are one line, without a part of them', async (t) => {
  const w = await mcpWorld(t, () => ({}))
  const pi = w.start()
  await pi.prompt('hello')
  writeFileSync(settingsPath(w), '{"mcp": secret-secret')
  await pi.command('/again')
  await pi.prompt('hello')
  assert.deepEqual(saidOf(pi).filter((line) => line.startsWith('mcp: ')),
    [`mcp: ${settingsPath(w)}: expected an object in JSON`])
})

test('a server gets its environment, and of pi nothing but the usual variables', async (t) => {
  const w = await mcpWorld(t, ({ local }) => ({ mcp: { files: local('files', { FROM: '{env:OUTER}!' }) } }))
  const pi = w.start([], { OUTER: 'outside', OPENAI_API_KEY: 'a secret of pi' })
  const environment = JSON.parse((await run(pi, 'mcp__files__env')).text)
  assert.equal(environment.FROM, 'outside!')
  assert.equal(environment.HOME, w.sandbox.home)
  assert.deepEqual(Object.keys(environment).sort(), ['FROM', 'HOME', 'LOG', 'NAME', 'PATH', 'TERM'])
  assert.equal(w.lines()[0], `files start ${pidOf(w)} ${w.sandbox.project}`)
})

test('tools have the names that pi 1.5 gives, in letters that every provider takes, and none twice', async (t) => {
  const named = (...names) => `on = (m) => usual(m, ${JSON.stringify(names)}.map((name) => ({ name,
    inputSchema: schema })), ({ name }) => text(name))`
  const w = await mcpWorld(t, ({ raw }) => ({ mcp: {
    'my-server': raw(named('my-server_x', 'y.z', 'ü', 'a'.repeat(90), 'a'.repeat(80))),
    srv: raw(named('add', 'a.b', 'a-b')) } }), { helpers: ['commands', 'tools', 'mcp-names'] })
  const pi = w.start()
  await pi.prompt('hello')
  assert.deepEqual(offered(w).filter((name) => !/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name)), [])
  const long = `mcp__my_server__${'a'.repeat(48)}`
  const own = { mcp__my_server__my_server_x: 'my-server_x', mcp__my_server__y_z: 'y.z', mcp__my_server___: 'ü',
    [long]: 'a'.repeat(90), [`${long.slice(0, 62)}_2`]: 'a'.repeat(80), mcp__srv__add_2: 'add', mcp__srv__a_b: 'a.b',
    mcp__srv__a_b_2: 'a-b' }
  const others = ['add', 'look', 'some'].map((name) => `mcp__srv__${name}`)
  assert.deepEqual(offeredOf(w, 'mcp__').sort(), [...Object.keys(own), ...others].sort())
  for (const [name, text] of [...Object.entries(own), ['mcp__srv__add', 'add ran']]) {
    assert.equal((await run(pi, name)).text, text)
  }
})

test('the tools of all pages are there', async (t) => {
  const page = (at, nextCursor) => ({ tools: [...at].map((name) => ({ name, inputSchema: {} })), nextCursor })
  const pages = { first: page('abcd', 'p 2'), 'p 2': page('efgh', 'p 3'), 'p 3': page('ij') }
  const w = await mcpWorld(t, ({ raw }) => ({ mcp: { paged: raw(`
    const pages = ${JSON.stringify(pages)}
    on = ({ id, method, params }) => {
      if (method === 'initialize') answer(id, hello)
      if (method === 'tools/list') answer(id, pages[params.cursor ?? 'first'])
    }`) } }))
  const pi = w.start()
  await pi.prompt('hello')
  assert.deepEqual(offeredOf(w, 'mcp__paged__'), [...'abcdefghij'].map((letter) => `mcp__paged__${letter}`))
})

test('a changed list of tools: a new tool comes, a tool that is gone goes, and may come back', async (t) => {
  const w = await mcpWorld(t, ({ local }) => ({ mcp: { files: local() } }))
  const pi = w.start()
  await pi.prompt('hello')
  assert.ok(!offered(w).includes('mcp__files__extra'))
  for (const _ of [1, 2]) {
    await pi.prompt('~tool mcp__files__more')
    await w.until(async () => (await overview(pi)).includes('19 tools'), 'the new tool')
    await pi.prompt('hello')
    assert.ok(offered(w).includes('mcp__files__extra'))
    assert.equal((await run(pi, 'mcp__files__extra')).text, 'extra ran')
    await pi.prompt('~tool mcp__files__fewer')
    await w.until(async () => (await overview(pi)).includes('18 tools'), 'the end of the tool')
    await pi.prompt('hello')
    assert.ok(!offered(w).includes('mcp__files__extra'))
    assert.ok(offered(w).includes('mcp__files__echo'))
  }
})

test('a tool that a person switched off stays off when the list changes', async (t) => {
  const w = await mcpWorld(t, ({ local }) => ({ mcp: { files: local() } }), { helpers: ['commands', 'switch'] })
  const pi = w.start()
  await pi.prompt('hello')
  await pi.command('/switch-off mcp__files__echo')
  await pi.prompt('~tool mcp__files__more')
  await w.until(async () => (await overview(pi)).includes('19 tools'), 'the new tool')
  await pi.prompt('hello')
  assert.deepEqual([offered(w).includes('mcp__files__extra'), offered(w).includes('mcp__files__echo')], [true, false])
})

test('/new, /fork and /resume keep the servers', async (t) => {
  const web = await serveSdk(t)
  const w = await mcpWorld(t, ({ local }) => ({ mcp: { files: local(), web: { type: 'remote', url: web.url } } }))
  const pi = w.start()
  await pi.prompt('hello')
  const first = w.fileOf(await pi.sessionId())
  const [{ entryId }] = (await pi.send('get_fork_messages')).messages
  for (const [type, fields] of [['new_session', {}], ['switch_session', { sessionPath: first }],
    ['fork', { entryId }]]) {
    await pi.send(type, fields)
    assert.equal((await run(pi, 'mcp__files__echo', { words: type })).text, `files: ${type}`)
    assert.equal((await run(pi, 'mcp__web__echo', { words: type })).text, `web: ${type}`)
  }
  assert.deepEqual([starts(w), web.sent('initialize').length, saidOf(pi)], [1, 1, []])
})

test('servers that the settings no longer have stay beyond /new, and end with /reload or pi', async (t) => {
  for (const end of ['reload', 'quit']) {
    const w = await mcpWorld(t, ({ local }) => ({ mcp: { files: local() } }))
    const pi = w.start()
    await pi.prompt('hello')
    changeSettings(w, { mcp: undefined })
    await pi.send('new_session')
    assert.equal((await run(pi, 'mcp__files__echo', { words: 'x' })).text, 'files: x')
    await (end === 'reload' ? pi.command('/again') : pi.stop())
    assert.ok(w.lines().includes('files SIGTERM') || w.lines().includes('files end'))
    assert.equal(isAlive(pidOf(w)), false)
  }
})

test('/reload and the end of pi end the servers: SIGTERM, and DELETE', async (t) => {
  const web = await serveSdk(t)
  const w = await mcpWorld(t, ({ local }) => ({ mcp: { files: local(), web: { type: 'remote', url: web.url } } }))
  const deletes = () => web.requests.filter(({ method }) => method === 'DELETE').length
  const pi = w.start()
  await pi.prompt('hello')
  const first = pidOf(w)
  await pi.command('/again')
  assert.equal((await run(pi, 'mcp__files__echo', { words: 'x' })).text, 'files: x') // the call waits for the server
  assert.equal((await run(pi, 'mcp__web__echo', { words: 'x' })).text, 'web: x')
  const second = pidOf(w)
  assert.deepEqual([isAlive(first), isAlive(second), deletes(), starts(w)], [false, true, 1, 2])
  await pi.stop()
  assert.deepEqual([isAlive(second), deletes()], [false, 2])
  assert.ok(w.lines().filter((line) => line === 'files SIGTERM' || line === 'files end').length >= 2)
})

test('a server that ignores the end of its input and SIGTERM does not outlive pi', async (t) => {
  const w = await mcpWorld(t, ({ raw }) => ({ mcp: { deaf: raw(`
    log('deaf start ' + process.pid); process.on('SIGTERM', () => log('deaf SIGTERM')); setInterval(() => {}, 1000)
    on = (m) => usual(m, [])`) } }))
  const pi = w.start()
  await pi.prompt('hello')
  const pid = pidOf(w, 'deaf')
  await pi.stop()
  assert.ok(w.lines().includes('deaf SIGTERM'))
  await w.until(() => !isAlive(pid) || /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')), 'the end of the server')
})

test('a server that goes on after the end of its input gets SIGTERM at once', async (t) => {
  const w = await mcpWorld(t, ({ raw }) => ({ mcp: { busy: raw(`
    process.on('SIGTERM', () => { log('busy SIGTERM'); process.exit() }); setInterval(() => {}, 1000)
    on = (m) => usual(m, [])`) } }))
  const patient = join(w.sandbox.root, 'patient.mjs') // a wait has no end
  writeFileSync(patient, 'const later = setTimeout; globalThis.setTimeout = (run, ms, ...rest) => ' +
    'later(run, ms === 2000 || ms === 4000 ? 1e9 : ms, ...rest)')
  const pi = w.start([], { NODE_OPTIONS: `--import ${patient}` })
  await pi.prompt('hello')
  assert.equal((await pi.stop()).code, 0)
  assert.ok(w.lines().includes('busy SIGTERM'))
})

test('a session that is replaced while the servers start has their tools too', async (t) => {
  const w = await mcpWorld(t, ({ local }) => ({ mcp: { files: local() } }))
  const pi = w.start()
  await pi.send('new_session')
  await pi.send('new_session')
  assert.equal((await run(pi, 'mcp__files__echo', { words: 'x' })).text, 'files: x')
  assert.equal(starts(w), 1)
})

test('the command lists the servers with their state, and leaves the /mcp of pi 1.5 alone', async (t) => {
  const w = await mcpWorld(t, ({ local }) => ({ mcp: { 'a\x1b[31m\u202e': local('a'), gone: { type: 'local',
    command: ['/no/such/program'] }, off: { ...local(), enabled: false } } }))
  const pi = w.start()
  await pi.prompt('hello')
  assert.deepEqual((await overview(pi)).split('\n').filter((line) => !line.startsWith('    echo, ')), ['● a\\u{1b}[31m\\u{202e}: local, connected, 18 tools',
    '✗ gone: local, failed', '    spawn /no/such/program ENOENT', '○ off: local, off'])
  const { commands } = await pi.send('get_commands')
  assert.deepEqual(commands.map(({ name }) => name).filter((name) => name.startsWith('mcp')).sort(),
    piVersion.startsWith('0.') ? ['mcp'] : ['mcp', 'mcp-loader'])
  assert.equal(command, piVersion.startsWith('0.') ? '/mcp' : '/mcp-loader')
})

test('a print run without a UI says its lines on the standard error output', async (t) => {
  const w = await mcpWorld(t, ({ local }) => ({ mcp: { files: local(), gone: { type: 'local',
    command: ['/no/such/program'] } } }))
  const { code, output } = await runPi(w, ['-p', '~tool mcp__files__echo {"words":"x"}'], [extension('mcp-loader')])
  assert.equal(code, 0)
  assert.match(output, /^mcp: gone: spawn \/no\/such\/program ENOENT$/m)
  assert.deepEqual([w.lines().includes('files call echo'), isAlive(pidOf(w))], [true, false])
})

const SLOW = `
  import { existsSync } from 'node:fs'
  const open = process.env.LOG + '.open'
  on = (m) => { const wait = setInterval(() => existsSync(open) && (clearInterval(wait),
    usual(m, [{ name: 'run', inputSchema: schema }])), 20) }`

test('a silent server does not hold the first turn: its tools join a later turn, and the person is told', async (t) => {
  const w = await mcpWorld(t, ({ local, raw }) => ({ mcp: { files: local(), slow: raw(SLOW), mute: raw('') } }),
    { isPatient: false })
  const pi = w.start()
  await w.logged('files start')
  await w.until(async () => /files: local, connected/.test(await overview(pi)), 'the quick server')
  for (const _ of [1, 2]) {
    await pi.prompt('hello')
    assert.deepEqual(offeredOf(w, 'mcp__files__echo', 'mcp__slow__', 'mcp__mute__'), ['mcp__files__echo'])
  }
  assert.match(await overview(pi), /\n… slow: local, starting\n… mute: local, starting$/) // 10 s are not over
  const still = 'still starts. The turn begins without its tools, which join a later turn'
  assert.deepEqual(saidOf(pi), [`mcp: slow: ${still}`, `mcp: mute: ${still}`])
  writeFileSync(`${w.log}.open`, '')
  await pi.wait(({ message }) => message === 'mcp: slow: the server has started, and its tools are there', 'the line')
  assert.equal((await run(pi, 'mcp__slow__run')).text, 'ran')
  await pi.wait(({ message }) => message === 'mcp: mute: no answer in 10 s', 'the end of the wait')
  assert.equal(saidOf(pi).length, 3)
})

test('a print run waits for all servers, and says for whom', async (t) => {
  const w = await mcpWorld(t, ({ local, raw }) => ({ mcp: { files: local(), slow: raw(`
    const usualTools = [{ name: 'run', inputSchema: schema }]
    on = (m) => setTimeout(() => usual(m, usualTools), 2500)`) } }))
  const { code, output } = await runPi(w, ['-p', '~tool mcp__slow__run {}'], [extension('mcp-loader')])
  assert.equal(code, 0)
  assert.match(output, /^mcp: waiting for slow, at most until 10 s after the start$/m)
  assert.deepEqual(offeredOf(w, 'mcp__files__echo', 'mcp__slow__'), ['mcp__files__echo', 'mcp__slow__run'])
})

test('a server of the era of 2026 alone is served too', async (t) => {
  const web = await serveSdk(t, 'modern', { isModern: true })
  const w = await mcpWorld(t, () => ({ mcp: { web: { type: 'remote', url: web.url } } }))
  const pi = w.start()
  assert.equal((await run(pi, 'mcp__web__echo', { words: 'new' })).text, 'modern: new')
  assert.equal(web.sent('server/discover').length, 1)
})
