// The columns of a dialog.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columns } from '../../lib/excerpt.ts'

for (const [told, expected] of [[80, 78], [2, 1], [1, 1], [0, 118], [undefined, 118]]) {
  test(`a terminal of ${told} columns`, (t) => {
    const before = Object.getOwnPropertyDescriptor(process.stdout, 'columns')
    t.after(() => before ? Object.defineProperty(process.stdout, 'columns', before) : delete process.stdout.columns)
    Object.defineProperty(process.stdout, 'columns', { value: told, configurable: true })
    assert.equal(columns(), expected)
  })
}
