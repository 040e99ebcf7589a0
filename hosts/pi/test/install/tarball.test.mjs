// The tarball of `make npm`, as a stranger has it: its files, and its installation without the network. Every npm has
// an empty cache, and a registry that counts what it is asked.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, posix } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { extensionNames, node, piPath, world } from '../lib/pi.mjs'
import { BLOCKED, bash, exported, isOn, settle, toggle, write } from '../rpc/moves.mjs'

const tarball = process.env.XYLEM_TARBALL
const PLATFORMS = ['linux-arm64', 'linux-x64']
const SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish', 'preprepare', 'postprepare']
const run = promisify(execFile)

// A registry with nothing; `asked` has the requests. npm's audit, which tells installed packages, is off.
async function emptyRegistry(t) {
  const asked = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(404).end('{}')
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  t.after(() => server.close())
  return { asked, url: `http://127.0.0.1:${server.address().port}/` }
}

// A world with a registry; `pi` runs pi's own commands, `npm` runs npm.
async function strangersWorld(t, options) {
  const w = await world(t, { extensions: [], helpers: ['commands'], ...options })
  const registry = await emptyRegistry(t)
  const environment = { ...w.sandbox.environment, npm_config_registry: registry.url,
    npm_config_cache: mkdtempSync(join(w.sandbox.root, 'npm-cache-')), npm_config_update_notifier: 'false',
    npm_config_audit: 'false', npm_config_fetch_retries: '0' }
  const start = (program, words) => run(program, words, { cwd: w.sandbox.project, env: environment })
  return { ...w, asked: registry.asked, pi: (...words) => start(node, [piPath, ...words]),
    npm: (...words) => start('npm', words) }
}

// Readonly in pi with an installed package: it guards, comes back after a reload, and the store has the session.
async function useReadonly(w, args = []) {
  const pi = w.start(args)
  await toggle(pi, 'on')
  assert.equal((await write(pi)).text, BLOCKED)
  assert.equal((await bash(pi, 'cat a.txt; rm -f a.txt')).isError, true)
  assert.equal((await bash(pi, 'echo passes')).text.trim(), 'passes')
  const id = await pi.sessionId()
  await exported(w, id)
  await pi.command('/again')
  await settle(pi)
  assert.equal(isOn(pi), true)
  await pi.stop()
  assert.equal((await w.state(id)).readonly, true)
}

const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n')
  .map((path) => path.replace(/^package\//, ''))
const textOf = (path) => execFileSync('tar', ['-xzOf', tarball, `package/${path}`], { encoding: 'utf8' })

test('the tarball has the package, its addons and its texts, and nothing else', () => {
  const native = (path) => `node_modules/xylem-native/${path}`
  const wanted = ['LICENSE', 'README.md', 'package.json', 'lib/owner.ts', 'lib/guard/children.ts', 'sdk.js', 'sdk.d.ts',
    'examples/sdk.mjs', ...extensionNames.map((name) => `extensions/${name}.ts`),
    ...['LICENSE', 'NOTICES', 'README.md', 'index.js', 'sequence.js', 'index.d.ts', 'package.json'].map(native),
    ...PLATFORMS.map((platform) => native(`prebuilds/${platform}/xylem.node`)),
    ...['docs', 'pictures'].flatMap((folder) => readdirSync(new URL(`../../${folder}`, import.meta.url))
      .map((name) => `${folder}/${name}`))]
  assert.deepEqual(files.toSorted(), wanted.toSorted())
})

test('each link and each picture of a page leads to a file of the tarball', () => {
  const pages = files.filter((path) => /^(README|docs\/.*)\.md$/.test(path))
  const targets = pages.flatMap((page) => [...textOf(page).matchAll(/\]\(([^)#]+)/g)]
    .map(([, target]) => posix.join(posix.dirname(page), target)))
  assert.deepEqual(targets.filter((path) => !files.includes(path)), [])
  assert.ok(pages.length > 10 && targets.some((path) => path.endsWith('.svg')))
})

test('no package of the tarball runs a script when npm installs', () => {
  for (const path of ['package.json', 'node_modules/xylem-native/package.json']) {
    const { scripts = {}, gypfile } = JSON.parse(textOf(path))
    assert.deepEqual([SCRIPTS.filter((name) => name in scripts), gypfile], [[], undefined], path)
  }
})

test('NOTICES names each library that the addons hold', () => {
  const notices = textOf('node_modules/xylem-native/NOTICES').matchAll(/^--- (\w+) ---$/gm)
  assert.deepEqual([...notices].map(([, name]) => name), ['lmdb', 'yajl', 'pcre2', 'xxhash', 'msgpack'])
})

test('npm installs offline into an empty prefix, and pi -e runs the installed extension', async (t) => {
  const w = await strangersWorld(t)
  const prefix = join(w.sandbox.root, 'prefix')
  mkdirSync(prefix)
  await w.npm('install', '--ignore-scripts', '--offline', '--prefix', prefix, tarball)
  assert.deepEqual(w.asked, [])
  const use = "import { extensions } from 'pi-xylem/sdk'; console.log(extensions.length)"
  const count = execFileSync(node, ['--input-type=module', '-e', use], { cwd: prefix, encoding: 'utf8' })
  assert.ok(Number(count) >= 3)
  await useReadonly(w, ['-e', join(prefix, 'node_modules/pi-xylem/extensions/readonly.ts')])
})

test('pi install of the tarball asks no registry; every later pi has readonly, until pi remove', async (t) => {
  const w = await strangersWorld(t)
  await w.pi('install', `npm:pi-xylem@file:${tarball}`)
  await useReadonly(w)
  const again = w.start(['--continue'])
  await settle(again)
  assert.equal(isOn(again), true)
  await again.stop()
  await w.pi('remove', 'npm:pi-xylem')
  assert.deepEqual(w.asked, [])
  assert.equal(existsSync(join(w.sandbox.agent, 'npm/node_modules/pi-xylem')), false)
  assert.deepEqual(JSON.parse(readFileSync(join(w.sandbox.agent, 'settings.json'), 'utf8')).packages ?? [], [])
  const without = w.start(['--continue'])
  assert.equal((await write(without)).isError, false)
})
