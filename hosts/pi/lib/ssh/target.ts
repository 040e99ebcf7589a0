// Where --ssh points: `user@host`, `host`, and with a directory `user@host:/path`.

export interface Target {
  readonly host: string // as the person wrote it, without the path
  readonly user: string | undefined
  readonly name: string // the host alone
  readonly path: string | undefined
}

// ssh itself refuses these characters since 9.6: a config may pass the name on to a shell.
const REFUSED = /[\s\p{C}'"`$\\;&<>|(){}]/u

// Throws an Error that names what is wrong.
export function parseTarget(text: string): Target {
  const [, host, path] = /^([^]*?)(?::(\/[^]*))?$/.exec(text)!
  const at = host.lastIndexOf('@')
  const user = at < 0 ? undefined : host.slice(0, at)
  const name = host.slice(at + 1)
  if (/^ssh:\/\//i.test(text)) {
    throw new Error(`'${text}' is a URL. Write user@host:/path, and a port into ~/.ssh/config`)
  }
  if (name === '' || user === '') {
    throw new Error(`'${text}' has no ${name === '' ? 'host' : 'user'}. Write user@host or user@host:/path`)
  }
  if (host.startsWith('-') || name.startsWith('-')) {
    throw new Error(`'${text}' begins with '-', and ssh could take it for an option`)
  }
  if (REFUSED.test(host)) {
    throw new Error(`'${host}' has a character that no name of a user or host has`)
  }
  if (/:$/.test(name) || /[^:]:[^:]+$/.test(name) && !/:.*:/.test(name)) {
    throw new Error(`'${text}': a path begins with '/', and a port belongs into ~/.ssh/config`)
  }
  if (path?.includes('\0')) {
    throw new Error('the path has a zero byte')
  }
  return { host, user, name, path }
}

// A word of a POSIX shell that means the text itself.
export const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
