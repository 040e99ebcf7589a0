// Readonly without the addon: fail closed. Nothing judges a command here, so the tools that write and the shells are
// blocked where readonly was on, or may have been on. So are the tools that the person's settings name.
import type { SessionEntry } from '@earendil-works/pi-coding-agent'
import { inProcess } from '../process.ts'
import type { Settings } from '../settings.ts'

type Rules = NonNullable<Settings['readonly']>

const TOGGLES = new Set(['readonly', 'agenticoding-readonly'])
const READING = new Set(['read', 'grep', 'find', 'ls'])
const BLOCKED = new Set(['write', 'edit', 'apply_patch', 'bash', 'powershell'])

export const BADGE = '🔒 readonly'
export const CHILD_NOTICE =
  '\n\nReadonly restrictions apply in this child. Do not attempt mutating or destructive operations.\n'

// True if the flag was given, or if the newest toggle of the path is anything but a clear "off".
export function mayBeReadonly(path: SessionEntry[], flag: boolean): boolean {
  const toggle = path.findLast((entry) => entry.type === 'custom' && TOGGLES.has(entry.customType))
  return flag || (toggle?.type === 'custom' && (toggle.data as { enabled?: unknown } | undefined)?.enabled !== false)
}

export function isBlocked(tool: string, rules: Rules = {}): boolean {
  const { writeTools = [], shellTools = [], blockOthers = false } = rules
  const name = tool.toLowerCase()
  const isNamed = [...writeTools, ...shellTools].some((listed) => listed.toLowerCase() === name)
  return BLOCKED.has(name) || isNamed || (blockOthers && !READING.has(name))
}

// An "off" of the person outlives a reload, in which the modules are loaded again.
const flag = inProcess('flag', () => ({ isLifted: false }))

export function liftFlag(isLifted: boolean): void {
  flag.isLifted = isLifted
}

export function isFlagLifted(): boolean {
  return flag.isLifted
}

// The todo list of an entry or of the details of a result, as the library reads both spellings; undefined: no list.
export function todoOf(data: any): { lastId: number; items: Item[] } | undefined {
  const isOurs = data?.lastId !== undefined || data?.items !== undefined
  const lastId = isOurs ? data.lastId : data?.nextId - 1
  const items = isOurs ? data.items : data?.todos
  const isList = Number.isSafeInteger(lastId) && lastId >= 0 && Array.isArray(items) && items.length <= 1024 &&
    items.every((item) => isTodo(item, lastId)) && new Set(items.map(({ id }) => id)).size === items.length
  return isList ? { lastId, items: items.map(({ id, text, done }) => ({ id, text, done })) } : undefined
}

export interface Item {
  id: number
  text: string
  done: boolean
}

function isTodo(item: any, lastId: number): item is Item {
  return Number.isSafeInteger(item?.id) && item.id >= 1 && item.id <= lastId && typeof item.text === 'string' &&
    Buffer.byteLength(item.text) <= 4096 && typeof item.done === 'boolean'
}
