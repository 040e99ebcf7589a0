// What the model was shown of a file: a read may show a range. The entries of pi tell, so that the answer follows the
// branch. A line counts by its text: a change above the line changes nothing.
import type { SessionEntry } from '@earendil-works/pi-coding-agent'
import { oneLine } from '../excerpt.ts'

const PATH_COLUMNS = 1024
const WORD = /(?:~\/)?[\p{L}\p{N}_./%+,-]+|'(?:[^'\p{C}\p{Z}]| )+'/u.source
const WORDS = new RegExp(WORD, 'gu')
const CAT = new RegExp(`^ *cat(?: +--)?((?: +(?:${WORD}))+) *$`, 'u')

export interface Call {
  id: string
  name: string
  arguments: object
}

type Result = Extract<Extract<SessionEntry, { type: 'message' }>['message'], { role: 'toolResult' }>

// The paths of the files that bash shows, if the command is `cat` alone, with plain paths.
export function catPaths(command: unknown): string[] {
  const all = typeof command === 'string' ? CAT.exec(command)?.[1].match(WORDS) ?? [] : []
  return all.some((word) => /^'?-|^'(?:[~@]|file:)/.test(word)) ? [] : all.map((word) => word.replaceAll("'", ''))
}

// The lines of a file in what the path of the session has shown, if the newest look was at a range. undefined: the model
// was shown the whole file, or the path does not tell. `isOf`: the call is about the file.
export async function linesShown(path: SessionEntry[], isOf: (call: Call) => Promise<boolean>) {
  const results = new Map<string, Result>()
  const lines = new Set<string>()
  let isRange = false
  for (const entry of path.toReversed()) {
    const message = entry.type === 'message' ? entry.message : undefined
    if (message?.role === 'toolResult' && !message.isError) {
      results.set(message.toolCallId, message)
    }
    for (const call of message?.role === 'assistant' ? message.content : []) {
      const result = call.type === 'toolCall' ? results.get(call.id) : undefined
      if (call.type !== 'toolCall' || !result || !await isOf(call)) {
        continue
      }
      if (!isRange && showsAll(call, result)) {
        return undefined
      }
      isRange ||= call.name !== 'edit'
      textOf(call, result).split('\n').forEach((line) => lines.add(line.trimEnd()))
    }
  }
  return isRange ? lines : undefined
}

function showsAll({ name, arguments: input }: Call, { content, details }: Result): boolean {
  const { offset = 1, limit } = input as { offset?: number; limit?: number }
  const isCut = (details as { truncation?: { truncated?: boolean } } | undefined)?.truncation?.truncated === true
  return name === 'write' || (name !== 'edit' && content.some(({ type }) => type === 'image')) ||
    (name === 'bash' && !isCut) || (name === 'read' && !isCut && offset <= 1 && limit === undefined) ||
    !['read', 'bash', 'edit'].includes(name)
}

// Of an edit the lines that the edit has made.
function textOf({ name, arguments: input }: Call, { content, details }: Result): string {
  const { patch = '' } = (details ?? {}) as { patch?: string }
  return name === 'write' ? String((input as { content?: unknown }).content)
    : name === 'edit' ? [...patch.matchAll(/^\+(?!\+\+ )(.*)$/gm)].map(([, line]) => line).join('\n')
    : content.map((part) => part.type === 'text' ? part.text : '').join('\n')
}

// What a write does to lines that were never shown. undefined: all lines were shown. `drops`: most are lost.
export function neverShown(file: string, shown: Set<string>, written: string, path: string) {
  const lines = file.replace(/\n$/, '').split('\n').map((line) => line.trimEnd())
  const unseen = lines.flatMap((line, i) => line === '' || shown.has(line) ? [] : [i])
  if (unseen.length === 0) {
    return undefined
  }
  const kept = new Set(written.split('\n').map((line) => line.trimEnd()))
  const dropped = unseen.filter((i) => !kept.has(lines[i])).length
  const range = `of lines ${unseen[0] + 1} to ${unseen.at(-1)! + 1} of ${oneLine(path, PATH_COLUMNS)}`
  const drops = dropped === 0 ? '' : `, and the write drops ${dropped} of them`
  return { isLoss: 2 * dropped > unseen.length,
    message: `Blocked: ${unseen.length} ${range} were never shown${drops}. Read them, then try again.` }
}
