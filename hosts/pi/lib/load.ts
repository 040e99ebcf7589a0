// The only place of the package that imports a module later than at the start: the features, by the extension files that
// join, and what is large and seldom used.
const MODULES = {
  checkpoint: () => import('./checkpoint/checkpoint.ts'),
  confirm: () => import('./guard/confirm.ts'),
  'ext-toggle': () => import('./ext/ext-toggle.ts'),
  find: () => import('./find/find.ts'),
  fleet: () => import('./fleet/fleet.ts'),
  'mcp-loader': () => import('./mcp/mcp-loader.ts'),
  notify: () => import('./notify/notify.ts'),
  'read-guard': () => import('./guard/read-guard.ts'),
  readonly: () => import('./guard/readonly.ts'),
  sequence: () => import('./sequence/sequence.ts'),
  ssh: () => import('./ssh/ssh.ts'),
  todo: () => import('./todo/todo.ts'),

  'checkpoint/keeper': () => import('./checkpoint/keeper.ts'),
  'ext/switch': () => import('./ext/switch.ts'),
  'find/pick': () => import('./find/pick.ts'),
  'fleet/ship': () => import('./fleet/ship.ts'),
  'fleet/take': () => import('./fleet/take.ts'),
  'mcp/servers': () => import('./mcp/servers.ts'), // with the SDK of MCP
  'mcp/tools': () => import('./mcp/tools.ts'),
  'notify/notification': () => import('./notify/notification.ts'),
  'sequence/menu': () => import('./sequence/menu.ts'),
  'sequence/recorder': () => import('./sequence/recorder.ts'),
  'ssh/password': () => import('./ssh/password.ts'),
  'ssh/session': () => import('./ssh/session.ts'),
  'store/known-sessions': () => import('./store/known-sessions.ts'),
}

type Modules = { [Name in keyof typeof MODULES]: Awaited<ReturnType<typeof MODULES[Name]>> }
type FolderModule = `${string}/${string}`

export type FeatureName = Exclude<keyof Modules, FolderModule>

const loads = new Map<keyof Modules, Promise<unknown>>()
const queue: { last: Promise<unknown> } = { last: Promise.resolve() }

// Once: pi looks for the file at each import. One after the other: to an import that comes while another import evaluates
// a module, pi gives the half-done module.
export function load<Name extends keyof Modules>(name: Name): Promise<Modules[Name]> {
  let load = loads.get(name)
  if (!load) {
    load = queue.last.then((): Promise<unknown> => MODULES[name]())
    loads.set(name, load)
    queue.last = load.catch(() => loads.delete(name))
  }
  return load as Promise<Modules[Name]>
}
