// Names of tools: each fits every provider, no two are the same, and the same settings give the same names.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isToolName, toolName } from '../../lib/mcp/names.ts'
import { randomFrom } from '../lib/random.mjs'

const FITS = /^[A-Za-z][A-Za-z0-9_]{0,63}$/
const a = (count) => 'a'.repeat(count)

for (const [server, tool, taken, name] of [
  ['files', 'read', [], 'mcp__files__read'],
  ['files', 'files_read', [], 'mcp__files__files_read'],
  ['my-server', 'my-server_x', [], 'mcp__my_server__my_server_x'],
  ['context7', 'resolve-library-id', [], 'mcp__context7__resolve_library_id'],
  ['9p', 'x', [], 'mcp__9p__x'],
  ['', '', [], 'mcp____'],
  ['ü', '漢字', [], 'mcp_______'],
  ['a', '😀.b', [], 'mcp__a____b'],
  ['a', '\ud800', [], 'mcp__a___'],
  ['a', a(56), [], `mcp__a__${a(56)}`],
  ['a', a(57), [], `mcp__a__${a(56)}`],
  ['a', 'b', ['mcp__a__b'], 'mcp__a__b_2'],
  ['a', 'b', ['mcp__a__b', 'mcp__a__b_2', 'mcp__a__b_4'], 'mcp__a__b_3'],
  ['a', a(90), [`mcp__a__${a(56)}`], `mcp__a__${a(54)}_2`],
  ['a', a(90), [a(56), ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `${a(54)}_${n}`)].map((name) => `mcp__a__${name}`),
    `mcp__a__${a(53)}_10`],
]) {
  test(`${JSON.stringify([server, tool.slice(0, 20)])}, ${taken.length} taken: ${name}`, () =>
    assert.deepEqual([toolName(server, tool, (one) => taken.includes(one)), isToolName(name)], [name, true]))
}

// Names of letters that meet often, and now and then of any letter.
function randomName(random) {
  const letters = ['a', 'b', 'A', '_', '-', '.', '9', '/', ' ', 'ü', '😀', '\u0000', '\ud800']
  const length = random(random(4) ? 4 : 90)
  return Array.from({ length }, () => letters[random(random(2) ? 3 : letters.length)]).join('')
}

test('20,000 random names fit, differ from all others, and come again', (t) => {
  const seed = Number(process.env.XYLEM_SEED ?? Date.now())
  t.diagnostic(`XYLEM_SEED=${seed}`)
  const names = () => {
    const random = randomFrom(seed)
    const taken = new Set(['mcp__a__a', 'mcp__a__b_2'])
    return Array.from({ length: 20000 }, () => {
      const [server, tool] = [randomName(random), randomName(random)]
      const name = toolName(server, tool, (one) => taken.has(one))
      assert.match(name, FITS, `XYLEM_SEED=${seed}: ${JSON.stringify([server, tool])}`)
      assert.ok(!taken.has(name), `XYLEM_SEED=${seed}: ${name} twice`)
      taken.add(name)
      return name
    })
  }
  assert.deepEqual(names(), names())
})
