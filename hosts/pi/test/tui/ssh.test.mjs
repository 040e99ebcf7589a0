// --ssh in a terminal: the question for a password, the status, and the drawing of an edit.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { fakeWorld, HOST } from '../lib/ssh.mjs'

const PASSWORD = "p'a$s é!"

test('the password is masked, and leaves nothing on the screen', async (t) => {
  const w = await fakeWorld(t, { files: { password: PASSWORD } })
  const terminal = await w.terminal(['--ssh', HOST, '--ssh-ask-pass'])
  await terminal.wait(`Password for ${HOST}`)
  await terminal.keys('-l', `${PASSWORD}xy`)
  await terminal.keys('BSpace', 'BSpace')
  const screen = await terminal.wait(/> •{8}(?!•)/)
  assert.equal(/p'a|\$s/.test(screen), false)
  await terminal.keys('Enter')
  const done = await terminal.wait(/⚡ own master me@there\.example:/)
  assert.equal(/•|p'a|Password for/.test(done), false)
  await terminal.prompt('after')
})

test('a wrong password is said, and Escape gives up, on a narrow screen too', async (t) => {
  const w = await fakeWorld(t, { files: { password: PASSWORD } })
  const terminal = await w.terminal(['--ssh', HOST, '--ssh-ask-pass'], { columns: 40, rows: 30 })
  await terminal.wait('Password for')
  await terminal.keys('-l', 'x'.repeat(60))
  await terminal.wait(/> •{30}/)
  await terminal.keys('Enter')
  await terminal.wait('Permission denied')
  assert.equal((await terminal.screen()).split('\n').some((line) => [...line.trimEnd()].length > 40), false)
  await terminal.keys('Escape')
  await terminal.wait('not connected')
  await terminal.gone('Password for')
})

test('/reload with a master goes on with the master', async (t) => {
  const w = await fakeWorld(t)
  const terminal = await w.terminal(['--ssh', HOST])
  await terminal.wait(/⚡ own master/)
  await terminal.submit('/reload')
  await terminal.wait(/[Rr]eloaded/)
  await terminal.wait(/⚡ own master/)
  await terminal.submit('~tool bash {"command":"echo over $((40 + 2))"}')
  await terminal.wait('over 42')
  assert.equal(w.calls().filter((words) => words.includes('ControlMaster=yes')).length, 1)
})

test('an edit draws the file of the other machine, and never that of this machine', async (t) => {
  const w = await fakeWorld(t)
  writeFileSync(w.here('a.txt'), 'local line\nshared\n')
  w.put('project/a.txt', 'remote line\nshared\n')
  const terminal = await w.terminal(['--ssh', HOST])
  await terminal.wait(/⚡ own master/)
  await terminal.type('~tool edit {"path":"a.txt","edits":[{"oldText":"shared","newText":"changed"}]}')
  await terminal.wait(/\+\s*2 changed/)
  const screen = await terminal.wait('remote line')
  assert.equal(screen.includes('local line'), false)
  await terminal.type('~tool edit {"path":"a.txt","edits":[{"oldText":"local line","newText":"gone"}]}')
  const failed = await terminal.wait('Could not find')
  assert.equal(/-\s*1 local line/.test(failed), false)
})

test("the person's own !command acts on the other machine", async (t) => {
  const w = await fakeWorld(t)
  w.put('project/a.txt', 'from there')
  const terminal = await w.terminal(['--ssh', HOST])
  await terminal.wait(/⚡ own master/)
  await terminal.submit('!cat a.txt')
  await terminal.wait('from there')
})
