// What a working tree holds, byte for byte. A session has one scratch directory, with two git directories of its own:
//
//     raw/      no attribute counts: its index knows the files as they are
//     clean/    attributes count: its index knows the files as a stash has them
//
// Both use the objects and the work tree of the repository, and none of its configuration but how to look at files. No
// filter is configured there, so none can run. A file whose content must not get into .git, or that git cannot read,
// has a mark in the raw index, the mode of a submodule, and in the clean index the person's own entry.
import { copyFileSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, type Stats, statSync,
  symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type Git, GitError, type Place, tried } from './git.ts'
import { blob, bring, commitOf, tree } from './objects.ts'
import { assertSettled, headOf, headSignature, type Repository, signatureOf, skip } from './repository.ts'

export const FILES_MAX = 1000 // untracked files
export const BYTES_MAX = 20 << 20 // of untracked files, and of a file that git converts
export const FILE_MAX = 1 << 20 // bytes of an untracked file

// Filters that take something out of a file and hide nothing. Every other filter may be there to encrypt.
export const STRIPPERS = ['nbstripout', 'nb-clean', 'nbstrip', 'nbstrip_full', 'dropoutput_ipynb', 'clean_ipynb',
  'strip-notebook-output', 'jupyter_clear_output']

const CONVERSIONS = new Set(['filter', 'working-tree-encoding', 'text', 'eol', 'ident', 'crlf'])

export const MARK = '160000'
export const USUAL = 0o644 // permissions of most files
const NO_CONVERSION = '* -text -filter -ident !eol !working-tree-encoding\n'
const RACY_MS = 1100 // git knows the second of a change: a file this young may change without another time
const SLICE = 200 // files that are looked at before other work of the process
const BAD_MAX = 20 // files that git cannot read; more of them have another cause

// The trees of a moment. Without `untracked` nobody knows the untracked files.
export interface Trees {
  head: string // a commit
  index: string
  tree: string // tracked files, as in a stash
  untracked: string | undefined // as in a stash
  raw: string // `tracked`, `untracked` and `modes`: as they are
}

interface Status {
  changed: string[]
  gone: string[]
  untracked: string[]
}

// Names are bytes, one character each.
export const pathOf = (top: string, name: string) =>
  Buffer.concat([Buffer.from(`${top}/`), Buffer.from(name, 'latin1')])
export const linesOf = (names: string[]) => Buffer.from(names.map((name) => `${name}\0`).join(''), 'latin1')
export const partsOf = (output: Buffer) => output.toString('latin1').split('\0').slice(0, -1)

// undefined: no such file, or a file where a directory is needed.
export const statOf = (top: string, name: string) => tried(() => lstatSync(pathOf(top, name)))

export const fingerprintOf = (stat: Stats | undefined) =>
  stat ? [stat.dev, stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs, stat.mode].join(' ') : ''

const hasYoung = (stats: Map<string, Stats | undefined>, now: number) =>
  [...stats.values()].some((stat) => stat !== undefined && stat.ctimeMs > now - RACY_MS)

const bytesOf = (stats: Map<string, Stats | undefined>) =>
  [...stats.values()].reduce((sum, stat) => sum + (stat?.size ?? 0), 0)

const isKept = (stat: Stats | undefined) => stat !== undefined && (stat.isFile() || stat.isSymbolicLink())

export class Scratch {
  bytes = 0 // of the files that git took, since somebody set the number
  readonly #repository: Repository
  readonly #strippers: Set<string>
  #folder: string | undefined
  #raw!: Place
  #clean!: Place
  #head = { signature: '', id: '' }
  #indexKey = ''
  #rulesKey = ''
  #attributesKey = ''
  #rawKey = ''
  #listing: Buffer | undefined // of the person's index
  #index = '' // its tree
  #isPlain = false // both indexes are equal, but for the last change: the clean one may lack that
  #live: string[] = [] // tracked names at which git looks
  #modes = new Map<string, number>() // of these files
  #isYoung = false // one of these files may have got other permissions since, which git does not see
  #failed = new Map<string, string>() // files that git could not read, as they were then
  #tracked = new Map<string, string>() // tracked files that are left alone, and why
  #untracked = { key: '', left: new Map<string, string>(), names: [] as string[], modes: new Map<string, number>(),
    raw: undefined as string | undefined, clean: undefined as string | undefined, state: '' }
  #known: { key: string; trees: Trees } | undefined

  constructor(repository: Repository, strippers: string[] = []) {
    this.#repository = repository
    this.#strippers = new Set([...STRIPPERS, ...strippers])
  }

  // Files that are left alone, and why.
  get left(): Map<string, string> {
    return new Map([...this.#tracked, ...this.#untracked.left])
  }

  // The names of untracked files, at the last look.
  get untracked(): string[] {
    return this.#untracked.names
  }

  // A git that was stopped, or works beside a git that failed, may write there for a moment longer.
  async dispose(): Promise<void> {
    const folder = this.#folder
    this.#folder = this.#known = this.#listing = undefined
    if (folder !== undefined) {
      await rm(folder, { recursive: true, force: true, maxRetries: 4, retryDelay: 100 }).catch(() => {})
    }
  }

  // The trees of now. Where nothing changed since the last look this takes one process of git.
  async look(git: Git): Promise<Trees> {
    try {
      assertSettled(this.#repository)
      this.#make()
      return await this.#look(git)
    } catch (error) {
      await this.dispose()
      throw error
    }
  }

  async #look(git: Git): Promise<Trees> {
    const { settings } = this.#repository
    const signature = headSignature(this.#repository)
    if (signature !== this.#head.signature) {
      this.#head = { id: await headOf(git, this.#repository), signature }
    }
    const head = this.#head.id
    let isNew = await this.#isStale(git)
    isNew && await this.#rebuild(git)
    let status = await this.#status(git)
    if (this.#hasOtherAttributes(status) && !isNew) {
      isNew = true
      await this.#rebuild(git)
      status = await this.#status(git)
    }
    const untracked = await this.#lookAtUntracked(git, status.untracked)
    const key = [head, ...status.gone, untracked].join('\0')
    // A status also writes the raw index where a file is as young as the index: then nothing changed.
    const isTouched = signatureOf(join(this.#raw.directory, 'index')) !== this.#rawKey
    const ignoresTimes = /^core\.(trustctime=(?!true$)|checkstat=minimal$)/im.test(settings.join('\n'))
    const looksAtModes = !isNew && (isTouched || this.#isYoung || ignoresTimes)
    this.#isYoung &&= !looksAtModes
    const hasOtherModes = looksAtModes && await this.#lookAtModes(this.#live)
    if (isNew || hasOtherModes || status.changed.length > 0 || key !== this.#known?.key) {
      await this.#update(git, status.changed)
      this.#known = { key, trees: await this.#trees(git, head, status.gone, isNew) }
    }
    this.#rawKey = signatureOf(join(this.#raw.directory, 'index'))
    return this.#known.trees
  }

  // --- The two git directories ---

  #make(): void {
    if (this.#folder !== undefined && existsSync(this.#folder)) {
      return
    }
    this.#known = this.#listing = undefined
    this.#folder = mkdtempSync(join(tmpdir(), 'xylem-'))
    const { common, format, top, objects, settings } = this.#repository
    const place = (name: string) => ({ directory: join(this.#folder!, name), top, objects, settings })
    this.#raw = place('raw')
    this.#clean = place('clean')
    for (const { directory } of [this.#raw, this.#clean]) {
      mkdirSync(join(directory, 'refs'), { recursive: true })
      writeFileSync(join(directory, 'config'),
        `[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = ${format}\n`)
    }
    mkdirSync(join(this.#raw.directory, 'info'))
    writeFileSync(join(this.#raw.directory, 'info/attributes'), NO_CONVERSION)
    symlinkSync(join(common, 'info/exclude'), join(this.#raw.directory, 'info/exclude'))
    symlinkSync(join(common, 'info'), join(this.#clean.directory, 'info'))
  }

  // --- The person's index ---

  // The person's index has other entries than at the last look, or files have other rules. A new time alone is none.
  async #isStale(git: Git): Promise<boolean> {
    const { directory, top, rules } = this.#repository
    const rulesKey = rules.map(signatureOf).join('\n')
    const indexKey = signatureOf(join(directory, 'index'))
    const isRead = [...this.#failed].some(([name, then]) => fingerprintOf(statOf(top, name)) !== then)
    if (this.#listing && indexKey !== '' && indexKey === this.#indexKey && rulesKey === this.#rulesKey && !isRead) {
      return false
    }
    const copy = join(this.#folder!, 'index')
    copyIndex(join(directory, 'index'), copy)
    const listing = await git.run(['ls-files', '-s', '-v', '-z'], { index: copy })
    const isStale = isRead || rulesKey !== this.#rulesKey || !this.#listing?.equals(listing)
    this.#listing = listing
    this.#indexKey = indexKey
    this.#rulesKey = rulesKey
    return isStale
  }

  #hasOtherAttributes({ changed, gone, untracked }: Status): boolean {
    const isRule = (name: string) => /(^|\/)\.gitattributes$/.test(name)
    const key = [...gone.filter(isRule), '', ...untracked.filter(isRule)
      .map((name) => fingerprintOf(statOf(this.#repository.top, name)))].join('\n')
    const isOther = key !== this.#attributesKey || changed.some(isRule)
    this.#attributesKey = key
    return isOther
  }

  // Both indexes begin as copies of the person's. The raw one forgets what git knows of a file whose size is not that of
  // its blob: git converted the file.
  async #rebuild(git: Git): Promise<void> {
    const { top } = this.#repository
    const entries = entriesOf(this.#listing!, top)
    const live = entries.filter(({ tag, mode }) => tag === 'H' && mode !== MARK)
    const names = live.map(({ name }) => name)
    const { directory } = this.#repository
    const bases = readdirSync(directory).filter((name) => name.startsWith('sharedindex.')) // of a split index
    for (const place of [this.#raw.directory, this.#clean.directory]) {
      copyIndex(join(directory, 'index'), join(place, 'index'))
      bases.forEach((name) => {
        rmSync(join(place, name), { force: true })
        symlinkSync(join(directory, name), join(place, name))
      })
      writeFileSync(join(place, 'HEAD'), `${this.#head.id}\n`)
    }
    this.#isPlain = false
    const now = Date.now()
    const stats = await statsOf(top, names)
    const [reasons, sizes, index] = await Promise.all([this.#reasons(git, stats),
      git.line(['cat-file', '--batch-check=%(objectsize)'], { input: live.map(({ id }) => `${id}\n`).join('') }),
      git.line(['write-tree', '--missing-ok'], { place: this.#clean })])
    this.#index = index
    const size = sizes.split('\n')
    this.#failed.clear()
    this.#untracked.key = ''
    this.#tracked = reasons.left
    this.#live = names.filter((name) => !reasons.left.has(name))
    this.#modes = modesOf(stats, this.#live)
    this.#isYoung = hasYoung(stats, now)
    const again = live.filter(({ name }, i) => isKept(stats.get(name)) && !reasons.left.has(name) &&
      (reasons.changed.has(name) || String(stats.get(name)!.size) !== size[i]))
    await this.#info(git, this.#raw, again.map(({ mode, id, name }) => `${mode} ${id} 0\t${name}`))
    await this.#mark(git, entries.filter(({ tag, mode, name }) =>
      mode !== MARK && (tag !== 'H' || reasons.left.has(name))))
  }

  async #info(git: Git, place: Place, lines: string[], index?: string): Promise<void> {
    if (lines.length > 0) {
      await git.run(['update-index', '-z', '--index-info'], { place, index, input: linesOf(lines) })
    }
  }

  async #mark(git: Git, entries: { name: string; id: string }[]): Promise<void> {
    if (entries.length > 0) {
      await this.#info(git, this.#raw, entries.map(({ name, id }) => `${MARK} ${id} 0\t${name}`))
      await git.run(['update-index', '-z', '--assume-unchanged', '--stdin'],
        { place: this.#raw, input: linesOf(entries.map(({ name }) => name)) })
    }
  }

  // Which files are left alone because of their attributes, which git converts in ways that may keep a size, and
  // whether git converts none of them.
  async #reasons(git: Git, stats: Map<string, Stats | undefined>) {
    const left = new Map<string, string>()
    const changed = new Set<string>()
    let isPlain = !this.#repository.settings.some((line) => /^core\.autocrlf=(?!false$)/.test(line))
    const parts = stats.size === 0 ? []
      : partsOf(await git.run(['check-attr', '-z', '--all', '--stdin'], { input: linesOf([...stats.keys()]) }))
    for (let i = 0; i < parts.length; i += 3) {
      const [name, word, value] = parts.slice(i, i + 3)
      if (value === 'unset' || !CONVERSIONS.has(word)) {
        continue
      }
      isPlain = false
      if (word === 'filter' || word === 'working-tree-encoding') {
        changed.add(name)
      }
      if (word === 'filter' && value !== 'set' && !this.#strippers.has(value)) {
        left.set(name, `filter ${value}`)
      } else if (!left.has(name) && (stats.get(name)?.size ?? 0) > BYTES_MAX) {
        left.set(name, `converted, and more than ${BYTES_MAX >> 20} MiB`)
      }
    }
    return { left, changed, isPlain }
  }

  // --- Files ---

  async #status(git: Git): Promise<Status> {
    const found: Status = { changed: [], gone: [], untracked: [] }
    for (const line of partsOf(await git.run(['status', '--porcelain=v2', '-z', '--untracked-files=all', '--no-renames',
      '--ignore-submodules=dirty'], { place: this.#raw }))) {
      const [, letter, name] = /^1 .(.)(?: \S+){6} ([^]*)$/.exec(line) ?? []
      if (letter !== undefined && letter !== '.') {
        (letter === 'D' ? found.gone : found.changed).push(name)
      } else if (line.startsWith('? ') && !line.endsWith('/')) { // a repository in the working tree has a slash
        found.untracked.push(line.slice(2))
      }
    }
    return found
  }

  // True if the permissions of a file are others than before.
  async #lookAtModes(names: string[]): Promise<boolean> {
    let isOther = false
    const now = Date.now()
    const stats = await statsOf(this.#repository.top, names)
    this.#isYoung ||= hasYoung(stats, now)
    for (const [name, mode] of modesOf(stats, names)) {
      isOther ||= this.#modes.get(name) !== mode
      this.#modes.set(name, mode)
    }
    return isOther
  }

  // Brings both indexes up to date.
  async #update(git: Git, changed: string[]): Promise<void> {
    if (changed.length === 0) {
      return
    }
    const { top } = this.#repository
    const stats = await statsOf(top, changed)
    const { left, isPlain } = await this.#reasons(git, stats)
    if (this.#isPlain) {
      copyIndex(join(this.#raw.directory, 'index'), join(this.#clean.directory, 'index'))
    }
    const isFile = (name: string) => isKept(stats.get(name)) || stats.get(name)?.isDirectory() // of a submodule
    const wanted = changed.filter((name) => !left.has(name) && isFile(name))
    this.bytes += bytesOf(stats)
    const bad = new Set([...changed.filter((name) => !left.has(name) && !isFile(name)),
      ...await add(git, this.#raw, wanted)])
    for (const name of bad) {
      left.set(name, 'git cannot read the file')
      this.#failed.set(name, fingerprintOf(stats.get(name)))
    }
    left.forEach((why, name) => this.#tracked.set(name, why))
    const ids = new Map(entriesOf(this.#listing!, top).map(({ name, id }) => [name, id]))
    await this.#mark(git, [...left.keys()].map((name) => ({ name, id: ids.get(name)! })))
    this.#isPlain &&= isPlain && left.size === 0
    this.#isPlain || await add(git, this.#clean, wanted.filter((name) => !left.has(name)))
    this.#live = this.#live.filter((name) => !left.has(name))
    left.forEach((_why, name) => this.#modes.delete(name))
    await this.#lookAtModes(wanted.filter((name) => !left.has(name)))
  }

  // What changes when an untracked file does. The files are hashed, if they are not as at the last look.
  async #lookAtUntracked(git: Git, names: string[]): Promise<string> {
    const { top } = this.#repository
    const now = Date.now()
    const stats = await statsOf(top, names.slice(0, FILES_MAX + 1))
    const key = [...stats].map(([name, stat]) => `${name} ${fingerprintOf(stat)}`).join('\0') + '\0'
    if (key === this.#untracked.key) {
      return this.#untracked.state
    }
    const left = new Map<string, string>()
    for (const [name] of [...stats].filter(([, stat]) => stat && stat.size > FILE_MAX)) {
      left.set(name, `untracked, and more than ${FILE_MAX >> 20} MiB`)
      stats.delete(name)
    }
    const fits = names.length <= FILES_MAX && bytesOf(stats) <= BYTES_MAX
    const reasons = fits ? await this.#reasons(git, stats) : undefined
    reasons?.left.forEach((why, name) => left.set(name, why))
    const wanted = fits ? names.filter((name) => !left.has(name)) : []
    const index = (place: Place) => join(place.directory, 'untracked')
    ;[this.#raw, this.#clean].forEach((place) => rmSync(index(place), { force: true }))
    this.bytes += bytesOf(stats)
    const bad = await add(git, this.#raw, wanted, index(this.#raw))
    bad.forEach((name) => left.set(name, 'git cannot read the file'))
    const isPlain = reasons?.isPlain && left.size === 0
    isPlain || await add(git, this.#clean, wanted.filter((name) => !left.has(name)), index(this.#clean))
    const marks = [...left.keys()].map((name) => `${MARK} ${this.#head.id} 0\t${name}`)
    await this.#info(git, this.#raw, marks, index(this.#raw))
    const [raw, clean = raw] = !fits ? [] : await Promise.all((isPlain ? [this.#raw] : [this.#raw, this.#clean])
      .map((place) => git.line(['write-tree', '--missing-ok'], { place, index: index(place) })))
    const modes = modesOf(stats, wanted.filter((name) => !left.has(name)))
    const state = [raw, clean, ...modes.values()].join(' ')
    this.#untracked = { key: hasYoung(stats, now) ? '' : key, left, names, modes, raw, clean, state }
    return state
  }

  // --- Trees ---

  // `isNew`: git compares the raw index with a HEAD that has the same files, so that a status is short.
  async #trees(git: Git, head: string, gone: string[], isNew: boolean): Promise<Trees> {
    const { raw: rawUntracked, clean: untracked } = this.#untracked
    const [tracked, clean] = await Promise.all([this.#writeTree(git, this.#raw, gone),
      this.#isPlain ? undefined : this.#writeTree(git, this.#clean, gone)])
    this.#isPlain ||= gone.length === 0 && tracked === clean
    const modes = blob(this.#manifest(new Set(gone)), tracked)
    const raw = tree([{ mode: '100644', name: 'modes', id: modes.id }, { mode: '40000', name: 'tracked', id: tracked },
      ...rawUntracked === undefined ? [] : [{ mode: '40000', name: 'untracked', id: rawUntracked }]], tracked)
    const same = commitOf(tracked, [], 'xylem scratch', 0)
    await bring(git, isNew ? [modes, raw, same] : [modes, raw])
    isNew && writeFileSync(join(this.#raw.directory, 'HEAD'), `${same.id}\n`)
    return { head, index: this.#index, tree: clean ?? tracked, untracked, raw: raw.id }
  }

  // The index keeps a file that is gone: when the file comes back, it is no untracked file.
  async #writeTree(git: Git, place: Place, gone: string[]): Promise<string> {
    const index = gone.length === 0 ? undefined : join(place.directory, 'without')
    if (index !== undefined) {
      const zeros = '0'.repeat(this.#index.length)
      copyFileSync(join(place.directory, 'index'), index)
      await this.#info(git, place, gone.map((name) => `0 ${zeros}\t${name}`), index)
    }
    return git.line(['write-tree', '--missing-ok'], { place, index })
  }

  // The permissions of files, whatever git makes of their modes.
  #manifest(gone: Set<string>): string {
    const all = [...[...this.#modes].filter(([name]) => !gone.has(name)), ...this.#untracked.modes]
    return all.filter(([, mode]) => mode !== USUAL).map(([name, mode]) => `${mode.toString(8)} ${name}\0`).join('')
  }
}

// git takes a file for changed whose time is not before the time of the index, and looks into the file. So the copy
// must not be younger than the index. Without an index nothing is staged or tracked.
function copyIndex(from: string, to: string): void {
  rmSync(to, { force: true })
  if (existsSync(from)) {
    const seconds = Math.floor(statSync(from).mtimeMs / 1000)
    copyFileSync(from, to)
    utimesSync(to, seconds, seconds)
  }
}

const modesOf = (stats: Map<string, Stats | undefined>, names: string[]) =>
  new Map(names.filter((name) => stats.get(name)?.isFile()).map((name) => [name, stats.get(name)!.mode & 0o7777]))

async function statsOf(top: string, names: string[]): Promise<Map<string, Stats | undefined>> {
  const found = new Map<string, Stats | undefined>()
  for (const [i, name] of names.entries()) {
    i % SLICE === SLICE - 1 && await setImmediate()
    found.set(name, statOf(top, name))
  }
  return found
}

// The tag H: git looks at the file.
function entriesOf(listing: Buffer, top: string) {
  return partsOf(listing).map((line) => {
    const [, tag, mode, id, stage, name] = /^(.) (\d+) (\w+) (\d)\t([^]*)$/.exec(line)!
    if (stage !== '0') {
      skip(top, 'a merge has conflicts')
    }
    return { tag, mode, id, name }
  })
}

// Adds files to an index. Gives the names of those that git cannot add.
async function add(git: Git, place: Place, names: string[], index?: string): Promise<string[]> {
  if (names.length === 0) {
    return []
  }
  try {
    await git.run(['update-index', '-z', '--add', '--remove', '--stdin'], { place, index, input: linesOf(names) })
    return []
  } catch (error) {
    const isOfFile = error instanceof GitError && error.failure === 'failed' &&
      !/insufficient permission|unable to (create|write)|No space|\.lock/i.test(error.stderr)
    if (!isOfFile || names.length === 1) {
      return isOfFile ? names : Promise.reject(error)
    }
    const half = names.length >> 1
    const bad = [...await add(git, place, names.slice(0, half), index),
      ...await add(git, place, names.slice(half), index)]
    return bad.length > BAD_MAX ? Promise.reject(error) : bad
  }
}
