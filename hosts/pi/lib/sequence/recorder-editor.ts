// The recorder in pi's editor: the editor that pi would show, with other meanings of Enter, Escape and a few keys, and
// a widget above the editor with the steps so far.
import { CustomEditor, type ExtensionContext, type KeybindingsManager, type SessionEntry, type Theme }
  from '@earendil-works/pi-coding-agent'
import { type Component, type EditorComponent, isKittyProtocolActive, matchesKey, truncateToWidth, type TUI,
  wrapTextWithAnsi } from '@earendil-works/pi-tui'
import { STATUS } from './plays.ts'
import type { Recorded } from './recorded.ts'

export const DONE = '/done' // ends a recording where the terminal knows no Ctrl+Enter

const ROWS = 9 // of steps in the widget
const MESSAGE_ROWS = 4
const NARROW = 72 // columns; a narrower terminal gets shorter hints

// Members that an editor of pi's own has beside those of the interface.
type Editor = EditorComponent & {
  onEscape?: () => void
  isShowingAutocomplete?(): boolean
}

/** True: the person ended the recording; false: gave up, or `signal` aborted, and then `ctx` must not be used. */
export async function recordInEditor(ctx: ExtensionContext, recorded: Recorded, signal: AbortSignal): Promise<boolean> {
  const former = ctx.ui.getEditorComponent()
  const formerText = ctx.ui.getEditorText()
  const history = ctx.sessionManager.getBranch().flatMap(promptOf)
  const recording = new EditorRecording(recorded,
    (cells) => !signal.aborted && ctx.ui.setStatus(STATUS, recorded.status(cells)))
  const abort = () => recording.finish(false)
  signal.addEventListener('abort', abort, { once: true })
  try {
    ctx.ui.setEditorText('')
    ctx.ui.setEditorComponent((tui, theme, keys) =>
      recording.wrap(former?.(tui, theme, keys) ?? new CustomEditor(tui, theme, keys), history, tui, keys))
    ctx.ui.setWidget(STATUS, (_tui, theme) => stepsView(recording, theme))
    const isDone = await recording.end
    if (isDone && recording.message) { // a warning about the last step
      ctx.ui.notify(recording.message, 'warning')
    }
    return isDone
  } finally {
    signal.removeEventListener('abort', abort)
    if (!signal.aborted) {
      ctx.ui.setEditorComponent(former)
      ctx.ui.setEditorText(formerText)
      ctx.ui.setWidget(STATUS, undefined)
      ctx.ui.setStatus(STATUS, undefined)
    }
  }
}

// The text of a user message.
function promptOf(entry: SessionEntry): string[] {
  if (entry.type !== 'message' || entry.message.role !== 'user') {
    return []
  }
  const { content } = entry.message
  return typeof content === 'string' ? [content] : content.flatMap((part) => part.type === 'text' ? [part.text] : [])
}

class EditorRecording {
  readonly recorded: Recorded
  readonly end: Promise<boolean>
  finish!: (isDone: boolean) => void
  chosen: number | undefined // the step whose text is in the editor; undefined: a new step
  message = ''
  isProblem = false
  readonly #showStatus: (cells: number) => void
  #editor!: Editor
  #tui!: TUI
  #shown = '' // the text of the chosen step, as the editor has it
  #draft = '' // the new step that waits while a step is chosen
  #typed = '' // the text before the newest key that the editor handles

  constructor(recorded: Recorded, showStatus: (cells: number) => void) {
    this.recorded = recorded
    this.end = new Promise((resolve) => { this.finish = resolve })
    this.#showStatus = showStatus
  }

  // pi uses the result like the editor itself, so completion, history and appearance stay. pi and other extensions set
  // `onSubmit`, `onChange` and `onEscape` of the result; `onSubmit` and `onEscape` stay the recorder's.
  wrap(editor: Editor, history: string[], tui: TUI, keys: KeybindingsManager): EditorComponent {
    this.#editor = editor
    this.#tui = tui
    history.forEach((text) => editor.addToHistory?.(text))
    let tell = editor.onChange
    editor.onChange = (text) => {
      tell?.(text)
      this.#say('')
    }
    editor.onSubmit = (text) => this.#submit(text)
    const { onEscape } = editor
    editor.onEscape = () => this.finish(false)
    void this.end.then(() => { editor.onEscape = onEscape }) // an extension may show the same editor again
    const handleInput = (data: string) => this.#handleInput(data, keys)
    return new Proxy(editor, {
      get(target, name) {
        const value = name === 'handleInput' ? handleInput : Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
      set(target, name, value) {
        if (name === 'onChange') {
          tell = value
        } else if (name !== 'onSubmit' && name !== 'onEscape') {
          Reflect.set(target, name, value)
        }
        return true
      },
    })
  }

  get #text(): string {
    return this.#editor.getExpandedText?.() ?? this.#editor.getText()
  }

  #handleInput(data: string, keys: KeybindingsManager): void {
    const editor = this.#editor
    if (isEnd(data, keys) || (keys.matches(data, 'tui.input.submit') && this.#text.trim() === DONE)) {
      this.#end()
    } else if (matchesKey(data, 'alt+up') || matchesKey(data, 'alt+down')) {
      this.#choose(matchesKey(data, 'alt+up') ? -1 : 1)
    } else if (!('actionHandlers' in editor) && keys.matches(data, 'app.interrupt') &&
      !editor.isShowingAutocomplete?.()) { // an editor that does not call onEscape
      this.finish(false)
    } else {
      this.#typed = this.#text
      editor.handleInput(data)
    }
  }

  // An editor empties itself and trims the text before it submits.
  #submit(text: string): void {
    if (text === DONE) {
      this.#leave()
      this.#end()
    } else {
      this.#enter(this.#typed.trim() === text ? this.#typed : text)
    }
  }

  // Adds the text, or puts the text in the place of the chosen step. A chosen step without a text is removed. False:
  // the text is refused, and stays in the editor.
  #enter(text: string): boolean {
    const at = this.chosen
    const step = text.trim()
    if (!step) {
      if (at !== undefined) {
        this.recorded.remove(at)
        this.#leave()
      }
      return true
    }
    // The editor shows tabs as blanks: a step that nobody changed stays as it is.
    const { isTaken, message } = this.recorded.take(at !== undefined && text === this.#shown
      ? this.recorded.steps[at] : step, at)
    if (isTaken) {
      this.#editor.addToHistory?.(step)
      this.#leave()
    } else if (this.#text !== text) {
      this.#editor.setText(text)
    }
    this.#say(message, !isTaken)
    return isTaken
  }

  // Back to the new step.
  #leave(): void {
    this.chosen = undefined
    this.#editor.setText(this.#draft)
    this.#draft = ''
    this.#say('')
  }

  // Ends the recording, after the text in the editor and the text that waits are taken.
  #end(): void {
    this.#say('')
    if (this.#text.trim() === DONE || (this.chosen !== undefined && this.#text === this.#shown)) {
      this.#leave()
    }
    if (!this.#enter(this.#text) || !this.#enter(this.#text)) {
      return
    }
    const missing = this.recorded.missing()
    if (missing) {
      this.#say(missing, true)
    } else {
      this.finish(true)
    }
  }

  #choose(by: number): void {
    const steps = this.recorded.steps
    const from = this.chosen ?? steps.length
    const to = Math.max(0, Math.min(from + by, steps.length))
    if (to === steps.length && from < to) {
      this.#leave()
    } else if (to !== from) {
      if (this.chosen === undefined) {
        this.#draft = this.#text
      }
      this.chosen = to
      this.#editor.setText(steps[to])
      this.#shown = this.#text
      this.#say('')
    }
  }

  // A message shows until the next change.
  #say(message: string, isProblem = false): void {
    this.message = message
    this.isProblem = isProblem
    this.#showStatus(this.#tui.terminal.columns)
    this.#tui.requestRender()
  }
}

// A bare newline is ctrl+j, except that some terminals with kitty's protocol send it for shift+enter.
function isEnd(data: string, keys: KeybindingsManager): boolean {
  const key = matchesKey(data, 'ctrl+enter') ? 'ctrl+enter'
    : matchesKey(data, 'ctrl+j') && !(data === '\n' && isKittyProtocolActive()) ? 'ctrl+j' : undefined
  return key !== undefined && !keys.getKeys('tui.input.submit').includes(key)
}

// The steps so far, a message, and the keys.
function stepsView(recording: EditorRecording, theme: Theme): Component {
  function stepLines(): string[] {
    const { recorded, chosen } = recording
    const [head, ...lines] = recorded.preview()
    const digits = Math.max(2, String(recorded.steps.length).length) // the column of the numbers
    const begins = lines.flatMap((line, at) => /\d/.test(line.slice(0, digits)) ? [at] : [])
    const begin = chosen === undefined ? lines.length : begins[chosen]
    const end = chosen === undefined ? lines.length : begins[chosen + 1] ?? lines.length
    const [top, bottom] = windowOf(lines.length, begin, end)
    const shown = lines.slice(top, bottom).map((line, i) =>
      top + i === begin ? theme.fg('accent', `▸ ${line}`) : `  ${line}`)
    const more = (count: number, where: string) => count === 0 ? []
      : [theme.fg('dim', `  … ${count} ${count === 1 ? 'row' : 'rows'} ${where}`)]
    return [theme.fg('accent', `  ${head}`), ...more(top, 'above'), ...shown, ...more(lines.length - bottom, 'below')]
  }

  return {
    invalidate() {}, // nothing is kept between two drawings

    render(width) {
      const { message, isProblem, chosen } = recording
      const told = message ? wrapTextWithAnsi(message, Math.max(8, width - 2)).slice(0, MESSAGE_ROWS) : []
      const lines = [...stepLines(), ...told.map((line) => `  ${theme.fg(isProblem ? 'error' : 'warning', line)}`),
        theme.fg('dim', `  ${hintOf(chosen, width)}`)]
      return lines.map((line) => truncateToWidth(line, width, '…'))
    },
  }
}

function hintOf(chosen: number | undefined, width: number): string {
  if (chosen !== undefined) {
    return width < NARROW ? 'Enter replaces, emptied removes' :
      `Enter replaces step ${chosen + 1}, emptied removes · Alt+↑↓ step · Esc cancels`
  }
  return width < NARROW ? 'Alt+↑↓ step · /done ends · Esc cancels'
    : `Enter adds · Ctrl+Enter, Ctrl+J or ${DONE} ends · Alt+↑↓ step · Esc cancels`
}

// The rows from `top` to `bottom` of so many rows, with those from `begin` to `end` in view. Two rows count the others.
function windowOf(count: number, begin: number, end: number): [top: number, bottom: number] {
  if (count <= ROWS) {
    return [0, count]
  }
  const size = ROWS - 2
  const top = Math.max(0, Math.min(Math.floor((begin + end - size) / 2), count - size))
  return [top, top + size]
}
