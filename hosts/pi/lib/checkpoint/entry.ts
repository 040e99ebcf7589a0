// The entries `git-checkpoint` of a session.
import type { ExtensionContext, SessionEntry } from '@earendil-works/pi-coding-agent'
import { inProcess } from '../process.ts'

export const KIND = 'git-checkpoint'
export const STATUS = 'xylem-checkpoint' // the key of the status

export interface Data {
  version: 1
  repo: string // the top of the work tree
  commit: string
  tree: string // of the commit
  head: string
  at: number // ms
  after: string | null // the entry that was the leaf: a checkpoint may be made beside what follows
  before?: 'restore'
  from?: string // the leaf that /undo left, for its way back
}

export interface Checkpoint extends Data {
  id: string // of the entry
}

const isId = (value: unknown) => typeof value === 'string' && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value)

// A session file comes from anywhere: an entry of another shape is no checkpoint.
function checkpointOf(entry: SessionEntry): Checkpoint | undefined {
  const data = entry.type === 'custom' && entry.customType === KIND ? entry.data as Partial<Data> | null : undefined
  const fits = data?.version === 1 && typeof data.repo === 'string' && isId(data.commit) && isId(data.tree) &&
    isId(data.head) && (data.after === null || typeof data.after === 'string') &&
    ['string', 'undefined'].includes(typeof data.from) &&
    typeof data.at === 'number' && Number.isFinite(new Date(data.at).getTime())
  return fits ? { ...data as Data, id: entry.id } : undefined
}

// The checkpoints among entries, newest first; `repo`: of one work tree.
export const checkpointsOf = (entries: SessionEntry[], repo?: string): Checkpoint[] =>
  entries.map(checkpointOf).filter((found) => found !== undefined)
    .filter((found) => repo === undefined || found.repo === repo).reverse()

export const isPrompt = (entry: SessionEntry) => entry.type === 'message' && entry.message.role === 'user'

const isTold = (entry: SessionEntry) => entry.type === 'message' && (entry.message.role as string) !== 'system'

// The checkpoints of a place, newest first: those of its path, and those that were made there, or on the path, while
// the conversation went on. Files of another place, which a restore put away here, do not count. `below`: of the latter
// those behind this entry alone; a fork before the entry leaves them out.
export function checkpointsAt(manager: ExtensionContext['sessionManager'], leaf: string | null, repo?: string,
  below?: string): Checkpoint[] {
  const path = leaf === null ? [] : manager.getBranch(leaf)
  const last = path.findLastIndex(isTold)
  const places = new Set([...path.slice(Math.max(last, 0)).map(({ id }) => id), ...last < 0 ? [null] : []])
  const ids = new Set(path.map(({ id }) => id))
  const isBelow = (id: string | null | undefined, top = below ?? leaf): boolean => {
    while (id && id !== top) {
      id = manager.getEntry(id)?.parentId
    }
    return id === top
  }
  const late = checkpointsOf(manager.getEntries(), repo).filter(({ id, after, before }) =>
    before === undefined && !ids.has(id) &&
    (places.has(after) ? below === undefined || isBelow(id) : after !== null && ids.has(after) && isBelow(id)))
  const merged = checkpointsOf(path, repo).flatMap((found) =>
    [...late.splice(0, late.filter(({ at }) => at > found.at).length), found])
  return [...merged, ...late]
}

// The checkpoints of the place of a fork, or of a move in the tree: pi moves in front of a text that it puts into the
// editor.
export function placeCheckpoints({ sessionManager }: ExtensionContext, entryId: string, position?: 'before' | 'at') {
  const entry = sessionManager.getEntry(entryId)
  const isText = entry !== undefined && (isPrompt(entry) || entry.type === 'custom_message')
  return (position ?? (isText ? 'before' : 'at')) === 'at' ? checkpointsAt(sessionManager, entryId)
    : checkpointsAt(sessionManager, entry?.parentId ?? null, undefined, entryId)
}

// The checkpoint of the place of a fork, for the session that the fork makes.
export interface Chosen {
  checkpoint: Checkpoint
  head: string | undefined // that the person saw who chose to restore; undefined: the files stay
  file: string | undefined // of the session that was forked
}

const shared = inProcess('checkpoints', (): { chosen?: Chosen } => ({}))

export const choose = (chosen: Chosen | undefined) => {
  shared.chosen = chosen
}

// pi starts a session that another extension kept from a fork, or a session twice: a choice counts once.
export function takeChosen({ reason, previousSessionFile }: { reason: string; previousSessionFile?: string }) {
  const { chosen } = shared
  shared.chosen = undefined
  return reason === 'fork' && chosen?.file === previousSessionFile ? chosen : undefined
}

// When a checkpoint was made, in words of the conversation around it.
export function placeOf(path: SessionEntry[], { after, before }: Checkpoint): { word: string; text: string } {
  const at = path.findIndex((entry) => entry.id === after) + 1
  const next = path.slice(at).find(isTold)
  const isBefore = next !== undefined && isPrompt(next)
  const prompt = isBefore ? next : path.slice(0, at).findLast(isPrompt)
  const word = before === 'restore' ? 'before a restore' : !prompt ? 'at the start'
    : isBefore ? 'before' : next ? 'during' : 'after'
  return { word, text: prompt?.type === 'message' && before === undefined ? textOf(prompt.message) : '' }
}

function textOf(message: unknown): string {
  const { content } = message as { content: string | { text?: string }[] }
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('')
}
