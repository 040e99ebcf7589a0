// What the package has once in a process, under one symbol. pi evaluates modules again at each reload, and a process may
// have two copies of the package: what must outlive that lies here.
const KEY = Symbol.for('pi-xylem')
const place: Record<string, unknown> = ((globalThis as { [KEY]?: Record<string, unknown> })[KEY] ??= {})

// The value of a name. The first question makes the value.
export function inProcess<T>(name: string, make: () => T): T {
  return (place[name] ??= make()) as T
}
