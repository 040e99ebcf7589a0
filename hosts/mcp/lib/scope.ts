// The sessions of the answers: of a directory, or of the whole store, or single sessions there. An id outside gets the
// answer of an unknown id.
import { readFileSync } from 'node:fs'
import { type Command, type Json, Refusal } from './command.ts'

export class Scope {
  #ids = new Set<string>()

  // `directory`: undefined for the whole store. `only`: empty for all sessions there.
  constructor(readonly command: Command, readonly directory: string | undefined, readonly only: string[]) {}

  get isWhole(): boolean { return this.directory === undefined && this.only.length === 0 }

  get filter(): string[] { return this.directory === undefined ? [] : [`--dir=${this.directory}`] }

  get words(): Json {
    return { ...(this.directory === undefined ? { all: true } : { directory: this.directory }),
      ...(this.only.length > 0 ? { sessions: this.only } : {}) }
  }

  // The live sessions in scope. No call takes the id of a session in a host's namespace.
  async list(options: string[], signal: AbortSignal, isOpen?: boolean) {
    const [document, answer] = await this.command.document('sessions', [...this.filter, ...options], [], signal, isOpen)
    const isIn = ({ namespace, session }: Json) => namespace === undefined && (this.only.length === 0 || this.only.includes(session))
    return [this.isWhole ? document : { ...document, sessions: document.sessions.filter(isIn) }, answer] as const
  }

  // Reads the list again for an unknown id: a session never leaves its directory.
  async know(ids: string[], signal: AbortSignal): Promise<Set<string>> {
    if (ids.some((id) => !this.#ids.has(id))) {
      const [document] = await this.list([], signal, true) // only ids are taken
      this.#ids = new Set(document.sessions.filter(({ namespace }: Json) => namespace === undefined).map(({ session }: Json) => session))
    }
    return this.#ids
  }

  async need(id: string, signal: AbortSignal): Promise<string> {
    if (!(await this.know([id], signal)).has(id)) {
      throw new Refusal(`There is no session '${id}' here. sessions_list and sessions_search give whole ids.`)
    }
    return id
  }

  // The session of SESSION:ENTRY or SESSION. As in the command, the longest session counts.
  async split(handle: string, signal: AbortSignal): Promise<string> {
    const ids = [...handle.matchAll(/:|$/g)].map(({ index }) => handle.slice(0, index)).reverse()
    const find = (known: Set<string>) => ids.find((id) => known.has(id))
    return find(this.#ids) ?? find(await this.know(ids, signal)) ?? this.need(ids.at(-1)!, signal)
  }

  // Of other sessions a document keeps only those in scope.
  async cut(document: Json, signal: AbortSignal): Promise<Json> {
    if (this.isWhole) {
      return document
    }
    const { sessions = [], hits = [] } = document
    const known = await this.know([...sessions, ...hits].flatMap(({ source, session }) => [source ?? session, session]), signal)
    for (const one of sessions as Json[]) {
      one.source = known.has(one.source) ? one.source : null
      one.parent_session = one.source !== null && one.parent_session?.includes(one.source) ? one.parent_session : null
    }
    for (const hit of hits as Json[]) {
      hit.sessions = hit.sessions?.filter((id: string) => known.has(id))
    }
    return document.hits ? { ...document, hits: hits.filter((hit: Json) => known.has(hit.session)) } : document
  }

  // The sessions open in the program above the server: the owner of the lease is a process above.
  async own(signal: AbortSignal): Promise<Set<string>> {
    return this.command.document('lease status', [], [], signal, true).then(([{ leases }]) => {
      const above = leases.length > 0 ? [...ancestors()] : []
      return new Set<string>(leases.filter(({ alive, pid }: Json) => alive && above.includes(pid)).map(({ session }: Json) => session))
    }).catch(() => new Set<string>()) // cannot be told: a damaged lease, or no /proc
  }
}

function* ancestors(): Generator<number> {
  for (let pid = process.ppid; pid > 1;) {
    yield pid
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8')
    pid = Number(status.slice(status.lastIndexOf(')')).split(' ')[2]) // the name in brackets may hold anything
  }
}
