// Brings the files of a checkpoint back. Files alone change: the index, HEAD and the branches stay.
//
// The package writes each file itself: a temporary file beside the file, its permissions, then its name.
import { chmodSync, mkdirSync, readdirSync, realpathSync, renameSync, rmdirSync, rmSync, symlinkSync, unlinkSync,
  writeFileSync } from 'node:fs'
import { type Change, type Plan, planOf } from './commits.ts'
import type { Git } from './git.ts'
import type { Repository } from './repository.ts'
import { fingerprintOf, pathOf, type Scratch, statOf, type Trees } from './scratch.ts'

const BATCH_MAX = 64 << 20 // bytes of files that are in memory at a time
const LINK = '120000'

// Makes the files as they were. `now` is the newest checkpoint, which has every file that changes. A file that differs
// from `now` stops the restore before the first change; a file that changes later stays. Empty directories go, but not
// `cwd`.
export async function restore(git: Git, repository: Repository, scratch: Scratch, now: Trees, then: Trees, cwd: string):
  Promise<Plan> {
  const plan = await planOf(git, repository, now, then)
  const seen = new Map(plan.changes.map(({ name }) => [name, fingerprintOf(statOf(repository.top, name))]))
  const { tree, untracked, raw } = await scratch.look(git)
  if (tree !== now.tree || untracked !== now.untracked || raw !== now.raw) {
    throw new Error('files are changing: nothing was restored')
  }
  const files = { git, top: repository.top, cwd: realpathSync(cwd), seen }
  const apply = (changes: Change[]) => applyAll(files, changes)
  const later = waiting(plan.changes, new Set(scratch.untracked))
  await apply(plan.changes.filter((change) => !later.has(change)))
  for (const wave of [[...later].filter(isRule), [...later].filter((change) => !isRule(change))]) {
    if (wave.length > 0) {
      await scratch.look(git)
      const names = new Set(scratch.untracked)
      await apply(wave.filter(({ name }) => names.has(name)))
    }
  }
  return plan
}

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

interface Files {
  git: Git
  top: string
  cwd: string
  seen: Map<string, string> // the fingerprints of files before the restore
}

// A problem with a file leaves the file as found, and so does a content that git lacks: the restore compares all files
// afterwards, and tells. A git that fails before the first change fails the restore.
async function applyAll(files: Files, changes: Change[]): Promise<void> {
  const isSame = ({ now, then }: Change) => then!.startsWith('permissions') || (!then!.startsWith(LINK) &&
    now?.startsWith('100') && now.split(' ')[1] === then!.split(' ')[1])
  const wanted = changes.filter(({ then }) => then !== undefined)
  const batches = await batchesOf(files, wanted.filter((change) => !isSame(change)))
  for (const change of changes.filter(({ then }) => then === undefined)) {
    attempt(files, change, () => removeFile(files, change.name))
  }
  wanted.filter(isSame).forEach((change) => attempt(files, change, () =>
    chmodSync(pathOf(files.top, change.name), change.permissions!)))
  for (const batch of batches) {
    const contents = await contentsOf(files, batch).catch(() => [])
    batch.forEach((change, i) => contents[i] && attempt(files, change, () => writeFile(files, change, contents[i]!)))
  }
}

// No link leads elsewhere, and no file comes into the place of one that changed.
function attempt({ top, seen }: Files, { name }: Change, act: () => void): void {
  try {
    const isInside = parentsOf(name).every((parent) => statOf(top, parent)?.isDirectory() ?? true)
    const stat = statOf(top, name)
    const before = fingerprintOf(stat)
    if (isInside && (!stat || stat.isDirectory() || before === seen.get(name))) {
      act()
      // The other names of one file have another time of change by now.
      for (const [other, then] of stat && stat.nlink > 1 ? seen : []) {
        if (then === before) {
          seen.set(other, fingerprintOf(statOf(top, other)))
        }
      }
    }
  } catch {
    // told afterwards
  }
}

function removeFile({ top, cwd }: Files, name: string): void {
  unlinkSync(pathOf(top, name))
  for (const folder of parentsOf(name).reverse()) {
    const path = pathOf(top, folder)
    if (`${cwd}/`.startsWith(`${path}/`)) {
      return
    }
    rmdirSync(path)
  }
}

function writeFile({ top }: Files, { name, then, permissions }: Change, content: Buffer): void {
  const path = pathOf(top, name)
  const folder = pathOf(top, name.split('/').slice(0, -1).join('/'))
  mkdirSync(folder, { recursive: true })
  removeEmpty(path, statOf(top, name)?.isDirectory())
  const temporary = Buffer.concat([folder, Buffer.from(`/.xylem-${process.pid}-${Date.now()}`)])
  try {
    if (then!.startsWith(LINK)) {
      symlinkSync(content, temporary)
    } else {
      writeFileSync(temporary, content, { flag: 'wx', mode: 0o600 })
      chmodSync(temporary, permissions!)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

// Changes whose contents fit into memory together, or a single large one. Changes whose contents are gone are left out.
async function batchesOf(files: Files, changes: Change[]): Promise<Change[][]> {
  const sizes = (await ask(files, changes, '--batch-check=%(objectsize)')).toString().split('\n')
  const batches: Change[][] = []
  let bytes = Infinity
  for (const [i, change] of changes.entries()) {
    const size = Number(sizes[i]) // NaN: `ID missing`
    if (size >= 0) {
      bytes += size
      if (bytes > BATCH_MAX) {
        batches.push([])
        bytes = size
      }
      batches.at(-1)!.push(change)
    }
  }
  return batches
}

// Of the output: `ID blob SIZE` newline content newline, or `ID missing` newline, again and again.
async function contentsOf(files: Files, changes: Change[]): Promise<(Buffer | undefined)[]> {
  const output = await ask(files, changes, '--batch')
  let at = 0
  return changes.map(() => {
    const start = output.indexOf('\n', at) + 1
    const [, size] = /^\S+ blob (\d+)\n$/.exec(output.toString('latin1', at, start)) ?? []
    at = size === undefined ? start : start + Number(size) + 1
    return size === undefined ? undefined : output.subarray(start, start + Number(size))
  })
}

function ask({ git }: Files, changes: Change[], format: string): Promise<Buffer> {
  const input = changes.map(({ then }) => `${then!.split(' ')[1]}\n`).join('')
  return git.run(['cat-file', format], { input, outputMax: Infinity }) // of a batch, or of one large file
}

// Empty directories in the place of a file.
function removeEmpty(path: Buffer, isDirectory = false): void {
  if (isDirectory) {
    readdirSync(path, { encoding: 'buffer', withFileTypes: true })
      .forEach((entry) => removeEmpty(Buffer.concat([path, Buffer.from('/'), entry.name as unknown as Buffer]), true))
    rmdirSync(path)
  }
}
