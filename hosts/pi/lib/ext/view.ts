// /ext in a terminal: the list of extensions, in which a person marks the extensions to switch.
import { getSettingsListTheme, type KeybindingsManager, type Theme } from '@earendil-works/pi-coding-agent'
import { type Component, type SettingItem, SettingsList, truncateToWidth, type TUI } from '@earendil-works/pi-tui'
import { oneLine } from '../excerpt.ts'
import type { Row } from './files.ts'

const VALUES = ['● enabled', '○ disabled']
const BESIDE = 16 // columns of a line that the name leaves to the value
const AROUND = 16 // lines of the screen that the list leaves to its frame and to the rest of pi
const LINES_MAX = 15
const WHY_COLUMNS = 300

export const valueOf = ({ isOn, tag }: Row) => tag ?? VALUES[isOn ? 0 : 1]

export function extView(rows: Row[], head: string, tui: TUI, theme: Theme, keys: KeybindingsManager,
  done: (marked?: Row[]) => void): Component {
  const items = rows.map((row, i): SettingItem => ({ id: String(i), label: '', currentValue: valueOf(row),
    description: row.why && oneLine(row.why, WHY_COLUMNS), values: row.why === undefined ? VALUES : undefined }))
  const lines = Math.max(3, Math.min(LINES_MAX, tui.terminal.rows - AROUND))
  const list = new SettingsList(items, lines, getSettingsListTheme(), () => {}, () => done())
  const marked = () => rows.filter((row, i) => items[i].currentValue !== valueOf(row))

  return {
    invalidate: () => list.invalidate(),

    // The list takes Enter like a space: without a mark Enter marks.
    handleInput(data) {
      if (keys.matches(data, 'tui.select.confirm') && marked().length > 0) {
        done(marked())
      } else {
        list.handleInput(data)
      }
    },

    // A long name is cut, so that a narrow terminal shows whether the extension is on.
    render(width) {
      const room = Math.max(8, width - BESIDE)
      items.forEach((item, i) => { item.label = oneLine(rows[i].name, room) })
      const count = marked().length
      const title = count === 0 ? 'Extensions' : `Extensions, ${count} change${count === 1 ? '' : 's'}`
      const rule = theme.fg('borderMuted', '─'.repeat(width))
      const shown = list.render(width).slice(0, -1) // the last line says that Enter is like a space
      return [rule, ` ${theme.fg('accent', title)}`, ` ${theme.fg('dim', oneLine(head, Math.max(1, width - 2)))}`, '',
        ...shown, ` ${theme.fg('dim', 'Space mark · Enter switch · Esc leave')}`, rule]
        .map((line) => truncateToWidth(line, width, '…'))
    },
  }
}
