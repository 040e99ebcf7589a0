// Asks for a password in the terminal: a line that shows a bullet for each letter.
import type { Theme } from '@earendil-works/pi-coding-agent'
import { type Component, Input, truncateToWidth } from '@earendil-works/pi-tui'

export class PasswordView implements Component {
  readonly #input = new Input()
  readonly #title: string
  readonly #problem: string | undefined
  readonly #theme: Theme

  constructor(title: string, problem: string | undefined, theme: Theme, done: (password: string | undefined) => void) {
    this.#title = title
    this.#problem = problem
    this.#theme = theme
    this.#input.onSubmit = (password) => done(password)
    this.#input.onEscape = () => done(undefined)
  }

  invalidate(): void {
    // nothing is kept between two drawings
  }

  handleInput(data: string): void {
    this.#input.handleInput(data)
  }

  render(width: number): string[] {
    const theme = this.#theme
    const bullets = '•'.repeat(Array.from(this.#input.getValue()).length)
    const room = Math.max(1, width - 4)
    const rule = theme.fg('borderMuted', '─'.repeat(width))
    return [rule, ` ${theme.fg('accent', this.#title)}`,
      ...this.#problem === undefined ? [] : [` ${theme.fg('error', this.#problem)}`],
      ` > ${bullets.slice(-room)}\x1b[7m \x1b[27m`, ` ${theme.fg('dim', 'Enter connects · Esc gives up')}`, rule]
      .map((line) => truncateToWidth(line, width, '…'))
  }
}
