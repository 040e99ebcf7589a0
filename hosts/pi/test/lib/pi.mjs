// A pi with the package's extensions, its model and its sandbox, for one test.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startModel } from './fake-openai.mjs'
import { startRpc } from './rpc.mjs'
import { makeSandbox } from './sandbox.mjs'
import { startTui } from './tui.mjs'
import { poll } from './wait.mjs'

const need = (name) => {
  if (!process.env[name]) {
    throw new Error(`${name} is not set: 'make check-pi' runs these tests`)
  }
  return process.env[name]
}

export const node = need('XYLEM_PI_NODE')
export const piPath = need('XYLEM_PI')
export const piVersion = need('XYLEM_PI_VERSION')
export const otherPi = () => need('XYLEM_PI_OTHER') // the command of the other version
export const xylem = need('XYLEM')
// The package: of this clone, or of a tarball. An extension of the package, and an extension of the tests.
export const PACKAGE = process.env.XYLEM_PACKAGE ?? fileURLToPath(new URL('../..', import.meta.url))
export const extension = (name) => join(PACKAGE, 'extensions', `${name}.ts`)
export const helper = (name) => fileURLToPath(new URL(`../extensions/${name}.ts`, import.meta.url))
export const extensionNames = readdirSync(join(PACKAGE, 'extensions'))
  .filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, -'.ts'.length)).sort()

// The messages that the package adds to a request: the model does not take them for a prompt.
export const ASIDES = [/Readonly mode (is active|has been turned off)/, /Your todo list/]

const run = promisify(execFile)

// Starts a model and a sandbox; `start` (RPC) and `terminal` start a pi in it, as often as a test likes. All end with
// the test, which fails if an extension failed or the model was asked what it does not understand.
export async function world(test, { settings, extensions = ['readonly'], helpers = [], problems = false } = {}) {
  const model = await startModel({ asides: ASIDES })
  const sandbox = makeSandbox(model.port, settings)
  const running = []
  const terminals = []
  const loaded = [...extensions.map(extension), ...helpers.map(helper)].flatMap((path) => ['-e', path])
  test.after(async () => {
    const ends = [...running.map((pi) => pi.kill()), ...terminals.map((terminal) => terminal.end())]
    const failures = (await Promise.allSettled(ends)).map(({ reason }) => reason).filter(Boolean)
    await model.close()
    sandbox.remove()
    assert.deepEqual(failures, [])
    if (!problems) {
      assert.deepEqual([...running.flatMap((pi) => pi.problems()), ...model.problems], [])
    }
  })
  return {
    model,
    sandbox,
    start(args = [], environment = {}, command = piPath) {
      const pi = startRpc({ node, pi: command, sandbox, args: [...loaded, ...args], environment })
      running.push(pi)
      return pi
    },
    // A pi that takes keys.
    async terminal(args = [], size = {}) {
      const terminal = await startTui({ node, pi: piPath, sandbox, args: [...loaded, ...args], ...size })
      terminals.push(terminal)
      await terminal.ready()
      return terminal
    },
    // The command, on the sandbox's store.
    async xylem(...args) {
      const { stdout } = await run(xylem, args, { env: { ...sandbox.environment, XYLEM_STORE: sandbox.store } })
      return stdout
    },
    async state(sessionId) {
      return JSON.parse(await this.xylem('state', sessionId, '--json'))
    },
    files: () => (existsSync(sandbox.sessions) ? readdirSync(sandbox.sessions, { recursive: true }) : [])
      .filter((name) => name.endsWith('.jsonl')).map((name) => join(sandbox.sessions, name)),
    fileOf(sessionId) {
      return this.files().find((path) => path.includes(sessionId))
    },
    read: (path) => readFileSync(path, 'utf8'),
    until: poll,
    // What the extension `recorder` wrote, in order. The last line may be half written.
    records: (event) => (existsSync(sandbox.records) ? readFileSync(sandbox.records, 'utf8') : '')
      .split('\n').slice(0, -1).filter(Boolean).map((line) => JSON.parse(line))
      .filter((record) => !event || record.event === event),
  }
}
