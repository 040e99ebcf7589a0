// Several gates: whichever extensions are loaded, and in whichever order, the gates are asked by rank, and the first
// block ends the questions.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { extension, helper, world } from '../lib/pi.mjs'
import { asked, call, settle, toggle } from './moves.mjs'

// The gates by rank: the extension, how its blocks begin, and whether a dialog of the gate asks before it blocks.
const GATES = {
  readonly: { path: extension('readonly'), words: /^Readonly mode:/ },
  test: { path: helper('gate'), words: /^the gate of the test blocks$/ },
  confirm: { path: extension('confirm'), words: /^Blocked: .*The person did not allow it/, asks: true },
  readGuard: { path: extension('read-guard'), words: /^Blocked: .* was not read in this session/ },
}
const BY_RANK = Object.keys(GATES)

// Calls, and the gates that object to a call, if they are asked.
const CALLS = [
  [call('echo fine'), []],
  [call('rm -r x'), ['readonly', 'confirm']],
  [call('rm -r GATE'), ['readonly', 'test', 'confirm']],
  [call('echo GATE'), ['test']],
  ['~tool write {"path":"new.txt","content":"x"}', ['readonly']],
  ['~tool write {"path":"new.txt","content":"GATE"}', ['readonly', 'test']],
  [`~tool edit ${JSON.stringify({ path: 'old.txt', edits: [{ oldText: 'a', newText: 'b' }] })}`,
    ['readonly', 'readGuard']],
  [`~tool edit ${JSON.stringify({ path: 'old.txt', edits: [{ oldText: 'a', newText: 'GATE' }] })}`,
    ['readonly', 'test', 'readGuard']],
]

const both = (names) => names.length < 2 ? [names] : [names, names.toReversed()]
const subsets = BY_RANK.reduce((sets, name) => [...sets, ...sets.map((set) => [...set, name])], [[]])

async function findings(w, pi, loaded) {
  const rankOf = (name) => BY_RANK.indexOf(name)
  for (const [message, objecting] of CALLS) {
    const by = BY_RANK.find((name) => loaded.includes(name) && objecting.includes(name))
    const before = w.records('gate').length
    const { text } = await asked(pi, message, ...GATES[by]?.asks ? ['Block'] : [])
    assert.equal(BY_RANK.find((name) => GATES[name].words.test(text)), by, `${message}: ${text}`)
    const isTestAsked = loaded.includes('test') && (by === undefined || rankOf(by) >= rankOf('test'))
    assert.equal(w.records('gate').length - before, isTestAsked ? 1 : 0, message)
  }
}

test('the table of this suite has each gate of the package, in the order of the ranks', () => {
  const source = readFileSync(new URL('../../lib/guard/gate.ts', import.meta.url), 'utf8')
  const [, ranks] = /export const RANK = \{ (.*) \}/.exec(source)
  const names = ranks.split(', ').map((rank) => rank.split(': ')).sort(([, a], [, b]) => a - b).map(([name]) => name)
  assert.deepEqual(['ssh', 'mcp', ...BY_RANK.filter((name) => name !== 'test')], names) // rpc/ssh-fake, rpc/mcp-listed
})

for (const subset of subsets) {
  for (const loaded of both(subset)) {
    test(`the gates of [${loaded.join(', ')}] are asked by rank, and again after a reload`, async (t) => {
      const w = await world(t, { extensions: [], helpers: ['commands'] })
      writeFileSync(join(w.sandbox.project, 'old.txt'), 'a\n')
      const pi = w.start(loaded.flatMap((name) => ['-e', GATES[name].path]))
      if (loaded.includes('readonly')) {
        await toggle(pi, 'on')
      }
      await findings(w, pi, loaded)
      await pi.command('/again')
      if (loaded.includes('readonly')) {
        await settle(pi)
      }
      await findings(w, pi, loaded)
    })
  }
}
