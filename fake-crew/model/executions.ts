/** Every execution the crew has accepted, in a table of numbers: its timeline is laid down at kickoff and read ever after. */
import type { Micros } from '../../src/units.ts'
import { MICROS_PER_MS } from '../../src/units.ts'
import type { Demand, Fate } from './demand.ts'
import { inputsOf } from './kickoff.ts'
import { Table, countUpTo } from './table.ts'

const FATES: readonly Fate[] = ['completed', 'failed', 'stuck']

/** Columns of the table; from `TASKS` on, the end of each task in milliseconds after the start, Infinity for one never begun. */
const ACCEPTED = 0
const STARTED = 1
const FATE = 2
const POLLS = 3
const TASKS = 4

export type Phase = 'queued' | 'running' | 'completed' | 'failed'

export interface Accepted {
  acceptedMicros: Micros
  /** Infinity when it waits for ever. */
  startedMicros: Micros
  demand: Demand
  /** Of the kickoff, as it came. */
  body: string
  correlation: string | null
}

export class Executions {
  readonly #tasks: number
  readonly #table: Table
  readonly #bodies: string[] = []
  readonly #correlations: (string | null)[] = []
  /** Restarts that lost something: of the executions before ordinal `before`. */
  readonly #losses: { before: number; atMicros: Micros; loses: 'all' | 'running' }[] = []
  /** The last ones that were asked for. */
  #inputsRead: { ordinal: number; inputs: Readonly<Record<string, unknown>> } | null = null

  /** `tasks`: how many tasks each execution has, at least 1. */
  constructor(tasks: number) {
    this.#tasks = tasks
    this.#table = new Table(TASKS + tasks)
  }

  get count(): number {
    return this.#table.length
  }

  add({ acceptedMicros, startedMicros, demand, body, correlation }: Accepted): void {
    const row = this.#table.push()
    this.#table.set(row, ACCEPTED, acceptedMicros)
    this.#table.set(row, STARTED, startedMicros)
    this.#table.set(row, FATE, FATES.indexOf(demand.fate))
    for (let task = 0; task < this.#tasks; task++) {
      this.#table.set(row, TASKS + task, demand.taskEndsMs[task] ?? Infinity)
    }
    this.#bodies.push(body)
    this.#correlations.push(correlation)
  }

  /** Executions since the last restart whose start lies after `micros`. Their starts never fall, first come being first served. */
  startingAfter(micros: Micros): number {
    const from = this.#losses.at(-1)?.before ?? 0
    return this.count - countUpTo(this.#table, STARTED, micros, from)
  }

  /** A restart: what has not ended by then is lost, and with `all` the rest is forgotten too. */
  lose(atMicros: Micros, loses: 'all' | 'running'): void {
    this.#losses.push({ before: this.count, atMicros, loses })
  }

  /** When a restart lost it; Infinity for never. */
  lostMicros(ordinal: number): Micros {
    if (this.#losses.length === 0) return Infinity
    const endedMicros = this.endedMicros(ordinal)
    const loss = this.#losses.find(
      ({ before, atMicros }) => ordinal < before && endedMicros > atMicros,
    )
    return loss?.atMicros ?? Infinity
  }

  isForgotten(ordinal: number): boolean {
    if (this.#losses.length === 0) return false
    const forgotten = this.#losses.some(({ before, loses }) => ordinal < before && loses === 'all')
    return forgotten || this.lostMicros(ordinal) < Infinity
  }

  acceptedMicros(ordinal: number): Micros {
    return this.#table.at(ordinal, ACCEPTED)
  }

  startedMicros(ordinal: number): Micros {
    return this.#table.at(ordinal, STARTED)
  }

  fate(ordinal: number): Fate {
    return FATES[this.#table.at(ordinal, FATE)]!
  }

  /** Infinity for one that never ends. */
  endedMicros(ordinal: number): Micros {
    return this.fate(ordinal) === 'stuck' ? Infinity : this.plannedEndMicros(ordinal)
  }

  /** As `endedMicros`; for a stuck one, when it should have ended. */
  plannedEndMicros(ordinal: number): Micros {
    const lastEndMs = this.#taskEndMs(ordinal, this.#reachedTasks(ordinal) - 1)
    return this.startedMicros(ordinal) + lastEndMs * MICROS_PER_MS
  }

  phase(ordinal: number, nowMicros: Micros): Phase {
    if (nowMicros < this.startedMicros(ordinal)) return 'queued'
    const fate = this.fate(ordinal)
    if (fate === 'stuck' || nowMicros < this.plannedEndMicros(ordinal)) return 'running'
    return fate
  }

  /** Tasks finished by now; the failing task of a failed execution and the last of a stuck one never are. */
  completedTasks(ordinal: number, nowMicros: Micros): number {
    const elapsedMs = (nowMicros - this.startedMicros(ordinal)) / MICROS_PER_MS
    const finishing = this.#reachedTasks(ordinal) - (this.fate(ordinal) === 'completed' ? 0 : 1)
    let completed = 0
    while (completed < finishing && this.#taskEndMs(ordinal, completed) <= elapsedMs) completed++
    return completed
  }

  /** Milliseconds that each of the first `tasks` tasks took. */
  taskTimesMs(ordinal: number, tasks: number): number[] {
    return Array.from({ length: tasks }, (_, task) => {
      const startMs = task === 0 ? 0 : this.#taskEndMs(ordinal, task - 1)
      return this.#taskEndMs(ordinal, task) - startMs
    })
  }

  /** One answer asks for them once for each task's output. */
  inputs(ordinal: number): Readonly<Record<string, unknown>> {
    if (this.#inputsRead?.ordinal !== ordinal) {
      this.#inputsRead = { ordinal, inputs: inputsOf(this.#bodies[ordinal]!) }
    }
    return this.#inputsRead.inputs
  }

  correlation(ordinal: number): string | null {
    return this.#correlations[ordinal] ?? null
  }

  /** Counts one poll and returns its number, from 0. */
  countPoll(ordinal: number): number {
    const poll = this.#table.at(ordinal, POLLS)
    this.#table.set(ordinal, POLLS, poll + 1)
    return poll
  }

  #taskEndMs(ordinal: number, task: number): number {
    return this.#table.at(ordinal, TASKS + task)
  }

  /** Tasks that are ever begun. */
  #reachedTasks(ordinal: number): number {
    let reached = this.#tasks
    while (this.#taskEndMs(ordinal, reached - 1) === Infinity) reached--
    return reached
  }
}
