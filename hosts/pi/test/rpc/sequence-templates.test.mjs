// Templates and skills as steps: pi expands them, at the moment of the step, and nothing stores what they expand to.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { piVersion } from '../lib/pi.mjs'
import { exported } from './moves.mjs'
import { customs, ended, heard, ledger, ledgerIds, newest, path, play, record, runs, sequenceWorld, sessionsHeard,
  started, test, told } from './runs.mjs'

const BODY = 'Write a plan for $1, then for $2, of all: $@.'

const templateOf = (w, name = 'plan') => join(w.sandbox.agent, 'prompts', `${name}.md`)
const skillOf = (w) => join(w.sandbox.agent, 'skills', 'pdf', 'SKILL.md')

function put(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

// A pi with a template and a skill, and a sequence.
async function templatePi(t, steps, { environment, ...options } = {}) {
  const w = await sequenceWorld(t, options)
  put(templateOf(w), BODY)
  put(skillOf(w), '---\nname: pdf\ndescription: Merge files\n---\nHow to merge: carefully.\n')
  const pi = w.start([], typeof environment === 'function' ? environment(w) : environment)
  await record(pi, steps)
  return { w, pi }
}

test('pi expands a template and a skill, and no file of pi has their text as a step', async (t) => {
  const steps = ['/plan parser "two words"', '/skill:pdf a b']
  const { w, pi } = await templatePi(t, steps)
  const first = await pi.sessionId()
  assert.equal(await play(pi, 'run 2'), '✓ sequence · 2 runs')
  const [plan, skill] = heard(w)
  assert.equal(plan, 'Write a plan for parser, then for two words, of all: parser two words.')
  assert.match(skill, /^<skill name="pdf".*How to merge: carefully\..*<\/skill>\n\na b$/s)
  assert.deepEqual(heard(w).slice(2), [plan, skill])
  for (const session of [first, await pi.sessionId()]) {
    await exported(w, session)
    const custom = w.read(w.fileOf(session)).split('\n').filter((line) => line.includes('"type":"custom"')).join('\n')
    assert.doesNotMatch(custom, /Write a plan|How to merge/)
    assert.deepEqual(customs(await path(w, session), 'sequence')[0].steps, steps)
  }
  assert.doesNotMatch(JSON.stringify(await ledger(w)), /Write a plan|How to merge/)
})

test('the ledger says which files were meant', async (t) => {
  const { w, pi } = await templatePi(t, ['/plan a', '/skill:pdf b'])
  await play(pi, 'run 1')
  const claims = (await ledger(w)).filter(({ data }) => data.event === 'claim').map(({ data }) => data)
  assert.deepEqual(claims.map(({ kind, name, path: file }) => ({ kind, name, file })),
    [{ kind: 'template', name: 'plan', file: templateOf(w) }, { kind: 'skill', name: 'skill:pdf', file: skillOf(w) }])
  assert.equal(claims.every(({ hash }) => /^\S{8,64}$/.test(hash)), true)
})

test('arguments of a run reach a template whole, and quoted', async (t) => {
  const { w, pi } = await templatePi(t, ['/plan $1 $2', '/skill:pdf $@'])
  await play(pi, `run 1 "the parser" 'my "own" team'`)
  assert.equal(heard(w)[0], 'Write a plan for the parser, then for my "own" team, of all: the parser my "own" team.')
  assert.match(heard(w)[1], /\n\nthe parser my "own" team$/)
})

test('/sequence preview shows the texts of a run with arguments, and the words that pi makes', async (t) => {
  const { w, pi } = await templatePi(t, ['Ask $1', '/plan $@ "<$1>"', '/readonly on'])
  const { message } = await told(pi, '/sequence preview "the parser" lexer', /^1\. /)
  assert.equal(message, ['1. Ask the parser', '2. /plan "the parser" lexer "<the parser>"', '  $1 the parser',
    '  $2 lexer', '  $3 <the parser>', '3. /readonly on'].join('\n'))
  assert.deepEqual(await runs(w), [])
  const authored = await told(pi, '/sequence preview', /^1\. Ask \$1/)
  assert.equal(authored.message, ['1. Ask $1', '2. /plan $@ "<$1>"', '  $1 $@', '  $2 <$1>', '3. /readonly on'].join('\n'))
})

test('an argument that pi cannot say is told before the run begins, and any other reaches the template', async (t) => {
  const { w, pi } = await templatePi(t, ['/plan $1 $2'])
  if (piVersion.startsWith('0.')) {
    await record(pi, ['/plan "${@:9}x"', '/plan <${@:9}> "${@:9}"'])
    await told(pi, '/sequence run 1 x', /^\/sequence: step 2: this pi has no empty argument: /)
    assert.deepEqual(await runs(w), [])
    return
  }
  assert.equal(await play(pi, `run 1 '' "don't \\"do\\" it\\"`), '✓ sequence · 1 run')
  assert.equal(heard(w)[0], `Write a plan for , then for "don't, of all:  "don't.`)
})

test('the preview shows a template as authored', async (t) => {
  const { pi } = await templatePi(t, ['/plan parser', '~hold'])
  const from = pi.lines.length
  const asked = pi.send('prompt', { message: '/sequence' })
  const menu = await pi.question(from)
  pi.answer(menu, undefined)
  await asked
  assert.ok(menu.title.includes('/plan parser'))
  assert.doesNotMatch(menu.title, /Write a plan/)
})

// Between the iterations: the last step of the first iteration is held.
async function changedBetween(t, change, options) {
  const { w, pi } = await templatePi(t, ['/plan x', '~hold'], options)
  const first = await pi.sessionId()
  await started(w, pi, 'run 2', 2)
  change(w)
  w.model.release()
  return { w, pi, first }
}

test('a template that was removed between the iterations ends the run, visibly, and nothing is sent', async (t) => {
  const { w, pi, first } = await changedBetween(t, (world) => rmSync(templateOf(world)))
  assert.match(await ended(pi), /^✗ sequence 2\/2 · step 1\/2 · unresolved\n.*step 1 of 2.*\/plan/s)
  assert.deepEqual(sessionsHeard(w).map(({ session }) => session), [first])
  assert.equal(heard(w).length, 2)
  const { phase, code } = await newest(w)
  assert.deepEqual({ phase, code }, { phase: 'failed', code: 'unresolved' })
})

test('a later template that was removed ends the iteration before its first step', async (t) => {
  const { w, pi } = await templatePi(t, ['one', '/plan x', '~hold'])
  await started(w, pi, 'run 2', 3)
  rmSync(templateOf(w))
  w.model.release()
  assert.match(await ended(pi), /^✗ sequence 2\/2 · step [12]\/3 · unresolved\n.*step 2 of 3.*\/plan/s)
  assert.equal(heard(w).length, 3)
})

test('a template whose name another extension took between the iterations ends the run', async (t) => {
  const take = (w) => put(join(w.sandbox.project, 'owned'), '')
  const { w, pi } = await changedBetween(t, take, { helpers: ['owner'] })
  assert.match(await ended(pi), /^✗ sequence 2\/2 · step 1\/2 · unresolved\n.*extension.*owner\.ts/s)
  await pi.prompt('behind')
  assert.deepEqual(heard(w).slice(1), ['~hold', 'behind'])
})

test('a template that changed between the iterations is sent with its new text', async (t) => {
  const { w, pi } = await changedBetween(t, (world) => put(templateOf(world), 'A new plan for $1.'))
  await w.model.asked(4)
  w.model.release()
  assert.equal(await ended(pi), '✓ sequence · 2 runs')
  assert.deepEqual(heard(w), ['Write a plan for x, then for , of all: x.', '~hold', 'A new plan for x.', '~hold'])
})

test('a template that moved to another file between the iterations is sent from there', async (t) => {
  const move = (w) => {
    rmSync(templateOf(w))
    put(join(w.sandbox.project, '.pi', 'prompts', 'plan.md'), 'The plan of the project.')
  }
  const { w, pi } = await changedBetween(t, move)
  await w.model.asked(4)
  w.model.release()
  await ended(pi)
  assert.equal(heard(w)[2], 'The plan of the project.')
})

test('a template that changes between its claim and its sending is not sent', async (t) => {
  const environment = (w) => ({ XYLEM_TEST_BETWEEN: JSON.stringify(
    { call: 'nextAsync', count: 2, write: [templateOf(w), 'Something else, longer than before: $@, $@, $@.'] }) })
  const { w, pi } = await templatePi(t, ['one', '/plan x', 'three'], { helpers: ['between'], environment })
  assert.match(await play(pi, 'run 1'), /^✗ sequence 1\/1 · step 2\/3 · unresolved/)
  assert.deepEqual(heard(w), ['one'])
  assert.deepEqual((await ledgerIds(w)).slice(-3), ['i0.s1.a1', 'i0.s1.a1.end', 'finish'])
})

test('a change of another template between claim and sending changes nothing', async (t) => {
  const environment = (w) => ({ XYLEM_TEST_BETWEEN: JSON.stringify(
    { call: 'nextAsync', count: 1, write: [templateOf(w, 'other'), 'Another template.'] }) })
  const { w, pi } = await templatePi(t, ['/plan x'], { helpers: ['between'], environment })
  assert.equal(await play(pi, 'run 1'), '✓ sequence · 1 run')
  assert.equal(heard(w).length, 1)
})

test('an extension that has the name of a template when the run starts refuses the run', async (t) => {
  const w = await sequenceWorld(t, { helpers: ['owner'] })
  put(templateOf(w), BODY)
  put(join(w.sandbox.project, 'owned'), '')
  const pi = w.start()
  await record(pi, ['one', '/plan x'])
  await told(pi, '/sequence run 1', /\/plan belongs to the extension .*owner\.ts/)
  assert.deepEqual(await runs(w), [])
  assert.deepEqual(heard(w), [])
})

test('a template that begins with a slash command is text', async (t) => {
  const w = await sequenceWorld(t)
  put(templateOf(w), '/readonly on\n/new')
  const pi = w.start()
  await record(pi, ['/plan'])
  await play(pi, 'run 1')
  assert.deepEqual(heard(w), ['/readonly on\n/new'])
  assert.equal(w.files().length, 1)
})
