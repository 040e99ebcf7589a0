// --ssh has read, write, edit and bash act on another machine (../lib/ssh/ssh.ts).
import { extension } from '../lib/join.ts'

export default extension('ssh')
