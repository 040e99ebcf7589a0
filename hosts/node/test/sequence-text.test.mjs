// What a person sees of sequences: lines within their cells, status lines, notices, and the rows of the menu.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { place, require, xylem } from './lib.mjs'

const { menu, notice, status } = require(join(place, 'sequence.js'))

const SESSION = '01a1f9f7-22cb-7000-8000-3b5c8f21a4e7'
const OPEN = ['running', 'resetting', 'paused', 'interrupted']
const ENDED = ['done', 'failed', 'stopped', 'damaged', 'redacted']
const elsewhere = { ownSession: 'fork' }

// A run in the third of four steps of the second of five iterations.
const runOf = (phase, more = {}) => ({ phase, iteration: 1, iterationCount: 5, stepIndex: 2, stepCount: 4, code: null,
  step: '/handoff execution', hostSession: SESSION, owner: null, ...more })
// The lines of one step, without the title and without the number.
const linesOf = (step, options) => xylem.sequencePreview([step], options).split('\n').slice(1, -1).map((line) => line.slice(4))

test('every phase has a status line', () => {
  const lines = {
    running: ['⟳ sequence 2/5 · step 3/4 · /handoff execution', '~ sequence 2/5 - step 3/4 - /handoff execution'],
    resetting: ['⟳ sequence 2/5 · new session', '~ sequence 2/5 - new session'],
    paused: ['⏸ sequence 2/5 · paused before step 3/4', '= sequence 2/5 - paused before step 3/4'],
    interrupted: ['⚠ sequence 2/5 · step 3/4 was cut off', '! sequence 2/5 - step 3/4 was cut off'],
    failed: ['✗ sequence 2/5 · step 3/4 · unresolved', 'x sequence 2/5 - step 3/4 - unresolved'],
    stopped: ['■ sequence 2/5 · stopped at step 3/4', '# sequence 2/5 - stopped at step 3/4'],
    done: ['✓ sequence · 5 runs', '+ sequence - 5 runs'],
    damaged: ['✗ sequence · damaged', 'x sequence - damaged'],
    redacted: ['■ sequence · redacted', '# sequence - redacted'],
  }
  for (const phase of [...OPEN, ...ENDED]) {
    const run = runOf(phase, { code: phase === 'failed' ? 'unresolved' : null })
    assert.deepEqual([status(run), status(run, { ascii: true })], lines[phase])
  }
  assert.equal(status(runOf('done', { iterationCount: 1 })), '✓ sequence · 1 run')
  assert.equal(status(runOf('failed')), '✗ sequence 2/5 · step 3/4')
})

test('behind the last step the last number is shown, and no step', () => {
  const behind = { stepIndex: 4, step: null }
  assert.equal(status(runOf('running', behind)), '⟳ sequence 2/5 · step 4/4')
  assert.equal(status(runOf('paused', behind)), '⏸ sequence 2/5 · paused before step 4/4')
})

test('of a step of several lines the first line with a text is shown', () => {
  const shown = (step, options) => status(runOf('running', { step }), options).slice('⟳ sequence 2/5 · step 3/4 · '.length)
  assert.equal(shown('b\n\nc'), 'b …')
  assert.equal(shown('b\n\nc', { ascii: true }), 'b ~')
  assert.equal(shown('\n\r\nd\n'), 'd')
  assert.equal(shown('a\x1b[31mred\r\n\u202e'), 'a\\x1b[31mred …')
})

test('an open run of another session is shown as such', () => {
  assert.equal(status(runOf('running'), elsewhere), 'sequence 2/5 · runs in 01a1f9f7-22cb')
  assert.equal(status(runOf('resetting'), elsewhere), 'sequence 2/5 · runs in 01a1f9f7-22cb')
  assert.equal(status(runOf('paused'), elsewhere), 'sequence 2/5 · paused in 01a1f9f7-22cb')
  assert.equal(status(runOf('interrupted', { hostSession: 'a\x1b-session' }), elsewhere),
    'sequence 2/5 · cut off in a\\x1b-session')
  assert.equal(status(runOf('stopped'), elsewhere), '■ sequence 2/5 · stopped at step 3/4')
  assert.equal(status(runOf('paused'), { ownSession: SESSION }), '⏸ sequence 2/5 · paused before step 3/4')
  assert.equal(status(runOf('paused', { hostSession: null }), elsewhere), '⏸ sequence 2/5 · paused before step 3/4')
})

test('a status line has at most its cells', () => {
  const wide = runOf('running', { step: '日本語' })
  assert.equal(status(wide, { cells: 20 }), '⟳ sequence 2/5 · st…')
  assert.equal(status(wide, { cells: 1 }), '…')
  assert.equal(status(wide, { cells: 33 }), '⟳ sequence 2/5 · step 3/4 · 日本…')
  assert.equal(status(wide, { cells: 34 }), '⟳ sequence 2/5 · step 3/4 · 日本語')
  const recorder = new xylem.Recorder(['a'])
  assert.equal(recorder.status(), '● recording · 1 step · /done ends, Esc cancels')
  recorder.add('{"schema":1,"commands":[]}', 'b')
  assert.equal(recorder.status({ ascii: true, cells: 24 }), '* recording - 2 steps -~')
})

test('a line is never cut within a character or an escape', () => {
  const cut = (text, cells) => linesOf(text, { cells: cells + 4 })[0]
  const cases = [['abcde', 5, 'abcde'], ['abcde', 4, 'abc…'], ['日本語', 6, '日本語'], ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'], ['abe\u0301', 3, 'abe\u0301'], ['abe\u0301x', 3, 'ab…'], ['a\u2764\ufe0f', 3, 'a\u2764\ufe0f'],
    ['a\u2764\ufe0fx', 3, 'a…'], ['a👍🏽', 4, 'a…'], ['a👩\u200d🚀b', 5, 'a…'], ['a👩\u200d🚀bc', 6, 'a👩\u200d🚀…'],
    ['a\x1b', 4, 'a…'], ['a\x1b', 5, 'a\\x1b'], ['a\u202e', 12, 'a…'], ['a\u202e', 13, 'a\\xe2\\x80\\xae']]
  for (const [text, cells, expected] of cases) {
    assert.equal(cut(text, cells), expected)
  }
})

test('a character has no cell or one or two', () => {
  const fits = (codePoint, cells) => linesOf(`a${String.fromCodePoint(codePoint)}`, { cells: 5 + cells })[0].length > 2 ||
    !linesOf(`a${String.fromCodePoint(codePoint)}`, { cells: 5 + cells })[0].endsWith('…')
  const none = [0x300, 0x36f, 0x200d, 0xfe0e, 0xe0041, 0xe0100, 0xe01ef]
  const one = [0x61, 0xe9, 0x3b1, 0x370, 0x25cf, 0x27f3, 0x2717, 0xff71, 0x303f, 0x1160, 0x231c, 0x1fb00, 0x3fffe, 0xfe0f,
    0xe01f0, 0x10ffff]
  const two = [0x4e2d, 0xac00, 0xff21, 0x3000, 0x1100, 0x115f, 0x231a, 0x231b, 0x26a1, 0x2b55, 0x1f680, 0x1faff, 0x20000,
    0x3fffd]
  const widthOf = (codePoint) => [0, 1, 2].find((cells) => fits(codePoint, cells))
  assert.deepEqual([none, one, two].map((list) => [...new Set(list.map(widthOf))]), [[0], [1], [2]])
})

test('text that cannot be shown is escaped, byte by byte', () => {
  const step = '\x1b[31m\t\r\x7f\0 \u202e\u2028\u0085\u061c \ud83d'
  assert.deepEqual(linesOf(step), ['\\x1b[31m\\x09\\x0d\\x7f\\x00 \\xe2\\x80\\xae\\xe2\\x80\\xa8\\xc2\\x85\\xd8\\x9c \\xed\\xa0\\xbd'])
})

test('a preview numbers the steps and counts the lines left out', () => {
  const steps = ['/readonly on', 'Plan for $@\nand name the files\r\n3\n4\n5', '/handoff execution']
  const expected = `Sequence, 3 steps
 1  /readonly on
 2  Plan for $@
    and name the files
    3
    (2 more lines)
 3  /handoff execution
`
  assert.equal(xylem.sequencePreview(steps, { stepLines: 3 }), expected)
  assert.deepEqual(linesOf(steps[1], { stepLines: 4 }).slice(2), ['3', '4', '(1 more line)'])
  assert.deepEqual(linesOf(steps[1], { stepLines: 5, cells: 10 }), ['Plan …', 'and n…', '3', '4', '5'])
})

test('numbers are right-aligned, and no line has blanks at its end', () => {
  const many = xylem.sequencePreview(Array(100).fill('x'))
  assert.match(many, /^Sequence, 100 steps\n {2}1 {2}x\n/)
  assert.ok(many.endsWith('\n 99  x\n100  x\n'))
  assert.equal(xylem.sequencePreview(['', 'a\n\nb\r\n', '\n']), 'Sequence, 3 steps\n 1\n 2  a\n\n    b\n\n 3\n\n')
  assert.equal(xylem.sequencePreview([]), 'Sequence, 0 steps\n')
})

test('an open run has a notice, of any length', () => {
  assert.equal(notice(runOf('paused'), { cells: 20 }),
    'The sequence is paused in run 2 of 5, before step 3 of 4. /sequence goes on or ends it.')
  assert.equal(notice(runOf('paused'), elsewhere),
    'The sequence of session 01a1f9f7-22cb is paused in run 2 of 5, before step 3 of 4.')
  assert.equal(notice(runOf('interrupted')), 'Step 3 of 4 in run 2 of 5 was being executed, and its end is not stored; ' +
    'whether it took effect is not known. /sequence asks.')
  assert.equal(notice(runOf('interrupted'), elsewhere),
    'The sequence of session 01a1f9f7-22cb was cut off in run 2 of 5, in step 3 of 4.')
  const owner = { pid: 4711, host: 'ma\x1bple' }
  assert.equal(notice(runOf('running', { owner })), 'The sequence runs in process 4711 on ma\\x1bple, in session 01a1f9f7-22cb.')
  assert.equal(notice(runOf('resetting')), 'The sequence runs in session 01a1f9f7-22cb.')
  assert.deepEqual(ENDED.map((phase) => notice(runOf(phase))), ENDED.map(() => ''))
})

test('the menu has the rows that fit the snapshot and the run', () => {
  const words = (...given) => menu(...given).map(({ word, enabled }) => enabled ? word : `-${word}`).join(' ')
  const open = (phase) => runOf(phase, { hostSession: 's' })
  assert.equal(words(undefined, null), '') // recording starts at once
  assert.equal(words('', null), 'run edit new cancel')
  for (const phase of ENDED) {
    assert.equal(words(undefined, open(phase), 's'), '')
    assert.equal(words('', open(phase), 's'), 'run edit new cancel')
  }
  for (const phase of OPEN) {
    assert.equal(words('', open(phase), 'fork'), 'status run edit new cancel')
    const decisions = { paused: 'continue stop take', interrupted: 'retry skip stop take' }[phase] ?? 'status'
    assert.equal(words(undefined, open(phase), 'fork'), `${decisions} new cancel`)
  }
  for (const own of ['s', undefined]) {
    assert.equal(words('', open('running'), own), 'status pause stop cancel')
    assert.equal(words(undefined, open('resetting'), own), 'status pause stop cancel')
    assert.equal(words('', open('paused'), own), 'continue stop run edit new cancel')
    assert.equal(words(undefined, open('paused'), own), 'continue stop new cancel')
    assert.equal(words('', open('interrupted'), own), 'retry skip stop cancel')
  }
})

test('a row that cannot be chosen says why', () => {
  const [run, ...rest] = menu('the sequence has no steps', null)
  assert.deepEqual(run, { word: 'run', label: 'Run the sequence', enabled: false, reason: 'the sequence has no steps' })
  for (const { label, enabled, reason } of [...rest, ...menu('', null), ...OPEN.flatMap((phase) => menu('', runOf(phase)))]) {
    assert.ok(label && enabled && reason === '')
  }
})
