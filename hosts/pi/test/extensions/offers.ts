// Commands with offers to sequences, in the way of an author of extensions: the handler of the slash command and the
// offer on `xylem:command` share a function. With XYLEM_TEST_OFFERS=no nothing is offered.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'

interface Command {
  run(args: string, ctx: ExtensionContext): Promise<void>
  arguments?: string[]
}

export default function offers(pi: ExtensionAPI): void {
  // Appends a topic; refuses the topic `closed`.
  async function notebook(topic: string): Promise<void> {
    if (topic === 'closed') {
      throw new Error('the notebook is closed')
    }
    pi.appendEntry('notebook', { topic })
  }

  // Starts a turn with the work, and ends before the turn.
  async function handoff(direction: string): Promise<void> {
    pi.sendUserMessage(`handoff:\n${direction}`)
  }

  // Ends once the project has a file `go`: meanwhile no turn goes on.
  async function linger(): Promise<void> {
    while (!existsSync('go')) {
      await new Promise((again) => { setTimeout(again, 20) })
    }
  }

  // Fails with a string in place of an Error.
  async function lamp(word: string): Promise<void> {
    pi.appendEntry('lamp', { word })
    if (word === 'off') {
      throw 'no lamp'
    }
  }

  const commands: Record<string, Command> =
    { notebook: { run: notebook }, handoff: { run: handoff }, linger: { run: linger },
      lamp: { run: lamp, arguments: ['on', 'off'] } }
  for (const [name, { run }] of Object.entries(commands)) {
    pi.registerCommand(name, { description: `The ${name} of the test`, handler: run })
  }

  pi.on('session_start', () => {
    if (process.env.XYLEM_TEST_OFFERS === 'no') {
      return
    }
    for (const [name, command] of Object.entries(commands)) {
      pi.events.emit('xylem:command', { name, path: fileURLToPath(import.meta.url), ...command })
    }
  })
}
