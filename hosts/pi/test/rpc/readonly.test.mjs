// Readonly in a real pi, over RPC: a test for each rule of the design. rpc/readonly-starts has how a session comes by
// its state.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { piVersion, world } from '../lib/pi.mjs'
import { repository, watched } from '../lib/repository.mjs'
import { BLOCKED, NUDGE_OFF, NUDGE_ON, badge, bash, call, isOn, readonlyPi, restart, said, settle, toggle, told, tool,
  write } from './moves.mjs'

// --- What is blocked ---

test('write and edit are blocked while readonly is on, with the words of the design', async (t) => {
  const { w, pi } = await readonlyPi(t)
  assert.deepEqual(await write(pi), { isError: true, text: BLOCKED })
  assert.equal(existsSync(join(w.sandbox.project, 'a.txt')), false)
  writeFileSync(join(w.sandbox.project, 'b.txt'), 'old')
  const edit = { path: 'b.txt', edits: [{ oldText: 'old', newText: 'new' }] }
  assert.deepEqual(await tool(pi, 'edit', edit), { isError: true, text: BLOCKED })
  assert.equal(w.read(join(w.sandbox.project, 'b.txt')), 'old')
})

test('write runs while readonly is off, and again after a toggle off', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await write(pi, 'first')
  await toggle(pi, 'on')
  await write(pi, 'second')
  await toggle(pi, 'off')
  await write(pi, 'third')
  const written = ['first', 'second', 'third'].map((name) => existsSync(join(w.sandbox.project, name)))
  assert.deepEqual(written, [true, false, true])
})

test('a destructive command is blocked, and the reason names the command', async (t) => {
  const { w, pi } = await readonlyPi(t)
  writeFileSync(join(w.sandbox.project, 'kept'), '')
  const { isError, text } = await bash(pi, 'rm kept')
  assert.equal(isError, true)
  assert.match(text, /^Readonly mode: dangerous command blocked\. Use \/readonly to disable\.\nCommand: rm kept\n/)
  assert.equal(existsSync(join(w.sandbox.project, 'kept')), true)
})

test('each family of destructive commands is blocked', async (t) => {
  const { pi } = await readonlyPi(t)
  for (const command of ['mkdir d', 'echo x > f', 'echo x >> f', 'sudo ls', 'kill 1', 'npm install x', 'vim f',
    'ls | tee f', 'dd if=/dev/zero of=f', 'bash -c "touch f"']) {
    assert.equal((await bash(pi, command)).isError, true, command)
  }
})

test('a command that only reads runs while readonly is on', async (t) => {
  const { pi } = await readonlyPi(t)
  assert.deepEqual(await bash(pi, 'echo alive | tr a-z A-Z'), { isError: false, text: 'ALIVE\n' })
})

test('git commands that write are blocked, and git commands that read run', async (t) => {
  const { pi } = await readonlyPi(t)
  for (const command of ['git commit -m x', 'git push', 'git stash', 'git checkout .', 'git branch -D x',
    'git tag v1']) {
    assert.equal((await bash(pi, command)).isError, true, command)
  }
  for (const command of ['git --version', 'git status || true', 'git log || true', 'git branch --list || true']) {
    assert.doesNotMatch((await bash(pi, command)).text, /Readonly mode/, command)
  }
})

// What `git status` of the model starts, and whether the index stays as it is.
async function gitStatus(w, pi, command = 'git status') {
  const [ran, index] = ['ran', 'project/.git/index'].map((name) => join(w.sandbox.root, name))
  writeFileSync(join(w.sandbox.project, 'a.txt'), 'one\n') // git looks into the file, and may note that it is the same
  watched(w.sandbox.project, ran)
  const before = w.read(index)
  assert.deepEqual(await bash(pi, command), { isError: false,
    text: 'On branch main\nnothing to commit, working tree clean\n' })
  const started = existsSync(ran) ? [...new Set(w.read(ran).trimEnd().split('\n'))] : []
  rmSync(ran, { force: true })
  return { started, isSame: w.read(index) === before }
}

test('git starts no program of a repository and writes no index while readonly is on', async (t) => {
  const w = await world(t)
  repository(w.sandbox.project)
  const pi = w.start([], { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'advice.statusHints', GIT_CONFIG_VALUE_0: 'no' })
  const all = { started: ['watch', 'hooks/post-index-change'], isSame: false }
  assert.deepEqual(await gitStatus(w, pi), all)
  await toggle(pi, 'on')
  for (const command of ['git status', 'cd . && sh -c "git status"']) {
    assert.deepEqual(await gitStatus(w, pi, command), { started: [], isSame: true })
  }
  assert.equal((await bash(pi, 'git config advice.statusHints')).text, 'no\n')
  const calls = (await pi.messages()).flatMap(({ content }) => content).filter(({ type }) => type === 'toolCall')
  assert.equal(calls.at(-1).arguments.command, 'git config advice.statusHints') // as the model wrote it
  await toggle(pi, 'off')
  assert.deepEqual(await gitStatus(w, pi), all)
})

test('the same goes for the shell tools that the settings name', async (t) => {
  const { pi } = await readonlyPi(t, { helpers: ['tools'], settings: { xylem: { readonly: { shellTools: ['Handoff'] } } } })
  await tool(pi, 'handoff', { command: 'git status' })
  await tool(pi, 'look', { command: 'git status' })
  const commands = (await pi.messages()).flatMap(({ details }) => details?.command ?? [])
  assert.match(commands[0], /^export GIT_.*; git status$/)
  assert.equal(commands[1], 'git status')
})

test('other tools, a handoff and an entry are not blocked', async (t) => {
  const w = await world(t, { helpers: ['tools', 'commands'] })
  writeFileSync(join(w.sandbox.project, 'read.txt'), 'to read')
  const pi = w.start()
  await toggle(pi, 'on')
  assert.deepEqual(await tool(pi, 'read', { path: 'read.txt' }), { isError: false, text: 'to read' })
  assert.deepEqual(await tool(pi, 'handoff', {}), { isError: false, text: 'handoff ran' })
  await pi.command('/entry ledger {"note":1}')
  assert.match(w.read(w.fileOf(await pi.sessionId())), /"customType":"ledger"/)
})

test('apply_patch and powershell are blocked', async (t) => {
  const { pi } = await readonlyPi(t, { helpers: ['tools'] })
  for (const name of ['apply_patch', 'powershell']) {
    const text = `Readonly mode: ${name} disabled. Use /readonly to disable.`
    assert.deepEqual(await tool(pi, name, { command: 'ls' }), { isError: true, text })
  }
})

test('a tool that is annotated as destructive is blocked, where pi shows annotations', async (t) => {
  const { pi } = await readonlyPi(t, { helpers: ['tools'] })
  assert.equal((await tool(pi, 'wipe', {})).isError, piVersion !== '0.87.1')
  assert.equal((await tool(pi, 'look', {})).isError, false)
})

test('the parallel calls of an answer are judged one by one', async (t) => {
  const { pi } = await readonlyPi(t)
  const calls = [['bash', { command: 'echo one' }], ['write', { path: 'a', content: '' }], ['bash', { command: 'rm a' }]]
  await pi.prompt(`~tools ${JSON.stringify(calls)}`)
  const results = (await pi.messages()).filter(({ role }) => role === 'toolResult')
  assert.deepEqual(results.map(({ isError }) => isError), [false, true, true])
})

test('the list of active tools stays', async (t) => {
  const w = await world(t, { helpers: ['tools'] })
  const pi = w.start()
  const tools = async () => {
    const from = pi.lines.length
    await pi.send('prompt', { message: '/tools' })
    return (await pi.wait(({ message }) => /^tools:/.test(message), 'the tools', from)).message
  }
  const before = await tools()
  await toggle(pi, 'on')
  assert.equal(await tools(), before)
  await pi.prompt('hello')
  assert.equal(w.model.requests[0].tools.some(({ function: { name } }) => name === 'write'), true)
})

// --- Settings ---

test("the user's settings name more tools that write, and more shells", async (t) => {
  const settings = { xylem: { readonly: { writeTools: ['look'], shellTools: ['handoff'] } } }
  const { pi } = await readonlyPi(t, { helpers: ['tools'], settings })
  assert.equal((await tool(pi, 'look', {})).text, 'Readonly mode: look disabled. Use /readonly to disable.')
  assert.equal((await tool(pi, 'handoff', { command: 'rm x' })).isError, true)
  assert.equal((await tool(pi, 'handoff', { command: 'ls' })).text, 'handoff ran')
})

test('with blockOthers a tool runs only if it is known to read', async (t) => {
  const { pi } = await readonlyPi(t, { helpers: ['tools'], settings: { xylem: { readonly: { blockOthers: true } } } })
  assert.equal((await tool(pi, 'handoff', {})).isError, true)
  assert.equal((await tool(pi, 'look', {})).isError, piVersion === '0.87.1')
  assert.doesNotMatch((await tool(pi, 'read', { path: 'none' })).text, /Readonly mode/)
})

test('settings that do not fit are told, block what readonly does not know, and keep nothing', async (t) => {
  const { w, pi } = await readonlyPi(t, { helpers: ['tools'], settings: { xylem: { readonly: { writeTools: 'grep' } } } })
  assert.match(said(pi), /settings\.json: xylem\.readonly\.writeTools: expected a list of names/)
  assert.equal((await tool(pi, 'handoff', {})).isError, true)
  assert.equal(existsSync(w.sandbox.store), false)
})

test('a place of the tree whose state cannot be read is blocked, whatever held before', async (t) => {
  const w = await world(t, { helpers: ['commands'], problems: true })
  const file = join(w.sandbox.sessions, 'strange.jsonl')
  const timestamp = '2026-11-22T00:00:00.000Z'
  const entry = (id, parentId, more) => ({ id, parentId, timestamp, type: 'custom', ...more })
  const lines = [{ type: 'session', version: 3, id: 'strange', timestamp, cwd: '/' },
    entry('a', null, { customType: 'x' }), entry(7, 'a', { customType: 'readonly', data: { enabled: true } }),
    entry('b', 7, { customType: 'x' }), entry('c', 'a', { customType: 'x' })]
  mkdirSync(w.sandbox.sessions, { recursive: true })
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const pi = w.start(['--session', file])
  assert.equal((await write(pi)).isError, false)
  await pi.command('/goto b')
  assert.match((await write(pi)).text, /the state of this session is not known/)
})

test("a project's own settings change nothing", async (t) => {
  const w = await world(t)
  mkdirSync(join(w.sandbox.project, '.pi'))
  const weak = { mirror: false, store: join(w.sandbox.project, 'store'), readonly: { writeTools: ['read'] } }
  writeFileSync(join(w.sandbox.project, '.pi/settings.json'), JSON.stringify({ xylem: weak }))
  const pi = w.start()
  await toggle(pi, 'on')
  assert.equal((await tool(pi, 'read', { path: '.pi/settings.json' })).isError, false)
  assert.equal((await w.state(await pi.sessionId())).readonly, true)
  assert.equal(existsSync(join(w.sandbox.project, 'store')), false)
})

// --- What the model is told ---

test('a toggle on is told once, to the model alone', async (t) => {
  const { w, pi } = await readonlyPi(t)
  await pi.prompt('first')
  await pi.prompt('second')
  assert.deepEqual(told(w, NUDGE_ON), [true, false])
  assert.equal(JSON.stringify(await pi.messages()).includes(NUDGE_ON), false)
  assert.equal(w.read(w.fileOf(await pi.sessionId())).includes(NUDGE_ON), false)
})

test('a toggle off is told once, where an on lies on the path', async (t) => {
  const { w, pi } = await readonlyPi(t)
  await pi.prompt('first')
  await toggle(pi, 'off')
  await pi.prompt('second')
  await pi.prompt('third')
  assert.deepEqual(told(w, NUDGE_OFF), [false, true, false])
})

test('a toggle off without an on on the path is not told', async (t) => {
  const w = await world(t)
  const pi = w.start(['--readonly'])
  await settle(pi)
  await toggle(pi, 'off')
  await pi.prompt('first')
  assert.deepEqual(told(w, NUDGE_OFF), [false])
  assert.deepEqual(told(w, NUDGE_ON), [false])
})

test('a nudge in a turn with tools is told in the first request alone', async (t) => {
  const { w, pi } = await readonlyPi(t)
  await bash(pi, 'echo one')
  assert.deepEqual(told(w, NUDGE_ON), [true, false])
})

test('a nudge whose request failed is told again', async (t) => {
  const { w, pi } = await readonlyPi(t)
  await pi.prompt('~err')
  const failed = w.model.requests.length
  await pi.prompt('second')
  await pi.prompt('third')
  assert.deepEqual(told(w, NUDGE_ON).slice(failed), [true, false])
})

test('a delivered nudge is an entry, and is not told again after a restart', async (t) => {
  const { w, pi } = await readonlyPi(t)
  await pi.prompt('first')
  const text = w.read(w.fileOf(await pi.sessionId()))
  assert.match(text, /"customType":"readonly-nudge","data":\{"direction":"on","delivered":true\}/)
  const again = await restart(w, pi)
  await again.prompt('second')
  assert.deepEqual(told(w, NUDGE_ON), [true, false])
})

// A pi that is killed at an event of a turn, and the next one at the file. pi writes no file before the first answer.
async function toldAfterKill(t, event, prompt) {
  const w = await world(t, { helpers: ['killer'] })
  const pi = w.start()
  await pi.prompt('hello')
  await toggle(pi, 'on')
  const file = w.fileOf(await pi.sessionId())
  await pi.stop()
  const killed = w.start(['--session', file], { XYLEM_TEST_KILL: event })
  await settle(killed)
  await killed.send('prompt', { message: prompt }).catch(() => {})
  assert.equal((await killed.exit).signal, 'SIGKILL')
  const next = w.start(['--session', file])
  await settle(next)
  const before = w.model.requests.length
  await next.prompt('next')
  await next.prompt('last')
  return { before: told(w, NUDGE_ON).slice(1, before), after: told(w, NUDGE_ON).slice(before) }
}

for (const [event, prompt] of [['tool_call', '~tool read {"path":"a"}'], ['tool_execution_end', '~tool read {"path":"a"}'],
  ['turn_end', '~tool read {"path":"a"}'], ['agent_settled', 'once']]) {
  test(`a nudge that was answered is not told again after a kill -9 at ${event}`, async (t) => {
    assert.deepEqual(await toldAfterKill(t, event, prompt), { before: [true], after: [false, false] })
  })
}

for (const event of ['context', 'after_provider_response']) {
  test(`a nudge that was not answered is told again after a kill -9 at ${event}`, async (t) => {
    const { after } = await toldAfterKill(t, event, 'once')
    assert.deepEqual(after, [true, false])
  })
}

// --- Toggles ---

test('the badge follows the toggle', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await toggle(pi)
  assert.match(badge(pi), /🔒 readonly/)
  await toggle(pi)
  assert.equal(badge(pi), undefined)
})

test('a toggle is two entries', async (t) => {
  const { w, pi } = await readonlyPi(t)
  await pi.prompt('hello')
  const text = w.read(w.fileOf(await pi.sessionId()))
  assert.match(text, /"customType":"readonly","data":\{"enabled":true\}/)
  assert.match(text, /"customType":"readonly-nudge","data":\{"direction":"on"\}/)
})

test('the report of /readonly comes when the store has the toggle', async (t) => {
  const w = await world(t)
  const pi = w.start()
  assert.equal(await toggle(pi, 'on'), 'Readonly is on')
  assert.equal((await w.state(await pi.sessionId())).readonly, true)
  assert.equal(await toggle(pi, 'on'), 'Readonly is on already')
  assert.equal(await toggle(pi, 'off'), 'Readonly is off')
  assert.equal((await w.state(await pi.sessionId())).readonly, false)
})

// Does something while a command of the agent runs, and lets the turn go on by `script`.
async function during(w, pi, script, work) {
  const from = pi.lines.length
  const go = join(w.sandbox.project, 'go')
  rmSync(go, { force: true })
  await pi.send('prompt', { message: `${call('until [ -e go ]; do sleep 0.02; done')}
${script}` })
  await pi.wait(({ type }) => type === 'tool_execution_start', 'the command', from)
  const result = await work()
  writeFileSync(go, '')
  await pi.wait(({ type }) => type === 'agent_settled', 'the end of the turn', from)
  return result
}

const ARMED = 'Readonly is on from the next tool call on'
const WRITES = '~tool write {"path":"a.txt","content":"x"}'

test('readonly goes on while the agent works: from the next tool call on, and told once', async (t) => {
  const w = await world(t)
  const pi = w.start()
  assert.equal(await during(w, pi, WRITES, () => toggle(pi)), ARMED)
  assert.equal(existsSync(join(w.sandbox.project, 'a.txt')), false)
  await pi.prompt('next')
  assert.deepEqual(told(w, NUDGE_ON), [false, true, false, false])
  assert.equal((await w.state(await pi.sessionId())).readonly, true)
})

test('readonly goes off only when the agent is idle', async (t) => {
  const { w, pi } = await readonlyPi(t)
  await during(w, pi, WRITES, async () => {
    assert.equal(await toggle(pi, 'on'), 'Readonly is on already')
    for (const word of ['off', '']) {
      const from = pi.lines.length
      await pi.send('prompt', { message: `/readonly ${word}` })
      await pi.wait(({ message }) => message === '/readonly: the agent is working, and readonly stays on. Try again when the agent is idle',
        'the refusal', from)
    }
  })
  assert.equal(isOn(pi), true)
  assert.equal(existsSync(join(w.sandbox.project, 'a.txt')), false)
})

test('readonly that goes on behind a request with the nudge of off is told with the next request', async (t) => {
  const { w, pi } = await readonlyPi(t)
  await pi.prompt('first')
  await toggle(pi, 'off')
  await pi.send('prompt', { message: '~hold' })
  await w.model.asked(2)
  assert.equal(await toggle(pi, 'on'), ARMED)
  w.model.release()
  await pi.wait(({ type }) => type === 'agent_settled', 'the end of the held turn', pi.lines.length - 1)
  await pi.prompt('second')
  await pi.prompt('third')
  assert.deepEqual([told(w, NUDGE_ON), told(w, NUDGE_OFF)],
    [[true, false, true, false], [false, true, false, false]])
})

test('readonly that goes on while the agent works outlives a kill, and is told once', async (t) => {
  const w = await world(t)
  const pi = w.start()
  await pi.prompt('hello')
  const file = w.fileOf(await pi.sessionId())
  await pi.send('prompt', { message: call('sleep 60') })
  await pi.wait(({ type }) => type === 'tool_execution_start', 'the command')
  await toggle(pi, 'on')
  await pi.kill()
  const next = w.start(['--session', file])
  await next.prompt(WRITES)
  await next.prompt('last')
  assert.equal(existsSync(join(w.sandbox.project, 'a.txt')), false)
  assert.deepEqual(told(w, NUDGE_ON).slice(2), [true, false, false])
})
