/** A command of the user's that disturbs the crew: begun at its time, undone or ended when the trigger is over. */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import type { Micros } from '../../units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../units.ts'
import type { Trigger } from './trigger.ts'

type CommandTrigger = Extract<Trigger, { kind: 'command' }>

interface Times {
  fromMicros: Micros
  forMicros: Micros
}

const SHELL = '/bin/sh'
const COMPLAINT_CHARACTERS = 300
/** After SIGTERM. */
const PATIENCE_MS = 2_000

/** What is a secret of ours is none of the command's. */
const OUR_SECRETS: ReadonlySet<string> = new Set(['CREWLOAD_TOKEN', 'CREWLOAD_FAKE_ADMIN_TOKEN'])

/** Begins to count when it is made. `over` must be called, however the run ended. */
export class CommandRun {
  readonly #trigger: CommandTrigger
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #seconds: number
  readonly #timers: NodeJS.Timeout[]
  readonly #complaints: string[] = []
  #begun: ChildProcess | null = null
  #ended: Promise<void> | null = null

  constructor(
    trigger: CommandTrigger,
    { fromMicros, forMicros }: Times,
    env: Readonly<Record<string, string | undefined>>,
  ) {
    this.#trigger = trigger
    this.#seconds = forMicros / MICROS_PER_SECOND
    this.#env = Object.fromEntries(Object.entries(env).filter(([name]) => !OUR_SECRETS.has(name)))
    const fromMs = fromMicros / MICROS_PER_MS
    this.#timers = [
      setTimeout(() => this.#begin(), fromMs),
      setTimeout(() => this.#end(), fromMs + forMicros / MICROS_PER_MS),
    ]
  }

  /** Undoes what has begun, and gives what went wrong with the commands: a sentence each. */
  async over(): Promise<readonly string[]> {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#end()
    await this.#ended
    return this.#complaints
  }

  #begin(): void {
    this.#begun = this.#run(this.#trigger.begin, 'begin')
  }

  #end(): void {
    const begun = this.#begun
    if (begun === null || this.#ended !== null) return
    const { end } = this.#trigger
    this.#ended = end === null ? stop(begun) : ended(this.#run(end, 'end'))
  }

  #run(command: string, moment: 'begin' | 'end'): ChildProcess {
    const child = spawn(SHELL, ['-c', command], {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        ...this.#env,
        CREWLOAD_TRIGGER: moment,
        CREWLOAD_TRIGGER_SECONDS: String(this.#seconds),
      },
    })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-COMPLAINT_CHARACTERS)
    })
    child.once('error', (error) => this.#complaints.push(`${command}: ${error.message}`))
    child.once('exit', (code) => {
      if (code === null || code === 0) return
      const words = said.trim()
      const why = words === '' ? '' : `: ${words}`
      this.#complaints.push(`the command ${command} ended with ${code}${why}`)
    })
    return child
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  await new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
}

/** It and whatever it started: it leads a group of its own. */
async function stop(child: ChildProcess): Promise<void> {
  const over = ended(child)
  signalGroup(child, 'SIGTERM')
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), PATIENCE_MS)
  await over
  clearTimeout(timer)
}

function signalGroup({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  try {
    process.kill(-pid, signal)
  } catch {
    // It has just ended by itself.
  }
}
