// The parts of --ssh, with a fake ssh and without a pi: targets, whose master, streams, keys and fingerprints.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import ssh from '../../lib/ssh/ssh.ts'
import { endConnections, Machine } from '../../lib/ssh/machine.ts'
import { connect } from '../../lib/ssh/master.ts'
import { Framed, lineOf } from '../../lib/ssh/run.ts'
import { parseTarget } from '../../lib/ssh/target.ts'

for (const [text, user, name, path] of [
  ['there', undefined, 'there', undefined],
  ['me@there', 'me', 'there', undefined],
  ['me@there:/srv/a', 'me', 'there', '/srv/a'],
  ["me@there:/a b/it's:/c@d\n", 'me', 'there', "/a b/it's:/c@d\n"],
  ['a@b@there:/', 'a@b', 'there', '/'],
  ['me@::1', 'me', '::1', undefined],
  ['fe80::1:2:/x', undefined, 'fe80::1:2', '/x'],
]) {
  test(`--ssh ${JSON.stringify(text)}`, () => {
    const target = parseTarget(text)
    assert.deepEqual([target.user, target.name, target.path], [user, name, path])
    assert.equal(target.host, user === undefined ? name : `${user}@${name}`)
  })
}

for (const [text, why] of [
  ['', /no host/], ['me@', /no host/], ['@there', /no user/], ['-oProxyCommand=x', /begins with '-'/],
  ['me@-there', /begins with '-'/], ['-v@there', /begins with '-'/], ['me@there;x', /a character/],
  ['me@$(x)', /a character/], ['a b', /a character/], ['a\nb', /a character/], ['a\u202eb', /a character/],
  ['ssh://me@there', /is a URL/], ['there:22', /a port/], ['there:path', /a path begins/], ['there:', /a path begins/],
]) {
  test(`--ssh ${JSON.stringify(text)} is refused`, () => assert.throws(() => parseTarget(text), why))
}

// --- Whose master ---

const FAKE = fileURLToPath(new URL('../lib/fake-ssh.sh', import.meta.url))
const target = parseTarget('me@there')

// A directory of the fake ssh, which comes first in the PATH of this process.
function fake(t, files = {}) {
  const root = mkdtempSync(join(tmpdir(), 'ssh-'))
  const there = join(root, 'there')
  for (const name of ['there/home', 'there/project', 'bin']) {
    mkdirSync(join(root, name), { recursive: true })
  }
  for (const [name, text] of Object.entries({ config: 'controlmaster false\n', ...files })) {
    writeFileSync(join(there, name), text)
  }
  symlinkSync(FAKE, join(root, 'bin/ssh'))
  const { PATH } = process.env
  Object.assign(process.env, { PATH: `${join(root, 'bin')}:${PATH}`, FAKE_SSH: there })
  t.after(() => {
    process.env.PATH = PATH
    rmSync(root, { recursive: true, force: true })
  })
  return {
    home: join(there, 'home'),
    calls: () => readFileSync(join(there, 'log'), 'utf8').split('\x1f\n').filter(Boolean)
      .map((line) => line.split('\x1f')),
  }
}

const AUTO = 'controlmaster auto\ncontrolpath /nowhere/cm\ncontrolpersist 600\n'
for (const [name, config, files, kind, option] of [
  ['no master', 'controlmaster false\ncontrolpath /nowhere/cm\n', {}, 'own'],
  ['ControlMaster auto', AUTO, {}, 'system', 'ControlMaster=auto'],
  ['ControlMaster yes, which ssh -G calls true', AUTO.replace('auto', 'true'), {}, 'system', 'ControlMaster=auto'],
  ['ControlMaster autoask', AUTO.replace('auto', 'autoask'), {}, 'system', 'ControlMaster=auto'],
  ['a master without ControlPersist that runs', AUTO.replace('600', 'no'), { persists: '' }, 'system',
    'ControlMaster=no'],
  ['a master without ControlPersist that does not run', AUTO.replace('600', 'no'), {}, 'own'],
  ['ControlPath none', AUTO.replace('/nowhere/cm', 'none'), {}, 'own'],
  ['no ControlPath', AUTO.replace(/controlpath.*\n/, ''), {}, 'own'],
]) {
  test(`${name}: ${kind} master`, async (t) => {
    const { calls } = fake(t, { config, ...files })
    const made = await connect(target, undefined)
    assert.equal(made.kind, kind)
    assert.ok(made.args.includes(option ?? 'ControlMaster=no'), made.args.join(' '))
    assert.ok(made.args.includes('ConnectTimeout=20'), 'nothing waits for minutes')
    await made.end()
    for (const words of calls().filter((call) => call.includes('-O'))) {
      assert.ok(words.includes('ControlMaster=no'), 'a config with ControlMaster yes would connect instead')
    }
  })
}

test('Windows has no masters, and ssh is not asked', async (t) => {
  const { calls } = fake(t, { config: AUTO, persists: '' })
  const made = await connect(target, undefined, undefined, 'win32')
  assert.equal(made.kind, 'none')
  assert.equal(made.args.some((word) => /Control/.test(word)), false)
  assert.throws(calls) // there is no log
})

test('what the config says that does not fit a command is switched off', async (t) => {
  const config = 'controlmaster false\nremotecommand tmux\nsessiontype none\nstdinnull yes\n' +
    'forkafterauthentication yes\n'
  const { calls } = fake(t, { config })
  const made = await connect(target, undefined)
  for (const words of [calls()[1], made.args]) {
    for (const option of ['remotecommand=none', 'sessiontype=default', 'stdinnull=no', 'forkafterauthentication=no']) {
      assert.ok(words.includes(option), `${option}: ${words.join(' ')}`)
    }
  }
  await made.end()
})

test('what the config says about time counts', async (t) => {
  const { calls } = fake(t, { config: 'controlmaster false\nconnecttimeout 5\nserveraliveinterval 3\n' })
  await (await connect(target, undefined)).end()
  assert.equal(calls()[1].some((word) => /ConnectTimeout|ServerAlive/.test(word)), false)
})

// --- The streams ---

test('the line of a script has no character that a shell changes', () => {
  const line = lineOf(Array.from({ length: 0x100 }, (_, i) => String.fromCharCode(i)).join(''), 'abc')
  assert.match(line, /^[\x20-\x7e]*\n$/)
})

test('marks are found wherever the pieces of a stream end', () => {
  const stream = Buffer.from('greeting \x01abcd\n\x01abc\ndata \x01abc\x01\n\x01abc 42\nrest')
  for (let size = 1; size <= stream.length; size++) {
    const framed = new Framed('abc')
    let data = ''
    for (let at = 0; at < stream.length; at += size) {
      data += framed.take(stream.subarray(at, at + size))
    }
    assert.deepEqual([framed.greeting, data, framed.status], ['greeting \x01abcd\n', 'data \x01abc\x01\n', 42],
      `pieces of ${size} bytes`)
  }
})

// --- A session that cannot start ---

test('if --ssh cannot start, nothing acts on this machine', async () => {
  const handlers = {}
  let ask
  ssh({ registerFlag() {}, getFlag: (name) => name === 'ssh' ? 'me@there' : undefined,
    registerTool() { throw new Error('no tools') } },
  { on: (name, handler) => { handlers[name] = handler }, gate: (gate) => { ask = gate.ask }, live: (work) => work,
    life: {} })
  const ctx = { cwd: '/', sessionManager: { getLeafEntry: () => undefined, getBranch: () => [],
    getSessionId: () => 'one' } }
  await assert.rejects(handlers.session_start({ reason: 'startup' }, ctx))
  for (const toolName of ['read', 'write', 'edit', 'bash', 'grep']) {
    assert.match(ask({ toolName }, ctx).reason, /^Blocked: --ssh did not start/)
  }
  assert.equal(ask({ toolName: 'todo' }, ctx), undefined)
  assert.throws(() => handlers.user_bash({ command: 'true' }, ctx), /--ssh did not start/)
})

test('a turn does not wait for good for a machine that does not answer', async (t) => {
  fake(t, { hang: 'run' })
  const machine = new Machine('me@there', target, '/', undefined)
  t.after(endConnections)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const waits = machine.placeInTime()
  t.mock.timers.runAll()
  await assert.rejects(waits, /me@there does not answer/)
  t.mock.timers.reset()
})

// --- What the guard of reads asks ---

async function machineOf(t) {
  const { home } = fake(t)
  const made = new Machine('me@there', parseTarget(`me@there:${home}`), '/local', undefined)
  t.after(async () => (await made.connection()).end())
  return { home, made }
}

test('a key has the host and the real path there', async (t) => {
  const { home, made } = await machineOf(t)
  mkdirSync(join(home, 'deep/down'), { recursive: true })
  symlinkSync('deep/down', join(home, 'link'))
  symlinkSync('deep/a b.txt', join(home, 'file'))
  writeFileSync(join(home, 'deep/a b.txt'), 'x')
  const keyOf = async (input) => (await made.look(input)).key
  for (const [input, path] of [
    ['deep/a b.txt', 'deep/a b.txt'], ['file', 'deep/a b.txt'], ['./deep//down/../a b.txt', 'deep/a b.txt'],
    ['link/../a b.txt', 'deep/a b.txt'], ['link/new/file', 'deep/down/new/file'], ['~/file', 'deep/a b.txt'],
    ['@file', 'deep/a b.txt'], [`file://${home}/deep/a%20b.txt`, 'deep/a b.txt'], ["it's $x\n", "it's $x\n"],
    ['deep/a\u00a0b.txt', 'deep/a b.txt'],
  ]) {
    assert.equal(await keyOf(input), `ssh:me@there:${home}/${path}`, input)
  }
  assert.equal(await keyOf('/'), 'ssh:me@there:/')
  assert.equal(await keyOf('/nowhere/a'), 'ssh:me@there:/nowhere/a')
  for (const hostile of ['file:///a%2Fb', 'file://other/a', 'a\0b']) {
    await assert.rejects(keyOf(hostile), undefined, hostile)
  }
})

test('a fingerprint names its algorithm, and changes with the file', async (t) => {
  const { home, made } = await machineOf(t)
  assert.deepEqual(await made.look('a'), { key: `ssh:me@there:${home}/a`, state: 'gone' })
  writeFileSync(join(home, 'a'), 'abc')
  const { there: first } = await made.look('a')
  assert.equal(first.bytes, 3)
  const known = { sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    'xxh3-128': '06b05ab6733a618578af5f94892f3950' }
  const [algorithm, hash] = first.hash.split(':')
  assert.equal(hash, known[algorithm])
  writeFileSync(join(home, 'a'), 'abd')
  assert.notDeepEqual((await made.look('a')).there, first)
  mkdirSync(join(home, 'd'))
  assert.match((await made.look('d')).problem, /this is no regular file/)
})

test('without a program that hashes the reason stands in the place of a fingerprint', async (t) => {
  const { home, made } = await machineOf(t)
  writeFileSync(join(home, 'a'), 'abc')
  const bin = join(home, 'bin')
  mkdirSync(bin)
  for (const name of ['sh', 'ls', 'cat', 'wc', 'bwrap', 'tr', 'rm', 'dirname', 'realpath']) {
    symlinkSync(`/usr/bin/${name}`, join(bin, name))
  }
  const { PATH } = process.env
  process.env.PATH = `${PATH.split(':')[0]}:${bin}`
  t.after(() => { process.env.PATH = PATH })
  assert.match((await made.look('a')).problem, /none of xxhsum, sha256sum and shasum is there/)
})
