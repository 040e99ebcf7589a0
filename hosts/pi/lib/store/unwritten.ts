// Sessions without a file so far. The store has a session from the first entry on; pi writes the file with the first
// answer, and forgets the session without an answer. A note beside pi's settings has the place of the future file, so
// the next pi can tell a forgotten session from a session with a file elsewhere.
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { folder, writePrivate } from '../folder.ts'

interface Note {
  id: string
  store: string
  file: string
  pid: number
}

const FOLDER = 'unwritten'
const nameOf = (id: string) => `${id}.json`

// Without the note the session stays in the store: no reason to fail.
export function noteUnwritten(id: string, store: string, file: string): void {
  try {
    writePrivate(FOLDER, nameOf(id), JSON.stringify({ id, store, file, pid: process.pid } satisfies Note))
  } catch {
    // a directory without room or rights
  }
}

export function forgetUnwritten(id: string): void {
  try {
    rmSync(join(folder(FOLDER), nameOf(id)), { force: true })
  } catch {
    // no rights: the next start finds the session's file
  }
}

// The ids of the sessions of a store without a file, whose pi has ended.
export function neverWritten(store: string): string[] {
  const ended = notes().filter((note) => note.store === store && !isAlive(note.pid))
  const isWritten = ({ file }: Note) => existsSync(file)
  ended.filter(isWritten).forEach(({ id }) => forgetUnwritten(id))
  return ended.filter((note) => !isWritten(note)).map(({ id }) => id)
}

function notes(): Note[] {
  let names: string[] = []
  try {
    names = readdirSync(folder(FOLDER)).filter((name) => name.endsWith('.json'))
  } catch {
    // no session was noted yet
  }
  return names.flatMap((name) => {
    try {
      return [JSON.parse(readFileSync(join(folder(FOLDER), name), 'utf8')) as Note]
    } catch {
      return [] // another pi removed the note, or is writing the note
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
