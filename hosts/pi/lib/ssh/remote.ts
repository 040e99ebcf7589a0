// The other machine on which read, write, edit and bash act, for every extension of the process.
//
// The extension `ssh` sets the machine when a session starts with --ssh. pi may start another extension before, so each
// extension asks at each call of a tool.

import { inProcess } from '../process.ts'

export interface Remote {
  readonly host: string // user@host as given to --ssh, without the path
  key(input: string, cwd: string): Promise<string> // `ssh:HOST:` and the absolute real path there
  // undefined: there is no file. Rejects with the reason if the file cannot be read, or no program there hashes.
  fingerprint(key: string): Promise<{ hash: string; bytes: number } | undefined>
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
