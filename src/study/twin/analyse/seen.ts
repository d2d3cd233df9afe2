/**
 * Defines what is observed of the executions of past runs. Times are in microseconds of the crew's
 * own clock (those of a time-lapse are multiplied by its speed), from the beginning of each run;
 * latencies of requests are in real time, which no time-lapse shortens.
 */
import type { Ledger } from '../../../result/ledger/reconcile.ts'
import type { Between } from '../../../result/inferred-workers/observed-stay.ts'
import type { Micros } from '../../../base/units.ts'
import type { CrewPaths } from '../../../crew/request.ts'
import { crewError } from '../../../execution/record/reason.ts'
import type { ExecutionRecord, Outcome } from '../../../execution/record/record.ts'
import type { ReadExecution, RunReader, TimesBy } from '../../frame/executions/reader.ts'
import { sentIn } from '../../frame/executions/reader.ts'
import type { ExecutionTimes } from '../../frame/executions/times.ts'
import { MOST_TASKS } from '../../frame/executions/times.ts'
import { MEASURED_OPERATIONS } from '../../../crew/answer.ts'

export interface Taken extends SeenExecution {
  accepted: Micros
}

export function takenOf({ executions }: Pick<SeenRun, 'executions'>): Taken[] {
  return executions
    .filter((each): each is Taken => each.accepted !== null)
    .toSorted((a, b) => a.accepted - b.accepted)
}

/** Returns the middle of the bounds between which a moment is known. */
export function middleOf({ low, high }: Between): Micros {
  return high === Infinity ? low : (low + high) / 2
}

/** The times in which a worker had it: while it waits for a person, the worker serves others. */
export function workedOf(execution: Taken): [Micros, Micros][] {
  const span = spanOf(execution)
  if (span === null) return []
  const [start, end] = span
  const { asked = [] } = execution
  const from = [start, ...asked.map(({ resumed }) => resumed)]
  const to = [...asked.map((each) => each.from), end]
  return from.flatMap((begin, i): [Micros, Micros][] => (begin < to[i]! ? [[begin, to[i]!]] : []))
}

/**
 * Returns when the execution began and ended; the end is Infinity if it was not observed. Null if
 * the start is unknown.
 */
export function spanOf({ started, ended }: Taken): [Micros, Micros] | null {
  if (started === null || ended === null) return null
  return [middleOf(started), ended.high === Infinity ? Infinity : middleOf(ended)]
}

/** The most executions that are kept: more would not change any result. */
export const MOST_EXECUTIONS = 20_000

export interface SeenExecution extends ExecutionTimes {
  outcome: Outcome
  /** What the crew said of its failure. */
  error: string | null
  tags: Readonly<Record<string, string>>
  /** The time of the arrival. */
  intended: Micros
  /** When the client learned of the end; null if it did not. */
  known: Micros | null
  /** The size of its final output. */
  outputBytes: number | null
  polls: number
}

export interface SeenRequest {
  operation: 'kickoff' | 'status'
  sent: Micros
  micros: Micros
  answer: number | string
  /** The time since the previous answer on the connection; null for the first request. */
  gapMicros: Micros | null
  fresh: boolean
}

export interface SeenRun {
  /** Where the crew serves the interface; missing if as documented. */
  paths?: CrewPaths
  /** The scenario says that the crew asks people, or executions still waited for one. */
  asksPeople: boolean
  executions: readonly SeenExecution[]
  requests: readonly SeenRequest[]
  /** The names of tasks by position, as far as they are known. */
  taskNames: readonly (string | null)[]
  /** The names of their agents, likewise. */
  agents: readonly (string | null)[]
  /** When the clock of the ledger was zero; missing without one. */
  zero?: Micros
  /** The source of starts and ends. */
  truth: TimesBy
  dialect: 'interface' | 'platform' | null
  speed: number
}

export function seenIn(reader: RunReader, ledger: Ledger | null): SeenRun {
  const { speed } = reader
  const { paths, human = false } = reader.first?.plan ?? {}
  const run = reader.read(ledger)
  const records = run.executions.map(({ record }) => record)
  return {
    executions: run.executions.map((each) => seenOf(each, speed)),
    requests: records.flatMap(requestsOf),
    taskNames: namesOf(records, ledger),
    agents: agentsOf(records),
    ...(run.onRunClock !== null && { zero: run.onRunClock(0) * speed }),
    truth: run.by,
    dialect: dialectOf(records),
    speed,
    asksPeople: human || records.some(({ outcome }) => outcome === 'paused'),
    ...(paths === undefined ? {} : { paths }),
  }
}

function seenOf(
  { record, row: _row, pushes: _pushes, ...times }: ReadExecution,
  speed: number,
): SeenExecution {
  const { outcome, tags, intendedMicros, output, polls } = record
  const { accepted, asked } = times
  return {
    ...times,
    outcome,
    error: crewError(record),
    tags,
    intended: intendedMicros * speed,
    accepted: accepted === null ? null : accepted * speed,
    started: times.started && scaled(times.started, speed),
    ended: times.ended && scaled(times.ended, speed),
    known: record.firstDoneReceivedMicros === null ? null : record.endedMicros * speed,
    ranMicros: times.ranMicros && scaled(times.ranMicros, speed),
    tasks: times.tasks.map(({ place, micros, waits }) => ({
      place,
      micros: scaled(micros, speed),
      ...(waits && { waits: { quota: waits.quota * speed, slowed: waits.slowed * speed } }),
    })),
    ...(asked && {
      asked: asked.map(({ place, from, to, resumed }) => {
        return { place, from: from * speed, to: to * speed, resumed: resumed * speed }
      }),
    }),
    outputBytes: output?.bytes ?? null,
    polls: polls.answer.length,
  }
}

export function scaled({ low, high }: Between, by: number): Between {
  return { low: low * by, high: high * by }
}

function requestsOf({ kickoff, polls, intendedMicros }: ExecutionRecord): SeenRequest[] {
  const columns = { kickoff, status: polls }
  return MEASURED_OPERATIONS.flatMap((operation) =>
    sentIn(columns[operation], intendedMicros).map(
      ({ sentMicros: sent, doneMicros, answer, gapMicros, fresh }) => ({
        operation,
        sent,
        micros: doneMicros - sent,
        answer,
        gapMicros,
        fresh,
      }),
    ),
  )
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
