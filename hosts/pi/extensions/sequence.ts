// /sequence records steps, and runs them several times (../lib/sequence/sequence.ts).
import { extension } from '../lib/join.ts'

export default extension('sequence')
