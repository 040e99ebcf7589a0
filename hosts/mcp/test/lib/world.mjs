// What the suites share: a store in a folder that goes with the test, the command, and the server with a client of the
// official SDK. tools/check_mcp.sh sets XYLEM_BUILD, with `xylem` and `xylem-mcp`, and XYLEM_CLIENTS, the packages.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const build = process.env.XYLEM_BUILD
export const serverPath = process.env.XYLEM_SERVER ?? join(build, 'xylem-mcp')
export const fixtures = fileURLToPath(new URL('../../../../fixtures', import.meta.url))
export const load = createRequire(join(process.env.XYLEM_CLIENTS, 'anything.js'))
const { Client } = load('@modelcontextprotocol/client')
const { StdioClientTransport } = load('@modelcontextprotocol/client/stdio')

export const environment = { PATH: [build, process.env.PATH].join(delimiter), HOME: '/nonexistent', TZ: 'UTC',
  XYLEM_NOW: '2026-11-21T00:00:00Z', LANG: 'C' }

export function makeWorld(t) {
  const root = mkdtempSync(join(tmpdir(), 'xylem-mcp-'))
  t.after(() => rmSync(root, { recursive: true, force: true, maxRetries: 9 }))
  const store = join(root, 'store')
  const xylem = (...words) => execFileSync(join(build, 'xylem'), ['-s', store, ...words],
    { encoding: 'utf8', env: environment, maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] })
  const tried = (...words) => spawnSync(join(build, 'xylem'), ['-s', store, ...words],
    { encoding: 'utf8', env: environment, maxBuffer: 1 << 28 })
  // Imports a session file of these lines: the header, and entries with `id` and `parentId`.
  const importSession = (header, entries) => {
    mkdirSync(join(root, 'files'), { recursive: true })
    const file = join(root, 'files', `${encodeURIComponent(header.id)}.jsonl`)
    const lines = [{ type: 'session', version: 3, timestamp: '2026-11-20T10:00:00.000Z', ...header }, ...entries]
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    return xylem('import', file)
  }
  // A client of the server. `more`: of the environment.
  const connect = async (args = ['--all'], { more = {}, cwd = root, mode } = {}) => {
    const told = []
    const transport = new StdioClientTransport({ command: process.execPath, args: [serverPath, '-s', store, ...args],
      env: { ...environment, ...more }, cwd, stderr: 'pipe' })
    transport.stderr.on('data', (piece) => told.push(String(piece)))
    const client = new Client({ name: 'test', version: '1' }, mode ? { versionNegotiation: { mode } } : {})
    await client.connect(transport)
    t.after(() => client.close())
    const call = (name, input = {}) => client.callTool({ name, arguments: input })
    return { client, transport, call, told, ask: async (name, input) => {
      const answer = await call(name, input)
      if (answer.isError) {
        throw new Error(answer.content[0].text)
      }
      return answer.structuredContent
    } }
  }
  return { root, store, xylem, tried, importSession, connect }
}

let time = Date.parse('2026-11-20T10:00:00.000Z')

export const entry = (id, parentId, rest) => ({ id, parentId, timestamp: new Date(time += 1000).toISOString(), ...rest })

export const says = (id, parentId, role, text) => entry(id, parentId, { type: 'message', message: { role,
  content: [{ type: 'text', text }], ...(role === 'assistant' ? { stopReason: 'stop' } : {}), timestamp: time } })

export const keeps = (id, parentId, customType, data) => entry(id, parentId, { type: 'custom', customType, data })

// Numbers by a seed, which a failing property test names.
export function random(seed) {
  let state = seed
  const next = (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor(state / 2 ** 32 * below)
  }
  return { next, pick: (list) => list[next(list.length)], chance: (percent) => next(100) < percent }
}
