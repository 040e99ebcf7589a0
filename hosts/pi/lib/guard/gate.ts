// The questions before each tool.
import type { ExtensionContext, ToolCallEvent } from '@earendil-works/pi-coding-agent'
import type { Block } from './children.ts'

// The gate with the lowest rank is asked first.
export interface Gate {
  readonly rank: number
  ask(event: ToolCallEvent, ctx: ExtensionContext): Block | undefined | Promise<Block | undefined>
}

export const RANK = { ssh: 0, mcp: 1, readonly: 2, confirm: 3, readGuard: 4 }
