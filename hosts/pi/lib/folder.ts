// The package's directories and files: for the person alone, under any umask. The package keeps notes in `xylem/`
// beside pi's settings:
//
//     xylem/unwritten/ID.json    a session without a file so far
//     xylem/told/HASH            the person knows of this store
//     xylem/fleet/HASH/           what the person chose to ship of this store
//     xylem/mcp-listed/HASH      the tools that an MCP server listed last
//     xylem/mcp-tools/HASH       whether the tool of an MCP server only reads, as the person says
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { agentDirectory } from './settings.ts'

export const folder = (name: string) => join(agentDirectory(), 'xylem', name)

// Makes a directory and its missing parents.
export function makePrivate(path: string): void {
  if (existsSync(path)) {
    return
  }
  makePrivate(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
    chmodSync(path, 0o700) // the umask may have cleared even the owner's bits
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') { // else another pi made the directory
      throw error
    }
  }
}

// Writes a file of a folder; with the flag `wx` only a new file.
export function writePrivate(name: string, file: string, text: string, flag: 'w' | 'wx' = 'w'): void {
  makePrivate(folder(name))
  writeFileSync(join(folder(name), file), text, { mode: 0o600, flag })
}
