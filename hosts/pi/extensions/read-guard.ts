// Read before write (../lib/guard/read-guard.ts).
import { extension } from '../lib/join.ts'

export default extension('read-guard')
