// The tools that MCP servers listed last: they are there while the servers start, and what a server says now wins.
import assert from 'node:assert/strict'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { extension, helper } from '../lib/pi.mjs'
import { mcpWorld, offered, offeredOf, overview, run, saidOf } from '../mcp/worlds.mjs'
import { changeSettings, lastResult, toggle } from './moves.mjs'

// Answers each request once the file `open` has a list of tools, and ends where the file says so.
const ANSWERS = `
  import { existsSync, readFileSync } from 'node:fs'
  const open = process.env.LOG + '.open'
  log('slow start')
  on = (m) => { const wait = setInterval(() => {
    if (existsSync(open)) {
      clearInterval(wait)
      const words = readFileSync(open, 'utf8')
      words === 'end' ? process.exit(1) : usual(m, JSON.parse(words))
    }
  }, 20) }`

const called = (name, readOnlyHint) => ({ name, description: `does ${name}`, inputSchema: { type: 'object' },
  ...readOnlyHint !== undefined && { annotations: { readOnlyHint } } })

// What the server says from now on; nothing: the server is silent.
function says(w, words) {
  const open = `${w.log}.open`
  rmSync(open, { force: true })
  if (words !== undefined) {
    writeFileSync(`${open}.new`, words === 'end' ? words : JSON.stringify(words))
    renameSync(`${open}.new`, open)
  }
}

// A world whose server listed these tools in the last start, and is silent now.
async function listedWorld(t, tools, { server = {}, ...options } = {}) {
  const w = await mcpWorld(t, ({ raw }) => ({ mcp: { slow: { ...raw(ANSWERS), ...server } } }),
    options)
  says(w, tools)
  const pi = w.start()
  await pi.prompt('hello')
  assert.equal(offeredOf(w, 'mcp__slow__').length, tools.length)
  await pi.stop()
  says(w, undefined)
  return w
}

// Starts a call, lets the server answer, and gives the result.
async function callMeanwhile(w, pi, name, words) {
  const { length } = w.model.requests
  const turn = pi.prompt(`~tool ${name}`)
  await w.until(() => w.model.requests.length > length, 'the first request')
  await w.logged('slow start')
  says(w, words)
  await turn
  return lastResult(pi)
}

test('the first turn has the tools of the last start, and does not wait; a call waits for its server', async (t) => {
  const w = await listedWorld(t, [called('run'), called('old')])
  const pi = w.start()
  await pi.prompt('hello')
  assert.deepEqual(offeredOf(w, 'mcp__'), ['mcp__slow__run', 'mcp__slow__old'])
  assert.equal(await overview(pi), '… slow: local, starting')
  const { text } = await callMeanwhile(w, pi, 'mcp__slow__run', [called('new'), called('run')])
  assert.equal(text, 'ran')
  await pi.prompt('hello')
  assert.deepEqual(offeredOf(w, 'mcp__').sort(), ['mcp__slow__new', 'mcp__slow__run'])
  assert.deepEqual(saidOf(pi), [])
})

for (const [what, words, expected, said] of [
  ['has lost the tool', [called('new')], 'the MCP server slow has no tool run any more', []],
  ['does not start', 'end', /^the MCP server slow has not started: .+\. \/reload starts the server again$/,
    [/^mcp: slow: ./]],
]) {
  test(`a call of a server that ${what} is an error, and the tool leaves the list until it is back`, async (t) => {
    const w = await listedWorld(t, [called('run')])
    const pi = w.start()
    const { isError, text } = await callMeanwhile(w, pi, 'mcp__slow__run', words)
    assert.equal(isError, true)
    assert.match(text, expected instanceof RegExp ? expected : new RegExp(`^${expected}$`))
    await pi.prompt('hello')
    assert.deepEqual(offeredOf(w, 'mcp__slow__run'), [])
    said.forEach((line, i) => assert.match(saidOf(pi)[i], line))
    assert.equal(saidOf(pi).length, said.length)
    says(w, [called('run')])
    await pi.command('/again')
    await w.until(async () => (await overview(pi)).includes('connected'), 'the server')
    assert.equal((await run(pi, 'mcp__slow__run')).text, 'ran')
  })
}

test('an abort ends the wait of a call', async (t) => {
  const w = await listedWorld(t, [called('run')])
  const pi = w.start()
  const { length } = w.model.requests
  const turn = pi.prompt('~tool mcp__slow__run')
  await w.until(() => w.model.requests.length > length, 'the request')
  await pi.send('abort')
  await turn
  assert.equal(await overview(pi), '… slow: local, starting')
})

test('under readonly a call is judged by what the server says now', async (t) => {
  const w = await listedWorld(t, [called('a', true), called('b', false)], { extensions: ['readonly', 'mcp-loader'] })
  const pi = w.start()
  await toggle(pi, 'on')
  const { text } = await callMeanwhile(w, pi, 'mcp__slow__b', [called('a', false), called('b', true)])
  assert.equal(text, 'ran')
  const { text: blocked } = await run(pi, 'mcp__slow__a')
  assert.equal(blocked, 'Readonly mode: mcp__slow__a disabled. Use /readonly to disable.')
})

test('until its server has answered, a tool counts as a writer for children', async (t) => {
  const w = await listedWorld(t, [called('a', true)], { extensions: ['readonly', 'mcp-loader'],
    helpers: ['commands', 'tools', 'spawn'] })
  const rules = join(w.sandbox.root, 'rules.mjs')
  const real = fileURLToPath(new URL('../../lib/guard/children.ts', import.meta.url))
  writeFileSync(rules, `import { appendFileSync } from 'node:fs'
    import * as real from '${real}'
    export const childTools = (names) => { appendFileSync('${w.log}', 'children ' + real.childTools(names) + '\\n')
      return [] }`)
  const pi = w.start([], { XYLEM_TEST_CHILDREN: rules })
  await toggle(pi, 'on')
  const ask = () => run(pi, 'spawn', { task: '~text done', tools: ['read', 'mcp__slow__a'] })
  await ask()
  says(w, [called('a', true)])
  assert.equal((await run(pi, 'mcp__slow__a')).text, 'ran')
  await ask()
  assert.deepEqual(w.lines().filter((line) => line.startsWith('children')),
    ['children read', 'children read,mcp__slow__a'])
})

test('a server that is off, is gone, or has another list of allowed tools, has no tool of its last start', async (t) => {
  const w = await listedWorld(t, [called('a'), called('b')], { isPatient: false })
  const { slow } = JSON.parse(readFileSync(join(w.sandbox.agent, 'settings.json'), 'utf8')).mcp
  for (const mcp of [{ slow: { ...slow, enabled: false } }, {}, { other: slow }, { slow: { ...slow, tools: ['a'] } },
    { slow: { ...slow, command: [...slow.command, 'x'] } }]) {
    changeSettings(w, { mcp })
    const pi = w.start()
    await pi.prompt('hello')
    assert.deepEqual(offeredOf(w, 'mcp__'), [], Object.keys(mcp).join())
    await pi.stop()
  }
  changeSettings(w, { mcp: { slow } })
  const pi = w.start()
  await pi.prompt('hello')
  assert.deepEqual(offeredOf(w, 'mcp__'), ['mcp__slow__a', 'mcp__slow__b'])
})

test('a new value of the environment is the same server, and a change of the list is kept', async (t) => {
  const w = await listedWorld(t, [called('a')])
  const { slow } = JSON.parse(readFileSync(join(w.sandbox.agent, 'settings.json'), 'utf8')).mcp
  changeSettings(w, { mcp: { slow: { ...slow, environment: { ...slow.environment, TOKEN: 'a new secret' } } } })
  for (const [now, next] of [['a', 'b'], ['b', undefined]]) {
    const pi = w.start()
    await pi.prompt('hello')
    assert.deepEqual(offeredOf(w, 'mcp__'), [`mcp__slow__${now}`])
    says(w, next && [called(next)])
    await w.until(async () => !next || (await overview(pi)).includes('connected'), 'the server')
    await pi.stop()
    says(w, undefined)
  }
})

test('pi does not start beside a tool of the same name, and the next start names the tools anew', async (t) => {
  const w = await listedWorld(t, [called('a'), called('add')])
  says(w, [called('a'), called('add')])
  changeSettings(w, { mcp: { srv: JSON.parse(readFileSync(join(w.sandbox.agent, 'settings.json'), 'utf8')).mcp.slow } })
  const first = w.start()
  await first.prompt('hello')
  await first.stop()
  const refused = w.start(['-e', helper('mcp-names')])
  assert.equal((await refused.exit).code, 1)
  for (const _ of [1, 2]) {
    const pi = w.start(['-e', helper('mcp-names')])
    await pi.prompt('hello')
    assert.ok(offered(w).includes('mcp__srv__add_2'))
    await pi.stop()
  }
})

test('a name that another extension took behind the start is the name of its tool alone', async (t) => {
  const w = await mcpWorld(t, ({ raw }) => ({ mcp: { srv: raw(ANSWERS) } }),
    { extensions: [], helpers: ['mcp-names', 'commands'] })
  says(w, [called('add', true)])
  const args = ['readonly', 'mcp-loader'].flatMap((name) => ['-e', extension(name)])
  const first = w.start(args, { XYLEM_TEST_LATE: 'never' })
  await first.prompt('hello')
  assert.deepEqual(offeredOf(w, 'mcp__'), ['mcp__srv__add'])
  await first.stop()
  const pi = w.start(args, { XYLEM_TEST_LATE: 'start' })
  await w.until(async () => (await overview(pi)).includes('connected'), 'the server')
  await toggle(pi, 'on')
  assert.equal((await run(pi, 'mcp__srv__add', {})).isError, true) // the server's word that its tool only reads
  assert.ok(offered(w).includes('mcp__srv__add_2'))
})
