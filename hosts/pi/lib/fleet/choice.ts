// The choice of a person for a store: whether the sessions of the store are shipped, and which sessions are held back. A
// folder beside pi's settings keeps the choice, and every pi of the person reads the folder:
//
//     xylem/fleet/HASH/answer      {"ships":true,"directories":[...]}: the answer for these directories
//     xylem/fleet/HASH/local-ID    this session and its forks stay here
//     xylem/fleet/HASH/lock        the child that ships holds this lock
import { createHash } from 'node:crypto'
import { renameSync } from 'node:fs'
import { readdir, readFile, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { folder, makePrivate, writePrivate } from '../folder.ts'
import { native } from '../store/native.ts'

const LOCAL = 'local-'
const STORE_MS = 1000

export interface Choice {
  ships: boolean | undefined // undefined: nobody was asked about these directories
  held: string[]
}

export class Place {
  readonly store: string
  readonly #name: string

  constructor(store: string) {
    this.store = store
    this.#name = join('fleet', createHash('sha256').update(store).digest('hex').slice(0, 16))
  }

  // Makes the folder of the lock.
  get lock(): string {
    makePrivate(folder(this.#name))
    return join(folder(this.#name), 'lock')
  }

  async read(directories: string[]): Promise<Choice> {
    const names = await readdir(folder(this.#name)).catch(noneIfMissing)
    const file = join(folder(this.#name), 'answer')
    const answer = JSON.parse(names.includes('answer') ? await readFile(file, 'utf8') : '{}')
    return {
      ships: directories.every((one) => answer.directories?.includes(one)) ? answer.ships === true : undefined,
      held: names.filter((name) => name.startsWith(LOCAL)).map((name) => name.slice(LOCAL.length)).sort(),
    }
  }

  answer(directories: string[], ships: boolean): void {
    const part = `answer.${process.pid}`
    writePrivate(this.#name, part, JSON.stringify({ ships, directories }))
    renameSync(join(folder(this.#name), part), join(folder(this.#name), 'answer'))
  }

  hold(id: string): void {
    if (!/^[\w.-]+$/.test(id)) {
      throw new Error(`the session ${id} has no id that can be a name of a file`)
    }
    writePrivate(this.#name, LOCAL + id, '')
  }
}

function noneIfMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code !== 'ENOENT') {
    throw error
  }
  return []
}

export const directoriesOf = (settings: { fleet?: { directories?: string[] } }): string[] =>
  (settings.fleet?.directories ?? []).map((path) => path.replace(/^~(?=\/)/, homedir()).replace(/(?<=.)\/+$/, ''))

export const isBelow = (path: string, directory: string) => path === directory || path.startsWith(`${directory}/`)

// Follows links, as the command does. A removed directory stays in the list: its sessions are still there.
export const resolved = (directories: string[]): Promise<string[]> =>
  Promise.all(directories.map((path) => realpath(path).catch(() => path)))

// The sessions that the store has. The command refuses --except for other sessions, and the store cannot ship those.
export async function storedOf(path: string, ids: string[]): Promise<string[]> {
  const store = await native!.openAsync(path, { readOnly: true, waitMs: STORE_MS })
  try {
    return ids.filter((id) => store.session(id))
  } finally {
    store.close()
  }
}
