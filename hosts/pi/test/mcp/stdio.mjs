// An MCP server on the standard input and output, by the official SDK. The environment says how it behaves:
//
//     NAME       its name, and the beginning of what it says
//     LOG        a file: a line for the start, each call, a signal and the end of the input
//
// Tools: `echo` (says its input), `env` (its environment), `big` (a long text), `picture`, `kinds` (other content),
// `both` and `same` (structured content), `fail` (an error), `slow` (answers when it is cancelled, or never), `steps`
// (progress), `more` and `fewer` (change the list of tools), `hyphen-ated`, three with annotations, NAME_own and `die`.
import { appendFileSync } from 'node:fs'
import { McpServer, fromJsonSchema } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

export { createMcpHandler } from '@modelcontextprotocol/server'

const { NAME = 'files', LOG } = process.env
const toFile = (line) => LOG && appendFileSync(LOG, `${NAME} ${line}\n`)

const text = (words) => ({ content: [{ type: 'text', text: words }] })
const BITMAP = 'Qk06AAAAAAAAADYAAAAoAAAAAQAAAAEAAAABABgAAAAAAAQAAAATCwAAEwsAAAAAAAAAAAAAAAD/AA=='
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export function makeServer(name = NAME, log = toFile) {
  const server = new McpServer({ name, version: '1.0.0' })
  const inputSchema = fromJsonSchema({ type: 'object', properties: { words: { type: 'string' },
    count: { type: 'number' } } })
  const tool = (own, run, more = {}) => server.registerTool(own, { description: `${own} of ${name}`, inputSchema,
    ...more }, async (input, context) => {
    log(`call ${own}`)
    return run(input, context)
  })
  tool('echo', ({ words }) => text(`${name}: ${words}`))
  tool('env', () => text(JSON.stringify(process.env)))
  tool('big', ({ count, words = '' }) => text(`${'x'.repeat(99)}${words}`.repeat(count)))
  tool('picture', () => ({ content: [{ type: 'text', text: 'a pixel' }, { type: 'image', data: PIXEL,
    mimeType: 'image/png' }, { type: 'image', data: BITMAP, mimeType: 'image/bmp' }] }))
  tool('kinds', () => ({ content: [
    { type: 'resource', resource: { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'inside of a' } },
    { type: 'resource', resource: { uri: 'file:///b.bin', mimeType: 'application/zip', blob: 'UEsDBA==' } },
    { type: 'resource_link', uri: 'file:///c.txt', name: 'c', description: 'the third' },
    { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' }] }))
  tool('both', () => ({ content: [{ type: 'text', text: 'two found' }], structuredContent: { found: [1, 2] } }))
  tool('same', () => ({ ...text('{"found":[3]}'), structuredContent: { found: [3] } }))
  tool('fail', () => ({ content: [{ type: 'text', text: 'no such row' }, { type: 'image', data: PIXEL,
    mimeType: 'image/png' }], isError: true }))
  tool('slow', (_input, { mcpReq }) => new Promise((done) => mcpReq.signal.addEventListener('abort', () => {
    log('cancelled')
    done(text('cancelled'))
  })))
  tool('steps', async (_input, { mcpReq }) => {
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken: mcpReq._meta.progressToken,
      progress: 1, total: 2, message: 'halfway' } })
    await server.server.ping() // the client has the notification then
    return text('arrived')
  })
  let extra
  tool('more', () => { extra ??= tool('extra', () => text('extra ran')); return text('one more') })
  tool('fewer', () => { extra?.remove(); extra = undefined; return text('one fewer') })
  tool('hyphen-ated', () => text('hyphen-ated ran'))
  tool('wipe', () => text('wipe ran'), { annotations: { destructiveHint: true } })
  tool('add', () => text('add ran'), { annotations: { readOnlyHint: false, destructiveHint: false } })
  tool('look', () => text('look ran'), { annotations: { readOnlyHint: true } })
  tool(`${name}_own`, () => text('own ran'))
  tool('die', () => process.exit(3))
  return server
}

if (process.argv[1] === import.meta.filename) {
  toFile(`start ${process.pid} ${process.cwd()}`)
  process.stderr.write('\x1b[31mready\x07\n')
  process.on('SIGTERM', () => { toFile('SIGTERM'); process.exit() })
  process.stdin.on('end', () => toFile('end'))
  await makeServer().connect(new StdioServerTransport())
}
