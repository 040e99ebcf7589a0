// --ssh in a real pi, over RPC, with a fake ssh: what the tools do. A test for each rule of the design.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { connected, fakeWorld, HOST, isAlive, settled, shown } from '../lib/ssh.mjs'
import { bash, call, said, tool } from './moves.mjs'

const read = (pi, path) => tool(pi, 'read', { path })
const write = (pi, path, content = 'new') => tool(pi, 'write', { path, content })
const edit = (pi, path, oldText, newText) => tool(pi, 'edit', { path, edits: [{ oldText, newText }] })

async function ready(t, options = {}) {
  const w = await fakeWorld(t, options)
  return { w, pi: await connected(w, options.args) }
}

// --- The tools ---

test('read, write, edit and bash act on the other machine', async (t) => {
  const { w, pi } = await ready(t)
  writeFileSync(w.here('a.txt'), 'here')
  w.put('project/a.txt', 'there')
  assert.deepEqual(await read(pi, 'a.txt'), { isError: false, text: 'there' })
  assert.deepEqual(await edit(pi, 'a.txt', 'there', 'changed'),
    { isError: false, text: 'Successfully replaced 1 block(s) in a.txt.' })
  assert.equal(w.got('project/a.txt'), 'changed')
  assert.deepEqual(await write(pi, 'new/b.txt'), { isError: false, text: 'Successfully wrote to new/b.txt' })
  assert.equal(w.got('project/new/b.txt'), 'new')
  assert.deepEqual(await bash(pi, 'cat a.txt; echo x >c.txt'), { isError: false, text: 'changed' })
  assert.equal(w.got('project/c.txt'), 'x\n')
  assert.equal(readFileSync(w.here('a.txt'), 'utf8'), 'here')
  assert.deepEqual(readdirSync(w.sandbox.project), ['a.txt'])
})

test("the details of an edit name the model's path, and the diff is the other machine's", async (t) => {
  const { w, pi } = await ready(t)
  w.put('project/a.txt', 'one\ntwo\n')
  await edit(pi, 'a.txt', 'two', 'three')
  const { details } = (await pi.messages()).findLast(({ role }) => role === 'toolResult')
  assert.match(details.patch, /^--- a\.txt\n\+\+\+ a\.txt\n/)
  assert.match(details.diff, /-\s*2 two\n\+\s*2 three/)
})

test('without a path: the same directory there, else the home', async (t) => {
  const w = await fakeWorld(t)
  const same = await connected(w)
  assert.equal((await bash(same, 'pwd')).text, `${w.sandbox.project}\n`)
  assert.equal(shown(same), `⚡ own master ${HOST}:${w.sandbox.project}`)
  w.put('elsewhere', '')
  const home = await connected(w)
  w.put('home/a.txt', 'home')
  assert.equal((await bash(home, 'pwd')).text, `${w.there('home')}\n`)
  assert.equal((await read(home, 'a.txt')).text, 'home')
  assert.equal(shown(home), `⚡ own master ${HOST}:${w.there('home')}`)
})

test('with a path: that directory, for every tool', async (t) => {
  const w = await fakeWorld(t)
  const place = w.there("it's $HOME; a:b")
  mkdirSync(place)
  writeFileSync(`${place}/a.txt`, 'placed')
  const pi = w.start(['--ssh', `${HOST}:${place}`])
  await settled(pi)
  assert.equal(shown(pi), `⚡ own master ${HOST}:${place}`)
  assert.equal((await bash(pi, 'pwd')).text, `${place}\n`)
  assert.equal((await read(pi, 'a.txt')).text, 'placed')
  await edit(pi, './a.txt', 'placed', 'moved')
  await write(pi, 'b.txt')
  assert.deepEqual(readdirSync(place), ['a.txt', 'b.txt'])
  assert.equal(readFileSync(`${place}/a.txt`, 'utf8'), 'moved')
})

test('a path that is not there is said, and no tool acts elsewhere', async (t) => {
  const w = await fakeWorld(t)
  const pi = w.start(['--ssh', `${HOST}:/nowhere/at all`])
  await settled(pi)
  assert.match(said(pi), /there\.example: .*\/nowhere\/at all/)
  assert.match((await bash(pi, 'pwd')).text, /there\.example: .*\/nowhere\/at all/)
})

test('an absolute path, a home, a URL and spaces mean the other machine', async (t) => {
  const w = await fakeWorld(t)
  const pi = w.start(['--ssh', `${HOST}:${w.there('home')}`])
  await settled(pi)
  w.put('project/a b.txt', 'there')
  writeFileSync(w.here('a b.txt'), 'here')
  w.put('home/h.txt', 'home')
  for (const [path, text] of [[w.here('a b.txt'), 'there'], [`@${w.here('a b.txt')}`, 'there'], ['~/h.txt', 'home'],
    ['@h.txt', 'home'], [`file://${encodeURI(w.here('a b.txt'))}`, 'there'], [w.here('a\u202fb.txt'), 'there'],
    ['../project/a b.txt', 'there']]) {
    assert.deepEqual(await read(pi, path), { isError: false, text }, path)
  }
})

test('.. of a link is the directory that the link leads to, as in bash', async (t) => {
  const { w, pi } = await ready(t)
  mkdirSync(w.there('project/deep/down'), { recursive: true })
  symlinkSync('deep/down', w.there('project/link'))
  w.put('project/deep/a.txt', 'deep')
  assert.equal((await read(pi, 'link/../a.txt')).text, (await bash(pi, 'cat link/../a.txt')).text)
})

test('files of this machine change nothing: a loop of links, a file of a like name', async (t) => {
  const { w, pi } = await ready(t)
  symlinkSync('loop', w.here('loop'))
  writeFileSync(w.here('it\u2019s.txt'), 'here')
  mkdirSync(w.there('project/loop'))
  w.put('project/loop/a.txt', 'there')
  w.put("project/it's.txt", 'there')
  assert.equal((await edit(pi, w.here('loop/a.txt'), 'there', 'changed')).isError, false)
  assert.equal((await write(pi, 'loop/b.txt')).isError, false)
  assert.equal(w.got('project/loop/a.txt'), 'changed')
  assert.equal((await read(pi, "it's.txt")).text, 'there')
})

test('hostile names of files', async (t) => {
  const { w, pi } = await ready(t)
  for (const name of ["'; touch pwned; '", '$(touch pwned)', '`touch pwned`', '-n', 'a\nb', 'é漢', '!x', '\\', '*']) {
    assert.equal((await write(pi, name, 'one')).isError, false, name)
    assert.equal((await edit(pi, name, 'one', 'two')).isError, false, name)
    assert.equal((await read(pi, name)).text, 'two', name)
    assert.equal(w.got(`project/${name}`), 'two', name)
    rmSync(w.there(`project/${name}`))
  }
  assert.deepEqual(readdirSync(w.there('project')), [])
})

test('every byte of a text survives write, edit and read; an image is an image', async (t) => {
  const { w, pi } = await ready(t)
  const text = Array.from({ length: 0x180 }, (_, i) => String.fromCodePoint(i)).join('') +
    '\ud83d\ude00\r\n%s\\0101\\n\n\n'
  await write(pi, 'all', text)
  assert.equal(w.got('project/all'), text)
  await write(pi, 'empty', '')
  assert.equal(w.got('project/empty'), '')
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E' +
    'rkJggg==', 'base64')
  writeFileSync(w.there('project/a.png'), png)
  await read(pi, 'a.png')
  const { content } = (await pi.messages()).findLast(({ role }) => role === 'toolResult')
  assert.equal(content.find(({ type }) => type === 'image')?.mimeType, 'image/png')
})

test('a file keeps its mode and its links, and what is missing or forbidden is said with the host', async (t) => {
  const { w, pi } = await ready(t)
  writeFileSync(w.there('project/a.sh'), 'one', { mode: 0o750 })
  symlinkSync('a.sh', w.there('project/link'))
  await edit(pi, 'link', 'one', 'two')
  assert.equal(w.got('project/a.sh'), 'two')
  assert.equal(statSync(w.there('project/a.sh')).mode & 0o777, 0o750)
  assert.match((await read(pi, 'none')).text, /^me@there\.example: cat: .*none: No such file/)
  assert.match((await edit(pi, 'none', 'a', 'b')).text,
    /^Could not edit file: none\. .*me@there\.example: .*No such file/)
  assert.match((await read(pi, '.')).text, /directory/)
  assert.match((await write(pi, 'a.sh/b')).text, /me@there\.example: mkdir: /)
})

test('parallel edits of one file, by two of its names, lose nothing', async (t) => {
  const { w, pi } = await ready(t)
  w.put('project/a.txt', 'a b c d')
  const names = ['a.txt', './a.txt', w.here('a.txt'), 'a.txt']
  await pi.prompt(`~tools ${JSON.stringify(['a', 'b', 'c', 'd'].map((letter, i) =>
    ['edit', { path: names[i], edits: [{ oldText: letter, newText: letter.toUpperCase() }] }]))}`)
  assert.equal(w.got('project/a.txt'), 'A B C D')
})

test('a write whose connection ends in the middle leaves the file as it was', async (t) => {
  const { w, pi } = await ready(t)
  w.put('project/a.txt', 'whole')
  w.put('cut', '5000')
  const result = await write(pi, 'a.txt', 'x'.repeat(20000))
  assert.equal(result.isError, true)
  assert.equal(w.got('project/a.txt'), 'whole')
})

test('grep, find and ls, which act on this machine, are blocked', async (t) => {
  const { pi } = await ready(t, { args: ['--tools', 'read,bash,edit,write,grep,find,ls'] })
  for (const [name, input] of [['grep', { pattern: 'x' }], ['find', { pattern: '*' }], ['ls', {}]]) {
    const { isError, text } = await tool(pi, name, input)
    assert.equal(isError, true)
    assert.match(text, new RegExp(`^Blocked: ${name} acts on the machine of pi`))
  }
})

test('a tool that the person left out stays out', async (t) => {
  const { w, pi } = await ready(t, { args: ['--tools', 'read'] })
  await pi.prompt('hello')
  assert.deepEqual(w.model.requests[0].tools.map(({ function: { name } }) => name), ['read'])
})

test('the read guard costs no round trip but the one before a change', async (t) => {
  const w = await fakeWorld(t, { extensions: ['ssh', 'read-guard'] })
  w.put('project/a.txt', 'one')
  const pi = await connected(w)
  await pi.prompt('hello')
  const trips = async (work) => {
    const before = w.calls().length
    assert.equal((await work()).isError, false)
    return w.calls().length - before
  }
  const counts = [await trips(() => read(pi, 'a.txt')), await trips(() => write(pi, 'a.txt', 'two')),
    await trips(() => edit(pi, 'a.txt', 'two', 'three')), await trips(() => write(pi, 'new/b.txt')),
    await trips(() => edit(pi, 'new/b.txt', 'new', 'newer'))]
  assert.deepEqual(counts, [1, 2, 3, 2, 3])
  assert.deepEqual([w.got('project/a.txt'), w.got('project/new/b.txt')], ['three', 'newer'])
  w.put('project/a.txt', 'by a person')
  assert.match((await write(pi, 'a.txt')).text, /^Blocked: a\.txt changed on disk/)
  assert.equal(w.got('project/a.txt'), 'by a person')
})

test('where the look at a file fails, a read guard that only warns lets the tool write', async (t) => {
  const settings = { xylem: { readGuard: 'warn' } }
  const w = await fakeWorld(t, { extensions: ['ssh', 'read-guard'], settings })
  const pi = await connected(w)
  const { isError, text } = await write(pi, 'none/../b.txt')
  assert.equal(isError, false, text)
  assert.match(text, /Warning: .* a path through a missing directory and \.\.\. The write was not blocked/)
  assert.equal(w.got('project/b.txt'), 'new')
})

// --- Commands ---

for (const shell of ['sh', 'fish', 'tcsh']) {
  test(`hostile commands with ${shell} as the login shell`, async (t) => {
    const { pi } = await ready(t, { files: { shell } })
    for (const [command, text] of [
      ["echo 'a!b' \"c!d\" !e", 'a!b c!d !e\n'],
      ["printf '%s\\n' 'it'\\''s' \"$((1+1))\" `echo b` \\\\", "it's\n2\nb\n\\\n"],
      ['cat <<END\n$HOME "q" \'r\' \\\\ !\nEND', null],
      ['for i in 1 2; do\n  echo "$i"\ndone', '1\n2\n'],
      ['# a comment\necho é漢 \u0001 | cat', 'é漢'],
      ['[[ a == a* ]] && echo "${BASH_VERSION:+bash}"', 'bash\n'],
      ['echo %s %b \\\\0101', '%s %b \\0101\n'],
    ]) {
      const result = await bash(pi, command)
      assert.equal(result.isError, false, `${command}: ${result.text}`)
      assert.ok(text === null ? /\/home "q" 'r' \\ !\n$/.test(result.text) : result.text.startsWith(text),
        `${command}: ${result.text}`)
    }
  })
}

test('what a login shell prints is no part of an output or a file', async (t) => {
  const { w, pi } = await ready(t, { files: { greeting: 'Welcome!\n\u0001hello\n' } })
  w.put('project/a.txt', 'plain')
  assert.equal((await read(pi, 'a.txt')).text, 'plain')
  assert.equal((await bash(pi, 'echo out; echo err >&2')).text.split('\n').sort().join(' ').trim(), 'err out')
  await edit(pi, 'a.txt', 'plain', 'x')
  assert.equal(w.got('project/a.txt'), 'x')
})

test('exit codes, also those that ssh itself has, and signals', async (t) => {
  const { pi } = await ready(t)
  for (const [command, code] of [['exit 3', 3], ['exit 255', 255], ['kill -9 $$', 137], ['false', 1]]) {
    assert.deepEqual(await bash(pi, `echo out; ${command}`),
      { isError: true, text: `out


Command exited with code ${code}` })
  }
})

test('output comes while the command runs', async (t) => {
  const { w, pi } = await ready(t)
  await pi.send('prompt', { message: call('echo early; until [ -e go ]; do sleep 0.05; done; echo late') })
  await pi.wait(({ type, partialResult }) => type === 'tool_execution_update' &&
    JSON.stringify(partialResult).includes('early'), 'the first line')
  w.put('project/go', '')
  await pi.wait(({ type }) => type === 'agent_settled', 'the end of the turn')
  assert.match(JSON.stringify(await pi.messages()), /early\\nlate/)
})

test('a process in the background lives on, and nobody waits for it', async (t) => {
  const { w, pi } = await ready(t)
  assert.equal((await bash(pi, 'sleep 1000 & echo $! >pid; echo done')).text, 'done\n')
  const pid = Number(w.got('project/pid'))
  assert.ok(isAlive(pid))
  process.kill(pid)
})

const LONG = 'echo $$ >pid; (sleep 1000; true) & echo $! >child; wait'
const pidsOf = (w) => [w.got('project/pid'), w.got('project/child')].map(Number)
const running = (w) => w.until(() => w.got('project/child').endsWith('\n'), 'the command')
const gone = (w) => w.until(() => !pidsOf(w).some(isAlive), 'the end of the command')

test('an abort ends the command and its children there', async (t) => {
  const { w, pi } = await ready(t)
  await pi.send('prompt', { message: call(LONG) })
  await running(w)
  await pi.send('abort')
  await pi.wait(({ type }) => type === 'agent_settled', 'the end of the turn')
  await gone(w)
  assert.match(JSON.stringify(await pi.messages()), /Command aborted/)
  assert.equal((await bash(pi, 'echo next')).text, 'next\n')
})

test('a timeout ends the command and its children there', async (t) => {
  const { w, pi } = await ready(t)
  const { isError, text } = await tool(pi, 'bash', { command: `echo first; ${LONG}`, timeout: 1 })
  assert.deepEqual([isError, text], [true, 'first\n\n\nCommand timed out after 1 seconds'])
  await gone(w)
})

test('the end of pi ends the command there', async (t) => {
  const { w, pi } = await ready(t)
  await pi.send('prompt', { message: call(LONG) })
  await running(w)
  await pi.kill()
  await gone(w)
})

test('more commands than a connection carries wait for one another', async (t) => {
  const { w, pi } = await ready(t)
  const command = 'n=$(mktemp run.XXXXXX); until [ -e go ]; do sleep 0.05; done; ls run.* | wc -l >>counts; rm $n'
  const calls = Array.from({ length: 12 }, () => ['bash', { command }])
  await pi.send('prompt', { message: `~tools ${JSON.stringify(calls)}` })
  const count = () => readdirSync(w.there('project')).filter((name) => name.startsWith('run.')).length
  await w.until(() => count() === 8, 'eight commands')
  w.put('project/go', '')
  await pi.wait(({ type }) => type === 'agent_settled', 'the end of the turn')
  const counts = w.got('project/counts').trim().split('\n').map(Number)
  assert.equal(counts.length, 12)
  assert.ok(Math.max(...counts) <= 8)
})

test('a long output says that its file is on the machine of pi', async (t) => {
  const { pi } = await ready(t)
  for (const command of ['seq 5000', 'seq 5000; exit 1']) {
    assert.match((await bash(pi, command)).text, /Full output: \S+ on the machine of pi, out of reach of the tools\]/)
  }
})

test("the person's own !command acts on the other machine", async (t) => {
  const { w, pi } = await ready(t)
  w.put('project/a.txt', 'there')
  const result = await pi.send('bash', { command: 'cat a.txt; exit 4' })
  assert.deepEqual([result.output, result.exitCode], ['there', 4])
})

test("the person's own !command fails without a connection", async (t) => {
  const w = await fakeWorld(t, { files: { refuse: 'Connection refused' } })
  const pi = await connected(w)
  await assert.rejects(pi.send('bash', { command: 'touch here' }), /Connection refused/)
  assert.deepEqual(readdirSync(w.sandbox.project), [])
})
