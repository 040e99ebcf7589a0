// When a notification is due, and where the output is no terminal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import notify from '../../lib/notify/notify.ts'

const { stdout } = process

// The extension in a pi that is made of its handlers. `emit` gives what the extension wrote meanwhile.
function piOf({ isTTY = true, mode = 'tui' } = {}) {
  const handlers = {}
  const ctx = { mode, cwd: '/home/dev/parser', sessionManager: { getSessionId: () => 's' } }
  notify({ registerFlag() {}, getFlag: () => '8', getSessionName: () => undefined },
    { on: (event, handler) => { (handlers[event] ??= []).push(handler) }, live: (work) => work, beside: (work) => work })
  async function emit(event) {
    const { write, isTTY: before } = stdout
    const written = []
    const take = (text, ...rest) => // the reporter of the tests writes too
      (/\]777;/.test(text) ? written.push(text) > 0 : write.call(stdout, text, ...rest))
    Object.assign(stdout, { isTTY, write: take })
    try {
      for (const handler of handlers[event] ?? []) {
        handler({}, ctx)
      }
      await import('../../lib/notify/notification.ts') // the extension imports the module too, and began earlier
      await new Promise(setImmediate)
    } finally {
      Object.assign(stdout, { isTTY: before, write })
    }
    return written
  }
  return { emit }
}

// Runs the events, with 12 seconds between the first two.
async function written(pi, ...events) {
  const clock = process.hrtime.bigint
  try {
    const all = []
    for (const [i, event] of events.entries()) {
      process.hrtime.bigint = () => BigInt(Math.min(i, 1) * 12e9)
      all.push(await pi.emit(event))
    }
    return all.map((texts) => texts.length)
  } finally {
    process.hrtime.bigint = clock
  }
}

const TURN = ['agent_start', 'agent_end', 'agent_start', 'agent_end', 'agent_settled']

test('a turn with a retry is one turn', async () => {
  assert.deepEqual(await written(piOf(), ...TURN), [0, 0, 0, 0, 1])
})

test('nothing is written where the output is no terminal, or pi runs without a screen', async () => {
  assert.deepEqual(await written(piOf({ isTTY: false }), ...TURN), [0, 0, 0, 0, 0])
  for (const mode of ['rpc', 'json', 'print']) {
    assert.deepEqual(await written(piOf({ mode }), ...TURN), [0, 0, 0, 0, 0])
  }
})
