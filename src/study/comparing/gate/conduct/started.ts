/** A target that a command of the user's starts: it is there for one run, and ends with it. */
import type { ChildProcess, StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { excerpt } from '../../../../crew/excerpt.ts'
import type { CrewPaths } from '../../../../crew/crew-request.ts'
import { DOCUMENTED_PATHS, inputsRequest } from '../../../../crew/crew-request.ts'
import { Interrupted, TargetError } from '../../../../run/errors.ts'
import { signalTree, spawnKept } from '../../../frame/conduct/shell-command.ts'
import type { Environment } from '../../../../run/options.ts'

export interface StartedTarget {
  /** Ends the command with everything that it started. Never rejects. */
  stop(): Promise<void>
}

export interface StartOptions {
  /** For the system's shell; it stays in the foreground as long as the target is there. */
  command: string
  target: URL
  /** Where it serves `GET /inputs`. Default: as documented. */
  paths?: CrewPaths | undefined
  /** The file that gets what the command prints; null discards it. */
  log: string | null
  /** Default: that of this process. */
  env?: Environment | undefined
  /** Aborts the waiting for the target. */
  signal: AbortSignal
  /** Receives a sentence when the command ends before it is stopped. */
  onTrouble?: ((trouble: string) => void) | undefined
  limits?: Limits
}

interface Limits {
  /** The longest wait until nothing of the run before answers any more, in milliseconds. */
  freeMs: number
  /** The longest wait until the target answers, in milliseconds. */
  startMs: number
  /**
   * How long to wait for the end of the command, in milliseconds; what is left of it then is
   * killed.
   */
  stopMs: number
}

const LIMITS: Limits = { freeMs: 5_000, startMs: 120_000, stopMs: 10_000 }
const KILL_LIMIT_MS = 1_000
const PAUSE_MS = 100
const ANSWER_LIMIT_MS = 2_000
const LOG_TAIL_BYTES = 2_000

/**
 * Runs the command and waits until the target answers for its inputs, without a token. Throws
 * TargetError when something answers there before, when the command ends, and when the target takes
 * too long; and Interrupted.
 */
export async function startTarget(options: StartOptions): Promise<StartedTarget> {
  const { command, log, env, signal, onTrouble, limits = LIMITS } = options
  const { target, paths = DOCUMENTED_PATHS } = options
  const ask = async (): Promise<number | null> => statusOf(target, paths)
  await demandFree(target, ask, limits)
  const output = log === null ? null : await open(log, 'a')
  const printed = output?.fd ?? 'ignore'
  const stdio: StdioOptions = ['pipe', printed, printed, 'pipe']
  const child = spawnKept(command, limits.stopMs, { env, stdio })
  await output?.close()
  const running = new RunningTarget(child, limits)
  try {
    await answering(ask, running, { signal, limits })
  } catch (error) {
    await running.stop()
    if (signal.aborted) throw new Interrupted('stopped')
    if (!(error instanceof NoAnswer)) throw error
    const problem = `the command that starts it ${error.message}`
    throw new TargetError(target, problem, await lastLine(log))
  }
  void running.ended.then((code) => {
    if (!running.isStopped)
      onTrouble?.(`the command of ${target.href} ended with exit code ${code}`)
  })
  return running
}

class RunningTarget implements StartedTarget {
  readonly #child: ChildProcess
  readonly #limits: Limits
  /** Resolves when everything that the command started has ended. */
  readonly #gone: Promise<unknown>
  /** Resolves with the exit code when the command ends by itself. */
  readonly ended: Promise<number>
  isStopped = false

  constructor(child: ChildProcess, limits: Limits) {
    this.#child = child
    this.#limits = limits
    const codes = child.stdio[3] as Readable
    this.#gone = once(codes, 'close')
    this.ended = new Promise((resolve) => {
      codes.on('data', (code: Buffer) => resolve(Number(code.toString())))
    })
    // The keeper may have ended when its input is closed.
    this.#input.on('error', () => {})
  }

  async stop(): Promise<void> {
    this.isStopped = true
    this.#input.end()
    await within(this.#limits.stopMs, this.#gone)
    signalTree(this.#child.pid!, 'SIGKILL')
    await within(KILL_LIMIT_MS, this.#gone)
  }

  get #input(): Writable {
    return this.#child.stdin!
  }
}

/** The target does not answer. */
class NoAnswer extends Error {}

async function answering(
  ask: () => Promise<number | null>,
  { ended }: RunningTarget,
  { signal, limits: { startMs } }: { signal: AbortSignal; limits: Limits },
): Promise<void> {
  let last: number | null = null
  const died = ended.then((code) => {
    throw new NoAnswer(`ended with exit code ${code} before the target answered`)
  })
  died.catch(() => {})
  const began = performance.now()
  while (performance.now() - began < startMs) {
    last = await Promise.race([ask(), died])
    if (last !== null && isReady(last)) return
    await Promise.race([sleep(PAUSE_MS, null, { signal }), died])
  }
  const found = last === null ? '' : ` with anything but status ${last}`
  throw new NoAnswer(`did not make the target answer${found} within ${startMs / 1_000} s`)
}

/**
 * Whether the target is ready: it is not if it answers 404 for the path, or if a proxy in front of
 * it reports that it is not there.
 */
function isReady(status: number): boolean {
  return status !== 404 && status < 500
}

/**
 * Throws if something already answers there, because a target that the command did not start would
 * be measured.
 */
async function demandFree(
  target: URL,
  ask: () => Promise<number | null>,
  { freeMs }: Limits,
): Promise<void> {
  const began = performance.now()
  for (;;) {
    const status = await ask()
    if (status === null) return
    if (performance.now() - began > freeMs) {
      const problem = 'something answers there already, before the command that starts it has run'
      throw new TargetError(target, problem, `status ${status}`)
    }
    await sleep(PAUSE_MS)
  }
}

/** Returns the status; null if nothing answers. The certificate is checked by the run. */
async function statusOf(target: URL, paths: CrewPaths): Promise<number | null> {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  const { method, path } = inputsRequest('starting', paths)
  try {
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS)
    const url = new URL(`${target.pathname.replace(/\/$/, '')}${path}`, target)
    const { statusCode, body } = await request(url, { method, dispatcher, signal })
    await body.dump()
    return statusCode
  } catch {
    return null
  } finally {
    await dispatcher.destroy()
  }
}

/** Whether it ended within the time. */
async function within(limitMs: number, end: Promise<unknown>): Promise<boolean> {
  const late = new AbortController()
  const expired = sleep(limitMs, false, { signal: late.signal }).catch(() => false)
  const inTime = await Promise.race([end.then(() => true), expired])
  late.abort()
  return inTime
}

/** The last line that the command printed. */
async function lastLine(log: string | null): Promise<string | undefined> {
  if (log === null) return undefined
  const file = await open(log, 'r')
  try {
    const { size } = await file.stat()
    const start = Math.max(0, size - LOG_TAIL_BYTES)
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(LOG_TAIL_BYTES),
      0,
      LOG_TAIL_BYTES,
      start,
    )
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n')
    const last = lines.findLast((line) => line.trim() !== '')
    return last === undefined ? undefined : excerpt(last.trim())
  } finally {
    await file.close()
  }
}
