// The other machine on which read, write, edit and bash act, for every extension of the process.
//
// The extension `ssh` sets the machine when a session starts with --ssh. pi may start another extension before, so each
// extension asks at each call of a tool.

import { inProcess } from '../process.ts'

// A file there, as a script saw it. Each call is a round trip, but for `name` and `justRead`.
export interface Seen {
  key: string // `ssh:HOST:` and the absolute real path there
  state: string // of the file; equal states are equal files, as far as the machine can tell
  there?: { hash: string; bytes: number } // absent, without a problem: there is no file
  problem?: string // why nothing there reads, or hashes, the file
}

export interface Remote {
  readonly host: string // user@host as given to --ssh, without the path
  name(input: string, cwd: string): Promise<string> // as a key, by the text alone: links are not followed
  look(input: string, cwd: string): Promise<Seen>
  justRead(input: string): Promise<Seen | undefined> // as the tool `read` saw the file; the answer is given once
  text(key: string): Promise<string>
}

const place = inProcess('remote', (): { remote?: Remote } => ({}))

// undefined: the tools act on this machine.
export function remote(): Remote | undefined {
  return place.remote
}

export function setRemote(remote: Remote | undefined): void {
  place.remote = remote
}
