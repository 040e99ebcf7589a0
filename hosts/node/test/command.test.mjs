// A store of the addon in the command, and a store of the command in the addon. The addon may be made for another
// processor than the command.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { header, line, scratch, toggle, xylem } from './lib.mjs'

const command = process.env.XYLEM_BIN // tools/node_test.sh sets the variable
const lines = [line('e1', null, { text: 'x' }), toggle('e2', 'e1', true), line('e3', 'e2')]
const file = [header('s'), ...lines, ''].join('\n')

// The stores lie below `directory`.
function run(directory, ...args) {
  const env = { PATH: process.env.PATH, HOME: directory, XYLEM_STORE: join(directory, 'store') }
  return execFileSync(command, args, { encoding: 'utf8', env })
}

test('the command reads what the addon wrote, and writes on', (t) => {
  const directory = scratch(t)
  const store = xylem.open(join(directory, 'store'), { create: true })
  store.mirror({ header: header('s'), lines })
  const state = JSON.parse(store.rehydrate('s').json)
  store.close()
  assert.equal(run(directory, 'export', 's'), file)
  assert.deepEqual(JSON.parse(run(directory, 'state', 's', '--json')).readonly, state.readonly)
  run(directory, 'verify')
  run(directory, 'append', 's', '--kind', 'custom:readonly', '--data', '{"enabled":false}')
  const again = xylem.open(join(directory, 'store'))
  assert.equal(again.session('s').entryCount, 4)
  assert.equal(again.rehydrate('s').readonly, false)
  again.close()
})

test('the addon reads what the command wrote, and writes on', (t) => {
  const directory = scratch(t)
  writeFileSync(join(directory, 's.jsonl'), file)
  run(directory, 'import', '--quiet', join(directory, 's.jsonl'))
  const store = xylem.open(join(directory, 'store'))
  assert.equal(store.session('s').entryCount, 3)
  assert.equal(store.rehydrate('s').readonly, true)
  store.mirror({ header: header('s'), lines: [...lines, line('e4', 'e3')] })
  store.close()
  assert.equal(run(directory, 'export', 's'), `${file}${line('e4', 'e3')}\n`)
  run(directory, 'verify')
})
