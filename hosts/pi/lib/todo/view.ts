// How a todo list looks: in a call and a result of the tool, and for /todos.
import type { AgentToolResult, KeybindingsManager, Theme } from '@earendil-works/pi-coding-agent'
import { type Component, matchesKey, Text, truncateToWidth, type TUI, wrapTextWithAnsi } from '@earendil-works/pi-tui'
import { type Item, todoOf } from '../guard/fallback.ts'
import type { Call, List } from './list.ts'

const CUT = 60 // columns of a text in a call or a result
const BRIEF = 5 // items of a result that is not expanded
const AROUND = 10 // lines of the screen that /todos leaves to the rest of pi

// Control characters, line separators, and marks that turn the direction of the text.
const HIDDEN = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

// A text of a session must not move the cursor: such characters become visible.
export const visible = (text: string) =>
  text.replace(HIDDEN, (char) => char === '\n' ? '\\n' : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

const cut = (text: string) => truncateToWidth(visible(text), CUT, '…')
const doneOf = ({ items }: List) => `${items.filter(({ done }) => done).length}/${items.length} done`
const numberOf = ({ id }: Item, theme: Theme) => theme.fg('accent', `#${id}`)
const markOf = ({ done }: Item, theme: Theme) => done ? theme.fg('success', '✓') : theme.fg('muted', '○')
const textOf = ({ done }: Item, text: string, theme: Theme) => theme.fg(done ? 'dim' : 'text', text)
const rowOf = (item: Item, text: string, theme: Theme) =>
  `${markOf(item, theme)} ${numberOf(item, theme)} ${textOf(item, text, theme)}`

export function drawCall({ action, text, id }: Partial<Call>, theme: Theme): Component {
  const words = [theme.fg('toolTitle', theme.bold('todo')), theme.fg('muted', cut(String(action ?? '')))]
  if (typeof id === 'number') {
    words.push(theme.fg('accent', `#${id}`))
  }
  if (typeof text === 'string') {
    words.push(theme.fg('dim', cut(text)))
  }
  return new Text(words.join(' '), 0, 0)
}

// Without a list (the call was blocked, or did not fit the parameters) the words of the result say why.
export function drawResult(result: AgentToolResult<unknown>, isExpanded: boolean, isError: boolean,
  theme: Theme): Component {
  const { action, error } = (result.details ?? {}) as { action?: unknown; error?: unknown }
  const list = todoOf(result.details)
  const [content] = result.content
  const short = isExpanded ? visible : cut
  const words = short(content?.type === 'text' ? content.text : '')
  if (!list || isError || error !== undefined) {
    return new Text(theme.fg('error', words), 0, 0)
  }
  const head = action === 'list' ? theme.fg('muted', doneOf(list))
    : `${theme.fg('success', '✓')} ${theme.fg('muted', `${words} · ${doneOf(list)}`)}`
  const count = isExpanded ? list.items.length : action === 'list' ? BRIEF : 0
  const lines = list.items.slice(0, count).map((item) => rowOf(item, short(item.text), theme))
  const rest = action === 'list' ? list.items.length - lines.length : 0
  return new Text([head, ...lines, ...rest > 0 ? [theme.fg('dim', `… ${rest} more`)] : []].join('\n'), 0, 0)
}

// /todos where pi has no terminal.
export function plainLines(list: List): string[] {
  const items = list.items.map((item) => `[${item.done ? 'x' : ' '}] #${item.id} ${visible(item.text)}`)
  return [items.length > 0 ? `Todos, ${doneOf(list)}:` : 'No todos', ...items]
}

// /todos in a terminal: the whole list, which scrolls. Each item is wrapped, so that a narrow terminal shows all of it.
export function todoView(listOf: () => List, tui: TUI, theme: Theme, keys: KeybindingsManager,
  close: () => void): Component {
  let top = 0
  let page = 1

  function linesOf(item: Item, width: number): string[] {
    const indent = 4 + String(item.id).length + 1
    const lines = wrapTextWithAnsi(visible(item.text), Math.max(8, width - indent - 1))
    return lines.map((line, i) =>
      i === 0 ? ` ${rowOf(item, line, theme)}` : ' '.repeat(indent) + textOf(item, line, theme))
  }

  return {
    invalidate() {}, // nothing is kept between two drawings

    // The page keys are pi's own in a full screen, so a space turns the page.
    handleInput(data) {
      const is = (key: 'cancel' | 'confirm' | 'up' | 'down') => keys.matches(data, `tui.select.${key}`)
      if (is('cancel') || is('confirm')) {
        close()
      } else {
        top += is('up') ? -1 : is('down') ? 1 : matchesKey(data, 'space') ? page : 0
      }
    },

    render(width) {
      const list = listOf()
      const body = list.items.flatMap((item) => linesOf(item, width))
      page = Math.max(1, tui.terminal.rows - AROUND)
      top = Math.max(0, Math.min(top, body.length - page))
      const shown = body.slice(top, top + page)
      const title = list.items.length > 0 ? `Todos, ${doneOf(list)}` : 'No todos'
      const hint = body.length > shown.length
        ? `${top + 1}-${top + shown.length} of ${body.length} · ↑↓ space · Esc close` : 'Esc close'
      const rule = theme.fg('borderMuted', '─'.repeat(width))
      return [rule, ` ${theme.fg('accent', title)}`, ...shown, ` ${theme.fg('dim', hint)}`, rule]
        .map((line) => truncateToWidth(line, width, '…'))
    },
  }
}
