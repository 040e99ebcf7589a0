// Confirm in a real pi, over RPC: a test for each rule of the design.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { extension, world } from '../lib/pi.mjs'
import { asked, call, changeSettings, lastResult, packageCopy, runPi, said, toggle } from './moves.mjs'

const RUN = 'Run it once'
const BLOCK = 'Block'
const such = (...grants) => `Run in this session without asking: ${grants.join(', ')}`
const rmIn = (w, where = '') => `rm (recursive-rm) in ${w.sandbox.project}${where}`

async function confirmPi(t, options) {
  const w = await world(t, { extensions: ['confirm'], ...options })
  return { w, pi: w.start() }
}

const run = (pi, command, ...answers) => asked(pi, call(command), ...answers)

// --- What is asked about ---

// The labels of the design, each with a command in which the label's program does no harm.
const LABELS = {
  'recursive rm': ['rm -r /x/build', 'rm build', 'recursive-rm', 'rm (recursive-rm) in /x'],
  sudo: ['sudo ls', 'ls sudo', 'sudo', 'sudo ls (sudo)'],
  'chmod 777': ['chmod 777 f', 'chmod 755 f', 'mode-777', 'chmod (mode-777)'],
  'chown 777': ['chown 777 f', 'chown root f', 'mode-777', 'chown (mode-777)'],
  'dd if=': ['dd if=f', 'dd --version', 'dd', 'dd (dd)'],
  mkfs: ['mkfs.ext4 /dev/sda1', 'mkfs --version', 'mkfs', 'mkfs.ext4 (mkfs)'],
  'git push --force': ['git push --force', 'git push', 'force-push', 'git (force-push)'],
  'a write to /dev/*': ['echo x > /dev/sda', 'echo x > /dev/null', 'device-write'],
  'git push +ref': ['git push origin +main', 'git push origin main', 'force-push', 'git (force-push)'],
  'git reset --hard': ['git reset --hard', 'git reset --soft', 'reset-hard', 'git (reset-hard)'],
  'git clean -f': ['git clean -fdx', 'git clean -n', 'clean-force', 'git (clean-force)'],
  'git checkout -- .': ['git checkout -- .', 'git checkout -- src/a.c', 'discard', 'git (discard)'],
  'git restore .': ['git restore .', 'git restore --staged .', 'discard', 'git (discard)'],
  'find -delete': ['find x -name y -delete', 'find x -name y -print', 'find-delete', 'find (find-delete)'],
  shred: ['shred -u f', 'shred --version', 'shred', 'shred (shred)'],
  'docker system prune': ['docker system prune -af', 'docker system df', 'destroys', 'docker (destroys)'],
  'truncate --size 0': ['truncate --size 0 f', 'truncate --size 1 f', 'truncate-to-zero', 'truncate (truncate-to-zero)'],
}

test('each label of the design is asked about, and its harmless twin is not', async (t) => {
  const { pi } = await confirmPi(t)
  for (const [label, [command, harmless, rule, grant]] of Object.entries(LABELS)) {
    await t.test(`${label} is asked about, and '${harmless}' is not`, async () => {
      const { dialogs: [{ title, options }], isError, text } = await run(pi, command, BLOCK)
      assert.match(title, new RegExp(`^Run this command\\? .*\\(${rule}\\)\n\n`))
      assert.ok(title.endsWith(`\n${command.includes('>') ? 'echo x ▸> /dev/sda◂' : `▸${command}◂`}`), title)
      assert.deepEqual(options, grant ? [BLOCK, RUN, such(grant)] : [BLOCK, RUN])
      assert.equal(isError, true)
      assert.match(text, new RegExp(`^Blocked: .*\\(${rule}\\)\\. The person did not allow it\\.$`))
      assert.doesNotMatch((await run(pi, harmless)).text, /^Blocked/)
    })
  }
})

test('everyday writes are not asked about', async (t) => {
  const { pi } = await confirmPi(t)
  for (const command of ['echo x > f && mv f g && rm g', 'mkdir -p a/b && touch a/b/c && cp a/b/c d && chmod 644 d',
    'sed -i s/a/b/ d', 'git add -A && git commit -m "reset --hard"', 'git checkout -b topic && git merge main',
    'git checkout main', 'git reset HEAD~1', 'git stash && git stash pop', 'git rebase main', 'git branch -D old',
    'git push -u origin topic', 'make clean', 'docker rm web', 'find . -name x -exec touch {} +']) {
    assert.doesNotMatch((await run(pi, command)).text, /^Blocked/, command)
  }
})

// --- What a person teaches ---

test('the rules of the settings decide: allow runs, ask asks, deny blocks, and the log has what was asked', async (t) => {
  const w = await world(t, { extensions: ['confirm'] })
  const log = join(w.sandbox.root, 'asked.jsonl')
  changeSettings(w, { xylem: { confirm: { allow: ['rm -r build'], ask: ['echo secret **'], deny: ['dd **'], log } } })
  const pi = w.start()
  assert.doesNotMatch((await run(pi, 'rm -r build')).text, /^Blocked/)
  const { dialogs: [{ title, options }] } = await run(pi, 'echo secret x', BLOCK)
  assert.match(title, /^Run this command\? your rule asks about `echo secret \*\*` \(taught\)\n/)
  assert.deepEqual(options, [BLOCK, RUN])
  assert.match((await run(pi, 'dd if=f')).text, /^Blocked: dd if=f: your rule denies `dd \*\*` \(taught\)\. The person is not/)
  await run(pi, 'rm -r once', RUN)
  await run(pi, 'rm -r other', such(rmIn(w)))
  await run(pi, 'rm -r other')
  await runPi(w, ['-p', call('rm -r none')], [extension('confirm')])
  const lines = w.read(log).trim().split('\n').map((line) => JSON.parse(line))
  const found = lines.map(({ policy, cwd, command, decision, rule, answer }) => {
    assert.deepEqual([policy, cwd], ['confirm', w.sandbox.project])
    return [command, decision, rule, answer]
  })
  assert.deepEqual(found, [['echo secret x', 'ask', 'taught', 'deny'], ['dd if=f', 'deny', 'taught', undefined],
    ['rm -r once', 'ask', 'recursive-rm', 'allow'], ['rm -r other', 'ask', 'recursive-rm', 'allow'],
    ['rm -r none', 'ask', 'recursive-rm', 'none']])
  assert.equal(statSync(log).mode & 0o777, 0o600)
})

test('a rule that would allow any code is named, and every command is asked about', async (t) => {
  const w = await world(t, { extensions: ['confirm'] })
  changeSettings(w, { xylem: { confirm: { allow: ['sudo **'] } } })
  const pi = w.start()
  const { dialogs: [{ title }] } = await run(pi, 'echo one', BLOCK)
  assert.match(title, /^Run this command\? nothing judges commands here: a rule of your settings does not fit\n\necho one$/)
  assert.match(said(pi), /xylem\.confirm: allow\[0\]: the rule `sudo \*\*` would .*confirm asks about each bash command/)
})

test('a log that cannot be written is told once, and blocks nothing', async (t) => {
  const w = await world(t, { extensions: ['confirm'] })
  const log = join(w.sandbox.root, 'none/asked.jsonl')
  changeSettings(w, { xylem: { confirm: { log } } })
  const pi = w.start()
  for (const command of ['rm -r x', 'rm -r y']) {
    assert.doesNotMatch((await run(pi, command, RUN)).text, /^Blocked/)
  }
  await pi.prompt('next')
  assert.equal(said(pi).split('the log of confirm').length, 2)
})

test('other tools than bash are not asked about', async (t) => {
  const { pi } = await confirmPi(t, { helpers: ['tools'] })
  assert.equal((await asked(pi, '~tool handoff {"command":"rm -r x"}')).text, 'handoff ran')
  assert.equal((await asked(pi, '~tool write {"path":"a","content":"rm -r x"}')).isError, false)
})

test('each command of an answer is asked about, in order', async (t) => {
  const { w, pi } = await confirmPi(t)
  const calls = ['echo no', 'mkdir a; rm -r a', 'sudo ls', 'mkdir b; rm -r b'].map((command) => ['bash', { command }])
  const { dialogs } = await asked(pi, `~tools ${JSON.stringify(calls)}`, BLOCK, BLOCK, RUN)
  assert.deepEqual(dialogs.map(({ title }) => title.split('\n').at(-1)),
    ['mkdir a; ▸rm -r a◂', '▸sudo ls◂', 'mkdir b; ▸rm -r b◂'])
  const results = (await pi.messages()).filter(({ role }) => role === 'toolResult')
  assert.deepEqual(results.map(({ isError }) => isError), [false, true, true, false])
  assert.equal(existsSync(join(w.sandbox.project, 'a')), false)
})

test('commands that another tool runs are asked about, one dialog at a time', async (t) => {
  const { pi } = await confirmPi(t, { helpers: ['nested'] })
  const calls = ['sudo one', 'echo two', 'sudo three'].map((command) => ['bash', { command }])
  const from = pi.lines.length
  await pi.send('prompt', { message: `~tool nested ${JSON.stringify({ calls })}` })
  const first = await pi.wait(({ type, method }) => type === 'agent_settled' || method === 'select', 'a dialog', from)
  if (first.method !== 'select') { // this pi has no nested calls
    assert.match((await lastResult(pi)).text, /no nested calls/)
    return
  }
  assert.match(first.title, /sudo one/)
  assert.equal(pi.dialogs().length, 1)
  const at = pi.lines.indexOf(first) + 1
  pi.answer(first, BLOCK)
  const second = await pi.dialog(at)
  assert.match(second.title, /sudo three/)
  pi.answer(second, BLOCK)
  await pi.wait(({ type }) => type === 'agent_settled', 'the end of the turn', from)
  assert.equal((await lastResult(pi)).text.match(/The person did not allow it/g).length, 2)
})

// --- The dialog ---

test('the mark counts in units of JavaScript, and names of other programs are told', async (t) => {
  const { pi } = await confirmPi(t)
  const { dialogs: [{ title }] } = await run(pi, 'echo 😀é; rm -r "😀"; echo $(sudo -n true); dd if=f', BLOCK)
  assert.deepEqual(title.split('\n').slice(1),
    ['', 'echo 😀é; ▸rm -r "😀"◂; echo $(sudo -n true); dd if=f', '', 'Also asked about: sudo, dd'])
  const filler = 'echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n'.repeat(150)
  const two = await run(pi, `rm -r build\n${filler}rm -r hidden`, BLOCK)
  assert.match(two.dialogs[0].title, /▸rm -r build◂.*…\n\nAlso asked about: rm$/)
  const outside = await run(pi, `rm -r build\n${filler}{ :; } > /dev/sda`, BLOCK)
  assert.match(outside.dialogs[0].title, /▸rm -r build◂.*…\n\nAlso asked about: another part$/)
})

test('a long command is cut around the part that decides, and the reason for the model is short', async (t) => {
  const { pi } = await confirmPi(t)
  const filler = 'echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n'.repeat(150)
  for (const [command, wanted] of [
    [`${filler}rm -r build; ${filler}`, /aaa⏎▸rm -r build◂; echo aaa/],
    [`echo ok;${' '.repeat(10000)}rm -r build`, /… +▸rm -r build◂$/],
    [`rm -r ${'x'.repeat(10000)} ; echo`, /\n▸rm -r xxx.*x…xxx.*x◂ ; echo$/],
  ]) {
    const { dialogs: [{ title }], text } = await run(pi, command, BLOCK)
    assert.match(title, wanted)
    assert.equal(title.split('\n').length, 3)
    assert.ok(title.length < 800, title)
    assert.ok(text.length < 300, text)
  }
})

test('a command cannot disguise itself: directions, blanks and forged marks show', async (t) => {
  const { pi } = await confirmPi(t)
  const hostile = "echo '\u202egnol\u2066\u200b\ufeff\u00a0\u2800\u3164\u2028\u{e0041} ▸ok◂ ⏎'\nrm -r \u202ex\tz"
  const { dialogs: [{ title }], text } = await run(pi, hostile, BLOCK)
  assert.equal(title.split('\n').slice(2).join('\n'), "echo '\\u{202e}gnol\\u{2066}\\u{200b}\\u{feff}\\u{a0}\\u{2800}" +
    "\\u{3164}\\u{2028}\\u{e0041} \\u{25b8}ok\\u{25c2} \\u{23ce}'⏎▸rm -r \\u{202e}x\\tz◂")
  assert.match(text, /^Blocked: rm -r \\u\{202e\}x\\tz: /)
})

test('control characters show, and the name of another program is short and shows too', async (t) => {
  const { pi } = await confirmPi(t)
  const { dialogs: [{ title }] } = await run(pi, "echo '\u001b[2J\r\b\u007f\u0085'; rm -r x", BLOCK)
  assert.match(title, /\n\n▸echo '\\u\{1b\}\[2J\\u\{d\}\\u\{8\}\\u\{7f\}\\u\{85\}'; rm -r x◂$/)
  const { dialogs: [named] } = await run(pi, `rm -r x; "mkfs.\u202e${'y'.repeat(30)}" /dev/sda`, BLOCK)
  assert.match(named.title, /\nAlso asked about: mkfs\.…y{7}$/)
})

test('half a pair of surrogates makes a command that nobody understands, and shows', async (t) => {
  const { pi } = await confirmPi(t)
  const { dialogs: [{ title, options }] } = await run(pi, "echo '\ud83d'; rm -r x", BLOCK)
  assert.match(title, /not valid UTF-8.*\n\n▸echo '\\u\{d83d\}'; rm -r x◂$/)
  assert.deepEqual(options, [BLOCK, RUN])
})

test('a command beyond the limit of the judge is asked about or blocked', async (t) => {
  const { w, pi } = await confirmPi(t)
  mkdirSync(join(w.sandbox.project, 'kept'))
  const command = `: ${'x'.repeat(200000)}; rm -r kept`
  await pi.send('prompt', { message: call(command) })
  const line = await pi.wait(({ type, method }) => type === 'agent_settled' || method === 'select', 'a dialog or an end')
  if (line.method === 'select') {
    pi.answer(line, BLOCK)
    await pi.wait(({ type }) => type === 'agent_settled', 'the end of the turn')
  }
  assert.match((await lastResult(pi)).text, /^Blocked/)
  assert.equal(existsSync(join(w.sandbox.project, 'kept')), true)
})

// --- The answers ---

test('a yes runs the command once', async (t) => {
  const { w, pi } = await confirmPi(t)
  mkdirSync(join(w.sandbox.project, 'gone'))
  assert.equal((await run(pi, 'rm -r gone', RUN)).isError, false)
  assert.equal(existsSync(join(w.sandbox.project, 'gone')), false)
  assert.equal((await run(pi, 'rm -r gone', BLOCK)).isError, true)
})

const NO = { 'a no': BLOCK, 'a cancelled dialog': undefined, 'an answer that is no choice': 'yes', 'an empty answer': '',
  true: true, null: null }

test('anything but an explicit yes blocks', async (t) => {
  const { w, pi } = await confirmPi(t)
  mkdirSync(join(w.sandbox.project, 'kept'))
  for (const [name, answer] of Object.entries(NO)) {
    await t.test(`${name} blocks`, async () => {
      const { isError, text } = await run(pi, 'rm -r kept', answer)
      assert.equal(isError, true)
      assert.match(text, /^Blocked: rm -r kept: rm with .* \(recursive-rm\)\. The person did not allow it\.$/)
      assert.equal(existsSync(join(w.sandbox.project, 'kept')), true)
    })
  }
})

test('an answer without a value blocks', async (t) => {
  const { pi } = await confirmPi(t)
  await pi.send('prompt', { message: call('sudo ls') })
  const { id } = await pi.dialog()
  pi.child.stdin.write(`${JSON.stringify({ type: 'extension_ui_response', id })}\n`)
  await pi.wait(({ type }) => type === 'agent_settled', 'the end of the turn')
  assert.match((await lastResult(pi)).text, /The person did not allow it/)
})

test('a grant holds for its rule, its program and its directory', async (t) => {
  const { w, pi } = await confirmPi(t)
  await run(pi, 'rm -r one', such(rmIn(w)))
  assert.doesNotMatch((await run(pi, 'rm -rf two; ls && rm -r ./three')).text, /^Blocked/)
  for (const other of ['rm -r sub/one', 'rm -r ~/one', 'rm -r ../one', 'cd /tmp && rm -r one', 'sudo rm -r two']) {
    await run(pi, other, BLOCK)
  }
  await run(pi, 'chmod 777 f', such('chmod (mode-777)'))
  await run(pi, 'chown 777 f', BLOCK)
  await run(pi, 'rm -r one; sudo ls', BLOCK)
  await run(pi, 'rm -r one > /dev/sda', BLOCK)
  await run(pi, 'rm -r one; { :; } > /dev/sda', BLOCK)
  assert.doesNotMatch((await run(pi, 'rm -r one; chmod 777 f')).text, /^Blocked/)
})

test('a grant of sudo holds for the program behind, and not for what other rules stop', async (t) => {
  const { pi } = await confirmPi(t)
  await run(pi, 'sudo -n true', such('sudo -n true (sudo)'))
  assert.doesNotMatch((await run(pi, 'sudo -n true x')).text, /^Blocked/)
  for (const other of ['sudo -n rm -rf x', 'sudo -n false', 'sudo -n sh -c true', 'sudo -n true > /dev/sda']) {
    await run(pi, other, BLOCK)
  }
})

test('the choice names each grant, and each grant counts alone', async (t) => {
  const { w, pi } = await confirmPi(t)
  await run(pi, 'rm -r one; dd if=none', such(rmIn(w), 'dd (dd)'))
  await run(pi, 'rm -r one')
  await run(pi, 'dd if=none')
})

test('nothing is granted where the choice cannot say what, and where a rule fires inside', async (t) => {
  const { pi } = await confirmPi(t)
  for (const command of ["$x 'rm -r y'", 'eval "rm -r $x"', '{ :; } > /dev/sda', "echo 'a; rm -r", 'rm -r x > /dev/sda',
    'B=--force; git push $B', 'sudo rm -r x', 'sudo sh -c ls', 'rm -r $x', 'rm -r ~/x', 'find . -exec rm -r x ";"', `rm -r ${'x/'.repeat(100)}y`]) {
    const { dialogs: [{ options }] } = await run(pi, command, BLOCK)
    assert.deepEqual(options, [BLOCK, RUN], command)
  }
})

test('another session, a fork and a reload ask again', async (t) => {
  const { w, pi } = await confirmPi(t, { helpers: ['commands'] })
  await run(pi, 'rm -r one', such(rmIn(w)))
  await run(pi, 'rm -r one')
  await pi.command('/again')
  await run(pi, 'rm -r one', such(rmIn(w)))
  const from = pi.lines.length
  const cloned = pi.send('clone')
  pi.answer(await pi.dialog(from), 'Clone this session')
  await cloned
  await run(pi, 'rm -r one', such(rmIn(w)))
  const at = pi.lines.length
  const created = pi.send('new_session')
  pi.answer(await pi.dialog(at), 'Start a new session')
  await created
  await run(pi, 'rm -r one', BLOCK)
})

test('an abort during the dialog blocks, and no late answer runs the command', async (t) => {
  const { w, pi } = await confirmPi(t)
  mkdirSync(join(w.sandbox.project, 'kept'))
  await pi.send('prompt', { message: call('rm -r kept') })
  const dialog = await pi.dialog()
  const from = pi.lines.length
  await pi.send('abort')
  pi.answer(dialog, RUN)
  await pi.wait(({ type }) => type === 'agent_settled', 'the end of the turn', from - 1)
  await pi.prompt('next')
  assert.equal(existsSync(join(w.sandbox.project, 'kept')), true)
  const result = (await pi.messages()).find(({ role }) => role === 'toolResult')
  assert.equal(result?.isError, true)
})

test('a client that goes away during the dialog blocks', async (t) => {
  const { w, pi } = await confirmPi(t, { problems: true })
  mkdirSync(join(w.sandbox.project, 'kept'))
  await pi.send('prompt', { message: call('rm -r kept') })
  await pi.dialog()
  await pi.stop()
  assert.deepEqual(pi.problems().filter(({ extensionPath }) => extensionPath !== '<boundary>'), []) // pi's own
  assert.equal(existsSync(join(w.sandbox.project, 'kept')), true)
})

test('without a UI a destructive command is blocked, and the reason says so', async (t) => {
  const w = await world(t)
  mkdirSync(join(w.sandbox.project, 'kept'))
  const { code } = await runPi(w, ['-p', call('rm -r kept')], [extension('confirm')])
  assert.equal(code, 0)
  assert.equal(existsSync(join(w.sandbox.project, 'kept')), true)
  const told = JSON.stringify(w.model.requests.at(-1).messages)
  assert.match(told, /Blocked: rm -r kept: .*\(recursive-rm\)\. Nobody can be asked: pi runs without a UI\./)
})

test('without a UI a harmless command runs', async (t) => {
  const w = await world(t)
  await runPi(w, ['--mode', 'json', call('echo fine > written')], [extension('confirm')])
  assert.equal(w.read(join(w.sandbox.project, 'written')), 'fine\n')
})

test('a command that is no text is blocked', async (t) => {
  const { pi } = await confirmPi(t, { helpers: ['bash'] })
  assert.match((await asked(pi, '~tool bash {"command":["rm","-r","x"]}')).text, /^Blocked: .*the command is no text/)
  assert.match((await asked(pi, '~tool bash {}')).text, /^Blocked: .*the command is no text/)
  assert.equal((await asked(pi, '~tool bash {"command":"ls"}')).text, 'this bash ran')
})

// --- When something is missing ---

test('without a store commands are asked about as ever', async (t) => {
  const w = await world(t, { extensions: ['confirm'] })
  mkdirSync(w.sandbox.store, { recursive: true })
  writeFileSync(join(w.sandbox.store, 'data.mdb'), 'no store\n'.repeat(2000))
  const pi = w.start()
  assert.equal((await run(pi, 'rm -r x', BLOCK)).isError, true)
  assert.equal((await run(pi, 'echo fine')).text, 'fine\n')
  await run(pi, 'rm -r x', such(rmIn(w)))
  assert.doesNotMatch((await run(pi, 'rm -r x')).text, /^Blocked/)
})

test('without the addon every bash command is asked about, with one notice', async (t) => {
  const w = await world(t, { extensions: [], helpers: ['commands'] })
  const pi = w.start(['-e', packageCopy(w, false, 'confirm')])
  const { dialogs: [{ title, options }], text } = await run(pi, 'echo one', BLOCK)
  assert.match(title, /^Run this command\? nothing judges commands here: .*xylem-native.*\n\necho one$/)
  assert.deepEqual(options, [BLOCK, RUN])
  assert.match(text, /^Blocked: echo one: nothing judges commands here: .*\. The person did not allow it\.$/)
  assert.equal((await run(pi, 'echo two', RUN)).text, 'two\n')
  await pi.command('/again')
  await run(pi, 'echo three', undefined)
  assert.equal(said(pi).match(/confirm asks about each bash command/g).length, 1)
})

test('without the addon and without a UI every bash command is blocked', async (t) => {
  const w = await world(t)
  await runPi(w, ['-p', call('echo x > written')], [packageCopy(w, false, 'confirm')])
  assert.equal(existsSync(join(w.sandbox.project, 'written')), false)
  assert.match(JSON.stringify(w.model.requests.at(-1).messages), /Nobody can be asked/)
})

test("a project's own settings change nothing", async (t) => {
  const w = await world(t, { extensions: ['confirm'] })
  mkdirSync(join(w.sandbox.project, '.pi'))
  const weak = { confirm: false, enabled: false, mirror: false, allow: ['rm'], readonly: { shellTools: [] } }
  writeFileSync(join(w.sandbox.project, '.pi/settings.json'), JSON.stringify({ xylem: weak, confirm: false }))
  const pi = w.start()
  assert.equal((await run(pi, 'rm -r x', BLOCK)).isError, true)
})

test('settings that cannot be read change nothing', async (t) => {
  const w = await world(t, { extensions: ['confirm'] })
  changeSettings(w, { xylem: 'none' })
  const pi = w.start()
  assert.equal((await run(pi, 'rm -r x', BLOCK)).isError, true)
})

test("pi's own filter of a package switches confirm off, and nothing else", async (t) => {
  const source = fileURLToPath(new URL('../..', import.meta.url))
  const packages = [{ source, extensions: ['!extensions/confirm.ts'] }]
  const w = await world(t, { extensions: [], settings: { packages } })
  const pi = w.start()
  assert.doesNotMatch((await run(pi, 'rm -r x')).text, /^Blocked/)
  await toggle(pi, 'on')
  assert.match((await run(pi, 'rm -r x')).text, /^Readonly mode/)
})
