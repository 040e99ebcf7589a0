// Asks for a password in the terminal: a line that shows a bullet for each letter.
import type { Theme } from '@earendil-works/pi-coding-agent'
import { type Component, Input, truncateToWidth } from '@earendil-works/pi-tui'

export function passwordView(title: string, problem: string | undefined, theme: Theme,
  done: (password: string | undefined) => void): Component {
  const input = new Input()
  input.onSubmit = done
  input.onEscape = () => done(undefined)
  return {
    invalidate() {}, // nothing is kept between two drawings
    handleInput: (data) => input.handleInput(data),
    render(width) {
      const bullets = '•'.repeat(Array.from(input.getValue()).length)
      const room = Math.max(1, width - 4)
      const rule = theme.fg('borderMuted', '─'.repeat(width))
      return [rule, ` ${theme.fg('accent', title)}`, ...problem === undefined ? [] : [` ${theme.fg('error', problem)}`],
        ` > ${bullets.slice(-room)}\x1b[7m \x1b[27m`, ` ${theme.fg('dim', 'Enter connects · Esc gives up')}`, rule]
        .map((line) => truncateToWidth(line, width, '…'))
    },
  }
}
