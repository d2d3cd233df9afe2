/**
 * Defines what is observed of the executions of past runs. Times are in microseconds of the crew's
 * own clock (those of a time-lapse are multiplied by its speed), from the beginning of each run;
 * latencies of requests are in real time, which no time-lapse shortens.
 */
import { middleOf } from '../../../result/inferred-workers/observed-stay.ts'
import type { Ledger } from '../../../result/ledger/reconcile.ts'
import type { Micros } from '../../../base/units.ts'
import type { MeasuredOperation } from '../../../crew/answer.ts'
import type { CrewPaths } from '../../../crew/crew-request.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import type { Request } from '../../../execution/record/request.ts'
import { sentIn } from '../../../execution/record/request.ts'
import type { ReadExecution, RunReader, TimesBy } from '../../frame/executions/reader.ts'
import { MOST_TASKS } from '../../frame/executions/times.ts'

export interface Taken extends ReadExecution {
  accepted: Micros
}

/** That of every run. */
export function speedOf(runs: readonly Pick<SeenRun, 'speed'>[]): number {
  return runs[0]?.speed ?? 1
}

export function takenOf({ executions }: Pick<SeenRun, 'executions'>): Taken[] {
  return executions
    .filter((each): each is Taken => each.accepted !== null)
    .toSorted((a, b) => a.accepted - b.accepted)
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

export type SeenRequest = Pick<Request, 'sentMicros' | 'doneMicros' | 'answer' | 'fresh'>

interface SeenPause extends Pick<Request, 'fresh'> {
  /** From an answer to the next request. */
  micros: Micros
}

export interface SeenRun {
  /** Where the crew serves the interface; missing if as documented. */
  paths?: CrewPaths
  /** The scenario says that the crew asks people, or executions still waited for one. */
  asksPeople: boolean
  executions: readonly ReadExecution[]
  requests: Readonly<Record<MeasuredOperation, readonly SeenRequest[]>>
  /** Between two requests of an operation in one execution. */
  pauses: readonly SeenPause[]
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
  const run = reader.read(ledger, speed)
  const records = run.executions.map(({ record }) => record)
  const kickoffs = records.map((each) => sentIn(each.kickoff, each.intendedMicros))
  const polls = records.map((each) => sentIn(each.polls, each.intendedMicros))
  return {
    executions: run.executions,
    requests: { kickoff: kickoffs.flat(), status: polls.flat() },
    pauses: [...kickoffs, ...polls].flatMap(pausesIn),
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

function pausesIn(requests: readonly Request[]): SeenPause[] {
  return requests.slice(1).map(({ sentMicros, fresh }, i) => {
    return { micros: sentMicros - requests[i]!.doneMicros, fresh }
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
