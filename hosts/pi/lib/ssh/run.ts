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

// latin1: a character for each byte.
const escaped = (text: string) => Buffer.from(text).toString('latin1')
  .replace(/[^ -~]|\\/g, (byte) => `\\0${byte.charCodeAt(0).toString(8).padStart(3, '0')}`)

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
    const mark = this.#held.indexOf(this.#end)
    // The mark may come in pieces. A nonce has no \1: a mark begins with the last one.
    const last = this.#held.subarray(this.#held.lastIndexOf(1))
    const isBegin = this.#end.subarray(0, last.length).equals(last)
    const count = mark >= 0 ? mark : this.#held.length - (isBegin ? last.length : 0)
    const data = this.#held.subarray(0, count)
    this.#held = this.#held.subarray(count)
    const line = /^\x01\S+ (\d+)\n/.exec(mark < 0 ? '' : this.#held.toString('latin1'))
    if (line) {
      this.status = Number(line[1])
    }
    return data
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

// Rejects with `Lost`, with 'aborted' or with 'timeout:SECONDS', as the tools of pi expect.
export async function run(link: Link, script: Script): Promise<Outcome> {
  const { timeout } = script
  if (timeout !== undefined && !(timeout > 0 && timeout * 1000 <= TIMER_MS_MAX)) {
    throw new Error(`Invalid timeout: expected a number of seconds up to ${TIMER_MS_MAX / 1000}`)
  }
  while (link.running === SESSIONS_MAX) {
    await new Promise<void>((next) => link.waiting.push(next))
  }
  link.running++
  try {
    if (script.signal?.aborted) {
      throw new Error('aborted')
    }
    return await outcomeOf(spawnSsh([...link.args, BOOT]), script)
  } finally {
    link.running--
    link.waiting.shift()?.()
  }
}

function outcomeOf(child: ChildProcessWithoutNullStreams, script: Script): Promise<Outcome> {
  const { text, input, onData, bytesMax = Infinity, signal, timeout } = script
  const nonce = randomBytes(16).toString('hex')
  const [out, err] = [new Framed(nonce), new Framed(nonce)]
  const [stdout, stderr]: Buffer[][] = [[], []]
  let bytes = 0
  const timers: NodeJS.Timeout[] = []
  let why: Error | undefined // the script is no longer wanted
  let isOver = false

  function later(callback: () => void, milliseconds: number): void {
    timers.push(setTimeout(callback, milliseconds))
  }

  // The end of stdin tells the other side to end the script.
  function stop(reason: Error): void {
    why ??= reason
    child.stdin.end()
    later(() => child.kill('SIGKILL'), END_MS)
  }

  const abort = () => stop(new Error('aborted'))

  return new Promise<Outcome>((resolve, reject) => {
    function take(stream: Framed, collected: Buffer[], piece: Buffer): void {
      const data = stream.take(piece)
      if (data.length > 0 && onData) {
        onData(data)
      } else if (data.length > 0) {
        collected.push(data)
        bytes += data.length
      }
      if (bytes > bytesMax) {
        stop(new Error(`more than ${bytesMax} bytes: use bash to read a part`))
      } else if (out.status !== undefined && err.status !== undefined) {
        // Processes that the script left behind may hold the streams: nobody waits for these.
        const outcome = { status: out.status, stdout: Buffer.concat(stdout), stderr: String(Buffer.concat(stderr)) }
        why ? reject(why) : resolve(outcome)
        child.kill()
      }
    }

    function fail(problem?: Error): void {
      const what = out.isBegun ? 'the connection was lost, and nobody knows whether the command ended'
        : said(err.greeting) || 'ssh ended without a word'
      reject(why ?? problem ?? new Lost(what))
    }

    child.stdin.on('error', () => {}) // ssh ended: its exit tells why
    child.stdout.on('data', (piece) => take(out, stdout, piece))
    child.stderr.on('data', (piece) => take(err, stderr, piece))
    child.on('error', (error) => fail(new Lost(`ssh does not start: ${error.message}`)))
    child.on('close', () => fail())
    // A master of the system may hold the streams of the ssh that started the master.
    child.on('exit', () => isOver || later(() => fail(), END_MS))
    signal?.addEventListener('abort', abort, { once: true })
    if (timeout !== undefined) {
      later(() => stop(new Error(`timeout:${timeout}`)), timeout * 1000)
    }
    child.stdin.write(lineOf(text, nonce))
    if (input) {
      child.stdin.end(input)
    }
  }).finally(() => {
    isOver = true
    timers.forEach(clearTimeout)
    signal?.removeEventListener('abort', abort)
    child.stdout.destroy()
    child.stderr.destroy()
    child.stdin.destroy()
  })
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
