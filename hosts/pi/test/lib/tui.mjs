// Drives a real pi in a terminal: a tmux server of its own, on a socket in the sandbox. Every wait is a wait for
// something on the screen, with a limit.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { LIMIT_MS, poll } from './wait.mjs'

const run = promisify(execFile)
const { signals } = constants
let servers = 0

// A program behind two files: its status goes into the first, its process into the second. tmux 3.3 does not know the
// status of every program that ended. The last `read` keeps the screen as the program left it.
const NOTING = ['sh', '-c', `sh -c 'echo $$ >"$0"; exec "$@"' "$@"; echo $? >"$0"; read wait`]

// The number in such a file, once the line is whole.
function written(file) {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return text.endsWith('\n') ? Number(text) : undefined
}

// ctrl+shift+r as tmux sends it, and in the two encodings that terminals use: CSI u, and xterm's modifyOtherKeys.
export const CTRL_SHIFT_R = { tmux: ['C-S-r'], csiU: ['-l', '\x1b[114;6u'], xterm: ['-l', '\x1b[27;6;114~'] }

export async function startTui({ node, pi, sandbox, args = [], columns = 130, rows = 45, environment = {} }) {
  const name = `xylem-${process.pid}-${++servers}`
  const tmux = async (...words) => (await run('tmux', ['-L', name, '-f', '/dev/null', ...words],
    { env: { PATH: process.env.PATH, TMUX_TMPDIR: sandbox.root, LANG: 'C.UTF-8' }, timeout: LIMIT_MS })).stdout
  const [statusFile, pidFile] = ['status', 'pid'].map((word) => join(sandbox.root, `${name}.${word}`))
  const variables = Object.entries({ ...sandbox.environment, TERM: 'tmux-256color', ...environment })
    .map(([key, value]) => `${key}=${value}`)

  await tmux('start-server', ';', 'set-option', '-g', 'status', 'off', ';', 'set-option', '-s', 'escape-time', '0', ';',
    'new-session', '-d', '-x', String(columns), '-y', String(rows), '-c', sandbox.project,
    'env', '-i', ...variables, ...NOTING, statusFile, pidFile, node, pi, '--session-dir', sandbox.sessions, ...args)
  let last = ''
  const tell = () => `, and the screen shows:\n${last.replace(/\s+$/, '')}\n`

  async function screen() {
    last = await tmux('capture-pane', '-p')
    return last
  }

  const fits = (wanted, text) => (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text))

  // Waits for a text, or a pattern, on the screen; gone() for its end.
  const wait = (wanted, limit = LIMIT_MS) =>
    poll(async () => fits(wanted, await screen()) && last, `'${wanted}' on the screen`, { limit, tell })
  const gone = (wanted, limit = LIMIT_MS) =>
    poll(async () => !fits(wanted, await screen()), `the end of '${wanted}' on the screen`, { limit, tell })

  const keys = (...names) => tmux('send-keys', ...names)

  async function ended() {
    await screen()
    const status = written(statusFile)
    const signal = Object.keys(signals).find((key) => signals[key] === status - 128)
    return status === undefined ? undefined : { code: signal ? null : status, signal: signal ?? null }
  }

  return {
    tmux,
    // pi names its terminal behind the handlers of session_start and the shortcuts: from here on pi takes keys.
    ready: () => poll(async () => {
      if (await ended()) {
        throw new Error(`pi ended at its start${tell()}`)
      }
      return (await tmux('display-message', '-p', '#{pane_title}')).includes(' - project')
    }, 'the start of pi', { tell }),
    screen,
    wait,
    gone,
    keys,
    // A text in the editor, and Enter once the editor shows it.
    async submit(text) {
      await tmux('send-keys', '-l', text)
      await wait(text.slice(-20))
      await keys('Enter')
    },
    // A text that the editor folds or shows in short, and Enter.
    async type(text) {
      await tmux('send-keys', '-l', `\x1b[200~${text}\x1b[201~`)
      await keys('Enter')
    },
    // A prompt without a script, to its answer.
    async prompt(text) {
      await this.submit(text)
      await wait(`heard: ${text}`)
    },
    // /tree, to an entry so many lines above the leaf, without a summary.
    async climb(lines) {
      await this.submit('/tree')
      await wait('Session Tree')
      await keys(...Array(lines).fill('Up'))
      await keys('Enter')
      await wait(/summar/i)
      await keys('Enter')
    },
    // Keys that answer a dialog count a while behind the last key that types, and not before.
    async answer(...names) {
      await new Promise((later) => { setTimeout(later, 900) })
      await keys(...names)
    },
    // Letters, and keys that reach pi so many milliseconds behind the last letter. tmux itself waits in between.
    typing: (letters, ms, ...names) => tmux('send-keys', '-l', letters, ';',
      ...ms === 0 ? [] : ['run-shell', `sleep ${ms / 1000}`, ';'], 'send-keys', ...names),
    resize: (width, height) => tmux('resize-window', '-x', String(width), '-y', String(height)),
    pid: () => poll(() => written(pidFile), 'the start of pi', { tell }),
    // Waits for the end of pi: its status.
    exit: (limit = LIMIT_MS) => poll(ended, 'the end of pi', { limit, tell }),
    async kill(signal = 'SIGKILL') {
      process.kill(await this.pid(), signal)
      return this.exit()
    },
    // Ends pi, which writes nothing more, and the server.
    async end() {
      try {
        if (written(statusFile) === undefined) {
          await this.kill()
        }
      } finally {
        await tmux('kill-server')
      }
    },
  }
}
