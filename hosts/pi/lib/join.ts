// The factory of an extension file. Each file evaluates this module for itself, and no other:
//
//     extensions/todo.ts ─┐                 ┌─ todo/todo.ts
//     extensions/ssh.ts  ─┼─> owner.ts ─────┼─ ssh/ssh.ts        evaluated once, for all files
//     ...                ─┘   one a start   └─ ...
//
// pi evaluates each extension file with modules of its own, and takes half a millisecond for each module. So the first
// file evaluates the modules of the package, and later files take the same modules.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'
import type { FeatureName } from './load.ts'
import type { Owner } from './owner.ts'
import { inProcess } from './process.ts'

const HERE = import.meta.url // a process may have two copies of the package
const evaluated = inProcess('modules', () => new Map<string, Promise<typeof import('./owner.ts')>>())

function modules() {
  const found = evaluated.get(HERE) ?? import('./owner.ts')
  evaluated.set(HERE, found)
  found.catch(forget) // the next start tries again
  return found
}

// At the end of a session: at the next start, such as /reload, the package may be newer.
const forget = () => void evaluated.delete(HERE)

export function extension(name: FeatureName): (pi: ExtensionAPI) => Promise<void> {
  const all = modules()
  return async (pi) => (await all).join(pi, name, forget)
}

// For an extension that is no feature of the package.
export async function ownerOf(pi: ExtensionAPI): Promise<Owner> {
  return (await modules()).ownerOf(pi, forget)
}
