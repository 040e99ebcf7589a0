// The picker of /find and /sessions in a terminal: a line to type in, rows that follow what is typed, and a preview.
import { existsSync } from 'node:fs'
import type { KeybindingsManager, Theme } from '@earendil-works/pi-coding-agent'
import { type Component, Input, matchesKey, truncateToWidth, type TUI, wrapTextWithAnsi } from '@earendil-works/pi-tui'
import { oneLine } from '../excerpt.ts'
import { visible } from '../todo/view.ts'
import type { Found, Row } from './rows.ts'

const TYPING_MS = 150 // behind a key: then the words are looked for
const AROUND = 14 // lines of the screen that the rows leave to the preview and to the rest of pi
const ROWS_MAX = 12
const PREVIEW = 3 // lines
const BEFORE = 20 // columns of a row in front of the match

export const TITLES = { find: 'Find in the sessions', sessions: 'Sessions', fleet: 'Sessions of the fleet' }

export type Kind = keyof typeof TITLES

export interface Picker {
  kind: Kind
  words: string
  look(words: string, isAll: boolean, signal: AbortSignal): Promise<Found>
}

export function ageOf(timeMs: number, now = Date.now()): string {
  const minutes = Math.max(0, (now - timeMs) / 60_000)
  return minutes < 60 ? `${Math.floor(minutes)} min` : minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h`
    : `${Math.floor(minutes / 1440)} d`
}

export function pickerView({ kind, words, look }: Picker, tui: TUI, theme: Theme, keys: KeybindingsManager,
  done: (row?: Row) => void): Component & { end(): void } {
  const input = new Input()
  input.focused = true
  input.handleInput(words.replace(/\s+/g, ' ')) // the cursor stands behind the words
  let found: Found = { rows: [], note: '' }
  let at = 0
  let isAll = false
  let asked = new AbortController()
  let timer: NodeJS.Timeout | undefined

  function ask(ms: number): void {
    end()
    asked = new AbortController()
    const { signal } = asked
    timer = setTimeout(() => {
      look(input.getValue().trim(), isAll, signal).catch(({ message }: Error): Found => ({ rows: [], note: message }))
        .then((next) => {
          if (!signal.aborted) {
            found = next
            at = 0
            tui.requestRender()
          }
        })
    }, ms)
  }

  function end(): void {
    clearTimeout(timer)
    asked.abort()
  }

  function rowLine({ timeMs, text, match: [offset] = [0, 0] }: Row, isChosen: boolean, width: number): string {
    const age = ageOf(timeMs).padStart(6)
    const from = Math.max(0, offset - BEFORE)
    const cut = (from > 0 ? '…' : '') + visible(text.slice(from).replace(/\s+/g, ' '))
    return theme.fg(isChosen ? 'accent' : 'text', truncateToWidth(`${isChosen ? '→' : ' '} ${age}  ${cut}`, width, '…'))
  }

  function preview({ session, known, text, match, about = '' }: Row, width: number): string[] {
    const [offset, length] = match ?? [0, 0]
    const marked = match ? [visible(text.slice(0, offset)), theme.bold(visible(text.slice(offset, offset + length))),
      visible(text.slice(offset + length))].join('') : visible(known?.last ?? about)
    const name = known?.name ?? known?.first ?? session
    const file = known?.files.some((path) => existsSync(path)) ? '' : ' · pi has no file of it'
    const rest = known ? ` · ${known.entryCount} entries${file} · ${known.cwd ?? ''}` : ''
    const lines = wrapTextWithAnsi(marked, Math.max(8, width - 2))
    const first = match ? Math.max(0, lines.findIndex((line) => line.includes('\x1b[1m')) - 1) : 0
    return [theme.fg('dim', oneLine(name + rest, Math.max(8, width - 2))), ...lines.slice(first, first + PREVIEW)]
  }

  ask(0)
  return {
    end,
    invalidate: () => input.invalidate(),

    handleInput(data) {
      const before = input.getValue()
      if (keys.matches(data, 'tui.select.cancel')) {
        done()
      } else if (keys.matches(data, 'tui.select.confirm')) {
        found.rows[at] && done(found.rows[at])
      } else if (keys.matches(data, 'tui.select.up') || keys.matches(data, 'tui.select.down')) {
        at = Math.max(0, Math.min(found.rows.length - 1, at + (keys.matches(data, 'tui.select.up') ? -1 : 1)))
      } else if (matchesKey(data, 'tab')) {
        isAll = !isAll
        ask(0)
      } else {
        input.handleInput(data)
        input.getValue() !== before && ask(TYPING_MS)
      }
    },

    render(width) {
      const count = Math.max(3, Math.min(ROWS_MAX, tui.terminal.rows - AROUND))
      const top = Math.max(0, Math.min(at - (count >> 1), found.rows.length - count))
      const rows = found.rows.slice(top, top + count).map((row, i) => rowLine(row, top + i === at, width))
      const scope = isAll ? 'all directories' : 'this directory'
      const chosen = found.rows[at]
      const rule = theme.fg('borderMuted', '─'.repeat(width))
      const dim = (text: string) => ` ${theme.fg('dim', text)}`
      return [rule, ` ${theme.fg('accent', `${TITLES[kind]}, ${scope}`)}`, ...input.render(width), ...rows,
        ...chosen ? ['', ...preview(chosen, width).map((line) => ` ${line}`)] : [], dim(visible(found.note)),
        dim(`↑↓ Enter open · Tab ${isAll ? 'this directory' : 'all'} · Esc leave`), rule]
        .map((line) => truncateToWidth(line, width, '…'))
    },
  }
}
