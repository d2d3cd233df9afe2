/**
 * How busy the crew was, according to its ledger: whether a run of this length can measure its
 * tail.
 */
import type { LedgerRow } from '../../crew/ledger.ts'
import { MICROS_PER_SECOND } from '../../base/units.ts'
import type { ResultDocument } from '../document.ts'
import type { Strip } from '../counting/tallies/highlights.ts'
import type { Throughput } from '../counting/tallies/flow.ts'
import { Occupancy } from '../statistics/occupancy.ts'
import { arrivalsForHonestInterval } from '../statistics/planning.ts'

/** Fewer executions that waited for a busy crew do not prove a number of workers. */
const FEWEST_WAITS = 3
/** Starting an execution takes no time on the ledger's clock; this much is rounding. */
const NO_WAIT_MS = 1

export interface CrewLoad {
  /** Executions that the crew works on at once. */
  workers: number
  /**
   * Arriving work divided by the work that can be done in that time; above 1, waits grow without
   * limit.
   */
  load: number
  /**
   * Executions from which on an interval over their waits has its nominal coverage; 0 up to a load
   * of 0.7, infinite from 1 on.
   */
  needed: number
}

/**
 * Null if the crew was never seen fully busy: then its number of workers is unknown, and nobody
 * waited for one. The load is the number of executions times their mean time with a worker, divided
 * by the workers' time from the first acceptance to the last.
 */
export function crewLoad(rows: readonly LedgerRow[]): CrewLoad | null {
  const started = rows.filter(({ started_ms }) => started_ms !== null)
  const workers = workersOf(started)
  const ended = started.filter(({ ended_ms }) => ended_ms !== null)
  const spanMs = spanOf(started)
  if (workers === null || ended.length === 0 || spanMs <= 0) return null
  const busyMs = ended.reduce((sum, row) => sum + row.ended_ms! - row.started_ms!, 0)
  const meanMs = busyMs / ended.length
  const load = ((started.length - 1) * meanMs) / (workers * spanMs)
  return { workers, load, needed: arrivalsForHonestInterval(load) }
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

/** `125 %`: as every text shows it. */
export function loadShare({ load }: Pick<CrewLoad, 'load'>): string {
  return `${Math.round(load * 100)} %`
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
