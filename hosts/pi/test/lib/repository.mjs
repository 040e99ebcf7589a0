// Repositories of git for tests, and the plain model of a working tree: what every file holds.
import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// git without the configuration of the machine.
const NEUTRAL = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', PATH: process.env.PATH, LC_ALL: 'C',
  GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' }

// The output of git, in a directory.
export function git(folder, ...args) {
  const options = { cwd: folder, env: NEUTRAL, encoding: 'latin1', stdio: ['ignore', 'pipe', 'pipe'] }
  return execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], options).replace(/\n$/, '')
}

export const succeeds = (folder, ...args) => {
  try {
    git(folder, ...args)
    return true
  } catch {
    return false
  }
}

// Files by name: { 'src/a.txt': 'text' }.
export function files(folder, contents) {
  for (const [name, text] of Object.entries(contents)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

// A repository with a commit of these files.
export function repository(folder, contents = { 'a.txt': 'one\n' }) {
  mkdirSync(folder, { recursive: true })
  git(folder, 'init', '-q', '-b', 'main')
  files(folder, contents)
  git(folder, 'add', '-A')
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'first')
  return folder
}

// Has git start programs for `git status`, which add a line to a file: of core.fsmonitor, and a hook.
export function watched(folder, file) {
  for (const name of ['watch', 'hooks/post-index-change']) {
    const program = join(folder, '.git', name)
    mkdirSync(join(program, '..'), { recursive: true })
    writeFileSync(program, `#!/bin/sh\necho ${name} >>'${file}'\nexit 1\n`, { mode: 0o755 })
  }
  git(folder, 'config', 'core.fsmonitor', join(folder, '.git/watch'))
}

// What the working tree holds: mode and content of every file, by its name in bytes.
export function model(folder) {
  const found = new Map()
  const walk = (path, name) => {
    for (const entry of readdirSync(path, { encoding: 'buffer' })) {
      const part = entry.toString('latin1')
      if (part === '.git') {
        continue
      }
      const below = Buffer.concat([path, Buffer.from('/'), entry])
      const stat = lstatSync(below)
      if (stat.isDirectory()) {
        walk(below, `${name}${part}/`)
      } else {
        found.set(`${name}${part}`, stat.isSymbolicLink() ? `link ${readlinkSync(below, 'latin1')}`
          : `${stat.mode & 0o100 ? 'x' : '-'} ${readFileSync(below, 'latin1')}`)
      }
    }
  }
  walk(Buffer.from(folder), '')
  return found
}

export const ignored = (folder) =>
  git(folder, 'ls-files', '-o', '-i', '-z', '--exclude-standard').split('\0').filter(Boolean)

// All that belongs to the person: the bytes of the index, HEAD, the references, the stash, the configuration.
export function untouched(folder) {
  const directory = git(folder, 'rev-parse', '--absolute-git-dir')
  const read = (name) => existsSync(join(directory, name)) ? readFileSync(join(directory, name), 'latin1') : undefined
  const refs = git(folder, 'for-each-ref').split('\n').filter((line) => !line.includes('refs/xylem/'))
  return { index: read('index'), head: read('HEAD'), logs: read('logs/HEAD'), config: read('config'), refs,
    stash: git(folder, 'stash', 'list') }
}

export const ours = (folder) =>
  git(folder, 'for-each-ref', '--format=%(refname)', 'refs/xylem/').split('\n').filter(Boolean)
