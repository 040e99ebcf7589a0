// Reads what a person writes behind `/sequence run`, and makes the texts that pi gets for the steps of a run. pi splits
// the text behind the name of a template into words, and the rule differs between the versions of pi.
import { createHash } from 'node:crypto'
import type { Step } from 'xylem-native'
import type { Native } from '../store/native.ts'

const RUNS_MAX = 1000
const SPACE = /\s/

interface Word {
  text: string
  isQuoted: boolean // in whole
}

// The rule by which pi splits, and its inverse. Throws for a word that the rule cannot say.
export interface Rule {
  split(line: string): Word[]
  say(word: string): string
}

// Up to pi 1.5.0 a quote opens anywhere, a quote without its end goes on to the end of the line, and an empty word
// vanishes.
const ANYWHERE: Rule = {
  split: (line) => Array.from(line.matchAll(/(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s"'])+/g), ([said]) => ({
    text: said.replace(/"([^"]*)(?:"|$)|'([^']*)(?:'|$)/g, (_, double, single) => double ?? single),
    isQuoted: /^"[^"]*"$|^'[^']*'$/.test(said),
  })).filter(({ text }) => text !== ''),
  say(word) {
    if (word === '') {
      throw new Error('this pi has no empty argument: give the argument a text, or leave it out')
    }
    return word.replace(/"+|[^"]+/g, (piece) =>
      piece[0] === '"' ? `'${piece}'` : /[\s']/.test(piece) ? `"${piece}"` : piece)
  },
}

// Later a quote opens at the beginning of a word alone. A backslash keeps the quote in whose quotes it stands, and a
// quote without its end is text.
const AT_BEGINNING: Rule = {
  split(line) {
    const words: Word[] = []
    for (let at = 0; at < line.length;) {
      if (SPACE.test(line[at])) {
        at++
        continue
      }
      const [, quote, inner] = /^(["'])((?:\\\1|(?!\\?\1)[^])*)\1/.exec(line.slice(at)) ?? []
      const head = quote === undefined ? 0 : inner.length + 2
      const [tail] = /^\S*/.exec(line.slice(at + head))!
      words.push({ text: (inner ?? '').replaceAll(`\\${quote}`, quote) + tail, isQuoted: head > 0 && tail === '' })
      at += head + tail.length
    }
    return words
  },
  // A backslash before the last quote would keep that quote: the backslash stands behind.
  say(word) {
    const [tail] = /\\*$/.exec(word)!
    const head = word.slice(0, word.length - tail.length)
    return /\s|^["']|^$/.test(word) ? `"${head.replaceAll('"', '\\"')}"${tail}` : word
  },
}

export function ruleOf(version: string): Rule {
  const [major, minor, patch] = version.split('.').map((part) => parseInt(part, 10))
  return major > 1 || (major === 1 && (minor > 5 || (minor === 5 && patch >= 1))) ? AT_BEGINNING : ANYWHERE
}

export const splitArguments = (rule: Rule, line: string): string[] => rule.split(line).map(({ text }) => text)

// The words that a template gets. A word that is a placeholder for several arguments, without quotes, becomes as many
// words.
export function wordsOf(native: Native, rule: Rule, text: string, args: string[]): string[] {
  return rule.split(text).flatMap(({ text: word, isQuoted }) => {
    const [all, first, count] = /^\$(?:@|ARGUMENTS|\{@:(\d{1,9})(?::(\d{1,9}))?\})$/.exec(word) ?? []
    if (all === undefined || isQuoted) {
      return [native.putArgs(word, args)]
    }
    const begin = Math.max(0, Number(first ?? 1) - 1)
    return args.slice(begin, count === undefined ? undefined : begin + Number(count))
  })
}

// The text that pi gets for a step. Throws if pi's rule cannot say a word.
export function textOf(native: Native, rule: Rule,
  { kind, name, raw, args: text }: Pick<Step, 'kind' | 'name' | 'raw' | 'args'>, args?: string[]): string {
  const put = (part: string) => args ? native.putArgs(part, args) : part
  switch (kind) {
    case 'prompt':
      return put(raw)
    case 'skill':
      return put(text) === '' ? `/${name}` : `/${name} ${put(text)}`
    case 'template':
      return [`/${name}`, ...args ? wordsOf(native, rule, text, args).map(rule.say) : text ? [text] : []].join(' ')
    default:
      return put(text)
  }
}

// What the ledger keeps of a text.
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

// The number of iterations of a run; undefined: the text is no such number.
export function countOf(text: string): number | undefined {
  const count = /^\s*\d+\s*$/.test(text) ? Number(text) : 0
  return count >= 1 && count <= RUNS_MAX ? count : undefined
}
