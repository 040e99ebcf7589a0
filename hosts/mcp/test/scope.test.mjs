// No answer has a byte of a session outside of the scope: random stores, scopes and questions. With --all each answer is
// that of the command. A failure names its seed: SEED=N runs that one alone.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { entry, keeps, makeWorld, random, says } from './lib/world.mjs'

const WORLDS = Number(process.env.WORLDS ?? 12)
const QUESTIONS = Number(process.env.QUESTIONS ?? 60)
const seeds = process.env.SEED ? [Number(process.env.SEED)] : Array.from({ length: WORLDS }, (_, i) => Date.now() % 1e9 + i)
const TOOLS = ['sessions_list', 'sessions_search', 'session_tree', 'session_log', 'entry_show', 'session_state',
  'session_diff', 'sequence_show', 'store_status']

// A store with sessions in three directories. Each word of a session is in no other session, but for the entries that a
// fork shares. Ids are hostile: one begins with another and a `:`, and names are ids of others.
function fill(world, { next, pick, chance }) {
  const places = ['/w/red', '/w/red/inner', '/w/redder', '/w/blue']
  const sessions = []
  const count = 4 + next(8)
  for (let i = 0; i < count; i++) {
    const base = sessions.length > 0 && chance(50) ? pick(sessions) : undefined
    const id = sessions.length > 0 && chance(25) ? `${pick(sessions).id}:e${next(3)}`
      : chance(60) ? `01a1f9f7-${String(1000 + i)}-7000-8000-${String(next(1e9)).padStart(12, '0')}` : `s${i}x${next(99)}`
    if (sessions.some((one) => one.id === id)) {
      continue
    }
    const shared = base ? base.entries.slice(0, 1 + next(base.entries.length)) : []
    const own = []
    const add = (made) => own.push(made)
    const last = () => own.at(-1)?.id ?? shared.at(-1)?.id ?? null
    const word = (n) => `mark${i}q${n}z`
    for (let n = 0; n < 3 + next(6); n++) {
      const parent = chance(80) || n === 0 ? last() : pick([...shared, ...own]).id
      const entryId = chance(20) ? `e${next(3)}` : `en${i}n${n}`
      if ([...shared, ...own].some((one) => one.id === entryId)) {
        continue
      }
      const kind = next(6)
      add(kind === 0 ? keeps(entryId, parent, 'todo', { lastId: 1, items: [{ id: 1, text: word(n), done: false }] })
        : kind === 1 ? keeps(entryId, parent, 'sequence', { version: 1, sequenceId: `sq${word(n)}`, steps: [word(n)], updatedAt: 1 })
          : kind === 2 ? entry(entryId, parent, { type: 'label', targetId: parent, label: word(n) })
            : kind === 3 ? entry(entryId, parent, { type: 'session_info', name: chance(30) && base ? base.id : word(n) })
              : says(entryId, parent, kind === 4 ? 'user' : 'assistant', `common words ${word(n)}`))
    }
    const cwd = pick(places)
    world.importSession({ id, cwd, ...(base ? { parentSession: pick([base.id, `/files${base.cwd}/2026-11-20T10-00-00-000Z_${base.id}.jsonl`]) } : {}) },
      [...shared, ...own])
    sessions.push({ id, cwd, base, entries: [...shared, ...own], own, mark: `mark${i}q` })
  }
  return sessions
}

// Questions with ids of any session, whole, cut, and joined with words of others.
function question({ next, pick, chance }, sessions) {
  const any = () => {
    const one = pick(sessions)
    const of = pick(one.entries).id
    return pick([one.id, one.id, one.id, `${one.id}:${of}`, one.id.slice(0, 13), of, `${pick(sessions).id}:${of}`, `:${of}`,
      one.mark, '@last', '.', `${one.id}:@~1`, `-s`, `--all`, `${one.id}\u0000`, ''])
  }
  const tool = pick(TOOLS)
  const input = {}
  const maybe = (name, value) => { if (chance(40)) input[name] = value }
  if (['session_tree', 'session_log', 'session_state'].includes(tool) || chance(20)) input.session = any()
  if (tool === 'session_log') maybe('from', any())
  if (tool === 'session_state') maybe('entry', any())
  if (tool === 'entry_show') input.handles = Array.from({ length: 1 + next(3) }, any)
  if (tool === 'session_diff') Object.assign(input, { a: any(), b: any() })
  if (tool === 'sequence_show') maybe(pick(['session', 'run']), any())
  if (tool === 'sessions_search') input[pick(['query', 'pattern'])] = pick(['common', 'mark', any() || 'x', 'z', 'no such'])
  if (['sessions_list', 'sessions_search', 'session_tree'].includes(tool)) {
    maybe('limit', 1 + next(5))
    maybe('offset', next(4))
  }
  return [tool, input]
}

// What may not be seen: ids, directories and words of what is neither in scope nor on a path of a session in scope.
function forbidden(sessions, inScope) {
  const allowed = new Set(sessions.filter(inScope).flatMap((one) => one.entries.map((own) => JSON.stringify(own))))
  const words = sessions.filter((one) => !inScope(one)).flatMap((one) => [`"${one.id}"`, `_${one.id}.jsonl`, `"${one.cwd}"`, `/files${one.cwd}/`, `in ${one.cwd}\\n`,
    ...one.own.filter((own) => !allowed.has(JSON.stringify(own))).flatMap((own) => [...JSON.stringify(own).matchAll(/mark\d+q\d+z/g)].map(String))])
  // A handle in scope may be the id of a session outside.
  const known = sessions.filter(inScope).flatMap((one) => [`"${one.id}"`, `"${one.cwd}"`, `in ${one.cwd}\\n`,
    ...one.entries.map(({ id }) => `"${one.id}:${id}"`), `/files${one.cwd}/`,
    ...[...JSON.stringify(one.entries).matchAll(/"[^"]*"/g)].map(String)])
  return words.filter((word) => !known.includes(word))
}

// An answer without the words of its question, and without those of the server's own options.
const without = (answer, words) => words.filter((word) => word.length > 1)
  .reduce((text, word) => text.replaceAll(JSON.stringify(word).slice(1, -1), ''), JSON.stringify(answer))

for (const seed of seeds) {
  test(`no answer has a byte of a session outside of the scope (SEED=${seed})`, async (t) => {
    const dice = random(seed)
    const world = makeWorld(t)
    const sessions = fill(world, dice)
    const scopes = [
      [['--dir', '/w/red'], ({ cwd }) => cwd === '/w/red' || cwd === '/w/red/inner'],
      [['--dir', '/w/blue'], ({ cwd }) => cwd === '/w/blue'],
      ...[dice.pick(sessions).id].map((id) => [['--all', '--session', id], (one) => one.id === id]),
      [['--dir', '/w/red', '--session', sessions[0].id], (one) => one === sessions[0] && one.cwd.startsWith('/w/red') && one.cwd !== '/w/redder'],
    ]
    for (const [args, inScope] of scopes) {
      const { client } = await world.connect(args)
      const words = forbidden(sessions, inScope)
      for (let i = 0; i < QUESTIONS; i++) {
        const [tool, input] = question(dice, sessions)
        const answer = await client.callTool({ name: tool, arguments: input })
        const said = without(answer, [...Object.values(input).flat(), ...args].map(String))
        for (const word of words) {
          assert.ok(!said.includes(word), `${args.join(' ')}: ${tool} ${JSON.stringify(input)} says ${word}: ${JSON.stringify(answer)}`)
        }
      }
      const { structuredContent: status } = await client.callTool({ name: 'store_status', arguments: {} })
      assert.deepEqual([status.session_count, status.entry_count], [sessions.filter(inScope).length, undefined])
      const { resources } = await client.listResources()
      assert.deepEqual(resources.map(({ name }) => name).sort(), sessions.filter(inScope).map(({ id }) => id).sort())
      const other = sessions.find((one) => !inScope(one))
      if (other) {
        for (const read of [() => client.readResource({ uri: `xylem://session/${encodeURIComponent(other.id)}` }),
          () => client.readResource({ uri: `xylem://entry/${encodeURIComponent(other.id)}/${other.entries[0].id}` }),
          () => client.getPrompt({ name: 'where_were_we', arguments: { session: other.id } })]) {
          await assert.rejects(read, /There is no session|Nothing has that name/)
        }
        // An id outside is answered like an id that does not exist, but where a session inside has the whole handle as id.
        for (const tail of ['', ':x', `:${other.entries[0].id}`]) {
          const [one, none] = await Promise.all([other.id, other.id.replace(/.$/, '~')].map(async (id) =>
            (await client.callTool({ name: 'entry_show', arguments: { handles: [id + tail] } })).content[0].text.replaceAll(id, 'ID')))
          assert.ok(one === none || sessions.some((made) => inScope(made) && `${other.id}${tail}:`.startsWith(`${made.id}:`)), `${other.id}${tail}: ${one}`)
        }
        const { completion } = await client.complete({ ref: { type: 'ref/prompt', name: 'where_were_we' }, argument: { name: 'session', value: other.id } })
        assert.deepEqual(completion.values.sort(), sessions.filter((one) => inScope(one) && one.id.startsWith(other.id)).map(({ id }) => id).sort())
      }
      await client.close()
    }
  })
}

test('without a scope the same questions find the words: the property can fail', async (t) => {
  const dice = random(7)
  const world = makeWorld(t)
  const sessions = fill(world, dice)
  const { client } = await world.connect(['--all'])
  const words = forbidden(sessions, () => false)
  let found = 0
  for (let i = 0; i < 40; i++) {
    const [tool, input] = question(dice, sessions)
    const said = JSON.stringify(await client.callTool({ name: tool, arguments: input }))
    found += words.some((word) => said.includes(word)) ? 1 : 0
  }
  assert.ok(found > 5, `only ${found} answers have a word`)
})

test('a run is shown where its sessions are in scope, and to nobody else', async (t) => {
  const world = makeWorld(t)
  const [inside, outside] = ['01a1f9f7-0001-7000-8000-000000000001', '01a1f9f7-0002-7000-8000-000000000002']
  const runs = {}
  for (const [id, cwd] of [[inside, '/w/red'], [outside, '/w/blue']]) {
    world.importSession({ id, cwd }, [keeps('seq', null, 'sequence', { version: 1, sequenceId: `of-${id}`, steps: ['look'], updatedAt: 1 })])
    const file = join(world.root, 'start.json')
    writeFileSync(file, JSON.stringify({ session: id, catalogue: { schema: 1, compact: true, expands: true, commands: [] } }))
    world.tried('sequence', 'drive', 'start', '--file', file)
    runs[id] = JSON.parse(world.xylem('sequence', 'runs', '--all', '--json')).runs.find(({ sequence_id }) => sequence_id === `of-${id}`).run_id
  }
  const { ask, call } = await world.connect(['--dir', '/w/red'])
  assert.equal((await ask('sequence_show', { run: runs[inside] })).run_id, runs[inside])
  for (const run of [runs[outside], runs[outside].slice(0, 18), runs[inside].slice(0, 18), inside, 'none']) {
    const { content } = await call('sequence_show', { run })
    assert.equal(content[0].text.replace(run, 'RUN').split('.')[0], "There is no run 'RUN' here", run)
  }
  const whole = await world.connect(['--all'])
  assert.equal((await whole.ask('sequence_show', { run: runs[outside] })).run_id, runs[outside])
})

test('with --all each answer is the document of the command', async (t) => {
  const dice = random(11)
  const world = makeWorld(t)
  const [{ id, entries }] = fill(world, dice)
  const { ask } = await world.connect(['--all', '--with-secrets', '--max-bytes', '51200'])
  const document = (...words) => JSON.parse(world.tried(...words).stdout)
  const members = ({ note, applied, secrets_left_out, truncated, drawing, ...rest }) => rest
  assert.deepEqual(members(await ask('sessions_list', { limit: 100 })), document('sessions', '--json'))
  const { hits } = document('search', '--json', '-n', '50', 'common')
  assert.deepEqual(members(await ask('sessions_search', { query: 'common', limit: 50 })),
    { schema: 1, hits: hits.map((hit) => ({ handle: `${hit.session}:${hit.entry}`, ...hit })) })
  assert.deepEqual(members(await ask('session_tree', { session: id })), document('branches', '--json', id))
  assert.deepEqual(members(await ask('session_log', { session: id })), document('log', '--json', id))
  assert.deepEqual(members(await ask('session_state', { session: id, explain: true })), document('state', '--json', '--explain', id))
  const { schema, ...shown } = document('show', '--json', `${id}:${entries[0].id}`)
  assert.deepEqual(members(await ask('entry_show', { handles: [`${id}:${entries[0].id}`] })), { schema, entries: [shown] })
  assert.deepEqual(members(await ask('session_diff', { a: id, b: `${id}:${entries[0].id}` })), document('diff', '--json', id, `${id}:${entries[0].id}`))
  assert.deepEqual(members(await ask('store_status')), document('stat', '--json'))
})
