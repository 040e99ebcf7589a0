// A home of its own for a pi: agent directory, sessions, project, store. pi writes nothing outside of it, but for the
// cache of compiled modules that all pis of a run share.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export function makeSandbox(port, settings = {}) {
  const root = mkdtempSync(join(tmpdir(), 'pi-'))
  const place = (name) => {
    const path = join(root, name)
    mkdirSync(path, { recursive: true })
    return path
  }
  const agent = place('home/.pi/agent')
  writeFileSync(join(agent, 'models.json'), JSON.stringify({
    providers: { fake: { baseUrl: `http://127.0.0.1:${port}/v1`, api: 'openai-completions', apiKey: 'none',
      models: [{ id: 'fake-1', name: 'fake', reasoning: false, input: ['text'], contextWindow: 100000, maxTokens: 1000,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        compat: { sendSessionAffinityHeaders: true } }] } }, // the model hears the id of the session
  }))
  writeFileSync(join(agent, 'settings.json'), JSON.stringify({
    defaultProvider: 'fake', defaultModel: 'fake-1', defaultProjectTrust: 'always', quietStartup: true,
    enableInstallTelemetry: false, ...settings,
  }))
  return {
    root,
    agent,
    home: join(root, 'home'),
    project: place('project'),
    sessions: place('sessions'),
    store: join(root, 'home/.local/share/xylem'),
    records: join(root, 'records.jsonl'),
    environment: {
      PATH: process.env.PATH, HOME: join(root, 'home'), TMPDIR: place('tmp'), PI_CODING_AGENT_DIR: agent,
      PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0', LANG: 'C.UTF-8', TERM: 'xterm-256color',
      XYLEM_TEST_RECORDS: join(root, 'records.jsonl'),
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? place('cache'),
    },
    // A server that outlives pi may write while the folder goes. `maxRetries` does not remove what was written since.
    remove(tries = 5) {
      try {
        rmSync(root, { recursive: true, force: true, maxRetries: 5 })
      } catch (error) {
        if (error.code !== 'ENOTEMPTY' || tries === 1) {
          throw error
        }
        this.remove(tries - 1)
      }
    },
  }
}
