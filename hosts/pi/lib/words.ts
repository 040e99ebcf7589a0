// Reads what a person writes behind `/sequence run`.

// A quote at the beginning of a word, up to the next such quote or the end of the line; or a word without a quote.
const WORD = /(["'])([^]*?)(?:\1|$)(\S*)|\S+/g

const RUNS_MAX = 1000

// Splits a line at white space, as pi 1.5 splits the arguments of a template. Quotes keep words together, and may be
// empty. A quote inside of a word is text, as in `don't`.
export const splitArguments = (line: string): string[] =>
  Array.from(line.matchAll(WORD), ([word, quote, quoted, rest]) => quote ? quoted + rest : word)

// The number of iterations of a run; undefined: the text is no such number.
export function countOf(text: string): number | undefined {
  const count = /^\s*\d+\s*$/.test(text) ? Number(text) : 0
  return count >= 1 && count <= RUNS_MAX ? count : undefined
}
