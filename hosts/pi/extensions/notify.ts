// A notification of the terminal when a long turn is over (../lib/notify/notify.ts).
import { extension } from '../lib/join.ts'

export default extension('notify')
