// Sessions that pi has not written to a file yet. The store has such a session from its first entry on; pi forgets it
// if it ends before the first answer. A note beside pi's settings says where the file will be, so that the next pi can
// tell a forgotten session from a session with a file somewhere.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentDirectory } from './settings'

interface Note {
  id: string
  store: string
  file: string
  pid: number
}

const folder = () => join(agentDirectory(), 'xylem-unwritten')
const pathOf = (id: string) => join(folder(), `${id}.json`)

// Without the note the session stays in the store: no reason to fail.
export function noteUnwritten(id: string, store: string, file: string): void {
  try {
    mkdirSync(folder(), { recursive: true, mode: 0o700 })
    writeFileSync(pathOf(id), JSON.stringify({ id, store, file, pid: process.pid } satisfies Note), { mode: 0o600 })
  } catch {
    // a directory without room or rights
  }
}

export function forgetUnwritten(id: string): void {
  rmSync(pathOf(id), { force: true })
}

// The ids of sessions of a store whose pi ended before it wrote a file.
export function neverWritten(store: string): string[] {
  const ids: string[] = []
  for (const note of notes()) {
    if (note.store !== store || isAlive(note.pid)) {
      continue
    }
    if (existsSync(note.file)) {
      forgetUnwritten(note.id)
    } else {
      ids.push(note.id)
    }
  }
  return ids
}

function notes(): Note[] {
  let names: string[] = []
  try {
    names = readdirSync(folder()).filter((name) => name.endsWith('.json'))
  } catch {
    // no session was noted yet
  }
  return names.flatMap((name) => {
    try {
      return [JSON.parse(readFileSync(join(folder(), name), 'utf8')) as Note]
    } catch {
      return [] // another pi took it away, or is writing it
    }
  })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
