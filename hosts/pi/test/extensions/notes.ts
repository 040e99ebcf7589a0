// `/note WORDS`, a command that is offered to sequences: each call is a line {"event": "note", ...} of
// XYLEM_TEST_RECORDS. The status `notes` names the session that has begun.
import { appendFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'

export default function notes(pi: ExtensionAPI): void {
  // The command has an effect, and then takes a moment: a kill may come in between.
  async function run(words: string, ctx: ExtensionContext): Promise<void> {
    const line = { event: 'note', words, session: ctx.sessionManager.getSessionId() }
    appendFileSync(process.env.XYLEM_TEST_RECORDS!, JSON.stringify(line) + '\n')
    await new Promise((done) => { setTimeout(done, 20) })
  }

  pi.registerCommand('note', { description: 'Write a note', handler: run })
  pi.on('session_start', (_event, ctx) => {
    pi.events.emit('xylem:command', { name: 'note', path: fileURLToPath(import.meta.url), run })
    ctx.ui.setStatus('notes', ctx.sessionManager.getSessionId())
  })
}
