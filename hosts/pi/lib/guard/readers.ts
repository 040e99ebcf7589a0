// Tools of MCP servers that only read: as the server declares, else as the person says, once for each tool. An answer
// holds for the server, the tool, the description and the schema: a changed tool is asked about again.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'
import { chooseForTool } from './choice.ts'
import { oneLine } from '../excerpt.ts'
import { folder, writePrivate } from '../folder.ts'
import type { Live } from '../live.ts'
import { inProcess } from '../process.ts'

export interface Hints {
  readOnlyHint?: boolean
  destructiveHint?: boolean
  mcp?: unknown[] // the server, the tool, its description and its schema; absent: no tool of an MCP server
}

// Notes of mcp-loader, for each session.
export const notedHints = inProcess('tool-hints', () => new WeakMap<object, Map<string, Hints>>())

// pi 0.87 keeps no annotations, and has no MCP of its own.
export function hintsOf(pi: ExtensionAPI, name: string, { sessionManager }: Pick<ExtensionContext, 'sessionManager'>) {
  const noted = notedHints.get(sessionManager)?.get(name)
  const tool = noted ? undefined : pi.getAllTools().find((one) => one.name === name)
  const [, server, own] = /^mcp__(.+?)__(.+)$/.exec(name) ?? []
  const mcp = server !== undefined && tool ? [server, own, tool.description, tool.parameters] : undefined
  return noted ?? { ...(tool as { annotations?: Hints } | undefined)?.annotations, mcp }
}

const FOLDER = 'mcp-tools'
const READS = 'Yes, it only reads'
const CHANGES = 'No, block it'
const DESCRIPTION_COLUMNS = 300

const fileOf = (mcp: unknown[]) => createHash('sha256').update(JSON.stringify(mcp)).digest('hex').slice(0, 32)

// As declared, or as answered; undefined: neither.
export function onlyReads({ readOnlyHint, destructiveHint, mcp }: Hints): boolean | undefined {
  if (readOnlyHint !== undefined || destructiveHint === true || !mcp) {
    return readOnlyHint
  }
  try {
    return readFileSync(join(folder(FOLDER), fileOf(mcp)), 'utf8').startsWith('reads')
  } catch {
    return undefined
  }
}

// Without a person, and without an answer, the tool counts as a writer.
export async function askWhetherOnlyReads(mcp: unknown[], ctx: ExtensionContext, live: Live) {
  const [server, tool, description] = mcp
  const label = oneLine(`${server}/${tool}`, DESCRIPTION_COLUMNS)
  const title = [`Does ${label} only read? Readonly is on, and the MCP server does not say.`, 'The answer is kept.', '',
    oneLine(String(description ?? ''), DESCRIPTION_COLUMNS)].join('\n')
  const answer = ctx.hasUI ? await live(chooseForTool(title, [CHANGES, READS], ctx)) : undefined
  if (answer !== undefined && !ctx.signal?.aborted) {
    writePrivate(FOLDER, fileOf(mcp), `${answer === READS ? 'reads' : 'changes'} ${label}\n`)
  }
  return answer === READS
}
