// Checkpoints in a terminal: the status, the question before a fork, the list.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { world } from '../lib/pi.mjs'
import { repository } from '../lib/repository.mjs'
import { call } from '../rpc/moves.mjs'

async function kept(t, size, extensions = ['checkpoint']) {
  const w = await world(t, { extensions })
  repository(w.sandbox.project)
  const terminal = await w.terminal([], size)
  return { w, terminal, a: () => readFileSync(join(w.sandbox.project, 'a.txt'), 'utf8') }
}

const unfolded = (screen) => screen.replace(/\s+/g, ' ')

async function forkFirst(terminal) {
  await terminal.submit('/fork')
  await terminal.wait('Fork from Message')
  await terminal.keys('Enter')
}

for (const [columns, rows] of [[100, 30], [40, 24]]) {
  test(`at ${columns} columns the status counts, and the fork asks; Escape keeps`, async (t) => {
    const { terminal, a } = await kept(t, { columns, rows })
    await terminal.type('~tool write {"path":"a.txt","content":"two\\n"}')
    await terminal.wait('the tool answered')
    await terminal.wait('⎇ 2 checkpoints')
    await forkFirst(terminal)
    await terminal.wait('→ Keep the files')
    const screen = unfolded(await terminal.screen())
    assert.match(screen, /Restore the files of [\d:]{8} in the fork\? 1 file \(a\.txt\) to restore\. A checkpoint of the files/)
    assert.match(screen, /as they are comes first\. → Keep the files as they are Restore the files/)
    await terminal.answer('Escape')
    await terminal.gone('→ Keep the files')
    await terminal.gone('the tool answered')
    assert.equal(a(), 'two\n')
    await terminal.wait('⎇ 1 checkpoint')
    await terminal.wait('Forked to new session') // and the prompt is in the editor
    await terminal.keys('C-u')
    await terminal.gone('~tool write')
    await terminal.prompt('again')
    await terminal.wait('⎇ 2 checkpoints')
    await terminal.submit('/checkpoints')
    await terminal.wait('Checkpoints, newest first')
    await terminal.submit('/checkpoints restore 2')
    await terminal.wait('The files are as at')
    assert.equal(a(), 'one\n')
  })
}

for (const columns of [60, 100]) {
  test(`at ${columns} columns one dialog asks before a fork, and the report stays on the screen`, async (t) => {
    const { terminal, a } = await kept(t, { columns, rows: 30 }, ['checkpoint', 'confirm'])
    await terminal.type('~tool write {"path":"a.txt","content":"two\\n"}')
    await terminal.wait('the tool answered')
    await forkFirst(terminal)
    await terminal.wait('→ Stay in this session')
    assert.match(unfolded(await terminal.screen()), new RegExp('Fork this session[?] You go on in a new session; ' +
      'this session stays as it is. The files of [\\d:]{8} differ from those of now: 1 file \\(a\\.txt\\) to restore. A checkpoint ' +
      'of the files as they are comes first. → Stay in this session Fork with the files of then Fork, keep the files'))
    await terminal.answer('Down', 'Enter')
    await terminal.wait("'/checkpoints restore 2' brings back")
    await terminal.wait('⎇ 3 checkpoints')
    assert.equal(a(), 'one\n')
  })

  test(`at ${columns} columns /tree offers the files, and /undo brings prompt and files back`, async (t) => {
    const { terminal, a } = await kept(t, { columns, rows: 30 })
    await terminal.type('~tool write {"path":"a.txt","content":"two\\n"}')
    await terminal.wait('⎇ 2 checkpoints')
    await terminal.submit('/undo')
    await terminal.wait("'/undo back' takes this back")
    assert.equal(a(), 'one\n')
    assert.match(await terminal.screen(), /~tool write/) // the prompt is in the editor
    await terminal.keys('C-u')
    await terminal.gone('~tool write')
    await terminal.submit('/undo back')
    await terminal.wait('Back where you were')
    assert.equal(a(), 'two\n')
    await terminal.keys('Escape')
    await new Promise((later) => { setTimeout(later, 150) })
    await terminal.keys('Escape')
    await terminal.wait('Session Tree')
    await terminal.keys('Up', 'Up', 'Enter')
    await terminal.wait(/summar/i)
    await terminal.keys('Enter')
    await terminal.wait('→ Keep the files')
    await terminal.answer('Down', 'Enter')
    await terminal.wait("'/checkpoints restore 2' brings back")
    assert.equal(a(), 'one\n')
  })
}

test('the footer says why there are no checkpoints', async (t) => {
  const w = await world(t, { extensions: ['checkpoint'] })
  const terminal = await w.terminal([], { columns: 60 })
  assert.doesNotMatch(await terminal.screen(), /no checkpoints/)
  await terminal.prompt('hello')
  await terminal.wait('no checkpoints: no git work tree')
})

test('who types when the fork asks keeps the files until the keys rest', async (t) => {
  const { terminal, a } = await kept(t, { columns: 100, rows: 30 })
  await terminal.type('~tool write {"path":"a.txt","content":"two\\n"}')
  await terminal.wait('the tool answered')
  await forkFirst(terminal)
  await terminal.wait('→ Keep the files')
  await terminal.typing('no ', 0, 'Down', 'Enter')
  await terminal.typing('no ', 300, 'Down', 'Enter')
  await new Promise((later) => { setTimeout(later, 300) })
  await terminal.wait('→ Keep the files')
  await terminal.typing('no', 2000, 'Down', 'Enter')
  await terminal.wait("'/checkpoints restore 2' brings back")
  assert.equal(a(), 'one\n')
})

test('a dialog about a command ends the question before a fork, and the fork', async (t) => {
  const { w, terminal, a } = await kept(t, { columns: 100, rows: 30 }, ['checkpoint', 'confirm'])
  await terminal.type('~tool write {"path":"a.txt","content":"two\\n"}')
  await terminal.wait('the tool answered')
  const go = join(w.sandbox.root, 'go')
  await terminal.type(`${call(`while [ ! -e ${go} ]; do sleep 0.1; done`)}\n${call('rm -r build')}`)
  await w.model.asked(3)
  await terminal.submit('/fork')
  await terminal.wait('Fork from Message')
  await terminal.keys('Up', 'Enter')
  await terminal.wait('→ Stay in this session')
  writeFileSync(go, '')
  await terminal.wait('→ Block')
  await terminal.answer('Escape')
  await terminal.wait(/did not allow it/)
  await terminal.prompt('still here')
  assert.equal(a(), 'two\n')
  assert.equal(w.files().length, 1)
})
