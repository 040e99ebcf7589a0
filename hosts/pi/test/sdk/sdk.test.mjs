// Sessions of a host on pi's SDK: the store has the one durable copy.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { node, piPath, world } from '../lib/pi.mjs'
import { BLOCKED, bytesOf, packageCopy, settle } from '../rpc/moves.mjs'

const run = promisify(execFile)
// The module of the SDK is bundled beside the command: packages of the newer pi are missing (tools/pi.sh).
const sdk = pathToFileURL(join(dirname(piPath), 'index.js')).href
const here = (name) => fileURLToPath(new URL(name, import.meta.url))

// A world with hosts, which are processes of their own.
async function hosts(t, options) {
  const running = []
  t.after(() => running.forEach((child) => child.kill('SIGKILL')))
  const w = await world(t, options)
  function start(environment = {}) {
    const child = spawn(node, [here('host.mjs')], { cwd: w.sandbox.project, stdio: ['pipe', 'pipe', 'inherit'], env: {
      ...w.sandbox.environment, ...environment,
      XYLEM_TEST_SDK: sdk } })
    running.push(child)
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const ended = new Promise((done) => child.once('exit', done))
    return {
      pid: child.pid,
      // Calls a function in the host.
      async run(call, argument) {
        child.stdin.write(`${JSON.stringify({ source: call.toString(), argument })}\n`)
        const { value: line } = await answers.next()
        assert.ok(line, 'the host ended')
        const { value, error } = JSON.parse(line)
        if (error) {
          throw Object.assign(new Error(error.message), { name: error.name })
        }
        return value
      },
      end(signal) {
        child.kill(signal)
        return ended
      },
    }
  }
  return Object.assign(w, { host: start })
}

// The steps of the hosts. Their sources run in the host.
const openIt = async (host, options) => {
  host.kept = await host.open(options)
  return host.kept.id
}
const append = (host, texts) => texts.map((text) => host.kept.sessionManager.appendCustomEntry('note', { text }))
const appendDeep = ({ kept: { sessionManager } }) => { // too deep for the store
  let deep = []
  for (let i = 0; i < 2000; i++) {
    deep = [deep]
  }
  sessionManager.appendCustomEntry('deep', deep)
}
const save = (host) => host.kept.saved()
const close = (host) => host.kept.close()
const look = ({ kept: { sessionManager: manager } }) => ({ header: manager.getHeader(), entries: manager.getEntries(),
  leafId: manager.getLeafId(), cwd: manager.getCwd(), path: manager.getBranch().map(({ id }) => id) })
const startAgent = async (host, options) => {
  host.session = await host.agent(host.kept, options)
}
const ask = async ({ session }, text) => { // the result of a tool, or the answer
  await session.prompt(text)
  const result = session.messages.findLast(({ role }) => role === 'toolResult')
  return result?.content.map(({ text }) => text).join('') ?? session.getLastAssistantText()
}
const lineOf = (entry) => JSON.stringify(entry)
const fileOf = ({ header, entries }) => [header, ...entries].map(lineOf).join('\n') + '\n'

const failing = (name, text) => (error) => {
  assert.equal(error.name, name, error.message)
  assert.match(error.message, text)
  return true
}

test('a new session is the same session in a second process', async (t) => {
  const w = await hosts(t)
  const first = w.host()
  const id = await first.run(openIt)
  await first.run(append, ['one', 'wide: 字 😀', 'half: \ud800 and \udc00', 'nul: \0'])
  await first.run(save)
  const before = await first.run(look)
  await first.run(close)
  const second = w.host()
  assert.equal(await second.run(openIt, { id }), id)
  assert.deepEqual(await second.run(look), before)
  assert.equal(before.cwd, w.sandbox.project)
  assert.equal(await w.xylem('export', id), fileOf(before))
  await second.run(append, ['from the second'])
  await second.run(close)
  assert.match(await w.xylem('export', id), /half: \\ud800 and \\udc00(.|\n)*from the second/)
  assert.deepEqual(w.files(), [])
  await w.xylem('verify')
})

test('a host names its sessions', async (t) => {
  const w = await hosts(t)
  const host = w.host()
  assert.equal(await host.run(openIt, { id: 'the.host_s-own', cwd: '/tmp' }), 'the.host_s-own')
  await host.run(close)
  await host.run(openIt, { id: 'the.host_s-own' })
  const { cwd, header } = await host.run(look)
  assert.deepEqual([cwd, header.cwd], ['/tmp', '/tmp'])
  for (const id of ['', 'a b', '../x', '-', 'x\0y', 'é', '\ud800']) {
    await assert.rejects(host.run(({ open }, id) => open({ id }), id), failing('Error', /Session id must be/))
  }
  const long = ({ open }) => open({ id: 'x'.repeat(201) })
  await assert.rejects(host.run(long), failing('XYLEM_E_MALFORMED', /an id of 1 to 200 bytes/))
  assert.equal((await w.xylem('sessions', '--jsonl')).trim().split('\n').length, 1)
})

test('the leaf is where it was', async (t) => {
  const w = await hosts(t)
  const host = w.host()
  const id = await host.run(openIt)
  const [a, b] = await host.run(append, ['a', 'b'])
  const move = async (to) => {
    await host.run(({ kept: { sessionManager: manager } }, to) => to ? manager.branch(to) : manager.resetLeaf(), to)
    await host.run(close)
    await host.run(openIt, { id })
    return (await host.run(look)).path
  }
  assert.deepEqual(await move(a), [a])
  assert.deepEqual(await move(null), [])
  assert.deepEqual(await move(b), [a, b])
  await move(a)
  const [c] = await host.run(append, ['c'])
  await host.run(close)
  await host.run(openIt, { id })
  assert.deepEqual((await host.run(look)).path, [a, c])
  assert.match(await w.xylem('moves', id), /\bpi\b/)
})

test('a fork shares its history, and both go on', async (t) => {
  const w = await hosts(t)
  const host = w.host()
  const id = await host.run(openIt)
  const [a, b, c] = await host.run(append, ['a', 'b', 'c'])
  const forkAt = async (host, entryId) => {
    host.source = host.kept
    host.kept = await host.source.fork(entryId)
    return host.kept.id
  }
  const back = (host) => host.kept.close().then(() => { host.kept = host.source })
  const atEntry = await host.run(forkAt, b)
  assert.deepEqual((await host.run(look)).path, [a, b])
  const [d] = await host.run(append, ['d'])
  await host.run(back)
  const atLeaf = await host.run(forkAt)
  const { header, path } = await host.run(look)
  assert.deepEqual([path, header.parentSession, header.id], [[a, b, c], id, atLeaf])
  await host.run(back)
  await host.run(append, ['e'])
  await host.run(close)

  const stat = JSON.parse(await w.xylem('stat', '--json'))
  assert.deepEqual([stat.session_count, stat.entry_count], [3, 5])
  await host.run(openIt, { id: atEntry })
  assert.deepEqual((await host.run(look)).path, [a, b, d])
  const again = await host.run(look)
  assert.equal(await w.xylem('export', atEntry), fileOf(again))

  // Exports are session files like any other.
  const fresh = join(w.sandbox.root, 'fresh')
  const files = []
  for (const each of [id, atEntry, atLeaf]) {
    files.push(join(w.sandbox.root, `2026-11-22T00-00-00-000Z_${each}.jsonl`))
    writeFileSync(files.at(-1), await w.xylem('export', each))
  }
  assert.match(await w.xylem('import', '--store', fresh, ...files), /3 new; 5 entries added, 5 shared .* 0 problems/)
  await w.xylem('verify', '--store', fresh)
  await w.xylem('verify')
})

test('a fork of no entry is an error, and a fork without a leaf is empty', async (t) => {
  const w = await hosts(t)
  const host = w.host()
  const id = await host.run(openIt)
  await host.run(append, ['a'])
  await assert.rejects(host.run(({ kept }) => kept.fork('none')), failing('XYLEM_E_NOT_FOUND', /none/))
  await host.run(({ kept }) => kept.sessionManager.resetLeaf())
  await host.run(close)
  await host.run(openIt, { id, cwd: '/' })
  const empty = await host.run(async ({ kept }) => {
    const fork = await kept.fork()
    await fork.close()
    const { sessionManager: manager } = fork
    return [manager.getHeader().parentSession, manager.getEntries(), manager.getCwd()]
  })
  assert.deepEqual(empty, [id, [], '/'])
})

test('a process that has the session keeps others out', async (t) => {
  const w = await hosts(t)
  const [first, second] = [w.host(), w.host()]
  const id = await first.run(openIt, { id: 'shared' })
  await assert.rejects(second.run(openIt, { id }), failing('XYLEM_E_CONFLICT', new RegExp(`process ${first.pid}`)))
  await assert.rejects(first.run(({ open }, id) => open({ id }), id), failing('XYLEM_E_CONFLICT', /this process/))
  await first.run(append, ['from the first'])
  await first.run(close)
  await second.run(openIt, { id })
  assert.equal((await second.run(look)).entries.length, 1)
  await second.end('SIGKILL')
  await first.run(openIt, { id })
})

test('processes that make one session at once make one', async (t) => {
  const w = await hosts(t)
  const all = [w.host(), w.host(), w.host()]
  const results = await Promise.allSettled(all.map((host) => host.run(openIt, { id: 'shared' })))
  const refused = results.filter(({ reason }) => reason)
  assert.ok(refused.length >= 2, 'more than one has the session')
  refused.forEach(({ reason }) => failing('XYLEM_E_CONFLICT', /process \d+/)(reason))
  assert.equal(refused.length, 2)
})

test('a kill takes what was not saved, and nothing else', async (t) => {
  const w = await hosts(t)
  const first = w.host()
  const id = await first.run(openIt)
  await first.run(append, ['saved', 'too'])
  await first.run(save)
  const before = await first.run(look)
  await first.run(append, ['not saved'])
  await first.end('SIGKILL')
  const second = w.host()
  await second.run(openIt, { id })
  assert.deepEqual(await second.run(look), before)
  await second.run(append, ['behind'])
  await second.run(close)
  assert.doesNotMatch(await w.xylem('export', id), /not saved/)
  await w.xylem('verify')
})

test('a store that cannot be opened is an error, and opens later', async (t) => {
  const w = await hosts(t)
  const host = w.host()
  const path = join(w.sandbox.root, 'other')
  writeFileSync(path, 'no store')
  await assert.rejects(host.run(openIt, { id: 'x', store: path }), failing('XYLEM_E_NOT_A_STORE', /other/))
  await assert.rejects(host.run(openIt, { id: 'x', store: join(path, 'below') }), failing('Error', /EEXIST|ENOTDIR/))
  rmSync(path)
  await host.run(openIt, { id: 'x', store: join(path, 'deep', 'store') })
  await host.run(append, ['a'])
  await host.run(close)
  assert.match(await w.xylem('export', 'x', '--store', join(path, 'deep', 'store')), /"text":"a"/)
  assert.equal(existsSync(w.sandbox.store), false)
})

test('an end, and an open that fails, give the session back', async (t) => {
  const w = await hosts(t)
  const [first, second] = [w.host(), w.host()]
  const id = await first.run(openIt)
  const other = await first.run(({ open }) => open().then(({ id }) => id)) // so that the store stays open
  await first.run(close)
  await second.run(openIt, { id })
  await second.run(close)
  await assert.rejects(first.run(openIt, { id, cwd: 7 }), failing('TypeError', /./))
  await second.run(openIt, { id })
  await second.run(close)
  await first.run(openIt, { id })
  await assert.rejects(second.run(openIt, { id: other }), failing('XYLEM_E_CONFLICT', /process/))
})

test('a deleted session is an error until it is undeleted', async (t) => {
  const w = await hosts(t)
  const host = w.host()
  const id = await host.run(openIt)
  await host.run(append, ['a'])
  await host.run(close)
  await w.xylem('delete', '--yes', id)
  await assert.rejects(host.run(openIt, { id }), failing('XYLEM_E_DELETED', new RegExp(id)))
  await w.xylem('compact', '--yes', '--wait', '1') // refused where a process has the store open
  await w.xylem('undelete', id)
  await host.run(openIt, { id })
  assert.equal((await host.run(look)).entries.length, 1)
})

test('a commit that fails is told, and made up for', async (t) => {
  const w = await hosts(t)
  const [host, writer] = [w.host(), w.host()]
  mkdirSync(dirname(w.sandbox.store), { recursive: true })
  await host.run((host, path) => { // handles of a process share the options of the first
    host.first = host.native.open(path, { create: true, waitMs: 20 })
  }, w.sandbox.store)
  const id = await host.run(openIt)
  await writer.run(openIt)
  writer.run(async ({ kept }) => {
    for (;;) {
      for (let i = 0; i < 3000; i++) {
        kept.sessionManager.appendCustomEntry('note', { i })
      }
      await kept.saved()
    }
  }).catch(() => {}) // the end of the writer
  const stopped = async () => { // within a write
    process.kill(writer.pid, 'SIGSTOP')
    await host.run(append, ['more'])
    const { name } = await host.run(save).catch((error) => error) ?? {}
    if (name !== 'XYLEM_E_BUSY') {
      process.kill(writer.pid, 'SIGCONT')
    }
    return name === 'XYLEM_E_BUSY'
  }
  await w.until(stopped, 'the writer to stop within a write', { every: 3 })
  await assert.rejects(host.run(save), failing('XYLEM_E_BUSY', /./))
  await writer.end('SIGKILL')
  await host.run(save)
  const now = await host.run(look)
  await host.run(close)
  assert.equal(await w.xylem('export', id), fileOf(now))
})

test('an entry that the store cannot place is told again and again', async (t) => {
  const w = await hosts(t)
  const host = w.host()
  const id = await host.run(openIt)
  await host.run(append, ['before'])
  await host.run(appendDeep)
  await host.run(append, ['behind'])
  const lost = failing('Error', /not kept whole: line 3: .*xylem quarantine/)
  await assert.rejects(host.run(save), lost)
  await host.run(append, ['after that'])
  await assert.rejects(host.run(save), lost)
  await assert.rejects(host.run(close), lost)
  assert.match(await w.xylem('export', id), /before(.|\n)*behind/)
  const second = w.host()
  await second.run(openIt, { id }) // the lease has ended all the same
})

test('saved and close may be called at once, and twice', async (t) => {
  const w = await hosts(t)
  const host = w.host()
  const id = await host.run(openIt)
  await host.run(append, ['a'])
  await host.run(({ kept }) => Promise.all([kept.saved(), kept.saved(), kept.close(), kept.close(), kept.saved()]))
  await host.run(close)
  await host.run(save) // there is nothing new
  await host.run(append, ['late'])
  await assert.rejects(host.run(save), failing('XYLEM_E_ARGUMENT', /closed/))
  assert.doesNotMatch(await w.xylem('export', id), /late/)
})

test('passes that overlap leave the last leaf', async (t) => {
  const w = await hosts(t)
  const host = w.host()
  await host.run(openIt)
  const leaves = await host.run(async ({ kept, native }, path) => {
    const store = native.open(path)
    const leaves = []
    for (let round = 0; round < 50; round++) {
      const passes = ['a', 'b', 'c', 'd'].map((text) => {
        kept.sessionManager.appendCustomEntry('note', { text })
        return kept.saved()
      })
      await Promise.all(passes)
      leaves.push(store.session(kept.id).leafId === kept.sessionManager.getLeafId())
    }
    store.close()
    return leaves
  }, w.sandbox.store)
  assert.deepEqual(leaves.filter((isLast) => !isLast), [])
})

test('an entry that was redacted stays redacted', async (t) => {
  const w = await hosts(t)
  const host = w.host()
  const id = await host.run(openIt)
  const [a] = await host.run(append, ['a-secret-of-a-host'])
  await host.run(save)
  await w.xylem('redact', `${id}:${a}`, '--reason', 'a test', '--yes').catch(() => {}) // 4: the store is open elsewhere
  await host.run(append, ['behind'])
  await host.run(close)
  await host.run(openIt, { id })
  const { entries } = await host.run(look)
  assert.deepEqual(entries.map(({ data }) => data), [{ redacted: 'a test' }, { text: 'behind' }])
})

test('another session in the manager is not kept, and says so', async (t) => {
  const w = await hosts(t)
  const host = w.host()
  const id = await host.run(openIt)
  const [a] = await host.run(append, ['a'])
  await host.run(save)
  await host.run(({ kept: { sessionManager } }, a) => sessionManager.createBranchedSession(a), a)
  await host.run(append, ['elsewhere'])
  await assert.rejects(host.run(save), failing('Error', /another session/))
  await assert.rejects(host.run(close), failing('Error', /another session/))
  assert.equal(bytesOf(w).includes('elsewhere'), false)
  await host.run(openIt, { id })
  await host.run(({ kept: { sessionManager } }) => sessionManager.newSession({ id: sessionManager.getSessionId() }))
  await assert.rejects(host.run(save), failing('Error', /another session/))
})

test('readonly is as it was in a second process, and in a fork', async (t) => {
  const w = await hosts(t)
  const first = w.host()
  const id = await first.run(openIt)
  await first.run(startAgent)
  assert.notEqual(await first.run(ask, '~tool write {"path":"a.txt","content":"x"}'), BLOCKED)
  await first.run(ask, '/readonly on')
  await first.end('SIGKILL') // nobody called saved(): a toggle and a turn are durable with the extensions
  assert.equal((await w.state(id)).readonly, true)

  const second = w.host()
  await second.run(openIt, { id })
  await second.run(startAgent)
  assert.equal(await second.run(ask, '~tool write {"path":"b.txt","content":"x"}'), BLOCKED)
  await second.run(async (host) => {
    host.kept = await host.kept.fork()
    host.session = await host.agent(host.kept)
  })
  assert.match(await second.run(ask, '~tool bash {"command":"touch b.txt"}'), /^Readonly/)
  await second.run(ask, '/readonly off')
  assert.notEqual(await second.run(ask, '~tool write {"path":"c.txt","content":"x"}'), BLOCKED)
  const there = (name) => existsSync(join(w.sandbox.project, name))
  assert.deepEqual([there('a.txt'), there('b.txt'), there('c.txt')], [true, false, true])
  await second.run(close)
  assert.equal((await w.state(id)).readonly, true)
  assert.deepEqual(w.files(), [])
})

test('the guards hold in an agent session that follows another one without an end', async (t) => {
  const w = await hosts(t)
  const host = w.host()
  await host.run(openIt)
  await host.run(startAgent)
  await host.run(ask, '/readonly on')
  await host.run(({ session }) => session.dispose()) // pi emits no session_shutdown here
  await host.run(startAgent)
  assert.equal(await host.run(ask, '~tool write {"path":"a.txt","content":"x"}'), BLOCKED)
  await host.run(ask, '/readonly off')
  assert.match(await host.run(ask, '~tool bash {"command":"rm -r a"}'), /^Blocked: .* Nobody can be asked/)
})

test('an agent session that is disposed of before the store is up to date leaves the host alone', async (t) => {
  const w = await hosts(t)
  const host = w.host()
  await host.run(openIt)
  await host.run(startAgent)
  await host.run(async ({ kept, session }) => {
    const { catchUp } = kept
    let go
    const waited = new Promise((done) => { go = done })
    kept.catchUp = async () => { await waited; return catchUp.call(kept) } // a slow store
    await session.prompt('hello')
    session.dispose()
    go()
  })
  await host.run(close)
  assert.match(await w.xylem('export', await host.run(({ kept }) => kept.id)), /heard: hello/)
})

test('an agent session that is disposed of while an extension looks at its checkpoints leaves the host alone',
  async (t) => {
    const w = await hosts(t)
    const host = w.host()
    await host.run(openIt)
    await host.run(async (host) => {
      const id = '0'.repeat(40)
      host.kept.sessionManager.appendCustomEntry('git-checkpoint',
        { version: 1, repo: process.cwd(), commit: id, tree: id, head: id, at: 0 })
      const session = await host.agent(host.kept, { only: ['checkpoint'] })
      session.dispose()
      const { extensionRunner: runner } = session
      await new Promise((done) => { // until the extension asks the context, which throws
        const { assertActive } = runner
        runner.assertActive = () => {
          done()
          return assertActive.call(runner)
        }
      })
    })
    await host.run(close)
  })

test('a call of a tool while the extension starts is blocked', async (t) => {
  const w = await hosts(t)
  const host = w.host()
  await host.run(openIt)
  const called = await host.run(async (host) => {
    let called
    host.kept.catchUp = () => new Promise(() => {}) // a store that lets the start wait
    await host.agent(host.kept, { only: ['readonly'], during: async ({ extensionRunner }) => {
      await new Promise((done) => setTimeout(done, 100))
      const event = { type: 'tool_call', toolCallId: '1', toolName: 'write', input: { path: 'a.txt', content: 'x' } }
      called = await extensionRunner.emitToolCall(event).then((answer) => answer ?? 'passed', String)
    } })
    return called
  })
  assert.match(called, /the state of this session is not known/)
})

test('a person sees whether the store has the session', async (t) => {
  const w = await hosts(t)
  const host = w.host()
  await host.run(openIt)
  const toggle = async (word) => {
    await host.run(ask, `/readonly ${word}`)
    return host.run(({ shown }) => [shown.notice, shown.xylem])
  }
  await host.run(async (host) => {
    host.shown = {}
    host.session = await host.agent(host.kept, { shown: host.shown })
  })
  assert.deepEqual(await toggle('on'), ['Readonly is on', null])
  await host.run(appendDeep)
  assert.deepEqual(await toggle('off'), ['Readonly is off. The store does not have it yet', 'xylem: not kept'])
})

test('the store of the host counts, not the settings of pi', async (t) => {
  const elsewhere = join(tmpdir(), 'xylem-elsewhere')
  const w = await hosts(t, { settings: { xylem: { store: elsewhere, mirror: true } } })
  const host = w.host()
  const store = join(w.sandbox.root, 'of-the-host')
  const id = await host.run(openIt, { store })
  await host.run(startAgent)
  await host.run(ask, 'hello')
  await host.run(close)
  assert.match(await w.xylem('export', id, '--store', store), /heard: hello/)
  assert.deepEqual([existsSync(elsewhere), existsSync(w.sandbox.store)], [false, false])
})

test('without extensions a session is kept too', async (t) => {
  const w = await hosts(t)
  const host = w.host()
  const id = await host.run(openIt)
  await host.run(startAgent, { bare: true })
  await host.run(ask, 'hello')
  assert.doesNotMatch(await w.xylem('export', id), /hello/)
  await host.run(save)
  assert.equal(await w.xylem('export', id), fileOf(await host.run(look)))
  assert.match(await w.xylem('export', id), /heard: hello/)
})

test('a session of the same process without a file leaves no trace', async (t) => {
  const w = await hosts(t)
  const host = w.host()
  await host.run(openIt)
  const id = await host.run(async (host) => {
    const sessionManager = host.pi.SessionManager.inMemory()
    host.session = await host.agent({ sessionManager })
    return sessionManager.getSessionId()
  })
  await host.run(ask, 'a-marker-that-nobody-else-writes')
  await host.run(ask, '/readonly on')
  await host.run(close)
  assert.deepEqual(['a-marker-that-nobody-else-writes', id].map((text) => bytesOf(w).includes(text)), [false, false])
})

test('a session of a pi goes on in a host: its file stays as it is', async (t) => {
  const w = await hosts(t)
  const pi = w.start()
  await pi.prompt('hello')
  const id = await pi.sessionId()
  const host = w.host()
  await settle(pi)
  await w.until(() => host.run(openIt, { id }).catch(({ message }) => message.includes(`process ${pi.child.pid}`)),
    'the owner to be named')
  await pi.stop()
  const file = w.read(w.fileOf(id))
  await host.run(openIt, { id })
  assert.equal(fileOf(await host.run(look)), file)
  await host.run(append, ['from the host'])
  await host.run(close)
  const lines = await w.xylem('export', id)
  assert.ok(lines.startsWith(file) && lines.includes('from the host'))
  assert.equal(w.read(w.fileOf(id)), file)

  // pi goes on where its file ends: the store has both branches.
  const again = w.start(['--session', w.fileOf(id)])
  await again.prompt('again in pi')
  await again.stop()
  assert.match(await w.xylem('export', id), /from the host(.|\n)*again in pi/)
  await w.xylem('verify')
})

test('without the addon the export says so', async (t) => {
  const w = await hosts(t)
  const copy = join(w.sandbox.project, 'pi-xylem')
  for (const part of ['package.json', 'sdk.js', 'extensions']) {
    cpSync(here(`../../${part}`), join(copy, part), { recursive: true })
  }
  const assertMissing = () => assert.rejects(run(node, [join(copy, 'sdk.js')]), /Cannot find module '.*xylem-native'/)
  await assertMissing()
  const other = join(copy, '../node') // npm's package of this name
  mkdirSync(other)
  writeFileSync(join(other, 'package.json'), JSON.stringify({ name: 'node', version: '0.1.0', main: 'index.js' }))
  writeFileSync(join(other, 'index.js'), '')
  await assertMissing()
})

test('without the addon readonly blocks before its start, and at a place that cannot be read', async (t) => {
  const w = await hosts(t)
  const answers = await w.host().run(async ({ pi }, path) => {
    const agentDir = pi.getAgentDir()
    const resourceLoader = new pi.DefaultResourceLoader({ cwd: process.cwd(), agentDir, noExtensions: true,
      additionalExtensionPaths: [path] })
    await resourceLoader.reload()
    const sessionManager = pi.SessionManager.inMemory(process.cwd())
    const { session } = await pi.createAgentSession({ cwd: process.cwd(), resourceLoader, sessionManager })
    const write = async () => (await session.extensionRunner.emitToolCall({ type: 'tool_call', toolCallId: '1',
      toolName: 'write', input: { path: 'a.txt', content: 'x' } }))?.reason ?? 'passed'
    const answers = [await write()]
    await session.bindExtensions({})
    answers.push(await write())
    sessionManager.getBranch = () => { throw new Error('broken by the test') }
    await session.extensionRunner.emit({ type: 'session_tree' })
    return [...answers, await write()]
  }, packageCopy(w, false))
  const [before, started, broken] = answers
  assert.match(before, /^Readonly mode: write disabled: xylem-native is missing/)
  assert.equal(started, 'passed')
  assert.equal(broken, before)
})

test('the example opens, goes on, forks, and is told what readonly blocks', async (t) => {
  const w = await hosts(t)
  const project = w.sandbox.project
  const pi = join(project, 'node_modules/@earendil-works/pi-coding-agent')
  mkdirSync(pi, { recursive: true })
  writeFileSync(join(pi, 'package.json'), '{"type":"module","exports":"./index.js"}')
  writeFileSync(join(pi, 'index.js'), `export * from '${sdk}'`)
  symlinkSync(here('../..'), join(project, 'node_modules/pi-xylem'))
  const program = join(project, 'sdk.mjs')
  cpSync(here('../../examples/sdk.mjs'), program)
  assert.ok(readFileSync(program, 'utf8').split('\n').length <= 41)
  const example = async (...args) => {
    const { stdout } = await run(node, [program, ...args], { cwd: project, env: w.sandbox.environment })
    const [answer, id] = stdout.trimEnd().split('\n').slice(-2)
    return { answer, id }
  }
  const { answer, id } = await example('hello')
  assert.equal(answer, 'heard: hello')
  assert.equal((await example('again', id)).id, id)
  await example('/readonly on', id)
  const fork = await example('~tool write {"path":"a.txt","content":"x"}', id, '--fork')
  assert.notEqual(fork.id, id)
  assert.match(await w.xylem('export', fork.id), new RegExp(`${id}(.|\n)*again(.|\n)*${BLOCKED.slice(0, 30)}`))
  assert.doesNotMatch(await w.xylem('export', id), /a\.txt/)
  assert.equal(existsSync(join(project, 'a.txt')), false)
  assert.deepEqual(w.files(), [])
  await w.xylem('verify')
})
