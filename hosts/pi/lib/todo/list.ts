// The todo list: its actions, and the newest list of a path. A result of the tool has the list in its `details`, in the
// shape of pi's example extension; an entry `todo` has the list in the shape of the library.
import type { ExtensionContext, SessionEntry } from '@earendil-works/pi-coding-agent'
import { type Item, todoOf } from '../guard/fallback.ts'

// A list never changes: each change makes a new list, so the details of earlier results stay as they were.
export interface List {
  readonly lastId: number
  readonly items: readonly Item[]
}

export interface Details {
  action: string
  todos: readonly Item[]
  nextId: number
  error?: string
}

export interface Call {
  action: 'list' | 'add' | 'toggle' | 'clear'
  text?: string
  id?: number
}

export interface Outcome {
  list: List
  text: string // for the model
  error?: string
}

export const EMPTY: List = { lastId: 0, items: [] }
const ITEMS_MAX = 64
const TEXT_BYTES_MAX = 500

export const lineOf = ({ id, text, done }: Item) => `[${done ? 'x' : ' '}] #${id}: ${text}`

export function act(list: List, call: Call): Outcome {
  switch (call.action) {
    case 'list':
      return { list, text: list.items.map(lineOf).join('\n') || 'The list is empty' }
    case 'add':
      return add(list, call.text ?? '')
    case 'toggle':
      return toggle(list, call.id)
    case 'clear':
      return { list: EMPTY, text: `Cleared ${list.items.length} ${list.items.length === 1 ? 'item' : 'items'}` }
  }
}

const refused = (list: List, error: string): Outcome => ({ list, text: `Error: ${error}`, error })

function add(list: List, text: string): Outcome {
  const bytes = Buffer.byteLength(text)
  if (text.trim() === '') {
    return refused(list, 'add needs a text')
  }
  if (bytes > TEXT_BYTES_MAX) {
    return refused(list, `the text has ${bytes} bytes, and an item has at most ${TEXT_BYTES_MAX}`)
  }
  if (list.items.length >= ITEMS_MAX) {
    const count = list.items.length
    return refused(list, `the list has ${count} items, and takes at most ${ITEMS_MAX}. clear empties the list`)
  }
  if (list.lastId >= Number.MAX_SAFE_INTEGER) {
    return refused(list, 'no number is left for an item. clear empties the list')
  }
  const id = list.lastId + 1
  return { list: { lastId: id, items: [...list.items, { id, text, done: false }] }, text: `Added #${id}: ${text}` }
}

function toggle(list: List, id: number | undefined): Outcome {
  if (id === undefined) {
    return refused(list, 'toggle needs an id')
  }
  const found = list.items.find((item) => item.id === id)
  if (!found) {
    return refused(list, `the list has no item #${id}`)
  }
  const items = list.items.map((item) => item === found ? { ...item, done: !item.done } : item)
  return { list: { ...list, items }, text: `#${id} is ${found.done ? 'open again' : 'done'}` }
}

type Manager = ExtensionContext['sessionManager']

// The list of an entry; undefined: none, or an invalid list, which does not count.
function listOf(entry: SessionEntry): List | undefined {
  if (entry.type === 'custom' && entry.customType === 'todo') {
    return todoOf(entry.data)
  }
  const isResult = entry.type === 'message' && entry.message.role === 'toolResult' && entry.message.toolName === 'todo'
  return isResult ? todoOf((entry.message as { details?: unknown }).details) : undefined
}

// The newest list of the path, and whether an entry `todo` has the list too: a store reads only such entries.
export function newestList(manager: Manager): { list: List; isKept: boolean } {
  let newest: List | undefined
  for (const entry of manager.getBranch().reverse()) {
    const list = newest && entry.type !== 'custom' ? undefined : listOf(entry)
    newest ??= list
    if (list && entry.type === 'custom') {
      return { list: newest!, isKept: isEqual(newest!, list) }
    }
  }
  return { list: newest ?? EMPTY, isKept: isEqual(newest ?? EMPTY, EMPTY) }
}

const isEqual = (a: List, b: List) =>
  JSON.stringify([a.lastId, a.items]) === JSON.stringify([b.lastId, b.items])

// True from a compaction to the first answer behind the compaction: the model may have lost the list. An answer that
// failed does not count.
export function isForgotten(manager: Manager): boolean {
  const newest = manager.getBranch().findLast((entry) => entry.type === 'compaction' ||
    (entry.type === 'message' && entry.message.role === 'assistant' &&
      entry.message.stopReason !== 'error' && entry.message.stopReason !== 'aborted'))
  return newest?.type === 'compaction'
}
