// The lists of MCP servers that are kept for the next start: private, without secrets, and checked.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { forget, keep as keepIn, recall as recallIn } from '../../lib/mcp/listed.ts'

const agent = mkdtempSync(join(tmpdir(), 'mcp-listed-'))
process.env.PI_CODING_AGENT_DIR = agent
test.after(() => rmSync(agent, { recursive: true }))

const local = { command: 'run', args: ['it'], environment: { TOKEN: 'sesame' } }
const remote = { url: 'https://example.com/?key=sesame', headers: { Authorization: 'Bearer sesame' } }
const SERVER = { name: 'srv', isOn: true, local }
const TOOL = { name: 'a', inputSchema: { type: 'object' } }
const LISTED = [['mcp__srv__a', TOOL]]
const folder = join(agent, 'xylem/mcp-listed')
const keep = (config, list) => keepIn(config, '/a', list)
const recall = (config, cwd = '/a') => recallIn(config, cwd)
const files = () => readdirSync(folder).map((name) => join(folder, name))

test('a list comes back, from a private file without a secret, until another list takes its place', () => {
  keep(SERVER, LISTED)
  keep({ name: 'web', isOn: true, remote }, LISTED)
  assert.deepEqual(recall(SERVER), LISTED)
  assert.equal(files().length, 2)
  files().forEach((path) => assert.equal(/sesame/.test(path + readFileSync(path, 'utf8')), false))
  assert.deepEqual([folder, ...files()].map((path) => statSync(path).mode & 0o777), [0o700, 0o600, 0o600])
  keep(SERVER, [])
  assert.deepEqual([recall(SERVER), files().length], [[], 2])
  forget()
  assert.deepEqual(recall({ name: 'web', isOn: true, remote }), [])
})

test('a local server has a list for each directory, and a remote server one for all', () => {
  const web = { name: 'web', isOn: true, remote }
  keep(SERVER, LISTED)
  keep(web, LISTED)
  assert.deepEqual([recall(SERVER, '/b'), recall(SERVER), recall(web, '/b')], [[], LISTED, LISTED])
  forget()
})

for (const [what, more, isSame] of [
  ['another value of the environment', { local: { ...local, environment: { TOKEN: 'x' } } }, true],
  ['off', { isOn: false }], ['other allowed tools', { tools: ['b'] }], ['another name', { name: 'other' }],
  ['another command', { local: { ...local, command: 'walk' } }], ['another argument', { local: { ...local, args: [] } }],
  ['another kind', { local: undefined, remote }],
]) {
  test(`a configuration with ${what}: ${isSame ? 'the list' : 'no list'}`, () => {
    keep(SERVER, LISTED)
    assert.deepEqual(recall({ ...SERVER, ...more }), isSame ? LISTED : [])
  })
}

keep(SERVER, LISTED)
const [path] = files()
const good = readFileSync(path, 'utf8')
const listed = (...list) => JSON.stringify({ ...JSON.parse(good), listed: list })
for (const [what, text] of Object.entries({
  'a cut text': good.slice(0, -9), nothing: '', null: 'null', 'another key': good.replace('"key":"', '"key":"x'),
  'no list': JSON.stringify({ ...JSON.parse(good), listed: { 0: LISTED[0] } }), 'a name alone': listed(['mcp__srv__a']),
  'a hole': listed(LISTED[0], null), "the name of pi's own tool": listed(['bash', TOOL]),
  'a name that no provider takes': listed(['mcp__ü', TOOL]), 'a tool without a name': listed(['mcp__srv__a', { name: '' }]),
  'a long text': good + ' '.repeat(8 * 1024 * 1024), 'a directory': undefined,
})) {
  test(`a file with ${what} counts as none, and a new list takes its place where a file can`, () => {
    rmSync(path, { recursive: true, force: true })
    text === undefined ? mkdirSync(path) : writeFileSync(path, text)
    assert.deepEqual(recall(SERVER), [])
    keep(SERVER, LISTED)
    assert.deepEqual(recall(SERVER), text === undefined ? [] : LISTED)
  })
}

test('a list of more than 8 MiB is not kept', () => {
  rmSync(path, { recursive: true, force: true })
  keep(SERVER, [['mcp__srv__a', { ...TOOL, description: 'x'.repeat(8 * 1024 * 1024) }]])
  assert.equal(statSync(path).size, 0)
})
