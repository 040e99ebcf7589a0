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
const report = (members) => JSON.parse(`{${members}}`)

class State {
  #handle
  constructor(handle) {
    this.#handle = handle
    Object.assign(this, addon.look(handle)) // readonly, nudge, badge, childNotice
  }
  get json() {
    return addon.stateJson(this.#handle)
  }
  ask(call, options) {
    return addon.ask(this.#handle, call, options)
  }
  childTools(names, options) {
    return addon.childTools(this.#handle, names, options)
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
  load(entries) {
    addon.readsLoad(this.#handle, entries)
  }
  drain() {
    return addon.readsDrain(this.#handle)
  }
  async noteAsync(path, by) {
    await addon.readsNoteAsync(this.#handle, path, by)
  }
  async forgetGoneAsync(path) {
    return addon.readsForgetGoneAsync(this.#handle, path)
  }
  async checkAsync(path, question) {
    return addon.readsCheckAsync(this.#handle, path, question)
  }
  noteKey(key, by, fingerprint) {
    addon.readsNoteKey(this.#handle, key, by, fingerprint)
  }
  forgetKey(key) {
    addon.readsForgetKey(this.#handle, key)
  }
  checkKey(key, question) {
    return addon.readsCheckKey(this.#handle, key, question)
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
    return { ...place, ...members, state: JSON.parse(state) }
  }
  async claimAsync(textHash) {
    await addon.runClaimAsync(this.id, textHash)
  }
  done(entryId) {
    addon.runDone(this.id, entryId)
  }
  async doneAsync(entryId) {
    await addon.runDoneAsync(this.id, entryId)
  }
  async inSessionAsync(session) {
    await addon.runInSessionAsync(this.id, session)
  }
  failed(code, message) {
    addon.runFailed(this.id, code, message)
  }
  async failedAsync(code, message) {
    await addon.runFailedAsync(this.id, code, message)
  }
  stop(message) {
    addon.runStop(this.id, message)
  }
  async stopAsync(message) {
    await addon.runStopAsync(this.id, message)
  }
  pause(code, message) {
    addon.runPause(this.id, code, message)
  }
  close() {
    addon.runClose(this.id)
  }
  async closeAsync() {
    await addon.runCloseAsync(this.id)
  }
}

class Store {
  #handle
  constructor(handle) {
    this.#handle = handle
  }
  get warning() {
    return addon.warning(this.#handle)
  }
  get wanted() {
    return addon.wanted(this.#handle)
  }
  close() {
    addon.close(this.#handle)
  }
  rehydrate(id, event) {
    return new State(addon.rehydrate(this.#handle, id, event))
  }
  mirror(lines) {
    return report(addon.mirror(this.#handle, lines))
  }
  async mirrorAsync(lines) {
    return report(await addon.mirrorAsync(this.#handle, lines))
  }
  noteFile(id, path) {
    return addon.noteFile(this.#handle, id, path)
  }
  async noteFileAsync(id, path) {
    return addon.noteFileAsync(this.#handle, id, path)
  }
  async importAsync(path) {
    return report(await addon.importAsync(this.#handle, path))
  }
  async runStartAsync(catalogue, options) {
    return new Run(await addon.runStartAsync(this.#handle, catalogue, options))
  }
  async runOpenAsync(runId, decision, session) {
    await addon.runOpenAsync(this.#handle, runId, decision, session)
    return new Run(runId)
  }
  async runEndAsync(runId, message) {
    await addon.runEndAsync(this.#handle, runId, message)
  }
  runState(runId) {
    return JSON.parse(addon.runState(this.#handle, runId)) // null stays null
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
  async lastWriterAsync(...given) {
    return addon.lastWriterAsync(this.#handle, ...given)
  }
  fork(...given) {
    return addon.fork(this.#handle, ...given)
  }
  async forkAsync(...given) {
    return addon.forkAsync(this.#handle, ...given)
  }
  async linesAsync(id) {
    return addon.linesAsync(this.#handle, id)
  }
  static {
    for (const name of ['session', 'hasEntry', 'orphanedSessions', 'entries', 'openRun', 'runMark']) {
      this.prototype[name] = function (...given) {
        return addon[name](this.#handle, ...given)
      }
    }
    for (const name of ['deleteSession', 'undeleteSession', 'leaseTake', 'leaseRelease']) {
      this.prototype[name] = function (id) {
        addon[name](this.#handle, id)
      }
      this.prototype[`${name}Async`] = async function (id) {
        await addon[`${name}Async`](this.#handle, id)
      }
    }
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
  rehydrateFrom: (entries, event) => new State(addon.rehydrateFrom(entries, event)),
  resolveStep: addon.resolveStep,
  resolveSequence: addon.resolveSequence,
  wantsArgs: addon.wantsArgs,
  putArgs: addon.putArgs,
  sequencePreview: preview,
  sequenceJson: addon.sequenceJson,
  stateKinds: addon.stateKinds,
  judge: addon.judge,
  pathKey: addon.pathKey,
  pathRealAsync: async (path) => addon.pathRealAsync(path),
  fingerprintAsync: async (path) => addon.fingerprintAsync(path),
  note: addon.note,
  noted: addon.noted,
  version: addon.version,
}
