// --ssh in a real pi, over RPC, with a fake ssh: whose master, passwords, and connections that fail. A test for each
// rule of the design.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { extension } from '../lib/pi.mjs'
import { CONFIG, connected, fakeWorld, HOST, isAlive, settled, shown, SYSTEM } from '../lib/ssh.mjs'
import { bash, call, runPi, said } from './moves.mjs'

async function ready(t, options = {}) {
  const w = await fakeWorld(t, options)
  return { w, pi: await connected(w, options.args) }
}

// The calls of ssh by their purpose.
const masters = (w) => w.calls().filter((words) => words.includes('ControlMaster=yes'))
const exits = (w) => w.calls().filter((words) => words.includes('exit'))
const placeOf = (words) => /^ControlPath=(.*)\/master$/.exec(words.find((word) => word.startsWith('ControlPath=')))[1]
const numbersOf = (text) => text.split('\n').filter(Boolean).map(Number)

// --- Whose master ---

test('ssh -G is asked without user@, with the user as an option', async (t) => {
  const { w } = await ready(t)
  assert.deepEqual(w.calls()[0], ['-G', '-l', 'me', '--', 'there.example'])
})

test('without a master in the config an own master starts in a directory of its own, and ends with pi', async (t) => {
  const { w, pi } = await ready(t)
  assert.match(shown(pi), /^⚡ own master me@there\.example:\//)
  await bash(pi, 'true')
  const place = placeOf(masters(w)[0])
  assert.match(place, new RegExp(`^/tmp/pi-cm-${pi.child.pid}-`))
  assert.ok(`${place}/master`.length + 17 < 100) // ssh appends 17 letters for a moment
  assert.equal(statSync(place).mode & 0o777, 0o700)
  for (const words of w.calls().slice(2)) {
    assert.ok(words.includes(`ControlPath=${place}/master`), words.join(' '))
  }
  assert.equal(exits(w).length, 0)
  await pi.stop()
  assert.equal(exits(w).length, 1)
  assert.ok(exits(w)[0].includes(`ControlPath=${place}/master`))
  assert.equal(existsSync(place), false)
  assert.equal(numbersOf(w.got('pids')).some(isAlive), false)
})

test('a master of the system is used, stands in the status, and is left alone', async (t) => {
  const { w, pi } = await ready(t, { files: { config: SYSTEM, persists: '' } })
  assert.match(shown(pi), /^⚡ system master me@there\.example:\//)
  assert.equal((await bash(pi, 'echo hi')).text, 'hi\n')
  await pi.stop()
  assert.deepEqual([masters(w), exits(w)], [[], []])
  assert.equal(w.calls().some((words) => words.some((word) => word.startsWith('ControlPath='))), false)
  assert.ok(existsSync(w.there('persists')))
})

test('a reload, a new session and a fork keep the master', async (t) => {
  const { w, pi } = await ready(t)
  await bash(pi, 'true')
  await pi.command('/again')
  await settled(pi, pi.lines.length - 1).catch(() => {})
  assert.equal((await bash(pi, 'echo reloaded')).text, 'reloaded\n')
  const { messages } = await pi.send('get_fork_messages')
  await pi.send('fork', { entryId: messages[1].entryId })
  assert.equal((await bash(pi, 'echo forked')).text, 'forked\n')
  await pi.send('new_session')
  assert.equal((await bash(pi, 'echo new')).text, 'new\n')
  assert.match(shown(pi), /^⚡ own master/)
  assert.deepEqual([masters(w).length, exits(w).length], [1, 0])
  await pi.stop()
  assert.equal(exits(w).length, 1)
})

test('a pi that is killed leaves no master', async (t) => {
  const { w, pi } = await ready(t)
  await pi.kill()
  await w.until(() => !numbersOf(w.got('pids')).some(isAlive), 'the end of the master')
})

test('pi ends while the connection is not there yet', async (t) => {
  const w = await fakeWorld(t, { files: { hang: 'run' } })
  const pi = w.ssh()
  await w.until(() => masters(w).length === 1, 'the master')
  assert.deepEqual(await pi.stop(), { code: 0, signal: null })
  assert.equal(existsSync(placeOf(masters(w)[0])), false)
})

for (const [mode, config] of [['G', CONFIG], ['check', SYSTEM.replace('controlpersist 600', 'controlpersist no')],
  ['exit', CONFIG]]) {
  test(`pi ends although ssh hangs: ${mode}`, async (t) => {
    const w = await fakeWorld(t, { files: { config, hang: mode } })
    const pi = mode === 'exit' ? await connected(w) : w.ssh()
    const asked = (words) => words.includes(mode === 'G' ? '-G' : mode)
    if (mode !== 'exit') {
      await w.until(() => w.calls().some(asked), 'the question')
    }
    assert.deepEqual(await pi.stop(), { code: 0, signal: null })
    assert.ok(w.calls().some(asked))
    await w.until(() => !numbersOf(w.got('pids')).some(isAlive), 'the end of the master')
  })
}

// --- Passwords ---

const PASSWORD = "p'a$s \\ wörd!"
const asks = (files = {}) => ({ files: { password: PASSWORD, ...files } })

async function answered(w, ...passwords) {
  const pi = w.ssh(['--ssh-ask-pass'])
  let at = 0
  for (const password of passwords) {
    const question = await pi.question(at)
    at = pi.lines.indexOf(question) + 1
    pi.answer(question, password)
  }
  await settled(pi, at)
  return pi
}

const questions = (pi) => pi.lines.filter(({ method }) => method === 'input').map(({ title }) => title)

test('the password goes to ssh and nowhere else', async (t) => {
  const w = await fakeWorld(t, asks())
  const pi = await answered(w, PASSWORD)
  assert.match(shown(pi), /^⚡ own master/)
  assert.deepEqual(questions(pi), [`Password for ${HOST} (this client may show the letters)`])
  assert.equal((await bash(pi, 'echo in')).text, 'in\n')
  const seen = w.got('asked')
  assert.match(seen, /^drwx------ /)
  assert.match(seen, /\n-rwx------ .*askpass\n/)
  assert.match(seen, /\nSSH_ASKPASS_REQUIRE=force\n/)
  assert.match(seen, /\nDISPLAY=./)
  assert.equal(seen.includes('wörd'), false) // neither in the environment, nor in the arguments, nor in the helper
  assert.equal(w.got('log').includes('wörd'), false)
  assert.deepEqual(readdirSync(placeOf(masters(w)[0])), ['master'])
  await pi.stop()
  assert.equal(w.files().some((file) => w.read(file).includes('wörd')), false)
})

test('a host that the config of ssh jumps over does not get the password', async (t) => {
  for (const proxy of ['proxyjump jump', 'proxycommand ssh -W %h:%p jump']) {
    const w = await fakeWorld(t, asks({ config: `${CONFIG}${proxy}\n`, jump: 'me@jump' }))
    const pi = await answered(w, PASSWORD)
    assert.match(shown(pi), /^⚡ own master/)
    assert.equal(w.got('jumped'), '')
  }
})

test('a wrong password is asked for again, three times', async (t) => {
  const w = await fakeWorld(t, asks())
  const pi = await answered(w, 'wrong', PASSWORD)
  assert.match(shown(pi), /^⚡ own master/)
  assert.match(questions(pi)[1], /^me@there\.example: Permission denied/)
  const other = await answered(w, 'a', 'b', 'c')
  assert.match(shown(other), /^⚡ not connected/)
  assert.equal(questions(other).length, 3)
})

test('without an answer nothing connects, and /reload asks again', async (t) => {
  const w = await fakeWorld(t, asks())
  const pi = await answered(w, undefined)
  assert.match(shown(pi), /^⚡ not connected/)
  assert.match((await bash(pi, 'true')).text, /no password was given\. \/reload asks for the password/)
  assert.equal(questions(pi).length, 1)
  const from = pi.lines.length
  await pi.command('/again')
  pi.answer(await pi.question(from), PASSWORD)
  await settled(pi, from)
  assert.equal((await bash(pi, 'echo in')).text, 'in\n')
})

test('nothing is left of the helper after a failure', async (t) => {
  const w = await fakeWorld(t, asks())
  const pi = await answered(w, undefined)
  const left = readdirSync('/tmp').filter((name) => name.startsWith(`pi-cm-${pi.child.pid}-`))
  assert.deepEqual(left, [])
})

test('a key that needs no password takes none, and the helper is gone', async (t) => {
  const w = await fakeWorld(t)
  const pi = await answered(w, PASSWORD)
  assert.match(shown(pi), /^⚡ own master/)
  assert.deepEqual(readdirSync(placeOf(masters(w)[0])), ['master'])
})

test('a question about the key of a host does not get the password, and does not hang', async (t) => {
  const w = await fakeWorld(t, asks({ hostkey: '' }))
  const pi = await answered(w, PASSWORD)
  assert.match(said(pi), /Host key verification failed/)
  assert.ok(masters(w)[0].includes('StrictHostKeyChecking=yes'))
  const without = await connected(w)
  assert.match(said(without), /Host key verification failed/)
})

test('--ssh-ask-pass has no effect where the system has a master, and pi says so', async (t) => {
  const w = await fakeWorld(t, { files: { config: SYSTEM, persists: '', password: PASSWORD } })
  const pi = await connected(w, ['--ssh-ask-pass'])
  assert.equal((await bash(pi, 'echo in')).text, 'in\n')
  assert.match(said(pi), /--ssh-ask-pass has no effect: the config of ssh has a master for me@there\.example/)
  assert.deepEqual(questions(pi), [])
})

test('without a UI nobody is asked, and the tools fail', async (t) => {
  const w = await fakeWorld(t, asks())
  const { output } = await runPi(w, ['--ssh', HOST, '--ssh-ask-pass', '--mode', 'json', call('touch here')],
    [extension('ssh')])
  assert.match(output, /--ssh-ask-pass needs a person, and pi runs without a UI/)
  assert.deepEqual(readdirSync(w.sandbox.project), [])
})

test('print mode works with a key', async (t) => {
  const w = await fakeWorld(t)
  await runPi(w, ['--ssh', HOST, '-p', call('touch printed')], [extension('ssh')])
  assert.deepEqual([readdirSync(w.there('project')), exits(w).length], [['printed'], 1])
})

test('a new session ends the question for a password', async (t) => {
  const w = await fakeWorld(t, asks())
  const pi = w.ssh(['--ssh-ask-pass'])
  const first = await pi.question()
  const from = pi.lines.indexOf(first) + 1
  await pi.send('new_session')
  pi.answer(await pi.question(from), PASSWORD)
  await settled(pi, from)
  assert.equal((await bash(pi, 'echo in')).text, 'in\n')
})

// --- Connections that fail ---

test('a connection that fails is said with the words of ssh, and the next call connects again', async (t) => {
  const refuse = 'ssh: connect to host there.example port 22: Connection refused'
  const w = await fakeWorld(t, { files: { refuse } })
  const pi = await connected(w)
  assert.match(shown(pi), /^⚡ not connected to me@there\.example$/)
  assert.match(said(pi), /Connection refused/)
  const { isError, text } = await bash(pi, 'touch here')
  assert.deepEqual([isError, text], [true, `ssh ${HOST}: ${refuse}. The next call connects again`])
  assert.deepEqual(readdirSync(w.sandbox.project), [])
  rmSync(w.there('refuse'))
  assert.equal((await bash(pi, 'echo back')).text, 'back\n')
  assert.match(shown(pi), /^⚡ own master/)
})

test('a missing ssh is said', async (t) => {
  const w = await fakeWorld(t)
  const pi = await connected(w, [], { PATH: '/nowhere' })
  assert.match(said(pi), /ssh does not start: spawn ssh ENOENT/)
})

test('after the end of the master the next call connects again', async (t) => {
  const { w, pi } = await ready(t)
  const place = placeOf(masters(w)[0])
  process.kill(Number(readFileSync(`${place}/master`, 'utf8')))
  const isBack = async () => (await bash(pi, 'echo back')).text === 'back\n' && masters(w).length === 2
  await w.until(isBack, 'a second master')
  assert.equal(existsSync(place), false)
})

test('a lost connection with a password says /reload, which asks again', async (t) => {
  const w = await fakeWorld(t, asks())
  const pi = await answered(w, PASSWORD)
  process.kill(Number(readFileSync(`${placeOf(masters(w)[0])}/master`, 'utf8')))
  await w.until(async () => /\/reload asks for the password and connects again/.test((await bash(pi, 'true')).text),
    'the loss')
  const from = pi.lines.length
  await pi.command('/again')
  pi.answer(await pi.question(from), PASSWORD)
  await settled(pi, from)
  assert.equal((await bash(pi, 'echo back')).text, 'back\n')
})

test('a master of the system that refuses says how to connect', async (t) => {
  const { pi } = await ready(t, { files: { config: SYSTEM, password: PASSWORD } })
  assert.match(said(pi), /Permission denied .*connect once by hand, ssh me@there\.example/)
})

