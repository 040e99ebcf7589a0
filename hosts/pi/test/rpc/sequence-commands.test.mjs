// Steps that are commands: refused before anything runs, or offered by other extensions, over RPC.
import assert from 'node:assert/strict'
import { extension, helper } from '../lib/pi.mjs'
import { isOn } from './moves.mjs'
import { customs, ended, heard, ledger, newest, notice, path, play, record, runs, sequencePi, sequenceWorld,
  sessionsHeard, settle, started, test, told } from './runs.mjs'

const withOffers = (t, steps, options) => sequencePi(t, steps, { helpers: ['offers'], ...options })
const notebook = async (w, session) => customs(await path(w, session), 'notebook').map(({ topic }) => topic)

// --- Refused before anything runs ---

for (const [step, pattern] of [
  ['/goto x', /\/goto belongs to the extension .*commands\.ts/],
  ['/settings', /\/settings opens a dialog of the host/],
  ['/tree', /\/tree opens a dialog/],
  ['/new', /\/new is no step/],
  [' /new', /\/new is no step/],
  ['/sequence run 2', /a sequence cannot run a sequence/],
  ['!ls', /'!ls' runs a shell command/],
  ['/nobody here', /no command, prompt or skill \/nobody/],
  ['/readnoly on', /is \/readonly meant\?/],
  ['/readonly maybe', /\/readonly takes .*on.*off.*, not 'maybe'/],
  ['/etc/hosts', /'\/etc\/hosts' is no command/],
  ['/', /is no command/],
  ['   ', /the step is empty/],
]) {
  test(`the step '${step}' is refused before anything runs, with its number`, async (t) => {
    const { w, pi } = await sequencePi(t, ['one', step])
    const { message, notifyType } = await told(pi, '/sequence run 2', pattern)
    assert.match(message, /step 2/)
    assert.notEqual(notifyType, 'info')
    await pi.prompt('behind')
    assert.deepEqual(heard(w), ['behind'])
    assert.deepEqual(await runs(w), [])
    assert.deepEqual(customs(await path(w, await pi.sessionId()), 'sequence-mark'), [])
  })
}

// --- Offered commands ---

test('/notebook and /handoff are called as functions, where their extension offers them', async (t) => {
  const { w, pi } = await withOffers(t, ['one', '/notebook the parser', '/handoff execution', 'four'])
  const first = await pi.sessionId()
  assert.equal(await play(pi, 'run 2'), '✓ sequence · 2 runs')
  const second = await pi.sessionId()
  const texts = ['one', 'handoff:\nexecution', 'four']
  assert.deepEqual(sessionsHeard(w), [{ session: first, texts }, { session: second, texts }])
  for (const session of [first, second]) {
    assert.deepEqual(await notebook(w, session), ['the parser'])
  }
  const names = (await ledger(w)).filter(({ data }) => data.event === 'claim').map(({ data }) => data.name)
  assert.deepEqual(names.slice(0, 4), [undefined, 'notebook', 'handoff', undefined])
})

test('a command that starts a turn and ends before the turn is waited for', async (t) => {
  const { w, pi } = await withOffers(t, ['/handoff ~hold', 'two'])
  await started(w, pi, 'run 1', 1)
  await told(pi, '/sequence status', /step 1\/2 · \/handoff ~hold/)
  assert.deepEqual(heard(w), ['handoff:\n~hold'])
  w.model.release()
  assert.equal(await ended(pi), '✓ sequence · 1 run')
  assert.deepEqual(heard(w), ['handoff:\n~hold', 'two'])
  assert.equal(w.model.requests.at(-1).messages.filter(({ role }) => role === 'assistant').length, 1)
})

test('the turn of a command that ends in an error fails the run', async (t) => {
  const { w, pi } = await withOffers(t, ['/handoff ~err', 'two'])
  assert.match(await play(pi, 'run 1'), /^✗ sequence 1\/1 · step 1\/2 · turn-error/)
  assert.equal(heard(w).length, 1)
})

test('a refusal of an offered command ends the run, with its reason', async (t) => {
  const { w, pi } = await withOffers(t, ['one', '/notebook closed', 'three'])
  assert.match(await play(pi, 'run 2'), /^✗ sequence 1\/2 · step 2\/3 · refused\nthe notebook is closed/)
  const { code, message } = await newest(w)
  assert.deepEqual({ code, message }, { code: 'refused', message: 'the notebook is closed' })
  assert.deepEqual(heard(w), ['one'])
})

test('an offered command that throws no Error refuses too', async (t) => {
  const { w, pi } = await withOffers(t, ['/lamp on', '/lamp off', 'three'])
  assert.match(await play(pi, 'run 1'), /^✗ sequence 1\/1 · step 2\/3 · refused\n.*no lamp/s)
  assert.deepEqual(heard(w), [])
})

test('the arguments of an offer are checked before the run', async (t) => {
  const { w, pi } = await withOffers(t, ['/lamp on', '/lamp dim'])
  await told(pi, '/sequence run 1', /\/lamp takes .*on.*off.*, not 'dim'/)
  assert.deepEqual(await runs(w), [])
})

test('arguments of the run reach an offered command', async (t) => {
  const { w, pi } = await withOffers(t, ['/notebook $1: $2'])
  await play(pi, 'run 1 "the parser" now')
  await settle(pi) // the store has the entries of the last step
  assert.deepEqual(await notebook(w, await pi.sessionId()), ['the parser: now'])
})

for (const name of ['handoff', 'notebook']) {
  test(`/${name} is refused where its extension does not offer it, and the text says what would help`, async (t) => {
    const { w, pi } = await withOffers(t, ['one', `/${name} x`], { environment: { XYLEM_TEST_OFFERS: 'no' } })
    const { message } = await told(pi, '/sequence run 1', new RegExp(`/${name} belongs to the extension .*offers\\.ts`))
    assert.match(message, /step 2/)
    assert.match(message, /offer|xylem:command/)
    assert.deepEqual(await runs(w), [])
    assert.deepEqual(heard(w), [])
  })

  test(`/${name} is unknown where no extension has it`, async (t) => {
    const { w, pi } = await sequencePi(t, [`/${name} x`])
    await told(pi, '/sequence run 1', new RegExp(`no command, prompt or skill /${name}`))
    assert.deepEqual(await runs(w), [])
  })
}

test('an offer counts whether its extension is loaded before this package or behind it', async (t) => {
  const w = await sequenceWorld(t, { extensions: [] })
  for (const order of [['offers', 'sequence'], ['sequence', 'offers']]) {
    const paths = order.map((name) => name === 'offers' ? helper(name) : extension(name))
    const pi = w.start(paths.flatMap((path) => ['-e', path]))
    await record(pi, ['/notebook x'])
    assert.equal(await play(pi, 'run 2'), '✓ sequence · 2 runs')
    await pi.stop()
  }
})

for (const order of [['misfits', 'sequence'], ['sequence', 'misfits']]) {
  test(`an offer that does not fit is told: ${order.join(' before ')}`, async (t) => {
    const w = await sequenceWorld(t, { extensions: [] })
    const pi = w.start(order.map((name) => name === 'misfits' ? helper(name) : extension(name))
      .flatMap((path) => ['-e', path]))
    if (order[0] === 'sequence') { // the session has begun before the offer
      await pi.prompt('hello')
    }
    for (const name of ['no-function', 'two words']) {
      await notice(pi, new RegExp(`does not fit: \\{ name: '${name}'`))
    }
  })
}

test('no step is sent to pi as a command: the handler of a slash command never runs', async (t) => {
  const { w, pi } = await withOffers(t, ['$1 x', '  $1 y'])
  await play(pi, 'run 1 /notebook')
  assert.deepEqual(heard(w), ['/notebook x', '  /notebook y'])
  assert.deepEqual(await notebook(w, await pi.sessionId()), [])
})

test('beside another /readonly ours has the name that pi gives it, and the other is refused', async (t) => {
  const settings = { xylem: { readonly: { flag: false, beside: true } } }
  const w = await sequenceWorld(t, { settings, helpers: ['agenticoding'] })
  const pi = w.start()
  const { commands } = await pi.send('get_commands')
  const named = (file) =>
    commands.find(({ name, sourceInfo }) => /^readonly:/.test(name) && sourceInfo.path.endsWith(file))
  await record(pi, [`/${named('readonly.ts').name} on`])
  assert.equal(await play(pi, 'run 1'), '✓ sequence · 1 run')
  assert.equal(isOn(pi), true)
  await record(pi, [`/${named('agenticoding.ts').name} on`])
  await told(pi, '/sequence run 1', /belongs to the extension .*agenticoding\.ts/)
})
