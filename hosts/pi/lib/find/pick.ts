// What /find and /sessions do: a person picks a row, and pi goes on there. Loaded on first use.
import { existsSync } from 'node:fs'
import type { ExtensionCommandContext } from '@earendil-works/pi-coding-agent'
import type { Store } from 'xylem-native'
import { oneLine } from '../excerpt.ts'
import { chooseToLeave } from '../guard/choice.ts'
import type { Owner } from '../owner.ts'
import { native } from '../store/native.ts'
import { sessionFile } from '../store/session-file.ts'
import { findRows, Lists, type Row, sessionRows } from './rows.ts'
import { ageOf, type Kind, type Picker, pickerView, TITLES } from './view.ts'

const WAIT_MS = 1000
const STAY = 'Stay in this session'
const COLUMNS = 100 // of a row in a dialog

type Context = ExtensionCommandContext

export async function pick(kind: Kind, words: string, ctx: Context, owner: Owner): Promise<void> {
  const { live } = owner.life
  const { keeper } = owner.session!
  if ('problem' in keeper) {
    throw new Error(`there is nothing to look in: ${keeper.problem}`)
  }
  if (!ctx.isIdle()) {
    throw new Error('the agent is working: wait, or stop the agent')
  }
  const store = await live(native!.openAsync(keeper.path, { waitMs: WAIT_MS }))
  try {
    const { cwd } = ctx
    const own = ctx.sessionManager.getSessionId()
    const lists = new Lists(store)
    const picker: Picker = { kind, words,
      look: (text, isAll, signal) => kind === 'find' ? findRows(lists, text, isAll ? undefined : cwd, signal)
        : sessionRows(lists, text, isAll ? undefined : cwd, own) }
    const row = await live(pickRow(picker, ctx, owner))
    if (row) {
      await live(open(row, store, ctx, owner))
    }
  } finally {
    store.close()
  }
}

// undefined: none.
export const pickRow = (picker: Picker, ctx: Context, owner: Owner): Promise<Row | undefined> =>
  ctx.mode === 'tui' ? inTerminal(picker, ctx, owner) : byDialog(picker, ctx, owner)

async function inTerminal(picker: Picker, ctx: Context, { life: { live, signal } }: Owner): Promise<Row | undefined> {
  return live(ctx.ui.custom<Row | undefined>((tui, theme, keys, done) => {
    const view = pickerView(picker, tui, theme, keys, (row) => {
      view.end()
      done(row)
    })
    signal.addEventListener('abort', () => { // pi forgets the picker, and would wait for its end
      view.end()
      done(undefined)
    })
    return view
  }))
}

// Over RPC, in all directories if this one has nothing.
async function byDialog({ kind, words, look }: Picker, { ui, hasUI }: Context, { life: { live, signal } }: Owner) {
  if (!hasUI) {
    throw new Error("a person picks here: 'xylem search', 'xylem sessions' and 'xylem fleet sessions' print")
  }
  const text = words || kind !== 'find' ? words : await live(ui.input('Find what?', undefined, { signal })) ?? ''
  let { rows, note } = await live(look(text, false, signal))
  if (rows.length === 0) {
    ({ rows, note } = await live(look(text, true, signal)))
  }
  if (rows.length === 0) {
    ui.notify(note, 'info')
    return undefined
  }
  const labels = rows.map((row, i) => oneLine(`${i + 1}. ${ageOf(row.timeMs)}: ${row.text}`, COLUMNS))
  const answer = await live(ui.select(`${TITLES[kind]}: ${note}`, labels, { signal }))
  return rows[labels.indexOf(answer ?? '')]
}

// Resumes the session of a row, where the session ended if the match is on that path; else pi moves to the match. A
// session of another directory, and a session that another process holds, are told of before.
export async function open({ session, entry, known }: Row, store: Store, ctx: Context,
  { life: { live, signal } }: Owner): Promise<void> {
  if (session === ctx.sessionManager.getSessionId()) {
    if (entry !== undefined && entry !== ctx.sessionManager.getLeafId()) {
      await live(move(ctx, entry))
    }
    return
  }
  const { cwd, owner = null, files = [] } = known ?? {}
  const why = [...cwd != null && cwd !== ctx.cwd ? [`It works in ${cwd}, and pi goes there.`] : [],
    ...owner?.alive && owner.pid !== process.pid
      ? [`Process ${owner.pid} on ${owner.host} has it open: what you do there is not kept until that process ends.`]
      : []]
  const yes = 'Open that session'
  if (why.length > 0) {
    const name = oneLine(known?.name ?? known?.first ?? session, COLUMNS)
    const title = `Open '${name}'?\n${why.map((line) => oneLine(line, 300)).join('\n')}`
    if (await live(chooseToLeave(title, [STAY, yes], ctx, signal)) !== yes) {
      return
    }
  }
  const file = files.find((path) => existsSync(path)) ??
    await live(sessionFile(store, session, ctx.sessionManager.getSessionDir()))
  await live(ctx.switchSession(file, { withSession: (fresh) => {
    const isElsewhere = fresh.sessionManager.getBranch().every(({ id }) => id !== entry)
    return entry === undefined || !isElsewhere ? Promise.resolve() : move(fresh, entry)
      .catch(({ message }: Error) => fresh.ui.notify(`pi is not at the match: ${message}`, 'error'))
  } }))
}

// As /tree: a message of the person comes into the editor, and the rest of the session is not on the screen.
const move = (ctx: Context, entry: string): Promise<void> => ctx.navigateTree(entry).then(({ cancelled }) => cancelled
  ? undefined : ctx.ui.notify("pi is at the match. What came later is in the session: '/tree' leads there", 'info'))
