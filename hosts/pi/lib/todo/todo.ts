// Todo: a list that the model keeps with the tool `todo`, and that /todos shows.
//
// The list lies in the session: in the details of each result, as pi's example extension has it, and at the end of a
// turn as an entry `todo`, which the store knows as a piece of the state. So a fork forks the list, and a resume and a
// move in the tree bring back the list of that place.
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'
import { Type } from 'typebox'
import { todoOf } from '../guard/fallback.ts'
import type { Owner } from '../owner.ts'
import { act, type Call, type Details, EMPTY, isForgotten, lineOf, type List, newestList } from './list.ts'
import { drawCall, drawResult, plainLines, todoView } from './view.ts'

const ACTIONS: Call['action'][] = ['list', 'add', 'toggle', 'clear']
const REMINDER = 'The conversation before this point was compacted. Your todo list (tool `todo`) is unchanged:\n'

export default function todo(pi: ExtensionAPI, owner: Owner): void {
  let isOffered = false // false too if another extension has the tool
  let list: List = EMPTY
  let isKept = true // the newest entry `todo` of the path has the list
  const calls = new Set<string>() // that changed or read `list` in this turn
  let isOlder = false // a result of this turn is of a call that another start of the extension answered

  function look({ sessionManager }: ExtensionContext): void {
    list = EMPTY // after an error the list of another place must not stay
    isKept = true
    ;({ list, isKept } = newestList(sessionManager))
  }

  // pi refuses to start if two extensions have one tool from their load on. So this tool comes with the session, if no
  // other extension has such a tool; /todos comes with the tool.
  function offer(ctx: ExtensionContext): void {
    const other = pi.getAllTools().find(({ name }) => name === 'todo')
    if (other && !isOffered) {
      owner.session?.tell(`xylem: ${other.sourceInfo.path} has a tool 'todo' too, so this todo stays out of the way`)
      owner.session?.show(ctx)
    } else if (!isOffered) {
      isOffered = true
      register()
    }
  }

  function register(): void {
    pi.registerTool({
      name: 'todo',
      label: 'Todo',
      description: 'Keep a todo list of this session. list shows the list, add appends an item (text), toggle turns ' +
        'an item to done or back to open (id), clear empties the list. At most 64 items of 500 bytes.',
      parameters: Type.Object({
        action: Type.Unsafe<Call['action']>({ type: 'string', enum: ACTIONS }),
        text: Type.Optional(Type.String({ description: 'The text of the new item, for add' })),
        id: Type.Optional(Type.Number({ description: 'The number of the item, for toggle' })),
      }),
      // Without an await: parallel calls of one answer see each other's changes.
      async execute(id, call) {
        calls.add(id)
        const outcome = act(list, call)
        isKept &&= outcome.list === list
        list = outcome.list
        const details: Details = { action: call.action, todos: list.items, nextId: list.lastId + 1,
          ...outcome.error !== undefined && { error: outcome.error } }
        return { content: [{ type: 'text', text: outcome.text }], details }
      },
      renderCall: drawCall,
      renderResult: (result, { expanded }, theme, { isError }) => drawResult(result, expanded, isError, theme),
    })

    owner.command(pi, 'todos', {
      description: 'Show the todo list of this place in the session',
      async run(words, ctx) {
        if (words !== '') {
          throw new Error(`expected nothing, found '${words}'. The agent changes the list: ask it`)
        }
        if (ctx.mode === 'tui') {
          await owner.live(ctx.ui.custom<void>((tui, theme, keys, done) => {
            owner.signal.addEventListener('abort', () => done()) // pi forgets the list, and would wait for its end
            return todoView(() => list, tui, theme, keys, done)
          }))
        } else {
          ctx.ui.notify(plainLines(list).join('\n'), 'info')
        }
      },
    })
  }

  owner.on('session_start', (_event, ctx) => {
    offer(ctx)
    look(ctx)
  })

  owner.on('session_tree', (_event, ctx) => look(ctx))

  // A tool that throws has no details, so the error of a result is set here.
  owner.on('tool_result', ({ toolName, details }) => {
    const isRefused = isOffered && toolName === 'todo' && (details as Details | undefined)?.error !== undefined
    return isRefused ? { isError: true } : undefined
  })

  owner.on('message_end', ({ message }) => {
    isOlder ||= message.role === 'toolResult' && message.toolName === 'todo' && !calls.has(message.toolCallId) &&
      todoOf(message.details) !== undefined
  })

  // One entry a turn, none for a turn without a change. A reload in the middle of a turn may look before the results
  // of calls that the extension answered before the reload are on the path.
  owner.onTurnOver((ctx) => {
    calls.clear()
    if (isOffered && isOlder) {
      look(ctx)
    }
    isOlder = false
    if (isOffered && !isKept) {
      pi.appendEntry('todo', { lastId: list.lastId, items: list.items })
      isKept = true
      void owner.session?.catchUp()
    }
  })

  owner.on('context', ({ messages }, ctx) => {
    if (!isOffered || list.items.every(({ done }) => done) || !isForgotten(ctx.sessionManager)) {
      return undefined
    }
    const text = REMINDER + list.items.map(lineOf).join('\n')
    return { messages: [...messages, { role: 'user', content: [{ type: 'text', text }], timestamp: Date.now() }] }
  })
}
