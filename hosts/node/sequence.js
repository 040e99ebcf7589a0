// What a person sees of sequences: steps, status lines, notices, and the rows of the menu.
//
// A text has no control character: such characters of foreign text become \xNN, byte by byte, as in error texts. Widths
// are those of no terminal in particular: a character that some terminals show wide counts as wide, so that a cut line
// is rather too short than too long.
'use strict'

const HIDDEN = '\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Bidi_Control}'
const MARKS = '\\u0300-\\u036f\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u200b-\\u200d\\u20d0-\\u20ff\\ufe00-\\ufe0e' +
  '\\ufe20-\\ufe2f\\u{e0020}-\\u{e007f}\\u{e0100}-\\u{e01ef}'
const IS_HIDDEN = new RegExp(`[${HIDDEN}]`, 'u')
const IS_MARK = new RegExp(`[${MARKS}]`, 'u')
// East_Asian_Width W and F, and the blocks of emoji.
const IS_WIDE = new RegExp('[\\p{Emoji_Presentation}\\u1100-\\u115f\\u2329\\u232a\\u2e80-\\u303e\\u3041-\\u4dbf' +
  '\\u4e00-\\ua4cf\\ua960-\\ua97f\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe10-\\ufe19\\ufe30-\\ufe6f\\uff01-\\uff60' +
  '\\uffe0-\\uffe6\\u{16fe0}-\\u{1b2ff}\\u{1f000}-\\u{1faff}\\u{20000}-\\u{3fffd}]', 'u')
// A character with everything that belongs to the character: marks, and the emoji behind a joiner.
const CHARACTERS = new RegExp(
  `[${HIDDEN}]|[^](?:[${MARKS}\\ufe0f\\p{Emoji_Modifier}]|(?<=\\u200d)[^${HIDDEN}])*`, 'gu')

const LINE_END = /\r?\n/
const KEYS = '/done ends, Esc cancels'

// In UTF-8, and in ASCII.
const SIGNS = {
  recording: ['●', '*'],
  running: ['⟳', '~'],
  resetting: ['⟳', '~'],
  paused: ['⏸', '='],
  interrupted: ['⚠', '!'],
  done: ['✓', '+'],
  failed: ['✗', 'x'],
  stopped: ['■', '#'],
  damaged: ['✗', 'x'],
  redacted: ['■', '#'],
  dot: [' · ', ' - '],
  ellipsis: ['…', '~'],
}
const sign = (name, { ascii }) => SIGNS[name][ascii ? 1 : 0]

const counted = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`

// --- Lines ----------------------------------------------------------------------------------------------------------

function escaped(character) {
  const code = character.codePointAt(0)
  const bytes = code < 0x80 ? [code] : code < 0x800 ? [0xc0 | code >> 6, 0x80 | code & 63]
    : [0xe0 | code >> 12, 0x80 | code >> 6 & 63, 0x80 | code & 63]
  return bytes.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
}

const widthOf = (codePoint) => IS_MARK.test(codePoint) ? 0 : IS_WIDE.test(codePoint) ? 2 : 1
const cellsOf = (text) => Array.from(text, widthOf).reduce((sum, width) => sum + width, 0)

// A text on one line. A line of more than `cells` ends in an ellipsis, never within a character.
function line(text, options) {
  const most = options.cells || Infinity
  let whole = ''
  let fitting = '' // leaves a cell for the ellipsis
  let cells = 0
  for (const [character] of text.matchAll(CHARACTERS)) {
    const shown = IS_HIDDEN.test(character) ? escaped(character) : character
    cells += cellsOf(shown)
    if (cells > most) {
      return fitting + sign('ellipsis', options)
    }
    whole += shown
    if (cells < most) {
      fitting = whole
    }
  }
  return whole
}

//     2  Plan the implementation     the number, right-aligned, and two blanks
//        and name the files          further lines below the first line
//        (2 more lines)
function preview(steps, options = {}) {
  const indent = Math.max(2, `${steps.length}`.length)
  const lines = steps.flatMap((step, i) => {
    const all = step.split(LINE_END)
    const shown = all.slice(0, options.stepLines || Infinity)
    const left = all.length - shown.length
    return [...shown, ...left > 0 ? [`(${counted(left, 'more line')})`] : []].map((text, at) => {
      const before = (at === 0 ? `${i + 1}` : '').padStart(indent)
      return text === '' ? before.trimEnd() : `${before}  ${text}`
    })
  })
  return [`Sequence, ${counted(steps.length, 'step')}`, ...lines].map((text) => `${line(text, options)}\n`).join('')
}

function recording(stepCount, options = {}) {
  const parts = [`${sign('recording', options)} recording`, counted(stepCount, 'step'), KEYS]
  return line(parts.join(sign('dot', options)), options)
}

// --- Runs -----------------------------------------------------------------------------------------------------------

const isOpen = ({ phase }) => ['running', 'resetting', 'paused', 'interrupted'].includes(phase)
const isOwn = ({ hostSession }, own) => own == null || hostSession === null || hostSession === own

// The number of the step for people: the present step, or the last step behind the end of an iteration.
const numberOf = ({ stepIndex, stepCount }) => Math.min(stepIndex + 1, stepCount)

// The first two groups of a UUID, such as `01a1f9f7-22cb`; any other id whole.
const sessionOf = ({ hostSession: id }) => id.length === 36 && id[8] === '-' && id[13] === '-' ? id.slice(0, 13) : id

// The first line of a step that is not empty; an ellipsis stands for further lines.
function firstLine(step, options) {
  const [, first, rest] = /^(?:\r?\n)*([^\n]*?)(?:\r?\n([^]*))?$/.exec(step)
  return rest ? `${first} ${sign('ellipsis', options)}` : first
}

// What a status line says behind its title.
const PARTS = {
  running: ({ step }, place, options) => step === null ? [place] : [place, firstLine(step, options)],
  resetting: () => ['new session'],
  paused: (_state, place) => [`paused before ${place}`],
  interrupted: (_state, place) => [`${place} was cut off`],
  failed: ({ code }, place) => code === null ? [place] : [place, code],
  stopped: (_state, place) => [`stopped at ${place}`],
  done: ({ iterationCount }) => [counted(iterationCount, 'run')],
  damaged: () => ['damaged'],
  redacted: () => ['redacted'],
}

function status(state, options = {}) {
  const { phase, iteration, iterationCount } = state
  const isPlaced = !['done', 'damaged', 'redacted'].includes(phase)
  const title = isPlaced ? `sequence ${iteration + 1}/${iterationCount}` : 'sequence'
  const inherited = { paused: 'paused in', interrupted: 'cut off in' }[phase] ?? 'runs in'
  const parts = isOpen(state) && !isOwn(state, options.ownSession) ? [title, `${inherited} ${sessionOf(state)}`]
    : [`${sign(phase, options)} ${title}`, ...PARTS[phase](state, `step ${numberOf(state)}/${state.stepCount}`, options)]
  return line(parts.join(sign('dot', options)), options)
}

// What a resumed session tells once about a run. Nothing for a run that has ended or is damaged.
function notice(state, { ownSession } = {}) {
  const { phase, iteration, iterationCount, stepCount, owner, hostSession } = state
  const run = `run ${iteration + 1} of ${iterationCount}`
  const step = `step ${numberOf(state)} of ${stepCount}`
  const isPaused = phase === 'paused'
  let text = ''
  if (phase === 'running' || phase === 'resetting') {
    const places = [...owner ? [`in process ${owner.pid} on ${owner.host}`] : [],
      ...hostSession === null ? [] : [`in session ${sessionOf(state)}`]]
    text = `The sequence runs ${places.join(', ')}`.trimEnd() + '.'
  } else if (isOpen(state) && !isOwn(state, ownSession)) {
    text = `The sequence of session ${sessionOf(state)} ` +
      (isPaused ? `is paused in ${run}, before ${step}.` : `was cut off in ${run}, in ${step}.`)
  } else if (isPaused) {
    text = `The sequence is paused in ${run}, before ${step}. /sequence goes on or ends it.`
  } else if (phase === 'interrupted') {
    text = `S${step.slice(1)} in ${run} was being executed, and its end is not stored; ` +
      'whether it took effect is not known. /sequence asks.'
  }
  return line(text, {})
}

// --- The menu -------------------------------------------------------------------------------------------------------

const LABELS = {
  run: 'Run the sequence',
  edit: 'Edit the sequence',
  new: 'Record a new sequence',
  cancel: 'Cancel',
  status: 'Show the run',
  pause: 'Pause the run behind this step',
  stop: 'Stop the run',
  continue: 'Go on with the run',
  retry: 'Execute the step again',
  skip: 'Skip the step',
  take: 'Stop the run, and take its steps over',
}

const DECISIONS = { paused: ['continue', 'stop'], interrupted: ['retry', 'skip', 'stop'] } // of a run that waits

// `problem` of the snapshot: '' if it can be run, undefined without a snapshot; `state` of the run at hand, or null. No
// rows: recording starts at once. A session without a snapshot can take the steps of a run of another session over.
function menu(problem, state, ownSession) {
  const snapshot = [...problem === undefined ? [] : ['run', 'edit'], 'new', 'cancel']
  let words = problem === undefined ? [] : snapshot
  if (state && isOpen(state)) {
    const decisions = DECISIONS[state.phase]
    words = !isOwn(state, ownSession)
      ? [...decisions && problem === undefined ? [...decisions, 'take'] : ['status'], ...snapshot]
      : state.phase === 'paused' ? [...decisions, ...snapshot] : [...decisions ?? ['status', 'pause', 'stop'], 'cancel']
  }
  return words.map((word) => {
    const reason = word === 'run' ? problem : ''
    return { word, label: LABELS[word], enabled: reason === '', reason }
  })
}

module.exports = { menu, notice, preview, recording, status }
