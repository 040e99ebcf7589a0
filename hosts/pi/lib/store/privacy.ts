// The notice of the first start: where conversations are kept, how to stop that, and how to delete them.
import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { writePrivate } from '../folder.ts'

// True once for each store, also if two pis start at the same time. Without a place for the mark each start is a first.
export function isFirst(store: string): boolean {
  try {
    writePrivate('told', createHash('sha256').update(store).digest('hex').slice(0, 16), `${store}\n`, 'wx')
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EEXIST'
  }
}

// Two lines for a terminal of 80 columns. `isPrivate`: no other user has access to the store.
export function privacyNotice(store: string, isPrivate: boolean): string {
  return `xylem keeps your conversations in ${short(store)}${isPrivate ? ', for you alone' : ''}.\n` +
    'To stop: "xylem": {"mirror": false} in settings.json of pi. To delete: xylem delete.'
}

export const short = (path: string) => (path.startsWith(`${homedir()}/`) ? `~${path.slice(homedir().length)}` : path)
