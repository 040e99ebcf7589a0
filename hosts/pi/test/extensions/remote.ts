// Another machine, as --ssh names one, whose files are those of this machine. XYLEM_TEST_REMOTE is `hashes`, or
// `hangs`: a question is a line of XYLEM_TEST_RECORDS, and has no answer; or the reason why nothing there hashes.
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'
import { setRemote } from '../../lib/remote.ts'

const HOST = 'ssh:me@there:'

export default function machine(_pi: ExtensionAPI): void {
  setRemote({
    host: 'me@there',
    cwd: undefined,
    async key(input, cwd) {
      const path = resolve(cwd, input)
      return `${HOST}${existsSync(path) ? realpathSync(path) : path}`
    },
    async fingerprint(key) {
      const path = key.slice(HOST.length)
      if (process.env.XYLEM_TEST_REMOTE === 'hangs') {
        appendFileSync(process.env.XYLEM_TEST_RECORDS!, JSON.stringify({ event: 'asked', key }) + '\n')
        return new Promise(() => {})
      }
      if (process.env.XYLEM_TEST_REMOTE !== 'hashes') {
        throw new Error(process.env.XYLEM_TEST_REMOTE)
      }
      if (!existsSync(path)) {
        return undefined
      }
      const bytes = readFileSync(path)
      return { hash: `sha256:${createHash('sha256').update(bytes).digest('hex')}`, bytes: bytes.length }
    },
  })
}
