// Readonly for the children of a session: an extension that makes children asks these functions, and passes the answers
// on to the child. Such an extension finds the functions under the symbol of the package (process.ts).
//
//     childTools(names)          the tools of `names` that a child may have
//     childNotice()              an addition to the prompt of a child; '' while readonly is off
//     judgeBash(command, cwd)    { block, reason } for a command that the child must not run, else undefined

import { inProcess } from '../process.ts'

export interface Block {
  block: true
  reason: string
}

// A session of the process, with its readonly.
export interface Guard {
  readonly path: string // of the extension's file
  mayHaveChildren?: boolean // a child got its tools while readonly was off, and may run
  isOn(): boolean
  childTools(names: string[]): string[]
  childNotice(): string
  judgeBash(command: string, cwd: string): Block | undefined
}

// All guards of the process.
export const guards = inProcess('guards', () => new Set<Guard>())

inProcess('childTools', () => childTools)
inProcess('childNotice', () => childNotice)
inProcess('judgeBash', () => judgeBash)

// A process may have several sessions: a child counts as a child of each.
const active = () => [...guards].filter((guard) => guard.isOn())

export function childTools(names: string[]): string[] {
  for (const guard of guards) {
    guard.mayHaveChildren ||= !guard.isOn()
  }
  return active().reduce((left, guard) => guard.childTools(left), names)
}

export function childNotice(): string {
  return active()[0]?.childNotice() ?? ''
}

export function judgeBash(command: string, cwd: string): Block | undefined {
  for (const guard of active()) {
    const answer = guard.judgeBash(command, cwd)
    if (answer) {
      return answer
    }
  }
  return undefined
}
