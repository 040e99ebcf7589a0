// Confirm: asks before a bash command that destroys, and before a session is left behind.
//
// The library's policy `confirm` finds such commands. Only an explicit yes of a person lets a command run: an answer
// that fails to come, an error and a pi without a UI block. Over RPC the client asks its person.
import { existsSync } from 'node:fs'
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'
import type { PolicyConfig, Verdict } from 'xylem-native'
import type { Block } from './children.ts'
import { type Answer, log } from './asked.ts'
import { chooseForTool, chooseToLeave, watchKeys } from './choice.ts'
import { columns, excerpt, oneLine, type Part } from '../excerpt.ts'
import type { Owner } from '../owner.ts'
import type { Session } from '../store/session.ts'
import { beforeFork, STAY } from './fork.ts'
import { RANK } from './gate.ts'
import { isPlaying } from '../sequence/plays.ts'
import { readSettings } from '../settings.ts'
import { remote } from '../ssh/remote.ts'
import { native, problem as addonProblem } from '../store/native.ts'

const RUN = 'Run it once'
const BLOCK = 'Block'
const RUN_SUCH = 'Run in this session without asking: ' // the grants follow

const ROWS = 5 // of a dialog, for the command
const PART_COLUMNS = 120 // of a command, for the model
const REASON_COLUMNS = 120
const PROGRAM_COLUMNS = 16
const GRANT_COLUMNS = 200 // of all grants together: a grant is never cut
const PROGRAMS_MAX = 5

// Why a command is asked about, for the person and for the model.
interface Question {
  command: string
  part: Part
  why: string
  verdict?: Verdict // absent: nothing judged the command
  cwd: string | undefined
  others: string[] // what else is asked about: programs of commands, or rules
  grants: string[] // what the person can allow for the session; empty: nothing
}

export default function confirm(_pi: ExtensionAPI, owner: Owner): void {
  const { live } = owner
  const allowed = new WeakMap<Session, Set<string>>() // grants

  const settings = () => (owner.session?.settings ?? readSettings().settings).confirm ?? {}
  let rules: Rules = {}

  owner.on('session_start', (_event, ctx) => {
    watchKeys(ctx)
    rules = rulesOf(settings())
    if (rules.problem) {
      owner.session?.tell(`xylem: ${rules.problem}. Until this is mended, confirm asks about each bash command`)
    }
  })

  // An error of the log blocks nothing.
  function note({ command, cwd, verdict }: Question, answer?: Answer): void {
    const path = settings().log
    try {
      if (path !== undefined && verdict) {
        log(path, command, cwd, verdict, answer)
      }
    } catch (error) {
      owner.session?.tell(`xylem: the log of confirm, ${path}, cannot be written: ${(error as Error).message}`)
    }
  }

  async function ask(question: Question, ctx: ExtensionContext): Promise<Block | undefined> {
    const { session } = owner
    if (session && isAllowed(question, allowed.get(session))) {
      return undefined
    }
    if (question.verdict?.decision === 'deny') { // by a rule of the person
      note(question)
      return blocked(question, 'The person is not asked.')
    }
    let answer: Answer = 'none'
    try {
      if (!ctx.hasUI) {
        return blocked(question, 'Nobody can be asked: pi runs without a UI.')
      }
      const { signal } = ctx
      const runSuch = session && grantText(question)
      const choices = runSuch ? [BLOCK, RUN, runSuch] : [BLOCK, RUN]
      const choice = await live(chooseForTool(titleOf(question), choices, ctx))
      if (signal?.aborted) {
        return blocked(question, 'The turn was aborted before an answer.')
      }
      // Escape is an answer. Of a client nobody knows whether a person has answered.
      answer = choice === undefined && ctx.mode !== 'tui' ? 'none'
        : choices.indexOf(choice ?? BLOCK) > 0 ? 'allow' : 'deny'
      if (runSuch && choice === runSuch) {
        allowed.set(session, new Set([...allowed.get(session) ?? [], ...question.grants]))
      }
      return answer === 'allow' ? undefined : blocked(question, 'The person did not allow it.')
    } finally {
      note(question, answer) // also of a question that fails
    }
  }

  owner.gate({
    rank: RANK.confirm,
    async ask(event, ctx) {
      if (event.toolName !== 'bash') {
        return undefined
      }
      try {
        // On another machine nobody knows the directory: a relative path there gets no grant.
        const { command } = event.input as { command?: unknown }
        const question = questionOf(command, remote() ? undefined : ctx.cwd, rules)
        return question && await live(ask(question, ctx))
      } catch (error) {
        return { block: true, reason: `Blocked: nobody was asked about the command: ${(error as Error).message}` }
      }
    },
  })

  // The settings say when, and a sequence itself asks, or resets.
  function asksToLeave(ctx: ExtensionContext): boolean {
    const { leave } = settings()
    return !isPlaying(ctx) && leave !== 'off' && (leave !== 'unsaved' || unsavedOf(owner.session, ctx) !== undefined)
  }

  // `dialog` gives the title and the choice that leaves; undefined: nothing is asked. pi goes on after an error of a
  // handler, so an error cancels here.
  async function mayLeave(dialog: () => [string, string] | undefined, ctx: ExtensionContext) {
    try {
      const asked = ctx.hasUI && asksToLeave(ctx) ? dialog() : undefined
      if (!asked) {
        return undefined
      }
      const [title, choice] = asked
      return await live(chooseToLeave(title, [STAY, choice], ctx)) === choice ? undefined : { cancel: true }
    } catch {
      return { cancel: true }
    }
  }

  owner.on('session_before_switch', ({ reason }, ctx) => mayLeave(() => {
    const unsaved = unsavedOf(owner.session, ctx)
    if (reason === 'new') {
      return [`Start a new session?\n${unsaved ?? '/resume brings this session back.'}`, 'Start a new session']
    }
    return unsaved ? [`Leave this session?\n${unsaved}`, 'Leave this session'] : undefined
  }, ctx))

  beforeFork(owner, { mayStay: asksToLeave })
}

// A person's rules, and why the library does not take the rules.
interface Rules {
  taught?: PolicyConfig
  problem?: string
}

function rulesOf({ allow, ask, deny }: PolicyConfig): Rules {
  const taught = allow || ask || deny ? { allow, ask, deny } : undefined
  try {
    native?.judge('confirm', '', undefined, taught)
    return { taught }
  } catch (error) {
    return { problem: `settings.json: xylem.confirm: ${(error as Error).message}` }
  }
}

// undefined: nobody need be asked.
function questionOf(command: unknown, cwd: string | undefined, { taught, problem }: Rules): Question | undefined {
  if (typeof command !== 'string') {
    throw new Error('the command is no text')
  }
  if (!native || problem) {
    return { command, cwd, part: { offset: 0, length: 0 }, others: [], grants: [],
      why: `nothing judges commands here: ${problem ? 'a rule of your settings does not fit' : addonProblem}` }
  }
  // As behind `ssh` in a command, `allow` holds on this machine alone.
  const verdict = native.judge('confirm', command, cwd, taught && cwd === undefined ? { ...taught, allow: [] } : taught)
  if (verdict.decision === 'allow') {
    return undefined
  }
  const deciding = verdict.judged.filter(({ decision }) => decision !== 'allow')
  const first = deciding.findIndex(({ rule }) => rule === verdict.rule)
  const others = deciding.filter((_judged, i) => i !== first)
    .map(({ program, rule }) => oneLine(program || rule, PROGRAM_COLUMNS))
  if (first >= 0 && verdict.unlisted) {
    others.push('another part')
  }
  return { command, cwd, verdict, part: verdict, why: `${verdict.reason} (${verdict.rule})`,
    others: [...new Set(others)], grants: verdict.grants }
}

const isAllowed = ({ grants }: Question, allowed = new Set<string>()) =>
  grants.length > 0 && grants.every((grant) => allowed.has(grant))

// The choice that says what it allows for the session; undefined: nothing, or more than a person reads.
function grantText({ grants }: Question): string | undefined {
  const text = grants.join(', ')
  const isWhole = text === oneLine(text, GRANT_COLUMNS)
  return grants.length > 0 && isWhole ? RUN_SUCH + text : undefined
}

function titleOf({ command, part, why, others }: Question): string {
  const also = others.length > PROGRAMS_MAX ? [...others.slice(0, PROGRAMS_MAX), '…'] : others
  return [`Run this command? ${oneLine(why, REASON_COLUMNS)}`, '', excerpt(command, part, ROWS * columns()),
    ...also.length > 0 ? ['', `Also asked about: ${also.join(', ')}`] : []].join('\n')
}

function blocked({ command, part: { offset, length }, why }: Question, what: string): Block {
  const part = length > 0 ? command.slice(offset, offset + length) : command
  return { block: true, reason: `Blocked: ${oneLine(part, PART_COLUMNS)}: ${why}. ${what}` }
}

// What the person loses who leaves the session; undefined: nothing.
function unsavedOf(session: Session | undefined, { sessionManager }: ExtensionContext): string | undefined {
  const messages = sessionManager.getBranch().flatMap((entry) => entry.type === 'message' ? [entry.message] : [])
  const last = messages.findLast(({ role }) => role === 'user' || role === 'assistant')
  if (last?.role === 'user') {
    return 'Your last message has no answer yet.'
  }
  const file = sessionManager.getSessionFile()
  const isKept = (file !== undefined && existsSync(file)) || session?.isKept === true
  return last && !isKept ? 'pi has not saved this session, and the store does not have it.' : undefined
}
