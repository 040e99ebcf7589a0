// What each MCP server listed last. pi registers a tool quickly only while it loads the extensions, before a server can
// answer. A file has the list of a server, with pi's names of the tools.
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { folder, writePrivate } from '../folder.ts'
import type { ServerConfig } from './config.ts'
import { isToolName } from './names.ts'
import type { Tool } from './server.ts'

export type Listed = [name: string, tool: Tool][]

const FOLDER = 'mcp-listed'
const BYTES_MAX = 8 * 1024 * 1024

const hash = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32)

// The environment and the headers do not count: they have secrets, which change while the server stays the same.
const keyOf = ({ tools, local, remote }: ServerConfig) => hash([tools, local?.command, local?.args, remote?.url])

// A local server runs in the directory of the session: what it lists there says nothing about another project.
const pathOf = ({ name, local }: ServerConfig, cwd: string) => hash(local ? [name, cwd] : [name])

const isListed = (listed: unknown): listed is Listed => Array.isArray(listed) && listed.every((one) =>
  Array.isArray(one) && isToolName(one[0]) && typeof one[1]?.name === 'string' && one[1].name !== '')

// Nothing for a file that is cut, too large, of another shape, or of another configuration.
export function recall(config: ServerConfig, cwd: string): Listed {
  const path = join(folder(FOLDER), pathOf(config, cwd))
  try {
    const stat = statSync(path)
    const { key, listed } = stat.isFile() && stat.size <= BYTES_MAX ? JSON.parse(readFileSync(path, 'utf8')) : {}
    return config.isOn && key === keyOf(config) && isListed(listed) ? listed : []
  } catch {
    return []
  }
}

export function keep(config: ServerConfig, cwd: string, listed: Listed): void {
  const text = JSON.stringify({ key: keyOf(config), listed })
  try {
    writePrivate(FOLDER, pathOf(config, cwd), Buffer.byteLength(text) <= BYTES_MAX ? text : '')
  } catch {
    // the next start waits for the server
  }
}

export function forget(): void {
  try {
    rmSync(folder(FOLDER), { recursive: true, force: true })
  } catch {
    // another pi writes there
  }
}
