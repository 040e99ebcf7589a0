// The repository around a directory, and whether its working tree can be kept now.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Git, GitError, tried } from './git.ts'

export interface Repository {
  top: string // of the work tree
  directory: string // of git
  common: string // of git, for all work trees of the repository
  objects: string
  format: string // of the ids of objects
  settings: string[] // how git looks at files: KEY=VALUE
  rules: string[] // files outside of the work tree that have rules for its files
}

const HOOKS = '^hook\\..*\\.command$'
const SETTINGS = '^core\\.(filemode|symlinks|ignorecase|precomposeunicode|trustctime|checkstat|autocrlf|eol|' +
  'bigfilethreshold|compression|loosecompression|sharedrepository|excludesfile|attributesfile)$'

const UNFINISHED: [file: string, word: string][] = [
  ['rebase-merge', 'a rebase'], ['rebase-apply', 'a rebase'], ['MERGE_HEAD', 'a merge'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'], ['REVERT_HEAD', 'a revert'],
]

// undefined: the directory is in no work tree. A .git directory is in none.
export async function findRepository(cwd: string, limitMs: number): Promise<Repository | undefined> {
  if (!mayBeInside(cwd)) {
    return undefined
  }
  const git = new Git(cwd, limitMs)
  const answer = await git.line(['rev-parse', '--is-bare-repository', '--is-inside-work-tree']).catch(ifRefused)
  const [isBare, isInside] = answer?.split('\n') ?? []
  if (isInside !== 'true') {
    return isBare === 'true' ? skip(cwd, 'a bare repository has no files') : undefined
  }
  const [top, directory, common, objects, format, ...more] = (await git.line(['rev-parse', '--path-format=absolute',
    '--show-toplevel', '--git-dir', '--git-common-dir', '--git-path', 'objects', '--show-object-format'])).split('\n')
  if (more.length > 0) {
    return skip(cwd, 'its path has a line break')
  }
  // A configuration may name any directory as the work tree. A work tree that knows nothing of the repository is not
  // touched.
  const back = await new Git(top, limitMs).line(['rev-parse', '--absolute-git-dir']).catch(() => undefined)
  if (back !== directory) {
    return skip(top, `it is the work tree of ${directory} by configuration alone`)
  }
  // The files of rules have names that git would take from the person's home.
  const home = join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'git')
  const settings = [`core.excludesfile=${home}/ignore`, `core.attributesfile=${home}/attributes`,
    ...(await matching(git, '--path', SETTINGS)).map(([key, value]) => `${key}=${value}`)]
  const rules = [join(common, 'info/attributes'), join(common, 'info/exclude'),
    ...settings.filter((line) => /^core\.\w+file=/.test(line)).map((line) => line.replace(/^.*?=/, ''))]
  return { top, directory, common, objects, format, settings, rules }
}

// Without a process of git: a directory around has a .git, or may itself be one of git.
function mayBeInside(cwd: string): boolean {
  const has = (folder: string) => existsSync(join(folder, '.git')) ||
    (existsSync(join(folder, 'HEAD')) && existsSync(join(folder, 'objects')))
  let folder = existsSync(cwd) ? realpathSync.native(cwd) : '/'
  while (!has(folder) && folder !== dirname(folder)) {
    folder = dirname(folder)
  }
  return has(folder)
}

// A working tree cannot be kept: the reason for the person.
export function skip(top: string, reason: string): never {
  throw new Error(`${top}: ${reason}`)
}

// git answers with an error.
function ifRefused(error: unknown): undefined {
  if (!(error instanceof GitError && error.failure === 'failed')) {
    throw error
  }
}

// Members of the configuration.
async function matching(git: Git, ...args: string[]): Promise<[key: string, value: string][]> {
  const output = await git.run(['config', '-z', '--get-regexp', ...args]).catch((error) => {
    if (error instanceof GitError && error.failure === 'failed' && error.stderr === '') {
      return '' // nothing matches
    }
    throw error
  })
  return output.toString().split('\0').filter(Boolean).map((line) => {
    const [key, value = ''] = line.split(/\n([^]*)/)
    return [key, value]
  })
}

// Switches off hooks by configuration, of git 2.54, which have names.
export async function disableHooks(git: Git): Promise<void> {
  git.disable((await matching(git, HOOKS)).map(([key]) => key.replace(/command$/, 'enabled')))
}

// Throws if the working tree is between two states, for which git has no stash.
export function assertSettled({ top, directory }: Repository): void {
  const found = UNFINISHED.find(([file]) => existsSync(join(directory, file)))
  if (found) {
    skip(top, `${found[1]} is not finished`)
  }
}

// What changes when a file does.
export function signatureOf(file: string): string {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat ? [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ') : ''
}

// What changes when HEAD does, without a process of git: the text of HEAD, its branch, and the tables of references.
export function headSignature({ directory, common }: Repository): string {
  const head = readText(join(directory, 'HEAD'))
  const [, branch] = /^ref: (refs\/.*)\n$/.exec(head) ?? []
  const branchText = branch === undefined ? '' : readText(join(common, branch))
  // A branch may name another one.
  return branchText.startsWith('ref:') ? String(Math.random()) : [head, branchText, join(common, 'packed-refs'),
    ...[directory, common].map((place) => join(place, 'reftable/tables.list'))]
    .map((text, i) => i < 2 ? text : signatureOf(text)).join('\n')
}

const readText = (file: string) => tried(() => readFileSync(file, 'utf8')) ?? ''

export async function headOf(git: Git, { top }: Repository): Promise<string> {
  const head = await git.line(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']).catch(ifRefused)
  return head ?? skip(top, 'there is no commit yet')
}
