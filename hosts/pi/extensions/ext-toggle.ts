// /ext switches extensions off and on (../lib/ext/ext-toggle.ts).
import { extension } from '../lib/join.ts'

export default extension('ext-toggle')
