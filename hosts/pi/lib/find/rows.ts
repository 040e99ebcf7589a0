// The rows of /find and /sessions: matches in the store, and its sessions.
import type { ListedSession, SearchHit, Store } from 'xylem-native'

const HITS_MAX = 50
const SESSIONS_MAX = 500 // of one call, which holds up the event loop for at most 30 ms

export interface Row {
  session: string
  known: ListedSession | undefined // what the list has of the session
  timeMs: number
  text: string
  entry?: string // of a match
  about?: string // of a session that is not known
  match?: [offset: number, length: number] // in `text`
}

export interface Found {
  rows: Row[]
  note: string // about the rows, or why there is none
}

// The lists of a store while a person looks: each key of the person asks for rows again.
export class Lists {
  readonly store: Store
  readonly #known = new Map<string, ListedSession>()
  readonly #newest = new Map<string | undefined, Promise<ListedSession[]>>() // by directory
  #last: string | undefined // the last known session of all
  #isWhole = false

  constructor(store: Store) {
    this.store = store
  }

  // The last active sessions, of a directory and below.
  newest(directory: string | undefined): Promise<ListedSession[]> {
    const found = this.#newest.get(directory) ??
      this.store.sessionsAsync({ directory, below: true, max: SESSIONS_MAX })
    this.#newest.set(directory, found)
    return found
  }

  // The sessions of the ids. The list has the last active sessions first, and matches are mostly there.
  async described(ids: Set<string>): Promise<Map<string, ListedSession>> {
    while (!this.#isWhole && [...ids].some((id) => !this.#known.has(id))) {
      const page = await this.store.sessionsAsync({ max: SESSIONS_MAX, after: this.#last })
      page.forEach((session) => this.#known.set(session.id, session))
      this.#last = page.at(-1)?.id
      this.#isWhole = page.length < SESSIONS_MAX
    }
    return this.#known
  }
}

// Words are looked for together, and quotes make a phrase of several words.
const patternsOf = (words: string) =>
  Array.from(words.matchAll(/"([^"]+)"?|(\S+)/g), ([, phrase, word]) => phrase ?? word)

export async function findRows(lists: Lists, words: string, directory: string | undefined, signal: AbortSignal):
  Promise<Found> {
  const patterns = patternsOf(words)
  if (patterns.length === 0) {
    return { rows: [], note: 'Type the words to look for' }
  }
  const directories = directory === undefined ? undefined : [directory]
  const search = { patterns, directories, max: HITS_MAX }
  const { hits, matchCount, problemCount } = await lists.store.searchAsync(search, signal)
  const known = await lists.described(new Set(hits.map(({ session }) => session)))
  const rows = hits.flatMap((hit) => hit.entry === null ? [] : rowOf(hit, hit.entry, known))
  const damaged = problemCount > 0 ? ". Damaged entries were not searched: 'xylem verify' names them" : ''
  const count = matchCount > rows.length ? `The newest ${rows.length} of ${matchCount} matches` : `${matchCount} ${
    matchCount === 1 ? 'match' : 'matches'}`
  const more = rows.length > 0 ? '' : directory !== undefined ? ' in this directory'
    : ". 'xylem import' takes sessions from before into the store"
  return { rows, note: count + more + damaged }
}

const rowOf = (hit: SearchHit, entry: string, known: Map<string, ListedSession>): Row => ({ session: hit.session, entry,
  known: known.get(hit.session), timeMs: hit.timeMs ?? 0, text: hit.text, match: [hit.offset, hit.length] })

// Without `own`, the session in which the person looks, and without sessions in which nobody said a word.
export async function sessionRows(lists: Lists, words: string, directory: string | undefined, own: string):
  Promise<Found> {
  const list = await lists.newest(directory)
  const wanted = words.toLowerCase().split(/\s+/)
  const rows = list.filter(({ id, cwd, name, first, last }) => {
    const all = [id, cwd, name, first, last].join('\n').toLowerCase()
    return id !== own && (name ?? first) !== null && wanted.every((word) => all.includes(word))
  }).map((known): Row => ({ session: known.id, known, timeMs: known.activeMs, text: known.name ?? known.first! }))
  const newest = list.length === SESSIONS_MAX ? `, of the last ${SESSIONS_MAX}` : ''
  return { rows, note: `${rows.length} ${rows.length === 1 ? 'session' : 'sessions'} beside this one${newest}` }
}
