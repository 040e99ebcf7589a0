// --ssh in a real pi, over RPC, with a fake ssh: what a session says and keeps, with the flag and without, and beside
// the guards. A test for each rule of the design.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { extension } from '../lib/pi.mjs'
import { repository, watched } from '../lib/repository.mjs'
import { entriesOf } from '../lib/scan.mjs'
import { connected, fakeWorld, HOST, settled, shown } from '../lib/ssh.mjs'
import { asked, bash, call, runPi, said, tool, toggle } from './moves.mjs'

const read = (pi, path) => tool(pi, 'read', { path })
const write = (pi, path, content = 'new') => tool(pi, 'write', { path, content })
const edit = (pi, path, oldText, newText) => tool(pi, 'edit', { path, edits: [{ oldText, newText }] })

async function ready(t, options = {}) {
  const w = await fakeWorld(t, options)
  return { w, pi: await connected(w, options.args) }
}

const notes = (w, session) => entriesOf(w.read(w.fileOf(session))).filter(({ customType }) => customType === 'ssh')
  .map(({ data }) => data)

// --- Without the flag ---

test('without --ssh nothing is spawned, and the tools act on this machine', async (t) => {
  const w = await fakeWorld(t)
  const pi = w.start()
  writeFileSync(w.here('a.txt'), 'here')
  assert.equal((await read(pi, 'a.txt')).text, 'here')
  assert.equal((await bash(pi, 'cat a.txt')).text, 'here')
  await pi.stop()
  assert.deepEqual([w.calls(), shown(pi)], [[], undefined])
})

test('--help shows the flags', async (t) => {
  const w = await fakeWorld(t)
  const { output } = await runPi(w, ['--help'], [extension('ssh')])
  assert.match(output, /--ssh .*user@host/)
  assert.match(output, /--ssh-ask-pass .*password/)
})

// --- Where --ssh points ---

for (const [given, why] of [['-oProxyCommand=touch x', /begins with '-'/], ['there:22', /a path begins with '\/'/]]) {
  test(`--ssh ${given} is refused, ssh is not called, and no tool acts on this machine`, async (t) => {
    const w = await fakeWorld(t)
    const pi = w.start([`--ssh=${given}`])
    await settled(pi)
    assert.match(said(pi), why)
    writeFileSync(w.here('a.txt'), 'here')
    for (const result of [await read(pi, 'a.txt'), await write(pi, 'a.txt'), await edit(pi, 'a.txt', 'here', 'x'),
      await bash(pi, 'echo x >a.txt')]) {
      assert.equal(result.isError, true)
      assert.match(result.text, why)
    }
    assert.equal(readFileSync(w.here('a.txt'), 'utf8'), 'here')
    assert.deepEqual(w.calls(), [])
  })
}

// --- The prompt and the entries ---

const promptOf = (request) => request.messages.filter(({ role }) => role === 'system' || role === 'developer')
  .map(({ content }) => JSON.stringify(content)).join()

test("the model's prompt says where the tools act", async (t) => {
  const { w, pi } = await ready(t)
  await pi.prompt('hello')
  assert.match(promptOf(w.model.requests[0]),
    new RegExp(`<cwd>\\\\n${w.sandbox.project} \\(on ${HOST}, by ssh: read, write, edit and bash act there\\)`))
})

test('the prompt of a session without a connection says so', async (t) => {
  const w = await fakeWorld(t, { files: { refuse: 'Connection refused' } })
  const pi = await connected(w)
  await pi.prompt('hello')
  assert.match(promptOf(w.model.requests[0]), /unknown: there is no connection to me@there\.example/)
})

test('a session that works there says so in one entry, and again for another place', async (t) => {
  const { w, pi } = await ready(t)
  const id = await pi.sessionId()
  await pi.prompt('hello')
  await pi.command('/again')
  await pi.prompt('hello')
  const here = { host: HOST, path: w.sandbox.project }
  assert.deepEqual(notes(w, id), [here])
  await pi.stop()
  const other = w.start(['--session', w.fileOf(id), '--ssh', `${HOST}:${w.there('home')}`])
  await other.prompt('hello')
  assert.deepEqual(notes(w, id), [here, { host: HOST, path: w.there('home') }])
  assert.deepEqual(other.notices(), [])
})

test('a session without a connection has no entry', async (t) => {
  const w = await fakeWorld(t, { files: { refuse: 'Connection refused' } })
  const pi = await connected(w)
  await pi.prompt('hello')
  assert.deepEqual(notes(w, await pi.sessionId()), [])
})

test('resumed without --ssh: one warning that the tools act on this machine, none after a prompt', async (t) => {
  const { w, pi } = await ready(t)
  const id = await pi.sessionId()
  await pi.prompt('hello')
  await pi.stop()
  const warnings = (one) => one.notices().filter(({ message }) => /this session worked on/.test(message))
  const again = w.start(['--session', w.fileOf(id)])
  await again.sessionId()
  assert.deepEqual(warnings(again).map(({ message, notifyType }) => [message, notifyType]),
    [[`xylem: this session worked on ${HOST}:${w.sandbox.project}. ` +
      'Without --ssh read, write, edit and bash now act on this machine', 'warning']])
  writeFileSync(w.here('a.txt'), 'here')
  assert.equal((await read(again, 'a.txt')).text, 'here')
  await again.command('/again')
  await again.stop()
  assert.equal(warnings(again).length, 1)
  assert.deepEqual(notes(w, id).at(-1), { host: null, path: w.sandbox.project })
  const third = w.start(['--session', w.fileOf(id)])
  await third.sessionId()
  assert.deepEqual(warnings(third), [])
})

test('the warning follows the branch: a fork and the tree', async (t) => {
  const { w, pi } = await ready(t)
  await pi.prompt('hello')
  const file = w.fileOf(await pi.sessionId())
  await pi.stop()
  const local = w.start()
  await local.prompt('hello')
  await local.send('switch_session', { sessionPath: file })
  assert.equal(local.notices().filter(({ message }) => /this session worked on/.test(message)).length, 1)
  await local.send('clone')
  assert.equal(local.notices().filter(({ message }) => /this session worked on/.test(message)).length, 2)
})

test('an entry of another shape is skipped', async (t) => {
  const w = await fakeWorld(t)
  const pi = w.start()
  await pi.prompt('hello')
  for (const data of ['{"host":1,"path":"/"}', '{"host":"x"}', '[]', 'null', '']) {
    await pi.command(`/entry ssh ${data}`)
  }
  const file = w.fileOf(await pi.sessionId())
  await pi.stop()
  const again = w.start(['--session', file])
  await again.prompt('hello')
  assert.deepEqual(again.notices(), [])
})

// --- Beside the guards ---

const GUARDS = { extensions: ['readonly', 'confirm', 'ssh'] }

test('readonly judges and blocks as on this machine', async (t) => {
  const { w, pi } = await ready(t, GUARDS)
  await toggle(pi, 'on')
  w.put('project/a.txt', 'there')
  assert.equal((await write(pi, 'a.txt')).isError, true)
  assert.equal((await bash(pi, 'rm a.txt')).isError, true)
  assert.equal((await bash(pi, 'cat a.txt')).text, 'there')
  assert.equal(w.got('project/a.txt'), 'there')
})

test('git there starts no program of a repository while readonly is on', async (t) => {
  const { w, pi } = await ready(t, GUARDS)
  repository(w.there('project'))
  watched(w.there('project'), w.there('ran'))
  await toggle(pi, 'on')
  assert.match((await bash(pi, 'git status')).text, /nothing to commit/)
  assert.equal(w.got('ran'), '')
  await toggle(pi, 'off')
  assert.match((await bash(pi, 'git status')).text, /nothing to commit/)
  assert.match(w.got('ran'), /^watch$/m)
})

test('confirm asks about a command that destroys there', async (t) => {
  const { w, pi } = await ready(t, GUARDS)
  mkdirSync(w.there('project/deep'))
  const { dialogs: [{ options }], isError } = await asked(pi, call('rm -r deep'), 'Block')
  assert.equal(isError, true)
  assert.deepEqual(options, ['Block', 'Run it once']) // no grant: which directory 'deep' is there, nobody knows here
  assert.ok(existsSync(w.there('project/deep')))
  assert.equal((await asked(pi, call('rm -r deep'), 'Run it once')).isError, false)
  assert.equal(existsSync(w.there('project/deep')), false)
})

test('a zero byte, which a shell would drop, hides no command from readonly and confirm', async (t) => {
  const { w, pi } = await ready(t, GUARDS)
  w.put('project/a.txt', 'there')
  for (const run of [() => bash(pi, 'r\0m -rf a.txt'), () => pi.send('bash', { command: 'r\0m -rf a.txt' })]) {
    const { isError, text } = await run().catch(({ message }) => ({ isError: true, text: message }))
    assert.equal(isError, true)
    assert.match(text, /the command has a zero byte/)
  }
  assert.equal(w.got('project/a.txt'), 'there')
})

test('a bash of another extension, which would act on this machine, is blocked', async (t) => {
  const w = await fakeWorld(t, { extensions: [], helpers: ['commands', 'bash'] }) // pi takes the first bash
  const pi = await connected(w, ['-e', extension('ssh')])
  const { isError, text } = await bash(pi, 'true')
  assert.equal(isError, true)
  assert.match(text, /^Blocked: bash is a tool of another extension, which acts on the machine of pi/)
  assert.equal((await write(pi, 'a.txt')).isError, false)
  assert.equal(w.got('project/a.txt'), 'new')
})

// The answer of the extension `asker`.
async function asks(pi, path) {
  const lines = await pi.command(`/remote ${path}`)
  const { message } = lines.find(({ method, message: text }) => method === 'notify' && text.startsWith('remote: '))
  return JSON.parse(message.slice('remote: '.length))
}

test('a guard of reads hears the host, the key and the fingerprint there; without --ssh nothing', async (t) => {
  const { w, pi } = await ready(t, { helpers: ['commands', 'asker'] })
  w.put('project/a.txt', 'abc')
  writeFileSync(w.here('a.txt'), 'something else')
  const [host, key, found] = await asks(pi, './a.txt')
  assert.deepEqual([host, key, found.bytes], [HOST, `ssh:${HOST}:${w.here('a.txt')}`, 3])
  assert.match(found.hash, /^(sha256:ba7816bf8f01cfea|xxh3-128:06b05ab6733a6185)/)
  assert.deepEqual((await asks(pi, 'none')).slice(2), [null])
  await pi.command('/again')
  assert.equal((await asks(pi, 'a.txt'))[0], HOST)
  assert.deepEqual(await asks(w.start(), 'a.txt'), [null, null, null])
})

test('read before write looks at the files there', async (t) => {
  const { w, pi } = await ready(t, { extensions: ['read-guard', 'ssh'] })
  w.put('project/a.txt', 'one')
  writeFileSync(w.here('a.txt'), 'one')
  assert.match((await edit(pi, 'a.txt', 'one', 'two')).text, /^Blocked: a\.txt was not read in this session/)
  await read(pi, 'a.txt')
  writeFileSync(w.here('a.txt'), 'changed here')
  assert.equal((await edit(pi, 'a.txt', 'one', 'two')).isError, false)
  w.put('project/a.txt', 'changed there')
  assert.match((await write(pi, 'a.txt')).text, /^Blocked: a\.txt changed on disk/)
  const { isError, text } = await write(pi, 'missing/../a.txt') // write would make the directory, and find the file
  assert.deepEqual([isError, /^Blocked: .*a path through a missing directory/.test(text)], [true, true], text)
  assert.equal(w.got('project/a.txt'), 'changed there')
})
