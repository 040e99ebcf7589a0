// The running MCP servers of this process. They outlive a session: pi makes an extension anew for each session, and
// /new must not start every server again. A reload and the end of pi stop them.
import { join } from 'node:path'
import { oneLine } from '../excerpt.ts'
import { readServers } from './config.ts'
import { loadSdk, type Sdk } from './sdk.ts'
import { McpServer } from './server.ts'
import { inProcess } from '../process.ts'
import { agentDirectory } from '../settings.ts'

export interface Listener {
  changed(): void
  say(line: string): void
}

export type Servers = ReturnType<typeof startAll>

const TURN_MS = 2000 // after the start of the servers: the answer to a person waits no longer

// By directory: a local server runs in the directory of the session.
const running = inProcess('mcp', () => new Map<string, Servers>())

// The servers for a directory. Those of another directory, without a session, end.
export function serversFor(cwd: string, listener: Listener): Servers {
  const servers = running.get(cwd) ?? startAll(cwd)
  running.set(cwd, servers)
  servers.listeners.add(listener)
  void stopUnused()
  return servers
}

async function stopUnused(): Promise<void> {
  const unused = [...running].filter(([, { listeners }]) => listeners.size === 0)
  unused.forEach(([cwd]) => running.delete(cwd))
  await Promise.all(unused.flatMap(([, { list }]) => list.map((server) => server.stop())))
}

function startAll(cwd: string) {
  const { servers: configs, problems } = readServers(join(agentDirectory(), 'settings.json'))
  const lines = problems.map(printable)
  const listeners = new Set<Listener>()
  let sdk: Sdk | undefined
  let missing: string | undefined
  try {
    sdk = configs.some(({ isOn }) => isOn) ? loadSdk() : undefined
  } catch (error) {
    missing = (error as Error).message
    lines.push(printable(`mcp: ${missing}`))
  }
  const list = configs.map((config) => new McpServer(config, sdk, cwd))
  list.forEach((server) => {
    server.problem = server.state === 'failed' ? missing : undefined
    server.onChange = (said) => listeners.forEach((listener) => {
      listener.changed()
      if (said !== undefined) {
        listener.say(server.line(said))
      }
    })
  })
  const unknown = list.filter(({ state, tools }) => state === 'starting' && tools.length === 0)
  const starts = new Map(list.map((server) => [server, start(server)]))
  const known = Promise.all(unknown.map((server) => starts.get(server)))
  const soon = Promise.race([known, new Promise((resolve) => setTimeout(resolve, TURN_MS).unref())])

  async function start(server: McpServer): Promise<void> {
    await server.start()
    if (server.problem !== undefined && server.problem !== missing) { // which has a line already
      lines.push(server.line(server.problem))
    }
    listeners.forEach((listener) => listener.changed())
  }

  return {
    list, // in the order of the settings
    listeners,
    known, // each server whose tools are not known from its last start has answered
    soon, // the same, or the time that a turn of a person waits
    answered: (server: McpServer) => starts.get(server)!,
    lines, // for the person, each once
    starting: () => unknown.filter(({ state }) => state === 'starting'),
    overview: () => list.length === 0 ? 'No MCP servers' : list.map((server) => server.overview).join('\n'),
    async leave(listener: Listener, isLast: boolean) {
      listeners.delete(listener)
      if (isLast) {
        await stopUnused()
      }
    },
  }
}

const printable = (line: string) => oneLine(line, 400)
