// Makes objects of git without git. One process brings all objects into a repository.
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import type { Git } from './git.ts'

const KINDS = { commit: 1, tree: 2, blob: 3 } // in a pack

const hashOf = (id: string) => createHash(id.length === 40 ? 'sha1' : 'sha256')

// `like`: an id of the repository.
function made(kind: keyof typeof KINDS, content: Buffer, like: string) {
  return { kind, content, id: hashOf(like).update(`${kind} ${content.length}\0`).update(content).digest('hex') }
}

export const blob = (text: string, like: string) => made('blob', Buffer.from(text, 'latin1'), like)

// `entries` in the order of names, with the modes of git.
export function tree(entries: { mode: string; name: string; id: string }[], like: string) {
  const parts = entries.flatMap(({ mode, name, id }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')])
  return made('tree', Buffer.concat(parts), like)
}

export function commitOf(tree: string, parents: string[], message: string, at: number) {
  const who = `xylem <xylem@localhost> ${Math.floor(at / 1000)} +0000`
  return made('commit', Buffer.from([`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`), `author ${who}`,
    `committer ${who}`, '', `${message}\n`].join('\n')), tree)
}

// As a pack: git unpacks the pack into loose objects, and compresses the objects.
export async function bring(git: Git, objects: ReturnType<typeof made>[]): Promise<void> {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0')
  head.writeUInt32BE(objects.length, 8)
  const pack = Buffer.concat([head, ...objects.flatMap(({ kind, content }) =>
    [Buffer.from(sizeOf(KINDS[kind], content.length)), deflateSync(content, { level: 0 })])])
  const input = Buffer.concat([pack, hashOf(objects[0].id).update(pack).digest()])
  await git.run(['unpack-objects', '-q'], { input })
}

// The kind and four bits of the size, then seven bits each; a high bit: more bytes follow.
function sizeOf(kind: number, size: number): number[] {
  const bytes = [kind << 4 | size & 15]
  for (let rest = size >>> 4; rest > 0; rest >>>= 7) {
    bytes[bytes.length - 1] |= 128
    bytes.push(rest & 127)
  }
  return bytes
}
