// A turn whose prompt is a name begins once the project has a file of the name.
import { existsSync } from 'node:fs'
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'

export default function slowTurns(pi: ExtensionAPI): void {
  pi.on('before_agent_start', async (event) => {
    const { prompt } = event as { prompt?: string } // pi 1.5: not of each turn
    while (prompt === 'person' && !existsSync(prompt)) {
      await new Promise((again) => { setTimeout(again, 10) })
    }
  })
}
