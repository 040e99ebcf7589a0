// MCP servers of the user's settings, as tools of pi. Without a server in the settings nothing is loaded.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'
import type { McpServer } from './server.ts'
import type { Listener, Servers } from './servers.ts'
import { RANK } from '../guard/gate.ts'
import { load } from '../load.ts'
import type { Owner } from '../owner.ts'
import { inProcess } from '../process.ts'
import { unlessAborted } from '../race.ts'
import { agentDirectory } from '../settings.ts'

// The servers of a session.
interface Served extends Listener {
  servers?: Servers
  isReady: boolean // a turn may begin
  ready?: Promise<void> // the same; never fails
  late: Set<McpServer> // a turn began without their tools, and the person was told
}

const settingsPath = () => join(agentDirectory(), 'settings.json')

// Servers that run count too, until a reload: servers outlive the session of their start.
function mayHaveServers(): boolean {
  const running = inProcess('mcp', () => new Map<string, Servers>())
  try {
    return running.size > 0 || /"mcp(Servers)?"/.test(readFileSync(settingsPath(), 'utf8'))
  } catch {
    return false // pi tells of settings that cannot be read
  }
}

export default async function mcpLoader(pi: ExtensionAPI, owner: Owner): Promise<void> {
  const { live } = owner
  let served: Served | undefined
  const offered = mayHaveServers() ? new (await load('mcp/tools')).Offered(pi, settingsPath()) : undefined

  // A line for the person: without a UI on the standard error output.
  function say(ctx: ExtensionContext, line: string): void {
    if (ctx.hasUI) {
      ctx.ui.notify(line, 'warning')
    } else {
      console.error(line)
    }
  }

  // The servers start while pi draws the first screen. The first turn waits for a server whose tools nobody knows: the
  // turn of a person a moment, and a run without a UI, which has one turn, until the server has answered. For a server
  // that listed its tools before, only a call waits.
  async function begin(mine: Served, ctx: ExtensionContext): Promise<void> {
    await live(new Promise((drawn) => setImmediate(drawn)))
    const { serversFor } = await live(load('mcp/servers'))
    mine.servers = serversFor(ctx.cwd, mine)
    await live(mine.servers.soon)
    if (!ctx.hasUI) {
      const late = mine.servers.starting().map(({ label }) => label).join(', ')
      if (late !== '') {
        say(ctx, `mcp: waiting for ${late}, at most until 10 s after the start`)
      }
      await live(mine.servers.known)
    }
    mine.isReady = true
    mine.changed()
  }

  // A server has started, or has other tools.
  function changed(mine: Served, ctx: ExtensionContext): void {
    if (served !== mine || !mine.isReady) {
      return
    }
    const { list, lines } = mine.servers!
    offered!.update(list)
    lines.splice(0).forEach((line) => say(ctx, line))
    for (const server of [...mine.late].filter(({ state }) => state !== 'starting')) {
      mine.late.delete(server)
      if (server.state === 'connected') { // else a line has said why
        ctx.ui.notify(server.line('the server has started, and its tools are there'), 'info')
      }
    }
  }

  owner.on('session_start', (_event, ctx) => {
    if (served || !offered) { // over RPC a session starts twice
      return
    }
    const mine: Served = {
      changed: () => changed(mine, ctx),
      say: (line) => served === mine && say(ctx, line),
      late: new Set(),
      isReady: false,
    }
    served = mine
    offered.begin(ctx.sessionManager)
    mine.ready = owner.beside(begin(mine, ctx), ({ message }) => {
      say(ctx, `mcp: ${message}`)
      offered.update([])
    })
  })

  owner.on('before_agent_start', async (_event, ctx) => {
    const mine = served
    if (!mine) {
      return
    }
    if (!mine.isReady) {
      const labels = mine.servers?.starting().map(({ label }) => label)
      ctx.ui.setStatus('xylem-mcp', `mcp: waiting for ${labels?.join(', ') || 'servers'}`)
      await live(mine.ready)
      ctx.ui.setStatus('xylem-mcp', undefined)
    }
    tellOfLate(mine, ctx)
  })

  // Each late server once.
  function tellOfLate({ servers, late }: Served, ctx: ExtensionContext): void {
    for (const server of servers?.starting().filter((one) => !late.has(one)) ?? []) {
      late.add(server)
      say(ctx, server.line('still starts. The turn begins without its tools, which join a later turn'))
    }
  }

  // The other gates judge a call by what the server says now. So the call waits for the server first.
  owner.gate({ rank: RANK.mcp, async ask({ toolName }, { signal }) {
    const known = offered?.ownerOf(toolName)
    if (!served?.servers || !known) {
      return undefined
    }
    await live(unlessAborted(signal, served.servers.answered(known.server), () => {}))
    const reason = known.lacks()
    return reason === undefined ? undefined : { block: true, reason }
  } })

  // A tool that throws loses the images, so the error of a result is set here.
  owner.on('tool_result', ({ toolName, details }) => {
    const isRefused = offered?.has(toolName) && (details as { isError?: boolean } | undefined)?.isError === true
    return isRefused ? { isError: true } : undefined
  })

  owner.on('session_shutdown', async ({ reason }) => {
    const mine = served
    served = undefined
    await mine?.servers?.leave(mine, reason === 'quit' || reason === 'reload')
  })

  // pi 1.5 has MCP of its own, which an extension with a command `/mcp` would replace.
  owner.command(pi, 'registerMcpServer' in pi ? 'mcp-loader' : 'mcp', {
    description: 'List the MCP servers of the settings',
    run(_words, ctx) {
      const none = `No MCP servers: ${settingsPath()} has neither mcp nor mcpServers`
      ctx.ui.notify(!served ? none : served.servers?.overview() ?? 'The MCP servers start', 'info')
    },
  })
}
