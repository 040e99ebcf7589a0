// /fleet lists the sessions of all hosts; those of named directories are shipped (../lib/fleet/fleet.ts).
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'
import type { Joining } from '../lib/owner.ts'

const here = new URL('..', import.meta.url).href
const known = (globalThis as Joining)[Symbol.for('pi-xylem')]?.modules?.get(here) // another file has evaluated them

export default async (pi: ExtensionAPI) => (known ?? await import('../lib/owner.ts')).join(pi, 'fleet', here)
