// The question before a fork or a clone: one dialog, whichever features are there. confirm asks whether the person
// leaves the session; checkpoint offers the files of the place.
import type { ExtensionContext, SessionBeforeForkEvent } from '@earendil-works/pi-coding-agent'
import { chooseToLeave } from './choice.ts'
import type { Owner } from '../owner.ts'

export const STAY = 'Stay in this session'
export const KEEP = 'Keep the files as they are'

// Files that the new session may get.
export interface Offer {
  question: string // without confirm
  text: string // below the question of confirm
  yes: string // to the question
  accept(): void
}

interface Parts {
  mayStay?(ctx: ExtensionContext): boolean
  offer?(event: SessionBeforeForkEvent, ctx: ExtensionContext): Promise<Offer | undefined>
}

type Answer = { cancel: true } | undefined

const known = new WeakMap<Owner, Parts>()

// The first feature registers the handler, and each adds its part.
export function beforeFork(owner: Owner, part: Parts): void {
  const parts = known.get(owner) ?? {}
  if (!known.has(owner)) {
    known.set(owner, parts)
    owner.on('session_before_fork', (event, ctx) => ask(owner, parts, event, ctx))
  }
  Object.assign(parts, part)
}

// pi goes on after an error of a handler. So an error cancels, where the person may stay.
async function ask(owner: Owner, parts: Parts, event: SessionBeforeForkEvent, ctx: ExtensionContext): Promise<Answer> {
  const { live } = owner
  const mayStay = ctx.hasUI && parts.mayStay?.(ctx) === true
  try {
    const offer = await live(parts.offer?.(event, ctx))
    return await live(mayStay ? askToLeave(owner, event.position === 'at' ? 'Clone' : 'Fork', offer, ctx)
      : offer && askAboutFiles(owner, offer, ctx))
  } catch (error) {
    return mayStay ? { cancel: true } : Promise.reject(error)
  }
}

async function askToLeave({ live }: Owner, word: string, offer: Offer | undefined, ctx: ExtensionContext):
  Promise<Answer> {
  const then = `${word} with the files of then`
  const going = offer ? [then, `${word}, keep the files`] : [`${word} this session`]
  const title = [`${word} this session?`, 'You go on in a new session; this session stays as it is.',
    ...offer ? [offer.text] : []].join('\n')
  const answer = await live(chooseToLeave(title, [STAY, ...going], ctx))
  if (!answer || !going.includes(answer)) {
    return { cancel: true }
  }
  if (answer === then) {
    offer?.accept()
  }
  return undefined
}

// Another dialog of the package ends the question, and the fork: for the next question about the fork a terminal would
// forget that dialog.
async function askAboutFiles({ live, signal }: Owner, { question, yes, accept }: Offer, ctx: ExtensionContext):
  Promise<Answer> {
  const answer = await live(chooseToLeave(question, [KEEP, yes], ctx, signal))
  if (answer === yes) {
    accept()
  }
  return answer === null ? { cancel: true } : undefined
}
