// When /ext refuses: extensions that must not vanish now, and an agent that works.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { HINT, apply, enter, extTerminal, mark, open } from './ext-lists.mjs'
import { recordAndRun } from './recording.mjs'

test('readonly cannot be switched off while readonly is on, and can be when readonly is off', async (t) => {
  const { terminal, names } = await extTerminal(t, [], { links: ['readonly'] })
  await terminal.submit('/readonly on')
  await terminal.wait('Readonly is on')
  await open(terminal, 'Readonly is on: /readonly off comes first')
  await terminal.keys('Space', 'Enter')
  await terminal.gone(HINT)
  assert.deepEqual(names(), ['readonly.ts'])
  await terminal.submit('/readonly off')
  await terminal.wait('Readonly is off')
  await open(terminal)
  await mark(terminal, 0, '1 change')
  await apply(terminal, 'Extensions: readonly is off')
  assert.deepEqual(names(), ['readonly.ts.off'])
})

test('readonly that goes on while the list is open stays', async (t) => {
  const { w, terminal, names } = await extTerminal(t, ['alpha.ts'], { links: ['readonly'] })
  await open(terminal)
  await mark(terminal, 0, '1 change')
  await mark(terminal, 1, '2 changes')
  writeFileSync(join(w.sandbox.project, 'prompt'), '/readonly on')
  await terminal.wait('🔒 readonly')
  await enter(terminal, '/ext: readonly stays on: Readonly is on: /readonly off comes first')
  await terminal.wait('Extensions: alpha is off')
  assert.deepEqual(names(), ['alpha.ts.off', 'readonly.ts'])
})

test('sequence cannot be switched off while a sequence is running', async (t) => {
  const { w, terminal, names } = await extTerminal(t, [], { links: ['sequence'], helpers: ['clock', 'offers'] })
  await recordAndRun(terminal, ['/linger'], '1')
  await terminal.wait('⟳ sequence 1/1 · step 1/1 · /linger')
  writeFileSync(join(w.sandbox.project, 'prompt'), '/ext') // a person's /ext waits for the end of the sequence
  await terminal.wait('A sequence is running')
  await terminal.keys('Space', 'Enter')
  await terminal.gone(HINT)
  writeFileSync(join(w.sandbox.project, 'go'), '')
  await terminal.wait('✓ sequence')
  await open(terminal)
  await mark(terminal, 0, '1 change')
  await apply(terminal, 'Extensions: sequence is off')
  assert.deepEqual(names(), ['sequence.ts.off'])
})

test('ssh cannot be switched off while --ssh is in use', async (t) => {
  const flag = "export default (pi) => pi.registerFlag('ssh', { type: 'string' })\n"
  for (const [args, isGuarded] of [[['--ssh', 'a@b'], true], [[], false]]) {
    const { w, terminal, directory, names } = await extTerminal(t, [])
    writeFileSync(join(directory, 'ssh.ts'), flag)
    const second = await w.terminal(args)
    await open(second, isGuarded ? 'pi works on another machine by --ssh' : HINT)
    await second.keys('Space')
    await second.keys('Enter')
    await second.gone(HINT)
    await (isGuarded ? undefined : second.wait('Extensions: ssh is off'))
    assert.deepEqual(names(), [isGuarded ? 'ssh.ts' : 'ssh.ts.off'])
  }
})

test('/ext does not switch itself off', async (t) => {
  const { terminal, names } = await extTerminal(t, [], { extensions: [], links: ['ext-toggle'] })
  await open(terminal, 'Nothing could switch /ext on again')
  await terminal.keys('Space', 'Enter')
  await terminal.gone(HINT)
  assert.deepEqual(names(), ['ext-toggle.ts'])
})

test('/ext is refused while the agent works, and while a turn began behind the open list', async (t) => {
  const { w, terminal, names } = await extTerminal(t, ['alpha.ts'])
  await terminal.submit('~hold')
  await w.model.asked(1)
  await terminal.submit('/ext')
  await terminal.wait('/ext: the agent is working. Switch extensions when it is idle')
  w.model.release()
  await terminal.wait('held')
  await w.until(() => w.records('agent_settled').length === 1, 'the end of the turn')
  await open(terminal)
  await mark(terminal, 0, '1 change')
  writeFileSync(join(w.sandbox.project, 'prompt'), '~hold') // the helper sends the prompt
  await w.model.asked(2)
  await enter(terminal, '/ext: the agent is working, and nothing was switched')
  w.model.release()
  assert.deepEqual(names(), ['alpha.ts'])
})
