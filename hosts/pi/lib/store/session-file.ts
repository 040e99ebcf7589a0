// Finds pi's file of a session. pi writes a session with its first answer, so a session that was killed before has no
// file: then the file is made of what the store has.
import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Store } from 'xylem-native'

export async function sessionFile(store: Store, id: string, directory: string): Promise<string> {
  const name = readdirSync(directory).find((file) => file.slice(file.indexOf('_') + 1) === `${id}.jsonl`)
  if (name !== undefined) {
    return join(directory, name)
  }
  const known = store.session(id)
  if (!known || !/^[\w.-]+$/.test(id)) {
    throw new Error(`neither pi nor the store has session ${id}. '/sequence take' takes the steps of its run over`)
  }
  if (known.deleted) { // as a session that pi never wrote
    await store.undeleteSessionAsync(id)
  }
  const lines = await store.linesAsync(id)
  const { timestamp } = JSON.parse(lines[0]) as { timestamp: string }
  const path = join(directory, `${timestamp.replace(/[:.]/g, '-').replace(/[^\w-]/g, '')}_${id}.jsonl`)
  put(path, textOf(lines))
  return path
}

// The same, with all that the store has: another host went on with the session. A file with more, or with something
// else, is kept beside the new one: the store has that as a fork.
export async function freshSessionFile(store: Store, id: string, directory: string, known: string[]): Promise<string> {
  const path = known.find((file) => existsSync(file)) ?? await sessionFile(store, id, directory)
  const text = textOf(await store.linesAsync(id))
  const before = await readFile(path, 'utf8')
  if (before !== text) {
    if (!text.startsWith(before)) {
      renameSync(path, `${path}.before-${Date.now()}`)
    }
    put(path, text)
  }
  return path
}

const textOf = (lines: string[]) => lines.map((line) => `${line}\n`).join('')

function put(path: string, text: string): void {
  const part = `${path}.part-${process.pid}` // pi takes a file that was cut off for the whole session
  writeFileSync(part, text, { mode: 0o600, flag: 'wx' })
  renameSync(part, path)
}
