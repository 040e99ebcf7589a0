// MCP servers of the user's settings, as tools of pi (../lib/mcp/mcp-loader.ts).
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'
import type { Joining } from '../lib/owner.ts'

const here = new URL('..', import.meta.url).href
const known = (globalThis as Joining)[Symbol.for('pi-xylem')]?.modules?.get(here) // another file has evaluated them

export default async (pi: ExtensionAPI) => (known ?? await import('../lib/owner.ts')).join(pi, 'mcp-loader', here)
