// @ts-check
// A host that uses pi's SDK. The store of xylem has the one durable copy of its sessions: pi writes no file.
//
//     node sdk.mjs 'what is in this directory?'           a new session: the last line of the output is its id
//     node sdk.mjs 'and which file is the largest?' ID    goes on where the session was, also after a crash
//     node sdk.mjs 'try another way' ID --fork            goes on in a fork: the session stays as it is
//     node sdk.mjs '/readonly on' ID                      the extensions of pi-xylem are there too
import { parseArgs } from 'node:util'
import { createAgentSession, DefaultResourceLoader, getAgentDir, SessionManager } from '@earendil-works/pi-coding-agent'
import { extensions, openSession } from 'pi-xylem/sdk'

const { positionals: [text, id], values } = parseArgs({
  allowPositionals: true,
  options: { fork: { type: 'boolean' } },
})
const cwd = process.cwd()

// Takes the session for this process: another process that opens it meanwhile gets an error.
let kept = await openSession({ SessionManager, cwd, id })
if (values.fork) {
  const source = kept
  kept = await source.fork()
  await source.close()
}

const resourceLoader = new DefaultResourceLoader({ cwd, agentDir: getAgentDir(), additionalExtensionPaths: extensions })
await resourceLoader.reload()
const { session } = await createAgentSession({ cwd, resourceLoader, sessionManager: kept.sessionManager })
await session.bindExtensions({})
try {
  await session.prompt(text)
  await kept.saved() // rejects if the store lacks anything of the session
  console.log(session.getLastAssistantText() ?? '')
  console.log(kept.id)
} finally {
  session.dispose()
  await kept.close()
}
