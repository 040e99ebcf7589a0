// A result has at most its bytes, and following `next` gives everything once.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { entry, keeps, makeWorld, random, says } from './lib/world.mjs'

const ID = '01a1f9f7-0001-7000-8000-000000000001'
const size = (answer) => Buffer.byteLength(JSON.stringify(answer))

async function* pages(call, tool, input, limit) {
  for (let next = { tool, arguments: input }, count = 0; next; count++) {
    const answer = await call(next.tool, next.arguments)
    assert.ok(!answer.isError, answer.content[0].text)
    assert.ok(size({ content: answer.content, structuredContent: answer.structuredContent }) <= limit,
      `${tool}: ${size(answer)} bytes, page ${count}: ${JSON.stringify(answer).slice(0, 3000)}`)
    assert.ok(count < 20_000, 'there is no end')
    yield answer.structuredContent
    next = answer.structuredContent.truncated?.next
  }
}

test('a session of 10,000 entries comes once, entry by entry, following next', async (t) => {
  const world = makeWorld(t)
  const dice = random(3)
  const made = []
  for (let i = 0; i < 10_000; i++) {
    made.push(says(`en${String(i).padStart(6, '0')}`, made.at(-1)?.id ?? null, i % 2 ? 'assistant' : 'user', 'word '.repeat(dice.next(40))))
  }
  world.importSession({ id: ID, cwd: '/w' }, made)
  const { call } = await world.connect()
  const seen = []
  for await (const { entries } of pages(call, 'session_log', { session: ID, limit: 200, max_bytes: 51200 }, 51200)) {
    seen.push(...entries.map((one) => one.entry))
  }
  assert.deepEqual(seen, made.map(({ id }) => id).reverse())
  const found = []
  for await (const { hits } of pages(call, 'sessions_search', { kind: ['user'], limit: 50, max_bytes: 51200,
    pattern: '(word ){36}', session: ID }, 51200)) {
    found.push(...hits.map((one) => one.entry))
  }
  assert.equal(new Set(found).size, found.length)
  assert.equal(found.length, JSON.parse(world.xylem('search', '-c', '--json', '-k', 'user', '-e', '(word ){36}')).sessions[0].match_count)
})

test('lists of sessions and tips come once, in pages of few bytes', async (t) => {
  const world = makeWorld(t)
  const made = [says('root', null, 'user', 'root')]
  for (let i = 0; i < 60; i++) {
    made.push(says(`tip${i}`, 'root', 'user', `tip ${i} ${'x'.repeat(i * 9)}`))
    world.importSession({ id: `01a1f9f7-0002-7000-8000-${String(i).padStart(12, '0')}`, cwd: '/w' }, [says('a', null, 'user', `hello ${'y'.repeat(i * 20)}`)])
  }
  world.importSession({ id: ID, cwd: '/w' }, made)
  const { call } = await world.connect()
  for (const input of [{ limit: 7 }, { limit: 100 }]) {
    const seen = []
    for await (const { sessions } of pages(call, 'sessions_list', { ...input, max_bytes: 4096 }, 4096)) {
      seen.push(...sessions.map(({ session }) => session))
    }
    assert.deepEqual([...seen].sort(), [ID, ...Array.from({ length: 60 }, (_, i) => `01a1f9f7-0002-7000-8000-${String(i).padStart(12, '0')}`)].sort())
    for (const max_bytes of [4096, 16384]) {
      const tips = []
      for await (const { branches, drawing } of pages(call, 'session_tree', { session: ID, ...input, max_bytes }, max_bytes)) {
        assert.equal(drawing !== undefined, tips.length === 0, 'the drawing is on the first page alone')
        tips.push(...branches.map((one) => one.entry))
      }
      assert.deepEqual(tips, made.slice(1).map(({ id }) => id).reverse())
    }
  }
})

test('the pieces of a long entry are the entry', async (t) => {
  const world = makeWorld(t)
  const long = { text: `${'é😀\u0000"\\\n'.repeat(8000)}end`, more: 'short', list: [{ text: 'ab'.repeat(9000) }, 7, null, true] }
  const many = { list: Array.from({ length: 2000 }, (_, i) => ({ i, text: `t${i}` })) }
  world.importSession({ id: ID, cwd: '/w' }, [keeps('long', null, 'data', long), keeps('many', 'long', 'data', many),
    says('after', 'many', 'user', 'after')])
  const { call } = await world.connect()
  const joined = (a, b) => typeof b === 'string' ? b.length > 64 || a?.length > 64 ? (a ?? '') + b : b
    : Array.isArray(b) ? b.map((one, i) => joined(a?.[i], one))
      : b && typeof b === 'object' ? Object.fromEntries(Object.entries(b).map(([name, one]) => [name, joined(a?.[name], one)])) : b
  for (const [id, wanted] of [['long', long], ['many', many]]) {
    for (const max_bytes of [4096, 16384, 51200]) {
      let next = { tool: 'entry_show', arguments: { handles: [`${ID}:${id}`], max_bytes } }
      let all
      let count = 0
      while (next) {
        const answer = await call(next.tool, next.arguments)
        assert.ok(!answer.isError, answer.content?.[0].text)
        assert.ok(size({ content: answer.content, structuredContent: answer.structuredContent }) <= max_bytes)
        const [shown] = answer.structuredContent.entries
        all = joined(all, shown.payload)
        assert.ok(!/\\u[dD][89a-fA-F]/.test(JSON.stringify(shown.payload)), 'a pair of surrogates is cut')
        next = shown.cut?.next
        count++
      }
      assert.ok(count > 1)
      assert.deepEqual(typeof all === 'string' ? JSON.parse(all) : all, wanted, `${id} in ${count} pieces of ${max_bytes}`)
    }
  }
  for (let offset = 1; offset < 9; offset++) { // an offset of the client's own may lie within a pair
    const { structuredContent } = await call('entry_show', { handles: [`${ID}:long`], offset })
    assert.ok(structuredContent.entries[0].payload.text.isWellFormed(), `offset ${offset}`)
  }
  // Beside others a long entry leaves room, and has the call for the whole.
  const { structuredContent: { entries } } = await call('session_log', { session: ID })
  assert.equal(entries.length, 3)
  assert.deepEqual(entries.map((one) => one.cut?.next.arguments.handles), [undefined, [`${ID}:many`], [`${ID}:long`]])
})

test('a document that is no list comes in pieces, too', async (t) => {
  const world = makeWorld(t)
  const made = [says('root', null, 'user', 'root')]
  for (let i = 0; i < 900; i++) {
    made.push(says(`a${i}`, i === 0 ? 'root' : `a${i - 1}`, 'user', `a ${i}`))
  }
  made.push(says('b0', 'root', 'user', 'b'), keeps('seq', 'b0', 'sequence', { version: 1, sequenceId: 'q', updatedAt: 1,
    steps: Array.from({ length: 9 }, (_, i) => `step ${i} ${'long '.repeat(1000)}`) }))
  world.importSession({ id: ID, cwd: '/w' }, made)
  const { call } = await world.connect()
  for (const [tool, input, command] of [['session_diff', { a: `${ID}:a899`, b: `${ID}:b0` }, ['diff', '--json', `${ID}:a899`, `${ID}:b0`]],
    ['session_state', { session: ID }, ['state', '--json', ID]], ['sequence_show', { session: ID }, ['sequence', 'show', '--json', ID]]]) {
    let next = { tool, arguments: input }
    let all
    while (next) {
      const { structuredContent, content } = await call(next.tool, next.arguments)
      assert.ok(size({ content, structuredContent }) <= 16384, tool)
      const { document: piece } = structuredContent
      all = typeof piece === 'string' ? (all ?? '') + piece : undefined
      if (typeof piece === 'object') {
        break // the strings in pieces: the test above joins such
      }
      next = structuredContent.cut?.next
    }
    const { schema, ...wanted } = JSON.parse(world.tried(...command).stdout)
    if (all !== undefined) {
      assert.deepEqual(JSON.parse(all), wanted, tool)
    }
  }
})

test('resources are many sessions', async (t) => {
  const world = makeWorld(t)
  for (let i = 0; i < 40; i++) {
    world.importSession({ id: `01a1f9f7-0004-7000-8000-${String(i).padStart(12, '0')}`, cwd: '/w' }, [says('a', null, 'user', `hello ${i}`)])
  }
  const { client } = await world.connect()
  assert.equal((await client.listResources()).resources.length, 40)
})

test('following next ends, and skips nothing, whatever ids, labels and lengths a session has', async (t) => {
  const world = makeWorld(t)
  const long = 'long words '.repeat(3000)
  const ids = ['r', '@', 'none', '@{1}', 'a~1', 'b^2', '@~1', 'z']
  const made = ids.map((id, i) => says(id, ids[i - 1] ?? null, 'user', i % 3 ? 'short' : long))
  world.importSession({ id: ID, cwd: '/w' }, made)
  const { call } = await world.connect()
  for (const input of [{ limit: 1 }, { limit: 2, max_bytes: 4096 }, { limit: 1, kind: ['user'] }]) {
    const seen = []
    for await (const { entries } of pages(call, 'session_log', { session: ID, ...input }, 16384)) {
      seen.push(...entries.map((one) => one.entry))
      assert.ok(seen.length <= ids.length, `there is no end: ${seen}`)
      // a place cannot name an entry with the id `@{1}`: the word means another entry
      for (const { cut } of entries.filter((one) => one.cut && !/^@|^none$/.test(one.entry))) {
        assert.equal((await call(cut.next.tool, cut.next.arguments)).isError, undefined, JSON.stringify(cut.next))
      }
    }
    assert.deepEqual(seen, [...ids].reverse())
  }
})

test('no answer is too large, whatever is long: names, kinds, matches, facts, control characters', async (t) => {
  const world = makeWorld(t)
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`member${i}`, i]))
  const made = [entry('name', null, { type: 'session_info', name: 'N'.repeat(20_000) }),
    says('x', 'name', 'user', `${'x'.repeat(3000)}${'\u0007'.repeat(3000)}N`), keeps('kind', 'x', 'k'.repeat(200), { text: 'short' }),
    keeps('many', 'kind', 'data', many), keeps('some', 'many', 'data', { list: Array(60).fill('s'.repeat(60)), text: 'l'.repeat(9000) }),
    entry('label', 'some', { type: 'label', targetId: 'x', label: 'L'.repeat(5000) })]
  world.importSession({ id: ID, cwd: `/w/${'d'.repeat(3000)}` }, made)
  const { call } = await world.connect()
  for (const max_bytes of [4096, 16384]) {
    for (const [tool, input] of [['sessions_list', {}], ['sessions_search', { pattern: 'N{5}.*' }], ['sessions_search', { pattern: '[^x]+', limit: 1, offset: 1 }],
      ['session_log', { session: ID }], ['session_tree', { session: ID }], ['session_state', { session: ID }], ['session_diff', { a: ID, b: `${ID}:name` }],
      ...made.map(({ id }) => ['entry_show', { handles: [`${ID}:${id}`] }]), ['entry_show', { handles: made.map(({ id }) => `${ID}:${id}`) }]]) {
      const { content, structuredContent, isError } = await call(tool, { ...input, max_bytes })
      assert.ok(!isError, `${tool}: ${content[0].text}`)
      assert.ok(size({ content, structuredContent }) <= max_bytes, `${tool} ${JSON.stringify(input)}: ${size({ content, structuredContent })} of ${max_bytes}: ${content[0].text.slice(0, 300)}`)
      assert.ok(!/[\u0007\u202e]/.test(content[0].text), 'a control character is in the text')
    }
  }
})

test('a session of many files names few of them', async (t) => {
  const world = makeWorld(t)
  world.importSession({ id: ID, cwd: '/w' }, [says('a', null, 'user', 'a')])
  for (let i = 0; i < 12; i++) {
    copyFileSync(join(world.root, 'files', `${ID}.jsonl`), join(world.root, `copy${i}_${ID}.jsonl`))
    world.xylem('import', join(world.root, `copy${i}_${ID}.jsonl`))
  }
  const { ask } = await world.connect()
  const { sessions: [{ files, files_count }] } = await ask('sessions_list')
  assert.deepEqual([files.length, files_count], [10, 13])
})

test('an entry of thousands of forks names few of them', async (t) => {
  const world = makeWorld(t)
  const shared = [says('root', null, 'user', 'shared words')]
  for (let i = 0; i < 30; i++) {
    world.importSession({ id: `01a1f9f7-0003-7000-8000-${String(i).padStart(12, '0')}`, cwd: '/w', ...(i ? { parentSession: '01a1f9f7-0003-7000-8000-000000000000' } : {}) }, shared)
  }
  const { ask } = await world.connect()
  const { hits: [hit] } = await ask('sessions_search', { query: 'shared' })
  assert.equal(hit.sessions.length, 10)
  assert.equal(hit.sessions_count, 30)
})

test('secrets are left out and counted, and shown only if a person starts the server so', async (t) => {
  const world = makeWorld(t)
  const token = `ghp_${createHash('sha256').update('not a key').digest('hex').slice(0, 36)}`
  world.importSession({ id: ID, cwd: '/w' }, [entry('name', null, { type: 'session_info', name: `name ${token}` }),
    says('ask', 'name', 'user', `use ${token}`), keeps('todo', 'ask', 'todo', { lastId: 1, items: [{ id: 1, text: token, done: false }] }),
    keeps('seq', 'todo', 'sequence', { version: 1, sequenceId: 'q', steps: [`export KEY=${token}`], updatedAt: 1 }),
    entry('label', 'seq', { type: 'label', targetId: 'ask', label: token })])
  const questions = [['sessions_list', {}], ['sessions_search', { query: 'use' }], ['session_tree', { session: ID }],
    ['session_log', { session: ID }], ['entry_show', { handles: [`${ID}:ask`] }], ['session_state', { session: ID }],
    ['session_diff', { a: ID, b: `${ID}:name` }], ['sequence_show', { session: ID }]]
  const safe = await world.connect()
  const open = await world.connect(['--all', '--with-secrets'])
  for (const [tool, input] of questions) {
    const { structuredContent, content } = await safe.call(tool, input)
    const said = JSON.stringify({ structuredContent, content })
    for (let i = 4; i + 8 <= token.length; i++) {
      assert.ok(!said.includes(token.slice(i, i + 8)), `${tool} shows ${token.slice(i, i + 8)}: ${said}`)
    }
    assert.ok(structuredContent.secrets_left_out > 0 && content[0].text.includes('Secrets left out: '), `${tool}: ${said}`)
    const shown = await open.call(tool, input)
    assert.ok(JSON.stringify(shown).includes(token), tool)
    assert.equal(shown.structuredContent.secrets_left_out, null)
  }
  for (const query of [token, token.slice(0, 20)]) {
    assert.deepEqual((await safe.ask('sessions_search', { query })).hits, [], 'a guess is confirmed')
  }
  const { resources } = await safe.client.listResources()
  const prompt = await safe.client.getPrompt({ name: 'where_were_we', arguments: { session: ID } })
  const { contents } = await safe.client.readResource({ uri: `xylem://entry/${ID}/ask` })
  const { completion } = await safe.client.complete({ ref: { type: 'ref/resource', uri: 'xylem://entry/{session}/{entry}' },
    argument: { name: 'entry', value: 'a' }, context: { arguments: { session: ID } } })
  assert.deepEqual(completion.values, ['ask'])
  assert.ok(!JSON.stringify([resources, prompt, contents]).includes(token.slice(4, 20)))
})
