// Worlds with a fleet, whose program is a fake.
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { node, world, xylem } from './pi.mjs'

const FAKE = fileURLToPath(new URL('./fake-xylem.mjs', import.meta.url))

// A world whose settings ship the project; `fleet` has other settings. `put` and `say` write what the fake gives.
export async function fleetWorld(t, { fleet, ...options } = {}) {
  const w = await world(t, { extensions: ['fleet'], helpers: ['commands'], ...options })
  const folder = join(w.sandbox.root, 'fleet')
  const bin = join(w.sandbox.root, 'bin')
  const settings = join(w.sandbox.agent, 'settings.json')
  mkdirSync(folder)
  mkdirSync(bin)
  writeFileSync(join(bin, 'xylem'), `#!/bin/sh\nexec '${node}' '${FAKE}' '${folder}' "$@"\n`)
  chmodSync(join(bin, 'xylem'), 0o755)
  Object.assign(w.sandbox.environment, { PATH: `${bin}:${process.env.PATH}`, XYLEM_REAL: xylem })
  writeFileSync(settings, JSON.stringify({ ...JSON.parse(readFileSync(settings, 'utf8')),
    xylem: { fleet: fleet ?? { directories: [w.sandbox.project] } } }))
  const at = (name) => join(folder, name)
  const calls = (verb) => (existsSync(at('calls')) ? readFileSync(at('calls'), 'utf8') : '').split('\n').filter(Boolean)
    .map((line) => JSON.parse(line)).filter(({ args }) => !verb || args[0] === verb)
  return Object.assign(w, {
    bin,
    put: (name, value) => writeFileSync(at(name), typeof value === 'string' ? value : JSON.stringify(value)),
    say: (document) => appendFileSync(at('events'), `${JSON.stringify(document)}\n`),
    calls,
    ships: () => calls('ship').filter(({ args }) => args.includes('--follow')),
    alive: () => calls('ship').filter(({ args, pid }) => args.includes('--follow') && isAlive(pid)),
  })
}

function isAlive(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1][0] !== 'Z'
  } catch {
    return false
  }
}

// A row of `xylem fleet sessions`.
export const row = (session, more) => ({ session, host: 'maple', silent_ms: 3_600_000, epoch: 1,
  active: '2026-11-22T00:00:00.000Z', entry_count: 3, changes: 4, lag: 0, here: null, deleted: false, freed: false,
  cwd: null, name: null, ...more })
