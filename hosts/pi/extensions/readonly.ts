// /readonly keeps an agent from changing files (../lib/guard/readonly.ts).
import { extension } from '../lib/join.ts'

export default extension('readonly')
