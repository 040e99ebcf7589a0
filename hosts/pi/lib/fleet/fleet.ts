// Fleet: sessions of all hosts, through the command `xylem fleet`. /fleet lists them and takes one over; sessions of the
// directories in the settings are shipped in the background.
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent'
import { isGone, type Life } from '../live.ts'
import { load } from '../load.ts'
import type { Owner } from '../owner.ts'
import { storePath } from '../settings.ts'
import { directoriesOf, isBelow, Place, resolved } from './choice.ts'
import type { Shipping } from './ship.ts'

export default function fleet(pi: ExtensionAPI, owner: Owner): void {
  let begun: Life | undefined // over RPC a session starts twice
  let shipping: Shipping | undefined

  owner.on('session_start', (_event, ctx) => {
    const directories = directoriesOf(owner.session!.settings)
    if (owner.life !== begun && directories.length > 0 && owner.session!.isKept) {
      begun = owner.life
      void owner.beside(begin(directories, ctx, owner.life).catch((error: Error) => {
        isGone(error) || ctx.ui.notify(`fleet: nothing is shipped: ${error.message}`, 'info')
      }))
    }
  })

  async function begin(directories: string[], ctx: ExtensionContext, { live }: Life): Promise<void> {
    const paths = await live(resolved(directories))
    if (!paths.some((path) => isBelow(ctx.cwd, path))) {
      return
    }
    const place = new Place(storePath(owner.session!.settings))
    const { ask, ship } = await live(load('fleet/ship'))
    await live(ask(place, paths, ctx, owner))
    shipping = ship(place, paths, ctx, owner)
  }

  // What pi appends at its end goes too, as far as there is time.
  owner.on('session_shutdown', ({ reason }) => {
    shipping?.end(reason === 'quit')
    shipping = undefined
  })

  owner.command(pi, 'fleet', {
    description: 'List the sessions of all hosts, and take one over',
    words: ['keep-local', 'status'],
    async run(words, ctx) {
      const { act } = await owner.live(load('fleet/take'))
      await owner.live(act(words, ctx, owner))
      shipping?.look()
    },
  })
}
