/** Which signals end this process, from its first line on. */
import { readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { EXIT } from '../exit-codes.ts'

/** Those of them that a command handles. */
export function handledSignals(): readonly NodeJS.Signals[] {
  const always = ['SIGINT', 'SIGTERM'] as const
  return hangupIgnored() ? always : [...always, 'SIGHUP']
}

/** These only read: a signal ends them at once, even in the middle of a long calculation. */
const READERS = new Set(['report', 'compare', 'history', 'init', 'schema', 'doctor'])

/**
 * Before and after a command handles signals itself, the first one ends the process with an exit
 * code, so that what it has created and not used is removed.
 */
export function guardSignals([command = '']: readonly string[]): void {
  if (hangupIgnored()) process.on('SIGHUP', () => {})
  if (READERS.has(command)) return
  for (const signal of handledSignals()) {
    process.on(signal, () => {
      if (process.listenerCount(signal) > 1) return
      process.stderr.write(`crewload: ended by ${signal}; nothing was in progress to report\n`)
      process.exit(EXIT.interrupted)
    })
  }
}

let isIgnored: boolean | null = null

/**
 * Whether SIGHUP was ignored when the process was started, as by `nohup`. Node resets what its
 * parent ignored (node.cc, `ResetSignalHandlers` of Node 20), so it is known by what `nohup` of
 * coreutils does with a terminal (input from a /dev/null that cannot be read, output to nohup.out),
 * and by the parent's own mask on Linux. False where nothing shows it.
 */
function hangupIgnored(): boolean {
  isIgnored ??= inputIsUnreadable() || outputIsNohups() || parentIgnores()
  return isIgnored
}

const ACCESS_MODE = 0o3
const WRITE_ONLY = 0o1

function inputIsUnreadable(): boolean {
  const [, flags = '0'] = /^flags:\s*(\d+)/m.exec(textOf('/proc/self/fdinfo/0')) ?? []
  const isNull = linkOf('/proc/self/fd/0') === '/dev/null'
  return isNull && (Number.parseInt(flags, 8) & ACCESS_MODE) === WRITE_ONLY
}

function outputIsNohups(): boolean {
  return basename(linkOf('/proc/self/fd/1')) === 'nohup.out'
}

/** SIGHUP is the first signal (proc(5), SigIgn). */
function parentIgnores(): boolean {
  const [, mask = '0'] =
    /^SigIgn:\s*([0-9a-f]+)/m.exec(textOf(`/proc/${process.ppid}/status`)) ?? []
  return (Number.parseInt(mask.slice(-1), 16) & 1) === 1
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/** Whether npx started this process; what a script starts in its turn may outlive npx. */
export function isFromNpx({
  npm_command: command,
  npm_lifecycle_script: script,
}: Record<string, string | undefined>): boolean {
  return command === 'exec' && /^\W*crewload\b/.test(script ?? '')
}

/**
 * The process id of npx, which is the parent, or the parent of the shell in between. It changes
 * when npx is killed, since npx ends nothing then. Without /proc, the shell hides that.
 */
export function npxOf(): string {
  const parent = parentOf()
  return processOf(parent).name.endsWith('sh') ? starterOf(parent) : parent
}

/** The process that started npx: it changes too when npx ends. */
export function aboveNpx(): string {
  return starterOf(npxOf())
}

/** The process that started this one, with or without /proc. */
export function parentOf(): string {
  const parent = String(process.ppid)
  return starterOf(String(process.pid)) === ADOPTED ? ADOPTED : parent
}

/** In place of the id of a process that has ended. */
export const ADOPTED = ''

/**
 * The process that started it. Once that has ended, another adopts what it started, and their
 * sessions differ: a process has the session of its starter unless it began one.
 */
function starterOf(id: string): string {
  const { above, session } = processOf(id)
  const other = processOf(above).session
  const isAdopted = session !== id && other !== '' && other !== session
  return isAdopted ? ADOPTED : above
}

/** Without /proc: no name, no session, and itself in place of its parent. */
function processOf(id: string): { name: string; above: string; session: string } {
  const [name = '', rest = ''] = textOf(`/proc/${id}/stat`).split(') ')
  const [, above = id, , session = ''] = rest.split(' ')
  return { name, above, session }
}
