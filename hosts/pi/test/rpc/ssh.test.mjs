// --ssh in a real pi, over RPC, with the ssh and the sshd of this machine.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { isAlive, settled, shown, sshWorld, startSshd } from '../lib/ssh.mjs'
import { bash, call, said, tool } from './moves.mjs'

async function real(t, options) {
  const w = await sshWorld(t)
  const sshd = await startSshd(t, w, options)
  return { w, sshd }
}

async function connected({ w, sshd }, path = sshd.at('home')) {
  const pi = w.start(['--ssh', `${sshd.host}:${path}`])
  await settled(pi)
  return pi
}

const placeOf = (pi) => readdirSync('/tmp').find((name) => name.startsWith(`pi-cm-${pi.child.pid}-`))

test('read, write, edit and bash act on the other side, over an own master that ends with pi', async (t) => {
  const made = await real(t)
  const pi = await connected(made)
  assert.equal(shown(pi), `⚡ own master ${made.sshd.host}:${made.sshd.at('home')}`)
  const place = `/tmp/${placeOf(pi)}`
  const socket = statSync(`${place}/master`)
  assert.deepEqual([statSync(place).mode & 0o777, socket.mode & 0o777, socket.isSocket()], [0o700, 0o600, true])
  const text = Array.from({ length: 0x180 }, (_, i) => String.fromCodePoint(i)).join('').repeat(1000)
  await tool(pi, 'write', { path: 'deep/a.txt', content: text })
  assert.equal(readFileSync(made.sshd.at('home/deep/a.txt'), 'utf8'), text)
  await tool(pi, 'write', { path: 'b.txt', content: 'one two' })
  await tool(pi, 'edit', { path: '~/b.txt', edits: [{ oldText: 'two', newText: 'three' }] })
  assert.equal((await tool(pi, 'read', { path: 'b.txt' })).text, 'one three')
  assert.deepEqual(await bash(pi, 'pwd; echo "$SSH_CONNECTION" | wc -w; exit 255'),
    { isError: true, text: `${made.sshd.at('home')}\n4\n\n\nCommand exited with code 255` })
  assert.deepEqual(readdirSync(made.w.sandbox.project), [])
  await pi.stop()
  assert.equal(existsSync(place), false)
  assert.ok(made.sshd.calls().at(-1).includes('exit'))
})

test('one connection carries everything, also of a batch and behind a reload', async (t) => {
  const made = await real(t)
  const pi = await connected(made)
  const command = 'echo $PPID >>parents; echo "$SSH_CONNECTION" >>connections'
  await pi.prompt(`~tools ${JSON.stringify(Array.from({ length: 20 }, () => ['bash', { command }]))}`)
  await pi.command('/again')
  await bash(pi, command)
  const lines = readFileSync(made.sshd.at('home/connections'), 'utf8').trim().split('\n')
  assert.deepEqual([lines.length, new Set(lines).size], [21, 1])
})

// Runs `look` with a config that has masters, and ends the master that `look` leaves.
async function withMasters(t, config, look) {
  const made = await real(t, { config })
  const { sshd } = made
  try {
    await look(made)
  } finally {
    const { status, stderr } = spawnSync(sshd.at('ssh'), ['-o', 'ControlMaster=no', '-O', 'exit', sshd.host])
    assert.equal(status === 0 || /No such file/.test(stderr), true, `${stderr}`)
  }
}

test('a master of the system by ControlMaster in the config is used and left alive', (t) =>
  withMasters(t, '  ControlMaster auto\n  ControlPath PLACE/cm\n  ControlPersist 600\n', async (made) => {
    for (const text of ['first', 'again']) {
      const pi = await connected(made)
      assert.match(shown(pi), /^⚡ system master/)
      assert.equal((await bash(pi, `echo ${text}`)).text, `${text}\n`)
      assert.equal(placeOf(pi), undefined)
      await pi.stop()
      assert.equal(spawnSync(made.sshd.at('ssh'), ['-O', 'check', made.sshd.host]).status, 0)
    }
  }))

for (const [name, persist, kind] of [['with', 'yes', 'system'], ['without', 'no', 'own']]) {
  test(`ControlMaster yes ${name} ControlPersist, and no master runs: ${kind} master`, (t) =>
    withMasters(t, `  ControlMaster yes\n  ControlPath PLACE/cm\n  ControlPersist ${persist}\n`, async (made) => {
      const pi = await connected(made)
      assert.match(shown(pi), new RegExp(`^⚡ ${kind} master`))
      assert.equal((await bash(pi, 'echo over')).text, 'over\n')
    }))
}

test('an unknown key of a host fails with the words of ssh, and nothing hangs', async (t) => {
  const made = await real(t)
  writeFileSync(made.sshd.at('known_hosts'), '')
  writeFileSync(made.sshd.at('config'), readFileSync(made.sshd.at('config'), 'utf8')
    .replace('StrictHostKeyChecking yes', 'StrictHostKeyChecking ask'))
  const pi = await connected(made)
  assert.match(said(pi), /Host key verification failed/)
  assert.match((await bash(pi, 'true')).text, /Host key verification failed/)
})

test('a config for people at a terminal does not get in the way', async (t) => {
  const config = '  RemoteCommand tmux\n  RequestTTY force\n  LocalForward 127.0.0.1:1 127.0.0.1:2\n' +
    '  ExitOnForwardFailure yes\n  PermitLocalCommand yes\n  LocalCommand echo local\n'
  const pi = await connected(await real(t, { config }))
  assert.deepEqual(await bash(pi, 'echo out; tty'),
    { isError: true, text: 'out\nnot a tty\n\n\nCommand exited with code 1' })
})

for (const shell of ['fish', 'tcsh']) {
  test(`${shell} as the login shell`, async (t) => {
    const made = await real(t, { shell })
    const pi = await connected(made)
    assert.deepEqual(await bash(pi, "echo 'a!b' \"$((1 + 1))\" !x \\\\\nprintf '%s\\n' 'it'\\''s'"),
      { isError: false, text: "a!b 2 !x \\\nit's\n" })
    await tool(pi, 'write', { path: "it's !x\n", content: 'a\0b!' })
    assert.equal(readFileSync(made.sshd.at("home/it's !x\n"), 'utf8'), 'a\0b!')
  })
}

const LONG = 'echo $$ >pid; (sleep 1000; true) & echo $! >child; wait'

async function busy(made, pi) {
  await pi.send('prompt', { message: call(`echo first; ${LONG}`) })
  const child = made.sshd.at('home/child')
  await made.w.until(() => existsSync(child) && readFileSync(child, 'utf8').endsWith('\n'), 'the command')
  const pids = ['pid', 'child'].map((name) => Number(readFileSync(made.sshd.at(`home/${name}`), 'utf8')))
  return { gone: () => made.w.until(() => !pids.some(isAlive), 'the end of the command'), pids }
}

test('an abort ends the command and its children', async (t) => {
  const made = await real(t)
  const pi = await connected(made)
  const { gone } = await busy(made, pi)
  await pi.send('abort')
  await pi.wait(({ type }) => type === 'agent_settled', 'the end of the turn')
  await gone()
  assert.match(JSON.stringify(await pi.messages()), /first\\n\\n\\nCommand aborted/)
})

test('a pi that is killed leaves neither the command nor the master', async (t) => {
  const made = await real(t)
  const pi = await connected(made)
  const { gone } = await busy(made, pi)
  const socket = `/tmp/${placeOf(pi)}/master`
  await pi.kill()
  await gone()
  await made.w.until(() => !existsSync(socket), 'the end of the master')
})

test('a connection that is lost in the middle of a command is said, and the next call connects again', async (t) => {
  const made = await real(t)
  const pi = await connected(made)
  const { gone } = await busy(made, pi)
  const children = readFileSync(`/proc/${made.sshd.pid}/task/${made.sshd.pid}/children`, 'utf8').trim().split(' ')
  children.forEach((pid) => process.kill(Number(pid), 'SIGKILL')) // the connection, on the side of the server
  await pi.wait(({ type }) => type === 'agent_settled', 'the end of the turn')
  const { content } = (await pi.messages()).findLast(({ role }) => role === 'toolResult')
  assert.match(content[0].text, /the connection was lost, and nobody knows whether the command ended\. The next call/)
  await gone()
  assert.equal((await bash(pi, 'echo back')).text, 'back\n')
})

test('a process in the background lives on, and nobody waits for it', async (t) => {
  const made = await real(t)
  const pi = await connected(made)
  assert.equal((await bash(pi, 'sleep 1000 & echo $! >pid; echo done')).text, 'done\n')
  const pid = Number(readFileSync(made.sshd.at('home/pid'), 'utf8'))
  await bash(pi, 'true')
  assert.ok(isAlive(pid))
  process.kill(pid)
})
