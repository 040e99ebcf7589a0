// `/switch-off NAME` takes a tool from the model, as an extension that lets a person choose tools does.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'

export default function switchOff(pi: ExtensionAPI): void {
  pi.registerCommand('switch-off', {
    description: 'Switch a tool off',
    handler: async (name) => pi.setActiveTools(pi.getActiveTools().filter((active) => active !== name)),
  })
}
