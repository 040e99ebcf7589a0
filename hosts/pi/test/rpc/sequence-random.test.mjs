// Random scripts with kills: no step is sent twice without a decision, none is lost, and none is sent in another
// session. XYLEM_SEED=N repeats a script, as far as its moments come again; XYLEM_SEQUENCE_SCRIPTS is the number of
// scripts; XYLEM_SEQUENCE_WORDS=1 prints each script in words.
import { test } from 'node:test'
import { world } from '../lib/pi.mjs'
import { prove } from './proof.mjs'
import { describe, makeScript, OPTIONS, play } from './scripts.mjs'

const SCRIPTS = Number(process.env.XYLEM_SEQUENCE_SCRIPTS ?? 6)
const first = Number(process.env.XYLEM_SEED ?? Date.now() % 1e9)

for (let seed = first; seed < first + SCRIPTS; seed++) {
  test(`a run with random kills, seed ${seed}`, async (t) => {
    const script = makeScript(seed)
    const w = await world(t, OPTIONS)
    try {
      await prove(script, await play(script, w))
    } catch (error) {
      throw new Error(describe(script), { cause: error })
    }
    if (process.env.XYLEM_SEQUENCE_WORDS) {
      console.log(describe(script))
    }
  })
}
