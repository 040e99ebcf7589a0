// Ships the sessions of the directories in the settings: one child `xylem fleet ship --follow` for all pis of a person,
// held by a lock of flock(1), which ends with the child. The other pis look for the lock now and then, and one goes on.
//
// The child ends with the session; without a session, when nobody reads its standard output any more.
import type { ExtensionContext } from '@earendil-works/pi-coding-agent'
import { oneLine } from '../excerpt.ts'
import { chooseToLeave } from '../guard/choice.ts'
import { isGone } from '../live.ts'
import type { Owner } from '../owner.ts'
import { inProcess } from '../process.ts'
import { type Choice, type Place, storedOf } from './choice.ts'
import { type Document, run, type Running, start, words } from './command.ts'

const LOOK_MS = 2000
const LOCKED = 75 // another pi ships
const LOCKED_MS = 10_000 // until the next look for the lock
const FAILED_MS = 60_000 // until the next child, behind one that failed
const WELL_MS = 5000 // a child that lives so long does its work
const LAG_MS = 30_000 // then the badge says so
const LAST_MS = 1000 // for what pi appended last before it ends
const PLACES_MAX = 8 // of a question
const COLUMNS = 100
const NO = 'No, ship nothing'
const YES = 'Yes, ship them'

const shared = inProcess('fleet', () => ({ told: new Set<string>(), last: Promise.resolve<unknown>(0) })) // last child

export interface Shipping {
  look(): void // the person chose something
  end(isQuit: boolean): void
}

export function ship(place: Place, directories: string[], ctx: ExtensionContext, owner: Owner): Shipping {
  const { life, life: { live } } = owner
  const own = ctx.sessionManager.getSessionId()
  const timer = setInterval(look, LOOK_MS).unref()
  let running: Running | undefined
  let held = '' // of the child that runs
  let isLooking = false
  let begunMs = 0
  let nextMs = 0
  let hasFailed = false // the last child
  let backlog = 0
  let behindMs: number | undefined // since when something is not acknowledged
  let isPaused = false // the engine does not take changes
  let taker: string | undefined // has this session
  let badge: string | undefined

  function tell(text: string, type: 'info' | 'warning', key = text): void {
    if (!shared.told.has(key)) {
      shared.told.add(key)
      ctx.ui.notify(`fleet: ${text}`, type)
    }
  }

  function hear({ event, session, host, fork, changes }: Document): void {
    if (life.isOver) {
      return
    }
    const name = oneLine(String(host ?? 'another host'), 40)
    if ((event === 'in-use' || event === 'fenced') && session === own && taker !== name) {
      taker = name
      tell(`${name} has this session now. What you add here becomes a fork of it: '/fleet' takes it back`, 'warning',
        own + name)
    } else if (event === 'forked') {
      tell(`another host took the session ${oneLine(String(session), COLUMNS)} over. What only this machine has of it ` +
        `is the session ${oneLine(String(fork), COLUMNS)} now`, 'warning')
    }
    isPaused = event === 'paused' || (isPaused && event !== 'resumed' && event !== 'shipped')
    backlog = event === 'backlog' ? Number(changes) : backlog
    behindMs = isPaused || backlog > 0 ? behindMs ?? now() : undefined
    show()
  }

  function show(): void {
    const isBehind = behindMs !== undefined && now() - behindMs > LAG_MS
    const text = taker !== undefined ? `fleet: ${taker} has this session; what you add becomes a fork`
      : hasFailed ? 'fleet: nothing is shipped'
      : !isBehind ? undefined : isPaused ? 'fleet: the engine does not answer' : `fleet: ${backlog} changes behind`
    if (text !== badge) {
      badge = text
      ctx.ui.setStatus('xylem-fleet', text && ctx.mode === 'tui' ? ctx.ui.theme.fg('warning', text) : text)
    }
  }

  // The child that runs has all that the person chose; else it is ended, and another one begins.
  function look(): void {
    if (!isLooking && !life.isOver) {
      isLooking = true
      void owner.beside(place.read(directories).then(follow).catch(refuse)).finally(() => { isLooking = false })
    }
  }

  async function follow(choice: Choice): Promise<void> {
    const wanted = choice.held.join()
    if (running && now() - begunMs > WELL_MS) {
      hasFailed = false
    }
    if (running && (choice.ships !== true || wanted !== held)) {
      running.child.kill()
      nextMs = 0
    } else if (!running && choice.ships === true && now() >= nextMs) {
      await live(shared.last) // else its lock stands in the way
      const ids = wanted === '' ? [] : await live(storedOf(place.store, choice.held))
      held = wanted
      begin(ids.flatMap((id) => ['--except', id]))
    }
    show()
  }

  function begin(except: string[]): void {
    const args = ['ship', '--follow', '--json', ...directories.flatMap((path) => ['--dir', path]), ...except]
    const lock = ['flock', '--nonblock', '--no-fork', '--conflict-exit-code', String(LOCKED), place.lock]
    const mine = running = start([...lock, ...words(place.store, args)], hear)
    shared.last = mine.ended
    begunMs = now()
    void owner.beside(live(mine.ended).then(({ code, error }) => {
      const isOurs = mine.child.killed
      running = behindMs = undefined
      isPaused = false
      backlog = 0
      nextMs = isOurs ? 0 : now() + (code === LOCKED ? LOCKED_MS : FAILED_MS)
      isOurs ? look() : code === LOCKED ? show() : refuse(new Error(error))
    }))
  }

  function refuse(error: Error): void {
    if (!isGone(error)) {
      hasFailed = true
      tell(`nothing is shipped: ${error.message}`, 'info')
      show()
    }
  }

  look()
  return {
    look,
    end(isQuit) {
      clearInterval(timer)
      badge && ctx.ui.setStatus('xylem-fleet', undefined) // pi would keep it
      setTimeout(() => running?.child.kill(), isQuit ? LAST_MS : 0).unref()
    },
  }
}

// Lists what would go, and asks a person once about these directories. Nothing goes before a yes.
export async function ask(place: Place, directories: string[], ctx: ExtensionContext, { life }: Owner): Promise<void> {
  const { live, signal } = life
  const { ships } = await live(place.read(directories))
  if (ships !== undefined || !ctx.hasUI) {
    return
  }
  const dirs = directories.flatMap((path) => ['--dir', path])
  const text = await live(run(place.store, ['ship', '--dry-run', '--json', ...dirs], signal))
  const question = questionOf(directories, JSON.parse(text).sessions)
  const answer = await live(chooseToLeave(question, [NO, YES], ctx, signal))
  if (answer === NO || answer === YES) {
    place.answer(directories, answer === YES)
  }
}

function questionOf(directories: string[], sessions: Document[]): string {
  const going = new Map<string, [sessions: number, changes: number]>()
  for (const { cwd, changes } of sessions.filter(({ goes }) => goes)) {
    const [count, sum] = going.get(cwd) ?? [0, 0]
    going.set(cwd, [count + 1, sum + changes])
  }
  const lines = [...going].map(([path, [count, sum]]) =>
    oneLine(`${counted(count, 'session')}, ${counted(sum, 'change')}: ${path}`, COLUMNS))
  return [`Ship the sessions below ${oneLine(directories.join(', '), COLUMNS)} to the fleet, from now on?`,
    'Its other hosts then read them, and can take them over.', '',
    lines.length > 0 ? 'Now go:' : 'No session is there yet.', ...lines.slice(0, PLACES_MAX),
    ...lines.length > PLACES_MAX ? [`and ${lines.length - PLACES_MAX} directories more`] : []].join('\n')
}

// Not the time of day, which may be set.
const now = () => Number(process.hrtime.bigint() / 1_000_000n)

const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`
