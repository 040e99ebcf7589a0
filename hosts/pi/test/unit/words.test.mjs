// The words behind `/sequence run`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countOf, splitArguments } from '../../lib/words.ts'

for (const [line, words] of [
  ['', []],
  [' \t\n ', []],
  ['one', ['one']],
  [' one  two\tthree\n', ['one', 'two', 'three']],
  ['"one two" three', ['one two', 'three']],
  ["'one two' three", ['one two', 'three']],
  [`"it's" 'a "b"'`, ["it's", 'a "b"']],
  ['"" a \'\'', ['', 'a', '']],
  ['"one\ntwo"', ['one\ntwo']],
  ['"one"two', ['onetwo']],
  ["don't stop", ["don't", 'stop']],
  ['say"so', ['say"so']],
  ['one "two three ', ['one', 'two three ']],
  ['one "', ['one', '']],
  ['$@ \\" ä漢', ['$@', '\\"', 'ä漢']],
]) {
  test(`splitArguments(${JSON.stringify(line)})`, () => assert.deepEqual(splitArguments(line), words))
}

for (const [text, count] of [['1', 1], ['1000', 1000], [' 2 ', 2], ['\t3\n', 3]]) {
  test(`countOf(${JSON.stringify(text)}) is ${count}`, () => assert.equal(countOf(text), count))
}

for (const text of ['', 'x', '1e3', '1.5', '-1', '0', '1001', ' ', '0x10', '1 2', '+1', '9'.repeat(400)]) {
  test(`countOf(${JSON.stringify(text.slice(0, 8))}) is none`, () => assert.equal(countOf(text), undefined))
}
