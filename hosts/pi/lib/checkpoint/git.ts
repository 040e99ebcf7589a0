// Runs git: without a shell, for a bounded time, and without programs that a repository names.
//
// A repository comes from anywhere, with a configuration of its own. So hooks and file system monitors are off, and
// nothing is fetched. git looks at files through a git directory of the package alone (scratch.ts), whose configuration
// names no filter. git itself refuses a repository of another user.
import { type ChildProcess, spawn } from 'node:child_process'

const OUTPUT_MAX = 256 << 20 // bytes
const KILL_MS = 500 // between the polite signal, after which git removes its locks, and the other

const OPTIONS = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.splitIndex=false',
  'core.logAllRefUpdates=false', 'submodule.recurse=false', 'gc.auto=0', 'maintenance.auto=false']
  .flatMap((option) => ['-c', option])

// A pi in a hook of git, or below `git -c`, has variables that name another repository. These name none.
const KEPT = new Set(['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM', 'GIT_CEILING_DIRECTORIES',
  'GIT_DISCOVERY_ACROSS_FILESYSTEM', 'GIT_EXEC_PATH'])

const SETTINGS = {
  LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none',
  GIT_AUTHOR_NAME: 'xylem', GIT_AUTHOR_EMAIL: 'xylem@localhost',
  GIT_COMMITTER_NAME: 'xylem', GIT_COMMITTER_EMAIL: 'xylem@localhost',
}

export type Failure = 'missing' | 'late' | 'stopped' | 'failed'

export class GitError extends Error {
  readonly failure: Failure
  readonly stderr: string

  constructor(failure: Failure, message: string, stderr = '') {
    super(message)
    this.failure = failure
    this.stderr = stderr
  }
}

// A git directory of the package, which uses the objects and the work tree of a repository.
export interface Place {
  directory: string
  top: string
  objects: string
  settings: string[] // KEY=VALUE
}

export interface Options {
  input?: string | Buffer
  place?: Place // instead of the repository
  index?: string // the file of the index, instead of that of the git directory
  outputMax?: number // bytes
}

// A relative directory in PATH would be a directory of the repository.
export function environment(from: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const kept = Object.entries(from).filter(([name]) => !name.startsWith('GIT_') || KEPT.has(name))
  const path = (from.PATH ?? '').split(':').filter((place) => place.startsWith('/')).join(':')
  return { ...Object.fromEntries(kept), PATH: path, ...SETTINGS }
}

// The configuration of the person stays out too, also from a git that does not know GIT_CONFIG_GLOBAL.
const environmentOf = ({ directory, top, objects }: Place) => ({
  GIT_DIR: directory, GIT_WORK_TREE: top, GIT_OBJECT_DIRECTORY: objects, GIT_OPTIONAL_LOCKS: '1', HOME: directory,
  XDG_CONFIG_HOME: directory, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1',
})

// Calls of git in one directory, which together end before a deadline.
export class Git {
  readonly #cwd: string
  #environment = environment()
  readonly #limitMs: number
  readonly #until: number
  readonly #signal: AbortSignal | undefined

  constructor(cwd: string, limitMs: number, signal?: AbortSignal) {
    this.#cwd = cwd
    this.#limitMs = limitMs
    this.#until = Date.now() + limitMs
    this.#signal = signal
  }

  // The output of a command. Every end but a success is a GitError.
  run(args: string[], { input, place, index, outputMax = OUTPUT_MAX }: Options = {}): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const output = { pieces: [] as Buffer[], bytes: 0 }
      let stderr = ''
      const env = { ...this.#environment, ...place && environmentOf(place), ...index && { GIT_INDEX_FILE: index } }
      const settings = place?.settings.flatMap((setting) => ['-c', setting]) ?? []
      const options = { cwd: this.#cwd, env, detached: true, stdio: 'pipe' } as const
      const child = spawn('git', [...settings, ...OPTIONS, ...args], options)
      const give = (failure: Failure, message: string) => {
        end(child)
        settle(() => reject(new GitError(failure, message, stderr)))
      }
      const settle = (act: () => void) => {
        clearTimeout(timer)
        this.#signal?.removeEventListener('abort', stop)
        act()
      }
      const stop = () => give('stopped', 'stopped')
      const timer = setTimeout(() => give('late', `git did not end within ${this.#limitMs / 1000} s`),
        Math.max(0, this.#until - Date.now()))
      this.#signal?.aborted ? stop() : this.#signal?.addEventListener('abort', stop, { once: true })
      child.stdout.on('data', (piece: Buffer) => {
        output.pieces.push(piece)
        output.bytes += piece.length
        if (output.bytes > outputMax) {
          give('failed', `git ${args[0]} says more than ${outputMax >> 20} MiB`)
        }
      })
      child.stderr.on('data', (piece) => { stderr = (stderr + piece).slice(0, 10000) })
      child.stdin.on('error', () => {}) // a git that ended: its status says so
      child.on('error', (error) => give('missing', `git is missing: ${error.message}`))
      child.on('close', (code) => code === 0 ? settle(() => resolve(Buffer.concat(output.pieces)))
        : give('failed', reasonOf(stderr) ?? `git ${args[0]} ended with ${code}`))
      child.stdin.end(input)
    })
  }

  // Sets members of the configuration to false, whose names only an environment can hold.
  disable(keys: string[]): void {
    const pairs = keys.flatMap((key, i) => [[`GIT_CONFIG_KEY_${i}`, key], [`GIT_CONFIG_VALUE_${i}`, 'false']])
    this.#environment = { ...this.#environment, GIT_CONFIG_COUNT: String(keys.length), ...Object.fromEntries(pairs) }
  }

  // The output without its last newline.
  async line(args: string[], options?: Options): Promise<string> {
    return (await this.run(args, options)).toString().replace(/\n$/, '')
  }
}

// git and the filters that it started: a group of processes.
function end(child: ChildProcess): void {
  child.stdout?.destroy()
  child.stderr?.destroy()
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const { pid } = child
    const signal = (name: NodeJS.Signals) => tried(() => process.kill(-pid, name)) // the group may have ended
    signal('SIGTERM')
    setTimeout(() => signal('SIGKILL'), KILL_MS).unref()
  }
}

// undefined: an error.
export function tried<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}

const reasonOf = (stderr: string) => /^(?:fatal|error): (.*)$/m.exec(stderr)?.[1]
