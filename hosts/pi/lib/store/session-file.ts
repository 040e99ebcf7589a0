// Finds pi's file of a session. pi writes a session with its first answer, so a session that was killed before has no
// file: then the file is made of what the store has.
import { readdirSync, renameSync, writeFileSync } from 'node:fs'
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
  const part = `${path}.part-${process.pid}` // pi takes a file that was cut off for the whole session
  writeFileSync(part, lines.map((line) => `${line}\n`).join(''), { mode: 0o600, flag: 'wx' })
  renameSync(part, path)
  return path
}
