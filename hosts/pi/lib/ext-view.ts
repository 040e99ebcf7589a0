// /ext in a terminal: the list of extensions, in which a person marks the extensions to switch.
import { getSettingsListTheme, type KeybindingsManager, type Theme } from '@earendil-works/pi-coding-agent'
import { type Component, type SettingItem, SettingsList, truncateToWidth, type TUI } from '@earendil-works/pi-tui'
import { oneLine } from './excerpt.ts'
import type { Row } from './ext-files.ts'

const VALUES = ['● enabled', '○ disabled']
const BESIDE = 16 // columns of a line that the name leaves to the value
const AROUND = 16 // lines of the screen that the list leaves to its frame and to the rest of pi
const LINES_MAX = 15
const WHY_COLUMNS = 300

export const valueOf = ({ isOn, tag }: Row) => tag ?? VALUES[isOn ? 0 : 1]

export class ExtView implements Component {
  readonly #rows: Row[]
  readonly #head: string
  readonly #theme: Theme
  readonly #keys: KeybindingsManager
  readonly #done: (marked?: Row[]) => void
  readonly #items: SettingItem[]
  readonly #list: SettingsList
  readonly #marked = new Set<Row>()

  constructor(rows: Row[], head: string, tui: TUI, theme: Theme, keys: KeybindingsManager,
    done: (marked?: Row[]) => void) {
    this.#rows = rows
    this.#head = head
    this.#theme = theme
    this.#keys = keys
    this.#done = done
    this.#items = rows.map((row, i) => ({ id: String(i), label: '', currentValue: valueOf(row),
      description: row.why && oneLine(row.why, WHY_COLUMNS), values: row.why === undefined ? VALUES : undefined }))
    const lines = Math.max(3, Math.min(LINES_MAX, tui.terminal.rows - AROUND))
    this.#list = new SettingsList(this.#items, lines, getSettingsListTheme(), (id) => this.#mark(rows[Number(id)]),
      () => done())
  }

  invalidate(): void {
    this.#list.invalidate()
  }

  // The list takes Enter like a space.
  handleInput(data: string): void {
    if (this.#keys.matches(data, 'tui.select.confirm')) {
      this.#done(this.#rows.filter((row) => this.#marked.has(row)))
    } else {
      this.#list.handleInput(data)
    }
  }

  // A second mark takes the first back.
  #mark(row: Row): void {
    if (!this.#marked.delete(row)) {
      this.#marked.add(row)
    }
  }

  // A long name is cut, so that a narrow terminal shows whether the extension is on.
  render(width: number): string[] {
    const theme = this.#theme
    const room = Math.max(8, width - BESIDE)
    this.#items.forEach((item, i) => { item.label = oneLine(this.#rows[i].name, room) })
    const count = this.#marked.size
    const title = count === 0 ? 'Extensions' : `Extensions, ${count} change${count === 1 ? '' : 's'}`
    const rule = theme.fg('borderMuted', '─'.repeat(width))
    const list = this.#list.render(width).slice(0, -1) // the last line says that Enter is like a space
    return [rule, ` ${theme.fg('accent', title)}`, ` ${theme.fg('dim', oneLine(this.#head, Math.max(1, width - 2)))}`, '', ...list,
      ` ${theme.fg('dim', 'Space mark · Enter switch · Esc leave')}`, rule]
      .map((line) => truncateToWidth(line, width, '…'))
  }
}
