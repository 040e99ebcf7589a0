// The MCP server of the store in a real pi: a model searches and reads what earlier sessions of its directory said,
// through the loader and through the MCP of pi 1.5. tools/check_pi.sh makes the server, beside the command.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { textOf } from '../lib/fake-openai.mjs'
import { node, piVersion, world, xylem } from '../lib/pi.mjs'
import { mcpWorld, offeredOf } from '../mcp/worlds.mjs'
import { exported, lastResult, toggle } from './moves.mjs'

// The settings that docs/mcp.md gives for this file.
const page = readFileSync(new URL('../../../../docs/mcp.md', import.meta.url), 'utf8').split('\n')
const settingsFor = (file) => JSON.parse(/`(\{.*\})`/.exec(page.find((line) => line.includes(`\`${file}\``)))[1])

// `xylem mcp` and its Node are found here. The store is that of HOME.
const PATH = [dirname(xylem), dirname(node), process.env.PATH].join(':')

const WAYS = { 'the loader': (t) => mcpWorld(t, () => settingsFor('~/.pi/agent/settings.json'),
  { extensions: ['readonly', 'mcp-loader'] }) }
if (!piVersion.startsWith('0.')) { // pi 0.87 has no MCP
  WAYS['the MCP of pi'] = async (t) => {
    const w = await world(t)
    writeFileSync(join(w.sandbox.agent, 'mcp.json'), JSON.stringify(settingsFor('~/.pi/agent/mcp.json')))
    return w
  }
}

const DECISION = 'We paint the harbour blue.\nThe reason is the fog.'

// A session of a pi in this directory, which has ended: its id.
async function earlier(w, words, project = w.sandbox.project) {
  const usual = w.sandbox.project
  mkdirSync(project, { recursive: true })
  w.sandbox.project = project
  const pi = w.start([], { PATH })
  w.sandbox.project = usual
  await pi.prompt(words)
  const id = await pi.sessionId()
  await pi.stop()
  await exported(w, id)
  return id
}

// What the model gets, in its next request, for a call of a tool of the server.
async function answerOf(w, pi, name, input) {
  await pi.prompt(`~tool mcp__xylem__${name} ${JSON.stringify(input)}`)
  const { role, content } = w.model.requests.at(-1).messages.at(-1)
  assert.equal(role, 'tool')
  return textOf(content)
}

const handlesIn = (text) => [...text.matchAll(/^(\S+):(\S+)( \(your own session\))?$/gm)]
  .map(([, session, entry, own]) => ({ session, handle: `${session}:${entry}`, isOwn: own !== undefined }))

// No prompt with this pattern is a match.
const HARBOUR = { pattern: 'harbou[r] blue', kind: ['user'] }

for (const [way, make] of Object.entries(WAYS)) {
  test(`through ${way} a model searches what an earlier session decided, and reads the whole of it`, async (t) => {
    const w = await make(t)
    const id = await earlier(w, DECISION)
    const pi = w.start([], { PATH })
    const found = await answerOf(w, pi, 'sessions_search', HARBOUR)
    const handles = handlesIn(found)
    assert.deepEqual(handles.map(({ session }) => session), [id], found)
    assert.ok(!found.includes('the fog'), found)
    const shown = await answerOf(w, pi, 'entry_show', { handles: [handles[0].handle] })
    assert.match(shown, /We paint the harbour blue\.\s+The reason is the fog\./)
  })

  test(`through ${way} a session of another directory is not found`, async (t) => {
    const w = await make(t)
    const id = await earlier(w, DECISION)
    const outside = await earlier(w, DECISION, join(w.sandbox.root, 'elsewhere'))
    const { hits } = JSON.parse(await w.xylem('search', '--json', '-e', HARBOUR.pattern))
    assert.ok(hits.some(({ session }) => session === outside)) // the store has both
    const pi = w.start([], { PATH })
    const answers = [await answerOf(w, pi, 'sessions_search', HARBOUR), await answerOf(w, pi, 'sessions_list', {})]
    for (const answer of answers) {
      assert.deepEqual([answer.includes(id), answer.includes(outside)], [true, false], answer)
    }
    const { entry } = hits.find(({ session }) => session === outside)
    assert.match(await answerOf(w, pi, 'entry_show', { handles: [`${outside}:${entry}`] }),
      new RegExp(`^There is no session '${outside}' here\\.`))
    assert.equal((await lastResult(pi)).isError, true)
  })

  test(`through ${way} the session of the model is marked, and no other`, async (t) => {
    const w = await make(t)
    const id = await earlier(w, DECISION)
    const pi = w.start([], { PATH })
    await pi.prompt('Is the harbour blue?')
    const own = await pi.sessionId()
    await exported(w, own)
    const handles = handlesIn(await answerOf(w, pi, 'sessions_search', { query: 'harbour blue', kind: ['user'] }))
    assert.deepEqual(new Set(handles.map(({ session, isOwn }) => `${session} ${isOwn}`)),
      new Set([`${own} true`, `${id} false`]))
    const listed = await answerOf(w, pi, 'sessions_list', {})
    assert.deepEqual(listed.split('\n').filter((line) => line.startsWith(own) || line.startsWith(id)),
      [`${own} (your own session)`, id])
  })

  test(`through ${way} every tool runs under readonly, without a question`, async (t) => {
    const w = await make(t)
    const session = await earlier(w, DECISION)
    const pi = w.start([], { PATH })
    await toggle(pi, 'on')
    const calls = Object.entries({ sessions_list: {}, sessions_search: HARBOUR, session_tree: { session },
      session_log: { session }, entry_show: { handles: [session] }, session_state: { session },
      session_diff: { a: session, b: session }, sequence_show: { session }, store_status: {} })
      .map(([name, input]) => [`mcp__xylem__${name}`, input])
    await pi.prompt(`~tools ${JSON.stringify(calls)}`)
    const results = (await pi.messages()).filter(({ role }) => role === 'toolResult')
    assert.deepEqual(results.map(({ toolName, isError, content }) => [toolName, isError && textOf(content)]),
      calls.map(([name]) => [name, name.endsWith('sequence_show') && 'The session has no sequence.']))
    assert.deepEqual(offeredOf(w, 'mcp__xylem__').sort(), calls.map(([name]) => name).sort())
    assert.deepEqual(pi.dialogs(), [])
  })
}
