// Names of tools: each fits every provider, no two are the same, and the same settings give the same names.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toolName } from '../../lib/mcp/names.ts'
import { randomFrom } from '../lib/random.mjs'

const FITS = /^[A-Za-z][A-Za-z0-9_]{0,63}$/
const a = (count) => 'a'.repeat(count)

for (const [server, tool, taken, name] of [
  ['files', 'read', [], 'files_read'],
  ['files', 'files_read', [], 'files_read'],
  ['files', 'files', [], 'files_files'],
  ['files', 'Files_read', [], 'files_Files_read'],
  ['my-server', 'my_server_x', [], 'my_server_x'],
  ['my-server', 'my-server_x', [], 'my_server_x'],
  ['context7', 'resolve-library-id', [], 'context7_resolve_library_id'],
  ['9p', 'x', [], 't_9p_x'],
  ['_', 'x', [], 't___x'],
  ['', 'x', [], 't__x'],
  ['ü', '漢字', [], 't___'],
  ['a', '😀.b', [], 'a___b'],
  ['a', '\ud800', [], 'a__'],
  ['a', '', [], 'a_'],
  ['a', a(62), [], `a_${a(62)}`],
  ['a', a(63), [], `a_${a(62)}`],
  ['9', a(80), [], `t_9_${a(60)}`],
  ['a', 'b', ['a_b'], 'a_b_2'],
  ['a', 'b', ['a_b', 'a_b_2', 'a_b_4'], 'a_b_3'],
  ['a', a(90), [`a_${a(62)}`], `a_${a(60)}_2`],
  ['a', a(90), [`a_${a(62)}`, ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `a_${a(60)}_${n}`)], `a_${a(59)}_10`],
]) {
  test(`${JSON.stringify([server, tool.slice(0, 20)])}, ${taken.length} taken: ${name}`, () =>
    assert.equal(toolName(server, tool, (one) => taken.includes(one)), name))
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
    const taken = new Set(['read', 'bash', 'a_a', 'a_b_2'])
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
