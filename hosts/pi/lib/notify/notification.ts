// One notification of the terminal, or of Windows. Loaded when the first notification is due.
import { oneLine } from '../excerpt.ts'

const ESC = '\x1b'
const BEL = '\x07'
const ST = `${ESC}\\`
const COLUMNS = 120 // of a name: a terminal cuts a longer text without a word
const TOAST_MS = 10000 // the longest run of PowerShell

const { env, stdout } = process

// The whole text leaves in one write. pi writes each frame in one tick, so the text comes between two frames. Neither
// sequence moves the cursor.
export async function notify(title: string, name: string): Promise<void> {
  if (!stdout.isTTY) {
    return
  }
  const body = oneLine(name, COLUMNS) // a name of foreign hands must not end the sequence
  if (!env.KITTY_WINDOW_ID && env.WT_SESSION) {
    await toast(title, body)
  } else {
    const sequence = env.KITTY_WINDOW_ID ? kitty(title, body) : rxvt(title, body)
    stdout.write(env.TMUX ? passed(sequence) : sequence)
  }
}

// OSC 99, in two parts of one identifier.
function kitty(title: string, body: string): string {
  const id = `i=pi-${process.pid}`
  return `${ESC}]99;${id}:d=0:p=title;${title}${ST}${ESC}]99;${id}:d=1:p=body;${body}${ST}`
}

// OSC 777: Ghostty, WezTerm, foot, rxvt-unicode and others.
const rxvt = (title: string, body: string) => `${ESC}]777;notify;${title};${body}${BEL}`

// tmux hands the sequence on if its option allow-passthrough is on. The bell comes through in any case.
const passed = (sequence: string) => `${ESC}Ptmux;${sequence.replaceAll(ESC, ESC + ESC)}${ST}${BEL}`

// Windows Terminal has no sequence for a notification, but its Linux can start PowerShell. The texts go in base64: no
// quote of a name can end a text of the script.
async function toast(title: string, body: string): Promise<void> {
  const { execFile } = await import('node:child_process')
  const kind = 'Windows.UI.Notifications'
  const text = (words: string) =>
    `[Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('${Buffer.from(words).toString('base64')}'))`
  const put = (words: string, at: number) =>
    `$xml.GetElementsByTagName('text')[${at}].AppendChild($xml.CreateTextNode(${text(words)})) > $null`
  const manager = `[${kind}.ToastNotificationManager, ${kind}, ContentType = WindowsRuntime]`
  const script = [`$xml = ${manager}::GetTemplateContent([${kind}.ToastTemplateType]::ToastText02)`, put(title, 0),
    put(body, 1), `${manager}::CreateToastNotifier('Pi').Show([${kind}.ToastNotification]::new($xml))`].join('; ')
  const child = execFile('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', script],
    { timeout: TOAST_MS }, () => {}) // without PowerShell there is nobody to tell
  child.unref()
}
