// Runs scripts of a POSIX shell on the other machine.
//
// The login shell there may be fish or csh, and may print a greeting. So the command that ssh passes on is always the
// same, without a character that any shell changes inside of single quotes: it reads one line from stdin and evaluates
// the line. The line is the script, with each byte that is not plain escaped for `printf %b`. Behind the line stdin has
// the input of the script.
//
//     stdout, stderr    greeting \1 NONCE \n  data of the script  \1 NONCE STATUS \n
//
// A random number, new for each script, marks begin and end on both streams. A stream without an end tells that the
// connection was lost, which the exit status of ssh alone does not tell: a command may exit with 255 too.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { quoted } from './target.ts'

export const BOOT = `sh -c 'IFS= read -r x && eval "$(printf %b "$x")"'`

const SESSIONS_MAX = 8 // sshd allows 10 at a time on one connection, and the master has one
const GREETING_BYTES_MAX = 64 * 1024
const END_MS = 2000 // for the other side to end a script that is no longer wanted
const TIMER_MS_MAX = 2 ** 31 - 1

// A connection, as arguments of ssh up to the host. Scripts of one link wait for one another.
export interface Link {
  readonly args: readonly string[]
  running: number
  readonly waiting: (() => void)[]
}

export interface Script {
  text: string
  input?: Uint8Array // all of stdin; without an input stdin stays open until the script ends
  onData?: (data: Buffer) => void // both streams, as they come; else `run` collects them
  bytesMax?: number // of what is collected
  signal?: AbortSignal
  timeout?: number // seconds
}

export interface Outcome {
  status: number
  stdout: Buffer
  stderr: string
}

// The connection failed, or ended in the middle of a script.
export class Lost extends Error {}

function escaped(text: string): string {
  let line = ''
  for (const byte of Buffer.from(text)) {
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x5c
    line += isPlain ? String.fromCharCode(byte) : `\\0${byte.toString(8).padStart(3, '0')}`
  }
  return line
}

// Between the marks: the rest of the script's own variables stays out of the way in a subshell.
export const lineOf = (text: string, nonce: string) => escaped([
  `printf '\\1%s\\n' ${nonce}; printf '\\1%s\\n' ${nonce} >&2`,
  `(${text}\n)`,
  `status=$?; printf '\\1%s %s\\n' ${nonce} $status; printf '\\1%s %s\\n' ${nonce} $status >&2`,
].join('\n')) + '\n'

// Takes the marks out of a stream.
export class Framed {
  greeting = '' // and what ssh itself says before the script begins
  status: number | undefined // at the end
  isBegun = false
  #held = Buffer.alloc(0)
  readonly #begin: Buffer
  readonly #end: Buffer

  constructor(nonce: string) {
    this.#begin = Buffer.from(`\x01${nonce}\n`)
    this.#end = Buffer.from(`\x01${nonce} `)
  }

  // The data of the script in a piece of the stream.
  take(piece: Buffer): Buffer {
    this.#held = Buffer.concat([this.#held, piece])
    if (!this.isBegun) {
      const at = this.#held.indexOf(this.#begin)
      this.greeting = this.#held.subarray(0, at < 0 ? undefined : at).toString()
      if (at < 0) {
        this.#held = this.#held.subarray(-GREETING_BYTES_MAX)
        return Buffer.alloc(0)
      }
      this.isBegun = true
      this.#held = this.#held.subarray(at + this.#begin.length)
    }
    return this.status === undefined ? this.#data() : Buffer.alloc(0)
  }

  #data(): Buffer {
    const at = this.#held.indexOf(this.#end)
    const count = at < 0 ? this.#held.length - this.#ending() : at
    const data = this.#held.subarray(0, count)
    this.#held = this.#held.subarray(count)
    const line = /^\x01\S+ (\d+)\n/.exec(at < 0 ? '' : this.#held.toString('latin1'))
    if (line) {
      this.status = Number(line[1])
    }
    return data
  }

  // The number of bytes at the end that may be the beginning of the mark.
  #ending(): number {
    for (let count = Math.min(this.#held.length, this.#end.length - 1); count > 0; count--) {
      if (this.#held.subarray(-count).equals(this.#end.subarray(0, count))) {
        return count
      }
    }
    return 0
  }
}

// A process of ssh that runs one line. `detached`: ssh has no terminal on which to ask.
export function spawnSsh(args: readonly string[], environment: NodeJS.ProcessEnv = process.env) {
  return spawn('ssh', args, { stdio: 'pipe', detached: true, windowsHide: true, env: environment })
}

// The last lines that ssh said, for a person. A server may send anything.
export function said(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/\p{C}/gu, '').trim()).filter(Boolean)
  return lines.slice(-4).join('; ')
}

async function turnOf(link: Link): Promise<void> {
  if (link.running < SESSIONS_MAX) {
    link.running++
  } else {
    await new Promise<void>((next) => link.waiting.push(next))
  }
}

// The next script takes over the place of a script that ended.
function leave(link: Link): void {
  const next = link.waiting.shift()
  if (next) {
    next()
  } else {
    link.running--
  }
}

// Rejects with `Lost`, with 'aborted' or with 'timeout:SECONDS', as the tools of pi expect.
export async function run(link: Link, script: Script): Promise<Outcome> {
  const { timeout } = script
  if (timeout !== undefined && !(timeout > 0 && timeout * 1000 <= TIMER_MS_MAX)) {
    throw new Error(`Invalid timeout: expected a number of seconds up to ${TIMER_MS_MAX / 1000}`)
  }
  await turnOf(link)
  try {
    if (script.signal?.aborted) {
      throw new Error('aborted')
    }
    return await new Run(spawnSsh([...link.args, BOOT]), script).outcome
  } finally {
    leave(link)
  }
}

class Run {
  readonly outcome: Promise<Outcome>
  readonly #child: ChildProcessWithoutNullStreams
  readonly #script: Script
  readonly #out: Framed
  readonly #err: Framed
  readonly #stdout: Buffer[] = []
  readonly #stderr: Buffer[] = []
  #bytes = 0
  #timers: NodeJS.Timeout[] = []
  #why: Error | undefined // the script is no longer wanted
  #settle!: (settled: Outcome | Error) => void

  constructor(child: ChildProcessWithoutNullStreams, script: Script) {
    const nonce = randomBytes(16).toString('hex')
    this.#child = child
    this.#script = script
    this.#out = new Framed(nonce)
    this.#err = new Framed(nonce)
    this.outcome = new Promise((resolve, reject) => {
      this.#settle = (settled) => {
        this.#clear()
        settled instanceof Error ? reject(settled) : resolve(settled)
      }
    })
    this.#listen()
    child.stdin.write(lineOf(script.text, nonce))
    if (script.input) {
      child.stdin.end(script.input)
    }
  }

  #listen(): void {
    const { signal, timeout } = this.#script
    const child = this.#child
    child.stdin.on('error', () => {}) // ssh ended: its exit tells why
    child.stdout.on('data', (piece) => this.#take(this.#out, this.#stdout, piece))
    child.stderr.on('data', (piece) => this.#take(this.#err, this.#stderr, piece))
    child.on('error', (error) => this.#fail(new Lost(`ssh does not start: ${error.message}`)))
    child.on('close', () => this.#fail())
    // A master of the system may hold the streams of the ssh that started the master.
    child.on('exit', () => this.#later(() => this.#fail(), END_MS))
    signal?.addEventListener('abort', this.#abort, { once: true })
    if (timeout !== undefined) {
      this.#later(() => this.#stop(new Error(`timeout:${timeout}`)), timeout * 1000)
    }
  }

  readonly #abort = () => this.#stop(new Error('aborted'))

  #later(callback: () => void, milliseconds: number): void {
    this.#timers.push(setTimeout(callback, milliseconds))
  }

  #take(stream: Framed, collected: Buffer[], piece: Buffer): void {
    const data = stream.take(piece)
    if (data.length > 0 && this.#script.onData) {
      this.#script.onData(data)
    } else if (data.length > 0) {
      collected.push(data)
      this.#bytes += data.length
    }
    if (this.#bytes > (this.#script.bytesMax ?? Infinity)) {
      this.#stop(new Error(`more than ${this.#script.bytesMax} bytes: use bash to read a part`))
    } else if (this.#out.status !== undefined && this.#err.status !== undefined) {
      this.#end(this.#out.status)
    }
  }

  // The end of stdin tells the other side to end the script.
  #stop(why: Error): void {
    this.#why ??= why
    this.#child.stdin.end()
    this.#later(() => this.#child.kill('SIGKILL'), END_MS)
  }

  // Processes that the script left behind may hold the streams: nobody waits for these.
  #end(status: number): void {
    const stderr = Buffer.concat(this.#stderr).toString()
    this.#settle(this.#why ?? { status, stdout: Buffer.concat(this.#stdout), stderr })
    this.#child.kill()
  }

  #fail(problem?: Error): void {
    const what = this.#out.isBegun ? 'the connection was lost, and nobody knows whether the command ended'
      : said(this.#err.greeting) || 'ssh ended without a word'
    this.#settle(this.#why ?? problem ?? new Lost(what))
  }

  #clear(): void {
    this.#timers.forEach(clearTimeout)
    this.#script.signal?.removeEventListener('abort', this.#abort)
    this.#child.stdout.destroy()
    this.#child.stderr.destroy()
    this.#child.stdin.destroy()
  }
}

// A command of a person or a model, in a directory. The command runs in a process group of its own; the end of stdin,
// which an abort, a lost connection and the end of pi bring, kills the group.
export const commandScript = (command: string, directory: string) => `
exec 3<&0 4>&2 </dev/null 2>/dev/null
if ! cd ${quoted(directory)}; then
  printf 'Working directory does not exist: %s\\n' ${quoted(directory)} >&4; exit 1
fi
shell=$(command -v bash) || shell=sh
if command -v setsid >/dev/null; then
  setsid "$shell" -c ${quoted(command)} 2>&4 3<&- 4>&- &
else
  set -m; "$shell" -c ${quoted(command)} 2>&4 3<&- 4>&- &
fi
pid=$!
(read -r end; kill -s KILL -- "-$pid"; kill -s KILL "$pid") <&3 >/dev/null 3<&- 4>&- &
watch=$!
wait "$pid"; status=$?
kill "$watch"
exit "$status"`
