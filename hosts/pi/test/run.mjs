// Runs the suites, <folder>/<name>.test.mjs beside this file, in each version of pi: as many processes at a time as
// there are processors. tools/check_pi.sh calls it:
//
//     node run.mjs SCRATCH ONLY VERSION=CLI ...      ONLY: how the names of the suites begin; '' for all
//
// The suites of install/ need a tarball of `make npm`: with its path in XYLEM_TARBALL they run, and no others.
// A line for each suite; what failed, and the figures of a suite, above it. The last line has the counts of all suites. Exit 1: a test failed, a
// suite ran no test, crashed or took too long. Exit 77: a test was skipped.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const LIMIT_S = Number(process.env.TEST_SECONDS ?? 600) // of one suite: the longest takes 265 on two quiet processors
const JOBS = Number(process.env.TEST_JOBS ?? availableParallelism())
const here = fileURLToPath(new URL('.', import.meta.url))
const [scratch, only, ...versions] = process.argv.slice(2)

const suites = readdirSync(here, { recursive: true }).filter((file) => file.endsWith('.test.mjs'))
  .map((file) => join(here, file)).sort()
  .map((path) => ({ name: relative(here, path).slice(0, -'.test.mjs'.length), path, size: statSync(path).size }))
  .filter(({ name }) => name.startsWith(only) && name.startsWith('install/') === Boolean(process.env.XYLEM_TARBALL))
const jobs = versions.flatMap((version) => suites.map((suite) => {
  const [number, pi] = version.split('=')
  const other = versions.find((one) => one !== version)?.split('=')[1] ?? ''
  return { ...suite, version: number, pi, other, tmp: join(scratch, `${number}-${suite.name.replace('/', '-')}`) }
}))
const groups = new Set() // process groups that run

// Ends the tmux servers that a suite left behind: their sockets lie in its folder.
function endServers(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSocket() && entry.name.startsWith('xylem-')) {
      try {
        execFileSync('tmux', ['-S', join(entry.parentPath, entry.name), 'kill-server'], { stdio: 'ignore' })
      } catch {
        // no server listens at this socket
      }
    }
  }
}

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // the group has ended
  }
}

async function runSuite(job) {
  const began = Date.now()
  mkdirSync(job.tmp)
  const child = spawn(process.execPath, [`--test-reporter=${join(here, 'lib/reporter.mjs')}`, job.path], {
    detached: true, stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: job.tmp, NODE_COMPILE_CACHE: join(scratch, 'compiled'),
      XYLEM_PI_NODE: process.execPath, XYLEM_PI: job.pi, XYLEM_PI_VERSION: job.version, XYLEM_PI_OTHER: job.other },
  })
  groups.add(child.pid)
  let output = ''
  child.stdout.on('data', (piece) => { output += piece })
  child.stderr.on('data', (piece) => { output += piece })
  let late = false
  const timer = setTimeout(() => { late = true; killGroup(child.pid) }, LIMIT_S * 1000)
  const status = await new Promise((done) => child.on('close', (code, signal) => done(code ?? signal)))
  clearTimeout(timer)
  killGroup(child.pid)
  groups.delete(child.pid)
  endServers(job.tmp)
  rmSync(job.tmp, { recursive: true, force: true, maxRetries: 5 })
  Object.assign(job, judge(output, status, late), { seconds: (Date.now() - began) / 1000 })
  show(job)
}

function judge(output, status, late) {
  const lines = output.trimEnd().split('\n')
  let counts
  try {
    counts = JSON.parse(lines.at(-1))
    lines.pop()
  } catch {
    counts = { passed: 0, failed: 0, skipped: 0 }
  }
  let problem
  if (late) {
    problem = `took longer than ${LIMIT_S} s`
  } else if (status !== 0 && counts.failed === 0) {
    problem = `ended with ${status}`
  } else if (counts.passed + counts.failed + counts.skipped === 0) {
    problem = 'ran no test'
  }
  return { ...counts, failed: counts.failed + (problem ? 1 : 0), problem, output: lines.join('\n') }
}

const wordsOf = ({ passed, failed, skipped }) =>
  `${passed} passed${skipped ? `, ${skipped} skipped` : ''}${failed ? `, ${failed} FAILED` : ''}`

function show(job) {
  if (job.output) { // what failed, and figures
    console.log(`--- ${job.version} ${job.name}\n${job.output}`)
  }
  const problem = job.problem ? ` (${job.problem})` : ''
  console.log(`${job.version} ${job.name}: ${wordsOf(job)}${problem}, ${job.seconds.toFixed(1)} s`)
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    groups.forEach(killGroup)
    jobs.filter(({ tmp }) => statSync(tmp, { throwIfNoEntry: false })).forEach(({ tmp }) => endServers(tmp))
    process.exit(130)
  })
}

const waiting = [...jobs].sort((a, b) => b.size - a.size) // the larger suites begin first
await Promise.all(Array.from({ length: JOBS }, async () => {
  for (let job; (job = waiting.shift());) {
    await runSuite(job)
  }
}))

const sum = (member) => jobs.reduce((total, job) => total + job[member], 0)
const countsOf = (version) => jobs.filter((job) => job.version === version)
  .map(({ name, passed }) => `${name} ${passed}`).join(', ')
const name = process.env.XYLEM_TARBALL ? 'check-npm' : 'check-pi'
const line = versions.map((version) => version.split('=')[0]).map((version) => `${version}: ${countsOf(version)}`)
const failed = sum('failed') + (jobs.length === 0 ? 1 : 0)
console.log(`${name}: ${[...line, `${sum('passed')} passed, ${failed} failed, ${sum('skipped')} skipped`].join('; ')}`)
process.exit(failed ? 1 : sum('skipped') ? 77 : 0)
