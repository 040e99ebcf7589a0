// Several gates: whichever extensions are loaded, and in whichever order, the gates are asked by rank, and the first
// block ends the questions.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { extension, helper, world } from '../lib/pi.mjs'
import { asked, call, settle, toggle } from './moves.mjs'

const PATHS = { readonly: extension('readonly'), gate: helper('gate'), confirm: extension('confirm'),
  'read-guard': extension('read-guard') }
const BY_RANK = Object.keys(PATHS)
const WORDS = { readonly: /^Readonly mode:/, gate: /^the gate of the test blocks$/, confirm: /^Blocked: .*removes whole trees/,
  'read-guard': /^Blocked: .* was not read in this session/ }

// Who objects to a call, if asked.
const edit = (path) => `~tool edit ${JSON.stringify({ path, edits: [{ oldText: 'one', newText: 'one' }] })}`
const CALLS = {
  [call('echo fine')]: [],
  [call('rm -r x')]: ['readonly', 'confirm'],
  [call('rm -r GATE')]: ['readonly', 'gate', 'confirm'],
  [call('echo GATE')]: ['gate'],
  [edit('unread')]: ['readonly', 'read-guard'],
  [edit('GATE')]: ['readonly', 'gate', 'read-guard'],
}

const orders = (names) => names.length < 2 ? [names]
  : names.flatMap((name) => orders(names.filter((other) => other !== name)).map((rest) => [name, ...rest]))
// All orders of three gates; with the fourth the reverse order of the ranks.
const ordersOf = (names) => names.includes('read-guard') ? [names.toReversed()] : orders(names)
const subsets = BY_RANK.reduce((sets, name) => [...sets, ...sets.map((set) => [...set, name])], [[]])

async function findings(w, pi, loaded) {
  for (const [line, objecting] of Object.entries(CALLS)) {
    const by = BY_RANK.find((name) => loaded.includes(name) && objecting.includes(name))
    const before = w.records('gate').length
    const { text } = await asked(pi, line, ...by === 'confirm' ? ['Block'] : [])
    const said = Object.keys(WORDS).find((name) => WORDS[name].test(text))
    assert.equal(said, by, `${line}: ${text}`)
    assert.equal(w.records('gate').length - before, loaded.includes('gate') && by !== 'readonly' ? 1 : 0, line)
  }
}

for (const subset of subsets) {
  for (const loaded of ordersOf(subset)) {
    test(`the gates of [${loaded.join(', ')}] are asked by rank, and again after a reload`, async (t) => {
      const w = await world(t, { extensions: [], helpers: ['commands'] })
      for (const name of ['unread', 'GATE']) {
        writeFileSync(join(w.sandbox.project, name), 'one\n')
      }
      const pi = w.start(loaded.flatMap((name) => ['-e', PATHS[name]]))
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
