// What the suites do with a pi, and look at.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { extension, node, piPath, world, xylem } from '../lib/pi.mjs'

export const BLOCKED = 'Readonly mode: write/edit disabled. Use /readonly to disable.'
export const NUDGE_ON = 'Readonly mode is active.'
export const NUDGE_OFF = 'Readonly mode has been turned off.'

export const badge = (pi) => pi.status('xylem-readonly')
export const isOn = (pi) => badge(pi) !== undefined
export const said = (pi) => pi.notices().map(({ message }) => message).join('\n')
export const told = (w, text) => w.model.requests.map(({ messages }) => JSON.stringify(messages).includes(text))

export async function lastResult(pi) {
  const result = (await pi.messages()).findLast(({ role }) => role === 'toolResult')
  return { isError: result.isError, text: result.content.map(({ text }) => text).join('') }
}

// Runs a tool: its result.
export async function tool(pi, name, input) {
  await pi.prompt(`~tool ${name} ${JSON.stringify(input)}`)
  return lastResult(pi)
}

export const write = (pi, path = 'a.txt') => tool(pi, 'write', { path, content: 'x' })
export const bash = (pi, command) => tool(pi, 'bash', { command })

// A call of bash, for the model's script, which is a line.
export const call = (command) => `~tool bash ${JSON.stringify({ command }).replace(/\u2028/g, '\\u2028')}`

// A prompt whose dialogs are answered in order, to the end of its turn: the dialogs, and the last result. Other dialogs
// than those are a failure.
export async function asked(pi, message, ...answers) {
  const from = pi.lines.length
  const before = pi.dialogs().length
  await pi.send('prompt', { message })
  let at = from
  for (const answer of answers) {
    const dialog = await pi.dialog(at)
    at = pi.lines.indexOf(dialog) + 1
    pi.answer(dialog, answer)
  }
  await pi.wait(({ type }) => type === 'agent_settled', `the end of the turn of '${message}'`, from)
  const dialogs = pi.dialogs().slice(before)
  assert.equal(dialogs.length, answers.length, JSON.stringify(dialogs))
  return { dialogs, ...await lastResult(pi) }
}

// Toggles, and waits for the report.
export async function toggle(pi, word = '') {
  const from = pi.lines.length
  await pi.send('prompt', { message: `/readonly ${word}`.trim() })
  const isReport = ({ method, message }) => method === 'notify' && /^Readonly is (on|off)/.test(message)
  return (await pi.wait(isReport, 'the report of /readonly', from)).message
}

// A pi with readonly on, in a world of its own.
export async function readonlyPi(t, options) {
  const w = await world(t, options)
  const pi = w.start()
  await toggle(pi, 'on')
  return { w, pi }
}

// Ends a pi, and starts a pi at its session.
export async function restart(w, pi, args = []) {
  const file = w.fileOf(await pi.sessionId())
  await pi.stop()
  return w.start([...args, '--session', file])
}

// A record of the extension `recorder`: pi's leaf, and the state there by a scan.
export async function record(w, pi) {
  const count = w.records('record').length
  await pi.command('/record')
  await w.until(() => w.records('record').length > count, 'a record')
  return w.records('record').at(-1)
}

// pi answers commands in order: what began before has shown its badge and its notices.
export async function settle(pi, command = '/readonly') {
  const from = pi.lines.length
  await pi.send('prompt', { message: `${command} nonsense` })
  const isAnswer = ({ method, message }) => method === 'notify' && /expected on, off|the other readonly/.test(message)
  await pi.wait(isAnswer, 'an answer of the extension', from)
}

// The id of the session of a file.
export const idOf = (file) => /_([^_]+)\.jsonl$/.exec(file)[1]

// Waits until the store has all that pi has, and gives the lines that the store exports.
export async function exported(w, id) {
  let text = ''
  const file = w.fileOf(id)
  const isEqual = async () => (text = await w.xylem('export', id)) === w.read(file)
  await w.until(isEqual, `the export of ${id} to equal ${file}`, { tell: () => difference(text, w.read(file)) })
  return text.trimEnd().split('\n')
}

function difference(found, wanted) {
  const [ours, theirs] = [found.split('\n'), wanted.split('\n')]
  const at = theirs.findIndex((line, i) => line !== ours[i])
  return `\n${ours.length} lines, wanted ${theirs.length}; line ${at + 1}:\n${ours[at]}\n${theirs[at]}`
}

// The bytes of the store as text, to look for a marker.
export const bytesOf = (w) => readFileSync(join(w.sandbox.store, 'data.mdb'), 'latin1')

// A copy of the package, with its addon or without.
export function packageCopy(w, hasAddon, name = 'readonly') {
  const hosts = join(w.sandbox.root, `copy-${hasAddon}`, 'hosts')
  const from = fileURLToPath(new URL('../../..', import.meta.url))
  for (const part of ['package.json', 'lib', 'extensions']) {
    cpSync(join(from, 'pi', part), join(hosts, 'pi', part), { recursive: true })
  }
  if (hasAddon) {
    symlinkSync(join(from, 'node'), join(hosts, 'node'))
  }
  return join(hosts, `pi/extensions/${name}.ts`)
}

export function changeSettings(w, more) {
  const path = join(w.sandbox.agent, 'settings.json')
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...more }))
}

// A pi that runs to its end: print and JSON mode.
export async function runPi(w, args, extensions = [extension('readonly')]) {
  const loaded = extensions.flatMap((path) => ['-e', path])
  const child = spawn(node, [piPath, '--session-dir', w.sandbox.sessions, ...loaded, ...args],
    { cwd: w.sandbox.project, env: w.sandbox.environment, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece) => { output += piece })
  }
  const code = await new Promise((done) => child.on('close', done))
  return { code, output }
}

// A session file of so many entries, 1 KB each.
export function bigSession(path, count) {
  const timestamp = '2026-11-22T00:00:00.000Z'
  const id = (i) => (i < 0 ? null : i.toString(16).padStart(8, '0'))
  const header = { type: 'session', version: 3, id: 'big', timestamp, cwd: '/' }
  const lines = Array.from({ length: count }, (_, i) => JSON.stringify({ type: 'message', id: id(i), parentId: id(i - 1),
    timestamp, message: { role: 'user', content: [{ type: 'text', text: 'x'.repeat(850) }], timestamp: 0 } }))
  writeFileSync(path, [JSON.stringify(header), ...lines, ''].join('\n'))
}

// Another process that imports a file into the store.
export const startImport = (w, path) => spawn(xylem, ['import', '--quiet', path],
  { env: { ...w.sandbox.environment, XYLEM_STORE: w.sandbox.store }, stdio: 'ignore' })

// Settings in which a short session has enough for a compaction.
export const COMPACTION = { compaction: { keepRecentTokens: 10, reserveTokens: 100 } }

// Does something, and answers every dialog meanwhile: `choose` gives the answer; undefined cancels. The dialogs.
export async function answering(pi, choose, work) {
  const dialogs = []
  let at = pi.lines.length
  let hasEnded = false
  const end = work().finally(() => { hasEnded = true })
  for (; !hasEnded; await new Promise((again) => { setTimeout(again, 2) })) {
    for (; at < pi.lines.length; at++) {
      if (['select', 'input', 'editor'].includes(pi.lines[at].method)) {
        dialogs.push(pi.lines[at])
        pi.answer(pi.lines[at], choose(pi.lines[at]))
      }
    }
  }
  await end
  return dialogs
}
