// A local MCP server: a process, and a message on each line. The transport of the SDK copies all that has come of a
// message with each further piece, and ends the server for a message that is too long.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Transport } from '@modelcontextprotocol/client'
import type { ServerConfig } from './config.ts'
import { LINE, Messages } from './lines.ts'
import type { Sdk } from './sdk.ts'

const KILL_MS = 4000 // after SIGTERM

// `onWords` gets what the process says on the standard error output.
export function localTransport(sdk: Sdk, { command, args, environment }: NonNullable<ServerConfig['local']>, cwd: string,
  { onWords, tell }: { onWords(piece: Buffer): void; tell(words: string): void }): Transport {
  const env = { ...sdk.getDefaultEnvironment(), ...environment }
  const messages = new Messages(LINE, tell)
  let child: ChildProcessWithoutNullStreams

  // Noise on the output is no message.
  function give(text: string): void {
    let message
    try {
      message = sdk.deserializeMessage(text)
    } catch {
      return
    }
    transport.onmessage?.(message)
  }

  const transport: Transport = {
    async start() {
      child = spawn(command, args, { env, cwd, stdio: 'pipe' })
      child.on('error', () => {}) // start() fails, or 'close' follows
      child.on('close', () => transport.onclose?.())
      child.stdin.on('error', () => {}) // the process has ended
      child.stderr.on('data', onWords)
      child.stdout.on('data', (piece) => messages.take(piece).forEach(give))
      await once(child, 'spawn')
    },

    async send(message) {
      child.stdin.write(`${JSON.stringify(message)}\n`)
    },

    // The end of the input and SIGTERM, and SIGKILL where both have no effect.
    async close() {
      if (!child?.pid || child.exitCode !== null || child.signalCode !== null) {
        return
      }
      const late = setTimeout(() => child.kill('SIGKILL'), KILL_MS)
      child.stdin.end()
      child.kill('SIGTERM')
      await once(child, 'exit')
      clearTimeout(late)
      child.stdout.destroy()
      child.stderr.destroy()
    },
  }
  return transport
}
