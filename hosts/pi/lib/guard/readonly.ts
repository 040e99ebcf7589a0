// Readonly: /readonly, ctrl+shift+r and --readonly keep an agent from changing files.
//
// While readonly is on, the tools that write are blocked and shell commands are judged. The state lies in the session:
// a fork, a resume and a move in the tree bring back what held there. Every rule is the library's (xylem_rehydrate(),
// xylem_gate_ask()); here is the wiring.
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'
import type { XylemEvent } from 'xylem-native'
import { type Block, type Guard, guards } from './children.ts'
import { watchKeys } from './choice.ts'
import { askWhetherOnlyReads, type Hints, hintsOf, onlyReads } from './readers.ts'
import { type Offer, pathOf } from '../sequence/offers.ts'
import type { Session } from '../store/session.ts'
import { BADGE, CHILD_NOTICE, isBlocked, isFlagLifted, liftFlag, mayBeReadonly } from './fallback.ts'
import { RANK } from './gate.ts'
import type { Owner } from '../owner.ts'
import { extensionFile } from '../package.ts'
import { readSettings } from '../settings.ts'
import { native, problem as addonProblem } from '../store/native.ts'

// git starts programs that the configuration of a repository names, also for `git status`. So this stands before a
// command of the model, here and with --ssh: git then starts no program of core.fsmonitor and no hook, and does not
// write the index, which git does for its own speed alone.
const QUIET_GIT = 'export GIT_OPTIONAL_LOCKS=0 GIT_CONFIG_COUNT=$((${GIT_CONFIG_COUNT:-0}+2)); ' +
  'export "GIT_CONFIG_KEY_$((GIT_CONFIG_COUNT-1))=core.fsmonitor" "GIT_CONFIG_VALUE_$((GIT_CONFIG_COUNT-1))=false" ' +
  '"GIT_CONFIG_KEY_$((GIT_CONFIG_COUNT-2))=core.hooksPath" "GIT_CONFIG_VALUE_$((GIT_CONFIG_COUNT-2))=/dev/null"; '

const HERE = extensionFile('readonly') // which has the command, for pi

export default function readonly(pi: ExtensionAPI, owner: Owner): void {
  const { live } = owner
  let inert: string | undefined // why: another extension has the command, the key and the flag
  let closed = !native // without the addon: what writes is blocked, also before a start and after an error
  let telling: 'on' | 'off' | undefined // the nudge in the request that is on its way
  let isAnswered = false // that request
  let told = false // the nudge of the state was delivered

  let manager: ExtensionContext['sessionManager'] | undefined

  const isOn = () => owner.session?.state?.readonly ?? closed
  // After an error.
  const isUnknown = () => native !== undefined && owner.session !== undefined && !owner.session.state

  function show(ctx: ExtensionContext): void {
    const badge = owner.session?.state?.badge ?? (closed ? BADGE : '')
    const shown = inert === undefined && badge ? badge : undefined
    // A client of RPC has colours of its own.
    ctx.ui.setStatus('xylem-readonly', shown && ctx.mode === 'tui' ? ctx.ui.theme.fg('warning', shown) : shown)
    owner.session?.show(ctx)
  }

  // Another /readonly, such as pi-agenticoding's: two guards would toggle against each other. Of two copies of this
  // extension one is active.
  function findOther(now: Session): void {
    const copies = [...guards].map(({ path }) => path)
    const paths = pi.getCommands()
      .filter(({ name, source }) => source === 'extension' && /^readonly(:\d+)?$/.test(name))
      .map(({ sourceInfo }) => pathOf(sourceInfo.path))
    const other = paths.find((path) => !copies.includes(path)) ?? paths.find((path) => path < pathOf(HERE))
    const before = inert
    inert = other !== undefined && now.settings.readonly?.beside !== true ? other : undefined
    if (inert !== undefined && before === undefined) {
      now.tell(`xylem: ${inert} has a /readonly too, so this one stays out of the way. ` +
        `"xylem": {"readonly": {"beside": true}} in settings.json keeps both active`)
    }
  }

  function ask(name: string, input: object, cwd: string, hints: Hints = {}): Block | undefined {
    if (inert !== undefined) {
      return undefined
    }
    const { session } = owner
    if (!native) {
      const isWriter = hints.destructiveHint === true || hints.readOnlyHint === false ||
        isBlocked(name, session?.settings.readonly)
      return closed && isWriter ? { block: true,
        reason: `Readonly mode: ${name} disabled: ${addonProblem}. '/readonly off' lifts the block.` } : undefined
    }
    if (!session?.state) { // an error blocks the tool
      throw new Error('Readonly mode: the state of this session is not known')
    }
    const { block, reason } = session.state.ask({ name, input: JSON.stringify(input), cwd,
      readOnly: hints.readOnlyHint, destructive: hints.destructiveHint === true }, session.settings.readonly)
    return block ? { block, reason } : undefined
  }

  // A child asks nobody.
  function isMcpWriter(name: string): boolean {
    const hints = isOn() && manager ? hintsOf(pi, name, { sessionManager: manager }) : {}
    return hints.destructiveHint === true || (onlyReads(hints) ?? !hints.mcp) === false
  }

  const guard: Guard = {
    path: pathOf(HERE),
    isOn: () => inert === undefined && (isOn() || isUnknown()),
    childTools(all) {
      const names = all.filter((name) => !isMcpWriter(name))
      const rules = owner.session?.settings.readonly
      return owner.session?.state?.childTools(names, rules) ?? names.filter((name) => !isBlocked(name, rules))
    },
    childNotice: () => owner.session?.state?.childNotice ?? CHILD_NOTICE,
    judgeBash: (command, cwd) => ask('bash', { command }, cwd),
  }
  const offer: Offer = { name: 'readonly', path: HERE, arguments: ['', 'on', 'off'], toggles: true, run }
  guards.add(guard) // here, so that every copy knows of all copies when the session starts

  // What /readonly does, also as a step of a sequence. An error says why readonly stays as it is.
  async function run(words: string, ctx: ExtensionContext): Promise<void> {
    const word = words.trim()
    if (word !== '' && word !== 'on' && word !== 'off') {
      throw new Error(`expected on, off or nothing, found '${word}'`)
    }
    const now = owner.session!
    if (inert !== undefined) {
      throw new Error(`this session has the readonly of ${inert}`)
    }
    const previousReadonly = isOn()
    const enabled = word === '' ? !previousReadonly : word === 'on'
    const direction = enabled ? 'on' : 'off'
    const isWorking = !ctx.isIdle()
    if (isWorking && !enabled) { // the agent must not be let loose in the middle of what it does
      throw new Error('the agent is working, and readonly stays on. Try again when the agent is idle')
    }
    if (enabled === previousReadonly && now.isDecided(enabled)) {
      ctx.ui.notify(`Readonly is ${direction} already`, 'info')
      return
    }
    pi.appendEntry('readonly', { enabled })
    pi.appendEntry('readonly-nudge', { direction })
    native?.note(`toggled:${now.id}`, 'yes')
    closed = !native && enabled
    liftFlag(!enabled)
    told = false
    now.rehydrateFromMemory({ type: 'toggled', previousReadonly })
    show(ctx)
    await live(now.catchUp())
    show(ctx)
    const rest = now.isStored === false ? '. The store does not have it yet' : ''
    const start = isWorking ? ' from the next tool call on' : ''
    const children = isWorking && guard.mayHaveChildren ? '. Children that already run keep their tools' : ''
    ctx.ui.notify(`Readonly is ${direction}${start}${children}${rest}`, 'info')
  }

  // pi refuses to start with two extensions that have one flag.
  const hasFlag = readSettings().settings.readonly?.flag !== false
  if (hasFlag) {
    pi.registerFlag('readonly', { description: 'Start with readonly on', type: 'boolean', default: false })
  }
  const isFlagGiven = () => hasFlag ? pi.getFlag('readonly') === true : process.argv.includes('--readonly')

  owner.command(pi, 'readonly', {
    description: 'Readonly on or off: block tools that write, judge shell commands',
    words: ['on', 'off'],
    run,
  })

  pi.registerShortcut('ctrl+shift+r', {
    description: 'Toggle readonly',
    handler: (ctx) => inert === undefined ? owner.act('readonly', ctx, () => run('', ctx)) : undefined,
  })

  owner.on('session_start', async (event, ctx) => {
    const now = owner.session!
    manager = ctx.sessionManager
    watchKeys(ctx)
    pi.events.emit('xylem:command', offer)
    guards.add(guard)
    guard.mayHaveChildren = false
    findOther(now)
    // A reload must not undo an "off" of this process. Every other start follows the flag.
    const flagIsFallback = event.reason === 'reload' && native?.noted(`toggled:${now.id}`) != null
    await live(look(now, { type: 'session_start', reason: event.reason, flagIsFallback }, ctx))
  })

  owner.on('session_tree', async (_event, ctx) => {
    await live(look(owner.session!, { type: 'session_tree', previousReadonly: isOn() }, ctx))
  })

  // What holds at the leaf.
  async function look(now: Session, event: XylemEvent, ctx: ExtensionContext): Promise<void> {
    const flagReadonly = isFlagGiven()
    told = false
    closed = !native
    closed &&= mayBeReadonly(event.reason === 'new' ? [] : ctx.sessionManager.getBranch(),
      flagReadonly && !isFlagLifted())
    await live(now.rehydrate({ ...event, flagReadonly }))
    show(ctx)
  }

  owner.gate({
    rank: RANK.readonly,
    async ask({ toolName, input }, ctx) {
      const hints = isOn() && inert === undefined ? hintsOf(pi, toolName, ctx) : {}
      const judge = (readOnlyHint: boolean | undefined) => ask(toolName, input, ctx.cwd, { ...hints, readOnlyHint })
      const known = onlyReads(hints)
      if (known !== undefined || !hints.mcp || hints.destructiveHint === true) {
        return judge(known)
      }
      return judge(true) ?? judge(await live(askWhetherOnlyReads(hints.mcp, ctx, live)))
    },
  })

  // Behind the gates, which judge and show the command of the model.
  owner.on('tool_call', ({ toolName, input }) => {
    const shells = ['bash', ...owner.session?.settings.readonly?.shellTools ?? []].map((name) => name.toLowerCase())
    const call = input as { command?: unknown }
    if (inert === undefined && isOn() && shells.includes(toolName.toLowerCase()) && typeof call.command === 'string') {
      call.command = QUIET_GIT + call.command
    }
  })

  owner.on('context', (event) => {
    const text = inert === undefined && !told ? owner.session?.state?.nudge : undefined
    if (!text) {
      return undefined
    }
    telling = isOn() ? 'on' : 'off'
    isAnswered = false
    return { messages: [...event.messages, { role: 'user', content: [{ type: 'text', text }], timestamp: Date.now() }] }
  })

  // The nudge was told once an answer to it stands on the path. An answer that failed told nothing. pi appends an answer
  // behind `message_end`, and before the tools of the answer run: a tool may run for hours, and pi be killed meanwhile.
  owner.on('message_end', ({ message }) => {
    if (message.role === 'assistant') {
      isAnswered = message.stopReason !== 'error' && message.stopReason !== 'aborted'
    }
  })

  function noteTold(): void {
    if (owner.session && telling !== undefined && isAnswered) {
      pi.appendEntry('readonly-nudge', { direction: telling, delivered: true })
      void owner.session.catchUp()
      told = (telling === 'on') === isOn() // readonly may have gone on behind that request
    }
    telling = undefined
  }
  owner.on('tool_execution_start', noteTold)
  owner.onTurnOver(noteTold)

  owner.on('session_shutdown', () => {
    guards.delete(guard)
  })
}
