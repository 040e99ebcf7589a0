// The package of a clone, installed as a person installs it.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { node, piPath, world } from '../lib/pi.mjs'
import { asked, BLOCKED, call, changeSettings, exported, isOn, settle, toggle, write } from './moves.mjs'

const pi = (w, ...words) => execFileSync(node, [piPath, ...words],
  { cwd: w.sandbox.project, env: w.sandbox.environment, encoding: 'utf8' })

const folder = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

test('pi install of the folder: every later pi has readonly, until pi remove', async (t) => {
  const w = await world(t, { extensions: [], helpers: ['commands'] })
  pi(w, 'install', folder)
  const first = w.start()
  await toggle(first, 'on')
  assert.equal((await write(first)).text, BLOCKED)
  const id = await first.sessionId()
  await exported(w, id)
  await first.command('/again')
  await settle(first)
  assert.equal(isOn(first), true)
  await first.stop()
  const second = w.start(['--continue'])
  await settle(second)
  assert.equal(isOn(second), true)
  await second.stop()
  pi(w, 'remove', folder)
  const third = w.start(['--continue'])
  assert.equal((await write(third)).isError, false)
})

test('behind a reload the filter of the README leaves readonly, confirm and the store', async (t) => {
  const w = await world(t, { extensions: [], helpers: ['commands'] })
  pi(w, 'install', folder)
  const running = w.start()
  const features = async () => (await running.send('get_commands')).commands.map(({ name }) => name)
    .filter((name) => ['readonly', 'undo', 'ext', 'find', 'sequence', 'todos'].includes(name))
  assert.equal((await features()).length, 6)
  const [, filter] = /```json\n(.*)\n```/.exec(readFileSync(`${folder}/README.md`, 'utf8'))
  changeSettings(w, JSON.parse(filter.replace('/path/to/hosts/pi', folder)))
  await running.command('/again')
  await settle(running)
  assert.deepEqual(await features(), ['readonly'])
  assert.match((await asked(running, call('rm -r x'), 'Block')).text, /^Blocked/)
  await exported(w, await running.sessionId())
  assert.match(pi(w, 'list'), /\(filtered\)/)
})
