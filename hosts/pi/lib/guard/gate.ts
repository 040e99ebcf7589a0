// The questions before each tool.
import type { ExtensionContext, ToolCallEvent } from '@earendil-works/pi-coding-agent'
import type { Block } from './children.ts'

// The gate with the lowest rank is asked first.
export interface Gate {
  readonly rank: number
  ask(event: ToolCallEvent, ctx: ExtensionContext): Block | undefined | Promise<Block | undefined>
}

export const RANK = { ssh: 0, readonly: 1, confirm: 2, readGuard: 3 }
