// Turns what an MCP server sends into what pi takes: the schema of a tool, and the result of a call.
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { formatSize, resizeImage, truncateHead } from '@earendil-works/pi-coding-agent'
import { isPropertyName, propertyName } from './names.ts'

type Content = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string }
type Map = Record<string, any>

// Models take these. Another image would make a provider refuse each later request of the session.
const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

const isMap = (value: unknown): value is Map => typeof value === 'object' && value !== null && !Array.isArray(value)

// The schema as the server has it, if every provider takes it: an object with properties, each of them a schema. For
// another schema a provider would refuse the whole request. The server checks the input by its own schema all the same.
// `restore` gives an input the names of the server.
export function schemaOf(schema: unknown): { schema: Map; restore(input: Map): Map } {
  const given = isMap(schema) ? schema : {}
  const { allOf, anyOf, oneOf, not, enum: values, ...rest } = given // refused beside the properties
  const parts = [given, ...[allOf, anyOf, oneOf].flatMap((part) => Array.isArray(part) ? part.filter(isMap) : [])]
  const properties = parts.reduce((all: Map, part) => ({ ...all, ...propertiesOf(part), ...all }), {})
  const names = namesOf(Object.keys(properties))
  const fitting: Map = { ...rest, type: 'object', properties: renamed(properties, names) }
  if (given.required !== undefined) {
    fitting.required = Array.isArray(given.required)
      ? [...new Set(given.required.filter((name) => typeof name === 'string').map((name) => names[name] ?? name))] : []
  }
  const originals = Object.fromEntries(Object.entries(names).map(([original, name]) => [name, original]))
  return { schema: fitting, restore: (input) => renamed(input, originals) }
}

function propertiesOf({ properties }: Map): Map {
  const entries = Object.entries(isMap(properties) ? properties : {})
  return Object.fromEntries(entries.filter(([, value]) => isMap(value) || value === true)
    .map(([name, value]) => [name, value === true ? {} : value]))
}

// Another name for each name that a provider refuses.
function namesOf(properties: string[]): Record<string, string> {
  const taken = new Set(properties)
  const names: Record<string, string> = Object.create(null)
  for (const property of properties.filter((name) => !isPropertyName(name))) {
    names[property] = propertyName(property, (name) => taken.has(name))
    taken.add(names[property])
  }
  return names
}

const renamed = (map: Map, names: Record<string, string>): Map => Object.fromEntries(
  Object.entries(map).map(([name, value]) => [Object.hasOwn(names, name) ? names[name] : name, value]))

// `fullOutputPath` is that of a cut text: `xylem redact` finds the file by this name.
export async function resultOf(answer: unknown) {
  const { content, structuredContent, isError } = isMap(answer) ? answer : {}
  const blocks = await Promise.all((Array.isArray(content) ? content : []).map(blockOf))
  const texts = blocks.filter((block) => block.type === 'text').map(({ text }) => text)
  if (structuredContent !== undefined && !texts.some((text) => saysTheSame(text, structuredContent))) {
    texts.push(JSON.stringify(structuredContent))
  }
  const images = blocks.filter((block) => block.type === 'image')
  const nothing = isError === true ? '(an error without words)' : '(no output)'
  const text = texts.join('\n') || (images.length === 0 ? nothing : '')
  const { kept, ...where } = await cut(text)
  return { content: [...kept === '' ? [] : [said(kept)], ...images], isError: isError === true, ...where }
}

// Servers are asked to send structured content as text too.
function saysTheSame(text: string, structured: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), structured)
  } catch {
    return false
  }
}

const said = (text: string): Content => ({ type: 'text', text })
const textOr = (value: unknown, other: string) => typeof value === 'string' ? value : other

async function blockOf(block: unknown): Promise<Content> {
  const { type, text, data, mimeType, resource, uri, name, description } = isMap(block) ? block : {}
  switch (type) {
    case 'text':
      return said(textOr(text, ''))
    case 'image':
      return imageOf(data, mimeType)
    case 'resource':
      return isMap(resource) ? resourceOf(resource) : said('[a resource without content]')
    case 'resource_link':
      return said(`[resource ${textOr(name, '')} ${textOr(uri, '')}]${textOr(description, '').replace(/^(?=.)/s, ' ')}`)
    default:
      return said(`[${[textOr(type, 'content of no type'), textOr(mimeType, '')].join(' ').trim()}: not shown]`)
  }
}

async function resourceOf({ uri, mimeType, text, blob }: Map): Promise<Content> {
  if (typeof text === 'string') {
    return said(`[resource ${textOr(uri, '')}]\n${text}`)
  }
  return IMAGES.includes(mimeType) ? imageOf(blob, mimeType)
    : said(`[resource ${textOr(uri, '')} ${textOr(mimeType, 'of no type')}: not shown]`)
}

// In a size that models take, as pi's own tools do.
async function imageOf(data: unknown, mimeType: unknown): Promise<Content> {
  if (typeof data === 'string' && typeof mimeType === 'string' && IMAGES.includes(mimeType)) {
    const resized = await resizeImage(Buffer.from(data, 'base64'), mimeType).catch(() => null)
    if (resized) {
      return { type: 'image', data: resized.data, mimeType: resized.mimeType }
    }
  }
  return said(`[image ${textOr(mimeType, 'of no type')}: not shown]`)
}

// Whole characters.
const beginning = (text: string, bytes: number) =>
  Buffer.from(text).subarray(0, bytes).toString().replace(/\uFFFD$/, '')

// The limits of pi's own tools. The whole text goes into a file that the model can read.
async function cut(text: string): Promise<{ kept: string; fullOutputPath?: string }> {
  const { truncated, content, maxBytes, totalBytes, firstLineExceedsLimit } = truncateHead(text)
  if (!truncated) {
    return { kept: text }
  }
  let where: string
  let fullOutputPath: string | undefined
  try {
    const path = join(await mkdtemp(join(tmpdir(), 'pi-mcp-')), 'output.txt')
    await writeFile(path, text, { mode: 0o600 })
    fullOutputPath = path
    where = `All of it: ${path}`
  } catch (error) { // no error of the tool: a model would run the tool again
    where = `No file could be written: ${(error as Error).message}`
  }
  const shown = firstLineExceedsLimit ? beginning(text, maxBytes) : content
  const size = `${formatSize(Buffer.byteLength(shown))} of ${formatSize(totalBytes)}`
  return { kept: `${shown}\n\n[Cut: ${size}. ${where}]`, ...fullOutputPath && { fullOutputPath } }
}
