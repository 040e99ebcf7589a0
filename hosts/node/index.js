// Loads the addon for this machine, and gives its functions the shape of classes.
'use strict'

const { existsSync, readFileSync } = require('node:fs')
const { join } = require('node:path')
const { version } = require('./package.json')
const { menu, notice, preview, recording, status } = require('./sequence.js')

const minor = (text) => text.split('.').slice(0, 2).join('.')

function problem(name, code, message) {
  return Object.assign(new Error(message), { name, code })
}

// Throws what an aborted call rejects with: an AbortError as those of Node, with the code of XYLEM_E_STOPPED.
function heed(signal) {
  if (signal?.aborted) {
    throw Object.assign(problem('AbortError', -21, 'the call was aborted'), { cause: signal.reason })
  }
}

// An addon that is made for glibc may load in a process with musl, where a lock has other bytes: the process decides.
// The file of glibc is libc.so.6, or libc-2.31.so before glibc 2.34; the file of musl has one of several names. After an
// update of glibc the process has the old file, which Linux marks as deleted.
function usesMusl() {
  const maps = '/proc/self/maps'
  return existsSync(maps) && !/\/libc(\.so\.6|-2\.\d+\.so)( \(deleted\))?$/m.test(readFileSync(maps, 'latin1'))
}

// Two copies of the package in one process use one addon: a process must not open a store with two copies of LMDB.
function load() {
  const shared = Symbol.for('xylem-native')
  if (!globalThis[shared]) {
    const platform = `${process.platform}-${process.arch}${usesMusl() ? '-musl' : ''}`
    const path = join(__dirname, 'prebuilds', platform, 'xylem.node')
    if (!existsSync(path)) {
      throw problem('XYLEM_E_NOT_FOUND', -5, `xylem has no addon for ${platform}: expected ${path}; 'make node' in a clone builds it`)
    }
    globalThis[shared] = require(path)
  }
  const addon = globalThis[shared]
  if (minor(addon.version()) !== minor(version)) {
    throw problem('XYLEM_E_ARGUMENT', -2, `this process has loaded xylem ${addon.version()}, and the package is xylem ${version}: restart the host`)
  }
  return addon
}

const addon = load()
const report = (members) => camelCase(`{${members}}`)

// The name of a member that has a `_`. The documents of the library have no blanks. Within a string each `"` is `\"`, and
// behind the `"` that ends a string there is no name.
const NAMES = /[{,]"[^"\\]*_[^"\\]*":/g

// A document of the library, with the names of JavaScript: `run_id` becomes `runId`. null stays null. Only for documents
// whose names are all the library's own: of two names that become one, the second counts.
function camelCase(document) {
  return JSON.parse(document?.replace(NAMES, (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())) ?? null)
}

// Methods that are operations of the addon: `first` gives the first argument from the object. The name of an operation
// is that of the method behind `prefix`. A wrong argument, at which the addon throws, also rejects a promise. `make`
// makes the result of what the addon gives.
function forward({ prototype }, prefix, first, names, make = (answer) => answer) {
  for (const name of names) {
    const operation = addon[prefix ? prefix + name[0].toUpperCase() + name.slice(1) : name]
    prototype[name] = name.endsWith('Async')
      ? async function (...given) { return make(await operation(first(this), ...given)) }
      : function (...given) { return make(operation(first(this), ...given)) }
  }
}

class State {
  #handle
  constructor(handle) {
    this.#handle = handle
    Object.assign(this, addon.look(handle)) // readonly, nudge, badge, childNotice
  }
  get json() {
    return addon.stateJson(this.#handle)
  }
  static {
    forward(this, '', (state) => state.#handle, ['ask', 'childTools'])
  }
}

// The steps of a recording, in memory: lost with the process.
class Recorder {
  #first
  #steps
  constructor(steps = []) {
    addon.sequenceJson(steps) // checks the limits
    this.#first = [...steps]
    this.#steps = [...steps]
  }
  get steps() {
    return [...this.#steps]
  }
  get changed() {
    return this.#steps.length !== this.#first.length || this.#steps.some((step, i) => step !== this.#first[i])
  }
  add(catalogue, text) {
    return this.#put(catalogue, this.#steps.length, text)
  }
  replace(catalogue, at, text) {
    this.#check(at)
    return this.#put(catalogue, at, text)
  }
  remove(at) {
    this.#check(at)
    this.#steps.splice(at, 1)
  }
  status(options) {
    return recording(this.#steps.length, options)
  }
  #check(at) {
    if (!Number.isInteger(at) || at < 0 || at >= this.#steps.length) {
      throw problem('XYLEM_E_ARGUMENT', -2, `there is no step at ${at}, of ${this.#steps.length} steps`)
    }
  }
  // A step with a problem changes nothing.
  #put(catalogue, at, text) {
    const step = addon.resolveStep(catalogue, text)
    if (step.problem === '') {
      const steps = this.steps
      steps[at] = text
      addon.sequenceJson(steps) // checks the limits
      this.#steps = steps
    }
    return step
  }
}

class Reads {
  #handle = addon.reads()
  static {
    forward(this, 'reads', (reads) => reads.#handle, ['load', 'drain', 'noteAsync', 'forgetGoneAsync', 'checkAsync',
      'noteKey', 'forgetKey', 'checkKey'])
  }
}

// The open run is the addon's: an object of the class is an id.
class Run {
  constructor(id) {
    this.id = id
  }
  get isOpen() {
    return addon.runIsOpen(this.id)
  }
  async nextAsync(catalogue) {
    const { step, args, hasArgs, state, ...place } = await addon.runNextAsync(this.id, catalogue)
    const members = { execute: { step, args: hasArgs ? args : undefined }, finished: { step } }[place.type]
    return { ...place, ...members, state: camelCase(state) }
  }
  static {
    forward(this, 'run', (run) => run.id, ['claimAsync', 'done', 'doneAsync', 'inSessionAsync', 'failed', 'failedAsync',
      'stop', 'stopAsync', 'pause', 'close', 'closeAsync'])
  }
}

class Store {
  #handle
  constructor(handle) {
    this.#handle = handle
  }
  // A search that was aborted rejects, also a search that had found everything by then.
  async searchAsync(options = {}, signal) {
    if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
      throw problem('XYLEM_E_ARGUMENT', -2, 'the signal: expected an AbortSignal')
    }
    const stop = addon.stop()
    const wish = () => addon.stopWish(stop)
    heed(signal)
    signal?.addEventListener('abort', wish)
    try {
      const found = await addon.searchAsync(this.#handle, options, stop)
      heed(signal)
      return found
    } catch (error) {
      heed(signal)
      throw error
    } finally {
      signal?.removeEventListener('abort', wish)
    }
  }
  get warning() {
    return addon.warning(this.#handle)
  }
  get wanted() {
    return addon.wanted(this.#handle)
  }
  async runStartAsync(catalogue, options) {
    return new Run(await addon.runStartAsync(this.#handle, catalogue, options))
  }
  async runOpenAsync(runId, decision, session) {
    await addon.runOpenAsync(this.#handle, runId, decision, session)
    return new Run(runId)
  }
  runStatus(runId, options) {
    const state = this.runState(runId)
    return state === null ? '' : status(state, options)
  }
  runNotice(runId, options) {
    const state = this.runState(runId)
    return state === null ? '' : notice(state, options)
  }
  sequenceMenu({ catalogue, steps, runId, ownSession }) {
    const problem = steps === undefined ? undefined : addon.resolveSequence(catalogue, steps).message
    return menu(problem, runId === undefined ? null : this.runState(runId), ownSession)
  }
  static {
    const handle = (store) => store.#handle
    forward(this, '', handle, ['rehydrate'], (state) => new State(state))
    forward(this, '', handle, ['mirror', 'mirrorAsync', 'importAsync'], report)
    forward(this, '', handle, ['runState'], camelCase)
    forward(this, '', handle, ['close', 'session', 'hasEntry', 'sessions', 'sessionsAsync', 'refreshOutlines',
      'refreshOutlinesAsync', 'orphanedSessions', 'entries',
      'linesAsync', 'previewAsync', 'fork', 'forkAsync', 'noteFile', 'noteFileAsync', 'lastWriterAsync', 'deleteSession',
      'deleteSessionAsync', 'undeleteSession', 'undeleteSessionAsync', 'leaseTake', 'leaseTakeAsync', 'leaseRelease',
      'leaseReleaseAsync', 'runEndAsync', 'openRun', 'runMark'])
  }
}

module.exports = {
  Store,
  State,
  Recorder,
  Reads,
  Run,
  open: (path, options) => new Store(addon.open(path, options)),
  openAsync: async (path, options) => new Store(await addon.openAsync(path, options)),
  rehydrateFrom: (entries, event, pieces) => new State(addon.rehydrateFrom(entries, event, pieces)),
  resolveStep: addon.resolveStep,
  resolveSequence: addon.resolveSequence,
  wantsArgs: addon.wantsArgs,
  putArgs: addon.putArgs,
  sequencePreview: preview,
  sequenceJson: addon.sequenceJson,
  stateKinds: addon.stateKinds,
  judge: (policy, command, cwd, config) => addon.judge(policy, command, cwd, config && JSON.stringify(config)),
  pathKey: addon.pathKey,
  pathRealAsync: async (path) => addon.pathRealAsync(path),
  fingerprintAsync: async (path) => addon.fingerprintAsync(path),
  note: addon.note,
  noted: addon.noted,
  version: addon.version,
}
