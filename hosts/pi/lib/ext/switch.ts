// What /ext does: shows the extensions, switches those that a person marked, and reloads once. Loaded on first use.
import type { ExtensionCommandContext } from '@earendil-works/pi-coding-agent'
import { guards } from '../guard/children.ts'
import { oneLine } from '../excerpt.ts'
import type { Owner } from '../owner.ts'
import { listExtensions, listPackages, type Row, switchFile } from './files.ts'
import { extView, valueOf } from './view.ts'
import { plays } from '../sequence/plays.ts'
import { short } from '../store/privacy.ts'
import { agentDirectory } from '../settings.ts'

const COLUMNS = 200 // of a path
const NAME_COLUMNS = 60
const PROBLEM_COLUMNS = 400

// What became of a change. A reload clears the screen, so the next instance of the extension says so.
export interface Report {
  text: string
  type: 'info' | 'error'
}

// Why an extension must not be switched off now, by name.
const GUARDS: Record<string, () => string | undefined> = {
  'ext-toggle': () => 'Nothing could switch /ext on again',
  readonly: () => [...guards].some((guard) => guard.isOn()) ? 'Readonly is on: /readonly off comes first' : undefined,
  sequence: () => plays.size > 0 ? 'A sequence is running' : undefined,
  ssh: () => process.argv.some((word) => /^--ssh(=|$)/.test(word)) ? 'pi works on another machine by --ssh' : undefined,
}

const reasonOf = ({ name, isOn, file, why }: Row) =>
  why ?? (isOn && file !== undefined && Object.hasOwn(GUARDS, name) ? GUARDS[name]() : undefined)

// Gives what the reload shall tell.
export async function choose(ctx: ExtensionCommandContext, { live, signal }: Owner): Promise<Report | undefined> {
  const directory = `${agentDirectory()}/extensions`
  const rows = [...listExtensions(directory), ...listPackages(agentDirectory())]
    .map((row) => ({ ...row, why: reasonOf(row) }))
  const head = short(directory)
  if (rows.length === 0 || ctx.mode !== 'tui') {
    const lines = rows.map((row) => `${valueOf(row)} ${oneLine(row.name, COLUMNS)}`)
    const title = `${rows.length === 0 ? 'No extensions' : 'Extensions'} in ${oneLine(head, COLUMNS)}`
    ctx.ui.notify([title, ...lines].join('\n'), 'info')
    return undefined
  }
  const marked = await live(ctx.ui.custom<Row[] | undefined>((tui, theme, keys, done) => {
    signal.addEventListener('abort', () => done(undefined)) // pi forgets the list, and would wait for its end for ever
    return extView(rows, head, tui, theme, keys, done)
  }))
  if (!marked || marked.length === 0) {
    return undefined
  }
  if (!ctx.isIdle()) { // a turn began while the list was open
    throw new Error('the agent is working, and nothing was switched')
  }
  return change(directory, marked, ctx)
}

// Each file for itself: a file that stays as it is does not keep the others. Guards may have changed since the list.
function change(directory: string, marked: Row[], ctx: ExtensionCommandContext): Report | undefined {
  const switched: string[] = []
  const problems: string[] = []
  for (const row of marked) {
    const name = oneLine(row.name, NAME_COLUMNS)
    try {
      const reason = reasonOf(row)
      if (reason !== undefined) {
        throw new Error(reason)
      }
      switchFile(directory, row.file!)
      switched.push(`${name} is ${row.isOn ? 'off' : 'on'}`)
    } catch (error) {
      const problem = oneLine((error as Error).message, PROBLEM_COLUMNS) // has the path
      problems.push(`/ext: ${name} stays ${row.isOn ? 'on' : 'off'}: ${problem}`)
    }
  }
  if (switched.length === 0) {
    ctx.ui.notify(problems.join('\n'), 'error')
    return undefined
  }
  return { text: [`Extensions: ${switched.join(', ')}`, ...problems].join('\n'),
    type: problems.length > 0 ? 'error' : 'info' }
}
