// A local MCP server: a process, and a message on each line. The transport of the SDK copies all that has come of a
// message with each further piece, and ends the server for a message that is too long.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { ServerConfig } from './mcp-config.ts'
import { LINE, Messages } from './mcp-lines.ts'
import type { Sdk } from './mcp-sdk.ts'

const KILL_MS = 4000 // after SIGTERM

export class LocalTransport implements Transport {
  onclose?: () => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #spawn: () => ReturnType<typeof spawn>
  readonly #sdk: Sdk
  readonly #messages: Messages
  readonly #onWords: (piece: Buffer) => void
  #child: ReturnType<typeof spawn> | undefined

  constructor(sdk: Sdk, { command, args, environment }: NonNullable<ServerConfig['local']>, cwd: string,
    { onWords, tell }: { onWords(piece: Buffer): void; tell(words: string): void }) {
    const env = { ...sdk.getDefaultEnvironment(), ...environment }
    this.#spawn = () => spawn(command, args, { env, cwd, stdio: 'pipe' })
    this.#sdk = sdk
    this.#messages = new Messages(LINE, tell)
    this.#onWords = onWords
  }

  async start(): Promise<void> {
    const child = this.#child = this.#spawn()
    child.on('error', () => {}) // start() fails, or 'close' follows
    child.on('close', () => this.onclose?.())
    child.stdin!.on('error', () => {}) // the process has ended
    child.stderr!.on('data', this.#onWords)
    child.stdout!.on('data', (piece) => this.#messages.take(piece).forEach((text) => this.#give(text)))
    await once(child, 'spawn')
  }

  // Noise on the output is no message.
  #give(text: string): void {
    let message
    try {
      message = this.#sdk.deserializeMessage(text)
    } catch {
      return
    }
    this.onmessage?.(message)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#child!.stdin!.write(`${JSON.stringify(message)}\n`)
  }

  // The end of the input and SIGTERM, and SIGKILL where both have no effect.
  async close(): Promise<void> {
    const child = this.#child
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) {
      return
    }
    const late = setTimeout(() => child.kill('SIGKILL'), KILL_MS)
    child.stdin!.end()
    child.kill('SIGTERM')
    await once(child, 'exit')
    clearTimeout(late)
    child.stdout!.destroy()
    child.stderr!.destroy()
  }
}
