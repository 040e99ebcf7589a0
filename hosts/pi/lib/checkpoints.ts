// Keeps a working tree in a commit of git, and brings the files of such a commit back.
//
//     commit ── parents ──> HEAD                       the shape of `git stash`, so `git stash apply REF` works
//       │ tree: the tracked files, as they are
//       ├───────────────> a commit of the index        what is staged
//       └───────────────> a commit of untracked files  missing: they are too many, so nobody knows them
//
// Neither files nor the index nor HEAD are touched to keep a tree: git works on a copy of the index. Files alone change
// to restore a tree.
import { copyFileSync, lstatSync, mkdtempSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Git, GitError } from './git.ts'
import { assertNoPrograms, assertSettled, disableHooks, headOf, type Repository, Skipped } from './repository.ts'

export const FILES_MAX = 1000 // untracked files
export const BYTES_MAX = 20 << 20 // of untracked files

const EMPTY_TREE: { [digits: number]: string } = { // git knows both without an object
  40: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  64: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
}
const SUBMODULE = '160000'

// The trees of a moment. Without `untracked` nobody knows the untracked files.
export interface Trees {
  head: string // a commit
  index: string
  tree: string
  untracked: string | undefined
}

export const isEqual = (a: Trees, b: Trees) =>
  a.head === b.head && a.index === b.index && a.tree === b.tree && a.untracked === b.untracked

// What git wrote on the way: the trees, an index that has the tracked files as they are, the names of untracked files.
interface Snapshot extends Trees {
  scratch: string
  names: Buffer
}

const indexOf = ({ scratch }: { scratch: string }) => join(scratch, 'index')

// Calls `use` with a directory that goes away afterwards. A git that was stopped, or works beside a git that failed, may
// write there for a moment longer: the failure of `use` counts.
async function withScratch<T>(use: (scratch: string) => Promise<T>): Promise<T> {
  const scratch = mkdtempSync(join(tmpdir(), 'xylem-'))
  try {
    return await use(scratch)
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 4, retryDelay: 100 }).catch(() => {})
  }
}

// --- Keep ----------------------------------------------------------------------------------------------------------

export const look = (git: Git, repository: Repository): Promise<Trees> =>
  withScratch(async (scratch) => {
    const { head, index, tree, untracked } = await take(git, repository, scratch)
    return { head, index, tree, untracked }
  })

async function take(git: Git, repository: Repository, scratch: string): Promise<Snapshot> {
  assertSettled(repository)
  copyIndex(repository, indexOf({ scratch }))
  const index = indexOf({ scratch })
  const [head, staged, names] = await Promise.all([headOf(git, repository), writeTree(git, repository, index),
    untrackedNames(git, index), assertNoPrograms(git, repository)])
  const kept = names && fits(repository.top, names) ? names : undefined
  const [tree, untracked] = await Promise.all([trackedTree(git, index, staged),
    kept && untrackedTree(git, join(scratch, 'untracked'), kept)])
  return { head, index: staged, tree, untracked, scratch, names: kept ?? Buffer.alloc(0) }
}

// git takes a file for changed whose time is not before the time of the index, and looks into the file. So the copy
// must not be younger than the index.
function copyIndex({ directory }: Repository, copy: string): void {
  const index = join(directory, 'index')
  try {
    const { mtimeMs } = statSync(index)
    copyFileSync(index, copy)
    utimesSync(copy, Math.floor(mtimeMs / 1000), Math.floor(mtimeMs / 1000))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') { // else nothing is staged or tracked
      throw error
    }
  }
}

async function writeTree(git: Git, { top }: Repository, index: string): Promise<string> {
  try {
    return await git.line(['write-tree'], { index })
  } catch (error) {
    throw error instanceof GitError && /: unmerged \(/.test(error.stderr)
      ? new Skipped(`${top}: a merge has conflicts`) : error
  }
}

// The names of untracked files, each with a NUL; undefined: there are too many. A repository in the working tree has a
// name with a slash at its end, and git ignores such a name later.
async function untrackedNames(git: Git, index: string): Promise<Buffer | undefined> {
  const output = await git.run(['ls-files', '-o', '-z', '--exclude-standard'], { index, namesMax: FILES_MAX })
  return namesOf(output).length > FILES_MAX ? undefined : output
}

// Names are bytes, one character each.
const namesOf = (output: Buffer) => output.toString('latin1').split('\0').filter((name) => name !== '')
const pathOf = (top: string, name: string) => Buffer.concat([Buffer.from(`${top}/`), Buffer.from(name, 'latin1')])

const statOf = (top: string, name: string) => {
  try {
    return lstatSync(pathOf(top, name))
  } catch {
    return undefined // no such file, or a file where a directory is needed
  }
}

function fits(top: string, names: Buffer): boolean {
  let bytes = 0
  return namesOf(names).every((name) => (bytes += statOf(top, name)?.size ?? 0) <= BYTES_MAX)
}

// Brings a copy of the index up to date. Submodules count by their commit alone: to look into a submodule, git would
// run programs of its configuration. Files that are gone go by their names: a link may be in the place of their directory,
// and git refuses to look behind a link.
async function trackedTree(git: Git, index: string, staged: string): Promise<string> {
  const changed = changesOf(await git.run(['diff-files', '-z', '--raw', '--no-abbrev', '--ignore-submodules=dirty'],
    { index }))
  if (changed.length === 0) {
    return staged
  }
  const zeros = '0'.repeat(staged.length)
  const lines = (some: Change[], before = '') =>
    Buffer.from(some.map(({ name }) => `${before}${name}\0`).join(''), 'latin1')
  const gone = changed.filter(({ then }) => then === undefined)
  await git.run(['update-index', '-z', '--index-info'], { index, input: lines(gone, `0 ${zeros}\t`) })
  await add(git, index, lines(changed.filter(({ then }) => then !== undefined)))
  return git.line(['write-tree'], { index })
}

async function untrackedTree(git: Git, index: string, names: Buffer): Promise<string> {
  await add(git, index, names)
  return git.line(['write-tree'], { index })
}

const add = async (git: Git, index: string, names: Buffer) => {
  if (names.length > 0) {
    await git.run(['update-index', '-z', '--add', '--remove', '--stdin'], { index, input: names })
  }
}

// The id of the commit.
export async function commit(git: Git, { head, index, tree, untracked }: Trees): Promise<string> {
  const make = (of: string, parents: string[], message: string) =>
    git.line(['commit-tree', '--no-gpg-sign', of, ...parents.flatMap((parent) => ['-p', parent]), '-m', message])
  const parents = await Promise.all([make(index, [head], 'xylem checkpoint: index'),
    ...untracked === undefined ? [] : [make(untracked, [], 'xylem checkpoint: untracked files')]])
  return make(tree, [head, ...parents], 'xylem checkpoint')
}

// --- References ----------------------------------------------------------------------------------------------------

const ROOT = 'refs/xylem'

// Ids of sessions may have any letter. A name of git may not.
const encode = (id: string) => Array.from(Buffer.from(id), (byte) => /[\w-]/.test(String.fromCharCode(byte))
  ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`).join('')
export const refOf = (session: string, entry: string) => `${ROOT}/${encode(session)}/${encode(entry)}`

export const anchor = (git: Git, session: string, entry: string, commit: string) =>
  updateRefs(git, [`update ${refOf(session, entry)} ${commit}`])

async function updateRefs(git: Git, lines: string[]): Promise<void> {
  await disableHooks(git)
  await git.run(['update-ref', '--no-deref', '--stdin'], { input: lines.map((line) => `${line}\n`).join('') })
}

export interface Ref {
  name: string
  commit: string
  session: string
}

export async function refs(git: Git, session?: string): Promise<Ref[]> {
  const under = session === undefined ? `${ROOT}/` : `${ROOT}/${encode(session)}/`
  const lines = (await git.line(['for-each-ref', '--format=%(objectname) %(refname)', under])).split('\n')
  return lines.filter(Boolean).map((line) => {
    const [commit, name] = line.split(' ')
    const word = name.split('/')[2]
    return { commit, name, session: /%(?![0-9a-f]{2})/.test(word) ? word : decoded(word) }
  })
}

const decoded = (word: string) =>
  Buffer.from(word.replace(/%(..)/g, (_all, digits) => String.fromCharCode(parseInt(digits, 16))), 'latin1').toString()

export const remove = (git: Git, found: Ref[]) =>
  updateRefs(git, found.map(({ name, commit }) => `delete ${name} ${commit}`))

// Gives the session a reference for each of its checkpoints that has none: a fork does not depend on its source.
export async function anchorAll(git: Git, session: string, wanted: { entry: string; commit: string }[]): Promise<void> {
  const known = new Set((await refs(git, session)).map(({ name }) => name))
  const missing = wanted.filter(({ entry }) => !known.has(refOf(session, entry)))
  if (missing.length === 0) {
    return
  }
  const input = missing.map(({ commit }) => `${commit}\n`).join('')
  const types = (await git.line(['cat-file', '--batch-check=%(objecttype)'], { input })).split('\n')
  const there = missing.filter((_one, i) => types[i] === 'commit')
  await updateRefs(git, there.map(({ entry, commit }) => `update ${refOf(session, entry)} ${commit}`))
}

// The trees of a commit; undefined: the commit is gone, or is no checkpoint.
export async function treesOf(git: Git, commit: string): Promise<Trees | undefined> {
  const asked = ['^{tree}', '^1', '^2^{tree}', '^3^{tree}', '^4'].map((part) => `${commit}${part}\n`).join('')
  const answer = await git.line(['cat-file', '--batch-check=%(objectname) %(objecttype)'], { input: asked })
  const [tree, head, index, untracked, more] = answer.split('\n').map((line, i) =>
    line.endsWith(i === 1 || i === 4 ? ' commit' : ' tree') ? line.split(' ')[0] : undefined)
  return tree && head && index && !more ? { tree, head, index, untracked } : undefined
}

// --- Compare -------------------------------------------------------------------------------------------------------

// A file, by its mode and its content: `100644 ce01362…`.
export interface Change {
  name: string
  now: string | undefined // undefined: there is no such file
  then: string | undefined
}

export async function differences(git: Git, now: Trees, then: Trees): Promise<Change[]> {
  const empty = EMPTY_TREE[now.head.length]
  const [tracked, untracked] = await Promise.all([[now.tree, then.tree],
    [now.untracked ?? empty, then.untracked ?? empty]].map(async ([a, b]) => a === b ? []
    : changesOf(await git.run(['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', a, b]))))
  return combine(tracked, untracked, then.untracked !== undefined)
}

// Of the output: `:MODE MODE ID ID LETTER` NUL name NUL, again and again.
function changesOf(output: Buffer): Change[] {
  const parts = namesOf(output)
  const side = (mode: string, id: string) => /^0+$/.test(mode) ? undefined : `${mode} ${id}`
  return Array.from({ length: parts.length / 2 }, (_one, i) => {
    const [modeNow, modeThen, idNow, idThen] = parts[2 * i].slice(1).split(' ')
    return { name: parts[2 * i + 1], now: side(modeNow, idNow), then: side(modeThen, idThen) }
  })
}

// A file may be tracked at one time and untracked at the other. `isKnown`: the checkpoint has all untracked files of
// its time. Else a file of now that the checkpoint does not have may have been there, untracked, and does not count.
export function combine(tracked: Change[], untracked: Change[], isKnown: boolean): Change[] {
  const changes = new Map(tracked.map((change) => [change.name, change]))
  for (const { name, now, then } of untracked) {
    const known = changes.get(name)
    changes.set(name, { name, now: known?.now ?? now, then: known?.then ?? then })
  }
  return [...changes.values()].filter(({ now, then }) => now !== then && (isKnown || then !== undefined))
}

const isSubmodule = ({ now, then }: Change) => [now, then].some((side) => side?.startsWith(SUBMODULE))

// --- Restore -------------------------------------------------------------------------------------------------------

export interface Plan {
  changes: Change[]
  left: string[] // names of files that stay as they are: something is in the way
}

// What a restore does. A file that no checkpoint of now has, such as an ignored file, is never touched.
export async function planOf(git: Git, { top }: Repository, now: Trees, then: Trees): Promise<Plan> {
  const all = (await differences(git, now, then)).filter((change) => !isSubmodule(change))
  const kept = new Set(all.filter((change) => change.now !== undefined).map(({ name }) => name))
  const going = new Set(all.filter(({ then }) => then === undefined).map(({ name }) => name))
  const blocked = new Set(all.filter(({ name, then }) => then !== undefined && isBlocked(top, name, kept, going)))
  return { changes: all.filter((change) => !blocked.has(change)), left: Array.from(blocked, ({ name }) => name) }
}

// Something that no checkpoint has is where a file or its directories are needed.
function isBlocked(top: string, name: string, kept: Set<string>, going: Set<string>): boolean {
  const parts = name.split('/')
  for (let i = 1; i < parts.length; i++) {
    const parent = parts.slice(0, i).join('/')
    const stat = statOf(top, parent)
    if (!stat?.isDirectory()) {
      return stat !== undefined && !going.has(parent)
    }
  }
  const stat = statOf(top, name)
  return stat?.isDirectory() ? !holdsOnly(top, name, going) : stat !== undefined && !kept.has(name)
}

// All files below a directory are such as go away.
function holdsOnly(top: string, folder: string, going: Set<string>): boolean {
  return readdirSync(pathOf(top, folder), { encoding: 'buffer' }).every((entry) => {
    const name = `${folder}/${entry.toString('latin1')}`
    return statOf(top, name)?.isDirectory() ? holdsOnly(top, name, going) : going.has(name)
  })
}

// Makes the files as they were. `now` is the newest checkpoint, which has every file that changes. A file that differs
// from it stops the restore before the first change. Neither the index nor HEAD change. git removes directories that
// become empty, but not `cwd`.
export const restore = (git: Git, repository: Repository, now: Trees, then: Trees, cwd: string): Promise<Plan> =>
  withScratch(async (scratch) => {
    const snapshot = await take(git, repository, scratch)
    if (snapshot.tree !== now.tree || snapshot.untracked !== now.untracked) {
      throw new Error('files are changing: nothing was restored')
    }
    const plan = await planOf(git, repository, now, then)
    const later = waiting(plan.changes, new Set(namesOf(snapshot.names)))
    await apply(git, snapshot, plan.changes.filter((change) => !later.has(change)), cwd)
    for (const wave of [[...later].filter(isRule), [...later].filter((change) => !isRule(change))]) {
      if (wave.length > 0) {
        await withScratch(async (again) => {
          const seen = await take(git, repository, again)
          const untracked = new Set(namesOf(seen.names))
          await apply(git, seen, wave.filter(({ name }) => untracked.has(name)), cwd)
        })
      }
    }
    return plan
  })

const isRule = ({ name }: Change) => /(^|\/)\.gitignore$/.test(name)
const parentsOf = (name: string) => name.split('/').map((_part, i, parts) => parts.slice(0, i).join('/')).slice(1)

// The rules of then decide which untracked files stay: such a file may have been there, ignored. So if rules change,
// these files wait for the rules, but for a file in the place of another. A file of rules may itself have been ignored:
// the files of rules go first, and the other files after them.
function waiting(changes: Change[], untracked: Set<string>): Set<Change> {
  if (!changes.some(isRule)) {
    return new Set()
  }
  const coming = new Set(changes.filter(({ then }) => then !== undefined).map(({ name }) => name))
  const folders = new Set(Array.from(coming, parentsOf).flat())
  return new Set(changes.filter((change) => change.then === undefined && untracked.has(change.name) &&
    !folders.has(change.name) && !parentsOf(change.name).some((parent) => coming.has(parent))))
}

// git compares every file with the index of the snapshot, and changes none if one differs.
async function apply(git: Git, snapshot: Snapshot, changes: Change[], cwd: string): Promise<void> {
  if (changes.length === 0) {
    return
  }
  const index = indexOf(snapshot)
  const wanted = join(snapshot.scratch, 'wanted')
  await add(git, index, snapshot.names)
  copyFileSync(index, wanted)
  await git.run(['update-index', '-z', '--index-info'], { index: wanted, input: indexInfo(changes) })
  const from = await git.line(['write-tree'], { index })
  const to = await git.line(['write-tree'], { index: wanted })
  await git.run(['read-tree', '-m', '-u', from, to], { index, cwd })
}

// Files that go come first: a directory may take the name of such a file.
function indexInfo(changes: Change[]): Buffer {
  const going = changes.filter(({ then }) => then === undefined)
  const lines = [...going.map(({ name, now }) => `0 ${'0'.repeat(now!.split(' ')[1].length)}\t${name}\0`),
    ...changes.flatMap(({ name, then }) => then === undefined ? [] : [`${then}\t${name}\0`])]
  return Buffer.from(lines.join(''), 'latin1')
}
