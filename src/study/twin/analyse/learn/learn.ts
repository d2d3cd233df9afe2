/** Learns the model of a crew from its past runs. */
import { middleOf } from '../../../../result/inferred-workers/observed-stay.ts'
import { speedOf, takenOf } from '../seen.ts'
import { counted } from '../../../../base/collections/counts.ts'
import { shareRange } from '../../../../result/statistics/shares.ts'
import type { Fit } from '../fit/fit.ts'
import { fitOf } from '../fit/fit.ts'
import type { SeenRun } from '../seen.ts'
import { crewError } from '../../../../execution/record/readings.ts'
import type { MeasuredOperation } from '../../../../crew/answer.ts'
import { isRefusal, MEASURED_OPERATIONS } from '../../../../crew/answer.ts'
import type { Asks, LearnedTask } from './tasks.ts'
import { learnAsks, learnTasks } from './tasks.ts'
import type { LearnedColdStart } from './cold-start.ts'
import { learnColdStart } from './cold-start.ts'
import type { LeftOut, LimitRule, StudiedLimit } from './limits.ts'
import { ruleOf } from './limits.ts'
import type { KeepAlive, Latency, ServerErrors } from './requests.ts'
import { learnErrors, learnKeepAlive, learnLatency } from './requests.ts'
import type { Shared } from './shared/shared.ts'
import { learnShared, ownWorkOf } from './shared/shared.ts'
import type { LearnedWorkers } from './workers.ts'
import { fillingPerMinute, learnWorkers, withStarts } from './workers.ts'
import { meanOf, sumBy } from '../../../../result/statistics/moments.ts'
import { isCensored } from '../fit/sample.ts'
import { Occupancy } from '../../../../result/statistics/occupancy.ts'

export interface LearnedCrew {
  /** The runs; starts that nothing reports are inferred. */
  runs: readonly SeenRun[]
  tasks: readonly LearnedTask[]
  /** The time of an execution that belongs to no task; null if it has none that shows. */
  overhead: Fit | null
  workers: LearnedWorkers
  /** The kickoffs per minute that would fill the workers, if the runs did not; null if unknown. */
  fillingPerMinute: number | null
  /** What executions share beside workers. */
  shared: Shared
  queueLimit: QueueLimit | null
  cold: LearnedColdStart | null
  failures: LearnedFailures
  /** By task; empty if no ledger shows that people are asked. */
  asks: readonly Asks[]
  kickoff: RequestTimes
  status: RequestTimes
  /** The sizes of the final output, in bytes; null if there are too few. */
  output: Fit | null
  limits: readonly LimitRule[]
  /** Limits that were found, but that the twin does not have. */
  leftOut: readonly LeftOut[]
  /** The number of refusals that no rule explains. */
  unexplained: number
  keepAlive: KeepAlive
  errors: readonly ServerErrors[]
}

export interface RequestTimes {
  fit: Fit | null
  load: Latency['load']
}

/** `limits`: what a study of limits found in the same runs; empty if nothing was refused. */
export function learnCrew(seen: readonly SeenRun[], limits: readonly StudiedLimit[]): LearnedCrew {
  const cold = learnColdStart(seen)
  const workers = learnWorkers(seen, cold)
  const isFull = workers.high !== null
  const shared = learnShared(seen, cold, workers)
  const runs = seen.map((run) => ownWorkOf(withStarts(run, isFull ? workers.value : null), shared))
  const tasks = learnTasks(runs)
  const queueLimit = isFull ? learnQueueLimit(runs, workers.value) : null
  const speed = speedOf(seen)
  const found = limits.flatMap((studied) => {
    const known = ruleOf(studied, speed)
    if (known === null) return []
    const isQueue = studied.operation === 'kickoff' && queueLimit !== null
    return isQueue ? { studied, why: 'full-queue' as const } : known
  })
  const rules = found.filter((each): each is LimitRule => 'rule' in each)
  const explained = (operation: MeasuredOperation): boolean =>
    rules.some(({ studied }) => studied.operation === operation) ||
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
        executions.flatMap(({ record: { output } }) =>
          output === null ? [] : { low: Math.max(0, output.bytes - 0.5), high: output.bytes + 0.5 },
        ),
      ),
    ),
    limits: rules,
    leftOut: found.filter((each): each is LeftOut => 'why' in each),
    unexplained: refusalsIn(runs, explained),
    keepAlive: learnKeepAlive(runs),
    errors: learnErrors(runs, (operation, { answer }) => answer === 503 && explained(operation)),
  }
}

function timesOf({ sample, load }: Latency): RequestTimes {
  return { fit: fitOf(sample), load }
}

/** Whether a study of limits has any refusals to read. */
export function areLimited(runs: readonly SeenRun[]): boolean {
  return refusalsIn(runs, () => false) > 0
}

function refusalsIn(
  runs: readonly SeenRun[],
  explained: (operation: MeasuredOperation) => boolean,
): number {
  const open = MEASURED_OPERATIONS.filter((operation) => !explained(operation))
  const requests = open.flatMap((operation) => runs.flatMap((run) => run.requests[operation]))
  return requests.filter(({ answer }) => isRefusal(answer, false)).length
}

interface LearnedFailures {
  /** The executions that reached each task, and how many of them failed in it. */
  tasks: readonly {
    failed: number
    reached: number
    low: number
    high: number
    /** The messages, most frequent first. */
    messages: readonly { message: string; count: number }[]
  }[]
  /** The executions that never ended, among those whose end is known or known to be missing. */
  stuck: { count: number; of: number; low: number; high: number }
}

/**
 * Learns how often executions fail, in which task and with which message, and how often they never
 * end.
 */
function learnFailures(runs: readonly SeenRun[], tasks: number): LearnedFailures {
  const taken = runs.flatMap(takenOf)
  const fates = taken.filter(
    ({ outcome, isStuck }) => isStuck || outcome === 'completed' || outcome === 'failed',
  )
  const failed = fates
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ failedIn, record }) => ({ failedIn, error: crewError(record) }))
  const usual = usualTask(failed)
  const placed = failed.map(({ failedIn, error }) => ({
    message: error ?? '',
    place: Math.min(tasks - 1, usual.get(error ?? '') ?? failedIn ?? tasks - 1),
  }))
  const stuck = fates.filter(({ isStuck }) => isStuck).length
  return {
    tasks: Array.from({ length: tasks }, (_, place) => {
      const here = placed.filter((each) => each.place === place)
      const before = placed.filter((each) => each.place < place).length
      const reached = fates.length - before
      const { low, high } = shareRange(here.length, reached)
      const messages = counted(here.map((each) => each.message)).map(([message, count]) => {
        return { message, count }
      })
      return { failed: here.length, reached, low, high, messages }
    }),
    stuck: { count: stuck, of: fates.length, ...shareRange(stuck, fates.length) },
  }
}

/**
 * Maps each failure message to the task in which it was seen most often. Polls name a task that is
 * too early if others were completed just before the failure; if each task has its own message, the
 * message corrects that. Empty if messages do not tell tasks apart.
 */
function usualTask(
  failed: readonly { failedIn: number | null; error: string | null }[],
): Map<string, number> {
  const places = new Set(failed.map(({ failedIn }) => failedIn))
  const words = new Set(failed.map(({ error }) => error))
  if (words.size < places.size) return new Map()
  return new Map(
    [...words].flatMap((error): [string, number][] => {
      const seen = failed.filter((each) => each.error === error)
      const [usual] = counted(seen.flatMap(({ failedIn }) => failedIn ?? []))
      return error === null || usual === undefined ? [] : [[error, usual[0]]]
    }),
  )
}

/** A smaller share of the time of an execution changes nothing that anybody sees. */
const LEAST_SHARE = 0.01

/**
 * Null where crews do not report the times of executions and all of their tasks, where tasks run
 * side by side, and where nearly nothing is left.
 */
function learnOverhead(runs: readonly SeenRun[], count: number): Fit | null {
  const whole = runs.flatMap(({ executions }) =>
    executions.flatMap(({ outcome, ranMicros, tasks }) => {
      const isWhole = outcome === 'completed' && ranMicros !== null && tasks.length === count
      if (!isWhole || tasks.some(({ micros }) => isCensored(micros))) return []
      return { ran: ranMicros, tasks: tasks.map(({ micros }) => micros) }
    }),
  )
  const left = whole.map(({ ran, tasks }) => ({
    low: ran.low - sumBy(tasks, ({ high }) => high),
    high: ran.high - sumBy(tasks, ({ low }) => low),
  }))
  const mean = meanOf(left.map(middleOf))
  if (!(mean > LEAST_SHARE * meanOf(whole.map(({ ran }) => middleOf(ran))))) return null
  return fitOf(left.map(({ low, high }) => ({ low: Math.max(0, low), high: Math.max(1, high) })))
}

interface QueueLimit {
  /** The number of executions that may wait. */
  limit: number
  low: number
  high: number
  /** The status of the refusals. */
  status: 429 | 503
  refusals: number
}

/** The largest variation of the number in the crew at refusals, as a share of it. */
const APART = 0.05

/**
 * Learns the limit of a queue: kickoffs are turned away exactly when a certain number is in the
 * crew.
 *
 * Null if nothing was refused, or refusals do not depend on the number in the crew.
 */
function learnQueueLimit(runs: readonly SeenRun[], workers: number): QueueLimit | null {
  const counts: number[] = []
  const statuses: number[] = []
  let most = 0
  for (const run of runs) {
    const inCrew = new Occupancy(
      takenOf(run).map(({ accepted, ended }) => [accepted, ended?.high ?? Infinity]),
    )
    most = Math.max(most, inCrew.most)
    for (const { answer, sentMicros, doneMicros } of run.requests.kickoff) {
      // A full queue may answer 503 without a wait.
      if (!isRefusal(answer, answer === 503)) continue
      counts.push(inCrew.at(((sentMicros + doneMicros) / 2) * run.speed))
      statuses.push(Number(answer))
    }
  }
  if (counts.length === 0 || most < workers) return null
  const slack = Math.max(2, Math.ceil(APART * most))
  if (counts.some((count) => count < most - slack)) return null
  const limit = Math.max(0, most - workers)
  const status = statuses.filter((each) => each === 429).length * 2 > statuses.length ? 429 : 503
  const low = Math.max(0, Math.min(...counts) - workers)
  return { limit, low: Math.min(low, limit), high: limit, status, refusals: counts.length }
}
