// The notice of the first start: where conversations are kept, how to stop that, and how to delete them.
import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { writePrivate } from '../folder.ts'
import { agentDirectory } from '../settings.ts'

// True once for each store, also if two pis start at the same time. Without a place for the mark each start is a first.
export function isFirst(store: string): boolean {
  try {
    writePrivate('told', createHash('sha256').update(store).digest('hex').slice(0, 16), `${store}\n`, 'wx')
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EEXIST'
  }
}

// Lines for a terminal of 60 columns. `isPrivate`: no other user has access to the store.
export function privacyNotice(store: string, isPrivate: boolean): string {
  return [
    'xylem keeps a copy of your conversations in',
    `  ${short(store)}${isPrivate ? ' (mode 0700, yours alone)' : ''}`,
    'To stop, put "xylem": {"mirror": false} into',
    `  ${short(join(agentDirectory(), 'settings.json'))}`,
    "To delete, use 'xylem delete' and 'xylem gc', or remove",
    '  the directory. You are told this once.',
  ].join('\n')
}

export const short = (path: string) => (path.startsWith(`${homedir()}/`) ? `~${path.slice(homedir().length)}` : path)
