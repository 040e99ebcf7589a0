// `xylem import --follow` beside a pi without the package: whatever happens to the files, the exports equal the files.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, renameSync } from 'node:fs'
import { test } from 'node:test'
import { world, xylem } from '../lib/pi.mjs'

// A follower that a test may kill and start again.
function follower(t, w) {
  let child
  const start = () => {
    child = spawn(xylem, ['import', '--follow', '--quiet', w.sandbox.sessions],
      { env: { ...w.sandbox.environment, XYLEM_STORE: w.sandbox.store }, stdio: 'ignore' })
  }
  const end = async (signal) => {
    const ended = once(child, 'exit')
    child.kill(signal)
    return (await ended)[0]
  }
  t.after(() => child.kill('SIGKILL'))
  start()
  return { start, end }
}

// A last line without an end is no entry yet. A line that pi could not read is in quarantine, and an export has it on
// request.
async function isExported(w, path) {
  const text = w.read(path)
  const { id } = JSON.parse(text.slice(0, text.indexOf('\n')))
  const lines = text.slice(0, text.lastIndexOf('\n') + 1)
  return await w.xylem('export', id) === lines || await w.xylem('export', id, '--quarantine') === lines
}

const settled = (w) => w.until(async () => {
  const files = w.files()
  const equal = await Promise.all(files.map((path) => isExported(w, path).catch(() => false)))
  return files.length > 0 && equal.every(Boolean)
}, 'equal exports')

test('a follower keeps up with pi through kills of both, a torn line, a new session and a renamed file', async (t) => {
  const w = await world(t, { extensions: [] })
  const { start, end } = follower(t, w)
  const pi = w.start()
  await pi.prompt('one')
  await pi.prompt('two')
  await settled(w)
  await pi.send('new_session')
  await pi.prompt('three')
  await settled(w)
  await end('SIGKILL')
  await pi.prompt('four')
  start()
  await settled(w)
  pi.send('prompt', { message: '~hold' }).catch(() => {})
  await w.model.asked(5)
  await pi.kill()
  await settled(w)
  appendFileSync(w.files()[0], '{"type":"custom","cust') // pi was killed in the middle of a line
  await settled(w)
  const next = w.start(['--continue'])
  await next.prompt('five')
  await settled(w)
  const [path] = w.files()
  renameSync(path, path.replace(/\.jsonl$/, '-renamed.jsonl'))
  await settled(w)
  await next.stop()
  await settled(w)
  assert.equal(await end('SIGINT'), 130)
  assert.match(await w.xylem('verify'), /no problems/)
})
