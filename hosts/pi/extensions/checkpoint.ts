// Keeps the working tree of git beside the conversation (../lib/checkpoint/checkpoint.ts).
import { extension } from '../lib/join.ts'

export default extension('checkpoint')
