// install.sh: links from pi's agent directory into a clone, and the pi that loads them.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync,
  renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { node, piPath, world } from '../lib/pi.mjs'
import { BLOCKED, bash, changeSettings, exported, said, toggle, write } from './moves.mjs'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const NAMES = readdirSync(join(ROOT, 'hosts/pi/extensions')).map((name) => name.replace(/\.ts$/, '')).sort()
const FILES = NAMES.map((name) => `${name}.ts`)
const DAY = '20261123-043000'

// A clone whose path has a blank, and install.sh in a home of the world. The clock of the script stands still.
async function installer(t, { addon = true } = {}) {
  const w = await world(t, { extensions: [], helpers: ['commands'] })
  const clone = join(w.sandbox.root, 'a clone')
  makeClone(clone, addon)
  const bin = join(w.sandbox.root, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'date'), `#!/bin/sh\necho ${DAY}\n`, { mode: 0o755 })
  const { agent } = w.sandbox
  const links = join(agent, 'extensions')
  // Runs install.sh; `answer` is typed at a terminal.
  function run(args = ['--yes'], { script = join(clone, 'install.sh'), answer, environment = {}, cwd } = {}) {
    const quoted = [script, ...args].map((word) => `'${word}'`).join(' ')
    const command = answer === undefined ? ['sh', script, ...args] : ['script', '-qec', `sh ${quoted}`, '/dev/null']
    const { status, stdout, stderr } = spawnSync(command[0], command.slice(1), { encoding: 'utf8', input: answer ?? '',
      cwd: cwd ?? w.sandbox.project,
      env: { ...w.sandbox.environment, PATH: `${bin}:${process.env.PATH}`, SHELL: '/bin/sh', ...environment } })
    return { status, out: stdout, err: stderr }
  }
  return { w, clone, agent, links, run, names: () => existsSync(links) ? readdirSync(links).sort() : [],
    target: (name) => readlinkSync(join(links, name)),
    place(name, text = 'mine') {
      mkdirSync(links, { recursive: true })
      writeFileSync(join(links, name), text)
    } }
}

function makeClone(clone, addon) {
  mkdirSync(join(clone, 'hosts/pi'), { recursive: true })
  copyFileSync(join(ROOT, 'install.sh'), join(clone, 'install.sh'))
  for (const part of ['package.json', 'lib', 'extensions']) {
    cpSync(join(ROOT, 'hosts/pi', part), join(clone, 'hosts/pi', part), { recursive: true })
  }
  const isKept = (path) => addon || !path.endsWith('.node')
  cpSync(join(ROOT, 'hosts/node'), join(clone, 'hosts/node'), { recursive: true, filter: isKept })
}

const ours = (clone, name) => join(clone, 'hosts/pi/extensions', name)

function assertLinked({ clone, links, agent }, files = FILES) {
  for (const file of files) {
    assert.equal(readlinkSync(join(links, file)), ours(clone, file.replace(/\.off$/, '')))
  }
  assert.equal(readlinkSync(join(agent, 'lib')), join(clone, 'hosts/pi/lib'))
}

test('a fresh install links every extension, and pi runs the linked extensions', async (t) => {
  const i = await installer(t)
  const { status, out } = i.run()
  assert.equal(status, 0)
  assert.deepEqual(i.names(), FILES)
  assertLinked(i)
  assert.match(out, /^link {4}todo$/m)
  const pi = i.w.start()
  const { commands } = await pi.send('get_commands')
  for (const name of ['readonly', 'sequence', 'todos', 'ext']) {
    assert.ok(commands.some((command) => command.name === name), name)
  }
  await toggle(pi, 'on')
  assert.equal((await write(pi)).text, BLOCKED)
  assert.equal((await bash(pi, 'rm -f a')).isError, true) // the addon judges
  assert.equal((await bash(pi, 'echo passes')).text.trim(), 'passes')
  await exported(i.w, await pi.sessionId())
  await pi.command('/again')
  assert.equal((await write(pi)).text, BLOCKED)
  await pi.command('/ext')
  assert.match(said(pi), /● enabled ext-toggle\n/)
  assert.equal(/xylem-native|addon/.test(said(pi)), false)
})

test('a second install finds everything linked, and asks nobody', async (t) => {
  const i = await installer(t)
  i.run()
  const { status, out } = i.run([])
  assert.equal(status, 0)
  assert.match(out, /stays {3}todo: already linked\n[^]*Nothing to do\.\n$/)
  assert.deepEqual(i.names(), FILES)
})

test('a link that /ext switched off stays off', async (t) => {
  const i = await installer(t)
  i.run()
  renameSync(join(i.links, 'todo.ts'), join(i.links, 'todo.ts.off'))
  const { status, out } = i.run()
  assert.equal(status, 0)
  assert.match(out, /stays {3}todo: switched off by \/ext/)
  assert.deepEqual(i.names(), FILES.map((file) => file === 'todo.ts' ? 'todo.ts.off' : file))
  i.place('todo.ts') // another extension of the person
  assert.equal(i.run().status, 0)
  assert.equal(readFileSync(join(i.links, 'todo.ts'), 'utf8'), 'mine')
})

test('a file, a directory and links of others in the way are backed up; earlier backups stay', async (t) => {
  const i = await installer(t)
  i.place('todo.ts')
  i.place(`todo.ts.bak.${DAY}`, 'earlier')
  mkdirSync(join(i.links, 'confirm.ts'))
  writeFileSync(join(i.links, 'confirm.ts/notes'), 'notes')
  const other = join(i.w.sandbox.root, 'other.ts')
  writeFileSync(other, 'other')
  symlinkSync(other, join(i.links, 'readonly.ts'))
  symlinkSync('/nowhere/todo.ts', join(i.links, 'sequence.ts'))
  const { status, out } = i.run()
  assert.equal(status, 0)
  assertLinked(i)
  assert.match(out, new RegExp(`todo\\.ts is in the way and becomes todo\\.ts\\.bak\\.${DAY}-2$`, 'm'))
  const text = (name) => readFileSync(join(i.links, name), 'utf8')
  assert.equal(text(`todo.ts.bak.${DAY}`), 'earlier')
  assert.equal(text(`todo.ts.bak.${DAY}-2`), 'mine')
  assert.equal(text(`confirm.ts.bak.${DAY}/notes`), 'notes')
  assert.equal(i.target(`readonly.ts.bak.${DAY}`), other)
  assert.equal(i.target(`sequence.ts.bak.${DAY}`), '/nowhere/todo.ts')
  assert.equal(readFileSync(other, 'utf8'), 'other')
})

test('--only and --skip choose by bare names; --only wins', async (t) => {
  const i = await installer(t)
  for (const [args, wanted] of [
    [['--only', 'todo'], ['todo']],
    [['--only', 'todo,notify'], ['notify', 'todo']],
    [['--only', 'todo', '--only', 'notify'], ['notify', 'todo']],
    [['--only', ' todo, notify\n'], ['notify', 'todo']],
    [['--skip', 'todo notify'], NAMES.filter((name) => name !== 'todo' && name !== 'notify')],
    [['--skip', 'todo,notify'], NAMES.filter((name) => name !== 'todo' && name !== 'notify')],
    [['--skip', 'todo', '--only', 'todo,notify'], ['notify', 'todo']],
  ]) {
    assert.equal(i.run([...args, '--yes']).status, 0)
    assert.deepEqual(i.names(), wanted.map((name) => `${name}.ts`))
    assert.equal(i.run(['--uninstall', '--yes']).status, 0)
    assert.deepEqual(i.names(), [])
  }
})

test('an unknown name is an error that lists the names, and nothing is linked', async (t) => {
  const i = await installer(t)
  for (const args of [['--only', 'todo,none'], ['--skip', 'none'], ['--only', 'todo.ts'], ['--only', '*'],
    ['--only', 'todo', '--skip', 'none']]) {
    const { status, err } = i.run([...args, '--yes'])
    assert.equal(status, 2)
    assert.match(err, new RegExp(`there is no extension '[^']+': expected some of ${NAMES.join(' ')}\\n$`))
  }
  for (const args of [['--only'], ['--only', ''], ['--skip', ' ,'], ['todo'], ['--force'],
    ['--uninstall', '--only', 'todo']]) {
    assert.equal(i.run([...args, '--yes']).status, 2)
  }
  assert.deepEqual(i.names(), [])
})

test('--uninstall removes the links into this clone, off or on, and nothing else', async (t) => {
  const i = await installer(t)
  i.run()
  renameSync(join(i.links, 'todo.ts'), join(i.links, 'todo.ts.off'))
  rmSync(join(i.links, 'confirm.ts'))
  i.place('confirm.ts')
  i.place('own.ts')
  i.place(`notify.ts.bak.${DAY}`)
  symlinkSync('/nowhere/x.ts', join(i.links, 'x.ts'))
  symlinkSync(ours(i.clone, 'gone.ts'), join(i.links, 'gone.ts')) // an extension that the clone had once
  const { status } = i.run(['--uninstall', '--yes'])
  assert.equal(status, 0)
  assert.deepEqual(i.names(), ['confirm.ts', `notify.ts.bak.${DAY}`, 'own.ts', 'x.ts'])
  assert.equal(existsSync(join(i.agent, 'lib')), false)
  assert.ok(existsSync(ours(i.clone, 'todo.ts')))
  assert.match(i.run(['--uninstall']).out, /Nothing to do/)
})

test('--dry-run says what would be done, and changes nothing', async (t) => {
  const i = await installer(t)
  i.place('todo.ts')
  for (const args of [['--dry-run'], ['--dry-run', '--yes']]) {
    const { status, out } = i.run(args)
    assert.equal(status, 0)
    assert.match(out, /^link {4}todo: todo\.ts is in the way/m)
    assert.equal(out.includes('Done'), false)
    assert.deepEqual(i.names(), ['todo.ts'])
  }
  i.run()
  assert.equal(i.run(['--uninstall', '--dry-run']).status, 0)
  assertLinked(i)
})

test('without --yes a terminal is asked once; without a terminal nothing is done', async (t) => {
  const i = await installer(t)
  const refused = i.run([])
  assert.equal(refused.status, 5)
  assert.match(refused.err, /nobody can be asked without a terminal/)
  for (const answer of ['n\n', '\n', 'nonsense\n']) {
    const { status, out } = i.run([], { answer })
    assert.equal(status, 5)
    assert.match(out, /Go on\? \[y\/N\]/)
  }
  assert.deepEqual(i.names(), [])
  const { status, out } = i.run([], { answer: 'y\n' })
  assert.equal(status, 0)
  assert.equal(out.match(/Go on\?/g).length, 1)
  assertLinked(i)
})

test('without an agent directory the exit code is 4, and a line says what to do', async (t) => {
  const i = await installer(t)
  const { status, out, err } = i.run(['--yes'], { environment: { PI_CODING_AGENT_DIR: join(i.agent, 'none') } })
  assert.deepEqual([status, out], [4, ''])
  assert.match(err, /none is missing: start pi once, or set PI_CODING_AGENT_DIR, and run install\.sh again\n$/)
})

test('the agent directory is $PI_CODING_AGENT_DIR, also with a ~, or ~/.pi/agent', async (t) => {
  const i = await installer(t)
  const other = join(i.w.sandbox.home, 'other agent')
  mkdirSync(other)
  for (const [directory, environment] of [[other, { PI_CODING_AGENT_DIR: other }],
    [other, { PI_CODING_AGENT_DIR: '~/other agent' }], [i.agent, { PI_CODING_AGENT_DIR: '' }]]) {
    assert.equal(i.run(['--yes'], { environment }).status, 0)
    assert.deepEqual(readdirSync(join(directory, 'extensions')).sort(), FILES)
    assert.equal(i.run(['--uninstall', '--yes'], { environment }).status, 0)
    assert.deepEqual(readdirSync(join(directory, 'extensions')), [])
  }
})

test('without the addon install.sh refuses with the line to run, and still uninstalls', async (t) => {
  const i = await installer(t)
  i.run()
  rmSync(join(i.clone, 'hosts/node/prebuilds'), { recursive: true })
  const { status, err } = i.run()
  assert.equal(status, 3)
  assert.match(err, new RegExp(`the addon is not built\\. Run this first: make -C '${i.clone}' node\\n$`))
  assert.equal(i.run(['--uninstall', '--yes']).status, 0)
  assert.deepEqual(i.names(), [])
})

test('install.sh works from another directory, through a link, and by a relative path', async (t) => {
  const i = await installer(t)
  const link = join(i.w.sandbox.root, 'bin/link-them')
  symlinkSync('../a clone/install.sh', link)
  for (const options of [{ script: link }, { script: './install.sh', cwd: i.clone },
    { script: '../a clone/install.sh' }]) {
    assert.equal(i.run(['--yes'], options).status, 0)
    assertLinked(i)
    i.run(['--uninstall', '--yes'])
  }
})

test('after the clone has moved, links are made anew, and off stays off', async (t) => {
  const i = await installer(t)
  i.run()
  renameSync(join(i.links, 'todo.ts'), join(i.links, 'todo.ts.off'))
  const clone = join(i.w.sandbox.root, 'moved')
  renameSync(i.clone, clone)
  const script = join(clone, 'install.sh')
  const { status, out } = i.run(['--yes'], { script })
  assert.equal(status, 0)
  assert.match(out, /^link {4}todo, which is off: the clone has moved$/m)
  assert.deepEqual(i.names(), FILES.map((file) => file === 'todo.ts' ? 'todo.ts.off' : file)) // no backups
  assertLinked({ ...i, clone }, i.names())
  renameSync(clone, i.clone)
  assert.equal(i.run(['--uninstall', '--yes']).status, 0)
  assert.deepEqual(i.names(), [])
})

test('a lib of somebody else in the agent directory is refused, and nothing is linked', async (t) => {
  const i = await installer(t)
  mkdirSync(join(i.agent, 'lib'))
  const { status, err } = i.run()
  assert.equal(status, 1)
  assert.match(err, /lib is in the way of the modules of the extensions\. Move it, or use: pi install '/)
  assert.deepEqual(i.names(), [])
})

test('a directory of extensions that leads into the clone is refused, and the files of the clone stay', async (t) => {
  const i = await installer(t)
  symlinkSync(join(i.clone, 'hosts/pi/extensions'), i.links)
  for (const args of [['--yes'], ['--uninstall', '--yes']]) {
    const { status, err } = i.run(args)
    assert.equal(status, 1)
    assert.match(err, /leads to the extensions of this clone already/)
  }
  assert.deepEqual(i.names(), FILES)
  assert.ok(FILES.every((file) => lstatSync(join(i.links, file)).isFile()))
})

test('a step that fails is counted, and the others are done', async (t) => {
  const i = await installer(t)
  writeFileSync(i.links, 'no directory')
  const { status, err } = i.run()
  assert.equal(status, 1)
  assert.match(err, new RegExp(`${NAMES.length} of ${NAMES.length + 1} steps failed`))
  assert.ok(lstatSync(join(i.agent, 'lib')).isSymbolicLink())
})

// A pi with the package of a clone in its settings, as `pi install` writes them.
const piInstall = (w, folder) => spawnSync(node, [piPath, 'install', folder],
  { cwd: w.sandbox.project, env: w.sandbox.environment, encoding: 'utf8' })

test('a package of the same clone is warned of; pi loads each extension once', async (t) => {
  const i = await installer(t)
  const folder = join(i.clone, 'hosts/pi')
  piInstall(i.w, folder)
  const { status, out } = i.run()
  assert.equal(status, 0)
  assert.match(out, /warning: pi has this clone as a package too/)
  assert.ok(out.includes(`pi remove '${folder}', or install.sh --uninstall`))
  const pi = i.w.start()
  const { commands } = await pi.send('get_commands')
  assert.equal(commands.filter(({ name }) => /^readonly(:\d)?$/.test(name)).length, 1)
})

test('a package of another copy is warned of: pi does not start with both', async (t) => {
  const i = await installer(t)
  const other = join(i.w.sandbox.root, 'other')
  makeClone(other, true)
  piInstall(i.w, join(other, 'hosts/pi'))
  const { status, out } = i.run()
  assert.equal(status, 0)
  assert.match(out, /warning: pi has the package pi-xylem too, and does not start with both\.\n.*pi remove '.*other\//)
  const pi = i.w.start()
  await assert.rejects(pi.send('get_commands'), /pi ended .*conflicts/s)
  changeSettings(i.w, { packages: [{ source: 'npm:pi-xylem@file:/x/pi-xylem-0.1.0.tgz' }, 'npm:other', './none'] })
  assert.match(i.run().out, /pi remove 'npm:pi-xylem@file:\/x\/pi-xylem-0\.1\.0\.tgz'/)
  changeSettings(i.w, { packages: ['npm:other'], theme: 'pi-xylem' })
  assert.equal(i.run().out.includes('warning'), false)
})

test('--help lists the options and the exit codes', async (t) => {
  const i = await installer(t)
  const { status, out } = i.run(['--help'])
  assert.equal(status, 0)
  for (const word of ['--only', '--skip', '--uninstall', '--yes', '--dry-run', 'PI_CODING_AGENT_DIR', '0 done',
    '1 something failed', '2 usage', '3 the addon is not built', '4 there is no agent', '5 you answered no']) {
    assert.ok(out.includes(word), word)
  }
})
