// Asks before a bash command that destroys, and before a session is left behind (../lib/guard/confirm.ts).
import { extension } from '../lib/join.ts'

export default extension('confirm')
