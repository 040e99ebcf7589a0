// What the suites of checkpoints do with a pi, and look at.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { world } from '../lib/pi.mjs'
import { git, repository } from '../lib/repository.mjs'

export const RESTORE = 'Restore the files'
export const RESTORE_ONLY = 'Restore files only'
export const KEEP = 'Keep the files as they are'

// A world with checkpoints. git works beside a prompt, so a prompt ends when git has.
export async function keepers(t, { helpers = [], ...options } = {}) {
  const w = await world(t, { extensions: ['checkpoint'], helpers: ['commands', ...helpers], ...options })
  const { start } = w
  w.start = (...args) => {
    const pi = start.apply(w, args)
    const { prompt } = pi
    pi.prompt = async (...words) => {
      const answer = await prompt.apply(pi, words)
      await settle(pi)
      return answer
    }
    return pi
  }
  return w
}

// Such a world whose project is a repository with a file `a.txt`.
export async function kept(t, { contents, ...options } = {}) {
  const w = await keepers(t, options)
  const work = repository(w.sandbox.project, contents)
  return { w, work, a: () => readFileSync(join(work, 'a.txt'), 'utf8') }
}

const REAL_GIT = git('/', '--exec-path').replace(/\/lib\/.*|\/libexec\/.*/, '/bin/git')

// A git that does as `script` says, and notes its calls.
export function fakeGit(w, script) {
  const folder = join(w.sandbox.root, 'bin')
  const calls = join(w.sandbox.root, 'calls')
  mkdirSync(folder)
  writeFileSync(join(folder, 'git'), `#!/bin/sh\necho "$*" >>'${calls}'\n${script}\nexec ${REAL_GIT} "$@"\n`,
    { mode: 0o755 })
  return { environment: { PATH: `${folder}:${w.sandbox.environment.PATH}` }, calls: () => existsSync(calls) ? readFileSync(calls, 'utf8') : '' }
}

export const write = (path, content) => `~tool write ${JSON.stringify({ path, content })}`
export const entries = async (pi) => (await pi.send('get_entries')).entries
export const prompts = async (pi) => (await pi.send('get_fork_messages')).messages
export const status = (pi) => pi.status('xylem-checkpoint')
export const isCheckpoint = ({ customType }) => customType === 'git-checkpoint'

// All that began has ended.
export async function checkpoints(pi) {
  await settle(pi)
  return (await entries(pi)).filter(isCheckpoint)
}

// What follows what: the roles of messages, and `checkpoint` at the place that each checkpoint names.
export async function order(pi) {
  await settle(pi)
  const all = await entries(pi)
  const placeOf = (entry, i) => isCheckpoint(entry) ? all.findIndex(({ id }) => id === entry.data.after) + 0.5 : i
  return all.map((entry, i) => ({ place: placeOf(entry, i), word: isCheckpoint(entry) ? 'checkpoint' : entry.message?.role }))
    .sort((a, b) => a.place - b.place).map(({ word }) => word).filter((word) => word && word !== 'system')
}

// Answers the dialogs of something that goes on, in order: its outcome, and the dialogs. Others are a failure.
export async function answering(pi, begin, ...answers) {
  let from = pi.lines.length
  const before = pi.dialogs().length
  const going = begin()
  for (const answer of answers) {
    const dialog = await pi.dialog(from)
    from = pi.lines.indexOf(dialog) + 1
    pi.answer(dialog, answer)
  }
  const outcome = await going
  const dialogs = pi.dialogs().slice(before)
  assert.equal(dialogs.length, answers.length, JSON.stringify(dialogs))
  return { ...outcome, dialogs }
}

export const fork = (pi, entryId, ...answers) => answering(pi, () => pi.send('fork', { entryId }), ...answers)
export const clone = (pi, ...answers) => answering(pi, () => pi.send('clone'), ...answers)

// A command: its last notice.
export async function say(pi, command, ...answers) {
  const from = pi.lines.length
  const { dialogs } = await answering(pi, () => pi.send('prompt', { message: command }), ...answers)
  const notices = pi.lines.slice(from).filter(({ method }) => method === 'notify')
  return { text: notices.at(-1)?.message, dialogs }
}

// pi answers commands in order: what began before has shown its status and its notices.
export const settle = (pi) => say(pi, '/checkpoints nonsense')

// The notices about checkpoints that nobody asked for.
export const told = (pi) => pi.notices().map(({ message }) => message)
  .filter((text) => /^xylem: .*checkpoint/.test(text))

// A pi with three states of a.txt, one before each of its two prompts and one behind them.
export async function threeStates(t, options) {
  const { w, work, a } = await kept(t, options)
  const pi = w.start()
  await pi.prompt(write('a.txt', 'two\n'))
  await pi.prompt(write('a.txt', 'three\n'))
  const [first, second] = (await prompts(pi)).map(({ entryId }) => entryId)
  return { w, work, a, pi, first, second }
}
