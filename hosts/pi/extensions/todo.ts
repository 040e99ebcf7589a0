// A list that the model keeps with the tool `todo` (../lib/todo/todo.ts).
import { extension } from '../lib/join.ts'

export default extension('todo')
