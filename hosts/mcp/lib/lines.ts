// Standard input without lines beyond a limit: the SDK would end the connection for such a line.
import { Transform } from 'node:stream'

const LINE_BYTES = 4 * 1024 * 1024

export function shortLines(tell: (problem: string) => void): Transform {
  let bytes = 0 // of the line so far
  let pieces: Buffer[] = []
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      for (let at = 0; at < piece.length;) {
        const end = piece.indexOf(10, at)
        const next = end < 0 ? piece.length : end + 1
        bytes += next - at
        pieces = bytes > LINE_BYTES ? [] : [...pieces, piece.subarray(at, next)]
        if (end >= 0) {
          bytes > LINE_BYTES ? tell(`skipped a line of ${bytes} bytes: the limit is ${LINE_BYTES}`)
            : this.push(Buffer.concat(pieces))
          bytes = 0
          pieces = []
        }
        at = next
      }
      done()
    },
  })
}
