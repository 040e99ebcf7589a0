// What a call costs beside its command: medians of turns, in milliseconds. Nothing is asserted. The command runs as the
// server runs it, from a Node that is warm.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { build, environment, fixtures, makeWorld, serverPath } from './lib/world.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 60)
const ONE = '01a1f9f7-22cb-72e7-96e0-96825857127f'
const FORK = '01a1f9f7-23f3-72e7-96e0-968898789fa5'
const ends = []
const world = makeWorld({ after: (end) => ends.push(end) })
world.tried('import', '-q', join(fixtures, 'sessions/pi-0.87.1'))
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1]
const timed = async (run) => {
  const began = performance.now()
  await run()
  return performance.now() - began
}
const command = (...words) => new Promise((done) =>
  execFile(join(build, 'xylem'), ['-s', world.store, ...words], { env: environment, maxBuffer: 1 << 28 }, done))

const starts = []
for (let i = 0; i < 11; i++) {
  starts.push(await timed(async () => {
    const child = spawn(process.execPath, [serverPath, '-s', world.store], { env: environment, stdio: ['pipe', 'pipe', 'ignore'] })
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},' +
      '"clientInfo":{"name":"speed","version":"1"}}}\n')
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
  }))
}

const { call, client, transport } = await world.connect()
const redacted = '--redact-secrets'
const turns = {
  sessions_list: [{}, ['sessions', '--json', '-n', '26', redacted]],
  sessions_search: [{ query: 'question' }, ['search', '--json', '-n', '11', redacted, 'question']],
  session_tree: [{ session: ONE }, ['tree', redacted, ONE]],
  session_log: [{ session: ONE, limit: 10 }, ['log', '--json', '-n', '11', redacted, ONE]],
  entry_show: [{ handles: [ONE] }, ['show', '--json', redacted, ONE]],
  session_state: [{ session: ONE }, ['state', '--json', redacted, ONE]],
  session_diff: [{ a: ONE, b: FORK }, ['diff', '--json', redacted, ONE, FORK]],
  store_status: [{}, ['stat', '--json']],
}
console.log(`figures: start of the server ${median(starts).toFixed(0)} ms, ` +
  `${Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${transport.pid}/status`, 'utf8'))[1]) / 1024)} MiB; p50 of a call, of its command, beyond it:`)
for (const [tool, [input, words]] of Object.entries(turns)) {
  const calls = []
  const commands = []
  for (let i = 0; i < ROUNDS; i++) {
    calls.push(await timed(() => call(tool, input)))
    commands.push(await timed(() => command(...words)))
  }
  const [a, b] = [median(calls), median(commands)]
  console.log(`figures: ${tool} ${a.toFixed(1)}, ${b.toFixed(1)}, ${(a - b).toFixed(1)} ms`)
}
await client.close()
ends.forEach((end) => end())
