// Drives a real pi over RPC: JSON lines in, JSON lines out. Every wait has a limit, and says what it waited for.
import { spawn } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'
import { LIMIT_MS, waiting } from './wait.mjs'

// Lines end with a newline alone: U+2028, at which node:readline splits too, may stand inside of a line.
function eachLine(stream, take) {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  stream.on('data', (piece) => {
    const lines = (rest + decoder.write(piece)).split('\n')
    rest = lines.pop()
    lines.forEach(take)
  })
}

export function startRpc({ node, pi, sandbox, args = [], environment = {} }) {
  const child = spawn(node, [pi, '--mode', 'rpc', '--session-dir', sandbox.sessions, ...args], {
    cwd: sandbox.project, env: { ...sandbox.environment, ...environment }, stdio: ['pipe', 'pipe', 'pipe'],
  })
  const lines = []
  let errors = ''
  let ended = null
  const shown = () => lines.slice(-8).map((line) => JSON.stringify(line).slice(0, 300)).join('\n')
  const tell = () => `\nlast lines:\n${shown()}\nstderr:\n${errors.slice(-2000)}`
  const changes = waiting(tell)
  child.stderr.on('data', (piece) => { errors += piece })
  child.stdin.on('error', () => {}) // a pi that ended: the wait for the response says so
  eachLine(child.stdout, (line) => {
    try {
      lines.push(JSON.parse(line))
    } catch {
      lines.push({ type: 'garbage', line })
    }
    changes.look()
  })
  const exit = new Promise((done) => {
    child.on('error', (error) => { errors += error })
    child.on('close', (code, signal) => {
      ended = { code, signal }
      changes.look()
      done(ended)
    })
  })
  let number = 0

  // The first line from index `from` on that fits.
  function wait(fits, what, from = 0, limit = LIMIT_MS) {
    let at = from
    return changes.until(() => {
      for (; at < lines.length; at++) {
        if (fits(lines[at])) {
          return lines[at]
        }
      }
      if (ended) {
        throw new Error(`pi ended (${JSON.stringify(ended)}): waited for ${what}${tell()}`)
      }
      return undefined
    }, what, limit)
  }

  async function send(type, fields = {}) {
    const id = `r${++number}`
    const from = lines.length
    child.stdin.write(JSON.stringify({ id, type, ...fields }) + '\n')
    const answer = await wait((line) => line.type === 'response' && line.id === id, `the response to ${type}`, from)
    if (!answer.success) {
      throw new Error(`${type}: ${answer.error}`)
    }
    return answer.data
  }

  const requests = (method) => lines.filter((line) => line.type === 'extension_ui_request' && line.method === method)

  return {
    child,
    lines,
    exit,
    send,
    wait,
    // A prompt, to the end of its turn.
    async prompt(message) {
      const from = lines.length
      await send('prompt', { message })
      await wait((line) => line.type === 'agent_settled', `the end of the turn of '${message}'`, from)
      return lines.slice(from)
    },
    // A command of an extension: pi responds after its handler ended.
    async command(message) {
      const from = lines.length
      await send('prompt', { message })
      return lines.slice(from)
    },
    sessionId: async () => (await send('get_state')).sessionId,
    messages: async () => (await send('get_messages')).messages,
    // What the extensions set as status, by key.
    status: (key) => requests('setStatus').filter(({ statusKey }) => statusKey === key).at(-1)?.statusText,
    notices: () => requests('notify'),
    // The dialogs so far; a wait for the next one behind the line `from`; and an answer: undefined cancels.
    dialogs: () => requests('select'),
    dialog: (from = 0) => wait(({ method }) => method === 'select', 'a dialog', from),
    // The next dialog of any kind.
    question: (from = 0) => wait(({ method }) => ['select', 'input', 'editor'].includes(method), 'a question', from),
    answer({ id }, value) {
      const answer = value === undefined ? { cancelled: true } : { value }
      child.stdin.write(JSON.stringify({ type: 'extension_ui_response', id, ...answer }) + '\n')
    },
    problems: () => lines.filter(({ type }) => type === 'extension_error' || type === 'garbage'),
    errors: () => errors, // what pi wrote to standard error
    // Ends pi as a host does that closes its end.
    async stop() {
      child.stdin.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
      await exit
      clearTimeout(timer)
      return ended
    },
    async kill(signal = 'SIGKILL') {
      child.kill(signal)
      await exit
      return ended
    },
  }
}
