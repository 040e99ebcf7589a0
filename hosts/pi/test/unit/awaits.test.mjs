// Behind an await of the package its session is there: each await is `await live(...)`, but for a list. The test
// rpc/awaits replaces the session at each of these calls.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { awaitsOf, sources } from '../lib/awaits.mjs'

// Places without the guard, by the reason: a file; or a file, and a function or an event.
const EXCEPTIONS = {
  'no session is there yet, or none any more': ['owner.ts join', 'owner.ts #start', 'owner.ts #begin',
    'owner.ts #end', 'mcp/mcp-loader.ts mcpLoader', 'mcp/mcp-loader.ts session_shutdown', 'ssh/ssh.ts session_shutdown', 'ssh/session.ts end'],
  'keeps what pi has, also at the end of the session': ['store/session.ts', 'store/mirror.ts'],
  "pi's own operations of a tool, which pi awaits": ['guard/file-tools.ts', 'guard/read-guard.ts around',
    'mcp/tools.ts execute', 'ssh/tools.ts remoteOperations', 'ssh/tools.ts execute'],
  'a run outlives its sessions: `isOver` of the play, or of the life, is the guard': ['sequence/player.ts',
    'sequence/turns.ts', 'sequence/menu.ts run', 'sequence/menu.ts hold', 'sequence/menu.ts decide'],
  'closes its store, whatever became of the session': ['sequence/plays.ts withStore'],
  'its signal ends the dialogs with the session': ['sequence/recorder.ts', 'sequence/recorder-editor.ts',
    'guard/choice.ts chooseToLeave'],
}

const awaits = sources.flatMap((name) => awaitsOf(name))
const listed = Object.values(EXCEPTIONS).flat()
const covers = (exception, place) => exception === place || exception === place.split(' ')[0]

test('each await of a file that has to do with sessions is a call of live, but for a list', () => {
  const open = awaits.filter(({ place, isGuarded }) => !isGuarded && !listed.some((one) => covers(one, place)))
  assert.deepEqual(open.map(({ place, code }) => `${place}: ${code}`), [])
  assert.ok(awaits.filter(({ isGuarded }) => isGuarded).length > 100)
})

test('each exception of the list is needed', () => {
  assert.deepEqual(listed.filter((one) => !awaits.some(({ place, isGuarded }) => !isGuarded && covers(one, place))), [])
})

// The test of the test.
test('the rule sees each kind of await, and a file without a session is free', () => {
  const code = `async function act() {
    await live(x)
    await (await this.#live(load()))?.look(ctx)
    await this.#owner.live(x); for await (const one of live(x)) { await one }
    const run = async () => await live
  }`
  const found = (type) => awaitsOf('a.ts', `import type { ${type} } from './pi.ts'\n${code}`)
  assert.deepEqual(found('ExtensionCommandContext as Context').map(({ place, isGuarded }) => [place, isGuarded]),
    [['a.ts act', true], ['a.ts act', false], ['a.ts act', true], ['a.ts act', true], ['a.ts act', false],
      ['a.ts act', false], ['a.ts run', false]])
  assert.deepEqual(found('Store'), [])
})
