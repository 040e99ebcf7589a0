// Checkpoints in git: commits of a working tree, their references, and what two of them differ in.
//
//     commit ── parents ──> HEAD                       the shape of `git stash`, so `git stash apply REF` works
//       │ tree: the tracked files
//       ├───────────────> a commit of the index        what is staged
//       │                   └─────────> raw files      second parent: tracked/, untracked/ and modes
//       └───────────────> a commit of untracked files  missing: they are too many, so nobody knows them
//
// The raw files count when files come back. Where git converts nothing they are the same objects.
import { readdirSync } from 'node:fs'
import type { Git } from './git.ts'
import { bring, commitOf } from './objects.ts'
import { disableHooks, type Repository } from './repository.ts'
import { MARK, partsOf, pathOf, statOf, type Trees, USUAL } from './scratch.ts'

export const COUNT_MAX = 100 // checkpoints of a session
export const DAYS_MAX = 30
export const REPOSITORY_MAX = 200 << 20 // bytes that all of them take in a repository

const SPARE = 10 // checkpoints between two looks for old ones
export const ADDED_MAX = 20 << 20 // and bytes

const TITLE = 'xylem checkpoint'

export const isEqual = (a: Trees, b: Trees) =>
  a.head === b.head && a.index === b.index && a.tree === b.tree && a.untracked === b.untracked && a.raw === b.raw

// The id of the commit.
export async function commit(git: Git, { head, index, tree, untracked, raw }: Trees, at = Date.now()): Promise<string> {
  const rawFiles = commitOf(raw, [], `${TITLE}: files as they are`, at)
  const parents = [commitOf(index, [head, rawFiles.id], `${TITLE}: index`, at),
    ...untracked === undefined ? [] : [commitOf(untracked, [], `${TITLE}: untracked files`, at)]]
  const whole = commitOf(tree, [head, ...parents.map(({ id }) => id)], `${TITLE} ${new Date(at).toISOString()}`, at)
  await bring(git, [rawFiles, ...parents, whole])
  return whole.id
}

// --- References ----------------------------------------------------------------------------------------------------

const ROOT = 'refs/xylem'
export const UNDO = 'undo' // names the checkpoint that the newest restore of a session made or found

// Ids of sessions may have any letter. A name of git may not.
const encode = (id: string) => Array.from(Buffer.from(id), (byte) => /[\w-]/.test(String.fromCharCode(byte))
  ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`).join('')
const refOf = (session: string, name: string) => `${ROOT}/${encode(session)}/${name}`

// By the name UNDO the checkpoint is there as long as the session, whatever the limits are.
export const anchor = (git: Git, session: string, commit: string, name = commit) =>
  updateRefs(git, [`update ${refOf(session, name)} ${commit}`])

async function updateRefs(git: Git, lines: string[]): Promise<void> {
  if (lines.length > 0) {
    await disableHooks(git)
    await git.run(['update-ref', '--no-deref', '--stdin'], { input: lines.map((line) => `${line}\n`).join('') })
  }
}

export type Ref = Awaited<ReturnType<typeof refs>>[number]

// `at` is in ms.
export async function refs(git: Git, session?: string) {
  const under = session === undefined ? `${ROOT}/` : `${ROOT}/${encode(session)}/`
  const format = '--format=%(objectname) %(refname) %(contents:subject)'
  return (await git.line(['for-each-ref', format, under])).split('\n').filter(Boolean).map((line) => {
    const [commit, name, ...words] = line.split(' ')
    const word = name.split('/')[2]
    const at = Date.parse(words.at(-1) ?? '')
    return { commit, name, at: at || 0, session: /%(?![0-9a-f]{2})/.test(word) ? word : decoded(word) }
  })
}

const decoded = (word: string) =>
  Buffer.from(word.replace(/%(..)/g, (_all, digits) => String.fromCharCode(parseInt(digits, 16))), 'latin1').toString()

export const remove = (git: Git, found: Ref[]) =>
  updateRefs(git, found.map(({ name, commit }) => `delete ${name} ${commit}`))

// Gives the session a reference for each of its checkpoints that only another session has: a fork does not depend on
// its source. What no session has was dropped.
export async function anchorAll(git: Git, session: string, wanted: string[]): Promise<void> {
  const all = await refs(git)
  const own = new Set(all.filter((ref) => ref.session === session).map(({ commit }) => commit))
  const there = new Set(all.map(({ commit }) => commit))
  await updateRefs(git, [...new Set(wanted)].filter((commit) => there.has(commit) && !own.has(commit))
    .map((commit) => `update ${refOf(session, commit)} ${commit}`))
}

// Drops checkpoints beyond the limits, the oldest first. git frees the room when the person lets git collect. Gives how
// many checkpoints the session may add before anybody looks again, if they are small.
export async function dropOld(git: Git, owner: string, bytesMax = REPOSITORY_MAX): Promise<number> {
  const all = (await refs(git)).sort((a, b) => b.at - a.at)
  const undo = all.filter(({ name }) => name.endsWith(`/${UNDO}`))
  const counts = new Map<string, number>()
  const isYoung = ({ session, at }: Ref) => {
    const count = (counts.get(session) ?? 0) + 1
    counts.set(session, count)
    return count <= COUNT_MAX && at > Date.now() - DAYS_MAX * 86400e3
  }
  const young = all.filter((ref) => !undo.includes(ref) && isYoung(ref))
  let bytes = 0
  const fits = async (count: number) => (bytes = await roomOf(git, [...undo, ...young.slice(0, count)])) <= bytesMax
  let [most, over] = await fits(young.length) ? [young.length, young.length + 1] : [0, young.length]
  while (over - most > 1) {
    const middle = (most + over) >> 1
    ;[most, over] = await fits(middle) ? [middle, over] : [most, middle]
  }
  const kept = new Set([...undo, ...young.slice(0, most)])
  await remove(git, all.filter((ref) => !kept.has(ref)))
  return bytes + 2 * ADDED_MAX > bytesMax ? 0 : Math.min(SPARE, Math.max(0, COUNT_MAX - (counts.get(owner) ?? 0)))
}

// The bytes that commits take beside what branches, tags and HEAD reach.
export const roomOf = async (git: Git, found: Ref[]) => found.length === 0 ? 0
  : Number(await git.line(['rev-list', '--objects', '--disk-usage', '--stdin', '--not', '--branches', '--tags',
    '--remotes', 'HEAD'], { input: found.map(({ commit }) => `${commit}\n`).join('') }))

// The trees of a commit; undefined: the commit is gone, or is no checkpoint.
export async function treesOf(git: Git, commit: string): Promise<Trees | undefined> {
  const asked = ['^{tree}', '^1', '^2^{tree}', '^3^{tree}', '^2^2^{tree}', '^4'].map((part) => `${commit}${part}\n`)
  const answer = await git.line(['cat-file', '--batch-check=%(objectname) %(objecttype)'], { input: asked.join('') })
  const [tree, head, index, untracked, raw, more] = answer.split('\n').map((line, i) =>
    line.endsWith(i === 1 || i === 5 ? ' commit' : ' tree') ? line.split(' ')[0] : undefined)
  return tree && head && index && raw && !more ? { tree, head, index, untracked, raw } : undefined
}

// --- Compare -------------------------------------------------------------------------------------------------------

// A file, by its mode and its content: `100644 ce01362…`. A file whose permissions alone differ: `permissions 644`.
export interface Change {
  name: string
  now: string | undefined // undefined: there is no such file
  then: string | undefined
  permissions?: number // of then
}

export async function differences(git: Git, now: Trees, then: Trees): Promise<Change[]> {
  if (now.raw === then.raw) {
    return []
  }
  const [output, [modesNow, modesThen]] = await Promise.all([git.run(['diff-tree', '-r', '-z', '--raw', '--no-renames',
    '--no-abbrev', now.raw, then.raw]), modesOf(git, [now, then])])
  // A file may be tracked at one time and untracked at the other.
  const contents = new Map<string, Change>()
  for (const change of changesOf(output).filter(({ name }) => /^(un)?tracked\//.test(name))) {
    const name = change.name.replace(/^.*?\//, '')
    const known = contents.get(name)
    contents.set(name, { name, now: known?.now ?? change.now, then: known?.then ?? change.then })
  }
  const names = new Set([...contents.keys(), ...modesNow.keys(), ...modesThen.keys()])
  return [...names].map((name): Change => {
    const { now, then } = contents.get(name) ?? {}
    const [a, b] = [modesNow, modesThen].map((modes) => modes.get(name) ?? USUAL)
    return now !== then ? { name, now, then, permissions: b }
      : { name, now: `permissions ${a.toString(8)}`, then: `permissions ${b.toString(8)}`, permissions: b }
  // Without the untracked files of then, a file of now alone may have been there, and does not count.
  }).filter((change) => change.now !== change.then && (change.then !== undefined || then.untracked !== undefined))
}

// Permissions of files, but for 644.
async function modesOf(git: Git, trees: Trees[]) {
  return Promise.all(trees.map(async ({ raw }) => new Map(partsOf(await git.run(['cat-file', 'blob', `${raw}:modes`]))
    .map((line) => [line.replace(/^\d+ /, ''), parseInt(line, 8)]))))
}

// Of the output: `:MODE MODE ID ID LETTER` NUL name NUL, again and again.
function changesOf(output: Buffer): Change[] {
  const parts = partsOf(output)
  const side = (mode: string, id: string) => /^0+$/.test(mode) ? undefined : `${mode} ${id}`
  return Array.from({ length: parts.length / 2 }, (_one, i) => {
    const [modeNow, modeThen, idNow, idThen] = parts[2 * i].slice(1).split(' ')
    return { name: parts[2 * i + 1], now: side(modeNow, idNow), then: side(modeThen, idThen) }
  })
}

// A submodule, or a file that is left alone.
const isMarked = ({ now, then }: Change) => [now, then].some((side) => side?.startsWith(MARK))

// --- Plan ----------------------------------------------------------------------------------------------------------

export interface Plan {
  changes: Change[]
  left: string[] // names of files that stay as they are: something is in the way
}

// What a restore does. A file that no checkpoint of now has, such as an ignored file, is never touched.
export async function planOf(git: Git, { top }: Repository, now: Trees, then: Trees): Promise<Plan> {
  const all = (await differences(git, now, then)).filter((change) => !isMarked(change))
  const kept = new Set(all.filter((change) => change.now !== undefined).map(({ name }) => name))
  const going = new Set(all.filter(({ then }) => then === undefined).map(({ name }) => name))
  const blocked = new Set(all.filter(({ name, then }) => !isSafe(name) ||
    (then !== undefined && isBlocked(top, name, kept, going))))
  return { changes: all.filter((change) => !blocked.has(change)), left: Array.from(blocked, ({ name }) => name) }
}

// No name leads out of the work tree, or into a directory of git, also where file systems fold names.
const isSafe = (name: string) => Buffer.from(name, 'latin1').toString().split('/').every((part) =>
  !/^(|\.|\.\.|\.git|git~\d+)$/i.test(part.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '')))

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
