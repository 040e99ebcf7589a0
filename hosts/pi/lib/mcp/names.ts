// Names that every provider takes: a provider refuses the whole request for another name. Anthropic takes a tool with a
// hyphen, and Bedrock does not.
const LENGTH_MAX = 64

const cleaned = (name: string) => name.replace(/[^A-Za-z0-9_]/gu, '_')

// A name that is taken gets a number.
function freeOf(name: string, isTaken: (name: string) => boolean): string {
  const whole = name.slice(0, LENGTH_MAX)
  let free = whole
  for (let number = 2; isTaken(free); number++) {
    const suffix = `_${number}`
    free = whole.slice(0, LENGTH_MAX - suffix.length) + suffix
  }
  return free
}

// SERVER_TOOL, or TOOL if its name begins so already.
export function toolName(server: string, tool: string, isTaken: (name: string) => boolean): string {
  const prefix = `${cleaned(server)}_`
  const rest = cleaned(tool)
  const whole = rest.startsWith(prefix) ? rest : prefix + rest
  return freeOf(/^[A-Za-z]/.test(whole) ? whole : `t_${whole}`, isTaken)
}

// Of a property: here hyphens and dots pass.
export const isPropertyName = (name: string) => /^[A-Za-z0-9_.-]{1,64}$/.test(name)

export const propertyName = (name: string, isTaken: (name: string) => boolean): string =>
  freeOf(name.replace(/[^A-Za-z0-9_.-]/gu, '_') || '_', isTaken)
