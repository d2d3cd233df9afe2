/**
 * Every execution that the crew has accepted, in a table of numbers: its timeline is computed when
 * a worker takes it, and only read afterwards.
 */
import { assert } from '../../../src/base/assert.ts'
import { rowAfter, NumberTable, Rows } from '../../../src/base/collections/rows.ts'
import type { Micros } from '../../../src/base/units.ts'
import { MICROS_PER_MS } from '../../../src/base/units.ts'
import type { Demand, DrawnFate, PersonAsked } from './demand.ts'
import { inputsOf, membersOf } from '../kickoff.ts'
import type { Turn } from './shared/discipline.ts'
import type { TaskWaits } from './shared/shared-work.ts'
import type { Stint } from './stint.ts'

const FATES: readonly DrawnFate[] = ['completed', 'failed', 'stuck']

/** Number of digits of a fingerprint. */
const HASH_DIGITS = 8
/** Rows that are dropped together. */
const DROPPED_AT_ONCE = 4_096

/**
 * Columns of the table; from `TASKS` on, the end of each task in milliseconds after the start,
 * Infinity for one that never begins, or whose worker is not known yet. If executions share more
 * than workers, two more for each task follow: how long it waited for a quota, and how much time
 * the shared processor added.
 */
const ACCEPTED = 0
const STARTED = 1
const FATE = 2
const POLLS = 3
/** `fingerprint` of the final output, as a number; -1 until it is first requested. */
const HASH = 4
/** The number of tasks that ever begin. */
const REACHED = 5
/** Milliseconds before each task that belong to none. */
const SET_UP = 6
/** 1 for an execution that failed because a quota refused a call. */
const REFUSED = 7
const TASKS = 8

/** With a retention, the ledger holds at most this many executions: the most recent ones. */
const LEDGER_KEPT = 1_000_000

/**
 * What a restart can lose: all executions, those that had not ended (waiting or running), or none.
 */
export const LOSSES = ['all', 'running', 'none'] as const

/** The executions that a restart of the crew loses. */
export type RestartLoses = (typeof LOSSES)[number]

export type LifePhase = 'queued' | 'running' | 'asked' | 'completed' | 'failed'

export interface AskedSpan {
  task: number
  approved: PersonAsked['approved'] | undefined
  fromMicros: Micros
  /** Null while the person has not answered. */
  toMicros: Micros | null
}

export interface Accepted {
  acceptedMicros: Micros
  /** Infinity if it waits forever. */
  startedMicros: Micros
  demand: Demand
  /** The body of the kickoff, as received. */
  body: string
  correlation: string | null
  /** Default: null, first come, first served. */
  turn?: Turn | null
}

export class Executions {
  readonly #tasks: number
  readonly #shares: boolean
  readonly #table: NumberTable
  /** Null for inputs that were dropped. */
  readonly #bodies = new Rows<string | null>()
  readonly #correlations = new Rows<string | null>()
  /** In order of time; null while nobody was asked. */
  readonly #questions = new Rows<PersonAsked[] | null>()
  readonly #turns = new Rows<Turn | null>()
  /**
   * Restarts that lost executions before ordinal `before`. Times and ordinals both increase; for
   * each `before`, only the first is kept.
   */
  #losses: { before: number; atMicros: Micros }[] = []
  /** Executions before this ordinal are forgotten, because a restart lost all of them. */
  #forgottenBefore = 0
  /** The most recently requested ones. */
  #inputsRead: { ordinal: number; inputs: Readonly<Record<string, unknown>> } | null = null

  readonly #kept: number

  /**
   * `tasks`: the number of tasks of each execution, at least 1. `shares`: executions share more
   * than workers. `kept`: how many executions survive `dropOld`.
   */
  constructor(tasks: number, { shares = false, kept = LEDGER_KEPT } = {}) {
    this.#tasks = tasks
    this.#shares = shares
    this.#kept = kept
    this.#table = new NumberTable(TASKS + tasks * (shares ? 3 : 1))
  }

  get count(): number {
    return this.#table.length
  }

  /** The first execution that is still known. */
  get first(): number {
    return this.#table.first
  }

  /** `work` then says what its worker does. */
  add({ acceptedMicros, startedMicros, demand, body, correlation, turn = null }: Accepted): void {
    const row = this.#table.push()
    this.#table.set(row, ACCEPTED, acceptedMicros)
    this.#table.set(row, STARTED, startedMicros)
    this.#table.set(row, FATE, FATES.indexOf(demand.fate))
    this.#table.set(row, HASH, -1)
    this.#table.set(row, REACHED, demand.taskEndsMs.length)
    this.#table.set(row, SET_UP, demand.setUpMs)
    for (let task = 0; task < this.#tasks; task++) this.#table.set(row, TASKS + task, Infinity)
    this.#bodies.push(body)
    this.#correlations.push(correlation)
    this.#questions.push(null)
    this.#turns.push(turn)
  }

  /** A worker begins this stint of the execution then; Infinity for never. */
  work(ordinal: number, stint: Stint, atMicros: Micros): void {
    if (atMicros === Infinity) return
    const fromMs = (atMicros - this.startedMicros(ordinal)) / MICROS_PER_MS
    for (const [i, endMs] of stint.taskEndsMs.entries()) {
      this.#table.set(ordinal, TASKS + stint.first + i, fromMs + endMs)
    }
    if (stint.until === null) return
    const askedMs = fromMs + stint.lengthMs
    const { task, forMs } = stint.until
    this.ask(ordinal, { task, fromMs: askedMs, toMs: askedMs + forMs })
  }

  /** A worker takes an execution that was added without a start. */
  begin(ordinal: number, atMicros: Micros): void {
    this.#table.set(ordinal, STARTED, atMicros)
  }

  /** Times are milliseconds after its start. */
  endTask(ordinal: number, task: number, ms: number, { quotaMs, slowedMs }: TaskWaits): void {
    this.#table.set(ordinal, TASKS + task, ms)
    if (!this.#shares) return
    this.#table.set(ordinal, this.#waitsColumn(task), quotaMs)
    this.#table.set(ordinal, this.#waitsColumn(task) + 1, slowedMs)
  }

  /**
   * A running execution whose tasks have no time of their own completes the next of them now; the
   * last one of a stuck execution never completes. Returns whether this ends it.
   */
  completeTask(ordinal: number, nowMicros: Micros): boolean {
    const elapsedMs = Math.floor((nowMicros - this.startedMicros(ordinal)) / MICROS_PER_MS)
    const reached = this.#reachedTasks(ordinal)
    let task = 0
    while (task < reached && this.#taskEndMs(ordinal, task) < Infinity) task++
    const isLast = task === reached - 1
    if (elapsedMs < 0 || task === reached) return false
    if (isLast && this.fate(ordinal) === 'stuck') return false
    this.#table.set(ordinal, TASKS + task, elapsedMs)
    return isLast
  }

  ask(ordinal: number, question: PersonAsked): void {
    const questions = this.#questions.at(ordinal)
    if (questions === null) this.#questions.set(ordinal, [question])
    else questions?.push(question)
  }

  /** `POST /resume` answers the question that is open now. */
  answer(ordinal: number, approved: boolean, nowMicros: Micros): void {
    const question = this.#openQuestion(ordinal, nowMicros)
    assert(question !== undefined, `nobody is asked about execution ${ordinal}`)
    question.toMs = (nowMicros - this.startedMicros(ordinal)) / MICROS_PER_MS
    question.approved = approved
  }

  /** The task about which somebody is asked now; null for none. */
  askedTask(ordinal: number, nowMicros: Micros): number | null {
    return this.#openQuestion(ordinal, nowMicros)?.task ?? null
  }

  /** A quota refuses a call of this task, with which the execution fails. */
  refuse(ordinal: number, task: number): void {
    this.#table.set(ordinal, FATE, FATES.indexOf('failed'))
    this.#table.set(ordinal, REACHED, task + 1)
    this.#table.set(ordinal, REFUSED, 1)
  }

  /** Whether a quota refused a call of it, and it failed for that. */
  wasRefused(ordinal: number): boolean {
    return this.#table.at(ordinal, REFUSED) === 1
  }

  /** What was added to the work of a task that is over; null where only workers are shared. */
  taskWaits(ordinal: number, task: number): TaskWaits | null {
    if (!this.#shares) return null
    const column = this.#waitsColumn(task)
    const [quotaMs, slowedMs] = [
      this.#table.at(ordinal, column),
      this.#table.at(ordinal, column + 1),
    ]
    return { quotaMs, slowedMs }
  }

  /**
   * Executions since the last restart that start after `micros`. Starts never decrease, because the
   * queue is first come, first served.
   */
  startingAfter(micros: Micros): number {
    const from = Math.max(this.first, this.#losses.at(-1)?.before ?? 0)
    return this.count - rowAfter(this.#table, STARTED, micros, from)
  }

  /**
   * A restart: executions that have not ended by then are lost; with `all`, the rest is forgotten
   * too.
   */
  lose(atMicros: Micros, loses: 'all' | 'running'): void {
    const before = this.count
    if (loses === 'all') this.#forgottenBefore = before
    if (this.#losses.at(-1)?.before !== before) this.#losses.push({ before, atMicros })
  }

  /** Drops all but the numbers of the last million executions that ended long ago. */
  dropOld(): void {
    const oldest = this.count - this.#kept
    if (oldest < this.first + DROPPED_AT_ONCE) return
    this.#table.dropBefore(oldest)
    this.#bodies.dropBefore(oldest)
    this.#correlations.dropBefore(oldest)
    this.#questions.dropBefore(oldest)
    this.#turns.dropBefore(oldest)
    this.#losses = this.#losses.filter(({ before }) => before > this.first)
  }

  /** Drops the output of an execution, which is never requested again. */
  letGo(ordinal: number): void {
    this.#bodies.set(ordinal, null)
    if (this.#inputsRead?.ordinal === ordinal) this.#inputsRead = null
  }

  /** When a restart lost the execution; Infinity for never. */
  lostMicros(ordinal: number): Micros {
    if (this.#losses.length === 0) return Infinity
    const atMicros = this.#nextLossMicros(ordinal)
    return this.endedMicros(ordinal) > atMicros ? atMicros : Infinity
  }

  isForgotten(ordinal: number): boolean {
    return ordinal < this.#forgottenBefore || this.lostMicros(ordinal) < Infinity
  }

  acceptedMicros(ordinal: number): Micros {
    return this.#table.at(ordinal, ACCEPTED)
  }

  startedMicros(ordinal: number): Micros {
    return this.#table.at(ordinal, STARTED)
  }

  fate(ordinal: number): DrawnFate {
    return FATES[this.#table.at(ordinal, FATE)]!
  }

  /** Infinity for one that never ends. */
  endedMicros(ordinal: number): Micros {
    return this.fate(ordinal) === 'stuck' ? Infinity : this.plannedEndMicros(ordinal)
  }

  /**
   * The time at which an execution ends; for a stuck one, the time at which it should have ended.
   */
  plannedEndMicros(ordinal: number): Micros {
    return this.taskEndMicros(ordinal, this.#reachedTasks(ordinal) - 1)
  }

  phase(ordinal: number, nowMicros: Micros): LifePhase {
    if (nowMicros < this.startedMicros(ordinal)) return 'queued'
    const fate = this.fate(ordinal)
    if (fate !== 'stuck' && nowMicros >= this.plannedEndMicros(ordinal)) return fate
    return this.#openQuestion(ordinal, nowMicros) === undefined ? 'running' : 'asked'
  }

  /** The people who were asked about it by now, in order of time. */
  asked(ordinal: number, nowMicros: Micros): AskedSpan[] {
    const byNow = (micros: Micros): Micros | null => (micros <= nowMicros ? micros : null)
    return (this.#questions.at(ordinal) ?? []).flatMap(({ task, fromMs, toMs, approved }) => {
      const fromMicros = byNow(this.#atMicros(ordinal, fromMs))
      const toMicros = byNow(this.#atMicros(ordinal, toMs))
      return fromMicros === null ? [] : [{ task, fromMicros, toMicros, approved }]
    })
  }

  /**
   * Tasks finished by now; the failing task of a failed execution and the last task of a stuck one
   * never finish.
   */
  completedTasks(ordinal: number, nowMicros: Micros): number {
    const finishing = this.#reachedTasks(ordinal) - (this.fate(ordinal) === 'completed' ? 0 : 1)
    let completed = 0
    while (completed < finishing && this.taskEndMicros(ordinal, completed) <= nowMicros) completed++
    return completed
  }

  /**
   * The next time after now at which `phase` or `completedTasks` of an execution in progress may
   * change; Infinity if they never change again.
   */
  nextChange(ordinal: number, nowMicros: Micros): Micros {
    const startedMicros = this.startedMicros(ordinal)
    if (nowMicros < startedMicros) return startedMicros
    const reached = this.#reachedTasks(ordinal)
    let nextMicros = Infinity
    const consider = (micros: Micros): void => {
      if (micros > nowMicros) nextMicros = Math.min(nextMicros, micros)
    }
    for (const { fromMs, toMs } of this.#questions.at(ordinal) ?? []) {
      consider(this.#atMicros(ordinal, fromMs))
      consider(this.#atMicros(ordinal, toMs))
    }
    for (let task = 0; task < reached; task++) consider(this.taskEndMicros(ordinal, task))
    return nextMicros
  }

  /** When a task ended, or its execution with it; Infinity for one that never does. */
  taskEndMicros(ordinal: number, task: number): Micros {
    return this.#atMicros(ordinal, this.#taskEndMs(ordinal, task))
  }

  /** Milliseconds that each of the first `tasks` tasks took, without the set-up before it. */
  taskTimesMs(ordinal: number, tasks: number): number[] {
    const setUpMs = this.#table.at(ordinal, SET_UP)
    return Array.from({ length: tasks }, (_, task) => {
      const startMs = task === 0 ? 0 : this.#taskEndMs(ordinal, task - 1)
      return Math.max(0, this.#taskEndMs(ordinal, task) - startMs - setUpMs)
    })
  }

  /** Cached, because one answer requests them once for each task's output. */
  inputs(ordinal: number): Readonly<Record<string, unknown>> {
    if (this.#inputsRead?.ordinal !== ordinal) {
      const body = this.#bodies.at(ordinal) ?? null
      assert(body !== null, `the inputs of execution ${ordinal} were dropped`)
      this.#inputsRead = { ordinal, inputs: inputsOf(body) }
    }
    return this.#inputsRead.inputs
  }

  /** Undefined if the kickoff had only inputs, or its body was dropped. */
  members(ordinal: number): Readonly<Record<string, unknown>> | undefined {
    const body = this.#bodies.at(ordinal) ?? null
    return body === null ? undefined : membersOf(body)
  }

  correlation(ordinal: number): string | null {
    return this.#correlations.at(ordinal) ?? null
  }

  /** Null where executions are served first come. */
  turn(ordinal: number): Turn | null {
    return this.#turns.at(ordinal) ?? null
  }

  /** Counts one poll and returns its number, from 0. */
  countPoll(ordinal: number): number {
    const poll = this.#table.at(ordinal, POLLS)
    this.#table.set(ordinal, POLLS, poll + 1)
    return poll
  }

  /** The fingerprint of the final output; computed on first use and cached. */
  outputHash(ordinal: number, hashOf: () => string): string {
    const kept = this.#table.at(ordinal, HASH)
    if (kept !== -1) return kept.toString(16).padStart(HASH_DIGITS, '0')
    const hash = hashOf()
    this.#table.set(ordinal, HASH, Number.parseInt(hash, 16))
    return hash
  }

  /**
   * The first restart after its kickoff that lost something: later restarts find it already lost,
   * or ended.
   */
  #nextLossMicros(ordinal: number): Micros {
    let low = 0
    let high = this.#losses.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#losses[middle]!.before <= ordinal) low = middle + 1
      else high = middle
    }
    return this.#losses[low]?.atMicros ?? Infinity
  }

  #taskEndMs(ordinal: number, task: number): number {
    return this.#table.at(ordinal, TASKS + task)
  }

  /** Tasks that ever begin. */
  #reachedTasks(ordinal: number): number {
    return this.#table.at(ordinal, REACHED)
  }

  #waitsColumn(task: number): number {
    return TASKS + this.#tasks + 2 * task
  }

  /** `ms` after its start: in whole microseconds, whatever rounding error `ms` has. */
  #atMicros(ordinal: number, ms: number): Micros {
    return this.startedMicros(ordinal) + Math.round(ms * MICROS_PER_MS)
  }

  /** The question that is asked now; undefined for none. */
  #openQuestion(ordinal: number, nowMicros: Micros): PersonAsked | undefined {
    return this.#questions
      .at(ordinal)
      ?.find(
        ({ fromMs, toMs }) =>
          this.#atMicros(ordinal, fromMs) <= nowMicros && nowMicros < this.#atMicros(ordinal, toMs),
      )
  }
}
