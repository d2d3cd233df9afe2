/**
 * Defines what was learned about a crew and how its clients poll it, which is all that a simulation
 * needs. Times are in microseconds of the crew's own clock.
 */
import { formatCount, threeDigits } from '../../../../base/numbers.ts'
import { meanOf } from '../../../../result/statistics/moments.ts'
import type { Detection } from './detection.ts'
import type { SharedServer } from './shared-crew.ts'

/** Service times of executions and how they ended, by rising time. */
export interface ServiceSample {
  micros: Float64Array
  /** 1 for an execution that the crew reported as failed, otherwise 0. */
  failed: Uint8Array
  /** The parts of the work of each, as shares of it, one after the other; missing if not known. */
  shares?: Float64Array
}

/** The times of starting an execution, one entry per kickoff; at least one. */
export interface KickoffSample {
  /** The times from the intended start to the accepting answer. */
  micros: Float64Array
  /** The times from the intended start until the crew had the kickoff: no later than its answer. */
  admitted: Float64Array
}

/** How clients retry kickoffs that were turned away. */
export interface Retries {
  /** The most attempts after the first; when the last is turned away, the execution is rejected. */
  most: number
  /**
   * The times between attempts, by the number of the attempt; later ones use the last entry. Each
   * is in rising order.
   */
  gaps: readonly Float64Array[]
}

/** What executions share beside workers, and how it was learned. */
export interface SharedDemand extends SharedServer {
  /** The mean time with a worker while all are busy; the standard error of its logarithm. */
  fullMicros: number
  fullError: number
  /** The change of the logarithm of the demand with that of the own work, and of `fullMicros`. */
  byService: number
  byFull: number
}

export interface CrewSystem {
  /** The number of executions that run at once; the others wait, first come, first served. */
  slots: number
  /** The number of executions that may wait; one more is turned away. Null for no limit. */
  queueLimit: number | null
  /** Null if a kickoff that was turned away is not retried. */
  retries: Retries | null
  /** With `shared`, only the own work of executions: their times nearly alone. */
  service: ServiceSample
  /** Null if executions share nothing but the workers. */
  shared: SharedDemand | null
  /** The share of executions, 0 to 1, that never end. */
  neverShare: number
  kickoffs: KickoffSample
  detection: Detection
}

export const MICROS_PER_HOUR = 3_600_000_000

/** A rate with no more digits than an interval has. */
export function formatPerHour(perHour: number): string {
  return perHour >= 100 ? formatCount(Math.round(perHour)) : threeDigits(perHour)
}

/** The executions per hour that the slots finish when none of them is ever idle. */
export function saturationPerHour({
  slots,
  service,
  shared,
}: Pick<CrewSystem, 'slots' | 'service' | 'shared'>): number {
  return (slots * MICROS_PER_HOUR) / (shared?.fullMicros ?? meanOf(service.micros))
}
