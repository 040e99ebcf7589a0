// Rules about the sources of the package: what they import, what they send, and the names that they know of pi.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { BUILTINS } from '../../lib/sequence/builtins.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = ['extensions', 'lib'].flatMap((folder) => readdirSync(join(root, folder), { recursive: true })
  .filter((name) => name.endsWith('.ts')).map((name) => `${folder}/${name}`))

// The code without its comments: a string of these sources holds no `//` but in an address.
const codeOf = (file) => readFileSync(join(root, file), 'utf8').replace(/\/\*[^]*?\*\//g, '')
  .replace(/(^|\s)\/\/ .*$/gm, '$1')
const sources = files.map((file) => ({ file, code: codeOf(file) }))

// The places of a pattern, as "file: line".
const placesOf = (pattern) => sources.flatMap(({ file, code }) => code.split('\n')
  .filter((line) => pattern.test(line)).map((line) => `${file}: ${line.trim()}`))

test('the sources import what pi exports, and nothing else of pi', () => {
  const OTHERS = ['@earendil-works/pi-coding-agent', '@earendil-works/pi-tui', 'xylem-native', 'typebox']
  const isAllowed = (name) => name.startsWith('node:') || OTHERS.includes(name) || /^\.\.?\/[\w/-]+\.ts$/.test(name)
  const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"`])(.*?)\1/g
  const imports = sources.flatMap(({ file, code }) => [...code.matchAll(IMPORT)].map(([, , name]) => ({ file, name })))
  assert.ok(imports.length > files.length)
  const isOfMcp = ({ file, name }) => file.startsWith('lib/mcp/') && /^@modelcontextprotocol\/client(\/|$)/.test(name)
  assert.deepEqual(imports.filter((one) => !isAllowed(one.name) && !isOfMcp(one)), [])
  const requires = placesOf(/\bcreateRequire\(|\bimport\((?!['"`])/) // of a name that this test cannot read
  assert.equal(requires.every((place) => /^lib\/(store\/native|mcp\/sdk)\.ts: /.test(place)), true, requires.join('\n'))
})

test('the sources patch nothing of pi, and use none of its private members', () => {
  assert.deepEqual(placesOf(/\.prototype\b|\bdefinePropert(y|ies)\(|\bsetPrototypeOf\(|\b__proto__\b/), [])
  assert.deepEqual(placesOf(/Object\.assign\((pi|ctx|ui|manager|sessionManager|globalThis)\b/), [])
  assert.deepEqual(placesOf(/\b(pi|ctx|ui|fresh|manager|sessionManager)(\.\w+)+\s*(\?\?|\|\||&&)?=[^=>]/), [])
  assert.deepEqual(placesOf(/\b(pi|ctx|ui|fresh|manager|sessionManager)\??\.(\w+\.)*_\w/), [])
})

test('prompts are sent in one place, and only a template and a skill as `/` text', () => {
  const SEND = /\b(sendUserMessage|sendMessage|sendCustomMessage|steer|followUp)\b/
  const senders = sources.filter(({ code }) => SEND.test(code))
  assert.deepEqual(senders.map(({ file }) => file), ['lib/sequence/player.ts'])
  const [{ code }] = senders
  assert.equal(code.match(/\bexpandPromptTemplates: /g).length, 1)
  assert.match(code, /step\.kind === 'prompt' \? undefined : \{ expandPromptTemplates: true \}/)
  assert.equal(code.match(/\bsendUserMessage\(\w+, \w+\)|\bsend\(\w+, \w+\)/g).length, 2)
  assert.deepEqual(placesOf(/send\w*\([^)]*['"`]\//), [])
})

test('snapshots and marks reach a session as custom entries alone, and no label is set', () => {
  const CUSTOM = /appendEntry\('[a-z-]+'|appendCustomEntry\('sequence'/
  const writers = placesOf(/\bappend\w+\(/).filter((place) => !CUSTOM.test(place))
  assert.deepEqual(writers.filter((place) => /sequence|player|plays|turns|catalogue|recorder/.test(place)), [])
  assert.deepEqual(placesOf(/\bsetLabel\(|\bappendLabel/), [])
})

test('nothing outside of functions holds a context, an API or a manager of a session', () => {
  assert.deepEqual(placesOf(/^(export )?let\b/), [])
  const plays = codeOf('lib/sequence/plays.ts')
  const play = /export interface Play \{([^]*?)\n\}/.exec(plays)[1].replace(/^ *\w+\(.*$/gm, '') // not its methods
  assert.doesNotMatch(play, /Context|ExtensionAPI|Manager|Host|Session\b/)
})

// --- The built-in commands of pi ---

const packageOf = (command) => {
  let folder = dirname(command)
  while (!existsSync(join(folder, 'dist/core/slash-commands.js'))) {
    folder = dirname(folder)
  }
  return folder
}

for (const variable of ['XYLEM_PI', 'XYLEM_PI_OTHER']) {
  test(`lib/sequence/builtins.ts has the built-in commands of the pi in ${variable}`, () => {
    const command = process.env[variable]
    if (!command && variable === 'XYLEM_PI_OTHER') {
      return // one pi alone is tested
    }
    const text = readFileSync(join(packageOf(command), 'dist/core/slash-commands.js'), 'utf8')
    const names = [...text.matchAll(/\bname: "([^"]+)"/g)].map(([, name]) => name)
    assert.ok(names.includes('settings') && names.includes('quit'))
    assert.deepEqual(BUILTINS.toSorted(), names.toSorted())
  })
}
