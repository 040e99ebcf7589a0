// Which sessions pi or the store still has.
import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Session } from './session.ts'
import { agentDirectory, storePath } from '../settings.ts'
import { native, problem } from './native.ts'

const HEADER_MAX = 64 << 10 // bytes
const WAIT_MS = 1000

// Of the ids those that are known. Throws if the store cannot be asked: its sessions must not count as gone.
export async function knownSessions(session: Session, folder: string, ids: Set<string>): Promise<Set<string>> {
  const known = new Set([session.id, ...[join(agentDirectory(), 'sessions'), folder].flatMap(idsBelow)])
  const path = storePath(session.settings)
  if (existsSync(path)) {
    if (!native) {
      throw new Error(`the store cannot be asked for its sessions: ${problem}`)
    }
    const store = await native.openAsync(path, { readOnly: true, waitMs: WAIT_MS })
    try {
      ids.forEach((id) => store.session(id) && known.add(id)) // also deleted: a session may come back
    } finally {
      store.close()
    }
  }
  return known
}

// The ids that the session files below a folder name: in their headers and in their names.
function idsBelow(folder: string): string[] {
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  return files.filter((file) => file.endsWith('.jsonl')).flatMap((file) => {
    const named = basename(file, '.jsonl').replace(/^.*_/, '')
    return [named, ...headerId(join(folder, file))]
  })
}

function headerId(file: string): string[] {
  try {
    const id: unknown = JSON.parse(firstLine(file)).id
    return typeof id === 'string' ? [id] : []
  } catch {
    return [] // no session file
  }
}

function firstLine(file: string): string {
  const handle = openSync(file, 'r')
  try {
    const buffer = Buffer.alloc(HEADER_MAX)
    return buffer.toString('utf8', 0, readSync(handle, buffer)).split('\n')[0]
  } finally {
    closeSync(handle)
  }
}
