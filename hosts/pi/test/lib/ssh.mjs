// Other machines for the tests of --ssh: a fake ssh, whose other machine is this one with other files, and a real sshd.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { world } from './pi.mjs'
import { poll } from './wait.mjs'

const FAKE = fileURLToPath(new URL('./fake-ssh.sh', import.meta.url))
export const HOST = 'me@there.example'
export const CONFIG = 'controlmaster false\ncontrolpersist no\nstricthostkeychecking ask\nserveraliveinterval 0\n' +
  'connecttimeout none\n'
export const SYSTEM = CONFIG.replace('controlmaster false', 'controlmaster auto')
  .replace('controlpersist no', 'controlpersist 600') + 'controlpath /nowhere/cm-%r\n'

// A program called ssh, in front of the PATH of the world's pis.
export function putFirst(w, program) {
  const bin = join(w.sandbox.root, 'bin')
  mkdirSync(bin)
  symlinkSync(program, join(bin, 'ssh'))
  w.sandbox.environment.PATH = `${bin}:${process.env.PATH}`
}

// The calls of ssh in a log, as lists of arguments.
const callsIn = (log) => (existsSync(log) ? readFileSync(log, 'utf8') : '').split('\x1f\n').filter(Boolean)
  .map((line) => line.split('\x1f'))

// A world whose pis, which end by a kill, leave no directory of a master behind.
export async function sshWorld(t, options) {
  let w
  t.after(() => {
    const words = ['there', 'sshd'].flatMap((name) => callsIn(join(w.sandbox.root, name, 'log'))).flat()
    const places = words.map((word) => /^ControlPath=(\/tmp\/pi-cm-.*)\/master$/.exec(word)?.[1]).filter(Boolean)
    new Set(places).forEach((place) => rmSync(place, { recursive: true, force: true }))
  })
  w = await world(t, { extensions: ['ssh'], helpers: ['commands'], ...options })
  return w
}

// A world with a fake ssh. `files` are the files of its directory.
export async function fakeWorld(t, { files = {}, ...options } = {}) {
  const w = await sshWorld(t, options)
  const there = join(w.sandbox.root, 'there')
  for (const name of ['home', 'project']) {
    mkdirSync(join(there, name), { recursive: true })
  }
  for (const [name, text] of Object.entries({ config: CONFIG, ...files })) {
    writeFileSync(join(there, name), text)
  }
  putFirst(w, FAKE)
  w.sandbox.environment.FAKE_SSH = there
  const at = (...names) => join(there, ...names)
  return Object.assign(w, {
    there: at,
    put: (name, text) => writeFileSync(at(name), text),
    got: (name) => (existsSync(at(name)) ? readFileSync(at(name)) : Buffer.alloc(0)).toString(),
    here: (name) => join(w.sandbox.project, name),
    calls: () => callsIn(at('log')),
    ssh: (args = [], environment = {}) => w.start(['--ssh', HOST, ...args], environment),
  })
}

export const shown = (pi) => pi.status('xylem-ssh')

// Waits until the status says that pi is connected, or is not.
export const settled = (pi, from = 0) => pi.wait(({ method, statusKey, statusText }) =>
  method === 'setStatus' && statusKey === 'xylem-ssh' && /master|not connected/.test(statusText ?? ''),
'the end of connecting', from)

// A pi that is connected, or is not.
export async function connected(w, args, environment) {
  const pi = w.ssh(args, environment)
  await settled(pi)
  return pi
}

export function isAlive(pid) {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

// A real sshd on this machine, for this user and with keys of the test, and an ssh that knows the sshd as `real`.
// `shell` is the login shell; `config` are more lines of the config of ssh.
export async function startSshd(t, w, { shell = 'sh', config = '' } = {}) {
  const place = join(w.sandbox.root, 'sshd')
  mkdirSync(join(place, 'home'), { recursive: true, mode: 0o700 })
  const at = (name) => join(place, name)
  for (const name of ['host', 'client']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(name)])
  }
  const user = userInfo().username
  const port = await freePort()
  const start = `export HOME='${at('home')}'\ncd\nexec ${shell} -c "$SSH_ORIGINAL_COMMAND"`
  writeFileSync(at('run'), `#!/bin/sh\n${start}\n`, { mode: 0o755 })
  writeFileSync(at('sshd_config'), [`Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${at('host')}`, 'PidFile none',
    `AuthorizedKeysFile ${at('client.pub')}`, 'StrictModes no', 'UsePAM no', 'PasswordAuthentication no',
    'KbdInteractiveAuthentication no', 'PermitRootLogin yes', `ForceCommand ${at('run')}`, ''].join('\n'))
  writeFileSync(at('known_hosts'), `[127.0.0.1]:${port} ${readFileSync(at('host.pub'), 'utf8')}`)
  writeFileSync(at('config'), `Host real\n  HostName 127.0.0.1\n  Port ${port}\n  IdentityFile ${at('client')}\n` +
    `  IdentitiesOnly yes\n  UserKnownHostsFile ${at('known_hosts')}\n  GlobalKnownHostsFile /dev/null\n` +
    `  StrictHostKeyChecking yes\n${config.replaceAll('PLACE', place)}`)
  writeFileSync(at('ssh'), `#!/bin/sh\nprintf '%s\\037' "$@" >>${at('log')}; echo >>${at('log')}\n` +
    `exec ${programOf('ssh')} -F ${at('config')} "$@"\n`, { mode: 0o755 })
  putFirst(w, at('ssh'))
  if (userInfo().uid === 0) {
    mkdirSync('/run/sshd', { recursive: true, mode: 0o755 }) // sshd wants the directory, which the system's sshd makes
  }
  const sshd = spawn(programOf('sshd'), ['-D', '-e', '-f', at('sshd_config')], { stdio: ['ignore', 'ignore', 'pipe'] })
  let words = ''
  sshd.stderr.on('data', (piece) => { words += piece })
  sshd.stderr.unref() // a connection that a test leaves holds the stream
  t.after(() => sshd.kill())
  await poll(() => words.includes('Server listening'), 'sshd', { tell: () => words })
  return {
    host: `${user}@real`,
    pid: sshd.pid,
    at,
    calls: () => callsIn(at('log')),
  }
}

// sshd insists on an absolute path, and lies outside of the PATH of most users.
const programOf = (name) => execFileSync('sh', ['-c', `PATH=$PATH:/usr/sbin:/sbin; command -v ${name}`],
  { encoding: 'utf8' }).trim()

const freePort = () => new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address()
    server.close(() => resolve(port))
  })
})
