/**
 * Learns from requests how long they take, idle and under load, how long connections are kept, and
 * how often the server fails.
 */
import { counted } from '../../../../base/collections/counts.ts'
import { shareRange } from '../../../../result/statistics/shares.ts'
import { upperMedian } from '../../../../result/statistics/rising.ts'
import { Occupancy } from '../../../../result/statistics/occupancy.ts'
import type { Micros } from '../../../../base/units.ts'
import type { SeenRequest, SeenRun } from '../seen.ts'
import type { Between } from '../../../../result/inferred-workers/observed-stay.ts'
import type { MeasuredOperation } from '../../../../crew/answer.ts'
import { MEASURED_OPERATIONS } from '../../../../crew/answer.ts'

export interface Latency {
  sample: readonly Between[]
  /** The median times of requests beside few and beside many others; null if there are too few. */
  load: { few: Micros; many: Micros; grows: boolean } | null
}

/** Half of the unit in which the journal states times. */
const ERROR: Micros = 0.5

export function learnLatency(runs: readonly SeenRun[], operation: MeasuredOperation): Latency {
  const sample: Between[] = []
  const beside: { micros: Micros; others: number }[] = []
  for (const { requests } of runs) {
    const all = [...requests.kickoff, ...requests.status]
    const underway = new Occupancy(
      all.map(({ sentMicros, doneMicros }) => [sentMicros, doneMicros]),
    )
    for (const { sentMicros, doneMicros } of requests[operation].filter(isUsable)) {
      const micros = doneMicros - sentMicros
      sample.push({ low: Math.max(0, micros - ERROR), high: micros + ERROR })
      beside.push({ micros, others: underway.at(sentMicros) })
    }
  }
  return { sample, load: growth(beside) }
}

function isUsable({ answer, fresh }: SeenRequest): boolean {
  return typeof answer === 'number' && answer < 300 && fresh === 0
}

const FEWEST_COMPARED = 30
/** Medians with a smaller ratio count as equal. */
const GROWS = 1.5

/**
 * Compares the tenth of the requests that were beside most others with those beside at most one.
 */
function growth(beside: readonly { micros: Micros; others: number }[]): Latency['load'] {
  const sorted = beside.toSorted((a, b) => b.others - a.others)
  const busiest = sorted.slice(0, Math.floor(sorted.length / 10))
  const calm = sorted.filter(({ others }) => others <= 2)
  const least = busiest.at(-1)?.others ?? 0
  if (busiest.length < FEWEST_COMPARED || calm.length < FEWEST_COMPARED || least <= 2) return null
  const [few, many] = [calm, busiest].map((each) =>
    upperMedian(each.map(({ micros }) => micros)),
  ) as [Micros, Micros]
  return { few, many, grows: many > GROWS * few }
}

export interface KeepAlive {
  /** The longest pause after which a connection was used again; null if none was. */
  kept: Micros | null
  /** The shortest pause after which every request opened a connection; null if none did. */
  closed: Micros | null
  /** The number of pauses that were observed. */
  n: number
}

/** This many requests in a row that opened a connection are not due to chance. */
const IN_A_ROW = 5

export function learnKeepAlive(runs: readonly SeenRun[]): KeepAlive {
  const pauses = runs.flatMap((run) => run.pauses).toSorted((a, b) => a.micros - b.micros)
  const lastKept = pauses.findLastIndex(({ fresh }) => fresh === 0)
  const after = pauses.slice(lastKept + 1)
  return {
    kept: pauses[lastKept]?.micros ?? null,
    closed: after.length >= IN_A_ROW ? after[0]!.micros : null,
    n: pauses.length,
  }
}

/** The answers with one status of 500 or more, among all requests of the operation. */
export interface ServerErrors {
  operation: MeasuredOperation
  status: number
  count: number
  of: number
  low: number
  high: number
}

/** `isRefusal` excludes statuses that a full queue or a limit explains, if one was found. */
export function learnErrors(
  runs: readonly SeenRun[],
  isRefusal: (operation: MeasuredOperation, request: SeenRequest) => boolean,
): ServerErrors[] {
  return MEASURED_OPERATIONS.flatMap((operation) => {
    const own = runs.flatMap(({ requests }) => requests[operation])
    const statuses = own.flatMap((request) => {
      const { answer } = request
      const isError = typeof answer === 'number' && answer >= 500 && answer <= 599
      return isError && !isRefusal(operation, request) ? answer : []
    })
    return counted(statuses).map(([status, count]) => {
      const { low, high } = shareRange(count, own.length)
      return { operation, status, count, of: own.length, low, high }
    })
  })
}
