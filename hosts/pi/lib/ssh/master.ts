// The connection to the other machine: a master of ssh, over which each script has a channel.
//
// ssh's own config decides whose master. Where the config has masters that outlive a command (ControlMaster,
// ControlPath, ControlPersist), or such a master runs, that master is the system's: it is used, and left alone.
// Otherwise an own master starts, with its socket in a directory that nobody else can enter, and ends with pi.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { chmod, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { unlessAborted } from '../race.ts'
import { BOOT, Framed, type Link, lineOf, Lost, said, spawnSsh } from './run.ts'
import { quoted, type Target } from './target.ts'

const CONNECT_S = 20
const ALIVE_S = 15
const EXIT_MS = 3000
const ENDED = 'pi ended before the connection'
const PASSWORDS_MAX = 3
// ssh appends 17 letters to the path of a socket while the socket is made, and a path has 104 bytes on macOS.
const PLACE = '/tmp/pi-cm-'

export interface Connection extends Link {
  readonly kind: 'own' | 'system' | 'none' // whose master; none: each script connects by itself
  lost: string | undefined // why an own master ended
  end(): Promise<void> // of an own master
}

// Asks a person; undefined: the person gave none.
export type AskPassword = (problem: string | undefined) => Promise<string | undefined>

type Config = Record<string, string | undefined>

// An ssh that only asks the config or a master. A command of the config, or a master that does not answer, may hang.
async function finished(args: readonly string[], limitMs: number, signal?: AbortSignal) {
  const child = spawnSsh(args)
  child.stdin.on('error', () => {})
  child.stdin.end()
  const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
    .catch((error: Error) => { throw new Lost(`ssh does not start: ${error.message}`) })
  const over = AbortSignal.any([AbortSignal.timeout(limitMs), ...signal ? [signal] : []])
  try {
    const [[status], stdout, stderr] = await unlessAborted(over, ended,
      () => { throw new Lost(signal?.aborted ? ENDED : `ssh did not end within ${limitMs / 1000} s`) })
    return { status: status as number | null, stdout, stderr }
  } finally {
    child.kill('SIGKILL')
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

// The host goes without `user@`, and the user as an option, so that the rules of the config about users count.
export const configArguments = ({ user, name }: Target) => ['-G', ...user ? ['-l', user] : [], '--', name]

async function configOf(target: Target, signal: AbortSignal | undefined): Promise<Config> {
  const { status, stdout, stderr } = await finished(configArguments(target), CONNECT_S * 1000, signal)
  if (status !== 0) {
    throw new Lost(said(stderr) || `ssh -G ended with ${status}`)
  }
  return Object.fromEntries(stdout.split('\n').map((line) => /^(\S+) (.*)$/.exec(line)?.slice(1) ?? ['', '']))
}

// Settings that a command without a terminal needs. Older versions of ssh refuse options that they do not know, so an
// option is only given where the config says something else.
const FITTING = { remotecommand: 'none', sessiontype: 'default', stdinnull: 'no', forkafterauthentication: 'no' }

function optionsOf(config: Config): string[] {
  const changed = Object.entries(FITTING).filter(([key, value]) => (config[key] ?? value) !== value)
  const timeout = isNone(config.connecttimeout) ? ['-o', `ConnectTimeout=${CONNECT_S}`] : []
  return ['-T', ...timeout, ...changed.flatMap(([key, value]) => ['-o', `${key}=${value}`])]
}

// With `ControlMaster yes` in the config ssh would connect, instead of asking the master.
const control = (command: string) => ['-o', 'BatchMode=yes', '-o', 'ControlMaster=no', '-O', command]

const isOn = (value = 'no') => value !== 'no' && value !== 'false'
const isNone = (value = 'none') => value === 'none' || value === '0'

function connection(kind: Connection['kind'], options: string[], target: Target): Connection {
  const args = [...options, '-o', 'BatchMode=yes', '--', target.host]
  return { kind, args, running: 0, waiting: [], lost: undefined, end: async () => {} }
}

// Connects, or throws `Lost` with the words of ssh. `ask` is there with --ssh-ask-pass.
export async function connect(target: Target, ask: AskPassword | undefined, signal?: AbortSignal,
  platform: string = process.platform): Promise<Connection> {
  if (platform === 'win32') { // ssh has no masters there
    return connection('none', ['-T', '-o', `ConnectTimeout=${CONNECT_S}`], target)
  }
  const config = await configOf(target, signal)
  const options = optionsOf(config)
  if (isOn(config.controlmaster) && !isNone(config.controlpath)) {
    const persists = isOn(config.controlpersist)
    const question = [...control('check'), '--', target.host]
    if (persists || (await finished(question, CONNECT_S * 1000, signal)).status === 0) {
      // A master without ControlPersist would wait for the scripts of others, and end them with its own.
      return connection('system', [...options, '-o', `ControlMaster=${persists ? 'auto' : 'no'}`], target)
    }
  }
  return own(target, config, ask, signal)
}

function masterArguments(config: Config, socket: string, asks: boolean, target: Target): string[] {
  const options = ['ControlMaster=yes', `ControlPath=${socket}`, 'ControlPersist=no', 'ClearAllForwardings=yes',
    `BatchMode=${asks ? 'no' : 'yes'}`]
  if (asks) {
    options.push('NumberOfPasswordPrompts=1')
    if (config.stricthostkeychecking === 'ask') {
      options.push('StrictHostKeyChecking=yes') // the helper answers no other question
    }
  }
  if (isNone(config.serveraliveinterval)) {
    options.push(`ServerAliveInterval=${ALIVE_S}`)
  }
  return [...optionsOf(config), ...options.flatMap((option) => ['-o', option]), '--', target.host, BOOT]
}

// mkdtemp makes the directory with the mode 0700 and under a name that was not there: nobody else can have put a socket
// into it.
async function own(target: Target, config: Config, ask: AskPassword | undefined, signal: AbortSignal | undefined) {
  const directory = await mkdtemp(`${PLACE}${process.pid}-`)
  try {
    const socket = `${directory}/master`
    const args = masterArguments(config, socket, ask !== undefined, target)
    const made = connection('own', [...optionsOf(config), '-o', 'ControlMaster=no', '-o', `ControlPath=${socket}`],
      target)
    const begin = (environment?: NodeJS.ProcessEnv) => start(args, made, signal, environment)
    const endMaster = ask ? await withPassword(directory, helperOf(config), ask, begin) : await begin()
    made.end = async () => {
      await endMaster([...control('exit'), '-o', `ControlPath=${socket}`, '--', target.host])
      await rm(directory, { recursive: true, force: true })
    }
    return made
  } catch (error) {
    await rm(directory, { recursive: true, force: true })
    throw error
  }
}

// The master runs one script, which waits for the end of stdin: a pi that was killed ends its master. Gives the end of
// the master, by an ssh with such arguments.
function start(args: string[], made: Connection, signal?: AbortSignal, environment?: NodeJS.ProcessEnv) {
  if (signal?.aborted) {
    throw new Lost(ENDED)
  }
  const child = spawnSsh(args, environment)
  signal?.addEventListener('abort', () => child.kill(), { once: true })
  const nonce = randomBytes(16).toString('hex')
  const [out, err] = [new Framed(nonce), new Framed(nonce)]
  let words = ''
  const exit = new Promise<void>((ended) => child.on('exit', () => ended()))
  child.stdin.on('error', () => {})
  child.stdin.write(lineOf('read -r end', nonce))
  child.stderr.on('data', (piece: Buffer) => { words = (words + err.take(piece)).slice(-2000) })
  const end = async (exitArguments: string[]) => {
    child.ref()
    await finished(exitArguments, EXIT_MS).catch(() => {})
    child.stdin.destroy()
    const timer = setTimeout(() => child.kill('SIGKILL'), EXIT_MS)
    await exit
    clearTimeout(timer)
  }
  return new Promise<typeof end>((resolve, reject) => {
    child.stdout.on('data', (piece: Buffer) => {
      out.take(piece)
      if (out.isBegun) {
        // A pi that is done, as in print mode, need not wait for its master.
        for (const one of [child, child.stdin, child.stdout, child.stderr]) {
          (one as { unref?(): void }).unref?.()
        }
        resolve(end)
      }
    })
    child.on('error', (error) => reject(new Lost(`ssh does not start: ${error.message}`)))
    child.on('close', () => {
      if (out.isBegun) {
        made.lost = said(words) || 'the master of ssh ended'
      }
      reject(new Lost(said(err.greeting) || 'ssh ended without a word'))
    })
  })
}

// ssh starts the helper for each of its questions. Only a question for a password gets the password, and only once. The
// ssh that connects to a jump host has the same helper: then a question must begin with the name of the other machine.
function helperOf({ proxyjump, proxycommand, user, hostname, hostkeyalias }: Config): string {
  const name = `${user}@${hostkeyalias ?? hostname}`
  const only = isNone(proxyjump) && isNone(proxycommand) ? '*' : `${quoted(`${name}'s `)}* | ${quoted(`(${name}) `)}*`
  return `#!/bin/sh
case $1 in
*assphrase* | *yes/no*) exit 1 ;;
${only}) exec cat "\${0%/*}/answer" ;;
esac
exit 1
`
}

// Asks a person, and connects with the password. The password goes through a pipe with a name: it is in no file, no
// argument and no environment.
async function withPassword<T>(directory: string, script: string, ask: AskPassword,
  connectNow: (environment: NodeJS.ProcessEnv) => Promise<T>): Promise<T> {
  const helper = `${directory}/askpass`
  const pipe = `${directory}/answer`
  let problem: string | undefined
  for (let tries = 1; ; tries++) {
    const password = await ask(problem)
    if (password === undefined) {
      throw new Lost('no password was given')
    }
    await writeFile(helper, script, { mode: 0o700 })
    await chmod(helper, 0o700)
    await promisify(execFile)('mkfifo', ['-m', '600', pipe])
    const given = give(pipe, password).catch(() => {}) // ssh then hears no password, and says so
    try {
      return await connectNow({ ...process.env, SSH_ASKPASS: helper, SSH_ASKPASS_REQUIRE: 'force',
        DISPLAY: process.env.DISPLAY || 'none:0' })
    } catch (error) {
      problem = (error as Error).message
      if (!/permission denied/i.test(problem) || tries === PASSWORDS_MAX) {
        throw error
      }
    } finally {
      await taken(pipe, given)
      await rm(helper, { force: true })
      await rm(pipe, { force: true })
    }
  }
}

// The open waits for the helper. Without the pipe the helper gets no second password.
async function give(pipe: string, password: string): Promise<void> {
  let writer
  try {
    writer = await open(pipe, constants.O_WRONLY)
    await writer.write(`${password}\n`)
  } finally {
    await rm(pipe, { force: true })
    await writer?.close()
  }
}

// Nobody may have asked for the password: the write then waits for a reader.
async function taken(pipe: string, given: Promise<void>): Promise<void> {
  const reader = await open(pipe, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined)
  await given
  await reader?.close()
}
