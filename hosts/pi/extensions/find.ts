// /find searches the sessions of the store, /sessions lists them; Enter goes on there (../lib/find/find.ts).
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'
import type { Joining } from '../lib/owner.ts'

const here = new URL('..', import.meta.url).href
const known = (globalThis as Joining)[Symbol.for('pi-xylem')]?.modules?.get(here) // another file has evaluated them

export default async (pi: ExtensionAPI) => (known ?? await import('../lib/owner.ts')).join(pi, 'find', here)
