// Where this package lies. `make npm` makes all modules one file, lib/owner.ts, in which this module has the same place.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const PACKAGE = fileURLToPath(new URL('..', import.meta.url)) // without links: pi resolves those of a module

// The path of an extension file, as pi names the source of a command.
export const extensionFile = (name: string) => join(PACKAGE, 'extensions', `${name}.ts`)
