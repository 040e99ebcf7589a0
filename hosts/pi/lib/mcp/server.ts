// One MCP server, by the official SDK: its start, its tools, the calls, and its end.
import type { Client, Transport } from '@modelcontextprotocol/client'
import { oneLine } from '../excerpt.ts'
import type { ServerConfig } from './config.ts'
import { limitedFetch } from './lines.ts'
import { recall } from './listed.ts'
import type { Sdk } from './sdk.ts'
import { localTransport } from './stdio.ts'
import { inTime } from '../race.ts'

const START_MS = 10000
const STOP_MS = 2000 // for the DELETE of a remote session: pi ends soon
const PAGES_MAX = 64
const CALL_MS = 2 ** 31 - 1 // the longest timer: a person ends a call with Escape, as with pi's own bash
const LABEL_MAX = 40
const LINE_MAX = 200 // of a line for a person
const WORDS_MAX = 64 * 1024 // of the last words of a process: a secret must be whole, so that it is found
const ERROR_MAX = 4000 // of an error for the model
const SIGNS = { off: '○', starting: '…', connected: '●', failed: '✗', ended: '✗' }

export interface Tool {
  name: string
  title?: unknown
  description?: unknown
  inputSchema?: unknown
  annotations?: { title?: unknown; readOnlyHint?: unknown; destructiveHint?: unknown }
}

export interface CallOptions {
  signal: AbortSignal | undefined
  onProgress(words: string): void
}

interface Link {
  client: Client
  transport: Transport
}

// The SDK refuses a whole list for one malformed tool, and a result for a kind of content that it does not know. A tool
// may have run by then. So the answers come as they are, and their readers look at each member.
const AS_IT_IS = { '~standard': { version: 1, vendor: 'pi-xylem', validate: (value: unknown) => ({ value }) } } as const

export class McpServer {
  readonly config: ServerConfig
  readonly label: string // the name for the screen
  state: 'off' | 'starting' | 'connected' | 'failed' | 'ended'
  problem: string | undefined // why a server is not connected, or lacks something
  tools: Tool[] // while the server starts: as listed last
  onChange: (said?: string) => void = () => {} // other tools, or another state with words for the person
  readonly #sdk: Sdk
  readonly cwd: string
  #link: Link | undefined // of the calls
  readonly #links = new Map<Link, Promise<void> | undefined>() // all, with the end that is on its way
  #renewing: Promise<Link> | undefined
  #relists = 0
  #listed = 0 // tools, with those that the settings leave out
  #stopped = false
  #lastWords = '' // on the standard error output

  constructor(config: ServerConfig, sdk: Sdk | undefined, cwd: string) {
    this.config = config
    this.label = oneLine(config.name, LABEL_MAX)
    this.#sdk = sdk!
    this.cwd = cwd
    this.state = !config.isOn ? 'off' : sdk ? 'starting' : 'failed'
    this.tools = this.state === 'starting' ? recall(config, cwd).map(([, tool]) => tool) : []
  }

  line = (words: string) => `mcp: ${this.label}: ${words}`

  get overview(): string {
    const { config, label, state, tools, problem } = this
    const allowed = tools.length === this.#listed ? '' : `${tools.length} of `
    const count = state === 'connected' ? `, ${allowed}${this.#listed} tool${this.#listed === 1 ? '' : 's'}` : ''
    const head = `${SIGNS[state]} ${label}: ${config.local ? 'local' : 'remote'}, ${state}${count}`
    const names = count === '' || tools.length === 0 ? [] : [this.shown(tools.map(({ name }) => name).join(', '))]
    return [head, ...names, ...problem === undefined ? [] : [problem]].join('\n    ')
  }

  // A text of the server for the screen: on a line, and without the secrets of the settings.
  shown(text: string, columns = LINE_MAX): string {
    return oneLine(this.#withoutSecrets(text).trim(), columns)
  }

  #withoutSecrets(text: string): string {
    const { environment = {} } = this.config.local ?? {}
    const { headers = {}, url = 'http://none' } = this.config.remote ?? {}
    const { password, searchParams } = new URL(url)
    const secrets = [...Object.values(environment), ...Object.values(headers).flatMap((value) => [value,
      ...value.split(' ')]), password, ...searchParams.values()].filter((value) => value.length > 5)
    return secrets.sort((a, b) => b.length - a.length).reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
  }

  // Never fails: `problem` says why the server is not connected.
  async start(): Promise<void> {
    if (this.state !== 'starting') {
      return
    }
    try {
      this.#use(...await answering(this.#open(), START_MS))
      this.state = 'connected'
    } catch (error) {
      this.state = 'failed'
      this.tools = []
      this.problem = this.#wordsOf(error) + this.#told()
      void this.#endOthers()
    }
  }

  #use(link: Link, tools: Tool[]): void {
    this.#link = link
    this.tools = tools
  }

  // A server of the era of 2026 may refuse `initialize`, and answers `server/discover`.
  async #open(): Promise<[Link, Tool[]]> {
    const link = await this.#connect('legacy').catch(async (error) => {
      if (!this.#isRefusal(error)) {
        throw error
      }
      await this.#endOthers()
      return this.#connect('auto')
    })
    return [link, await this.#list(link)]
  }

  #isRefusal(error: unknown): boolean {
    const { ProtocolError, SdkHttpError } = this.#sdk
    return error instanceof ProtocolError || (error instanceof SdkHttpError && error.status === 400)
  }

  async #connect(mode: 'legacy' | 'auto'): Promise<Link> {
    if (this.#stopped) {
      throw new Error('stopped')
    }
    const onWords = (piece: Buffer) => { this.#lastWords = (this.#lastWords + piece).slice(-WORDS_MAX) }
    const transport = this.config.local
      ? localTransport(this.#sdk, this.config.local, this.cwd, { tell: this.#tell, onWords })
      : this.#remoteTransport(this.config.remote!)
    const client = new this.#sdk.Client({ name: 'pi-xylem', version: '1' }, { versionNegotiation: { mode },
      listChanged: { tools: { autoRefresh: false, onChanged: () => this.#relist(link) } } })
    const link = { client, transport }
    this.#links.set(link, undefined)
    client.onclose = () => this.#closed(link)
    await client.connect(transport, { timeout: START_MS })
    return link
  }

  #tell = (words: string) => this.onChange(words)

  // Where the answer of a server ends without the result, the SDK would wait for the end of time.
  #remoteTransport({ url, headers }: NonNullable<ServerConfig['remote']>): Transport {
    const transport = new this.#sdk.StreamableHTTPClientTransport(new URL(url),
      { requestInit: { headers }, fetch: limitedFetch(this.#tell) })
    const send = transport.send.bind(transport)
    transport.send = (message, options) => send(message, { ...options, onRequestStreamEnd: () => {
      if ('id' in message && 'method' in message) {
        const error = { code: -32000, message: 'the answer of the server ended without a result' }
        transport.onmessage?.({ jsonrpc: '2.0', id: message.id, error })
      }
    } })
    return transport
  }

  // All pages: clients that read the first page alone lose tools.
  async #list({ client }: Link): Promise<Tool[]> {
    const tools = new Map<string, Tool>()
    let cursor: string | undefined
    this.problem = undefined
    for (let page = 0; client.getServerCapabilities()?.tools; page++) {
      if (page === PAGES_MAX) {
        this.problem = `the list of tools has more than ${PAGES_MAX} pages, and the rest is left out`
        break
      }
      const answer = await client.request({ method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
        AS_IT_IS, { timeout: START_MS }) as { tools?: unknown; nextCursor?: unknown }
      for (const tool of Array.isArray(answer.tools) ? answer.tools : []) {
        if (typeof tool?.name === 'string' && tool.name !== '' && !tools.has(tool.name)) {
          tools.set(tool.name, tool)
        }
      }
      if (typeof answer.nextCursor !== 'string' || answer.nextCursor === '') {
        break
      }
      cursor = answer.nextCursor
    }
    return this.#allowed([...tools.values()])
  }

  // The tools that the settings name. A name that meets no tool is told.
  #allowed(tools: Tool[]): Tool[] {
    this.#listed = tools.length
    const patterns = this.config.tools?.map((words) => [words, patternOf(words)] as const)
    const idle = patterns?.filter(([, pattern]) => !tools.some(({ name }) => pattern.test(name))).map(([words]) => words)
    if (idle && idle.length > 0) {
      this.problem ??= this.shown(`"tools" names what the server does not have: ${idle.join(', ')}. ` +
        `The server has ${tools.map(({ name }) => name).join(', ')}`)
    }
    return patterns ? tools.filter(({ name }) => patterns.some(([, pattern]) => pattern.test(name))) : tools
  }

  async #relist(link: Link): Promise<void> {
    const number = ++this.#relists
    try {
      const tools = await answering(this.#list(link), START_MS)
      if (this.#link === link && this.#relists === number) { // else a newer list is there, or on its way
        this.tools = tools
        this.onChange()
      }
    } catch (error) {
      this.problem = `the changed list of tools: ${this.#wordsOf(error)}`
    }
  }

  // Why there is no such tool, for the model.
  lacks(name: string): string {
    const { state, label, problem = 'no answer so far' } = this
    const what = state === 'ended' ? 'has ended' : `has not started: ${problem}`
    return state === 'connected' ? `the MCP server ${label} has no tool ${this.shown(name)} any more`
      : `the MCP server ${label} ${what}. /reload starts the server again`
  }

  // The result of a tool as the server gives it.
  async call(name: string, input: Record<string, unknown>, options: CallOptions): Promise<unknown> {
    const link = this.#link
    if (!link) {
      throw new Error(this.lacks(name))
    }
    try {
      return await this.#ask(link, name, input, options)
    } catch (error) {
      if (!this.#isForgotten(error, link) || options.signal?.aborted) {
        throw this.#failure(error)
      }
    }
    const renewed = await this.#renew(link)
    return this.#ask(renewed, name, input, options).catch((error) => { throw this.#failure(error) })
  }

  #ask({ client }: Link, name: string, input: Record<string, unknown>, options: CallOptions): Promise<unknown> {
    const params = { name, arguments: input }
    const how = { signal: options.signal, timeout: CALL_MS,
      onprogress: ({ progress, total, message }: { progress: number; total?: number; message?: string }) =>
        options.onProgress(message ?? `${progress}${total === undefined ? '' : `/${total}`}`) }
    // The era of 2026 has headers for arguments, which callTool() sends.
    return client.getProtocolEra() === 'modern' ? client.callTool(params, how)
      : client.request({ method: 'tools/call', params }, AS_IT_IS, how)
  }

  // 404 to a request with the id of a session: the server has forgotten the session, and has not run the tool.
  #isForgotten(error: unknown, { transport }: Link): boolean {
    return error instanceof this.#sdk.SdkHttpError && error.status === 404 && transport.sessionId !== undefined
  }

  // A new session in place of a forgotten one, once for all calls that met the same 404.
  async #renew(forgotten: Link): Promise<Link> {
    if (this.#link && this.#link !== forgotten) {
      return this.#link
    }
    this.#renewing ??= this.#reopen().finally(() => { this.#renewing = undefined })
    return this.#renewing
  }

  async #reopen(): Promise<Link> {
    try {
      this.#use(...await answering(this.#open(), START_MS))
      this.onChange()
      return this.#link!
    } catch (error) {
      throw new Error(`the server has forgotten the session, and a new one failed: ${this.#wordsOf(error)}`)
    } finally {
      void this.#endOthers()
    }
  }

  #closed(link: Link): void {
    if (this.#stopped || this.#link !== link) {
      return
    }
    this.#link = undefined
    this.state = 'ended'
    this.problem = `the server has ended${this.#told()}`
    this.onChange(`${this.problem}. /reload starts the server again`)
  }

  // The last line of a process.
  #told(): string {
    const words = oneLine(this.#withoutSecrets(this.#lastWords).trim().split('\n').at(-1)!.slice(-LINE_MAX), LINE_MAX)
    return words === '' ? '' : `: ${words}`
  }

  // Never fails.
  async stop(): Promise<void> {
    this.#stopped = true
    this.#link = undefined
    await this.#endOthers()
  }

  // Ends all links but the link of the calls. Never fails.
  async #endOthers(): Promise<void> {
    await Promise.all([...this.#links].filter(([link]) => link !== this.#link).map(([link, known]) => {
      // An error: the server has ended already, or does not answer.
      const end = known ?? this.#end(link).catch(() => {}).finally(() => this.#links.delete(link))
      this.#links.set(link, end)
      return end
    }))
  }

  // A remote server gets a DELETE.
  async #end({ client, transport }: Link): Promise<void> {
    if (this.config.local) {
      await client.close()
    } else {
      const remote = transport as InstanceType<Sdk['StreamableHTTPClientTransport']>
      await answering(remote.terminateSession(), STOP_MS).finally(() => client.close())
    }
  }

  #failure = (error: unknown) => new Error(this.#wordsOf(error, ERROR_MAX))

  // What a person can do something with: the status of HTTP, or the reason of the system.
  #wordsOf(error: unknown, columns = LINE_MAX): string {
    const { message, cause } = error as Error
    if (error instanceof this.#sdk.SdkHttpError) {
      return this.shown(`HTTP ${error.status}: ${message.replace(/^Error POSTing to endpoint: /, '')}`, columns)
    }
    return this.shown(cause instanceof Error ? `${message}: ${cause.message}` : message, columns)
  }
}

// `*` stands for any text, `?` for a character.
const patternOf = (words: string) => new RegExp(`^${words.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*')
  .replaceAll('?', '.')}$`, 's')

const answering = <T>(work: Promise<T>, limitMs: number) => inTime(limitMs, work, `no answer in ${limitMs / 1000} s`)
