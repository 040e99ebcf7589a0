// Names of tools that every provider takes. Anthropic takes hyphens, and Bedrock refuses the whole request for one.
const LENGTH_MAX = 64

const cleaned = (name: string) => name.replace(/[^A-Za-z0-9_]/gu, '_')

// SERVER_TOOL, or TOOL if its name begins so already. A name that is taken gets a number.
export function toolName(server: string, tool: string, isTaken: (name: string) => boolean): string {
  const prefix = `${cleaned(server)}_`
  const rest = cleaned(tool)
  const whole = rest.startsWith(prefix) ? rest : prefix + rest
  const name = (/^[A-Za-z]/.test(whole) ? whole : `t_${whole}`).slice(0, LENGTH_MAX)
  let free = name
  for (let number = 2; isTaken(free); number++) {
    const suffix = `_${number}`
    free = name.slice(0, LENGTH_MAX - suffix.length) + suffix
  }
  return free
}
