// Editors of other extensions: `/editor custom` shows one that extends pi's own, `/editor plain` one that does not know
// pi's keys, `/editor none` pi's own. Each draws its name. The custom editor is one object for all times, and F8 puts
// its name into the text.
import { CustomEditor, type ExtensionAPI } from '@earendil-works/pi-coding-agent'
import { Editor, matchesKey } from '@earendil-works/pi-tui'

class Custom extends CustomEditor {
  readonly #name = 'the custom editor'

  override render(width: number): string[] {
    return [this.#name, ...super.render(width)]
  }

  override handleInput(data: string): void {
    matchesKey(data, 'f8') ? this.insertTextAtCursor(this.#name) : super.handleInput(data)
  }
}

class Plain extends Editor {
  readonly #name = 'the plain editor'

  override render(width: number): string[] {
    return [this.#name, ...super.render(width)]
  }
}

export default function editors(pi: ExtensionAPI): void {
  let custom: Custom | undefined
  pi.registerCommand('editor', {
    description: 'Show another editor',
    handler: async (name, ctx) => {
      ctx.ui.setEditorComponent(name === 'custom' ? (tui, theme, keys) => custom ??= new Custom(tui, theme, keys)
        : name === 'plain' ? (tui, theme) => new Plain(tui, theme) : undefined)
    },
  })
}
