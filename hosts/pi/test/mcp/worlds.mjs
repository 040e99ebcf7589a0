// What the suites of mcp-loader start: worlds with servers in the settings, servers by the official SDK over HTTP, and
// raw servers that do as a test says.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { node, piVersion, world } from '../lib/pi.mjs'
import { waiting } from '../lib/wait.mjs'
import { changeSettings, tool } from '../rpc/moves.mjs'

export const modules = process.env.XYLEM_MCP
export const file = (name) => fileURLToPath(new URL(name, import.meta.url))

// pi 1.5 has a command /mcp of its own.
export const command = piVersion.startsWith('0.') ? '/mcp' : '/mcp-loader'

// `sdk: false`: as if nobody had installed the SDK. `settings` is a function of the world. `isPatient`: the first turn
// waits for servers as long as a slow machine may need.
export async function mcpWorld(t, settings, { sdk = true, isPatient = true, extensions = ['mcp-loader'],
  helpers = ['commands', 'tools'], ...more } = {}) {
  const w = await world(t, { extensions, helpers, ...more })
  const log = join(w.sandbox.root, 'servers.log')
  const place = join(w.sandbox.root, 'servers')
  mkdirSync(place)
  writeFileSync(join(place, 'stdio.mjs'), readFileSync(file('stdio.mjs')))
  symlinkSync(modules, join(place, 'node_modules'))
  if (sdk) {
    install(w)
  }
  // A server by the SDK, and its lines in the log.
  const serverCommand = [node, join(place, 'stdio.mjs')]
  const local = (NAME = 'files', environment = {}) =>
    ({ type: 'local', command: serverCommand, environment: { NAME, LOG: log, ...environment } })
  // A server that is a few lines of code: `send` writes a line, `on` gets each request.
  const raw = (code) => ({ type: 'local', command: [node, '--input-type=module', '-e', RAW + code],
    environment: { LOG: log } })
  const lines = () => existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []
  const patient = join(w.sandbox.root, 'patient.mjs')
  writeFileSync(patient, 'const later = setTimeout; globalThis.setTimeout = (run, ms, ...rest) => ' +
    'later(run, ms === 2000 ? 30000 : ms, ...rest)')
  const patience = isPatient ? { NODE_OPTIONS: `--import ${patient}` } : {}
  const result = { ...w, start: (args = [], environment = {}, ...more) =>
    w.start(args, { ...patience, ...environment }, ...more), place, log, local, raw, serverCommand, lines,
    logged: (line, count = 1) => w.until(() => lines().filter((one) => one.startsWith(line)).length >= count,
      `${count} lines '${line}' in the log`, { tell: () => `\n${lines().join('\n')}` }) }
  changeSettings(w, settings(result))
  return result
}

export function install(w, place = join(w.sandbox.agent, 'npm/node_modules')) {
  mkdirSync(join(place, '@modelcontextprotocol'), { recursive: true })
  symlinkSync(join(modules, '@modelcontextprotocol/client'), join(place, '@modelcontextprotocol/client'))
}

const RAW = `
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
const send = (message) =>
  process.stdout.write((typeof message === 'string' ? message : JSON.stringify(message)) + '\\n')
const answer = (id, result) => send({ jsonrpc: '2.0', id, result })
const log = (line) => appendFileSync(process.env.LOG, line + '\\n')
const hello = { protocolVersion: '2025-06-18', capabilities: { tools: { listChanged: true } },
  serverInfo: { name: 'raw', version: '1' } }
const schema = { type: 'object' }
const text = (words) => ({ content: [{ type: 'text', text: words }] })
let on = () => {}
const usual = ({ id, method, params }, tools, call = () => text('ran')) => {
  if (method === 'initialize') answer(id, hello)
  if (method === 'tools/list') answer(id, { tools })
  if (method === 'tools/call') answer(id, call(params))
}
createInterface({ input: process.stdin }).on('line', (line) => on(JSON.parse(line)))
`

// An HTTP server on this machine: `handle` gets the request, the response and the parsed body.
export async function serve(t, handle) {
  const requests = []
  const server = createServer(async (request, response) => {
    const pieces = []
    for await (const piece of request) {
      pieces.push(piece)
    }
    const body = pieces.length ? JSON.parse(Buffer.concat(pieces)) : undefined
    requests.push({ method: request.method, headers: request.headers, body })
    await handle(request, response, body)
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  t.after(() => { server.closeAllConnections(); server.close() })
  return { requests, url: `http://127.0.0.1:${server.address().port}/mcp`,
    sent: (method) => requests.filter(({ body }) => body?.method === method) }
}

// The server of stdio.mjs over streamable HTTP, by the official SDK: a session for each `initialize`, or a server of
// the era of 2026, which has no sessions.
export async function serveSdk(t, name = 'web', { isModern = false } = {}) {
  const load = createRequire(join(modules, 'package.json'))
  const { NodeStreamableHTTPServerTransport, toNodeHandler } = load('@modelcontextprotocol/node')
  const { makeServer, createMcpHandler } = await serverModule()
  const sessions = new Map()
  const log = []
  const changes = waiting(() => `\n${log.join('\n')}`)
  const note = (line) => { log.push(line); changes.look() }
  const modern = isModern && toNodeHandler(createMcpHandler(() => makeServer(name, note), { legacy: 'reject' }))
  const served = await serve(t, async (request, response, body) => {
    if (modern) {
      return modern(request, response, body)
    }
    let transport = sessions.get(request.headers['mcp-session-id'])
    if (!transport && body?.method === 'initialize') {
      transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => { sessions.set(id, transport) } })
      await makeServer(name, note).connect(transport)
    }
    if (!transport) {
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}')
      return undefined
    }
    return transport.handleRequest(request, response, body)
  })
  return { ...served, log, forget: () => sessions.clear(),
    logged: (line) => changes.until(() => log.includes(line), `the line '${line}'`) }
}

// The module in a folder from which its imports are found.
async function serverModule() {
  const place = mkdtempSync(join(tmpdir(), 'mcp-'))
  symlinkSync(modules, join(place, 'node_modules'))
  writeFileSync(join(place, 'stdio.mjs'), readFileSync(file('stdio.mjs')))
  return import(pathToFileURL(join(place, 'stdio.mjs')))
}

// A raw HTTP server of MCP: `answers` by method, or the usual ones.
export async function serveRaw(t, answers = {}) {
  let session = 0
  return serve(t, async (request, response, body) => {
    const json = (result, headers = {}) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify({ jsonrpc: '2.0', id: body.id, result }))
    }
    const own = answers[body?.method ?? request.method]
    if (own) {
      return own({ request, response, body, json })
    }
    if (body?.method === 'initialize') {
      const hello = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'r', version: '1' } }
      return json(hello, { 'mcp-session-id': `s${++session}` })
    }
    if (body?.method === 'tools/list') {
      return json({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] })
    }
    if (body?.method === 'tools/call') {
      return json({ content: [{ type: 'text', text: `ran in ${request.headers['mcp-session-id']}` }] })
    }
    response.writeHead(body ? 202 : 405).end()
  })
}

// The tools that the model of the last request has.
export const offered = (w) => w.model.requests.at(-1).tools.map((one) => one.function.name)
export const offeredOf = (w, ...prefixes) =>
  offered(w).filter((name) => prefixes.some((prefix) => name.startsWith(prefix)))
export const definitionOf = (w, name) =>
  w.model.requests.at(-1).tools.find((one) => one.function.name === name).function

// Runs a tool: its result in text.
export const run = (pi, name, input = {}) => tool(pi, name, input)
export const contentOf = async (pi) => (await pi.messages()).findLast(({ role }) => role === 'toolResult').content

// The lines that the loader says.
export const saidOf = (pi) => pi.notices().filter(({ notifyType }) => notifyType === 'warning')
  .map(({ message }) => message)

// The answer of /mcp.
export async function overview(pi) {
  const from = pi.lines.length
  await pi.send('prompt', { message: command })
  return (await pi.wait(({ method, notifyType }) => method === 'notify' && notifyType === 'info', 'the list', from))
    .message
}
