// A wait of a run that may be long. The status line says for what the run waits. In a terminal Escape ends the wait.
import type { ExtensionCommandContext as Context } from '@earendil-works/pi-coding-agent'
import { matchesKey } from '@earendil-works/pi-tui'
import { type Play, plays, STATUS } from './plays.ts'
import { columns } from '../excerpt.ts'

const ESCAPE_MS = 1000 // the key may be the answer to a dialog, which ends the wait in a better way

export function show(play: Play, ctx: Context): void {
  const waits = play.waits === undefined ? '' : ` · waits for ${play.waits}`
  const cells = Math.max(1, columns() - waits.length)
  ctx.ui.setStatus(STATUS, play.store.runStatus(play.run.id, { cells, ownSession: play.sessionId }) + waits)
}

export class Wait {
  readonly #play: Play
  readonly #ctx: Context
  readonly #over = new AbortController()
  readonly signal = this.#over.signal // aborts with Escape, with the end of the play, and at the limit
  end = () => {} // of the wait

  constructor(play: Play, ctx: Context) {
    this.#play = play
    this.#ctx = ctx
    void play.ended.then(() => this.#over.abort())
  }

  // The wait has become long. Without a terminal nobody has Escape: `aloneMs` is the longest wait there.
  begin(waits: string, aloneMs?: number): void {
    const play = this.#play
    const { ui, mode } = this.#ctx
    const isShown = () => plays.get(play.run.id) === play // else pi may have replaced the session
    if (!isShown()) {
      return
    }
    this.end()
    const give = () => this.#over.abort()
    let timer = mode === 'tui' || aloneMs === undefined ? undefined : setTimeout(give, aloneMs)
    const deaf = ui.onTerminalInput((data) => {
      if (matchesKey(data, 'escape')) {
        timer ??= setTimeout(give, ESCAPE_MS)
      }
      return undefined
    })
    this.end = () => {
      this.end = () => {}
      clearTimeout(timer)
      deaf()
      play.waits = undefined
      isShown() && show(play, this.#ctx)
    }
    play.waits = waits
    show(play, this.#ctx)
  }
}
