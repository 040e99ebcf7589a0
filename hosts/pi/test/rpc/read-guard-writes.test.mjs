// Read before write in a real pi: what happens between the gate's answer and the writing.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { extension, helper, world } from '../lib/pi.mjs'
import { connected, fakeWorld } from '../lib/ssh.mjs'
import { said, tool } from './moves.mjs'
import { batch, blocked, calls, changed, deleted, edit, file, guarded, kept, passed, read, unread, write,
} from './reads.mjs'

const DESTROY = ['bash', { command: 'rm -rf x' }]
const withConfirm = { extensions: ['confirm', 'read-guard'] }

// An answer of several calls, of which one makes a dialog. The results of the calls, in their order. `meanwhile` runs
// while the dialog waits.
async function whileAsked(pi, list, meanwhile) {
  const from = pi.lines.length
  const results = batch(pi, ...list)
  const dialog = await pi.dialog(from)
  meanwhile()
  pi.answer(dialog, 'Block')
  return results
}

const CHANGES = {
  write: calls.write('f', 'by the model\n'),
  edit: calls.edit('f', 'one', 'by the model'),
}

for (const [name, change] of Object.entries(CHANGES)) {
  test(`what a person saves while a dialog waits outlives the ${name} that passed before`, async (t) => {
    const w = await guarded(t, withConfirm)
    const path = file(w, 'f')
    const pi = w.start()
    passed(await read(pi, 'f'))
    const [result] = await whileAsked(pi, [change, DESTROY], () => writeFileSync(path, 'one, by the person\n'))
    blocked(result, changed('f'))
    assert.equal(readFileSync(path, 'utf8'), 'one, by the person\n')
    blocked(await edit(pi, 'f', 'person', 'model'), changed('f'))
    passed(await read(pi, 'f'))
    const [again] = await whileAsked(pi, [change, DESTROY], () => {})
    passed(again)
    assert.match(readFileSync(path, 'utf8'), /^by the model/)
  })
}

test('a file that a person makes while a dialog waits outlives a write, and a deletion holds', async (t) => {
  const w = await guarded(t, withConfirm)
  const path = file(w, 'f')
  const pi = w.start()
  passed(await read(pi, 'f'))
  const made = join(w.sandbox.project, 'made')
  const list = [calls.write('made'), calls.write('f'), calls.write('deep/new'), DESTROY]
  const [one, two, three] = await whileAsked(pi, list, () => {
    writeFileSync(made, 'by the person\n')
    rmSync(path)
  })
  blocked(one, unread('made'))
  assert.equal(two.isError, true)
  assert.ok(two.text.startsWith(deleted('f')), two.text)
  passed(three)
  assert.equal(readFileSync(made, 'utf8'), 'by the person\n')
  assert.equal(existsSync(path), false)
})

test('with the setting warn the change passes, and the model is told what it has overwritten', async (t) => {
  const w = await guarded(t, { ...withConfirm, settings: { xylem: { readGuard: 'warn' } } })
  const path = file(w, 'f')
  const pi = w.start()
  passed(await read(pi, 'f'))
  const [result] = await whileAsked(pi, [calls.write('f'), DESTROY], () => writeFileSync(path, 'by the person\n'))
  passed(result)
  assert.match(result.text, /Warning: f changed on disk after it was read\. The write was not blocked\.$/)
})

// The write waits in pi's queue of the file until bash of the same answer has changed the file.
test('what bash writes into a file outlives a write of the same answer', async (t) => {
  const w = await guarded(t, { helpers: ['commands', 'recorder', 'queue'] })
  const path = file(w, 'f')
  const pi = w.start()
  passed(await read(pi, 'f'))
  const answer = (command) => batch(pi, ['hold', { path: 'f', until: 'go' }], ['bash', { command }], calls.write('f'))
  const [, , third] = await answer('echo by bash >>f; touch go')
  blocked(third, changed('f'))
  assert.equal(readFileSync(path, 'utf8'), 'one\nby bash\n')
  rmSync(join(w.sandbox.project, 'go'))
  passed(await read(pi, 'f'))
  const results = await answer('touch go')
  results.forEach(passed)
  assert.equal(readFileSync(path, 'utf8'), 'new\n')
})

test('a write is noted where it writes: what a person saves behind it is a change', async (t) => {
  const w = await guarded(t, { helpers: ['commands', 'recorder', 'queue'] })
  const path = file(w, 'f')
  const pi = w.start()
  passed(await read(pi, 'f'))
  const command = 'until grep -q new f; do sleep 0.01; done; echo by bash >>f; touch go'
  const results = await batch(pi, calls.write('f'), ['bash', { command }], ['hold', { path: 'f', until: 'go' }],
    calls.write('f', 'again\n'))
  results.slice(0, 3).forEach(passed)
  blocked(results[3], changed('f'))
  assert.equal(readFileSync(path, 'utf8'), 'new\nby bash\n')
  assert.equal((await kept(w, pi)).length, 2)
})

// --- Whose write it is ---

const LATE = { XYLEM_TEST_WRITER: 'late' }
for (const [when, environment] of [['when it is loaded', {}], ['when its session starts', LATE]]) {
  for (const names of [['guard', 'writer'], ['writer', 'guard']]) {
    test(`a write that another extension registers ${when} stays, loaded as ${names.join(' and ')}`, async (t) => {
      const w = await world(t, { extensions: [], helpers: ['recorder'] })
      const paths = { guard: extension('read-guard'), writer: helper('writer') }
      const path = file(w, 'f')
      const pi = w.start(names.flatMap((name) => ['-e', paths[name]]), environment)
      blocked(await write(pi, 'f'), unread('f'))
      passed(await read(pi, 'f'))
      assert.equal((await write(pi, 'f')).text, 'written with a mark')
      assert.equal(readFileSync(path, 'utf8'), 'new\nmarked\n')
      passed(await edit(pi, 'f', 'marked', 'edited'))
      const notices = said(pi).match(/has a \w+ of its own/g)
      assert.deepEqual(notices, ['has a write of its own'], said(pi))
      assert.match(said(pi), /writer\.ts has a write of its own/)
    })
  }
}

test('the guard gives the model no tool that the person left out', async (t) => {
  const w = await guarded(t, { helpers: [] })
  file(w, 'f')
  for (const [args, wanted] of [[['--tools', 'read'], ['read']], [['--exclude-tools', 'write'], ['edit']],
    [['--no-builtin-tools'], []]]) {
    const pi = w.start(args)
    await pi.prompt('one')
    await pi.prompt('two')
    const names = (w.model.requests.at(-1).tools ?? []).map(({ function: { name } }) => name)
    assert.deepEqual(['read', 'edit', 'write'].filter((name) => names.includes(name) && (name !== 'read' ||
      args[0] === '--tools')), wanted, args.join(' '))
    await pi.stop()
  }
})

test('what the model is told of write and edit is what pi tells', async (t) => {
  const told = []
  for (const extensions of [[], ['read-guard']]) {
    const w = await world(t, { extensions })
    const pi = w.start()
    await pi.prompt('one')
    const { messages, tools } = w.model.requests.at(-1)
    told.push([messages[0].content.replaceAll(w.sandbox.root, ''), tools])
  }
  assert.deepEqual(told[1], told[0])
})

for (const extensions of [['confirm', 'read-guard', 'ssh'], ['ssh', 'read-guard', 'confirm']]) {
  test(`what a person saves on another machine outlives a write, loaded as ${extensions.join(', ')}`, async (t) => {
    const w = await fakeWorld(t, { extensions })
    w.put('project/f', 'one\n')
    const pi = await connected(w)
    for (const name of ['write', 'edit']) {
      const saved = `one, before ${name}\n`
      passed(await read(pi, 'f'))
      const [result] = await whileAsked(pi, [CHANGES[name], DESTROY], () => w.put('project/f', saved))
      blocked(result, changed('f'))
      assert.equal(w.got('project/f'), saved)
    }
    passed(await read(pi, 'f'))
    passed(await tool(pi, ...CHANGES.write))
    passed(await edit(pi, 'f', 'model', 'guard'))
    assert.equal(w.got('project/f'), 'by the guard\n')
    assert.equal(existsSync(w.here('f')), false)
    assert.doesNotMatch(said(pi), /of its own/)
  })
}
