/**
 * xylem for Node and Bun: the calls of xylem.h, one transaction each. A failed call throws a XylemError; a promise
 * rejects with one. Strings are lossless: half a pair of surrogates comes back as it went in.
 */

/** `code` is the number of the library's error, `name` its name (`XYLEM_E_CONFLICT`), `message` one line for people. */
export interface XylemError extends Error {
  code: number
}

export interface OpenOptions {
  /** Make a missing directory (not its parents) and a missing store. */
  create?: boolean
  readOnly?: boolean
  /** The longest wait for another process that writes; then XYLEM_E_BUSY. 0 or absent: without limit. */
  waitMs?: number
}

export type EventReason = 'startup' | 'reload' | 'new' | 'resume' | 'fork'

/** The event of a rehydration: xylem_rehydrate() has the rules. */
export interface XylemEvent {
  type: 'session_start' | 'session_tree' | 'toggled'
  reason?: EventReason
  /** The host was started with --readonly. */
  flagReadonly?: boolean
  /** The flag only counts for a path without a toggle. */
  flagIsFallback?: boolean
  /** Readonly before the event, if known. */
  previousReadonly?: boolean
}

/** Lines of a session that the host holds: xylem_import_lines(). */
export interface HeldLines {
  /** The first line of the session file. */
  header: string
  /** An entry each. */
  lines: string[]
  /** The number of lines[0] in the session file; 2 is the first line behind the header. */
  firstLine?: number
  /** The host's leaf. null: none; absent: the entry of the last line. */
  leafId?: string | null
  /** Why the leaf moved, if it must be moved. */
  leafReason?: string
  /** Where the lines come from, for lines that are put into quarantine. */
  sourceName?: string
}

/** A problem with a line, such as `{type: 'orphan', line: 7}`; XYLEM_IMPORT_PROBLEM_LIST has the types. */
export interface ImportProblem {
  type: string
  /** 1 is the header; 0: no line. */
  line: number
  offset: number
  /** The id of the entry, if it can be read. */
  entry: string | null
  quarantined: boolean
  /** The type in words. */
  text: string
}

/** The report of xylem_import_lines() and xylem_import(): the members of `xylem import --json` for a file. */
export interface ImportReport {
  session: string | null
  /** 'new', 'grew', 'changed', 'unchanged' or 'skipped'. */
  outcome: string
  added: number
  shared: number
  matched: number
  quarantined: number
  problems: ImportProblem[]
  [member: string]: unknown
}

/** A live or a deleted session. */
export interface SessionInfo {
  number: number
  deleted: boolean
  entryCount: number
  leafId: string | null
}

/** An entry that the host holds. `data` is JSON; absent: none. */
export interface HeldEntry {
  id: string
  /** Such as `custom:readonly`. */
  kind: string
  data?: string
}

export interface ToolCall {
  name: string
  /** A JSON object. */
  input: string
  cwd?: string
  /** Annotations of the tool. */
  readOnly?: boolean
  destructive?: boolean
}

export interface GateOptions {
  writeTools?: string[]
  shellTools?: string[]
  blockOthers?: boolean
}

export interface GateAnswer {
  block: boolean
  /** For the model; empty if nothing is blocked. */
  reason: string
  /** The rule that decided on a shell command; null: none was judged. */
  rule: string | null
}

export type Decision = 'allow' | 'ask' | 'deny'

export interface Verdict {
  decision: Decision
  rule: string
  reason: string
  /** Of the deciding part: command.slice(offset, offset + length). */
  offset: number
  /** 0: no part in particular. */
  length: number
  /** The commands in the text, inner commands before outer commands. */
  judged: Judged[]
  /** `judged` lacks a refusal: of a part outside of the commands, or of a command by a second rule. */
  unlisted: boolean
}

/** The verdict on one command of the text. */
export interface Judged {
  decision: Decision
  rule: string
  /** The name of the program; empty if not literal. */
  program: string
}

/** The state at a leaf. It outlives its store. */
export class State {
  private constructor()
  readonly readonly: boolean
  /** The message of a due nudge. */
  readonly nudge: string | null
  /** The text of a status line; empty while readonly is off. */
  readonly badge: string
  /** The addition to the prompt of a child; empty while readonly is off. */
  readonly childNotice: string
  /** The state as one JSON document: docs/rehydration.md. */
  readonly json: string
  ask(call: ToolCall, options?: GateOptions): GateAnswer
  /** The names that a child may have. */
  childTools(names: string[], options?: GateOptions): string[]
}

/**
 * A store that this process has open. All handles of a process to one store share it, with the options of the first
 * open and with its leases. close() each of them; close() again does nothing, and every other call is an error then.
 */
export class Store {
  private constructor()
  /** A line about other users with access to the store, or null. */
  readonly warning: string | null
  /** Another process waits for the end of all handles: close, and open again. */
  readonly wanted: boolean
  close(): void
  session(id: string): SessionInfo | null
  hasEntry(sessionId: string, entryId: string): boolean
  /** Sessions whose last owner ended without a release: a host that was killed. */
  orphanedSessions(): { id: string; cwd: string | null }[]
  /** The entries of a session as lines of a session file, in the order of the store, at most `max`. */
  entries(sessionId: string, max?: number): string[]
  /** The session file that an export writes: its lines, the header first. */
  linesAsync(sessionId: string): Promise<string[]>
  /**
   * A new session that shares its history with the session, up to an entry; without `entryId` up to the leaf. The
   * answer is the id of the fork; without `forkId` a new UUIDv7.
   */
  fork(sessionId: string, entryId?: string, forkId?: string): string
  forkAsync(sessionId: string, entryId?: string, forkId?: string): Promise<string>
  importAsync(path: string): Promise<ImportReport>
  mirror(lines: HeldLines): ImportReport
  mirrorAsync(lines: HeldLines): Promise<ImportReport>
  /**
   * Notes that the host keeps the session in this file, so that `xylem sessions` can tell that the file was deleted.
   * True if the note was written; false if the store knew the file. The file must exist: XYLEM_E_IO.
   */
  noteFile(sessionId: string, path: string): boolean
  noteFileAsync(sessionId: string, path: string): Promise<boolean>
  rehydrate(sessionId: string, event?: XylemEvent): State
  deleteSession(id: string): void
  deleteSessionAsync(id: string): Promise<void>
  undeleteSession(id: string): void
  undeleteSessionAsync(id: string): Promise<void>
  /** Makes this process the one owner of the session. XYLEM_E_CONFLICT names another owner. */
  leaseTake(id: string): void
  leaseTakeAsync(id: string): Promise<void>
  leaseRelease(id: string): void
  leaseReleaseAsync(id: string): Promise<void>
}

export function open(path: string, options?: OpenOptions): Store
export function openAsync(path: string, options?: OpenOptions): Promise<Store>
/** The rules of Store.rehydrate() over entries that the host holds, newest first. No store is needed. */
export function rehydrateFrom(entries: HeldEntry[], event?: XylemEvent): State
/** The kinds of the entries that decide on the state. */
export function stateKinds(): string[]
export function judge(policy: 'readonly' | 'strict' | 'confirm', command: string, cwd?: string): Verdict
/** A note of the process: every copy of a module sees it, also after a reload. An absent value takes it away. */
export function note(key: string, value?: string): void
export function noted(key: string): string | null
export function version(): string
