// Loading: again, in workers, from two places; and what the collector of garbage may do.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { addonPath, fill, header, inWorker, line, newStore, node, place, require, scratch, toggle, xylem } from './lib.mjs'

test('the types name what there is', () => {
  const types = readFileSync(join(place, 'index.d.ts'), 'utf8')
  const functions = [...types.matchAll(/^export (?:function|class) (\w+)/gm)].map(([, name]) => name)
  assert.deepEqual(functions.sort(), Object.keys(xylem).sort())
  const members = (name) => [...types.match(new RegExp(`class ${name} \\{\\n([^]*?)\\n\\}`))[1]
    .matchAll(/^  (?:readonly )?(\w+)[(:]/gm)].map(([, member]) => member)
  for (const name of ['Store', 'Run', 'Recorder']) {
    const found = [...Object.getOwnPropertyNames(xylem[name].prototype), ...name === 'Run' ? Object.keys(new xylem.Run('id')) : []]
    const named = (list) => list.filter((member) => member !== 'constructor').sort()
    assert.deepEqual(named(members(name)), named(found))
  }
  const state = xylem.rehydrateFrom([])
  for (const member of members('State')) {
    assert.ok(member in state, member)
  }
})

test('a module that is evaluated again has the same stores and notes', (t) => {
  const store = newStore(t)
  fill(store, 's')
  store.leaseTake('s')
  xylem.note('again', 'kept')
  for (const name of Object.keys(require.cache)) {
    delete require.cache[name]
  }
  delete globalThis[Symbol.for('xylem-native')]
  const again = require(place)
  assert.notEqual(again, xylem)
  assert.equal(again.noted('again'), 'kept')
  const handle = again.open(store.path)
  handle.leaseTake('s')
  fill(handle, 's', 3)
  handle.close()
  assert.equal(store.session('s').entryCount, 3)
  xylem.note('again')
})

test('two copies of the package in a process use one addon', async (t) => {
  const copy = join(scratch(t), 'copy')
  cpSync(place, copy, { recursive: true })
  xylem.note('copies', 'one')
  assert.equal(require(copy).noted('copies'), 'one')
  xylem.note('copies')
  const message = await inWorker((path) => {
    try {
      require(path)
    } catch (error) {
      return error.message
    }
  }, copy)
  assert.match(message, /another copy of the addon.*restart the host/)
})

// What a process of its own prints that runs a script with a copy of the package, process.argv[1].
function inProcess(copy, script) {
  const whole = `function load() {
      try { require(process.argv[1]) } catch (error) { console.log(error.name, error.message) }
    }
    ${script}`
  return execFileSync(node, ['-e', whole, copy], { encoding: 'utf8' })
}

function packageCopy(t) {
  const copy = join(scratch(t), 'copy')
  cpSync(place, copy, { recursive: true })
  return copy
}

test('a package without an addon for the machine is refused', (t) => {
  const copy = packageCopy(t)
  rmSync(join(copy, 'prebuilds'), { recursive: true })
  assert.match(inProcess(copy, 'load()'), /^XYLEM_E_NOT_FOUND xylem has no addon for \w+-\w+: expected .*'make node'/)
})

// Loads the addon in a process that has this C library.
function loadWith(copy, name) {
  const maps = `7f0000000000-7f0000001000 r-xp 00000000 00:00 0 /usr/bin/node\n7f01-7f02 r-xp 0 00:00 0 ${name}\n`
  return inProcess(copy, `const fs = require('node:fs'); const { readFileSync } = fs
    const maps = ${JSON.stringify(maps)}
    fs.readFileSync = (path, ...more) => path === '/proc/self/maps' ? maps : readFileSync(path, ...more)
    load()`)
}

test('a process with musl takes no addon that is made for glibc', (t) => {
  const copy = packageCopy(t)
  for (const name of ['/lib/ld-musl-x86_64.so.1', '/usr/lib/libc.so']) {
    assert.match(loadWith(copy, name), /^XYLEM_E_NOT_FOUND xylem has no addon for \w+-\w+-musl: expected /)
  }
})

test('a process with glibc takes its addon, also after an update of glibc', (t) => {
  const copy = packageCopy(t)
  rmSync(join(copy, 'prebuilds'), { recursive: true })
  for (const name of ['libc.so.6', 'libc-2.31.so', 'libc.so.6 (deleted)']) {
    assert.match(loadWith(copy, `/lib/x86_64-linux-gnu/${name}`), /^XYLEM_E_NOT_FOUND xylem has no addon for \w+-\w+: /)
  }
})

test('an update under a loaded addon is refused until the host starts again', (t) => {
  const copy = packageCopy(t)
  const update = (version) => `const fs = require('node:fs'); const { join } = require('node:path')
    const path = join(process.argv[1], 'package.json')
    load()
    fs.writeFileSync(path, JSON.stringify({ ...JSON.parse(fs.readFileSync(path, 'utf8')), version: '${version}' }))
    Object.keys(require.cache).forEach((name) => delete require.cache[name])
    load()`
  const version = xylem.version()
  assert.equal(inProcess(copy, update('99.1.0')), `XYLEM_E_ARGUMENT this process has loaded xylem ${version}, ` +
    'and the package is xylem 99.1.0: restart the host\n')
  cpSync(join(place, 'package.json'), join(copy, 'package.json'))
  assert.equal(inProcess(copy, update(version.replace(/\d+$/, '99'))), '') // the same minor version
})

test('a thousand loads in workers', async (t) => {
  const { path } = newStore(t)
  const workers = 40
  const loads = async (path, addonPath, store, count) => {
    for (let i = 0; i < count; i++) {
      delete require.cache[addonPath]
      const addon = require(addonPath)
      const handle = addon.open(store)
      addon.note(`load ${i}`, 'x')
      if (addon.noted('none') !== null || addon.session(handle, 's') !== null || addon.look(addon.rehydrateFrom([])).readonly) {
        throw new Error('wrong')
      }
      if (i % 2) {
        addon.close(handle) // the others end with the worker
      }
    }
    return count
  }
  for (let i = 0; i < workers; i += 4) {
    const done = await Promise.all(Array.from({ length: 4 }, () => inWorker(loads, place, addonPath, path, 1000 / workers)))
    assert.deepEqual(done, Array(4).fill(1000 / workers))
  }
})

test('two workers write to one store', async (t) => {
  const { path, ...store } = newStore(t)
  const write = async (place, path, name, lines) => {
    const store = require(place).open(path)
    let added = 0
    for (let i = 0; i < lines.length; i++) {
      const held = { header: JSON.parse(lines[i]).header, lines: JSON.parse(lines[i]).lines }
      added += (i % 2 ? store.mirror(held) : await store.mirrorAsync(held)).added
      store.rehydrate(name, { type: 'session_start' })
    }
    store.close()
    return added
  }
  const work = (name) => Array.from({ length: 50 }, (_, i) => JSON.stringify({ header: header(name), lines: [toggle(`e${i}`, i ? `e${i - 1}` : null, i % 2 === 1)] }))
  assert.deepEqual(await Promise.all(['a', 'b'].map((name) => inWorker(write, place, path, name, work(name)))), [50, 50])
  const again = xylem.open(path)
  for (const name of ['a', 'b']) {
    assert.equal(again.session(name).entryCount, 50)
    assert.equal(again.rehydrate(name).readonly, true)
  }
  again.close()
})

test('a worker that ends during a promise takes nothing with it', async (t) => {
  const store = newStore(t)
  const lines = Array.from({ length: 5000 }, (_, i) => line(`e${i}`, i ? `e${i - 1}` : null))
  for (let i = 0; i < 5; i++) {
    await inWorker((place, path, held) => {
      const store = require(place).open(path)
      store.mirrorAsync(held)
      store.leaseTakeAsync('none').catch(() => {})
      process.exit()
    }, place, store.path, { header: header(`s${i}`), lines })
  }
  fill(store, 'after')
  assert.equal(store.session('after').entryCount, 2)
})

test('handles that nobody closes are collected', async (t) => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc')
  const store = newStore(t)
  fill(store, 's')
  const running = []
  for (let i = 0; i < 300; i++) {
    const handle = xylem.open(store.path)
    const state = handle.rehydrate('s', { type: 'session_start', flagReadonly: true })
    running.push(handle.mirrorAsync({ header: header('s'), lines: [line(`g${i}`, null)] }))
    if (i % 10 === 0) {
      gc()
    }
    assert.equal(state.ask({ get name() { gc(); return 'write' }, input: '{}' }).block, true)
  }
  gc()
  await Promise.all(running)
  assert.equal(store.session('s').entryCount, 302)
})
