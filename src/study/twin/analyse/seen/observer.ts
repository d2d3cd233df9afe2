/**
 * Derives what is seen of a crew from the journal of a run, and from its ledger if there is one.
 */
import type { Ledger } from '../../../../result/ledger/reconcile.ts'
import { countedFrom, toRunClock } from '../../../../result/validity/clock.ts'
import type { CrewPaths } from '../../../../crew/request.ts'
import type { Plan } from '../../../../scenario/plan.ts'
import type { Micros } from '../../../../base/units.ts'
import { MICROS_PER_SECOND } from '../../../../base/units.ts'
import type { JournalLine } from '../../../../execution/record/journal-lines.ts'
import { crewError } from '../../../../execution/record/reason.ts'
import type { ExecutionRecord, RequestColumns } from '../../../../execution/record/record.ts'
import { requestsIn } from '../../../../execution/record/request-row.ts'
import { CommonClock } from '../../../../result/counting/common-clock.ts'
import type { Observed } from '../fit/sample.ts'
import type { ExecutionTimes } from './execution-times.ts'
import { MOST_TASKS, timesByLedger, timesByPolls } from './execution-times.ts'
import type { Seen, SeenRequest, SeenRun, SeenTask } from './seen.ts'

/** The most executions that are kept: more would not change any result. */
const MOST_EXECUTIONS = 20_000

/** Observes one run: pass each line to `saw`, then call `seen`. */
export class Observer {
  readonly #clock = new CommonClock(null)
  readonly #records = new Map<number, ExecutionRecord>()
  #speed = 1
  #paths: CrewPaths | undefined
  #asksPeople = false

  saw(line: JournalLine): void {
    if (line.type === 'run') {
      this.#clock.began(line)
      this.#speed = line.speed
      const { paths, human = false } = line.plan as Partial<Plan>
      this.#paths ??= paths
      if (human) this.#asksPeople = true
      return
    }
    if (line.type !== 'ended' || line.record.sentMicros === null) return
    const { index } = line.record
    if (this.#records.size >= MOST_EXECUTIONS && !this.#records.has(index)) return
    const shifted = this.#clock.shifted(line)
    if (shifted.type === 'ended') this.#records.set(index, shifted.record)
  }

  /**
   * Returns what was observed. A run without a ledger is treated as that of a target without one.
   */
  seen(ledger: Ledger | null): SeenRun {
    const rows = new Map(ledger?.rows.map((row) => [row.kickoff_id, row]))
    const clock = ledger === null ? null : countedFrom(this.#clock.zeroUnixMs ?? 0, ledger.clock)
    const records = [...this.#records.values()].toSorted(
      (a, b) => a.intendedMicros - b.intendedMicros,
    )
    const errorMicros = reportingError(records)
    const executions = records.map((record) => {
      const row = record.kickoffId === null ? undefined : rows.get(record.kickoffId)
      const course =
        row === undefined || clock === null
          ? timesByPolls(record, errorMicros)
          : timesByLedger(row, (at) => toRunClock(at, clock))
      return seenOf(record, course, this.#speed)
    })
    return {
      executions,
      requests: records.flatMap(requestsOf),
      taskNames: namesOf(records, ledger),
      agents: agentsOf(records),
      ...(clock !== null && { zero: toRunClock(0, clock) * this.#speed }),
      truth: ledger !== null ? 'ledger' : reportsTimes(executions) ? 'reported' : 'polls',
      dialect: dialectOf(records),
      speed: this.#speed,
      asksPeople: this.#asksPeople || executions.some(({ outcome }) => outcome === 'paused'),
      ...(this.#paths === undefined ? {} : { paths: this.#paths }),
    }
  }
}

function reportsTimes(executions: readonly Seen[]): boolean {
  const completed = executions.filter(({ outcome }) => outcome === 'completed')
  return completed.length > 0 && completed.every(({ ranMicros }) => ranMicros !== null)
}

const UNITS_SECONDS = [1, 0.1, 0.01] as const
/** Fewer reported times may all be multiples of a unit by chance. */
const FEWEST_REPORTED = 5

/**
 * Returns half of the coarsest unit of which all reported times are multiples, a millisecond at
 * least.
 */
function reportingError(records: readonly ExecutionRecord[]): Micros {
  const told = records.flatMap(({ reported }) => reported.executionTimeSeconds ?? [])
  if (told.length < FEWEST_REPORTED) return (0.001 * MICROS_PER_SECOND) / 2
  const unit = UNITS_SECONDS.find((each) =>
    told.every((seconds) => Math.abs(seconds / each - Math.round(seconds / each)) < 1e-6),
  )
  return ((unit ?? 0.001) * MICROS_PER_SECOND) / 2
}

function seenOf(record: ExecutionRecord, course: ExecutionTimes, speed: number): Seen {
  const { outcome, tags, intendedMicros, output, polls } = record
  const { accepted, started, ended, ranMicros, tasks, failedIn, isStuck, asked } = course
  const scaled = (observed: Observed | null): Observed | null =>
    observed === null ? null : { low: observed.low * speed, high: observed.high * speed }
  return {
    outcome,
    error: crewError(record),
    tags,
    intended: intendedMicros * speed,
    accepted: accepted === null ? null : accepted * speed,
    started: scaled(started),
    ended: scaled(ended),
    known: record.firstDoneReceivedMicros === null ? null : record.endedMicros * speed,
    ranMicros: scaled(ranMicros),
    tasks: tasks.map((task) => scaledTask(task, speed)),
    failedIn,
    isStuck,
    ...(asked === undefined
      ? {}
      : {
          asked: asked.map(({ place, from, to, resumed }) => ({
            place,
            from: from * speed,
            to: to * speed,
            resumed: resumed * speed,
          })),
        }),
    outputBytes: output?.bytes ?? null,
    polls: polls.answer.length,
  }
}

function scaledTask({ place, micros, waits }: SeenTask, speed: number): SeenTask {
  const scaled = { place, micros: { low: micros.low * speed, high: micros.high * speed } }
  if (waits === undefined) return scaled
  return { ...scaled, waits: { quota: waits.quota * speed, slowed: waits.slowed * speed } }
}

function requestsOf(record: ExecutionRecord): SeenRequest[] {
  const { kickoff, polls, intendedMicros } = record
  return [
    ...operationOf('kickoff', kickoff, intendedMicros),
    ...operationOf('status', polls, intendedMicros),
  ]
}

function operationOf(
  operation: SeenRequest['operation'],
  columns: RequestColumns,
  intendedMicros: Micros,
): SeenRequest[] {
  let before: Micros | null = null
  return requestsIn(columns, intendedMicros).flatMap((request) => {
    const { answer, doneMicros, fresh, sentMicros: sent, serviceMicros: micros } = request
    if (micros < 0) return []
    const gapMicros = before === null ? null : sent - before
    before = doneMicros
    return [{ operation, sent, micros, answer, gapMicros, fresh: fresh === 1 }]
  })
}

/**
 * Returns the names of tasks by position: from the ledger, else from results, else the task that
 * was current while that many were completed.
 */
function namesOf(records: readonly ExecutionRecord[], ledger: Ledger | null): (string | null)[] {
  const names: (string | null)[] = []
  const name = (place: number, id: string | null): void => {
    if (place >= MOST_TASKS) return
    while (names.length <= place) names.push(null)
    names[place] ??= id
  }
  for (const { tasks } of ledger?.rows ?? []) tasks.forEach((task, i) => name(i, task.task_id))
  for (const { reported, changes } of records) {
    reported.tasks.forEach((task, i) => name(i, task.taskId))
    for (const { task, completed, total } of changes) {
      if (total !== null && total >= 1) name(total - 1, null)
      if (task !== null && completed !== null && completed < (total ?? Infinity)) {
        name(completed, task)
      }
    }
  }
  return names
}

/** The first name that a result gives for the agent of each task, by position. */
function agentsOf(records: readonly ExecutionRecord[]): (string | null)[] {
  const agents: (string | null)[] = []
  for (const { reported } of records) {
    reported.tasks.forEach(({ agent }, place) => {
      agents[place] ??= agent === '' ? null : agent
    })
  }
  return agents
}

function dialectOf(records: readonly ExecutionRecord[]): SeenRun['dialect'] {
  const named = new Set(records.flatMap(({ dialect }) => dialect ?? []))
  const [only] = [...named]
  return named.size === 1 && only !== undefined && only !== 'mixed' ? only : null
}
