// `/meddle EVENT TEXT`: this extension sends a prompt of its own, once, with the next such event of this session.
// `/swallow TEXT`: this extension takes prompts with this text, and pi begins no turn.
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'

export default function meddler(pi: ExtensionAPI): void {
  let taken: string | undefined
  let plan: { event: string; text: string } | undefined

  pi.registerCommand('meddle', {
    description: 'Send a prompt with the next event',
    handler: async (words) => {
      const [, event, text] = /^(\S+) (.*)$/s.exec(words) ?? []
      plan = { event, text }
    },
  })
  pi.registerCommand('swallow', {
    description: 'Take a prompt',
    handler: async (words) => { taken = words },
  })
  pi.on('input', ({ text }) => text === taken ? { action: 'handled' } : undefined)

  const on = pi.on as (name: string, handler: () => void) => void
  for (const name of ['turn_end', 'agent_end', 'agent_settled']) {
    on(name, () => {
      if (plan?.event === name) {
        const { text } = plan
        plan = undefined
        pi.sendUserMessage(text, { deliverAs: 'followUp' })
      }
    })
  }
}
