// What /fleet does: a person picks a session of any host and takes the session over, and pi goes on there. Loaded on use.
import { existsSync } from 'node:fs'
import type { ExtensionCommandContext } from '@earendil-works/pi-coding-agent'
import { oneLine } from '../excerpt.ts'
import { open, pickRow } from '../find/pick.ts'
import { type Found, Lists, type Row } from '../find/rows.ts'
import { ageOf } from '../find/view.ts'
import { chooseToLeave } from '../guard/choice.ts'
import type { Owner } from '../owner.ts'
import { native } from '../store/native.ts'
import { freshSessionFile } from '../store/session-file.ts'
import { directoriesOf, isBelow, Place, resolved } from './choice.ts'
import { type Document, run } from './command.ts'

const WAIT_MS = 1000
const HEARD_MS = 60_000 // an owner that was heard from within that time lives
const COLUMNS = 100
const STAY = 'Stay in this session'
const CLOSE = 'Close'
const AFTER_ALL = 'Ship the sessions after all'

type Context = ExtensionCommandContext

export async function act(words: string, ctx: Context, owner: Owner): Promise<void> {
  const { session } = owner
  const { keeper, settings } = session!
  if (!settings.fleet) {
    throw new Error(settings.isRefused ? 'the settings cannot be read'
      : `the settings of pi name no fleet: "xylem": {"fleet": {"directories": ["~/work"]}} in settings.json`)
  }
  if ('problem' in keeper) {
    throw new Error(`this session is not in the store: ${keeper.problem}`)
  }
  const place = new Place(keeper.path)
  const work = words === 'keep-local' ? keepLocal : words === 'status' ? status : list
  await owner.live(work(place, ctx, owner, words))
}

// Only a session in the store can be held back. After that, every pi holds the session back.
async function keepLocal(place: Place, { ui }: Context, owner: Owner): Promise<void> {
  const { live } = owner.life
  const session = owner.session!
  await live(session.catchUp())
  if (!session.isStored) {
    throw new Error('the store does not have this session yet: try again')
  }
  place.hold(session.id)
  ui.notify('fleet: this session and its forks stay on this machine from now on. What was shipped before is with the ' +
    'fleet still', 'info')
}

async function status(place: Place, ctx: Context, { session, life: { live, signal } }: Owner): Promise<void> {
  const text = await live(run(place.store, ['status'], signal))
  const directories = await live(resolved(directoriesOf(session!.settings)))
  const { ships } = await live(place.read(directories))
  const [more, choices] = directories.length > 0 && ships === false
    ? ['\nNothing is shipped from here: you said no.', [CLOSE, AFTER_ALL]] as const : ['', [CLOSE]] as const
  const answer = await live(chooseToLeave(text + more, [...choices], ctx, signal))
  if (answer === AFTER_ALL) {
    place.answer(directories, true)
  }
}

async function list(place: Place, ctx: Context, owner: Owner, words: string): Promise<void> {
  const { live, signal } = owner.life
  if (!ctx.isIdle()) {
    throw new Error('the agent is working: wait, or stop the agent')
  }
  const text = await live(run(place.store, ['sessions', '--json'], signal))
  const all: Document[] = JSON.parse(text).sessions.filter(({ deleted, freed }: Document) => !deleted && !freed)
  const look = async (typed: string, isAll: boolean) => rowsOf(all, typed, isAll ? undefined : ctx.cwd)
  const row = await live(pickRow({ kind: 'fleet', words, look }, ctx, owner))
  const chosen = all.find(({ session }) => session === row?.session)
  if (chosen) {
    await live(goTo(chosen, place, ctx, owner))
  }
}

function rowsOf(all: Document[], typed: string, directory: string | undefined): Found {
  const wanted = typed.toLowerCase().split(/\s+/)
  const rows = all.filter(({ session, host, name, cwd }) => {
    const text = [session, host, name, cwd].join('\n').toLowerCase()
    return wanted.every((word) => text.includes(word)) && (directory === undefined || isBelow(String(cwd), directory))
  }).map((one): Row => ({ session: one.session, known: undefined, timeMs: Date.parse(one.active) || 0,
    text: [one.here === 'owns' ? 'here' : one.host ?? 'nobody', one.name ?? one.session,
      ...one.lag > 0 ? [`${one.lag} changes behind`] : []].join(' · '),
    about: `${one.entry_count} entries · ${one.cwd ?? ''} · ${heardOf(one)}` }))
  return { rows, note: `${rows.length} ${rows.length === 1 ? 'session' : 'sessions'} of the fleet` }
}

const heardOf = ({ host, silent_ms: ms }: Document) => host === null ? 'nobody has it'
  : `${host} has it, heard from ${ms < HEARD_MS ? `${Math.floor(ms / 1000)} s` : ageOf(Date.now() - ms)} ago`

// Opens the session. A session of another host is taken over first, if the person agrees.
async function goTo(chosen: Document, place: Place, ctx: Context, owner: Owner): Promise<void> {
  const { live } = owner.life
  const { session: id, here, host } = chosen
  if (id === ctx.sessionManager.getSessionId()) {
    ctx.ui.notify(here === 'owns' ? 'fleet: pi is in this session'
      : `fleet: ${host ?? 'nobody'} has this session. Leave it with /new, and '/fleet' takes it back`, 'info')
    return
  }
  if (here !== 'owns' && !await live(takeOver(chosen, place, ctx, owner))) {
    return
  }
  const store = await live(native!.openAsync(place.store, { waitMs: WAIT_MS }))
  try {
    const known = (await live(new Lists(store).described(new Set([id])))).get(id)
    if (here === 'owns') {
      await live(open({ session: id, known, timeMs: 0, text: '' }, store, ctx, owner))
    } else {
      const file = await live(freshSessionFile(store, id, ctx.sessionManager.getSessionDir(), known?.files ?? []))
      await live(ctx.switchSession(file))
    }
  } finally {
    store.close()
  }
}

// True: this store owns the session, and has the whole history.
async function takeOver(chosen: Document, { store }: Place, ctx: Context, { life: { live, signal } }: Owner) {
  const { session: id, host, silent_ms: silentMs, cwd } = chosen
  const owner = oneLine(host ?? 'nobody', COLUMNS)
  const { sessions } = JSON.parse(await live(run(store, ['pull', id, '--head-only', '--json'], signal)))
  const lives = host !== null && silentMs < HEARD_MS
  const yes = lives ? `Take it from ${owner}, which is at work` : 'Take it over'
  const head = sessions[0]?.head
  const why = [...head ? [stateOf(head)] : [], heardOf({ ...chosen, host: host && owner }),
    ...lives ? [`What ${owner} adds from now on becomes a fork there.`] : [],
    ...cwd && cwd !== ctx.cwd
      ? [`It works in ${cwd}${existsSync(cwd) ? ', and pi goes there.' : ', which is not here.'}`] : []]
  const title = `Take '${oneLine(chosen.name ?? id, COLUMNS)}' over?\n${why.map((line) => oneLine(line, 300)).join('\n')}`
  if (await live(chooseToLeave(title, [STAY, yes], ctx, signal)) !== yes) {
    return false
  }
  const { news } = JSON.parse(await live(run(store, ['resume', id, '--json', ...lives ? ['--force'] : []], signal)))
  const forks = news.filter(({ event }: Document) => event === 'forked')
  forks.forEach(({ fork }: Document) =>
    ctx.ui.notify(`fleet: what only this machine had of it is the session ${fork} now`, 'info'))
  return true
}

// Describes the state of the session from the head. The head comes before the history.
function stateOf({ state, depth }: Document): string {
  const { readonly, sequence, todo } = state ?? {}
  return [`readonly is ${readonly ? 'on' : 'off'}`, ...sequence ? [`a sequence of ${sequence.steps?.length} steps`] : [],
    ...todo?.items?.length > 0 ? [`${todo.items.length} todos`] : [], `${depth} entries deep`].join(' · ')
}
