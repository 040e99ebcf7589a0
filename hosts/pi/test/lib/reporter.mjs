// A reporter of node:test: what failed, with its reason, and a last line with the counts as JSON, for run.mjs.
import { inspect } from 'node:util'

const reasonOf = (error) => inspect(error?.code === 'ERR_TEST_FAILURE' && error.cause ? error.cause : error)

export default async function* report(events) {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  let depth = 0 // a test that holds others is reported behind them, and not counted
  for await (const { type, data } of events) {
    if (type === 'test:stdout' || type === 'test:stderr') {
      yield data.message
    }
    if (type !== 'test:pass' && type !== 'test:fail') {
      continue
    }
    const holdsOthers = data.nesting < depth
    depth = data.nesting
    if (data.skip !== undefined || data.todo !== undefined) {
      counts.skipped++
      yield `skipped: ${data.name}\n`
    } else if (type === 'test:fail' && data.details.error?.failureType !== 'subtestsFailed') {
      counts.failed++
      yield `FAILED: ${data.name}\n${reasonOf(data.details.error).replace(/^/gm, '    ')}\n`
    } else if (type === 'test:pass' && !holdsOthers) {
      counts.passed++
    }
  }
  yield `${JSON.stringify(counts)}\n`
}
