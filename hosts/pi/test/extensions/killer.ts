// Kills its pi, as `kill -9` does, at the event that XYLEM_TEST_KILL names, else at the end of the first turn with
// results of tools. Loaded in front of another extension, it does so before that extension sees the event.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'

export default function killer(pi: ExtensionAPI): void {
  if (process.env.XYLEM_TEST_KILL) {
    pi.on(process.env.XYLEM_TEST_KILL as 'context', () => void process.kill(process.pid, 'SIGKILL'))
    return
  }
  pi.on('turn_end', ({ toolResults }) => {
    if (toolResults.length > 0) {
      process.kill(process.pid, 'SIGKILL')
    }
  })
}
