// The fleet over RPC: what is shipped when, who is asked, the badge, and a session that is taken over. The program
// `xylem` is a fake, so that no database is needed.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fleetWorld, row } from '../lib/fleet.mjs'
import { extension } from '../lib/pi.mjs'
import { changeSettings, exported, runPi } from './moves.mjs'

const said = (pi) => pi.notices().map(({ message }) => message).filter((text) => !/^xylem keeps/.test(text)).join('\n')
const badge = (pi) => pi.status('xylem-fleet')
const without = (ms) => sleep(ms) // what must not happen has so long to happen

// Sends a command, and answers its dialogs in order: with the first choice of a pattern. The dialogs.
async function act(pi, message, ...answers) {
  let at = pi.lines.length
  const sent = pi.send('prompt', { message }).catch(() => {}) // pi may leave the session
  const dialogs = []
  for (const answer of answers) {
    const dialog = await pi.dialog(at)
    at = pi.lines.indexOf(dialog) + 1
    dialogs.push(dialog)
    pi.answer(dialog, dialog.options.find((option) => answer.test(option)))
  }
  await sent
  return dialogs
}

// A pi that ships, behind the yes of its person.
async function shipping(t, options) {
  const w = await fleetWorld(t, options)
  const pi = w.start()
  pi.answer(await pi.dialog(), 'Yes, ship them')
  await w.until(() => w.alive().length === 1, 'the ship')
  return { w, pi }
}

// --- What is shipped, and who is asked ---

test('without a directory of the person nothing runs, whatever a project says', async (t) => {
  const w = await fleetWorld(t, { fleet: {} })
  mkdirSync(join(w.sandbox.project, '.pi'))
  writeFileSync(join(w.sandbox.project, '.pi/settings.json'),
    JSON.stringify({ xylem: { fleet: { directories: [w.sandbox.project] } } }))
  const pi = w.start()
  await pi.prompt('hello')
  changeSettings(w, { xylem: { fleet: { directories: [join(w.sandbox.root, 'other')] } } })
  await pi.send('new_session')
  await pi.prompt('hello')
  changeSettings(w, { xylem: { mirror: false, fleet: { directories: [w.sandbox.project] } } })
  await pi.send('new_session')
  await pi.prompt('hello')
  changeSettings(w, { xylem: { fleet: { directories: [w.sandbox.project] } } })
  const bare = w.start(['--no-session'])
  await bare.prompt('hello')
  await without(300)
  assert.deepEqual(w.calls(), [])
  assert.deepEqual(pi.dialogs(), [])
})

test('the first shipment lists what goes, the first choice is a no, and a no is kept', async (t) => {
  const w = await fleetWorld(t)
  const go = (session, cwd, changes, goes = true) => ({ session, cwd, changes, goes, reason: goes ? null : 'held' })
  w.put('dry', { sessions: [go('a', '/w/one', 3), go('b', '/w/one', 4), go('c', '/w/two', 1),
    go('d', '/w/three', 1, false)] })
  const pi = w.start()
  const dialog = await pi.dialog()
  assert.equal(dialog.title, `Ship the sessions below ${w.sandbox.project} to the fleet, from now on?\n` +
    'Its other hosts then read them, and can take them over.\n\n' +
    'Now go:\n2 sessions, 7 changes: /w/one\n1 session, 1 change: /w/two')
  assert.deepEqual(dialog.options, ['No, ship nothing', 'Yes, ship them'])
  pi.answer(dialog, undefined) // asked again
  await pi.send('new_session')
  pi.answer(await pi.dialog(pi.lines.indexOf(dialog) + 1), dialog.options[0])
  await pi.prompt('hello')
  await pi.send('new_session')
  await pi.prompt('hello')
  await without(300)
  assert.equal(pi.dialogs().length, 2)
  assert.deepEqual(w.ships(), [])
  assert.equal(badge(pi), undefined)
})

test('a yes ships the directories, and is kept; in print mode nothing is shipped before', async (t) => {
  const w = await fleetWorld(t)
  await runPi(w, ['-p', 'hello'], [extension('fleet')])
  assert.deepEqual(w.calls(), [])
  const pi = w.start()
  pi.answer(await pi.dialog(), 'Yes, ship them')
  await w.until(() => w.alive().length === 1, 'the ship')
  const [{ args, store }] = w.ships()
  assert.deepEqual(args, ['ship', '--follow', '--json', '--dir', w.sandbox.project])
  assert.equal(store, w.sandbox.store)
  await pi.stop()
  await w.until(() => w.alive().length === 0, 'the end of the ship')
  await runPi(w, ['-p', '~slow 500'], [extension('fleet')])
  assert.equal(w.ships().length, 2)
  const again = w.start()
  await w.until(() => w.alive().length === 1, 'the ship of the next pi')
  assert.deepEqual(again.dialogs(), [])
})

test('other directories are another question, and links are followed', async (t) => {
  const { w, pi } = await shipping(t)
  const link = join(w.sandbox.root, 'link')
  symlinkSync(w.sandbox.project, link)
  changeSettings(w, { xylem: { fleet: { directories: [`${link}/`] } } })
  await pi.send('new_session')
  await w.until(() => w.ships().length === 2, 'the same directory')
  changeSettings(w, { xylem: { fleet: { directories: [link, '~/more'] } } })
  const at = pi.lines.length
  await pi.send('new_session')
  assert.match((await pi.dialog(at)).title, /\/more to the fleet/)
})

test('settings that do not fit are told of, and nothing is shipped', async (t) => {
  const w = await fleetWorld(t, { fleet: { directories: ['work'] } })
  const pi = w.start()
  await pi.prompt('hello')
  assert.match(said(pi), /xylem\.fleet\.directories: expected a list of absolute paths, or paths below ~\//)
  await pi.command('/fleet')
  assert.match(said(pi), /^\/fleet: the settings cannot be read$/m)
  assert.deepEqual(w.calls(), [])
})

// --- The child ---

test('the ship ends with its session and with pi, and the next session has its own', async (t) => {
  const { w, pi } = await shipping(t)
  const [{ pid }] = w.alive()
  await pi.send('new_session')
  await w.until(() => w.alive().some((one) => one.pid !== pid) && w.alive().length === 1, 'another ship')
  await pi.kill()
  await w.until(() => w.alive().length === 0, 'the end of the ship')
})

test('of two pis one ships, and the other goes on', async (t) => {
  const { w, pi } = await shipping(t)
  const other = w.start()
  await other.prompt('hello')
  await without(500)
  assert.equal(w.ships().length, 1)
  await pi.kill()
  await w.until(() => w.ships().length === 2, 'the ship of the other')
  assert.equal(said(other), '')
})

test('/fleet keep-local holds the session back, in each pi and from then on', async (t) => {
  const { w, pi } = await shipping(t)
  const other = w.start()
  await other.prompt('hello')
  const id = await other.sessionId()
  await exported(w, id)
  await other.command('/fleet keep-local')
  assert.match(said(other), /^fleet: this session and its forks stay on this machine from now on\./m)
  const except = () => w.alive().map(({ args }) => args.slice(-2))
  await w.until(() => JSON.stringify(except()) === JSON.stringify([['--except', id]]), 'the ship without the session')
  await pi.stop()
  await other.stop()
  await w.xylem('delete', '--yes', id)
  await w.xylem('gc', '--yes')
  w.start()
  await w.until(() => w.alive().length === 1, 'the ship of the next pi')
  assert.deepEqual(except(), [['--dir', w.sandbox.project]]) // the command would refuse a session that is gone
})

test('a command that fails is told once, and the badge says that nothing is shipped', async (t) => {
  const w = await fleetWorld(t)
  const pi = w.start()
  const dialog = await pi.dialog()
  w.put('broken', 'no fleet is named: set XYLEM_FLEET')
  pi.answer(dialog, 'Yes, ship them')
  await w.until(() => badge(pi) === 'fleet: nothing is shipped', 'the badge')
  await pi.prompt('hello')
  await pi.send('new_session')
  await w.until(() => w.calls().length === 3, 'the ship of the next session')
  assert.equal(said(pi).match(/^fleet: nothing is shipped: no fleet is named: set XYLEM_FLEET$/gm).length, 1)
})

test('a missing command is one line at the start, and one at /fleet', async (t) => {
  const w = await fleetWorld(t)
  rmSync(join(w.bin, 'xylem'))
  const pi = w.start([], { PATH: w.bin })
  const WHY = "there is no program 'xylem' in PATH"
  await w.until(() => said(pi) === `fleet: nothing is shipped: ${WHY}`, 'the line')
  await pi.command('/fleet')
  assert.equal(said(pi), `fleet: nothing is shipped: ${WHY}\n/fleet: ${WHY}`)
})

// --- The badge ---

test('the badge comes with a lag of 30 s, and says when the engine does not answer', async (t) => {
  const w = await fleetWorld(t, { helpers: ['clock', 'commands'] })
  const pass = (seconds) => writeFileSync(join(w.sandbox.project, 'clock'), String(seconds))
  pass(100)
  const pi = w.start()
  pi.answer(await pi.dialog(), 'Yes, ship them')
  await w.until(() => w.alive().length === 1, 'the ship')
  w.say({ event: 'backlog', changes: 12 })
  w.say({ event: 'shipped', session: 'a', changes: 3 })
  await without(300)
  pass(129)
  await without(2300)
  assert.equal(badge(pi), undefined)
  pass(131)
  await w.until(() => badge(pi) === 'fleet: 12 changes behind', 'the lag')
  w.say({ event: 'paused', text: 'no standby' })
  await w.until(() => badge(pi) === 'fleet: the engine does not answer', 'the pause')
  w.say({ event: 'resumed' })
  await w.until(() => badge(pi) === 'fleet: 12 changes behind', 'the lag again')
  w.say({ event: 'backlog', changes: 0 })
  await w.until(() => badge(pi) === undefined, 'quiet')
})

test('who lost the session is told once who has it, and what becomes of the tail', async (t) => {
  const { w, pi } = await shipping(t)
  const id = await pi.sessionId()
  w.say({ event: 'in-use', session: 'another', host: 'birch' })
  w.say('no document')
  w.say({ event: 'in-use', session: id, host: 'ma\u001b[31mple' })
  w.say({ event: 'in-use', session: id, host: 'ma\u001b[31mple' })
  w.say({ event: 'forked', session: 'another', fork: 'another-2' })
  await w.until(() => /another-2/.test(said(pi)), 'the fork')
  const name = 'ma\\u{1b}[31mple'
  assert.equal(badge(pi), `fleet: ${name} has this session; what you add becomes a fork`)
  assert.equal(said(pi), `fleet: ${name} has this session now. What you add here becomes a fork of it: '/fleet' takes it ` +
    'back\nfleet: another host took the session another over. What only this machine has of it is the session ' +
    'another-2 now')
  await pi.send('new_session')
  await w.until(() => badge(pi) === undefined, 'a session of its own')
})

// --- /fleet ---

// A session of another host, with so many prompts.
function elsewhere(w, id, words, more) {
  const timestamp = '2026-11-22T00:00:00.000Z'
  const entry = (text, i) => ({ type: 'message', id: `0000000${i}`, parentId: i > 0 ? `0000000${i - 1}` : null, timestamp,
    message: { role: 'user', content: [{ type: 'text', text }], timestamp: 0 } })
  const text = [{ type: 'session', version: 3, id, timestamp, cwd: w.sandbox.project }, ...words.map(entry)]
    .map((line) => `${JSON.stringify(line)}\n`).join('')
  w.put(`${id}.jsonl`, text)
  w.put('sessions', { sessions: [row(id, { cwd: w.sandbox.project, name: 'the parser', ...more })] })
  return text
}

const inSession = (w, pi, id) => w.until(async () => await pi.sessionId() === id, 'the session that was taken')

test('a session of another host is taken over, and pi goes on there', async (t) => {
  const w = await fleetWorld(t, { fleet: {} })
  const text = elsewhere(w, 'theirs', ['one', 'two'])
  w.put('theirs.head', { depth: 2, state: { readonly: true, sequence: { steps: ['a', 'b'] }, todo: null } })
  const pi = w.start()
  const [list, question] = await act(pi, '/fleet parser', /the parser/, /^Take it over$/)
  assert.match(list.title, /^Sessions of the fleet: 1 session of the fleet$/)
  assert.match(list.options[0], /^1\. \d+ d: maple · the parser$/)
  assert.equal(question.title, "Take 'the parser' over?\nreadonly is on · a sequence of 2 steps · 2 entries deep\n" +
    'maple has it, heard from 1 h ago')
  await inSession(w, pi, 'theirs')
  assert.deepEqual(w.calls('resume').map(({ args }) => args), [['resume', 'theirs', '--json']])
  assert.ok(w.read(w.fileOf('theirs')).startsWith(text))
})

test('an owner that lives is named, and only a yes takes its session', async (t) => {
  const w = await fleetWorld(t, { fleet: {} })
  elsewhere(w, 'theirs', ['one'], { silent_ms: 12_345, cwd: '/nowhere/at all' })
  const pi = w.start()
  const [, question] = await act(pi, '/fleet', /the parser/, /^Stay/)
  assert.equal(question.title, "Take 'the parser' over?\nmaple has it, heard from 12 s ago\n" +
    'What maple adds from now on becomes a fork there.\nIt works in /nowhere/at all, which is not here.')
  assert.deepEqual(w.calls('resume'), [])
  elsewhere(w, 'theirs', ['one'], { silent_ms: 12_345 })
  await act(pi, '/fleet', /the parser/, /^Take it from maple, which is at work$/)
  await inSession(w, pi, 'theirs')
  assert.deepEqual(w.calls('resume').map(({ args }) => args), [['resume', 'theirs', '--json', '--force']])
})

test('a file of before is brought up to date, and one with more is kept beside', async (t) => {
  const w = await fleetWorld(t, { fleet: {} })
  const before = elsewhere(w, 'theirs', ['one'])
  const file = join(w.sandbox.sessions, '2026-11-22T00-00-00-000Z_theirs.jsonl')
  const pi = w.start()
  mkdirSync(w.sandbox.sessions, { recursive: true })
  writeFileSync(file, before)
  const text = elsewhere(w, 'theirs', ['one', 'two'])
  await act(pi, '/fleet', /the parser/, /^Take it over$/)
  await inSession(w, pi, 'theirs')
  assert.ok(w.read(file).startsWith(text))
  const names = () => readdirSync(w.sandbox.sessions).filter((name) => name.includes('before'))
  assert.deepEqual(names(), [])
  await pi.send('new_session')
  const own = text.replace('two', 'mine')
  w.put('resume.news', [{ event: 'forked', session: 'theirs', fork: 'mine-2' }])
  writeFileSync(file, own)
  elsewhere(w, 'theirs', ['one', 'two'])
  await act(pi, '/fleet', /the parser/, /^Take it over$/)
  await inSession(w, pi, 'theirs')
  assert.ok(w.read(file).startsWith(text))
  assert.match(said(pi), /^fleet: what only this machine had of it is the session mine-2 now$/m)
  assert.deepEqual(names().map((name) => w.read(join(w.sandbox.sessions, name))), [own])
})

test('a session of this store is opened without a claim, and the present one not at all', async (t) => {
  const w = await fleetWorld(t, { fleet: {} })
  const pi = w.start()
  await pi.prompt('hello')
  const first = await pi.sessionId()
  await exported(w, first)
  w.put('sessions', { sessions: [row(first, { host: 'here', here: 'owns', cwd: w.sandbox.project, lag: 2 })] })
  await act(pi, '/fleet', /here · .* · 2 changes behind$/)
  assert.match(said(pi), /^fleet: pi is in this session$/m)
  await pi.send('new_session')
  await act(pi, '/fleet', /./)
  await inSession(w, pi, first)
  w.put('sessions', { sessions: [row(first, { here: 'fenced', cwd: w.sandbox.project })] })
  await act(pi, '/fleet', /maple/)
  assert.match(said(pi), /^fleet: maple has this session\. Leave it with \/new, and '\/fleet' takes it back$/m)
  assert.deepEqual(w.calls('resume'), [])
})

test('what the command refuses is told, and pi stays', async (t) => {
  const w = await fleetWorld(t, { fleet: {} })
  elsewhere(w, 'theirs', ['one'])
  w.put('resume.broken', 'another host claimed the session theirs first')
  const pi = w.start()
  const id = await pi.sessionId()
  await act(pi, '/fleet', /the parser/, /^Take it over$/)
  assert.match(said(pi), /^\/fleet: another host claimed the session theirs first$/m)
  assert.equal(await pi.sessionId(), id)
})

test('/fleet status shows what the command says, and ships after a no after all', async (t) => {
  const w = await fleetWorld(t)
  const pi = w.start()
  pi.answer(await pi.dialog(), 'No, ship nothing')
  w.put('status', 'quorum     yes\nnext       nothing is to be done\n')
  const [dialog] = await act(pi, '/fleet status', /after all/)
  assert.match(dialog.title, /^quorum     yes\nnext       nothing is to be done\n\nNothing is shipped from here: you said no\.$/)
  await w.until(() => w.alive().length === 1, 'the ship')
  const [later] = await act(pi, '/fleet status', /^Close$/)
  assert.deepEqual(later.options, ['Close'])
})

test('without the settings /fleet says what to write', async (t) => {
  const w = await fleetWorld(t)
  changeSettings(w, { xylem: {} })
  const pi = w.start()
  await pi.command('/fleet')
  assert.match(said(pi), /^\/fleet: the settings of pi name no fleet: "xylem": \{"fleet": \{"directories": \["~\/work"\]\}\} in/m)
})
