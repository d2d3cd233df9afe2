/** Learns the model of a crew from its past runs. */
import type { Fit } from '../fit/fit.ts'
import { fitOf } from '../fit/fit.ts'
import type { SeenRequest, SeenRun } from '../seen.ts'
import type { Asks } from './asks.ts'
import { learnAsks } from './asks.ts'
import type { ColdStart } from './cold-start.ts'
import { learnColdStart } from './cold-start.ts'
import type { Failures } from './failures.ts'
import { learnFailures } from './failures.ts'
import type { LeftOut, LimitRule, LimitTold } from './limits.ts'
import { ruleOf } from './limits.ts'
import { learnOverhead } from './overhead.ts'
import type { QueueLimit } from './queue-limit.ts'
import { learnQueueLimit } from './queue-limit.ts'
import type { KeepAlive, Latency, ServerErrors } from './requests.ts'
import { learnErrors, learnKeepAlive, learnLatency } from './requests.ts'
import type { Shared } from './shared/shared.ts'
import { learnShared, ownWorkOf } from './shared/shared.ts'
import type { LearnedTask } from './tasks.ts'
import { learnTasks } from './tasks.ts'
import type { Workers } from './workers.ts'
import { fillingPerMinute, learnWorkers, withStarts } from './workers.ts'

export interface Learned {
  /** The runs; starts that nothing reports are inferred. */
  runs: readonly SeenRun[]
  tasks: readonly LearnedTask[]
  /** The time of an execution that belongs to no task; null if it has none that shows. */
  overhead: Fit | null
  workers: Workers
  /** The kickoffs per minute that would fill the workers, if the runs did not; null if unknown. */
  fillingPerMinute: number | null
  /** What executions share beside workers. */
  shared: Shared
  queueLimit: QueueLimit | null
  cold: ColdStart | null
  failures: Failures
  /** By task; empty if no ledger shows that people are asked. */
  asks: readonly Asks[]
  kickoff: RequestTimes
  status: RequestTimes
  /** The sizes of the final output, in bytes; null if there are too few. */
  output: Fit | null
  limits: readonly LimitRule[]
  /** Limits that were found, but that the twin does not have. */
  leftOut: readonly LeftOut[]
  /** The number of 429 answers that no rule explains. */
  unexplained: number
  keepAlive: KeepAlive
  errors: readonly ServerErrors[]
}

export interface RequestTimes {
  fit: Fit | null
  load: Latency['load']
}

/** `limits`: what a study of limits found in the same runs; empty if nothing was refused. */
export function learn(seen: readonly SeenRun[], limits: readonly LimitTold[]): Learned {
  const cold = learnColdStart(seen)
  const workers = learnWorkers(seen, cold)
  const isFull = workers.high !== null
  const shared = learnShared(seen, cold, workers)
  const runs = seen.map((run) => ownWorkOf(withStarts(run, isFull ? workers.value : null), shared))
  const tasks = learnTasks(runs)
  const queueLimit = isFull ? learnQueueLimit(runs, workers.value) : null
  const speed = seen[0]?.speed ?? 1
  const found = limits.flatMap((told) => {
    const known = ruleOf(told, speed)
    if (known === null) return []
    const isQueue = told.operation === 'kickoff' && queueLimit !== null
    return isQueue ? { told, why: 'a full queue explains its refusals' } : known
  })
  const rules = found.filter((each): each is LimitRule => 'rule' in each)
  const explained = (operation: SeenRequest['operation']): boolean =>
    rules.some(({ told }) => told.operation === operation) ||
    (operation === 'kickoff' && queueLimit !== null)
  return {
    runs,
    tasks,
    overhead: learnOverhead(runs, tasks.length),
    workers,
    shared,
    fillingPerMinute: isFull ? null : fillingPerMinute(workers.low, runs),
    queueLimit,
    cold,
    failures: learnFailures(runs, tasks.length),
    asks: learnAsks(runs, tasks.length),
    kickoff: timesOf(learnLatency(runs, 'kickoff')),
    status: timesOf(learnLatency(runs, 'status')),
    output: fitOf(
      runs.flatMap(({ executions }) =>
        executions.flatMap(({ outputBytes: bytes }) =>
          bytes === null ? [] : { low: Math.max(0, bytes - 0.5), high: bytes + 0.5 },
        ),
      ),
    ),
    limits: rules,
    leftOut: found.filter((each): each is LeftOut => 'why' in each),
    unexplained: refusalsIn(runs, explained),
    keepAlive: learnKeepAlive(runs),
    errors: learnErrors(runs, ({ operation, answer }) => answer === 503 && explained(operation)),
  }
}

function timesOf({ sample, load }: Latency): RequestTimes {
  return { fit: fitOf(sample), load }
}

/** Whether a study of limits has any refusals to read. */
export function areLimited(runs: readonly SeenRun[]): boolean {
  return runs.some(({ requests }) => requests.some(({ answer }) => answer === 429))
}

function refusalsIn(
  runs: readonly SeenRun[],
  explained: (operation: SeenRequest['operation']) => boolean,
): number {
  return runs
    .flatMap(({ requests }) => requests)
    .filter(({ operation, answer }) => answer === 429 && !explained(operation)).length
}
