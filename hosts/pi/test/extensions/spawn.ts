// A tool `spawn`, in the way of an author of extensions: the tool makes a child, a further session in this process, by
// createAgentSession(). Stock pi has no tool for children.
//
// XYLEM_TEST_CHILDREN names a module with the rules of a test for children:
//
//     childTools(names): string[]                            the tools of the child
//     childNotice(): string                                  words on the tools, for the prompt of the child
//     judgeBash(command, cwd): { block, reason } | undefined  whether bash of the child may run
//
// `extensions` are paths of extensions for the child. With `context` the child begins with the entries of its parent.
import { type ExtensionAPI, type ExtensionFactory, SessionManager, SettingsManager, createAgentSession,
  DefaultResourceLoader, getAgentDir, isToolCallEventType } from '@earendil-works/pi-coding-agent'
import { Type } from 'typebox'

interface Rules {
  childTools?(names: string[]): string[]
  childNotice?(): string
  judgeBash?(command: string, cwd: string): { block?: boolean; reason?: string } | undefined
}

export default async function spawn(pi: ExtensionAPI): Promise<void> {
  const path = process.env.XYLEM_TEST_CHILDREN
  const rules: Rules = path ? await import(path) : {}

  pi.registerTool({
    name: 'spawn',
    label: 'Spawn',
    description: 'Give a task to a child',
    parameters: Type.Object({ task: Type.String(), tools: Type.Optional(Type.Array(Type.String())),
      extensions: Type.Optional(Type.Array(Type.String())), context: Type.Optional(Type.Boolean()) }),
    async execute(_id, { task, tools, extensions, context }, signal, _onUpdate, ctx) {
      const wanted = tools ?? ['read', 'bash', 'edit', 'write']
      const names = rules.childTools?.(wanted) ?? wanted
      const guard: ExtensionFactory = (child) => {
        child.on('tool_call', (event) => isToolCallEventType('bash', event)
          ? rules.judgeBash?.(event.input.command, ctx.cwd) : undefined)
      }
      const agentDir = getAgentDir()
      const settingsManager = SettingsManager.create(ctx.cwd, agentDir)
      const resourceLoader = new DefaultResourceLoader({ cwd: ctx.cwd, agentDir, settingsManager, noExtensions: true,
        extensionFactories: [guard], additionalExtensionPaths: extensions ?? [] })
      await resourceLoader.reload()
      const { sessionManager: parent } = ctx
      const entries = context ? [parent.getHeader()!, ...parent.getBranch()] : undefined
      const { session } = await createAgentSession({ cwd: ctx.cwd, agentDir, settingsManager, resourceLoader,
        model: ctx.model, tools: names, sessionManager: SessionManager.inMemory(ctx.cwd, undefined, entries) })
      if (extensions) {
        await session.bindExtensions({})
      }
      signal?.addEventListener('abort', () => void session.abort())
      try {
        await session.prompt(task + (rules.childNotice?.() ?? ''))
        const text = session.messages.flatMap((message) => message.role === 'toolResult' || message.role === 'assistant'
          ? message.content.map((part) => part.type === 'text' ? part.text : '') : []).filter(Boolean).join('\n')
        return { content: [{ type: 'text', text }], details: { tools: names } }
      } finally {
        session.dispose()
      }
    },
  })
}
