// Several gates: whichever extensions are loaded, and in whichever order, the gates are asked by rank, and the first
// block ends the questions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extension, helper, world } from '../lib/pi.mjs'
import { asked, call, settle, toggle } from './moves.mjs'

const PATHS = { readonly: extension('readonly'), gate: helper('gate'), confirm: extension('confirm') }
const BY_RANK = Object.keys(PATHS)
const WORDS = { readonly: /^Readonly mode:/, gate: /^the gate of the test blocks$/, confirm: /^Blocked:/ }

// Who objects to a command, if asked.
const COMMANDS = {
  'echo fine': [],
  'rm -r x': ['readonly', 'confirm'],
  'rm -r GATE': ['readonly', 'gate', 'confirm'],
  'echo GATE': ['gate'],
}

const orders = (names) => names.length < 2 ? [names]
  : names.flatMap((name) => orders(names.filter((other) => other !== name)).map((rest) => [name, ...rest]))
const subsets = BY_RANK.reduce((sets, name) => [...sets, ...sets.map((set) => [...set, name])], [[]])

async function findings(w, pi, loaded) {
  for (const [command, objecting] of Object.entries(COMMANDS)) {
    const by = BY_RANK.find((name) => loaded.includes(name) && objecting.includes(name))
    const before = w.records('gate').length
    const { text } = await asked(pi, call(command), ...by === 'confirm' ? ['Block'] : [])
    const said = Object.keys(WORDS).find((name) => WORDS[name].test(text))
    assert.equal(said, by, `${command}: ${text}`)
    assert.equal(w.records('gate').length - before, loaded.includes('gate') && by !== 'readonly' ? 1 : 0, command)
  }
}

for (const subset of subsets) {
  for (const loaded of orders(subset)) {
    test(`the gates of [${loaded.join(', ')}] are asked by rank, and again after a reload`, async (t) => {
      const w = await world(t, { extensions: [], helpers: ['commands'] })
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
