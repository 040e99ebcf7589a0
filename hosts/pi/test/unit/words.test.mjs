// The words behind `/sequence run`, and the texts of steps: by the rule of this pi, and by both rules.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { native } from '../../lib/store/native.ts'
import { countOf, hashOf, ruleOf, splitArguments, textOf, wordsOf } from '../../lib/sequence/words.ts'

const OLD = ruleOf('0.87.1')
const NEW = ruleOf('1.5.2')

for (const [line, old, now = old] of [
  ['', []],
  [' \t\n ', []],
  ['one', ['one']],
  [' one  two\tthree\n', ['one', 'two', 'three']],
  ['"one two" three', ['one two', 'three']],
  ["'one two' three", ['one two', 'three']],
  [`"it's" 'a "b"'`, ["it's", 'a "b"']],
  ['"" a \'\'', ['a'], ['', 'a', '']],
  ['"one\ntwo"', ['one\ntwo']],
  ['"one"two', ['onetwo']],
  ["don't stop", ['dont stop'], ["don't", 'stop']],
  ['say"so', ['sayso'], ['say"so']],
  ['one "two three ', ['one', 'two three '], ['one', '"two', 'three']],
  ['one "', ['one'], ['one', '"']],
  ['"say \\"so" x', ['say \\so x'], ['say "so', 'x']],
  ['"a\\" b', ['a\\', 'b'], ['"a\\"', 'b']],
  ['$@ ä\u3000漢', ['$@', 'ä', '漢']],
]) {
  test(`splitArguments(${JSON.stringify(line)})`, () => {
    assert.deepEqual(splitArguments(OLD, line), old)
    assert.deepEqual(splitArguments(NEW, line), now)
  })
}

test('the rule changed with pi 1.5.1', () => {
  assert.equal(['0.87.1', '1.0.0', '1.4.9', '1.5.0'].every((version) => ruleOf(version) === OLD), true)
  assert.equal(['1.5.1', '1.5.2', '1.6.0', '1.10.0', '2.0.0'].every((version) => ruleOf(version) === NEW), true)
})

// --- Against this pi ---

let folder = dirname(realpathSync(process.env.XYLEM_PI))
while (!existsSync(join(folder, 'dist/core/prompt-templates.js'))) {
  folder = dirname(folder)
}
const { expandPromptTemplate, parseCommandArgs, substituteArgs } =
  await import(pathToFileURL(join(folder, 'dist/core/prompt-templates.js')))
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const RULE = ruleOf(version)
const ROUNDS = 30000

let seed = 20261123
function below(count) {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return Math.floor(seed / 2 ** 32 * count)
}
const PIECES = ['"', "'", '\\', '\\"', "\\'",
  ' ', '\t', '\n', '\u3000', '\u00a0', 'a', "don't", 'ä', '漢', '$1', '$@', '""',
  "''", '${@:2}', '$ARGUMENTS', 'x y', '😀', '/new']
const drawn = (most) => Array.from({ length: below(most + 1) }, () => PIECES[below(PIECES.length)]).join('')

test('any text is split as pi splits the text', () => {
  for (let i = 0; i < ROUNDS; i++) {
    const line = drawn(9)
    assert.deepEqual(splitArguments(RULE, line), parseCommandArgs(line), JSON.stringify(line))
  }
})

test('any arguments reach the template of any step as they were put into its words', () => {
  let said = 0
  for (let i = 0; i < ROUNDS; i++) {
    const args = Array.from({ length: below(4) }, () => drawn(4))
    const step = { kind: 'template', name: 'plan', raw: '', args: drawn(6).trim() }
    const words = wordsOf(native, RULE, step.args, args)
    const isEmpty = RULE === OLD && words.includes('')
    if (isEmpty) {
      assert.throws(() => textOf(native, RULE, step, args), /no empty argument/)
      continue
    }
    const text = textOf(native, RULE, step, args)
    assert.deepEqual(parseCommandArgs(text.slice('/plan'.length)), words, JSON.stringify([step.args, args, text]))
    const content = '1 $1, 2 $2, all $@'
    const template = [{ name: 'plan', content }]
    assert.equal(expandPromptTemplate(text, template), substituteArgs(content, words))
    said++
  }
  assert.ok(said > ROUNDS / 2, `${said} texts`)
})

// --- Texts ---

const text = (kind, args, given, rule = NEW) => textOf(native, rule, { kind, name: 'n', raw: args, args }, given)

test('a word that stands for several arguments becomes as many words, and in quotes one', () => {
  const given = ['a', 'b c', 'd']
  assert.equal(text('template', '$@', given), '/n a "b c" d')
  assert.equal(text('template', '"$@"', given), '/n "a b c d"')
  assert.equal(text('template', '<$@>', given), '/n "<a b c d>"')
  assert.equal(text('template', '${@:2} ${@:1:1} $ARGUMENTS ${@:9}', given), '/n "b c" d a a "b c" d')
  assert.equal(text('template', 'x "y $2"', given), '/n x "y b c"')
  assert.equal(text('template', '$1', ['it\'s "x" y']), '/n "it\'s \\"x\\" y"')
  assert.equal(text('template', '$1', ['it\'s "x" y'], OLD), `/n "it's "'"'x'"'" y"`)
})

test('the text of each kind', () => {
  assert.equal(text('prompt', ' $1 ', ['x']), ' x ')
  assert.equal(text('prompt', '$1', undefined), '$1')
  assert.equal(text('skill', '$1', ['a b']), '/n a b')
  assert.equal(text('skill', '$@', []), '/n')
  assert.equal(text('template', '', ['x']), '/n')
  assert.equal(text('template', '"a  b"', undefined), '/n "a  b"')
  assert.equal(text('command', '$1', ['a b']), 'a b')
  assert.equal(text('compact', 'keep $@', ['a', 'b']), 'keep a b')
  assert.equal(text('template', '$1', [''], NEW), '/n ""')
  assert.equal(text('template', '$1', ['a b\\'], NEW), '/n "a b"\\')
})

test('the hash of a text has 16 digits', () => assert.match(hashOf('x'), /^[0-9a-f]{16}$/))

// --- Counts ---

for (const [text, count] of [['1', 1], ['1000', 1000], [' 2 ', 2], ['\t3\n', 3]]) {
  test(`countOf(${JSON.stringify(text)}) is ${count}`, () => assert.equal(countOf(text), count))
}

for (const text of ['', 'x', '1e3', '1.5', '-1', '0', '1001', ' ', '0x10', '1 2', '+1', '9'.repeat(400)]) {
  test(`countOf(${JSON.stringify(text.slice(0, 8))}) is none`, () => assert.equal(countOf(text), undefined))
}
