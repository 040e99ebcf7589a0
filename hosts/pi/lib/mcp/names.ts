// Names that every provider takes: a provider refuses the whole request for another name. Anthropic takes a tool with a
// hyphen, and Bedrock does not. Tools have the names of pi 1.5's own MCP, which no other extension has by chance.
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

export const toolName = (server: string, tool: string, isTaken: (name: string) => boolean): string =>
  freeOf(`mcp__${cleaned(server)}__${cleaned(tool)}`, isTaken)

export const isToolName = (name: unknown) => typeof name === 'string' && /^mcp__\w{1,59}$/.test(name)

// Of a property: here hyphens and dots pass.
export const isPropertyName = (name: string) => /^[A-Za-z0-9_.-]{1,64}$/.test(name)

export const propertyName = (name: string, isTaken: (name: string) => boolean): string =>
  freeOf(name.replace(/[^A-Za-z0-9_.-]/gu, '_') || '_', isTaken)
