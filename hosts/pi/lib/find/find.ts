// Find: /find searches the sessions of the store, /sessions lists them. Enter goes on there.
import type { ExtensionAPI, ExtensionCommandContext } from '@earendil-works/pi-coding-agent'
import { load } from '../load.ts'
import type { Owner } from '../owner.ts'
import type { Kind } from './view.ts'

export default function find(pi: ExtensionAPI, owner: Owner): void {
  const begin = (kind: Kind) => async (words: string, ctx: ExtensionCommandContext) => {
    const { pick } = await owner.live(load('find/pick'))
    await owner.live(pick(kind, words, ctx, owner))
  }
  owner.command(pi, 'find', {
    description: 'Search the sessions of the store, and go on at a match',
    run: begin('find'),
  })
  owner.command(pi, 'sessions', {
    description: 'List the sessions of the store, and resume one',
    run: begin('sessions'),
  })
}
