// Asks a person who may be typing when the dialog comes up: typed letters go to the editor, and are no answer.
import { type ExtensionContext, ExtensionSelectorComponent } from '@earendil-works/pi-coding-agent'
import { decodeKittyPrintable, isKeyRelease, matchesKey } from '@earendil-works/pi-tui'
import { inProcess } from '../process.ts'

const QUIET_MS = 700 // behind a key that types: before, nobody has read the dialog

// Of a session.
interface Dialogs {
  last: Promise<unknown> // about a tool
  leaving?: AbortController // of the dialog before the session is left
}

const known = inProcess('choice', () => ({ typedMs: -Infinity, dialogs: new WeakMap<object, Dialogs>() }))

// To be called at session_start: keys before a dialog count too. pi forgets the listener with the session.
export function watchKeys({ mode, ui }: ExtensionContext): void {
  if (mode === 'tui') {
    ui.onTerminalInput((data) => {
      if (typedInto('', data) !== undefined) {
        known.typedMs = performance.now()
      }
      return undefined
    })
  }
}

function dialogsOf({ sessionManager }: ExtensionContext): Dialogs {
  const found = known.dialogs.get(sessionManager) ?? { last: Promise.resolve() }
  known.dialogs.set(sessionManager, found)
  return found
}

// About a tool that waits. A terminal shows one dialog, and forgets a dialog for the next: the forgotten dialog would
// never end. So these dialogs wait for one another, and end a dialog before the session is left. A signal that was
// aborted answers at once.
export function chooseForTool(title: string, choices: string[], ctx: ExtensionContext): Promise<string | undefined> {
  const { signal } = ctx
  const now = dialogsOf(ctx)
  const answer = now.last.then(() => {
    if (!signal?.aborted) {
      now.leaving?.abort()
    }
    return choose(ctx, title, choices, signal)
  })
  now.last = answer.catch(() => {})
  return answer
}

// Before the session is left, or files are restored, until the session is `over`; null: another dialog took the place.
export async function chooseToLeave(title: string, choices: string[], ctx: ExtensionContext, over?: AbortSignal) {
  const dialogs = dialogsOf(ctx)
  dialogs.leaving?.abort()
  const { signal } = dialogs.leaving = new AbortController()
  const answer = await choose(ctx, title, choices, over ? AbortSignal.any([signal, over]) : signal)
  return signal.aborted ? null : answer
}

// The choice; undefined: none. Over RPC a client has dialogs of its own.
export async function choose({ mode, ui }: ExtensionContext, title: string, choices: string[],
  signal: AbortSignal | undefined): Promise<string | undefined> {
  if (mode !== 'tui') {
    return ui.select(title, choices, { signal })
  }
  if (signal?.aborted) {
    return undefined
  }
  const blocked = { kind: 'question', message: title } // pi 1.5 says so in the title of the terminal
  return ui.custom<string | undefined>((tui, _theme, _keys, done) => {
    const finish = (choice?: string) => {
      signal?.removeEventListener('abort', abort)
      const text = ui.getEditorText()
      done(choice)
      ui.setEditorText(text) // pi has put back the text from before the dialog
    }
    const abort = () => finish()
    signal?.addEventListener('abort', abort)
    const dialog = new ExtensionSelectorComponent(title, choices, finish, abort,
      { tui, onToggleToolsExpanded: () => ui.setToolsExpanded(!ui.getToolsExpanded()) })
    const answer = dialog.handleInput.bind(dialog)
    dialog.handleInput = (data) => {
      const text = typedInto(ui.getEditorText(), data)
      if (text !== undefined) {
        ui.setEditorText(text)
      } else if (performance.now() - known.typedMs >= QUIET_MS) {
        answer(data)
      }
    }
    return dialog
  }, { blocked } as object)
}

// The text behind a key that types; undefined: another key.
function typedInto(text: string, data: string): string | undefined {
  if (isKeyRelease(data)) {
    return undefined
  }
  if (matchesKey(data, 'backspace')) {
    return Array.from(text).slice(0, -1).join('')
  }
  const [, pasted] = /^\x1b\[200~([^]*)\x1b\[201~$/.exec(data) ?? []
  const [, point] = /^\x1b\[27;[12];(\d+)~$/.exec(data) ?? [] // modifyOtherKeys
  const typed = pasted ?? decodeKittyPrintable(data) ?? (point === undefined ? data : String.fromCodePoint(+point))
  return pasted !== undefined || /^[^\x00-\x1f\x7f]/.test(typed) ? text + typed : undefined
}
