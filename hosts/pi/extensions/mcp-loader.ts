// MCP servers of the user's settings, as tools of pi (../lib/mcp/mcp-loader.ts).
import { extension } from '../lib/join.ts'

export default extension('mcp-loader')
