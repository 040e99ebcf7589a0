// The command `xylem fleet` as a child: the database of the fleet is its business, and pi's process never waits for it.
import { type ChildProcess, spawn } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'

const OUTPUT_MAX = 32 << 20 // characters of a command that ends
const LINE_MAX = 1 << 20
const ERRORS_MAX = 2000
const UNAVAILABLE = 69 // of flock(1): the program is not there

export const PROBLEM = 1 // the command has an answer, and not all is well

export interface Document {
  [member: string]: any
}

export interface Running {
  child: ChildProcess
  ended: Promise<{ code: number; text: string; error: string }> // for a person
}

// Starts a program of PATH. Not in the directory of the project: nothing there may take part. pi ends without waiting
// for the child, and the child ends with its standard output.
export function start([program, ...args]: string[], onDocument?: (document: Document) => void,
  signal?: AbortSignal): Running {
  const child = spawn(program, args, { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'], signal })
  const decoder = new StringDecoder('utf8')
  let text = ''
  let errors = ''
  child.stdout.on('data', (piece: Buffer) => {
    text += decoder.write(piece)
    if (onDocument) {
      const lines = text.split('\n')
      text = lines.pop()!
      lines.forEach((line) => hear(line, onDocument))
    }
    text = text.length > (onDocument ? LINE_MAX : OUTPUT_MAX) ? '' : text
  })
  child.stderr.setEncoding('utf8').on('data', (piece: string) => { errors = (errors + piece).slice(0, ERRORS_MAX) })
  const ended = new Promise<Awaited<Running['ended']>>((done) => {
    child.on('error', () => done({ code: UNAVAILABLE, text: '', error: `there is no program '${program}' in PATH` }))
    child.on('close', (code) => done({ code: code ?? -1, text, error: code === UNAVAILABLE
      ? "there is no program 'xylem' in PATH" : wordsOf(errors) }))
  })
  ;[child, child.stdout, child.stderr].forEach((one) => (one as unknown as { unref(): void }).unref())
  return { child, ended }
}

// `xylem fleet` to its end. Throws what the command says, unless it says so in its answer.
export async function run(store: string, args: string[], signal: AbortSignal): Promise<string> {
  const { code, text, error } = await start(words(store, args), undefined, signal).ended
  if (code !== 0 && (code !== PROBLEM || text === '')) {
    throw new Error(error)
  }
  return text
}

export const words = (store: string, args: string[]) => ['xylem', '--store', store, 'fleet', ...args]

function hear(line: string, onDocument: (document: Document) => void): void {
  try {
    onDocument(JSON.parse(line))
  } catch {
    // no document; or the session is gone, whose context throws
  }
}

// `xylem: fleet ship: WHY` without the program.
const wordsOf = (errors: string) =>
  errors.split('\n')[0].replace(/^xylem: (fleet [a-z]+: )?/, '') || 'the command ended without a word'
