// Finds the official SDK of MCP, an optional peer of this package, and loads the SDK on first use.
//
// Node's own search goes on in the node_modules of every directory above, and a repository could have a copy there. So
// two places count: the folder that has this package, and the folder where pi keeps packages of npm.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { PACKAGE } from '../package.ts'
import { agentDirectory } from '../settings.ts'

export type Sdk = typeof import('@modelcontextprotocol/client') & typeof import('@modelcontextprotocol/client/stdio')

const NAME = '@modelcontextprotocol/client'
const BESIDE = dirname(PACKAGE)

// With Node's require: pi's loader would compile the modules of the SDK anew.
export function loadSdk(): Sdk {
  const places = [...basename(BESIDE) === 'node_modules' ? [BESIDE] : [], join(agentDirectory(), 'npm/node_modules')]
  const found = places.map((place) => join(place, NAME, 'package.json')).find((path) => existsSync(path))
  if (!found) {
    throw new Error(`${NAME} is missing. Run 'pi install npm:${NAME}@2' and then /reload`)
  }
  const load = createRequire(found)
  return { ...load(NAME), ...load(`${NAME}/stdio`) }
}
