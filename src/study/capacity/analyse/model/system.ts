/**
 * What was learned of a crew and of how its clients poll it: all that a simulation of both needs.
 * Times in microseconds of the crew's own clock.
 */
import { meanOf } from '../../../../analysis/statistics/moments.ts'
import type { Micros } from '../../../../base/units.ts'
import type { Detection } from './detection.ts'

/** Service times of executions and how they ended, by rising time. */
export interface ServiceSample {
  micros: Float64Array
  /** 1 for an execution that the crew reported as failed. */
  failed: Uint8Array
}

/** What starting an execution takes, one place for each; at least one. */
export interface KickoffSample {
  /** Times from the intended start to the answer that accepted it. */
  micros: Float64Array
  /** The times from the intended start until the crew had the kickoff: no later than its answer. */
  admitted: Float64Array
}

/** Clients that were turned away come again. */
export interface Retries {
  /** Attempts after the first, at most; one that is turned away then is rejected. */
  most: number
  /** Times between attempts, by their number; later ones are like the last. Each rises. */
  gaps: readonly Float64Array[]
}

export interface CrewSystem {
  /** Executions that run at once; the others wait, first come, first served. */
  slots: number
  /** Executions that may wait; one more is turned away. Null for no limit. */
  queueLimit: number | null
  /** Null where who is turned away does not come again. */
  retries: Retries | null
  service: ServiceSample
  /** Share of executions, 0 to 1, that do not end, however long they are watched. */
  neverShare: number
  kickoffs: KickoffSample
  detection: Detection
}

export const MICROS_PER_HOUR = 3_600_000_000

/** Executions in an hour that the slots finish when none of them is ever idle. */
export function saturationPerHour({
  slots,
  service,
}: Pick<CrewSystem, 'slots' | 'service'>): number {
  return (slots * MICROS_PER_HOUR) / meanOf(service.micros)
}

/** Sorted by time, each with its mark. */
export function serviceSample(
  executions: readonly { micros: Micros; failed: boolean }[],
): ServiceSample {
  const sorted = executions.toSorted((a, b) => a.micros - b.micros)
  return {
    micros: Float64Array.from(sorted, ({ micros }) => micros),
    failed: Uint8Array.from(sorted, ({ failed }) => (failed ? 1 : 0)),
  }
}
