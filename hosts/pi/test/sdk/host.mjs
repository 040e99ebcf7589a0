// A host on pi's SDK, for tests: each line of its input is the source of a function, which it calls with
//
//     open(options)     openSession(), with the class of this pi
//     agent(kept)       an agent session with the extensions of the package, or with those that `only` names; `bare`:
//                       without; `shown` takes what extensions show a person; `during` is called while they start
//     pi, native        the modules of pi and of the addon
//
// and with an argument. The functions keep what later functions need beside these members, such as the open session.
// A line of its output is the answer or the error, in JSON.
import { createRequire } from 'node:module'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { extensions, openSession } from '../../sdk.js'

const pi = await import(process.env.XYLEM_TEST_SDK)
const cwd = process.cwd()
const uiOf = (shown) => ({
  theme: { fg: (_colour, text) => text },
  setStatus: (key, text) => { shown[key] = text },
  notify: (text) => { shown.notice = text },
})

const scope = {
  pi,
  native: createRequire(import.meta.url)('../../../node'),
  open: (options) => openSession({ SessionManager: pi.SessionManager, ...options }),
  async agent({ sessionManager }, { bare = false, only, shown, during } = {}) {
    const agentDir = pi.getAgentDir()
    const resourceLoader = new pi.DefaultResourceLoader({ cwd, agentDir, noExtensions: true,
      additionalExtensionPaths: bare ? [] : extensions.filter((path) => !only || only.includes(basename(path, '.ts'))) })
    await resourceLoader.reload()
    const { session, extensionsResult } = await pi.createAgentSession({ cwd, resourceLoader, sessionManager })
    if (extensionsResult.errors.length > 0) {
      throw new Error(JSON.stringify(extensionsResult.errors))
    }
    const onError = ({ error }) => { throw new Error(error) }
    const started = session.bindExtensions({ uiContext: shown && uiOf(shown), onError })
    await during?.(session)
    await started
    return session
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { source, argument } = JSON.parse(line)
  try {
    const value = await new Function(`return ${source}`)()(scope, argument)
    console.log(JSON.stringify({ value }))
  } catch ({ name, message }) {
    console.log(JSON.stringify({ error: { name, message } }))
  }
}
