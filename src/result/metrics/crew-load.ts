/**
 * How busy the crew was, according to its ledger: whether a run of this length can measure its
 * tail.
 */
import { meanOf } from '../statistics/moments.ts'
import type { LedgerRow } from '../../crew/ledger.ts'
import { MICROS_PER_SECOND } from '../../base/units.ts'
import type { ResultDocument } from '../document.ts'
import type { Strip } from '../counting/tallies/highlights.ts'
import type { Throughput } from '../counting/tallies/flow.ts'
import { arrivalOf } from '../ledger/faults.ts'
import { Occupancy } from '../statistics/occupancy.ts'
import { arrivalsForHonestInterval } from '../statistics/planning.ts'

/** Fewer executions that waited for a busy crew do not prove a number of workers. */
const FEWEST_WAITS = 3
/** Starting an execution takes no time on the ledger's clock; this much is rounding. */
const NO_WAIT_MS = 1
/** Fewer executions, in each half of a run, show nothing about growth. */
const FEWEST_IN_HALF = 10
/** Of what the waits of others grow, and of the time that an execution takes: less is no growth. */
const HARDLY_GROWN = 0.25

export interface CrewLoad {
  /** Executions that the crew works on at once. */
  workers: number
  /**
   * Arriving work divided by the work that can be done in that time; above 1, waits grow without
   * limit.
   */
  load: number
  /**
   * Executions from which on an interval over their waits has its nominal coverage; infinite from
   * a load of 1 on. 0 up to 0.7, and where only the waits of others grow.
   */
  needed: number
}

/**
 * Null if the crew was never seen fully busy: then its number of workers is unknown, and nobody
 * waited for one. The load is the number of accepted executions times their mean time with a
 * worker, divided by the workers' time from the first acceptance to the last.
 */
export function crewLoad(rows: readonly LedgerRow[], runId: string): CrewLoad | null {
  const started = rows.filter(({ started_ms }) => started_ms !== null)
  const workers = workersOf(started)
  const ended = started.filter(({ ended_ms }) => ended_ms !== null)
  const spanMs = spanOf(rows)
  if (workers === null || ended.length === 0 || spanMs <= 0) return null
  const busyMs = ended.reduce((sum, row) => sum + row.ended_ms! - row.started_ms!, 0)
  const meanMs = busyMs / ended.length
  const load = ((rows.length - 1) * meanMs) / (workers * spanMs)
  const isSpared = load >= 1 && areSpared(rows, runId, meanMs)
  return { workers, load, needed: isSpared ? 0 : arrivalsForHonestInterval(load) }
}

/** Whether only the waits of others grow: the crew chooses whom its overload keeps waiting. */
function areSpared(rows: readonly LedgerRow[], runId: string, meanMs: number): boolean {
  const isOwn = ({ correlation }: LedgerRow): boolean => arrivalOf(correlation, runId) !== null
  const othersMs = growthMs(rows.filter((row) => !isOwn(row)))
  return growthMs(rows.filter(isOwn)) < HARDLY_GROWN * Math.min(meanMs, othersMs)
}

/**
 * By how much the mean wait grows from the earlier half of them to the later one: infinitely if
 * some never got a worker. NaN, which compares with nothing, of few.
 */
function growthMs(rows: readonly LedgerRow[]): number {
  const half = Math.floor(rows.length / 2)
  if (half < FEWEST_IN_HALF) return NaN
  const waits = rows
    .toSorted((a, b) => a.accepted_ms - b.accepted_ms)
    .map(({ accepted_ms, started_ms }) => (started_ms ?? Infinity) - accepted_ms)
  return waits.includes(Infinity)
    ? Infinity
    : meanOf(waits.slice(half)) - meanOf(waits.slice(0, half))
}

/** The work that arrives, by the times that the crew itself reports. */
export type ReportedLoad = NonNullable<ResultDocument['reportedLoad']>

/**
 * Null without a reported time, and without a schedule, whose rate is known. Where an execution
 * reports no time of its own, it is the sum of its tasks'.
 */
export function reportedLoad(
  strips: readonly Pick<Strip, 'reportedSeconds' | 'reportedTasks'>[],
  throughput: Throughput | null,
): ReportedLoad | null {
  const seconds = strips.flatMap(({ reportedSeconds, reportedTasks }) => {
    if (reportedSeconds !== null) return [reportedSeconds]
    return reportedTasks.length === 0
      ? []
      : [reportedTasks.reduce((sum, task) => sum + task.seconds, 0)]
  })
  if (seconds.length === 0 || throughput === null) return null
  const mean = seconds.reduce((sum, each) => sum + each, 0) / seconds.length
  const perSecond = (throughput.accepted / throughput.spanMicros) * MICROS_PER_SECOND
  return { executions: seconds.length, meanMs: mean * 1_000, atOnce: perSecond * mean }
}

function spanOf(rows: readonly LedgerRow[]): number {
  let [first, last] = [Infinity, -Infinity]
  for (const { accepted_ms } of rows) {
    first = Math.min(first, accepted_ms)
    last = Math.max(last, accepted_ms)
  }
  return last - first
}

/** The most that ran at once while others waited. */
function workersOf(rows: readonly LedgerRow[]): number | null {
  const running = new Occupancy(
    rows.map(({ started_ms, ended_ms }) => [started_ms!, ended_ms ?? Infinity]),
  )
  const full = rows.filter(
    ({ accepted_ms, started_ms }) =>
      started_ms! - accepted_ms > NO_WAIT_MS && running.at(accepted_ms) === running.most,
  )
  return full.length >= FEWEST_WAITS ? running.most : null
}
