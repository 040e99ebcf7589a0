// Before a session is left behind, in a real pi, over RPC.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { extension, helper, world } from '../lib/pi.mjs'
import { call, exported, record, runPi } from './moves.mjs'

async function confirmPi(t, options) {
  const w = await world(t, { extensions: ['confirm'], ...options })
  return { w, pi: w.start() }
}

// Leaves the session: the dialog, and whether pi was kept from it.
async function leave(pi, answer, type, fields) {
  const from = pi.lines.length
  const answered = pi.send(type, fields)
  const dialog = await pi.dialog(from)
  pi.answer(dialog, answer)
  return { dialog, cancelled: (await answered).cancelled }
}

async function userEntry(pi) {
  return (await pi.send('get_fork_messages')).messages.at(-1).entryId
}

test('before a new session the person is asked', async (t) => {
  const { pi } = await confirmPi(t)
  await pi.prompt('hello')
  const id = await pi.sessionId()
  for (const answer of ['Stay in this session', undefined, 'yes', '']) {
    assert.equal((await leave(pi, answer, 'new_session')).cancelled, true)
  }
  assert.equal(await pi.sessionId(), id)
  const { dialog, cancelled } = await leave(pi, 'Start a new session', 'new_session')
  assert.equal(cancelled, false)
  assert.equal(dialog.title, 'Start a new session?\n/resume brings this session back.')
  assert.deepEqual(dialog.options, ['Stay in this session', 'Start a new session'])
  assert.notEqual(await pi.sessionId(), id)
})

test('before a fork and a clone the person is asked', async (t) => {
  const { pi } = await confirmPi(t)
  await pi.prompt('hello')
  const id = await pi.sessionId()
  const entryId = await userEntry(pi)
  assert.equal((await leave(pi, undefined, 'fork', { entryId })).cancelled, true)
  assert.equal((await leave(pi, 'Stay in this session', 'clone')).cancelled, true)
  assert.equal(await pi.sessionId(), id)
  const cloned = await leave(pi, 'Clone this session', 'clone')
  assert.match(cloned.dialog.title, /^Clone this session\?/)
  assert.equal(cloned.cancelled, false)
  const forked = await leave(pi, 'Fork this session', 'fork', { entryId: await userEntry(pi) })
  assert.match(forked.dialog.title, /^Fork this session\?/)
  assert.equal(forked.cancelled, false)
})

// A pi with another session to go to.
async function twoSessions(t, { args = [], ...options } = {}) {
  const w = await world(t, { extensions: ['confirm'], ...options })
  const other = w.start()
  await other.prompt('the other session')
  const sessionPath = w.fileOf(await other.sessionId())
  await other.stop()
  return { w, pi: w.start(args), sessionPath }
}

async function resumes(pi, sessionPath) {
  const before = pi.dialogs().length
  const { cancelled } = await pi.send('switch_session', { sessionPath })
  assert.deepEqual([cancelled, pi.dialogs().length], [false, before])
}

test('a resume from a session that is saved is not asked about', async (t) => {
  const { pi, sessionPath } = await twoSessions(t)
  await pi.prompt('hello')
  await resumes(pi, sessionPath)
})

test('a resume from a session without a message is not asked about', async (t) => {
  const { pi, sessionPath } = await twoSessions(t)
  await resumes(pi, sessionPath)
})

test('a resume from a message without an answer is asked about', async (t) => {
  const { w, pi, sessionPath } = await twoSessions(t, { helpers: ['commands'] })
  await pi.prompt('first')
  await pi.send('prompt', { message: '~hold' })
  await w.model.asked(3)
  await pi.command('/entry note {"of":"another extension"}')
  const { dialog, cancelled } = await leave(pi, undefined, 'switch_session', { sessionPath })
  assert.equal(cancelled, true)
  assert.equal(dialog.title, 'Leave this session?\nYour last message has no answer yet.')
  assert.equal((await leave(pi, 'Leave this session', 'switch_session', { sessionPath })).cancelled, false)
})

test('a resume from a session without a file is asked about, if the store does not have it', async (t) => {
  const { pi, sessionPath } = await twoSessions(t, { args: ['--no-session'] })
  await pi.prompt('hello')
  const { dialog, cancelled } = await leave(pi, undefined, 'switch_session', { sessionPath })
  assert.equal(cancelled, true)
  assert.equal(dialog.title, 'Leave this session?\npi has not saved this session, and the store does not have it.')
})

test('a resume from a session whose file is gone is asked about only without the store', async (t) => {
  for (const mirror of [true, false]) {
    const { w, pi, sessionPath } = await twoSessions(t, { settings: { xylem: { mirror } } })
    await pi.prompt('hello')
    const id = await pi.sessionId()
    if (mirror) {
      await exported(w, id)
    }
    rmSync(w.fileOf(id))
    if (mirror) {
      await resumes(pi, sessionPath)
    } else {
      assert.equal((await leave(pi, undefined, 'switch_session', { sessionPath })).cancelled, true)
    }
  }
})

test('the setting says when a session is left with a question', async (t) => {
  for (const [setting, message, isAsked] of [['unsaved', 'hello', false], ['unsaved', '~hold', true],
    ['off', '~hold', false], ['always', 'hello', true]]) {
    const { w, pi } = await confirmPi(t, { settings: { xylem: { confirm: { leave: setting } } } })
    await (message === 'hello' ? pi.prompt(message) : pi.send('prompt', { message }))
    await w.model.asked(1)
    const left = isAsked ? await leave(pi, undefined, 'new_session') : await pi.send('new_session')
    assert.equal(left.cancelled, isAsked, setting)
    assert.equal(pi.dialogs().length > 0, isAsked, setting)
  }
})

test('a dialog about a command ends a dialog about the session, and the session stays', async (t) => {
  const { w, pi } = await confirmPi(t)
  await pi.prompt('first')
  const id = await pi.sessionId()
  const from = pi.lines.length
  await pi.send('prompt', { message: `${call('until [ -e go ]; do sleep 0.02; done')}\n${call('sudo ls')}` })
  const answered = pi.send('new_session')
  const leaving = await pi.dialog(from)
  writeFileSync(join(w.sandbox.project, 'go'), '')
  const dialog = await pi.dialog(pi.lines.indexOf(leaving) + 1)
  pi.answer(leaving, 'Start a new session') // too late
  assert.equal((await answered).cancelled, true)
  pi.answer(dialog, 'Block')
  await pi.wait(({ type }) => type === 'agent_settled', 'the end of the turn', from)
  assert.equal(await pi.sessionId(), id)
})

test('a reload, a move in the tree and the end of pi are not asked about', async (t) => {
  const { w, pi } = await confirmPi(t, { helpers: ['commands', 'recorder'] })
  await pi.prompt('one')
  const { leaf } = await record(w, pi)
  await pi.prompt('two')
  await pi.command('/again')
  await pi.command(`/goto ${leaf}`)
  assert.deepEqual(await pi.stop(), { code: 0, signal: null })
  assert.deepEqual(pi.dialogs(), [])
})

test('without a UI a new session and a fork pass', async (t) => {
  const w = await world(t)
  const extensions = [extension('confirm'), helper('replacer')]
  const { output } = await runPi(w, ['-p', '/replace {"delays":[0]}', 'hello'], extensions)
  await w.until(() => w.records('replaced').length === 1, `a replacement: ${output}`)
  assert.equal(w.records('replaced')[0].problem, undefined)
})

test('an error keeps pi in the session', async (t) => {
  const { pi } = await confirmPi(t, { helpers: ['broken'], problems: true })
  const id = await pi.sessionId()
  await pi.command('/break')
  assert.equal((await pi.send('new_session')).cancelled, true)
  assert.deepEqual([await pi.sessionId(), pi.dialogs()], [id, []])
})

test("a project's own settings change nothing", async (t) => {
  const w = await world(t, { extensions: ['confirm'] })
  mkdirSync(join(w.sandbox.project, '.pi'))
  const weak = { xylem: { confirm: false, mirror: false } }
  writeFileSync(join(w.sandbox.project, '.pi/settings.json'), JSON.stringify(weak))
  assert.equal((await leave(w.start(), undefined, 'new_session')).cancelled, true)
})
