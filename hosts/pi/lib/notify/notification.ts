// One notification: of the terminal, of Windows, or by a command of the person. Loaded when the first is due.
import { execFile } from 'node:child_process'
import { oneLine } from '../excerpt.ts'
import { readSettings } from '../settings.ts'

const ESC = '\x1b'
const BEL = '\x07'
const ST = `${ESC}\\`
const COLUMNS = 120 // of a name: a terminal cuts a longer text without a word
const RUN_MS = 10000 // the longest run of a command, and of PowerShell

const { env, stdout } = process

// As the person set. The result is why a command failed.
export async function notify(title: string, name: string): Promise<string | undefined> {
  const { command, by = command ? 'off' : 'osc' } = readSettings().settings.notify ?? {}
  const body = oneLine(name, COLUMNS) // a name of foreign hands must not end the sequence
  if (stdout.isTTY && by === 'bell') {
    stdout.write(BEL)
  } else if (stdout.isTTY && by === 'osc') {
    tellTerminal(title, body)
  }
  return command && run(command, `${title}: ${body}`)
}

// No shell reads the text, and no program takes the text for an option: the text begins with a word of ours.
function run([program, ...args]: string[], text: string): Promise<string | undefined> {
  return new Promise((done) => {
    const child = execFile(program, [...args, text], { timeout: RUN_MS },
      (error) => done(error ? oneLine(`notify: ${error.message}`, COLUMNS) : undefined))
    child.stdin?.end()
    child.unref()
  })
}

// The whole text leaves in one write. pi writes each frame in one tick, so the text comes between two frames. Neither
// sequence moves the cursor.
function tellTerminal(title: string, body: string): void {
  if (!env.KITTY_WINDOW_ID && env.WT_SESSION) {
    toast(title, body)
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
function toast(title: string, body: string): void {
  const kind = 'Windows.UI.Notifications'
  const text = (words: string) =>
    `[Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('${Buffer.from(words).toString('base64')}'))`
  const put = (words: string, at: number) =>
    `$xml.GetElementsByTagName('text')[${at}].AppendChild($xml.CreateTextNode(${text(words)})) > $null`
  const manager = `[${kind}.ToastNotificationManager, ${kind}, ContentType = WindowsRuntime]`
  const script = [`$xml = ${manager}::GetTemplateContent([${kind}.ToastTemplateType]::ToastText02)`, put(title, 0),
    put(body, 1), `${manager}::CreateToastNotifier('Pi').Show([${kind}.ToastNotification]::new($xml))`].join('; ')
  void run(['powershell.exe', '-NoProfile', '-NonInteractive', '-Command'], script) // nobody hears of a failure
}
