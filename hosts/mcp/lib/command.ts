// Runs the command `xylem`: the server itself knows nothing of the store.
import { execFile } from 'node:child_process'
import { isAbsolute } from 'node:path'
import { version } from '../package.json'

const AT_ONCE = 4
const LIMIT_MS = 30_000
const KILL_MS = 1000 // after SIGTERM
const OUTPUT_BYTES = 64 * 1024 * 1024

const LATE = 'The command had no answer within 30 seconds. Ask for less: one session, a time (`since`), a smaller `limit`.'
const WHY: Record<string, string> = {
  ENOENT: 'The command `xylem` is not in the PATH of this server. Tell the user to install xylem, or to give the PATH.',
  ERR_CHILD_PROCESS_STDIO_MAXBUFFER: 'The answer has more than 64 MiB. Ask for less: a filter, or a smaller `limit`.',
}

export type Json = Record<string, any>

// `problem`: the first line of standard error, without the name of the command. `secrets`: strings that lack something.
type Answer = { code: number, out: string, problem: string, secrets: number }

export class Refusal extends Error {} // tells an agent what to ask instead

export class Command {
  #free = AT_ONCE
  #waiting: (() => void)[] = []
  #version: Promise<void> | undefined

  constructor(readonly options: string[], readonly isOpen: boolean) {}

  // A call of the command, behind a check of its version. Words of a client stand behind `--`, or as the value of
  // `--option=VALUE`.
  async run(name: string, options: string[], words: string[], signal: AbortSignal, isOpen = this.isOpen): Promise<Answer> {
    this.#version ??= this.#checkVersion().catch((problem: unknown) => {
      this.#version = undefined // a person installs the command, and the next call finds the command
      throw problem
    })
    await this.#version
    const more = isOpen ? [] : ['--redact-secrets']
    return this.#queued([...this.options, ...name.split(' '), ...more, ...options, '--', ...words], signal)
  }

  // The document of a call. Exit code 1 is no failure: nothing was found, or a difference.
  async document(name: string, options: string[], words: string[], signal: AbortSignal, isOpen?: boolean): Promise<[Json, Answer]> {
    const answer = await this.run(name, ['--json', ...options], words, signal, isOpen)
    if (answer.code > 1 && !(answer.code === 5 && answer.out)) {
      throw new CommandProblem(answer)
    }
    return [answer.code === 1 && !answer.out ? {} : parse(answer.out), answer]
  }

  async #checkVersion(): Promise<void> {
    const { out } = await this.#queued(['version', '--json'], new AbortController().signal)
    const minor = (words: string) => words.split('.', 2).join('.')
    const found = /"version":"([^"]*)"/.exec(out)?.[1] ?? 'unknown'
    if (minor(found) !== minor(version)) {
      throw new Refusal(`This server is of xylem ${minor(version)}, and the command \`xylem\` in PATH is ${found}. ` +
        'Tell the user to install both in one version.')
    }
  }

  async #queued(words: string[], signal: AbortSignal): Promise<Answer> {
    await (this.#free > 0 ? this.#free-- : new Promise<void>((go) => this.#waiting.push(go)))
    try {
      signal.throwIfAborted()
      return await this.#once(words, signal)
    } finally {
      const next = this.#waiting.shift()
      next ? next() : this.#free++
    }
  }

  #once(words: string[], signal: AbortSignal): Promise<Answer> {
    // Never a program of a relative directory, which may belong to anybody. An empty PATH would be this directory.
    const PATH = (process.env.PATH ?? '').split(':').filter((place) => isAbsolute(place)).join(':') || '/usr/bin:/bin'
    const options = { env: { ...process.env, PATH, LC_ALL: 'C.UTF-8' }, maxBuffer: OUTPUT_BYTES, timeout: LIMIT_MS, signal }
    return new Promise((done, fail) => {
      const child = execFile('xylem', words, options, (problem, out, told) => {
        clearTimeout(late) // which keeps the output
        const code = problem ? problem.code : 0
        if (typeof code === 'number') {
          done({ code, out, problem: problemOf(told), secrets: secretsOf(told) })
        } else {
          fail(new Refusal(WHY[code ?? ''] ?? (problem!.killed ? LATE : `The command failed: ${problem!.signal ?? code}.`)))
        }
      })
      const kill = () => child.kill('SIGKILL')
      const late = setTimeout(kill, LIMIT_MS + KILL_MS)
      signal.addEventListener('abort', () => setTimeout(kill, KILL_MS).unref())
    })
  }
}

export class CommandProblem extends Error {
  constructor(readonly answer: Answer) { super(answer.problem || `the command failed with exit code ${answer.code}`) }
}

function parse(json: string): Json {
  try {
    return Object.assign({}, JSON.parse(wellFormed(json)))
  } catch {
    throw new Refusal('The command `xylem` gave no document. Tell the user to install xylem anew.')
  }
}

const problemOf = (told: string) =>
  /^xylem: (?:[a-z]+(?: [a-z]+)?: )?(?!warning: )(.*)$/m.exec(told)?.[1] ?? told.trim()

const secretsOf = (told: string) =>
  Number(/^xylem: [a-z ]+: ([\d,]+) strings? redacted$/m.exec(told)?.[1]?.replaceAll(',', '') ?? 0)

// JSON without half a pair of surrogates, which a client with a strict parser takes for a broken line and never answers.
const wellFormed = (json: string) =>
  json.replace(/\\(?:u(?:d[89ab]..\\ud[c-f]..|(d[89a-f]..))|.)/gi, (all, half) => half ? '\\ufffd' : all)
