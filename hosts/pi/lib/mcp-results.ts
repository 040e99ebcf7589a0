// Turns what an MCP server sends into what pi takes: the schema of a tool, and the result of a call.
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { formatSize, resizeImage, truncateHead } from '@earendil-works/pi-coding-agent'

type Content = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string }
type Map = Record<string, any>

export interface Result {
  content: Content[]
  isError: boolean
}

// Models take these. Another image would make a provider refuse each later request of the session.
const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

const isMap = (value: unknown): value is Map => typeof value === 'object' && value !== null && !Array.isArray(value)

// The schema as the server has it, if a provider can take it: an object with properties, each of them a schema.
export function schemaOf(schema: unknown): Map {
  const given = isMap(schema) ? schema : {}
  const properties = Object.entries(isMap(given.properties) ? given.properties : {})
    .filter(([, value]) => isMap(value) || value === true).map(([name, value]) => [name, value === true ? {} : value])
  const fitting: Map = { ...given, type: 'object', properties: Object.fromEntries(properties) }
  if (given.required !== undefined) {
    fitting.required = Array.isArray(given.required)
      ? [...new Set(given.required.filter((name) => typeof name === 'string'))] : []
  }
  return fitting
}

export async function resultOf(answer: unknown): Promise<Result> {
  const { content, structuredContent, isError } = isMap(answer) ? answer : {}
  const blocks = await Promise.all((Array.isArray(content) ? content : []).map(blockOf))
  const texts = blocks.filter((block) => block.type === 'text').map(({ text }) => text)
  if (structuredContent !== undefined && !texts.some((text) => saysTheSame(text, structuredContent))) {
    texts.push(JSON.stringify(structuredContent))
  }
  const images = blocks.filter((block) => block.type === 'image')
  const nothing = isError === true ? '(an error without words)' : '(no output)'
  const text = texts.join('\n') || (images.length === 0 ? nothing : '')
  return { content: [...text === '' ? [] : [said(await cut(text))], ...images], isError: isError === true }
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
async function cut(text: string): Promise<string> {
  const { truncated, content, maxBytes, totalBytes, firstLineExceedsLimit } = truncateHead(text)
  if (!truncated) {
    return text
  }
  const folder = await mkdtemp(join(tmpdir(), 'pi-mcp-'))
  const path = join(folder, 'output.txt')
  await writeFile(path, text, { mode: 0o600 })
  const kept = firstLineExceedsLimit ? beginning(text, maxBytes) : content
  return `${kept}\n\n[Cut: ${formatSize(Buffer.byteLength(kept))} of ${formatSize(totalBytes)}. All of it: ${path}]`
}
