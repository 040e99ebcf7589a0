// The program `xylem` for tests of the fleet: `fake-xylem.mjs FOLDER --store STORE fleet VERB ...` gives the documents of
// `xylem fleet` without a database. Files of the folder say what:
//
//     calls        a line for each call: {"pid","store","args"}
//     broken       the text of an error that every call ends with
//     dry          the document of `ship --dry-run`; without the file no session goes
//     events       lines that a `ship --follow` prints, those of before too
//     sessions     the document of `sessions`
//     status       the text of `status`
//     ID.jsonl     what the store gets by `resume ID`; `resume.broken` is its error, and `resume.news` its news
//     ID.head      the head of `pull ID --head-only`
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const [folder, , store, , ...args] = process.argv.slice(2)
const read = (name, none = '') => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : none)
const print = (document) => process.stdout.write(`${JSON.stringify({ schema: 1, ...document })}\n`)

function fail(text) {
  process.stderr.write(`xylem: fleet ${args[0]}: ${text}\n`)
  process.exit(3)
}

// As the command: nobody reads any more, so it ends.
function follow() {
  const parent = process.ppid
  let shown = 0
  setInterval(() => {
    const text = read('events')
    process.stdout.write(text.slice(shown))
    shown = text.length
    process.ppid === parent || process.exit(0)
  }, 20)
}

function resume(id) {
  existsSync(join(folder, 'resume.broken')) && fail(read('resume.broken'))
  const file = join(folder, `${id}.jsonl`)
  execFileSync(process.env.XYLEM_REAL, ['--store', store, 'import', '--quiet', file])
  rmSync(file) // the store of a fleet knows no file of the session
  print({ news: JSON.parse(read('resume.news', '[]')), session: id, epoch: 2, complete: true })
}

appendFileSync(join(folder, 'calls'), `${JSON.stringify({ pid: process.pid, store, args })}\n`)
if (existsSync(join(folder, 'broken'))) {
  fail(read('broken'))
} else if (args[0] === 'ship' && args.includes('--dry-run')) {
  print(JSON.parse(read('dry', '{"sessions":[]}')))
} else if (args[0] === 'ship') {
  follow()
} else if (args[0] === 'sessions') {
  print(JSON.parse(read('sessions', '{"sessions":[]}')))
} else if (args[0] === 'status') {
  process.stdout.write(read('status', 'quorum     yes\n'))
  process.exitCode = 1
} else if (args[0] === 'pull' && args.includes('--head-only')) {
  print({ sessions: [{ session: args[1], head: JSON.parse(read(`${args[1]}.head`, 'null')) }] })
} else if (args[0] === 'resume') {
  resume(args[1])
} else {
  fail('what?')
}
