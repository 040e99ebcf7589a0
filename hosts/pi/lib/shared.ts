// The modules that most extensions use, evaluated once for all of them:
//
//     const { addGate, follow } = await shared()
//
// pi evaluates each extension file with modules of its own, and takes half a millisecond for each module. So the first
// extension file evaluates these modules, and later extension files take the same modules. At the end of a session the
// modules are forgotten: at the next start, such as /reload, the package may be newer. follow() forgets the modules, so
// an extension that calls shared() calls follow() too.
//
// The modules of the list below import one another as usual: shared() would wait for shared().

const KEY = Symbol.for('pi-xylem.modules')
const evaluated = ((globalThis as { [KEY]?: Map<string, ReturnType<typeof evaluate>> })[KEY] ??= new Map())
const HERE = import.meta.url // a process may have two copies of the package

// One after the other: to an import that comes while another import evaluates a module, pi gives the half-done module.
async function evaluate() {
  return {
    ...await import('./follow.ts'),
    ...await import('./store/session.ts'),
    ...await import('./store/native.ts'),
    ...await import('./settings.ts'),
    ...await import('./sequence/plays.ts'),
    ...await import('./sequence/offers.ts'),
    ...await import('./guard/children.ts'),
    ...await import('./guard/fallback.ts'),
    ...await import('./excerpt.ts'),
    ...await import('./folder.ts'),
    ...await import('./ssh/remote.ts'),
  }
}

export function shared(): ReturnType<typeof evaluate> {
  const modules = evaluated.get(HERE) ?? evaluate()
  evaluated.set(HERE, modules)
  modules.catch(forgetShared) // the next evaluation tries again
  return modules
}

export function forgetShared(): void {
  evaluated.delete(HERE)
}
