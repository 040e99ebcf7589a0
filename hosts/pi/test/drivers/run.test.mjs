// The runner of the suites, on suites that pass, fail, skip, crash and hang; and tools/check_pi.sh without npm.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { poll } from '../lib/wait.mjs'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const root = at('../../../..')

const run = (program, args, options) => new Promise((done) => {
  execFile(program, args, options, (error, stdout, stderr) => done({ code: error?.code ?? 0, stdout, stderr }))
})

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function place(t) {
  const folder = mkdtempSync(join(tmpdir(), 'run-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

// Runs suites, each given by its text, in two versions.
async function runSuites(t, suites, { only = '', seconds = 60 } = {}) {
  const folder = place(t)
  cpSync(at('../run.mjs'), join(folder, 'run.mjs'))
  cpSync(at('../lib'), join(folder, 'lib'), { recursive: true })
  mkdirSync(join(folder, 'rpc'))
  mkdirSync(join(folder, 'scratch'))
  for (const [name, text] of Object.entries(suites)) {
    writeFileSync(join(folder, `rpc/${name}.test.mjs`), `import { test } from 'node:test'\n${text}`)
  }
  const { code, stdout } = await run(process.execPath,
    [join(folder, 'run.mjs'), join(folder, 'scratch'), only, '1.0=/old', '2.0=/new'],
    { env: { ...process.env, TEST_SECONDS: String(seconds) } })
  return { code, stdout, folder, last: stdout.trimEnd().split('\n').at(-1) }
}

test('the last line has the number of tests of each suite in each version', async (t) => {
  const { code, last } = await runSuites(t, {
    one: `test('a', () => {}); test('b', async (t) => { await t.test('b1', () => {}); await t.test('b2', () => {}) })`,
    two: `const { XYLEM_PI: pi, XYLEM_PI_VERSION: version } = process.env
      test('c', () => { if (pi !== { '1.0': '/old', '2.0': '/new' }[version]) throw 1 })`,
  })
  assert.equal(last, 'check-pi: 1.0: rpc/one 3, rpc/two 1; 2.0: rpc/one 3, rpc/two 1; 8 passed, 0 failed, 0 skipped')
  assert.equal(code, 0)
})

test('a test that fails is shown with its reason', async (t) => {
  const { code, stdout, last } = await runSuites(t, {
    one: `test('a', () => {}); test('bad', () => { console.log('said'); throw new Error('the reason') })`,
  })
  assert.match(stdout, /said\nFAILED: bad\n {4}Error: the reason/)
  assert.match(last, /1\.0: rpc\/one 1; .* 2 passed, 2 failed, 0 skipped$/)
  assert.equal(code, 1)
})

test('a skipped test is exit 77, unless another test fails', async (t) => {
  const skips = `test('a', () => {}); test('b', { skip: 'no reason' }, () => {})`
  const { code, last } = await runSuites(t, { one: skips })
  assert.match(last, /2 passed, 0 failed, 2 skipped$/)
  assert.equal(code, 77)
  assert.equal((await runSuites(t, { one: skips, two: `test('c', () => { throw 1 })` })).code, 1)
})

test('a suite that crashes, runs no test or takes too long fails', async (t) => {
  const { code, stdout, last } = await runSuites(t, {
    crash: `test('a', () => {}); await new Promise((go) => setTimeout(go, 50)); process.kill(process.pid, 'SIGKILL')`,
    empty: '',
    slow: `test('b', () => new Promise((never) => setTimeout(never, 60000)))`,
  }, { seconds: 4 })
  for (const line of [/crash: .*ended with SIGKILL/, /empty: .*ran no test/, /slow: .*took longer than 4 s/]) {
    assert.match(stdout, line)
  }
  assert.match(last, / 0 passed, 6 failed, 0 skipped$/)
  assert.equal(code, 1)
})

test('suites are chosen by the begin of their names, and no suite is a failure', async (t) => {
  const suites = { one: `test('a', () => {})`, two: `test('b', () => {})` }
  assert.match((await runSuites(t, suites, { only: 'rpc/o' })).last, /1\.0: rpc\/one 1; 2\.0: rpc\/one 1; 2 passed/)
  assert.equal((await runSuites(t, suites, { only: 'tui' })).code, 1)
})

test('a terminal that a suite leaves behind is ended', async (t) => {
  const { code, stdout, folder } = await runSuites(t, { one: `import { execFileSync } from 'node:child_process'
    import { writeFileSync } from 'node:fs'
    test('a', () => {
      const tmux = (...words) => execFileSync('tmux', ['-L', 'xylem-left', '-f', '/dev/null', ...words],
        { env: { ...process.env, TMUX_TMPDIR: process.env.TMPDIR } })
      tmux('new-session', '-d', 'sleep 1000')
      writeFileSync(process.env.TMPDIR + '/../' + process.env.XYLEM_PI_VERSION, tmux('display-message', '-p', '#{pid}'))
    })` })
  assert.equal(code, 0, stdout)
  for (const version of ['1.0', '2.0']) {
    const pid = Number(readFileSync(join(folder, 'scratch', version), 'utf8'))
    await poll(() => !isAlive(pid), `the end of the terminal of ${version}`)
  }
})

const missing = (t, environment) => {
  const folder = place(t)
  mkdirSync(join(folder, 'build'))
  return run(join(root, 'tools/check_pi.sh'), [join(folder, 'build')],
    { cwd: root, env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, ...environment } })
}

test('a registry that npm does not reach is a skip, exit 77', async (t) => {
  const { code, stderr } = await missing(t,
    { npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' })
  assert.match(stderr, /check-pi: skipped: npm does not reach its registry/)
  assert.equal(code, 77)
})

test('no npm is a skip, exit 77', async (t) => {
  const tools = place(t)
  for (const tool of ['sh', 'mktemp', 'mkdir', 'rm', 'cp', 'cmp', 'dirname', 'tmux']) {
    const { stdout } = await run('sh', ['-c', `command -v ${tool}`], {})
    symlinkSync(stdout.trim(), join(tools, tool))
  }
  const { code, stderr } = await missing(t, { PATH: tools })
  assert.match(stderr, /check-pi: skipped: npm is missing/)
  assert.equal(code, 77)
})
