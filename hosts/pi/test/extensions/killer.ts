// Kills its pi, as `kill -9` does, at the end of the first turn with results of tools. Loaded in front of another
// extension, it does so before that extension sees the end of the turn.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'

export default function killer(pi: ExtensionAPI): void {
  pi.on('turn_end', ({ toolResults }) => {
    if (toolResults.length > 0) {
      process.kill(process.pid, 'SIGKILL')
    }
  })
}
