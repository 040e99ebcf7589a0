// The messages of MCP servers, with a limit. A message of any size costs the same for each of its bytes.
export const MESSAGE_MIB_MAX = 8
const BYTES_MAX = MESSAGE_MIB_MAX * 1024 * 1024
const NEWLINE = 10
const END_BYTES = 256 // of a message that is too long: its `id` stands at one of the two ends

// The tool must not run again, only for the same answer.
const TOO_LONG = `the answer has more than ${MESSAGE_MIB_MAX} MiB, which is the limit of a message. A tool that was ` +
  'called has run: ask for a part of the result'
const LEFT_OUT = `a message of more than ${MESSAGE_MIB_MAX} MiB, which is the limit, was left out`

// Requests of the server have an `id` of their own, so only a result or an error is an answer.
const ANSWER = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*|"id"\s*:\s*(\d+)\s*,\s*)*"(?:result|error)"/
const ID_AT_END = /,\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/

// How the last bytes of a message look: of a line, or of an event, whose last line is empty.
export const LINE = /\n$/
const EVENT = /(?:^|\n)\r?\n$/
const TAIL_BYTES = 4

// Splits a stream into messages. A message that is too long becomes an error for the call that waits for the message.
export class Messages {
  readonly #end: RegExp
  readonly #tell: (words: string) => void
  #pieces: Uint8Array[] = [] // of the message that has not ended
  #bytes = 0
  #tail = ''

  constructor(end: RegExp, tell: (words: string) => void) {
    this.#end = end
    this.#tell = tell
  }

  // The messages that end in the next piece.
  take(piece: Uint8Array): string[] {
    const messages: string[] = []
    let from = 0
    for (let end; (end = piece.indexOf(NEWLINE, from) + 1) > 0; from = end) {
      this.#add(piece.subarray(from, end))
      if (this.#end.test(this.#tail)) {
        messages.push(this.rest())
      }
    }
    this.#add(piece.subarray(from))
    return messages
  }

  // The message as far as the stream has come.
  rest(): string {
    const text = Buffer.concat(this.#pieces).toString()
    const isTooLong = this.#bytes > BYTES_MAX
    this.#pieces = []
    this.#bytes = 0
    this.#tail = ''
    return isTooLong ? this.#refused(text) : text
  }

  #add(piece: Uint8Array): void {
    this.#pieces.push(piece)
    this.#bytes += piece.length
    this.#tail = (this.#tail + Buffer.from(piece.subarray(-TAIL_BYTES)).toString('latin1')).slice(-TAIL_BYTES)
    if (this.#bytes > BYTES_MAX) {
      const all = Buffer.concat(this.#pieces)
      this.#pieces = [Buffer.from(all.subarray(0, END_BYTES)), Buffer.from(all.subarray(-END_BYTES))]
    }
  }

  #refused(ends: string): string {
    const json = ends.replace(/^(?:event|id|retry)?:.*$/gm, '').replace(/^data:/gm, '') // of an event
    const [answer, first] = ANSWER.exec(json) ?? []
    const id = first ?? ID_AT_END.exec(json)?.[1]
    if (answer === undefined || id === undefined) {
      this.#tell(LEFT_OUT)
      return ''
    }
    const error = JSON.stringify({ jsonrpc: '2.0', id: Number(id), error: { code: -32000, message: TOO_LONG } })
    return this.#end === EVENT ? `data: ${error}\n\n` : error
  }
}

// fetch() with the limit for each event of a stream of events, and for each other body as a whole.
export function limitedFetch(tell: (words: string) => void): typeof fetch {
  return async (url, init) => {
    const response = await fetch(url, init)
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    return response.body ? new Response(response.body.pipeThrough(isStream ? byEvent(tell) : whole()), response)
      : response
  }
}

function byEvent(tell: (words: string) => void): TransformStream<Uint8Array, Uint8Array> {
  const events = new Messages(EVENT, tell)
  return new TransformStream({
    transform: (piece, out) => events.take(piece).forEach((event) => out.enqueue(Buffer.from(event))),
    flush: (out) => out.enqueue(Buffer.from(events.rest())),
  })
}

function whole(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({ transform(piece, out) {
    bytes += piece.length
    return bytes > BYTES_MAX ? out.error(new Error(TOO_LONG)) : out.enqueue(piece)
  } })
}
