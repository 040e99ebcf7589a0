// Makes a result of a document, small enough for the context of a model: whole elements, then pieces of long strings.
// What is left out can be asked for, and the result has the call.
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Json } from './command.ts'

const SKELETON = 4096 // bytes of a value without its strings, beyond which the value is shown as its JSON text
const SHORT = 64 // characters of a string that is always whole
const LEAST = 1024 // bytes of room for elements, however long the question was
const SLACK = 128 // bytes by which the call for the rest may grow

export type Call = { tool: string, arguments: Json }

// How the document of a tool is shown.
export interface Shape {
  list?: string // the member with the elements
  hasMore?: boolean // there are more elements than the document has
  rest?(shown: number): Json // the arguments that give the elements behind the first ones
  large?: string // the member of an element that may be large
  whole?(element: Json): Call // gives a whole element
  inPieces?: boolean // the tool takes an offset into the strings of its only element
  lines?(element: Json): string[] // the text of an element
}

export interface Told extends Shape {
  limit: number // bytes of the whole result
  heading: string // the first lines of the text
  notes: Json // members of every result
  offset: number // in characters: where the pieces of strings begin
  call(more: Json): Call // the same call with other arguments
}

export function fit({ schema, ...document }: Json, told: Told): CallToolResult {
  const { list, limit, rest, hasMore } = told
  const all = { schema, ...document }
  if (!list) {
    const whole = result(all, told)
    const room = limit - bytes(result({ schema }, told)) - SLACK
    return told.offset === 0 && bytes(whole) <= limit ? whole
      : result({ schema, ...shrink({ document }, room, room, { ...told, large: 'document', inPieces: true }) }, told)
  }
  const elements: Json[] = document[list]
  const page = (some: Json[], shown = some.length) => result({ ...all, [list]: some }, told,
    shown === elements.length && !hasMore ? undefined : { shown, ...(hasMore ? {} : { of: elements.length }),
      ...(rest ? { next: told.call(rest(Math.max(1, shown))) } : {}) })
  const room = Math.max(LEAST, limit - bytes(page([], Math.max(0, elements.length - 1))) - SLACK)
  const fitting: Json[] = []
  for (let used = 0; fitting.length < elements.length;) {
    const isAlone = elements.length === 1
    const element = shrink(elements[fitting.length]!, isAlone ? room : room / 2, isAlone ? room : room / 4, told)
    used += cost(element, told)
    if (used > room && fitting.length > 0) {
      break
    }
    fitting.push(element)
  }
  return page(fitting)
}

// An element that leaves no room for others: its large member is cut, else all but its ids. It has the call for the rest.
function shrink(element: Json, most: number, least: number, told: Told): Json {
  const { large = '', inPieces, whole } = told
  const offset = inPieces ? told.offset : 0
  if (offset === 0 && cost(element, told) <= most) {
    return element
  }
  const { [large]: member, ...facts } = element
  const { handle, session, entry, parent, ...others } = element
  const isMember = member !== undefined && cost(facts, told) <= least / 2
  const all = isMember ? member : others
  const value = bytes(pieces(all, 0, 0)[0]) > Math.min(SKELETON, told.limit / 8) ? JSON.stringify(all) : all
  const cut = (shown: number) => {
    const [some, of] = pieces(value, offset, shown)
    const next = inPieces ? told.call({ offset: offset + shown }) : whole?.(element)
    const part = isMember ? { ...element, [large]: some }
      : { handle, session, entry, parent, ...(typeof some === 'string' ? { json: some } : some) }
    return { ...part, cut: { offset, shown, of, ...(offset + shown < of && next ? { next } : {}) } }
  }
  // The longest piece that fits never ends between two surrogates: half of a pair takes more bytes than the pair.
  let low = 1
  for (let high = told.limit; low < high;) {
    const middle = Math.ceil((low + high) / 2)
    const fits = cost(cut(middle), told) <= least
    low = fits ? middle : low
    high = fits ? high : middle - 1
  }
  return cut(low)
}

// The value with a piece of each long string, and the length of the longest string.
function pieces(value: any, offset: number, length: number): [any, number] {
  let longest = 0
  const take = (one: any): any => {
    if (typeof one === 'string' && one.length > SHORT) {
      longest = Math.max(longest, one.length)
      return one.slice(/[\udc00-\udfff]/.test(one[offset] ?? '') ? offset + 1 : offset, offset + length) // no half a pair
    }
    return Array.isArray(one) ? one.map(take) : one !== null && typeof one === 'object'
      ? Object.fromEntries(Object.entries(one).map(([name, member]) => [name, take(member)])) : one
  }
  return [take(value), longest]
}

function result(document: Json, { heading, notes, list, lines }: Told, truncated?: Json): CallToolResult {
  const { schema: _, ...told } = document
  const said = list && lines ? [told.drawing, told.hint, document[list].map((one: Json) => joined(lines(one))).join('\n')] : [say(told)]
  const words = [heading, ...said,
    truncated?.next && `More: ${truncated.next.tool} ${JSON.stringify(truncated.next.arguments)}`]
  return { content: [{ type: 'text', text: words.filter(Boolean).map(escape).join('\n\n') }],
    structuredContent: { ...document, ...notes, ...(truncated ? { truncated } : {}) } }
}

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

const cost = (element: Json, { lines }: Told) => bytes(element) + bytes(escape(lines ? joined(lines(element)) : say([element], '  '))) + 8

// A name of several lines may not look like lines of this server.
const flat = (text: string) => text.replace(/\s*\n\s*/g, ' ')
const joined = (lines: string[]) => lines.map((one, i) => `${i === 0 ? '' : '    '}${flat(one)}`).join('\n')

// Control characters, and characters that turn the direction of writing, show as numbers.
const escape = (text: string) => text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
  (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

// The text of a value for a person: facts in a line, and below them long texts and what has members.
function say(value: any, indent = ''): string {
  if (value === null || typeof value !== 'object') {
    return String(value).replace(/^/gm, indent)
  }
  if (Array.isArray(value)) {
    return value.map((one) => `${indent}- ${say(one, `${indent}  `).trimStart()}`).join('\n') || `${indent}none`
  }
  const isLong = (one: any) => typeof one === 'string' ? one.length > 60 || /[\n,]/.test(one) : typeof one === 'object'
  const [facts, others]: [string[], string[]] = [[], []]
  for (const [name, member] of Object.entries(value).filter(([, one]) => one !== null)) {
    isLong(member) ? others.push(`${indent}${flat(name)}:`, say(member, `${indent}  `)) : facts.push(`${flat(name)} ${member}`)
  }
  return [...(facts.length > 0 ? [indent + facts.join(', ')] : []), ...others].join('\n') || `${indent}nothing`
}
