/**
 * Measures how often each verdict is reached, by whole virtual runs against crews whose true values
 * are known by formula.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ResultDocument, ThresholdResult, Verdict } from '../../../src/result/document.ts'
import { relaxationArrivals } from '../../../src/result/statistics/planning.ts'
import { run } from '../../../src/run/run.ts'
import type { Scenario } from '../../../src/scenario/define.ts'
import { defineScenario } from '../../../src/scenario/define.ts'
import { erlangB, exponentialQuantile, exponentialService } from './queue.ts'

/** Servers that process this many requests at a time, first come first served, at this load. */
interface Servers {
  count: number
  load: number
}

export interface CrewCell {
  /** Mean number of arrivals in the measured window, which are Poisson. */
  executions: number
  /** Executions wait for one of these; by default nobody waits, and all are independent. */
  workers?: Servers
  /** Kickoffs wait for one of these; by default they do not. */
  front?: Servers
  /** The true shares of bad arrivals, by kind; a kind that is left out has no threshold. */
  truth: { slow?: number; lateKickoff?: number; failed?: number; rejected?: number }
  /** The quantile of the thresholds on times. Default 0.95. */
  quantile?: number
  /**
   * Puts the deadline at the bound of the time: slow executions are stuck, censored and not served.
   */
  stuck?: boolean
  /**
   * Limits the number in flight so that about this share of the arrivals is dropped; only without
   * workers.
   */
  dropped?: number
  /** Cuts everything at this part of the time. */
  cutAt?: number
  abortEarly?: boolean
}

type Shares<K extends string> = Record<K, number>

export interface CellResult {
  runs: number
  /** The number of runs that had each status, by metric. */
  statuses: Map<string, Shares<ThresholdResult['status']>>
  outcomes: Shares<Verdict['outcome']>
  /** The number of runs that were stopped early. */
  stopped: number
  /** The mean share of the planned kickoffs that were not sent. */
  saved: number
}

/** The mean service time of an execution; durations of a crew are whole milliseconds. */
const SERVICE_MS = 10_000
/**
 * The mean service time of cells with early stops, which are checked every 2 s. It is so short that
 * stops are tried often, but 50 times at 10 kickoffs a second so long that they are not tried after
 * each execution.
 */
const QUICK_SERVICE_MS = 500
/**
 * The mean service time of a kickoff: short relative to an execution, unless kickoffs are what
 * waits.
 */
const KICKOFF_MS = 1
const FRONT_KICKOFF_MS = 100
/**
 * The number of polls up to the bound, each at a point of this grid: a time exceeds the bound
 * exactly when the work takes longer than all of them.
 */
const POLLS_TO_BOUND = 8
const BOUND_AT_POLL = 8.25
const DEADLINE_AT_POLL = 8.5

export async function runCell(cell: CrewCell, runs: number, seed: number): Promise<CellResult> {
  const folder = mkdtempSync(join(tmpdir(), 'crewload-cell-'))
  try {
    const profile = join(folder, 'crew.yaml')
    writeFileSync(profile, profileOf(cell))
    const scenario = scenarioOf(cell)
    const result = emptyResult()
    for (let i = 0; i < runs; i++) {
      const { document } = await run(scenario, {
        engine: { kind: 'virtual', network: 'none' },
        profile,
        out: false,
        seed: seed + i,
      })
      add(result, document)
    }
    result.saved /= runs
    return result
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function emptyResult(): CellResult {
  return {
    runs: 0,
    statuses: new Map(),
    outcomes: { passed: 0, failed: 0, invalid: 0, inconclusive: 0, unreachable: 0 },
    stopped: 0,
    saved: 0,
  }
}

function add(
  result: CellResult,
  { thresholds, verdict, run: info, ...rest }: ResultDocument,
): void {
  result.runs++
  result.outcomes[verdict.outcome]++
  if (info.stopped !== null) result.stopped++
  result.saved += rest.outcomes.notReached / rest.arrivals
  for (const { metric, status } of thresholds) {
    const counts = result.statuses.get(metric) ?? none()
    counts[status]++
    result.statuses.set(metric, counts)
  }
}

function none(): Shares<ThresholdResult['status']> {
  return { met: 0, missed: 0, undecided: 0, unmeasurable: 0, notJudged: 0 }
}

/** The service time of what waits in this cell: kickoffs or executions. */
function timesOf({ front, abortEarly }: CrewCell): { serviceMs: number; kickoffMs: number } {
  if (front !== undefined) return { serviceMs: SERVICE_MS, kickoffMs: FRONT_KICKOFF_MS }
  return { serviceMs: abortEarly ? QUICK_SERVICE_MS : SERVICE_MS, kickoffMs: KICKOFF_MS }
}

/** A failure occurs at the very end of the work, so that failures take as long as results. */
function profileOf(cell: CrewCell): string {
  const { workers, front, truth } = cell
  const { serviceMs, kickoffMs } = timesOf(cell)
  const { failed = 0, rejected = 0 } = truth
  return `name: cell
inputs: [topic]
tasks:
  - { id: work, agent: worker, duration: { gamma: { mean: ${serviceMs}ms, cv: 1 } }, output: 1B }
  - { id: end, agent: worker, duration: 0s, output: 1B, failure: { chance: ${failed}, message: no } }
capacity: { workers: ${workers?.count ?? 'unlimited'} }
http:
  latency:
    inputs: 0s
    kickoff: { gamma: { mean: ${kickoffMs}ms, cv: 1 } }
    status: 0s
${front === undefined ? '' : `  pool: { size: ${front.count} }\n`}faults:
  - { name: bad, status: { code: 400 }, operations: [kickoff], chance: ${rejected} }
`
}

function scenarioOf(cell: CrewCell): Scenario {
  const { executions, abortEarly = false, workers, front, cutAt } = cell
  const { pollMs, kickoffBoundMs } = boundsOf(cell)
  const rateMs = arrivalsPerMs(cell)
  const load = Math.max(workers?.load ?? 0, front?.load ?? 0)
  const unseen = load === 0 ? 0 : 5 * relaxationArrivals(load) + 100
  const lengthMs = (unseen + executions) / rateMs
  const { slow, lateKickoff, failed, rejected } = cell.truth
  const percentile = `p${100 * (cell.quantile ?? 0.95)}`
  const bounds = {
    [`execution.${percentile}`]: slow === undefined ? null : `< ${BOUND_AT_POLL * pollMs}ms`,
    [`kickoff.response.${percentile}`]: lateKickoff === undefined ? null : `< ${kickoffBoundMs}ms`,
    'execution.failed': failed === undefined ? null : '< 5%',
    'outcome.unserved': rejected === undefined && cell.stuck !== true ? null : '< 5%',
  }
  const thresholds = Object.entries(bounds).flatMap(([metric, is]) =>
    is === null ? [] : [[metric, { is, abortEarly }] as const],
  )
  return defineScenario({
    name: 'cell',
    arrivals: {
      rate: `${rateMs.toFixed(9)}/ms`,
      for: `${lengthMs.toFixed(3)}ms`,
      warmUp: `${(unseen / rateMs).toFixed(3)}ms`,
      process: 'poisson',
    },
    inputs: { topic: 'tides' },
    polling: { fixed: `${pollMs}ms` },
    deadline: cell.stuck === true ? `${DEADLINE_AT_POLL * pollMs}ms` : '10d',
    confirm: 0,
    ...(cell.dropped === undefined
      ? {}
      : { admission: { maxInFlight: placesFor(cell, cell.dropped), whenFull: 'drop' } }),
    ...(cutAt === undefined ? {} : { drain: '0s', budget: { time: `${cutAt * lengthMs}ms` } }),
    thresholds: Object.fromEntries(thresholds),
  })
}

function arrivalsPerMs(cell: CrewCell): number {
  const { workers, front } = cell
  const { serviceMs, kickoffMs } = timesOf(cell)
  if (workers !== undefined) return (workers.load * workers.count) / serviceMs
  if (front !== undefined) return (front.load * front.count) / kickoffMs
  return 5 / serviceMs
}

/**
 * The bounds that the true share exceeds, among the accepted executions; rejected ones exceed every
 * bound.
 */
function boundsOf(cell: CrewCell): { pollMs: number; kickoffBoundMs: number } {
  const { workers, front, truth } = cell
  const { serviceMs, kickoffMs } = timesOf(cell)
  const { slow, lateKickoff, rejected = 0 } = truth
  const accepted = (share: number | undefined) =>
    share === undefined ? 0.05 : (share - rejected) / (1 - rejected)
  const stay = quantileAbove(workers, accepted(slow)) * serviceMs
  return {
    pollMs: Math.round(stay / POLLS_TO_BOUND),
    kickoffBoundMs: quantileAbove(front, accepted(lateKickoff)) * kickoffMs,
  }
}

/** The time that a share exceeds, in mean service times. */
function quantileAbove(servers: Servers | undefined, share: number): number {
  if (servers === undefined) return -Math.log(share)
  const { count, load } = servers
  return exponentialQuantile({ servers: count, load, service: exponentialService }, 1 - share)
}

/** An execution keeps its place until a poll reports its end. */
function placesFor(cell: CrewCell, dropped: number): number {
  const { pollMs } = boundsOf(cell)
  const heldMs = pollMs / (1 - Math.exp(-pollMs / timesOf(cell).serviceMs))
  const offered = arrivalsPerMs(cell) * heldMs
  let places = 1
  while (erlangB(places, offered) > dropped) places++
  return places
}
