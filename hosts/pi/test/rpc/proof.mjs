// The proof of a script: the ledger keeps the rules of a run, and the requests to the model, the calls of an offered
// command, the sessions of pi and the store agree with the ledger. The model of a run here is plain: positions go up,
// and a position is left by an end.
import assert from 'node:assert/strict'
import { ASIDES } from '../lib/pi.mjs'
import { textOf } from '../lib/fake-openai.mjs'
import { entriesOf, pathTo } from '../lib/scan.mjs'
import { customs, ledger } from './runs.mjs'

const SUMMARY = /^The conversation history before this point was compacted/

// --- The ledger ----------------------------------------------------------------------------------------------------

// Reads a ledger from its begin: the attempts, the session of each iteration, the decisions, and the outcome.
export function readLedger(entries, { steps, times }) {
  const found = { attempts: [], sessions: [], decisions: [], outcome: undefined }
  const { attempts, sessions, decisions } = found
  let [run, step, tries] = [-1, steps.length, 0]
  let open // the attempt without an end
  let retry = false
  entries.forEach(({ entry, data }, at) => {
    const { event } = data
    const where = `${entry} of the ledger`
    assert.equal(found.outcome, undefined, `${where} stands behind the finish`)
    assert.equal(at === 0, event === 'start', where)
    if (event === 'start') {
      assert.deepEqual([data.steps, data.totalRuns], [steps.map(({ text }) => text), times], where)
    } else if (event === 'begin') {
      assert.deepEqual([data.runIndex, step, open], [run + 1, steps.length, undefined], where)
      assert.equal(sessions.includes(data.session), false, `${where}: the session has an iteration already`)
      sessions.push(data.session)
      ;[run, step, tries] = [run + 1, 0, 0]
    } else if (event === 'claim') {
      assert.deepEqual([data.runIndex, data.stepIndex, data.attempt], [run, step, tries + 1], where)
      assert.ok(open === undefined && (tries === 0 || retry), `${where}: nobody decided to execute the step again`)
      open = { at, run, step, attempt: ++tries, session: sessions[run], outcome: undefined }
      retry = false
      attempts.push(open)
    } else if (event === 'end') {
      assert.deepEqual([data.runIndex, data.stepIndex, data.attempt], [open?.run, open?.step, open?.attempt], where)
      open.outcome = data.outcome
      if (data.outcome === 'skipped') {
        assert.equal(entries[at + 1]?.data.decision, 'skip', `${where}: nobody decided to skip the step`)
      }
      if (data.outcome !== 'failed') {
        ;[step, tries] = [step + 1, 0]
      }
      open = undefined
    } else if (event === 'resume') {
      decisions.push(data.decision)
      assert.equal(data.decision === 'retry', open !== undefined, where)
      if (data.decision === 'retry') {
        ;[open, retry] = [undefined, true]
      }
      assert.ok(step === steps.length || data.session === sessions[run], `${where}: in another session`)
    } else if (event === 'finish') {
      found.outcome = data.outcome
      assert.ok(open === undefined || data.outcome !== 'done', where)
    } else {
      assert.ok(['reset', 'pause'].includes(event), where)
      assert.equal(open, undefined, where)
    }
  })
  if (found.outcome === 'done') {
    assert.deepEqual([run, step], [times - 1, steps.length], 'the run is done before its last step')
  }
  return found
}

// --- Attempts and what they sent -----------------------------------------------------------------------------------

const shown = (list) => list.map((one) => JSON.stringify(one)).join('\n')

// Each event is one attempt, in order. An attempt has one event at most, and exactly one if it is done.
function isCovered(attempts, events) {
  if (attempts.length === 0) {
    return events.length === 0
  }
  const [[attempt, ...later], [event, ...others]] = [attempts, events]
  const isFitting = event !== undefined && event.step === attempt.step && event.session === attempt.session
  return (isFitting && isCovered(later, others)) || (attempt.outcome !== 'done' && isCovered(later, events))
}

function assertCovered(what, attempts, events) {
  assert.ok(isCovered(attempts, events), `the ledger does not cover the ${what}.\n` +
    `attempts:\n${shown(attempts)}\n${what}:\n${shown(events)}`)
}

// Between two bounds one pi played the run without a decision in between.
function proveAttempts({ steps, bounds }, attempts, prompts, notes) {
  const kinds = [['prompts', 'sends', prompts], ['notes', 'note', notes]]
  let before = { ledger: 0, requests: 0, notes: 0 }
  for (const bound of [...bounds, { ledger: Infinity, requests: Infinity, notes: Infinity }]) {
    const within = (list, of) => list.filter(({ at }) => at >= before[of] && at < bound[of])
    for (const [what, member, events] of kinds) {
      assertCovered(what, within(attempts, 'ledger').filter(({ step }) => steps[step][member] !== undefined),
        within(events, what === 'notes' ? 'notes' : 'requests'))
    }
    before = bound
  }
}

// The steps whose text the model was sent, in order. Every other prompt is the person's, and comes once.
function promptsOf({ model, steps, persons }) {
  const seen = new Set()
  return model.requests.flatMap(({ messages, tools }, at) => {
    const last = messages.findLastIndex(({ role, content }) => role === 'user' && !isAside(textOf(content)))
    if (!tools?.length || messages.slice(last).some(({ role }) => role === 'assistant')) {
      return [] // a summary, or the turn goes on
    }
    const text = textOf(messages[last].content)
    const step = steps.findIndex(({ sends }) => sends === text)
    if (step < 0) {
      assert.ok(persons.includes(text) && !seen.has(text), `nobody sent '${text}', or not so often`)
      seen.add(text)
      return []
    }
    return [{ at, step, session: model.sessions[at] }]
  })
}

// --- Requests and sessions -----------------------------------------------------------------------------------------

const isAside = (text) => ASIDES.some((pattern) => pattern.test(text))

// What a request says, but for asides and results of tools.
const saidBy = ({ messages }) => messages.filter(({ role, content }) =>
  role === 'assistant' || (role === 'user' && !isAside(textOf(content)))).map(({ role, content }) =>
  role === 'user' && SUMMARY.test(textOf(content)) ? 'summary' : `${role}: ${textOf(content)}`)

// What a path of a session says, in the same words. A compaction stands for the entries in front of the first kept one.
function saidOn(path) {
  const at = path.findLastIndex(({ type }) => type === 'compaction')
  const kept = at < 0 ? path
    : path.filter((one, i) => i > at || (i < at && i >= path.findIndex(({ id }) => id === path[at].firstKeptEntryId)))
  const said = kept.filter(({ type, message }) => type === 'message' && (message.role === 'user' ||
    (message.role === 'assistant' && !['error', 'aborted'].includes(message.stopReason))))
    .map(({ message: { role, content } }) => `${role}: ${textOf(content)}`)
  return at < 0 ? said : ['summary', ...said]
}

// Each request says what its session says at one of its entries. A request that a killed pi sent last may end with a
// prompt that pi had not written.
function proveRequests({ model, bounds }, contents) {
  const lasts = new Set(bounds.map(({ requests }) => requests - 1))
  model.requests.forEach((request, at) => {
    if (!request.tools?.length) {
      return // a summary does not name its session
    }
    const said = saidBy(request)
    const session = model.sessions[at]
    const states = contents.get(session).map(({ id }) => JSON.stringify(saidOn(pathTo(contents.get(session), id))))
    const isThere = (words) => words.length === 0 || states.includes(JSON.stringify(words))
    assert.ok(isThere(said) || (lasts.has(at) && isThere(said.slice(0, -1))),
      `request ${at} says what its session ${session} does not say:\n${shown(said)}\nthe session:\n${states.at(-1)}`)
  })
}

// The session of an iteration has the prompts of its attempts, and no others. A kill may come before pi writes a prompt
// of an attempt without an end.
function proveEntries({ steps }, { attempts, sessions }, contents) {
  sessions.forEach((session, run) => steps.forEach(({ sends, text }, step) => {
    const mine = attempts.filter((one) => one.run === run && one.step === step)
    const kind = text === '/compact' ? 'compaction' : 'message'
    const count = contents.get(session).filter(({ type, message }) => type === kind &&
      (kind === 'compaction' || (message.role === 'user' && textOf(message.content) === sends))).length
    const done = mine.filter(({ outcome }) => outcome === 'done').length
    if (sends !== undefined || kind === 'compaction') {
      assert.ok(count >= done && count <= mine.length,
        `session ${session} has '${text}' ${count} times:\n${shown(mine)}`)
    }
  }))
}

// The entries of all sessions that the model heard or the run knows. The store has no more than pi's file, and after an
// import all of the file. A session that the run does not know may be in pi's file alone: pi was killed at its prompt.
async function contentsOf(w, known) {
  const contents = new Map()
  for (const id of new Set([...known, ...w.model.sessions.filter(Boolean)])) {
    const kept = () => w.xylem('export', id)
    const file = w.fileOf(id)
    let text = await kept().catch(() => w.xylem('undelete', id).then(kept)).catch((error) => {
      assert.ok(file && !known.includes(id), error)
      return ''
    })
    if (file) {
      assert.ok(w.read(file).startsWith(text), `the store has of session ${id} what pi's file has not`)
      await w.xylem('import', '--quiet', file)
      text = await kept()
      assert.equal(text, w.read(file), `the export of session ${id}`)
    }
    contents.set(id, entriesOf(text))
  }
  return contents
}

// Each session of the run has the snapshot, and the mark of its iteration. An iteration may end before its first step:
// then the mark may be missing. Of an iteration that paused before its mark, and went on, the mark of the pause is first.
function proveMarks({ steps }, runId, { sessions, attempts }, contents) {
  sessions.forEach((session, run) => {
    const entries = contents.get(session)
    assert.deepEqual(customs(entries, 'sequence').map((data) => data.steps), [steps.map(({ text }) => text)], session)
    const marks = customs(entries, 'sequence-mark')
    const begins = marks.filter(({ event }) => event === 'begin')
    const isNeeded = begins.length > 0 || (marks[0]?.event !== 'stop' && attempts.some((one) => one.run === run))
    assert.deepEqual(begins.map((mark) => [mark.runId, mark.runIndex]), isNeeded ? [[runId, run]] : [],
      `the begin in session ${session}`)
  })
}

// The last /readonly of an iteration holds in its session.
function proveReadonly({ steps }, { attempts, sessions }, contents) {
  sessions.forEach((session, run) => {
    const last = attempts.findLast((one) => one.run === run && steps[one.step].text.startsWith('/readonly'))
    if (last?.outcome === 'done') {
      const enabled = customs(contents.get(session), 'readonly').at(-1)?.enabled ?? false
      assert.equal(enabled, steps[last.step].text === '/readonly on', `readonly in session ${session}`)
    }
  })
}

// Of a session that ends in a turn, and of a reload in a turn, pi complains without the extensions of the package too.
const isOfPi = ({ extensionPath }) => ['<boundary>', 'command:again'].includes(extensionPath)

export async function prove(script, { run_id: runId, phase }) {
  const { w, decisions } = script
  const read = readLedger(await ledger(w, runId), script)
  assert.equal(read.outcome, phase)
  let at = 0
  for (const decision of decisions) {
    at += read.decisions[at] === decision ? 1 : 0
  }
  assert.equal(at, read.decisions.length, `decided ${decisions.join()}, recorded ${read.decisions.join()}`)
  const notes = w.records('note').map(({ words, session }, i) =>
    ({ at: i, step: script.steps.findIndex(({ note }) => note === words), session }))
  proveAttempts(script, read.attempts, promptsOf(script), notes)
  const contents = await contentsOf(w, read.sessions)
  proveRequests(script, contents)
  proveEntries(script, read, contents)
  proveMarks(script, runId, read, contents)
  proveReadonly(script, read, contents)
  assert.deepEqual(script.pis.flatMap((pi) => pi.problems()).filter((problem) => !isOfPi(problem)), [])
  assert.deepEqual(w.model.problems, [])
  await w.xylem('verify')
}
