// Notifications of a real pi: the bytes that the terminal gets.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { world } from '../lib/pi.mjs'
import { call, changeSettings, packageCopy } from '../rpc/moves.mjs'
import { recordAndRun } from './recording.mjs'

const [ESC, BEL] = ['\x1b', '\x07']
const ST = `${ESC}\\`
const SEQUENCE = new RegExp(`${ESC}]777;notify;[^${BEL}]*${BEL}`, 'g')
const done = (seconds, name = 'project') => `${ESC}]777;notify;Pi: done (${seconds} s);${name}${BEL}`

// A pi whose clock the test moves. `turn` is a turn of so many seconds, up to its end; `raw` has all that pi writes.
async function notifyTerminal(t, { args = [], environment, extensions = ['notify'], argsOf = () => args,
  ...options } = {}) {
  const w = await world(t, { extensions, helpers: ['clock', 'commands'], ...options })
  let now = 0
  const pass = (seconds) => writeFileSync(join(w.sandbox.project, 'clock'), String(now += seconds))
  pass(0)
  const terminal = await w.terminal(argsOf(w), { environment })
  const log = join(w.sandbox.root, 'terminal.log')
  await terminal.tmux('pipe-pane', '-t', ':0', `cat >>'${log}'`)
  const raw = () => (existsSync(log) ? readFileSync(log, 'utf8') : '')
  return {
    w, terminal, raw, pass,
    seen: (pattern = SEQUENCE) => raw().match(pattern) ?? [],
    shows: (text) => w.until(() => raw().includes(text), JSON.stringify(text),
      { tell: () => JSON.stringify(raw().slice(-3000)) }),
    async turn(seconds) {
      const [asked, settled] = [w.model.requests.length, w.records('agent_settled').length]
      await terminal.submit('~hold')
      await w.model.asked(asked + 1)
      pass(seconds)
      w.model.release()
      await w.until(() => w.records('agent_settled').length > settled, 'the end of the turn')
    },
  }
}

test('a turn of more than eight seconds notifies once, and no shorter turn', async (t) => {
  const { turn, seen, shows } = await notifyTerminal(t)
  for (const seconds of [0, 7.9, 8, 8.4]) {
    await turn(seconds)
  }
  await turn(11.6)
  await shows(done(12))
  assert.deepEqual(seen(), [done(8), done(12)])
})

test('--notify-min-secs says how many seconds', async (t) => {
  const { turn, seen, shows } = await notifyTerminal(t, { args: ['--notify-min-secs', '0.5'] })
  await turn(0.5)
  await turn(0.6)
  await shows(done(1))
  await turn(3)
  await shows(done(3))
  assert.deepEqual(seen(), [done(1), done(3)])
})

test('a value that is no number is said once, and eight seconds count', async (t) => {
  for (const value of ['soon', ' ', 'Infinity']) {
    const { terminal, turn, seen, shows } = await notifyTerminal(t, { args: ['--notify-min-secs', value] })
    await terminal.wait(`--notify-min-secs: expected a number of seconds, found '${value}'. 8 counts`)
    await terminal.submit('/again')
    await terminal.wait('Reloaded')
    assert.equal((await terminal.screen()).includes('expected a number'), false) // a reload draws all messages anew
    await turn(8)
    await turn(9)
    await shows(done(9))
    assert.deepEqual(seen(), [done(9)])
  }
})

test('a turn whose request is tried again has several ends of the agent, and one notification', async (t) => {
  const { w, terminal, pass, seen, shows, turn } = await notifyTerminal(t,
    { settings: { retry: { enabled: true, maxRetries: 2, baseDelayMs: 1 } } })
  const step = join(w.sandbox.project, 'step')
  writeFileSync(step, '5')
  await terminal.submit('~err overloaded')
  await w.until(() => w.records('agent_settled').length === 1, 'the end of the turn')
  assert.equal(w.records('agent_end').length, 3)
  rmSync(step)
  pass(15)
  await turn(9)
  await shows(done(9))
  assert.deepEqual(seen(), [done(15), done(9)])
})

test('Kitty gets OSC 99, in two parts of one identifier, also inside of Windows Terminal', async (t) => {
  const { terminal, turn, shows, raw } = await notifyTerminal(t,
    { environment: { KITTY_WINDOW_ID: '1', WT_SESSION: 'x' } })
  await turn(12)
  const id = `i=pi-${await terminal.pid()}`
  await shows(`${ESC}]99;${id}:d=0:p=title;Pi: done (12 s)${ST}${ESC}]99;${id}:d=1:p=body;project${ST}`)
  assert.equal(raw().includes(']777;'), false)
})

test('Windows Terminal shows a toast of PowerShell, and gets no sequence', async (t) => {
  const { w, terminal, turn, raw } = await notifyTerminal(t, { environment: {
    WT_SESSION: 'x', PATH: `${makePowershell(t)}:${process.env.PATH}` } })
  await terminal.submit(`/call ${JSON.stringify("it's ‘quoted’'); exit #")}`)
  await turn(12)
  const said = join(w.sandbox.project, 'said')
  const script = await w.until(() => existsSync(said) && /^.*\n$/.exec(readFileSync(said, 'utf8'))?.[0], 'a toast')
  assert.match(script, /^-NoProfile -NonInteractive -Command \$xml = \[Windows\.UI\.Notifications\.ToastNotification/)
  const texts = [...script.matchAll(/FromBase64String\('([A-Za-z0-9+/=]*)'\)/g)]
    .map(([, text]) => Buffer.from(text, 'base64').toString())
  assert.deepEqual(texts, ['Pi: done (12 s)', "it's ‘quoted’'); exit #"])
  assert.equal((script.match(/'/g).length) % 2, 0)
  assert.equal(/](777|99);/.test(raw()), false)
})

// A PowerShell that writes its arguments down.
function makePowershell(t) {
  const folder = join(process.env.TMPDIR, `powershell-${t.name.length}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'powershell.exe'), '#!/bin/sh\nprintf "%s\\n" "$*" >said\n', { mode: 0o755 })
  return folder
}

test('without PowerShell pi goes on', async (t) => {
  const { terminal, turn } = await notifyTerminal(t, { environment: { WT_SESSION: 'x' } })
  await turn(12)
  await terminal.prompt('next')
})

test('a package that was taken away while pi runs notifies nobody, and pi goes on', async (t) => {
  const { w, terminal, turn, seen } = await notifyTerminal(t, { extensions: [],
    argsOf: (one) => ['-e', packageCopy(one, true, 'notify')] })
  rmSync(join(w.sandbox.root, 'copy-true'), { recursive: true })
  await turn(12)
  await terminal.prompt('next')
  assert.deepEqual(seen(), [])
})

// A command that writes down its arguments, one a line.
function makeCommand(w) {
  const path = join(w.sandbox.root, 'tell')
  writeFileSync(path, '#!/bin/sh\nprintf "%s\\n" "$#" "$@" >>"$0.said"\n', { mode: 0o755 })
  return { path, said: () => (existsSync(`${path}.said`) ? readFileSync(`${path}.said`, 'utf8') : '') }
}

test('a setting names a command, which gets a hostile name as one argument, and the terminal nothing', async (t) => {
  const { w, terminal, turn, seen } = await notifyTerminal(t)
  const { path, said } = makeCommand(w)
  changeSettings(w, { xylem: { notify: { command: [path, '-a', 'pi'] } } })
  await terminal.submit(`/call ${JSON.stringify('$(touch bad); `touch bad` \' " -x')}`)
  await turn(12)
  await w.until(() => said().endsWith('\n'), 'the command')
  assert.equal(said(), '3\n-a\npi\nPi: done (12 s): $(touch bad); `touch bad` \' " -x\n')
  assert.deepEqual([existsSync(join(w.sandbox.project, 'bad')), seen()], [false, []])
  changeSettings(w, { xylem: { notify: { command: [join(w.sandbox.root, 'none')] } } })
  await turn(9)
  await terminal.wait(/notify: spawn .*ENOENT/)
})

test('a bell and off are settings', async (t) => {
  const { w, turn, raw, seen } = await notifyTerminal(t)
  const bells = () => raw().replace(/\x1b\][^\x07]*\x07/g, '').split(BEL).length - 1
  changeSettings(w, { xylem: { notify: { by: 'off' } } })
  await turn(12)
  changeSettings(w, { xylem: { notify: { by: 'bell' } } })
  await turn(12)
  await w.until(() => bells() > 0, 'a bell')
  assert.deepEqual([bells(), seen()], [1, []])
})

const WAITS = `${ESC}]777;notify;Pi: waits for your answer;project${BEL}`

test('a question of a turn that waits 3 seconds without a key notifies once', async (t) => {
  const { terminal, seen, shows } = await notifyTerminal(t, { extensions: ['notify', 'confirm'] })
  await terminal.type(call('rm -r x'))
  await terminal.wait('→ Block')
  await sleep(2000)
  await terminal.keys('Down')
  await sleep(2000)
  assert.deepEqual(seen(), [])
  await shows(WAITS)
  await terminal.answer('Enter')
  await terminal.wait('the tool answered')
  await terminal.submit('/new')
  await terminal.wait('Start a new session')
  await sleep(3500)
  assert.deepEqual(seen(), [WAITS])
})

test('inside tmux the sequence is wrapped for passthrough, and a bell follows', async (t) => {
  const { turn, shows } = await notifyTerminal(t, { environment: { TMUX: '/tmp/tmux,1,0' } })
  await turn(12)
  await shows(`${ESC}Ptmux;${ESC}${done(12)}${ST}${BEL}`)
})

test('a tmux that passes sequences hands the notification to the terminal outside', async (t) => {
  const { w, terminal, turn } = await notifyTerminal(t, { environment: { TMUX: '/tmp/tmux,1,0' } })
  const log = join(w.sandbox.root, 'outside.log')
  await terminal.tmux('set-option', '-g', 'allow-passthrough', 'on')
  await terminal.tmux('new-session', '-d', '-s', 'outside', '-x', '140', '-y', '50',
    `env -u TMUX tmux -S "$(tmux display-message -p '#{socket_path}')" attach -t 0`)
  await terminal.tmux('pipe-pane', '-t', 'outside', `cat >>'${log}'`)
  await w.until(async () => /1/.test(await terminal.tmux('list-sessions', '-F', '#{session_attached}')), 'a client')
  await turn(12)
  await w.until(() => existsSync(log) && readFileSync(log, 'utf8').includes(done(12)), 'the notification outside')
})

test('a name of a session goes into the notification, without a character that could end the sequence', async (t) => {
  const { terminal, turn, shows, raw } = await notifyTerminal(t)
  const name = `a;b ${ESC}]0;x${BEL}\x9c\x9dé\u202e`
  const typed = name.replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
  await terminal.submit(`/call "${typed}"`)
  await turn(12)
  await shows(done(12, 'a;b \\u{1b}]0;x\\u{7}\\u{9c}\\u{9d}é\\u{202e}'))
  await terminal.type(`/call ${JSON.stringify('long '.repeat(100))}`)
  await turn(13)
  await shows(`${ESC}]777;notify;Pi: done (13 s);long long`)
  assert.match(raw(), /Pi: done \(13 s\);.{110,120}\x07/)
})

test('a notification never stands inside of a frame', async (t) => {
  const { turn, shows, raw } = await notifyTerminal(t)
  for (let i = 1; i <= 5; i++) {
    await turn(10 + i)
    await shows(done(10 + i))
  }
  assert.ok(raw().includes(`${ESC}[?2026h`))
  for (const { index } of raw().matchAll(SEQUENCE)) {
    const before = raw().slice(0, index)
    assert.ok(before.lastIndexOf(`${ESC}[?2026l`) >= before.lastIndexOf(`${ESC}[?2026h`))
  }
})

test('a sequence notifies at its end alone, once, with the seconds of all its turns', async (t) => {
  const { w, terminal, pass, seen, shows, turn } = await notifyTerminal(t, { extensions: ['notify', 'sequence'] })
  const settled = (count) => w.until(() => w.records('agent_settled').length === count, `turn ${count}`)
  await recordAndRun(terminal, ['~hold'], '2')
  for (const count of [1, 2]) {
    await w.model.asked(count)
    pass(20)
    w.model.release()
    await settled(count)
  }
  await terminal.wait('✓ sequence · 2 runs')
  await shows(done(40))
  await turn(9)
  await shows(done(9))
  assert.deepEqual(seen(), [done(40), done(9)])
})

test('the end of pi in the middle of a sequence notifies nobody', async (t) => {
  const { w, terminal, pass, seen } = await notifyTerminal(t, { extensions: ['notify', 'sequence'] })
  await recordAndRun(terminal, ['~hold'], '2')
  await w.model.asked(1)
  pass(20)
  await terminal.kill('SIGTERM')
  assert.deepEqual(seen(), [])
})
