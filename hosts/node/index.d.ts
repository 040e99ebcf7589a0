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
  /**
   * The longest wait for another process that writes; then XYLEM_E_BUSY. 0 or absent: without limit. openAsync() also
   * waits for a process that replaces the file of the store (`xylem compact`); open() is XYLEM_E_BUSY meanwhile.
   */
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

/** A piece of the state. A rehydration with a list of pieces reads these and 'readonly'; other pieces stay empty. */
export type Piece = 'readonly' | 'nudge' | 'sequence' | 'todo' | 'mark'

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

/** The report of xylem_import_lines() and xylem_import(): the members of `xylem import --json` for a file, in camelCase. */
export interface ImportReport {
  session: string | null
  /** 'new', 'grew', 'changed', 'unchanged' or 'skipped'. */
  outcome: string
  added: number
  shared: number
  matched: number
  quarantinedLines: number
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

/** A session of a list. */
export interface ListedSession {
  id: string
  cwd: string | null
  name: string | null
  /** The first words of the person and the last words, at most 120 bytes each. */
  first: string | null
  last: string | null
  /** Time of the leaf, or of the creation of a session without a leaf. */
  activeMs: number
  entryCount: number
  tipCount: number
  /** The session is damaged: why name, words and counts are not known; else null. */
  problem: string | null
  /** The parent session in the header. */
  parent: string | null
  createdMs: number
  deleted: boolean
  /** Who has the lease. Not alive: the owner ended without a release, and the session is free. */
  owner: { pid: number; host: string; sinceMs: number; alive: boolean } | null
  /** Session files that were imported or noted, at most 8. They may be gone. */
  files: string[]
}

export interface ListOptions {
  /** Only sessions with this directory. */
  directory?: string
  /** Also sessions with a directory below. */
  below?: boolean
  /** Also deleted sessions. */
  deleted?: boolean
  /** Begin behind the session of this id, the last of an earlier list. */
  after?: string
  /** At most this many; 0: all, and a store of thousands of sessions holds up the thread of JavaScript. */
  max?: number
}

export interface PreviewOptions {
  /** The end of the path; absent: the leaf. */
  entry?: string
  /** At most 500; 0 or absent: 20. */
  max?: number
  /** Of all lines together, at most 2 MiB; 0 or absent: 256 KiB. */
  maxBytes?: number
}

/** The end of a path. */
export interface Preview {
  /** The newest first. `line` is the line of a session file; null: the line does not fit into `maxBytes`. */
  entries: { id: string; kind: string; timeMs: number; line: string | null }[]
  /** The path has older entries. */
  more: boolean
}

/** A search: xylem_search() has the rules. All filters hold together; of a list one item is enough. */
export interface SearchOptions {
  /** An entry has all of them. None: the filters alone hold. An empty pattern is XYLEM_E_ARGUMENT. */
  patterns?: string[]
  /**
   * 'smart', or absent: literals, and without a capital letter in a pattern the case of letters is ignored; 'exact':
   * literals; 'regex': regular expressions of PCRE2.
   */
  syntax?: 'smart' | 'exact' | 'regex'
  /** The ids of live sessions, with the entries that they share. */
  sessions?: string[]
  /** Absolute paths: the directory of a session, or a directory above. */
  directories?: string[]
  /** Kinds and roles: 'label', 'custom:todo', 'user', 'toolResult'. */
  kinds?: string[]
  /** Only calls and results of these tools. */
  tools?: string[]
  /** In ms since 1970, both included. */
  sinceMs?: number
  untilMs?: number
  /** Only results of tools that failed, and answers and commands that ended in an error. */
  errors?: boolean
  /** Also lines in quarantine. */
  quarantine?: boolean
  /** Also the ledgers of runs. A ledger that `sessions` names is searched in any case. */
  runs?: boolean
  /** Verify only entries that may match: damage elsewhere stays unseen. */
  fast?: boolean
  /** The newest hits, at most 500; 0 or absent: 50. */
  max?: number
}

/** A matching entry, or a matching line in quarantine. */
export interface SearchHit {
  /** The owner of the entry; without an owner in the search, a session that shares it. */
  session: string
  /** The number of live sessions that have the entry. */
  sessionCount: number
  /** null, as `kind` and `timeMs`: a line in quarantine, whose number is `line`. */
  entry: string | null
  /** 0: an entry. */
  line: number
  kind: string | null
  /** Of a message. */
  role: string | null
  /** Of a call or a result. */
  tool: string | null
  /** The result of a tool that failed, or an answer that ended in an error. */
  failed: boolean
  timeMs: number | null
  /** Where the first match is. */
  part: 'text' | 'thinking' | 'call' | 'result' | 'failure' | 'summary' | 'label' | 'name' | 'data' | 'quarantine'
  /** Matches of the first pattern in the whole entry, at most 1,000. */
  matchCount: number
  /** The line with the first match, at most 4,096 bytes around the match. */
  text: string
  /** The match: text.slice(offset, offset + length). Without a pattern the length is 0. */
  offset: number
  length: number
  /** The line begins before `text`, or goes on behind `text`. */
  cutBefore: boolean
  cutAfter: boolean
}

export interface SearchResult {
  /** The newest entry first; lines in quarantine last. */
  hits: SearchHit[]
  /** There are matches beside the hits. */
  cut: boolean
  /** Matching entries and lines, with and without a hit. */
  matchCount: number
  /** The sessions with matches, at most `max`, the newest match first; `newestMs` null: only lines in quarantine. */
  sessions: { id: string; matchCount: number; newestMs: number | null }[]
  sessionCount: number
  /** Searched entries. */
  entryCount: number
  /** Damaged places, at most 100: entries that were not searched. A session or an entry that is not known is null. */
  problems: { session: string | null; entry: string | null; text: string }[]
  problemCount: number
  /** All patterns were literals without a capital letter. */
  ignoredCase: boolean
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
  /** Annotations of the tool; `readOnly: false` and no `readOnly` differ. */
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

/** As in a file of `xylem judge --config`. A person's own: whoever writes the rules teaches the judge. */
export interface PolicyConfig {
  allow?: readonly string[]
  ask?: readonly string[]
  deny?: readonly string[]
  /** The other keys. */
  [key: string]: unknown
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
  /**
   * What a person can grant for a session: `sudo apt (sudo)`, `rm (recursive-rm) in /home/me/x`. A command may run
   * unasked if there are grants and the person granted each of them before. Empty: a yes counts for this command alone.
   */
  grants: string[]
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

export type ReadTool = 'read' | 'edit' | 'write'

/** The content of a file: `hash` is a text such as `xxh3-128:` and 32 hex digits. */
export interface Fingerprint {
  hash: string
  bytes: number
}

export interface ReadQuestion {
  tool: 'edit' | 'write'
  /** The path in the message; absent: the key. */
  shown?: string
}

/** What the host found at a key. Without `there` and `problem` there is no file. */
export interface KeyQuestion extends ReadQuestion {
  there?: Fingerprint
  /** Why the host could not look. */
  problem?: string
}

/** May the tool change the file? Only 'pass' says yes. */
export interface ReadVerdict {
  why: 'pass' | 'unread' | 'changed' | 'deleted'
  /** For the model; empty for 'pass'. */
  message: string
  /** When the file was noted, in ms since 1970; 0: the file is not noted. */
  notedMs: number
  key: string
}

/**
 * Options of a text for people. A text has no control characters: foreign control characters become \\xNN. Widths are
 * those of East Asia and of emoji: a character that terminals show in different widths counts with the greater width.
 */
export interface TextOptions {
  /** The signs are ASCII; foreign text stays as it is. */
  ascii?: boolean
  /** A longer line ends in an ellipsis, in cells of a terminal; 0 or absent: any length. */
  cells?: number
  /** Lines of one step in a preview; 0 or absent: all. */
  stepLines?: number
  /** The session that is shown: an open run of another session is shown as such. Absent: every run is its own. */
  ownSession?: string
}

export type StepKind = 'prompt' | 'command' | 'template' | 'skill' | 'compact'

/** The meaning of a step under a catalogue: `struct xylem_step`. A text that the library does not have is ''. */
export interface Step {
  /** Counts without a problem. */
  kind: StepKind
  /** The word of the problem; '': the step can be run. */
  problem: string
  /** The problem, for people. */
  message: string
  /** Words, such as 'toggles'. */
  warnings: string[]
  raw: string
  name: string
  args: string
  canonical: string
  path: string
  hash: string
}

/** The meaning of all steps: `struct xylem_resolution`. */
export interface Resolution {
  problem: '' | 'no-steps' | 'too-many-steps' | 'too-large' | 'step'
  message: string
  /** The number of steps with a problem, and the index of the first of them. */
  problemCount: number
  firstProblem: number
  /** None for 'no-steps' and 'too-many-steps'. */
  steps: Step[]
}

/** A row of the menu. `reason` says why a row is not enabled. */
export interface MenuRow {
  word: string
  label: string
  enabled: boolean
  reason: string
}

/** The state of a run: the members of `xylem sequence status --json`, in camelCase. */
export interface RunState {
  runId: string
  sequenceId: string
  phase: 'running' | 'resetting' | 'paused' | 'interrupted' | 'done' | 'failed' | 'stopped' | 'damaged' | 'redacted'
  /** From 0, as `stepIndex`. */
  iteration: number
  iterationCount: number
  stepIndex: number
  stepCount: number
  attempt: number | null
  step: string | null
  session: string | null
  hostSession: string | null
  origin: { session: string | null; entry: string | null }
  /** The times of the start and of the newest event; null: the start is not known. */
  started: string | null
  newest: string
  outcome: string | null
  code: string | null
  message: string | null
  owner: null | { pid: number; host: string; since: string; alive: boolean }
  /** Steps of all iterations. */
  doneCount: number
  skippedCount: number
  [member: string]: unknown
}

export interface RunOptions {
  sequenceId: string
  steps: string[]
  /** Absent: the steps are executed as authored. */
  args?: string[]
  /** 1 to 1,000; absent: 1. */
  iterationCount?: number
  /** The first iteration gets a new session too. */
  fresh?: boolean
  /** The session in which the run is started, its leaf, and the directory of the host. */
  session: string
  entry?: string
  cwd?: string
}

export type RunDecision = 'continue' | 'retry' | 'skip'
export type RunFailure = 'unresolved' | 'turn-error' | 'refused' | 'compact' | 'reset' | 'host'

/** The place of an action, and the state of the run with it. */
export interface ActionPlace {
  iteration: number
  stepIndex: number
  attempt: number
  state: RunState
}

/**
 * The next action of a run. 'execute': make the text of the step, claim the step, send or call the text, and say how
 * the step ended.
 * `args` are the arguments of the run; undefined: the step is executed as authored. 'new-session': make a session, and
 * name it. 'finished': the run has ended; `step` is the step that can no longer be run, from the call that ended the
 * run.
 */
export type Action =
  | ({ type: 'execute'; step: Step; args?: string[] } & ActionPlace)
  | ({ type: 'new-session' } & ActionPlace)
  | ({ type: 'finished'; step: Step | null } & ActionPlace)

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

/** The steps of a recording, in memory. */
export class Recorder {
  constructor(steps?: string[])
  /** A step with a problem is not taken. XYLEM_E_LIMIT: one step too many, or too many bytes. */
  add(catalogue: string, text: string): Step
  /** XYLEM_E_ARGUMENT: there is no step at `at`, from 0. */
  replace(catalogue: string, at: number, text: string): Step
  remove(at: number): void
  readonly steps: string[]
  /** The steps differ from the steps at the beginning. */
  readonly changed: boolean
  status(options?: TextOptions): string
}

/**
 * The files that a session has read: xylem/reads.h has the rules. A file of this machine is given by an absolute path,
 * and looked at in another thread; a file of another machine by a key, with what the host found there.
 */
export class Reads {
  constructor()
  /** The table anew, from the entries `custom:file-reads` of a path, newest first. */
  load(entries: HeldEntry[]): void
  /** The data of an entry `custom:file-reads` with everything since the last drain, as JSON; null: nothing. */
  drain(): string | null
  /** A tool has read or written the file. XYLEM_E_NOT_FOUND, XYLEM_E_IO, XYLEM_E_BUSY: nothing was noted. */
  noteAsync(path: string, by: ReadTool): Promise<void>
  /** After a read that failed: forgets the file if there is none, so that a write may make the file. */
  forgetGoneAsync(path: string): Promise<boolean>
  checkAsync(path: string, question: ReadQuestion): Promise<ReadVerdict>
  noteKey(key: string, by: ReadTool, fingerprint: Fingerprint): void
  forgetKey(key: string): void
  checkKey(key: string, question: KeyQuestion): ReadVerdict
}

/**
 * A run that this process owns, by its id: every Run of one id is the same run, in each session, after a reload and in
 * each worker. A run stays open without its Store, until close() or the end of the process. A call on a run that is not
 * open in this process is XYLEM_E_NOT_FOUND. xylem_run_next() and its neighbours have the rules.
 */
export class Run {
  constructor(id: string)
  readonly id: string
  readonly isOpen: boolean
  /** After an error execute nothing. XYLEM_E_ARGUMENT: the end of the action before was not reported. */
  nextAsync(catalogue: string): Promise<Action>
  /** The claim of the step is durable then. `textHash`: 16 hexadecimal digits of a hash of the text that is sent. */
  claimAsync(textHash: string): Promise<void>
  done(entryId?: string): void
  doneAsync(entryId?: string): Promise<void>
  inSessionAsync(session: string): Promise<void>
  failed(code: RunFailure, message: string): void
  failedAsync(code: RunFailure, message: string): Promise<void>
  stop(message: string): void
  stopAsync(message: string): Promise<void>
  /** In a step nothing is recorded: the run is interrupted after its close. */
  pause(code: 'left' | 'shutdown', message: string): void
  /** Releases the run. A run that is not open: nothing. XYLEM_E_BUSY: the run stays open. */
  close(): void
  closeAsync(): Promise<void>
}

/**
 * A store that this process has open. All handles of a process to one store share it, with the options of the first
 * open and with its leases. close() each of them; close() again does nothing, and every other call is an error then.
 */
export class Store {
  private constructor()
  /** A line about other users with access to the store, or null. */
  readonly warning: string | null
  /** Another process waits for the end of all handles, or a file was removed or replaced: close, and open again. */
  readonly wanted: boolean
  close(): void
  session(id: string): SessionInfo | null
  hasEntry(sessionId: string, entryId: string): boolean
  /** The sessions, the last active first, without the ledgers of runs. */
  sessions(options?: ListOptions): ListedSession[]
  sessionsAsync(options?: ListOptions): Promise<ListedSession[]>
  /**
   * Keeps what a list shows of each session, so that lists read less. For the end of a session, or while a host is
   * idle: an append does not pay for lists.
   */
  refreshOutlines(): void
  refreshOutlinesAsync(): Promise<void>
  /**
   * Searches in other threads, one for each processor. After an abort the promise rejects as soon as the search has
   * ended, within a tenth of a second but for entries of many megabytes: an error with the name 'AbortError', the code
   * of XYLEM_E_STOPPED and the reason of the signal as its cause. A store that is closed meanwhile stays open until the
   * end of the search.
   */
  searchAsync(options?: SearchOptions, signal?: AbortSignal): Promise<SearchResult>
  /** Sessions whose last owner ended without a release: a host that was killed. */
  orphanedSessions(): { id: string; cwd: string | null }[]
  /** The entries of a session as lines of a session file, in the order of the store, at most `max`. */
  entries(sessionId: string, max?: number): string[]
  /** The newest entries of a live or a deleted session of any size, from its leaf or an entry back. */
  previewAsync(sessionId: string, options?: PreviewOptions): Promise<Preview>
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
  rehydrate(sessionId: string, event?: XylemEvent, pieces?: Piece[]): State
  /** ' It was last written by session ID, N min ago.', if another session of the directory wrote the file since then. */
  lastWriterAsync(sessionId: string, key: string, sinceMs: number): Promise<string | null>
  deleteSession(id: string): void
  deleteSessionAsync(id: string): Promise<void>
  undeleteSession(id: string): void
  undeleteSessionAsync(id: string): Promise<void>
  /** Makes this process the one owner of the session. XYLEM_E_CONFLICT names another owner. */
  leaseTake(id: string): void
  leaseTakeAsync(id: string): Promise<void>
  leaseRelease(id: string): void
  leaseReleaseAsync(id: string): Promise<void>
  /**
   * Makes a run that this process owns. XYLEM_E_MALFORMED: a step cannot be run; the message says which, and why.
   * XYLEM_E_CONFLICT: a run of this session goes on.
   */
  runStartAsync(catalogue: string, options: RunOptions): Promise<Run>
  /** Goes on with a run that has no living owner. XYLEM_E_CONFLICT: a living owner, another phase or session. */
  runOpenAsync(runId: string, decision: RunDecision, session: string): Promise<Run>
  /** Stops a run that has no living owner, for good. */
  runEndAsync(runId: string, message: string): Promise<void>
  /** null: there is no such run, or its ledger was deleted. */
  runState(runId: string): RunState | null
  /** The newest paused or interrupted run of a directory (and a session), of the newest 100 runs; null: none. */
  openRun(cwd: string, session?: string): string | null
  /** The status line, and the notice of a resumed session. '': there is no such run. */
  runStatus(runId: string, options?: TextOptions): string
  runNotice(runId: string, options?: TextOptions): string
  /** The data of a mark as JSON, for an entry `custom:sequence-mark`. */
  runMark(runId: string, event: 'begin' | 'end' | 'stop'): string
  /** `steps` are the snapshot, `runId` is the run of the newest mark: both may be absent. No rows: record at once. */
  sequenceMenu(menu: { catalogue: string; steps?: string[]; runId?: string; ownSession?: string }): MenuRow[]
}

export function open(path: string, options?: OpenOptions): Store
export function openAsync(path: string, options?: OpenOptions): Promise<Store>
/** The rules of Store.rehydrate() over entries that the host holds, newest first. No store is needed. */
export function rehydrateFrom(entries: HeldEntry[], event?: XylemEvent, pieces?: Piece[]): State
/** The meaning of a step. A catalogue is the JSON document of xylem_catalogue_new_json(), here and in every call. */
export function resolveStep(catalogue: string, text: string): Step
export function resolveSequence(catalogue: string, steps: string[], args?: string[]): Resolution
/** A step has a placeholder for all arguments: a host asks for arguments then. */
export function wantsArgs(steps: string[]): boolean
/** A text with arguments in the place of its placeholders: xylem_args_put(). */
export function putArgs(text: string, args: string[]): string
export function sequencePreview(steps: string[], options?: TextOptions): string
/** The data of a snapshot as JSON, for an entry `custom:sequence`; without an id a new UUIDv7. */
export function sequenceJson(steps: string[], sequenceId?: string): string
/** The kinds of the entries that decide on the state. */
export function stateKinds(): string[]
/** Throws for a configuration that the policy cannot have, and for a text in it that is no rule. */
export function judge(policy: 'readonly' | 'strict' | 'confirm', command: string, cwd?: string,
  config?: PolicyConfig): Verdict
/** The absolute path that a tool opens for a path of a model. No file system is asked. */
export function pathKey(path: string, cwd: string, home: string): string
/** The absolute path without symbolic links, also of a file that does not exist yet. */
export function pathRealAsync(path: string): Promise<string>
export function fingerprintAsync(path: string): Promise<Fingerprint>
/** A note of the process: every copy of a module sees it, also after a reload. An absent value takes it away. */
export function note(key: string, value?: string): void
export function noted(key: string): string | null
export function version(): string
