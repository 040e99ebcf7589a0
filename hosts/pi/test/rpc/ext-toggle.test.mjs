// /ext without a terminal: the list, as a text.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { extension, world } from '../lib/pi.mjs'
import { changeSettings, runPi, said } from './moves.mjs'

const CODE = 'export default () => {}\n'

async function extPi(t, files) {
  const w = await world(t, { extensions: ['ext-toggle'] })
  const directory = join(w.sandbox.agent, 'extensions')
  mkdirSync(directory)
  for (const file of files) {
    writeFileSync(join(directory, file), CODE)
  }
  return { w, directory }
}

test('over RPC /ext is a list in a notice, and switches nothing', async (t) => {
  const { w, directory } = await extPi(t, ['alpha.ts', 'beta.ts.off'])
  mkdirSync(join(directory, 'tools'))
  writeFileSync(join(directory, 'tools/index.ts'), CODE)
  changeSettings(w, { packages: [] })
  const pi = w.start()
  await pi.command('/ext off alpha')
  assert.equal(said(pi), `Extensions in ~/.pi/agent/extensions\n● enabled alpha\n○ disabled beta\n[dir] tools/`)
  assert.deepEqual(readdirSync(directory).sort(), ['alpha.ts', 'beta.ts.off', 'tools'])
})

test('over RPC /ext is refused while the agent works', async (t) => {
  const { w } = await extPi(t, ['alpha.ts'])
  const pi = w.start()
  await pi.send('prompt', { message: '~hold' })
  await w.model.asked(1)
  await pi.command('/ext')
  assert.match(said(pi), /the agent is working/)
  w.model.release()
})

test('settings that cannot be read leave the list of files', async (t) => {
  const { w } = await extPi(t, ['alpha.ts'])
  const pi = w.start()
  await pi.command('/ext')
  writeFileSync(join(w.sandbox.agent, 'settings.json'), '{')
  await pi.command('/ext')
  assert.equal(said(pi), Array(2).fill('Extensions in ~/.pi/agent/extensions\n● enabled alpha').join('\n'))
})

test('in print mode /ext ends without an error', async (t) => {
  const { w } = await extPi(t, ['alpha.ts'])
  const { code, output } = await runPi(w, ['-p', '/ext'], [extension('ext-toggle')])
  assert.deepEqual([code, output.trim()], [0, ''])
})
