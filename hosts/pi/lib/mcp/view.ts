// How the call and the result of an MCP tool look. Both are foreign text, so no character of them moves the cursor.
import type { AgentToolResult, Theme } from '@earendil-works/pi-coding-agent'
import { type Component, Text, truncateToWidth } from '@earendil-works/pi-tui'
import { visible } from '../todo/view.ts'

const CALL_COLUMNS = 200
const LINES = 5 // of a result that is not expanded
const LINE_COLUMNS = 200

export function drawCall(label: string, input: unknown, theme: Theme): Component {
  const words = truncateToWidth(visible(JSON.stringify(input ?? {})), CALL_COLUMNS, '…')
  return new Text(`${theme.fg('toolTitle', theme.bold(label))} ${theme.fg('muted', words)}`, 0, 0)
}

export function drawResult({ content }: AgentToolResult<unknown>, isExpanded: boolean, isError: boolean,
  theme: Theme): Component {
  const lines = content.flatMap((part) => part.type === 'text'
    ? part.text.split('\n').map((line) => visible(line.replaceAll('\t', '  '))) : [`[${visible(part.mimeType)}]`])
  const shown = isExpanded ? lines : lines.slice(0, LINES).map((line) => truncateToWidth(line, LINE_COLUMNS, '…'))
  const more = lines.length > shown.length ? [theme.fg('muted', `… ${lines.length - shown.length} more lines`)] : []
  return new Text([...shown.map((line) => theme.fg(isError ? 'error' : 'toolOutput', line)), ...more].join('\n'), 0, 0)
}
