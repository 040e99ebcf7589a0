// A command in a dialog: a text of the model, perhaps hostile. Every character shows, on a few lines.

const MARKS = ['▸', '◂']
const NEWLINE = '⏎'
const ELLIPSIS = '…'
// Characters without a shape, and characters that change their neighbours: controls, directions of writing, odd blanks.
// Also the signs of this file: a command must not forge a sign.
const HIDDEN = new RegExp(`[\\p{C}\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2800${MARKS.join('')}${NEWLINE}]`, 'u')

function shown(character: string): string {
  if (character === ' ' || !HIDDEN.test(character)) {
    return character
  }
  return character === '\n' ? NEWLINE : character === '\t' ? '\\t' : `\\u{${character.codePointAt(0)!.toString(16)}}`
}

const COLUMNS = 120 // of a client that does not tell its width

// The columns of the terminal without the borders of a dialog. A terminal may claim to have 0 columns.
export const columns = () => Math.max(1, (process.stdout.columns || COLUMNS) - 2)

// A letter of another script may be two columns wide.
const widthOf = (piece: string) => piece.codePointAt(0)! < 0x80 || piece === ELLIPSIS ? piece.length : 2
const widthOfAll = (pieces: string[]) => pieces.reduce((sum, piece) => sum + widthOf(piece), 0)

// The first pieces, in so many columns.
function first(pieces: string[], columns: number): string[] {
  let left = widthOfAll(pieces) <= columns ? Infinity : columns - 1
  const fitting = pieces.findIndex((piece) => (left -= widthOf(piece)) < 0)
  return fitting < 0 ? pieces : [...pieces.slice(0, fitting), ELLIPSIS]
}

const last = (pieces: string[], columns: number) => first(pieces.toReversed(), columns).toReversed()

// Both ends: of a long part the beginning tells the program.
function ends(pieces: string[], columns: number): string[] {
  const half = Math.floor(columns / 2)
  return widthOfAll(pieces) <= columns ? pieces : [...first(pieces, half), ...last(pieces, half).slice(1)]
}

// A text on one line, in so many columns.
export const oneLine = (text: string, columns: number) => ends(Array.from(text, shown), columns).join('')

export interface Part {
  offset: number
  length: number
}

// A command on one line, with marks around a part. The part takes columns first, then the text around the part.
export function excerpt(command: string, { offset, length }: Part, columns: number): string {
  if (length === 0) {
    return oneLine(command, columns)
  }
  const [before, part, behind] = [command.slice(0, offset), command.slice(offset, offset + length),
    command.slice(offset + length)].map((text) => Array.from(text, shown))
  const room = columns - 2 * widthOf(MARKS[0])
  const around = widthOfAll(before) + widthOfAll(behind)
  const marked = ends(part, Math.max(Math.floor(room / 2), room - around))
  const left = room - widthOfAll(marked)
  const next = first(behind, Math.max(Math.floor(left / 2), left - widthOfAll(before)))
  return [...last(before, left - widthOfAll(next)), MARKS[0], ...marked, MARKS[1], ...next].join('')
}
