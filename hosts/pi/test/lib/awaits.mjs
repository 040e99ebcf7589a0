// The awaits of the sources, from the tree of the TypeScript compiler that lies beside pi.
import { readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { piPath } from './pi.mjs'

const ts = createRequire(piPath)('typescript')
const lib = fileURLToPath(new URL('../../lib', import.meta.url))

// Files of lib, as "folder/file.ts".
export const sources = readdirSync(lib, { recursive: true }).filter((name) => name.endsWith('.ts')).sort()

const OF_A_SESSION = ['ExtensionContext', 'ExtensionCommandContext', 'ExtensionAPI', 'Owner', 'Life', 'Live']

function* nodesOf(node) {
  yield node
  const children = []
  ts.forEachChild(node, (child) => { children.push(child) })
  for (const child of children) {
    yield* nodesOf(child)
  }
}

const treeOf = (name, text) => ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)

// A call of `live`, `owner.live`, `this.#live` and the like.
const isLive = (node) => ts.isCallExpression(node) &&
  /^#?live$/.test((ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression).text)

const isOfSession = (tree) => tree.statements.filter(ts.isImportDeclaration)
  .flatMap(({ importClause }) => importClause?.namedBindings?.elements ?? [])
  .some(({ name, propertyName }) => OF_A_SESSION.includes((propertyName ?? name).text))

// The name of the function or method in which a node stands: the nearest one that has a name.
function placeOf(node) {
  for (let at = node.parent; at; at = at.parent) {
    const isNamed = ts.isFunctionDeclaration(at) || ts.isMethodDeclaration(at)
    const isHeld = ts.isVariableDeclaration(at) && at.initializer && ts.isArrowFunction(at.initializer)
    if ((isNamed || isHeld) && at.name) {
      return at.name.text
    }
    // owner.on('session_shutdown', async () => ...)
    if (ts.isCallExpression(at) && at.expression.name?.text === 'on') {
      return at.arguments[0].text
    }
  }
  return ''
}

// The awaits of a file that has to do with sessions: each with the function in which it stands, and whether what it
// awaits is a call of `live`.
export function awaitsOf(name, text = readFileSync(join(lib, name), 'utf8')) {
  const tree = treeOf(name, text)
  return !isOfSession(tree) ? [] : [...nodesOf(tree)].filter((node) => ts.isAwaitExpression(node) || isForAwait(node))
    .map((node) => ({ place: `${name} ${placeOf(node)}`.trim(), code: node.getText().split('\n')[0],
      isGuarded: !isForAwait(node) && isLive(innermost(node.expression)) }))
}

const isForAwait = (node) => ts.isForOfStatement(node) && node.awaitModifier !== undefined
const innermost = (node) => ts.isParenthesizedExpression(node) ? innermost(node.expression) : node

// The text with the site of each call of `live` as its second argument; and the sites: "folder/file.ts:line", with a
// number behind the first of a line, and the code of the work.
export function numbered(name, text) {
  const tree = treeOf(name, text)
  const lines = new Map()
  const calls = [...nodesOf(tree)].filter((node) => isLive(node) && node.arguments.length === 1)
    .sort((a, b) => a.arguments[0].pos - b.arguments[0].pos)
    .map(({ arguments: [work] }) => {
      const line = `${name}:${tree.getLineAndCharacterOfPosition(work.getStart()).line + 1}`
      const count = (lines.get(line) ?? 0) + 1
      lines.set(line, count)
      return { site: count === 1 ? line : `${line}#${count}`, code: `${name}: ${work.getText()}`, end: work.getEnd() }
    })
  for (const { site, end } of calls.toSorted((a, b) => b.end - a.end)) {
    text = `${text.slice(0, end)}, '${site}'${text.slice(end)}`
  }
  return { text, sites: calls.map(({ site, code }) => ({ site, code })) }
}
