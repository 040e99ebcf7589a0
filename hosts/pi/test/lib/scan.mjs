// The state at a leaf by a scan of its whole path, oldest entry first: a second implementation of the rules of
// docs/rehydration.md, to compare with. What an event adds (the flag, the previous state) is not the path's.

export const READONLY = ['readonly', 'agenticoding-readonly']
const NUDGE = ['readonly-nudge', 'agenticoding-readonly-nudge']

const isMap = (data) => typeof data === 'object' && data !== null && !Array.isArray(data)
const isRedacted = (data) => isMap(data) && Object.keys(data).length === 1 && typeof data.redacted === 'string'

/**
 * @param {any[]} path entries of a session, from the root to the leaf
 * @returns {{enabled: boolean | null, toggle: string | null, told: 'on' | 'off' | null, toldBy: string | null,
 *            nudgedOn: boolean, outdated: boolean}} `enabled` is null without a toggle; `outdated`: a toggle is newer
 *            than the newest delivered nudge
 */
export function scan(path) {
  const state = { enabled: null, toggle: null, told: null, toldBy: null, nudgedOn: false, outdated: false }
  for (const { type, customType, data, id } of path) {
    if (type !== 'custom') {
      continue
    }
    if (READONLY.includes(customType) && (isRedacted(data) || (isMap(data) && typeof data.enabled === 'boolean'))) {
      Object.assign(state, { enabled: isRedacted(data) || data.enabled, toggle: id, outdated: true })
    }
    if (NUDGE.includes(customType) && isMap(data) && (data.direction === 'on' || data.direction === 'off')) {
      state.nudgedOn ||= data.direction === 'on'
      if (data.delivered === true) {
        Object.assign(state, { told: data.direction, toldBy: id, outdated: false })
      }
    }
  }
  return state
}

// The entries of a session file, and the path to one of them (without an id: to the last line).
export const entriesOf = (text) =>
  text.split('\n').filter(Boolean).map((line) => JSON.parse(line)).filter(({ type }) => type !== 'session')

export function pathTo(entries, leaf = entries.at(-1)?.id) {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const path = []
  for (let entry = byId.get(leaf); entry; entry = byId.get(entry.parentId)) {
    path.unshift(entry)
  }
  return path
}
