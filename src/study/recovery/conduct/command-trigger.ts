/**
 * A command of the user that disturbs the crew: started at its time, and undone or ended when the
 * trigger is over.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Micros } from '../../../base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../../base/units.ts'
import { OUR_SECRETS } from '../../../host/secrets.ts'
import { reasonOf } from '../../../result/sentence-tables.ts'
import type { TriggerFailure } from '../../frame/trial/reasons.ts'
import { TRIAL_REASONS } from '../../frame/trial/reasons.ts'
import { signalTree, spawnCommand } from '../../frame/conduct/shell-command.ts'
import type { Trigger } from '../plan/trigger.ts'
import type { Environment } from '../../../run/options.ts'

type CommandTrigger = Extract<Trigger, { kind: 'command' }>

interface TriggerTimes {
  fromMicros: Micros
  forMicros: Micros
}

const COMPLAINT_CHARACTERS = 300
/** The time after SIGTERM before SIGKILL. */
const PATIENCE_MS = 2_000
const LOOK_EVERY_MS = 20
/** The limit after the run for a command that undoes the trigger. */
const UNDO_MS = 60_000

/** The time of a command counts from construction. `over` must be called, however the run ended. */
export class CommandRun {
  readonly #trigger: CommandTrigger
  readonly #env: Environment
  readonly #seconds: number
  readonly #undoMs: number
  readonly #timers: NodeJS.Timeout[]
  readonly #failures: (() => TriggerFailure)[] = []
  /** Processes that we ended ourselves: their exit codes are ignored. */
  readonly #stopped = new Set<ChildProcess>()
  #begun: ChildProcess | null = null
  #undo: ChildProcess | null = null
  #ended: Promise<void> | null = null

  constructor(
    trigger: CommandTrigger,
    { fromMicros, forMicros }: TriggerTimes,
    env: Environment,
    undoMs = UNDO_MS,
  ) {
    this.#trigger = trigger
    this.#seconds = forMicros / MICROS_PER_SECOND
    this.#undoMs = undoMs
    this.#env = Object.fromEntries(Object.entries(env).filter(([name]) => !OUR_SECRETS.has(name)))
    const fromMs = fromMicros / MICROS_PER_MS
    this.#timers = [
      setTimeout(() => this.#begin(), fromMs),
      setTimeout(() => this.#end(), fromMs + forMicros / MICROS_PER_MS),
    ]
  }

  /**
   * Undoes what has begun, ends both commands, and returns what went wrong with them.
   */
  async over(): Promise<readonly TriggerFailure[]> {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#end()
    const undo = this.#undo
    if (undo !== null && !(await endsWithin(undo, this.#undoMs))) {
      this.#failed(this.#trigger.end!, () => ({ kind: 'endless', stoppedAfterMs: this.#undoMs }))
      await this.#stop(undo)
    }
    await this.#ended
    if (this.#begun !== null) await this.#stop(this.#begun)
    return this.#failures.map((failure) => failure())
  }

  #begin(): void {
    this.#begun = this.#run(this.#trigger.begin, 'begin')
  }

  #end(): void {
    const begun = this.#begun
    if (begun === null || this.#undo !== null || this.#ended !== null) return
    const { end } = this.#trigger
    if (end === null) this.#ended = this.#stop(begun)
    else this.#undo = this.#run(end, 'end')
  }

  #run(command: string, moment: 'begin' | 'end'): ChildProcess {
    const child = spawnCommand(command, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        ...this.#env,
        CREWLOAD_TRIGGER: moment,
        CREWLOAD_TRIGGER_SECONDS: String(this.#seconds),
      },
    })
    let said = ''
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-COMPLAINT_CHARACTERS)
    })
    child.once('error', ({ message }) => {
      this.#failed(command, () => ({ kind: 'not-started', error: message }))
    })
    child.once('exit', (code, signal) => {
      // A background process that it started may keep the pipe open.
      if (child.stderr instanceof Socket) child.stderr.unref()
      if (code === 0 || this.#stopped.has(child)) return
      this.#failed(command, () => ({ kind: 'ended', exit: { code, signal }, said: said.trim() }))
    })
    return child
  }

  /** `how` is called when both commands have ended: one may complain after its exit. */
  #failed(command: string, how: () => TriggerFailure['failure']): void {
    this.#failures.push(() => {
      return reasonOf(TRIAL_REASONS, 'trigger-failed', { command, failure: how() })
    })
  }

  /** Ends the process and its children. */
  async #stop(child: ChildProcess): Promise<void> {
    const { pid } = child
    if (pid === undefined || !isRunning(child)) return
    this.#stopped.add(child)
    signalTree(pid, 'SIGTERM')
    const deadline = performance.now() + PATIENCE_MS
    while (signalTree(pid, 0) && performance.now() < deadline) await sleep(LOOK_EVERY_MS)
    signalTree(pid, 'SIGKILL')
    await endsWithin(child, PATIENCE_MS)
  }
}

function isRunning({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null
}

/**
 * Waits for the exit, not for the closing of the pipe, which a background process may keep open.
 */
async function endsWithin(child: ChildProcess, ms: number): Promise<boolean> {
  if (!isRunning(child)) return true
  const stop = AbortSignal.timeout(ms)
  try {
    await once(child, 'exit', { signal: stop })
  } catch {
    return !isRunning(child)
  }
  return true
}
