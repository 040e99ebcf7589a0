// Commands that extensions offer to sequences, as functions.
import { realpathSync } from 'node:fs'
import type { ExtensionCommandContext } from '@earendil-works/pi-coding-agent'

// An extension emits its offer at session_start, on the channel `xylem:command` of pi.events.
export interface Offer {
  name: string
  path?: string // of the extension's file: where two extensions have one name, the path tells which one offers
  arguments?: string[] // what the command takes; absent: anything
  toggles?: boolean // without arguments the command toggles
  // Ends when the command has taken effect. An error says why the command refuses. The signal aborts when a person gives
  // up the wait for the command.
  run(args: string, ctx: ExtensionCommandContext, signal?: AbortSignal): unknown
}

const TYPED = /^[^\s/\u0000-\u001f\u007f]+$/u // a name that a person can type behind the slash
const NAME_BYTES_MAX = 256

// An offer comes from somebody else's code.
export function isOffer(offer: unknown): offer is Offer {
  if (typeof offer !== 'object' || offer === null) { // a function has members of these names, which throw
    return false
  }
  const { name, path, arguments: words, toggles, run } = offer as Partial<Offer>
  const isWords = (value: unknown) => Array.isArray(value) && value.length > 0 &&
    value.every((word) => typeof word === 'string')
  return typeof name === 'string' && isTyped(name) && typeof run === 'function' &&
    (path === undefined || typeof path === 'string') && (words === undefined || isWords(words)) &&
    (toggles === undefined || typeof toggles === 'boolean')
}

export const isTyped = (name: string) => TYPED.test(name) && Buffer.byteLength(name) <= NAME_BYTES_MAX

// A link and its target are one file.
export function pathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
