// A model that does as it is told: an OpenAI server on this machine alone, for tests of a real pi.
//
// A prompt is a script: each line that begins with `~` is one answer of the model, in order.
//
//     ~tool NAME {json}          one call of a tool
//     ~tools [[NAME, {..}], ..]  several calls in one answer
//     ~text WORDS                a text
//     ~big N                     a text of N characters
//     ~slow MS                   the same as a text, after so many milliseconds
//     ~hold                      a text, after release()
//     ~err WORDS                 the request fails, with an error of these words; a host tries `overloaded` again
//
// After the script, and for a prompt without a script, the model answers with a text. A request without tools is a
// request for a summary. The server keeps every request, in order: the proof of what the host sent.
import { createServer } from 'node:http'
import { waiting } from './wait.mjs'

export const textOf = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('')

// A turn of a session that pi has replaced keeps no answer, so that it calls the same tools for ever.
const REPEATS_MAX = 10

// What a request asks: the text of its last prompt, or the script of that text, and how many answers stand behind that
// prompt.
function questionOf({ messages }, isAside, scripts) {
  const prompt = messages.findLastIndex(({ role, content }) => role === 'user' && !isAside(textOf(content)))
  const answered = messages.slice(prompt).filter(({ role }) => role === 'assistant').length
  const text = textOf(messages[prompt]?.content)
  return { said: scripts[text] ?? text, answered }
}

function answerTo({ tools }, { said, answered }) {
  if (!tools?.length) {
    return { text: 'a summary' }
  }
  const script = said.split('\n').filter((line) => line.startsWith('~'))
  if (answered >= script.length) {
    return { text: answered > 0 ? 'the tool answered' : `heard: ${said.slice(0, 60)}` }
  }
  const [, word, rest] = /^(\S+) ?(.*)$/.exec(script[answered])
  const [name, input] = /^(\S*) ?(.*)$/.exec(rest).slice(1)
  switch (word) {
    case '~tool':
      return { tools: [[name, JSON.parse(input || '{}')]] }
    case '~tools':
      return { tools: JSON.parse(rest) }
    case '~text':
      return { text: rest }
    case '~big':
      return { text: 'big '.repeat(Math.ceil(Number(rest) / 4)).slice(0, Number(rest)) }
    case '~slow':
      return { text: `slow: ${rest}`, delay: Number(rest) }
    case '~hold':
      return { text: 'held', hold: true }
    case '~err':
      return { error: rest || 'the model fails as it was told' }
    default:
      throw new Error(`no such line of a script: ${script[answered]}`)
  }
}

let calls = 0

function chunksOf(answer, model) {
  const chunk = (delta, finish = null) => ({
    id: 'fake', object: 'chat.completion.chunk', created: 0, model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const usage = { ...chunk({}), choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }
  if (answer.tools) {
    const toolCalls = answer.tools.map(([name, input], index) => ({
      index, id: `call_${++calls}`, type: 'function', function: { name, arguments: JSON.stringify(input) },
    }))
    return [chunk({ role: 'assistant', content: '', tool_calls: toolCalls }), chunk({}, 'tool_calls'), usage]
  }
  return [chunk({ role: 'assistant', content: answer.text }), chunk({}, 'stop'), usage]
}

async function bodyOf(request) {
  const pieces = []
  for await (const piece of request) {
    pieces.push(piece)
  }
  return JSON.parse(Buffer.concat(pieces).toString('utf8'))
}

// Starts the server on a free port. `asides` are user messages that an extension adds to a request: they are no prompt.
//
// requests      every request, in order; asked(n) waits for the n-th
// sessions      the id of the session of each request
// heard         every prompt, in order: its text, and the id of its session; a summary is { session, summary: true }
// problems      what the server could not make sense of
// scripts       the script for a prompt that shall not look like one
// release()     ends the oldest `~hold`, a coming one too
export async function startModel({ asides = [] } = {}) {
  const requests = []
  const sessions = []
  const heard = []
  const problems = []
  const scripts = {}
  const changes = waiting()
  const isAside = (text) => asides.some((pattern) => pattern.test(text))
  let repeats = 0 // of one question behind one another
  let last
  let released = 0
  let held = 0

  async function answer(request, response) {
    if (!request.url.endsWith('/chat/completions')) {
      problems.push(`a request of ${request.url}`)
      response.writeHead(404).end()
      return
    }
    const asked = await bodyOf(request)
    const question = questionOf(asked, isAside, scripts)
    repeats = last === JSON.stringify(question) ? repeats + 1 : 0
    last = JSON.stringify(question)
    const wanted = answerTo(asked, question)
    const given = wanted.tools && repeats > REPEATS_MAX ? { text: 'again and again' } : wanted
    requests.push(asked)
    const session = request.headers['x-session-affinity']
    sessions.push(session)
    if (!asked.tools?.length) {
      heard.push({ session, summary: true })
    } else if (question.answered === 0) {
      heard.push({ session, text: question.said })
    }
    changes.look()
    if (given.delay) {
      await new Promise((done) => setTimeout(done, given.delay))
    }
    if (given.hold) {
      const mine = ++held
      await changes.until(() => released >= mine || response.destroyed, 'release()')
    }
    if (given.error) {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: given.error } }))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of chunksOf(given, asked.model)) {
      response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    }
    response.end('data: [DONE]\n\n')
  }

  const server = createServer((request, response) => {
    response.on('close', () => changes.look())
    answer(request, response).catch((error) => {
      if (request.complete) { // else pi ended in the middle of its request
        problems.push(error.message)
      }
      response.headersSent ? response.destroy() : response.writeHead(400).end()
    })
  })
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address()
  return {
    port,
    requests,
    sessions,
    heard,
    problems,
    scripts,
    asked: (count) => changes.until(() => requests.length >= count, `request ${count} to the model`),
    release() {
      released++
      changes.look()
    },
    close: () => new Promise((closed) => {
      released = Infinity
      changes.look()
      server.close(closed)
      server.closeAllConnections()
    }),
  }
}
