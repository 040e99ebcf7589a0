// Finds xylem-native: the only module that loads the addon. A missing addon is an answer, not an exception.
import { createRequire } from 'node:module'

export type Native = typeof import('xylem-native')

const require = createRequire(import.meta.url)

function load(): { native?: Native; problem?: string } {
  let problem = ''
  for (const name of ['xylem-native', '../../node']) { // installed in the tarball, or beside this package in a clone
    try {
      return { native: require(name) }
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      problem = code === 'MODULE_NOT_FOUND' && problem ? problem : message
    }
  }
  return { problem: problem.split('\n')[0] }
}

export const { native, problem } = load()
