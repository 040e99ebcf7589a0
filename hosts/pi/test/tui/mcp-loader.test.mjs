// MCP servers in a terminal.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { command, mcpWorld } from '../mcp/worlds.mjs'

test('a call shows its input, and a result five lines; neither moves the cursor', async (t) => {
  const w = await mcpWorld(t, ({ raw }) => ({ mcp: { evil: raw(`
    on = (m) => usual(m, [{ name: 'x', description: 'd', inputSchema: schema }],
      () => text('a\\x1b]0;owned\\x07b\\x1b[2J\\ttab\\n' + 'line\\n'.repeat(5) + 'the end'))`) } }))
  const terminal = await w.terminal([], { columns: 100, rows: 50 })
  await terminal.submit('~tool mcp__evil__x {"a":"\\u001b[31m"}')
  await terminal.wait('… 2 more lines')
  for (const wanted of ['evil/x {"a":"\\u001b[31m"}', 'a\\u001b]0;owned\\u0007b\\u001b[2J  tab']) {
    await terminal.wait(wanted)
  }
  await terminal.gone('the end')
  await terminal.keys('C-o')
  await terminal.wait('the end')
})

for (const columns of [100, 40]) {
  test(`the first turn says for whom it waits, and the list shows each server, ${columns} columns wide`, async (t) => {
    const w = await mcpWorld(t, ({ local, raw, place }) => ({ mcp: { files: local(), late: raw(`
      import { existsSync } from 'node:fs'
      const go = () => existsSync('${place}/go')
      on = (m) => go() ? usual(m, []) : setTimeout(on, 20, m)`), gone: { type: 'local', command: ['/no/such'] } } }))
    const terminal = await w.terminal([], { columns, rows: 50 })
    await terminal.submit('hello')
    await terminal.wait(/mcp: waiting for .*late/)
    assert.equal(w.model.requests.length, 0)
    writeFileSync(join(w.place, 'go'), '')
    await terminal.wait('heard: hello')
    await terminal.gone('waiting for')
    await terminal.wait('Warning: mcp: gone: spawn /no/such')
    await terminal.submit(command)
    for (const wanted of ['● files: local, connected, 18 tools', '● late: local, connected, 0 tools',
      '✗ gone: local, failed']) {
      await terminal.wait(wanted)
    }
  })
}
