// The log of what the person was asked about, in the format of `xylem hook`: `xylem judge --learn` reads both.
import { closeSync, constants, fchmodSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import { homedir } from 'node:os'
import type { Verdict } from 'xylem-native'

const BYTES_MAX = 10 * 1024 * 1024
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants

// Opens a log for its owner alone. A link, and a file of another user, are errors.
function open(path: string): number {
  const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
  const status = fstatSync(file)
  if (!status.isFile() || status.uid !== process.geteuid?.()) {
    closeSync(file)
    throw new Error('expected a file of your own')
  }
  fchmodSync(file, 0o600)
  return file
}

// Of the person; 'none': nobody answered. A rule that denies asks nobody.
export type Answer = 'allow' | 'deny' | 'none' | undefined

// A full log becomes PATH.1. Throws if the log cannot be written.
export function log(path: string, command: string, cwd: string | undefined, verdict: Verdict, answer: Answer): void {
  const { decision, rule, reason } = verdict
  const line = JSON.stringify({ time: new Date(), policy: 'confirm', command, cwd: cwd ?? null, decision, rule, reason,
    answer })
  const place = path.replace(/^~(?=\/)/, homedir())
  let file = open(place)
  if (fstatSync(file).size + line.length > BYTES_MAX) {
    closeSync(file)
    renameSync(place, `${place}.1`)
    file = open(place)
  }
  try {
    writeSync(file, `${line}\n`)
  } finally {
    closeSync(file)
  }
}
