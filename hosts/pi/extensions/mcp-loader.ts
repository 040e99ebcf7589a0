// MCP servers of the user's settings, as tools of pi. Without a server in the settings nothing is loaded.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'
import type { Offered } from '../lib/mcp/tools.ts'
import type { McpServer } from '../lib/mcp/server.ts'
import type { Listener, Servers } from '../lib/mcp/servers.ts'
import { agentDirectory } from '../lib/settings.ts'

// A session, from its start to its end.
interface Live extends Listener {
  servers?: Servers
  offered?: Offered // when a turn may begin
  ready?: Promise<void> // the same; never fails
  late: Set<McpServer> // a turn began without their tools, and the person was told
}

const settingsPath = () => join(agentDirectory(), 'settings.json')

// Servers that run count too, until a reload: servers outlive the session of their start.
function mayHaveServers(): boolean {
  const running = (globalThis as { [key: symbol]: Map<string, Servers> | undefined })[Symbol.for('pi-xylem.mcp')]
  try {
    return (running?.size ?? 0) > 0 || /"mcp(Servers)?"/.test(readFileSync(settingsPath(), 'utf8'))
  } catch {
    return false // pi tells of settings that cannot be read
  }
}

export default function mcpLoader(pi: ExtensionAPI): void {
  let live: Live | undefined

  // A line for the person: without a UI on the standard error output.
  function say(ctx: ExtensionContext, line: string): void {
    if (ctx.hasUI) {
      ctx.ui.notify(line, 'warning')
    } else {
      console.error(line)
    }
  }

  // The servers start while pi draws the first screen. The first turn of a person waits a moment for the servers. A run
  // without a UI has one turn, which waits until all servers have answered.
  async function begin(mine: Live, ctx: ExtensionContext): Promise<void> {
    const { cwd } = ctx
    await new Promise((drawn) => setImmediate(drawn))
    const [{ serversFor }, { Offered }] =
      await Promise.all([import('../lib/mcp/servers.ts'), import('../lib/mcp/tools.ts')])
    if (live !== mine) { // pi has replaced the session
      return
    }
    mine.servers = serversFor(cwd, mine)
    const offered = new Offered(pi, ctx.sessionManager)
    await mine.servers.soon
    if (!ctx.hasUI) {
      const late = mine.servers.starting().map(({ label }) => label).join(', ')
      if (late !== '' && live === mine) {
        say(ctx, `mcp: waiting for ${late}, at most until 10 s after the start`)
      }
      await mine.servers.started
    }
    mine.offered = offered
    mine.changed()
  }

  // A server has started, or has other tools.
  function changed(mine: Live, ctx: ExtensionContext): void {
    if (live !== mine || !mine.offered) {
      return
    }
    const { list, lines } = mine.servers!
    mine.offered.update(list)
    lines.splice(0).forEach((line) => say(ctx, line))
    for (const server of [...mine.late].filter(({ state }) => state !== 'starting')) {
      mine.late.delete(server)
      if (server.state === 'connected') { // else a line has said why
        ctx.ui.notify(server.line('the server has started, and its tools are there'), 'info')
      }
    }
  }

  pi.on('session_start', (_event, ctx) => {
    if (live || !mayHaveServers()) { // over RPC a session starts twice
      return
    }
    const mine: Live = {
      changed: () => changed(mine, ctx),
      say: (line) => live === mine && say(ctx, line),
      late: new Set(),
    }
    live = mine
    mine.ready = begin(mine, ctx).catch((error) => live === mine && say(ctx, `mcp: ${(error as Error).message}`))
      .then(() => {})
  })

  pi.on('before_agent_start', async (_event, ctx) => {
    const mine = live
    if (!mine) {
      return
    }
    if (!mine.offered) {
      const labels = mine.servers?.starting().map(({ label }) => label)
      ctx.ui.setStatus('xylem-mcp', `mcp: waiting for ${labels?.join(', ') || 'servers'}`)
      await mine.ready
      if (live === mine) {
        ctx.ui.setStatus('xylem-mcp', undefined)
      }
    }
    if (live === mine) {
      tellOfLate(mine, ctx)
    }
  })

  // Each late server once.
  function tellOfLate({ servers, late }: Live, ctx: ExtensionContext): void {
    for (const server of servers?.starting().filter((one) => !late.has(one)) ?? []) {
      late.add(server)
      say(ctx, server.line('still starts. The turn begins without its tools, which join a later turn'))
    }
  }

  // A tool that throws loses the images, so the error of a result is set here.
  pi.on('tool_result', ({ toolName, details }) => {
    const isRefused = live?.offered?.has(toolName) && (details as { isError?: boolean } | undefined)?.isError === true
    return isRefused ? { isError: true } : undefined
  })

  pi.on('session_shutdown', async ({ reason }) => {
    const mine = live
    live = undefined
    await mine?.servers?.leave(mine, reason === 'quit' || reason === 'reload')
  })

  // pi 1.5 has MCP of its own, which an extension with a command `/mcp` would replace.
  pi.registerCommand('registerMcpServer' in pi ? 'mcp-loader' : 'mcp', {
    description: 'List the MCP servers of the settings',
    handler: async (_words, ctx) => {
      const none = `No MCP servers: ${settingsPath()} has neither mcp nor mcpServers`
      ctx.ui.notify(!live ? none : live.servers?.overview() ?? 'The MCP servers start', 'info')
    },
  })
}
