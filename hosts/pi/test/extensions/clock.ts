// A clock that shows the seconds of the file `clock` in the project; with a file `step` each end of the agent takes as
// many seconds. `/call JSON` names the session with any characters. A prompt, or a command, in a file `prompt` is sent
// once. Records starts, and ends of turns.
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'

export default function clock(pi: ExtensionAPI): void {
  const record = (event: string) => appendFileSync(process.env.XYLEM_TEST_RECORDS!, `${JSON.stringify({ event })}\n`)
  let timer: NodeJS.Timeout | undefined

  const numberIn = (file: string) => Number(readFileSync(file, 'utf8'))

  process.hrtime.bigint = () => BigInt(Math.round(numberIn('clock') * 1e9))
  pi.on('agent_end', () => {
    if (existsSync('step')) {
      writeFileSync('clock', String(numberIn('clock') + numberIn('step')))
    }
    record('agent_end')
  })
  pi.on('agent_settled', () => record('agent_settled'))
  pi.on('session_start', () => {
    record('start')
    clearInterval(timer)
    timer = setInterval(sendPrompt, 20)
  })
  pi.on('session_shutdown', () => clearInterval(timer))

  function sendPrompt(): void {
    try {
      const text = readFileSync('prompt', 'utf8')
      if (text !== '') { // else the test is about to write the text
        rmSync('prompt')
        pi.sendUserMessage(text, { expandPromptTemplates: true })
      }
    } catch {
      // there is no prompt
    }
  }

  pi.registerCommand('call', {
    description: 'Name the session',
    handler: async (words) => pi.setSessionName(JSON.parse(words)),
  })
}
