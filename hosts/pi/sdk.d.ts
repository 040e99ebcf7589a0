import type { SessionManager as Manager } from '@earendil-works/pi-coding-agent'

export interface OpenOptions {
  /** The class of the pi that the host runs. */
  SessionManager: Pick<typeof Manager, 'inMemory'>
  /** Absent: a new session, with an id of its own. An unknown id: a new session with this id. */
  id?: string
  /** Absent: the directory of the session, or of the process. */
  cwd?: string
  /** The directory of the store. Absent: the store of the command, $XYLEM_STORE or ~/.local/share/xylem. */
  store?: string
}

/** A session that this process owns. The store has its one durable copy. */
export interface KeptSession {
  readonly id: string
  /** For createAgentSession(), with the entries and the leaf of the store. */
  readonly sessionManager: Manager
  /**
   * Ends when all that the manager has at the call is durable, and rejects otherwise. After a failure the next call
   * hands over what is missing; XYLEM_E_BUSY means that another process wrote for long.
   */
  saved(): Promise<void>
  /** A new session that shares its history with this one, up to an entry; without an id up to the leaf. */
  fork(entryId?: string): Promise<KeptSession>
  /** saved(), and the end of the lease, also after a failure of saved(): then the promise rejects. */
  close(): Promise<void>
}

/**
 * Opens a session, and owns it until close() or the end of the process. Rejects with a XylemError:
 * XYLEM_E_CONFLICT names the process that owns the session, XYLEM_E_DELETED says that the session was deleted. pi
 * refuses the id of a new session with an error of its own.
 */
export function openSession(options: OpenOptions): Promise<KeptSession>

/** The paths of the extensions of this package, for a resource loader. */
export const extensions: string[]
