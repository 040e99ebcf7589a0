// What the suites of read before write do with a pi, and look at.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { world } from '../lib/pi.mjs'
import { entriesOf, pathTo } from '../lib/scan.mjs'
import { record, tool } from './moves.mjs'

export const unread = (path) => `Blocked: ${path} was not read in this session. Read it, then try again.`
export const longAgo = (path) => `Blocked: ${path} was read too long ago. Read it again, then try again.`
export const changed = (path) =>
  `Blocked: ${path} changed on disk after it was read. Read it again, then try again.`
export const deleted = (path) => `Blocked: ${path} was deleted after it was read.`

export const guarded = (t, options) =>
  world(t, { extensions: ['read-guard'], helpers: ['commands', 'recorder'], ...options })

// A file of the project, which the model's tools name by its path from there.
export function file(w, name, text = 'one\n') {
  const path = join(w.sandbox.project, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

export const calls = {
  read: (path, more) => ['read', { path, ...more }],
  edit: (path, oldText = 'one', newText = 'two') => ['edit', { path, edits: [{ oldText, newText }] }],
  write: (path, content = 'new\n') => ['write', { path, content }],
}
export const read = (pi, ...given) => tool(pi, ...calls.read(...given))
export const edit = (pi, ...given) => tool(pi, ...calls.edit(...given))
export const write = (pi, ...given) => tool(pi, ...calls.write(...given))

// Several calls in one answer of the model: their results, in the order of the calls.
export async function batch(pi, ...list) {
  const before = (await pi.messages()).length
  await pi.prompt(`~tools ${JSON.stringify(list)}`)
  return (await pi.messages()).slice(before).filter(({ role }) => role === 'toolResult')
    .map(({ isError, content }) => ({ isError, text: content.map(({ text }) => text).join('') }))
}

// Calls in one prompt, an answer of the model each.
export const inTurn = (pi, list) =>
  pi.prompt(list.map(([name, input]) => `~tool ${name} ${JSON.stringify(input)}`).join('\n'))

export function passed({ isError, text }) {
  assert.equal(isError, false, text)
}

export function blocked({ isError, text }, wanted) {
  assert.deepEqual([isError, text], [true, wanted])
}

const isReads = ({ type, customType }) => type === 'custom' && customType === 'file-reads'

// The data of the entries on the path of pi's leaf.
export async function kept(w, pi) {
  const { session, leaf } = await record(w, pi)
  return pathTo(entriesOf(w.read(w.fileOf(session))), leaf).filter(isReads).map(({ data }) => data)
}
