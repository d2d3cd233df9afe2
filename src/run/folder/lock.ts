/** Locks a folder for one process at a time, by an empty file whose name identifies the process. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { kill, pid as ownPid } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { UserError } from '../../base/mistakes.ts'
import { createRandom } from '../../base/random.ts'
import { removeAtExit } from './make.ts'

/** `holder`: a run or a study is in progress there. `writer`: files are being replaced there. */
type Role = 'holder' | 'writer'

/**
 * `.held-by-<machine>-<pid>-<start>`, `.held-for-...` of a child process, `.written-by-...`: a
 * machine's name may contain dashes, the numbers do not.
 */
const BEGIN: Readonly<Record<Role, string>> = { holder: '.held-by-', writer: '.written-by-' }
const LOCK_FILE: Readonly<Record<Role, RegExp>> = {
  holder: /^\.held-(?:by|for)-(.*)-(\d+)-(\d+)$/,
  writer: /^\.written-by-(.*)-(\d+)-(\d+)$/,
}
/** A child process carries the load, and its parent decides. */
const CHILD = '.held-for-'
const MACHINE = hostname().replaceAll(/[^A-Za-z0-9._-]/g, '_')

export interface Hold {
  /** The file that is the lock. */
  path: string
  /** `act` must not reject. */
  whenReleased(act: () => Promise<void>): void
  /** Never rejects. */
  release(): Promise<void>
}

interface LockOptions {
  /** Default `holder`. A folder may have a holder and a writer at the same time. */
  as?: Role
  /** How long to wait for another process. Default 0. */
  patienceMs?: number
}

/** Between two attempts, half of it to all of it: two processes must not try in step for ever. */
const RETRY_MS = 40

/**
 * Locks the folder for this process. Throws a UserError when another live process (or another part
 * of this one) has the lock for longer than `patienceMs`, and when the folder is not writable. A
 * stale lock is recognised by the start time of its process, which a later process with the same
 * number does not share, and is removed. Of two simultaneous attempts both may fail, but never both
 * succeed.
 */
export async function lockFolder(
  folder: string,
  { as: role = 'holder', patienceMs = 0 }: LockOptions = {},
): Promise<Hold> {
  const name = await nameFor(ownPid, BEGIN[role])
  const random = createRandom(ownPid)
  for (let waitedMs = 0; ;) {
    const other = await tryLock(folder, name, role)
    if (typeof other !== 'string') return other
    if (waitedMs >= patienceMs) throw held(folder, other)
    const pauseMs = RETRY_MS * (0.5 + random.next() / 2)
    waitedMs += pauseMs
    await sleep(pauseMs)
  }
}

/** Returns the lock, or who has it. */
async function tryLock(folder: string, name: string, role: Role): Promise<Hold | string> {
  const path = join(folder, name)
  let keep: (() => void) | null = null
  const atEnd: (() => Promise<void>)[] = []
  const release = async (): Promise<void> => {
    keep?.()
    for (const act of atEnd) await act()
    await rm(path, { force: true }).catch(() => {})
  }
  try {
    await writeFile(path, '', { flag: 'wx' })
    keep = removeAtExit(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return 'this process'
    throw new UserError({ source: folder, problem: `cannot be written to: ${message}` })
  }
  const other = await lockerOf(folder, role, name)
  if (other === null) return { path, whenReleased: (act) => void atEnd.push(act), release }
  await release()
  return other
}

function held(folder: string, holder: string): UserError {
  return new UserError({ source: folder, problem: `${holder} is still using it` })
}

/**
 * Locks the folder for one of our child processes too, which may outlive this one. Never rejects: a
 * folder that was removed needs no lock.
 */
export async function holdFor(folder: string, pid: number): Promise<Pick<Hold, 'release'>> {
  const path = join(folder, await nameFor(pid, CHILD))
  await writeFile(path, '').catch(() => {})
  return { release: async () => rm(path, { force: true }).catch(() => {}) }
}

async function nameFor(pid: number, begin: string): Promise<string> {
  return `${begin}${MACHINE}-${pid}-${(await startOf(pid)) ?? 0}`
}

/** `process 4711`, or null; stale locks are removed, and what was asked of their processes. */
export async function holderOf(folder: string): Promise<string | null> {
  return lockerOf(folder, 'holder')
}

/**
 * Whether a process holds the folder, as far as that can be known; stale locks stay, for those to
 * whom they say that it was abandoned.
 */
export async function isHeld(folder: string): Promise<boolean> {
  for (const name of await readdir(folder)) {
    const [, machine, pid = '', start] = LOCK_FILE.holder.exec(name) ?? []
    if (machine === undefined) continue
    if (machine !== MACHINE || (await startOf(Number(pid))) === start) return true
  }
  return false
}

/**
 * The lock of who conducts what is in progress in a folder with such files: it may be stale. Null
 * where there is none, or that of a child process alone.
 */
export function conductorIn(names: readonly string[]): string | null {
  return names.find((name) => LOCK_FILE.holder.test(name) && !name.startsWith(CHILD)) ?? null
}

/** `own` is ignored. */
async function lockerOf(folder: string, role: Role, own = ''): Promise<string | null> {
  const names = await readdir(folder)
  for (const name of names) {
    const [, machine, pid = '', start] = LOCK_FILE[role].exec(name) ?? []
    if (machine === undefined || name === own) continue
    if (machine !== MACHINE) return `process ${pid} of ${machine} (if it is gone, remove ${name})`
    if ((await startOf(Number(pid))) === start) return `process ${pid}`
    const stale = names.filter((each) => each === name || each.startsWith(`${name}.`))
    for (const each of stale) await rm(join(folder, each), { force: true }).catch(() => {})
  }
  return null
}

/**
 * True where the last that held the folder was a process of this machine that is gone; false for a
 * folder that nobody has held yet. Throws where it cannot be read.
 */
export async function wasAbandoned(folder: string): Promise<boolean> {
  const held = (await readdir(folder)).some((name) => LOCK_FILE.holder.test(name))
  return held && (await holderOf(folder)) === null
}

/**
 * Clock ticks from the start of the machine to that of the process; `0` on systems without /proc;
 * null for a process that has ended.
 */
async function startOf(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (stat !== null) {
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return DEAD.has(state) ? null : (fields[START_FIELD] ?? '0')
  }
  const hasProc = await readFile(`/proc/${ownPid}/stat`).catch(() => null)
  return hasProc === null && lives(pid) ? '0' : null
}

/** Zombies hold no lock (proc(5), field 3). */
const DEAD: ReadonlySet<string> = new Set(['Z', 'X', 'x'])
/** `starttime` is field 22; after the state, field 4 is the first. */
const START_FIELD = 22 - 4

/** Signal 0 only tests whether the process exists, and may be signalled. */
function lives(pid: number): boolean {
  try {
    kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
