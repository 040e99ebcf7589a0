// The repository around a directory, and whether its working tree can be kept now.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Git, GitError } from './git.ts'

export interface Repository {
  top: string // of the work tree
  directory: string // of git
}

// A working tree that cannot be kept, and the reason for the person.
export class Skipped extends Error {}

const PROGRAMS = '^(filter\\..*\\.(clean|smudge|process)|hook\\..*\\.command)$'
const OWN_SCOPES = ['system', 'global', 'command']

const UNFINISHED: [file: string, word: string][] = [
  ['rebase-merge', 'a rebase'], ['rebase-apply', 'a rebase'], ['MERGE_HEAD', 'a merge'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'], ['REVERT_HEAD', 'a revert'],
]

// undefined: the directory is in no work tree, or git is missing. A .git directory is in none.
export async function findRepository(cwd: string, limitMs: number): Promise<Repository | undefined> {
  const git = new Git(cwd, limitMs)
  let isBare: string
  let isInside: string
  try {
    [isBare, isInside] = (await git.line(['rev-parse', '--is-bare-repository', '--is-inside-work-tree'])).split('\n')
  } catch (error) {
    if (error instanceof GitError && error.failure !== 'late') {
      return undefined
    }
    throw error
  }
  if (isInside !== 'true') {
    return isBare === 'true' ? skip(cwd, 'a bare repository has no files') : undefined
  }
  const [top, directory] = await Promise.all([git.line(['rev-parse', '--show-toplevel']),
    git.line(['rev-parse', '--absolute-git-dir'])])
  // A configuration may name any directory as the work tree. A work tree that knows nothing of the repository is not
  // touched.
  const back = await git.line(['rev-parse', '--absolute-git-dir'], { cwd: top }).catch(() => undefined)
  return back === directory ? { top, directory }
    : skip(top, `it is the work tree of ${directory} by configuration alone`)
}

const skip = (top: string, reason: string): never => {
  throw new Skipped(`${top}: ${reason}`)
}

// Throws if the working tree is between two states, for which git has no stash.
export function assertSettled({ top, directory }: Repository): void {
  const found = UNFINISHED.find(([file]) => existsSync(join(directory, file)))
  if (found) {
    skip(top, `${found[1]} is not finished`)
  }
}

export async function headOf(git: Git, { top }: Repository): Promise<string> {
  const head = await git.line(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']).catch((error) => {
    if (error instanceof GitError && error.failure === 'failed') {
      return undefined
    }
    throw error
  })
  return head ?? skip(top, 'there is no commit yet')
}

// Throws if the repository's own configuration names a filter. A filter of the person's configuration runs, as with
// `git add`.
export async function assertNoPrograms(git: Git, { top }: Repository): Promise<void> {
  const found = await disableHooks(git)
  const isOwn = ({ key, value }: Program) =>
    found.some((other) => OWN_SCOPES.includes(other.scope) && other.key === key && other.value === value)
  const foreign = found.find((program) => program.key.startsWith('filter.') && program.value.trim() !== '' &&
    !OWN_SCOPES.includes(program.scope) && !isOwn(program))
  if (foreign) {
    skip(top, `its own configuration has a program, ${foreign.key}. 'git config --global' with the same line allows it`)
  }
}

// Switches off hooks by configuration, of git 2.54, which have names. Gives the programs of the configuration.
export async function disableHooks(git: Git): Promise<Program[]> {
  const found = programs(await listPrograms(git))
  git.disable(found.flatMap(({ key }) => key.startsWith('hook.') ? [key.replace(/command$/, 'enabled')] : []))
  return found
}

interface Program {
  scope: string
  key: string
  value: string
}

async function listPrograms(git: Git): Promise<string> {
  try {
    return (await git.run(['config', '-z', '--show-scope', '--get-regexp', PROGRAMS])).toString()
  } catch (error) {
    if (error instanceof GitError && error.failure === 'failed' && error.stderr === '') {
      return '' // nothing matches
    }
    throw error
  }
}

// Of the output: scope NUL key newline value NUL, again and again.
function programs(output: string): Program[] {
  const parts = output.split('\0')
  return parts.flatMap((scope, i) => {
    const [key, value = ''] = (parts[i + 1] ?? '').split(/\n([^]*)/)
    return i % 2 === 0 && i + 1 < parts.length ? [{ scope, key, value }] : []
  })
}
