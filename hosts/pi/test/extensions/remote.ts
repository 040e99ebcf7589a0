// Another machine, as --ssh names one, whose files are those of this machine. XYLEM_TEST_REMOTE is one of
//
//     hashes       the fingerprints of the files
//     late         the same; of several questions at a time the first is answered last
//     hangs        no answer; a question is a line of XYLEM_TEST_RECORDS
//     other words  the reason why nothing there hashes
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'
import { setRemote } from '../../lib/ssh/remote.ts'

const HOST = 'ssh:me@there:'

const LATE_MS = 300
const mode = process.env.XYLEM_TEST_REMOTE
let waits = false

async function answer(key: string) {
  const path = key.slice(HOST.length)
  const bytes = existsSync(path) ? readFileSync(path) : undefined
  if (mode === 'late' && !waits) {
    waits = true
    await new Promise((later) => { setTimeout(later, LATE_MS) })
    waits = false
  }
  return bytes && { hash: `sha256:${createHash('sha256').update(bytes).digest('hex')}`, bytes: bytes.length }
}

export default function machine(_pi: ExtensionAPI): void {
  setRemote({
    host: 'me@there',
    name: async (input, cwd) => HOST + resolve(cwd, input),
    text: async (key) => readFileSync(key.slice(HOST.length), 'utf8'),
    justRead: async () => undefined,
    async look(input, cwd) {
      const path = resolve(cwd, input)
      const key = `${HOST}${existsSync(path) ? realpathSync(path) : path}`
      if (mode === 'hangs') {
        appendFileSync(process.env.XYLEM_TEST_RECORDS!, JSON.stringify({ event: 'asked', key }) + '\n')
        return new Promise(() => {})
      }
      if (mode !== 'hashes' && mode !== 'late') {
        return { key, state: '', problem: mode }
      }
      return { key, state: '', there: await answer(key) }
    },
  })
}
