// Every tool has a result that is kept, over sessions that are kept: golden/TOOL.txt. UPDATE=1 writes the results anew.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { entry, fixtures, keeps, makeWorld, says } from './lib/world.mjs'

const SCENE = join(fixtures, 'sessions/pi-0.87.1/rpc-scenario')
const ONE = '01a1f9f7-22cb-72e7-96e0-96825857127f'
const FORK = '01a1f9f7-23f3-72e7-96e0-968898789fa5'
const MADE = '01a1f9f7-9999-7000-8000-000000000001'
const TOKEN = `ghp_${'NotARealKey0123456789abcdefghij12345678'.slice(0, 36)}`

const calls = {
  sessions_list: [{}, { name: 'scenario', limit: 2 }],
  sessions_search: [{ query: 'branch question' }, { pattern: 'echo: .*resume', kind: ['assistant'], limit: 1 }, { query: 'nobody said so' }],
  session_tree: [{ session: ONE, kind: ['user'] }],
  session_log: [{ session: ONE, limit: 3 }, { session: ONE, from: '8d16e680', limit: 2 }, { session: MADE }],
  entry_show: [{ handles: [`${ONE}:88fe2aff`, FORK] }, { handles: [`${MADE}:long0001`], max_bytes: 4096 },
    { handles: [`${MADE}:long0001`], max_bytes: 4096, offset: 900 }],
  session_state: [{ session: ONE }, { session: MADE, entry: 'seq00001' }],
  session_diff: [{ a: ONE, b: FORK }],
  sequence_show: [{ session: MADE }],
  store_status: [{}],
}

test('each tool gives the result that is kept', async (t) => {
  const world = makeWorld(t)
  world.xylem('import', '-q', SCENE)
  world.importSession({ id: MADE, cwd: '/home/dev/proj', timestamp: '2026-11-20T10:00:00.000Z' }, [
    says('ask00001', null, 'user', `the key is ${TOKEN}`),
    keeps('todo0001', 'ask00001', 'todo', { lastId: 1, items: [{ id: 1, text: `hide ${TOKEN}`, done: false }] }),
    keeps('seq00001', 'todo0001', 'sequence', { version: 1, sequenceId: 'f3b9f9a2-0000-4000-8000-000000000001',
      steps: ['/readonly on', 'Look at $1'], updatedAt: 1795000000000 }),
    says('long0001', 'seq00001', 'assistant', `${'words and words, '.repeat(600)}the end`),
    entry('label001', 'long0001', { type: 'label', targetId: 'long0001', label: 'the long one' }),
  ])
  const { call } = await world.connect()
  for (const [tool, inputs] of Object.entries(calls)) {
    let told = ''
    for (const input of inputs) {
      const { content, structuredContent, isError } = await call(tool, input)
      assert.ok(!isError, `${tool}: ${content[0].text}`)
      told += `--- ${tool} ${JSON.stringify(input)}\n\n${content[0].text}\n\n${JSON.stringify(structuredContent, null, 1)}\n\n`
    }
    told = told.replaceAll(world.root, '/ROOT').replaceAll(SCENE, '/SCENE')
      .replace(/"(uuid|check)": "[^"]*"/g, '"$1": "..."').replace(/\b(uuid|check) [0-9a-f-]+/g, '$1 ...')
    assert.ok(!told.includes(TOKEN), `${tool} shows a secret`)
    const file = fileURLToPath(new URL(`golden/${tool}.txt`, import.meta.url))
    if (process.env.UPDATE) {
      writeFileSync(file, told)
    }
    assert.ok(existsSync(file), `there is no ${file}: UPDATE=1 writes it`)
    assert.equal(told, readFileSync(file, 'utf8'), `${tool} gives another result: UPDATE=1 writes the results anew`)
  }
})
