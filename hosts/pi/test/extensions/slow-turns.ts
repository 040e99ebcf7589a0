// A turn whose prompt is a name begins once the project has a file of the name. `late` waits before the turn, the others
// at its begin.
import { existsSync } from 'node:fs'
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'

async function wait(names: string[], prompt?: string): Promise<void> {
  while (prompt !== undefined && names.includes(prompt) && !existsSync(prompt)) {
    await new Promise((again) => { setTimeout(again, 10) })
  }
}

export default function slowTurns(pi: ExtensionAPI): void {
  pi.on('input', (event) => wait(['late'], event.text))
  pi.on('before_agent_start', async (event) => {
    const { prompt } = event as { prompt?: string } // pi 1.5: not of each turn
    await wait(['person', 'slow'], prompt)
  })
}
