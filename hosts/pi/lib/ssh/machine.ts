// The other machine as a session sees it: the directory there, its files, and commands. A call connects if there is no
// connection.
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inProcess } from '../process.ts'
import { inTime, unlessAborted } from '../race.ts'
import type { Remote, Seen } from './remote.ts'
import { type AskPassword, type Connection, connect } from './master.ts'
import { commandScript, Lost, type Outcome, run, said, type Script } from './run.ts'
import { quoted, type Target } from './target.ts'

const FILE_BYTES_MAX = 64 * 1024 * 1024 // of a file that is read as a whole
const TURN_MS = 30_000 // the longest wait of a turn for the connection: longer than ssh tries to reach a host

// A connection outlives the session: /reload, /new, /resume and /fork hand it on.
interface Held {
  promise: Promise<Connection>
  connection?: Connection
  isOver: boolean // the attempt failed
  readonly cancel: AbortController
}
const held = inProcess('ssh', () => new Map<string, Held>())

function connectionTo(target: Target, ask: AskPassword | undefined): Promise<Connection> {
  const known = held.get(target.host)
  if (known && !known.isOver && known.connection?.lost === undefined) {
    return known.promise
  }
  void known?.connection?.end()
  const cancel = new AbortController()
  const made: Held = { promise: connect(target, ask, cancel.signal), isOver: false, cancel }
  made.promise.then((connection) => { made.connection = connection }, () => { made.isOver = true })
  held.set(target.host, made)
  return made.promise
}

// The end of pi: only own masters end.
export async function endConnections(): Promise<void> {
  const all = [...held.values()]
  held.clear()
  await Promise.all(all.map(async ({ promise, connection, cancel }) => {
    if (!connection) {
      cancel.abort()
    }
    await promise.then((made) => made.end(), () => {})
  }))
}

interface Place {
  home: string
  cwd: string
}

export class Machine implements Remote {
  readonly host: string
  onPlace: (() => void) | undefined // when the directory there is known
  readonly #target: Target | Error
  readonly #localCwd: string
  readonly #ask: AskPassword | undefined
  #attempt: Promise<Connection> | undefined
  #place: Place | undefined
  readonly #justRead = new Map<string, Seen>() // by the path

  // `target` is an Error if what the person gave to --ssh is no target: each call then fails.
  constructor(given: string, target: Target | Error, localCwd: string, ask: AskPassword | undefined) {
    this.host = target instanceof Error ? given : target.host
    this.#target = target
    this.#localCwd = localCwd
    this.#ask = ask
  }

  get cwd(): string | undefined {
    return this.#place?.cwd
  }

  // With a password only a reload connects again: nobody keeps the password.
  async connection(): Promise<Connection> {
    if (this.#target instanceof Error) {
      throw this.#target
    }
    const last = await this.#attempt?.catch((error: Error) => error)
    if (last && !(last instanceof Error) && last.lost === undefined) {
      return last
    }
    if (last && this.#ask) {
      const why = last instanceof Error ? last.message : last.lost
      throw new Lost(`${why}. /reload asks for the password and connects again`)
    }
    this.#attempt = connectionTo(this.#target, this.#ask)
    return this.#attempt
  }

  // Ends when an attempt to connect has ended.
  async settled(): Promise<void> {
    await this.#attempt?.catch(() => {})
  }

  async run(script: Script): Promise<Outcome> {
    let connection
    try {
      connection = await unlessAborted(script.signal, this.connection(), // which goes on, for the next call
        () => { throw new Error('aborted') })
      return await run(connection, script)
    } catch (error) {
      throw error instanceof Lost ? new Error(this.#explained(error.message, connection)) : error
    }
  }

  #explained(problem: string, connection: Connection | undefined): string {
    const isRefused = connection?.kind === 'system' && /permission denied/i.test(problem)
    const hint = isRefused ? `. The config of ssh has a master for this host: connect once by hand, ssh ${this.host}`
      : this.#ask || this.#target instanceof Error ? '' : '. The next call connects again'
    return `ssh ${this.host}: ${problem}${hint}`
  }

  // The output of a script that must succeed.
  async #output(script: Script): Promise<Buffer> {
    const { status, stdout, stderr } = await this.run(script)
    if (status !== 0) {
      throw new Error(`${this.host}: ${said(stderr) || `the shell ended with ${status}`}`)
    }
    return stdout
  }

  // Without a path in --ssh: the directory of the same path, if there is one, else the home.
  async place(signal?: AbortSignal): Promise<Place> {
    if (!this.#place) {
      const path = this.#target instanceof Error ? undefined : this.#target.path
      const go = path === undefined ? `cd ${quoted(this.#localCwd)} 2>/dev/null || cd || exit`
        : `cd ${quoted(path)} || exit`
      const text = `cd || exit; printf '%s\\0' "$PWD"; ${go}; printf '%s\\0' "$PWD"`
      const [home, cwd] = String(await this.#output({ signal, text })).split('\0')
      if (!this.#place) { // another call may have asked too
        this.#place = { home, cwd }
        this.onPlace?.()
      }
    }
    return this.#place
  }

  // For the start of a turn, which nobody can abort. The attempt to connect goes on.
  placeInTime = (): Promise<Place> => inTime(TURN_MS, this.place(), `${this.host} does not answer`)

  // The absolute path there of a path that the model gave, by the rules of pi's tools. `.` and `..` stay: the other
  // machine knows its links. An absolute path means the other machine, as in a command of bash.
  async path(input: string, signal?: AbortSignal): Promise<string> {
    const { home, cwd } = await this.place(signal)
    const plain = input.replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' ').replace(/^@/, '')
    const path = /^file:\/\//.test(plain) ? fileURLToPath(plain, { windows: false })
      : plain.replace(/^~(?=\/|$)/, () => home)
    if (path.includes('\0')) {
      throw new Error('the path has a zero byte')
    }
    return path.startsWith('/') ? path : posix.join(cwd, '/') + path
  }

  // For the tool `read`: the same trip looks at the file. Without a key the read guard asks again.
  async read(path: string, signal?: AbortSignal): Promise<Buffer> {
    const text = `${lookAt(path)}look 2>/dev/null || printf '\\0\\0'; cat ${quoted(path)}`
    this.#justRead.delete(path)
    const [seen, bytes] = this.#seen(await this.#output({ text, signal, bytesMax: FILE_BYTES_MAX }))
    if (seen.key !== this.#keyOf('')) {
      this.#justRead.set(path, seen)
    }
    return bytes
  }

  readToWrite(path: string, signal?: AbortSignal): Promise<Buffer> {
    const file = quoted(path)
    return this.#output({ signal, bytesMax: FILE_BYTES_MAX, text:
      `[ -w ${file} ] || { cat ${file} >/dev/null && echo 'the file is not writable' >&2; exit 1; }\ncat ${file}` })
  }

  async justRead(input: string): Promise<Seen | undefined> {
    const path = await this.path(input)
    const seen = this.#justRead.get(path)
    this.#justRead.delete(path)
    return seen
  }

  // The content is complete on the other machine before the file changes. With `wanted` only that file changes: the
  // answer is the file as it is now, and whether it was written.
  async write(path: string, content: string, signal?: AbortSignal, wanted?: Seen) {
    const input = Buffer.from(content)
    const isWanted = wanted && `
look || exit
[ "$key" = ${quoted(this.#pathOf(wanted.key))} ] && [ "$state" = ${quoted(wanted.state)} ] || exit 0`
    const output = await this.#output({ signal, input, text: `${lookAt(path)}
whole=$(mktemp) || exit
trap 'rm -f "$whole"' EXIT
cat >"$whole" || exit
[ "$(wc -c <"$whole")" -eq ${input.length} ] || { echo 'the content is not complete' >&2; exit 1; }${isWanted ?? ''}
mkdir -p ${quoted(posix.dirname(path))} || exit
cat "$whole" >${quoted(path)}${wanted ? ' || exit\nlook' : ''}` })
    if (!wanted) {
      return undefined
    }
    const [before, rest] = this.#seen(output)
    return rest.length > 0 ? { isWritten: true, seen: this.#seen(rest)[0] } : { isWritten: false, seen: before }
  }

  // Runs a command of a person or of the model; gives its exit code. A shell there would drop a zero byte, and run
  // another command than readonly and confirm have judged.
  async command(command: string, options: Pick<Script, 'onData' | 'signal' | 'timeout'>): Promise<number> {
    if (command.includes('\0')) {
      throw new Error('the command has a zero byte')
    }
    const { cwd } = await this.place(options.signal)
    return (await this.run({ ...options, text: commandScript(command, cwd) })).status
  }

  name = async (input: string): Promise<string> => this.#keyOf(await this.path(input))
  text = async (key: string): Promise<string> => String(await this.#output({ text: `cat ${quoted(this.#pathOf(key))}`,
    bytesMax: FILE_BYTES_MAX }))

  async look(input: string): Promise<Seen> {
    return this.#seen(await this.#output({ text: `${lookAt(await this.path(input))}look` }))[0]
  }

  #keyOf(path: string): string {
    return `ssh:${this.host}:${path}`
  }

  #pathOf(key: string): string {
    return key.slice(this.#keyOf('').length)
  }

  // What `look` of the script has printed, and the rest of the output.
  #seen(output: Buffer): [Seen, rest: Buffer] {
    const end = output.indexOf(0)
    const behind = output.indexOf(0, end + 1)
    const [key, state] = [output.subarray(0, end), output.subarray(end + 1, behind)].map(String)
    const [, hash, bytes] = /^(\S+:[0-9a-f]{32,64}) +(\d+)$/.exec(state) ?? []
    const problem = state.startsWith('!') ? said(state.slice(1)) : `no fingerprint: ${said(state)}`
    const more = hash !== undefined ? { there: { hash, bytes: Number(bytes) } }
      : state === 'gone' ? {} : { problem: `${this.host}: ${problem}` }
    return [{ key: this.#keyOf(key), state, ...more }, output.subarray(behind + 1)]
  }
}

// The beginning of a script, with a function `look`: the real path and the state of the file, each with a zero byte
// behind. A path that is not there has the real path of the nearest directory that is, and the rest.
const lookAt = (path: string) => `
real() (
path=${quoted(path)} rest=
while [ ! -e "$path" ] && [ ! -L "$path" ]; do rest=/\${path##*/}$rest; path=\${path%/*}; path=\${path:-/}; done
case $rest/ in */../*) echo 'a path through a missing directory and ..' >&2; exit 1 ;; esac
real=$(realpath "$path" && echo x) 2>/dev/null || real=$(readlink -f "$path" && echo x) || exit
real=\${real%?x}
real=\${real%/}$rest
printf '%s' "\${real:-/}"
)
state() (
LC_ALL=C; export LC_ALL
if ! there=$(ls -Ld "$key" 2>&1 >/dev/null); then
  case $there in *'No such file'* | *'Not a directory'*) echo gone; exit ;; *) echo "$there" >&2; exit 1 ;; esac
fi
[ -f "$key" ] || { echo 'this is no regular file' >&2; exit 1; }
if xxhsum -H2 </dev/null >/dev/null 2>&1; then kind=xxh3-128 hash='xxhsum -H2'
elif command -v sha256sum >/dev/null; then kind=sha256 hash=sha256sum
elif command -v shasum >/dev/null; then kind=sha256 hash='shasum -a 256'
else echo 'none of xxhsum, sha256sum and shasum is there' >&2; exit 1; fi
sum=$($hash <"$key") || exit
echo "$kind:\${sum%% *}" $(wc -c <"$key")
)
look() {
key=$(real && printf x) || return
key=\${key%x}
state=$(state 2>/dev/null) || state=!$(state 2>&1 >/dev/null)
printf '%s\\0%s\\0' "$key" "$state"
}
`
