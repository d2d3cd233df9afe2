/** The instances of a run one by one. */
import type { Micros } from '../base/units.ts'
import { MICROS_PER_MS } from '../base/units.ts'
import type { InstanceTally } from './counting/tallies/instances.ts'
import type { InstanceResult } from './document.ts'
import type { Observations } from './observations.ts'
import { quantileIn } from './statistics/quantiles.ts'
import type { Sample } from './statistics/sample.ts'

/** How many instances a run has, according to its first line. */
export function instancesOf(runs: readonly { instances: number }[]): number {
  return runs[0]?.instances ?? 1
}

/** Null if nothing was sent. */
export function p99Of(lateness: Sample): Micros | null {
  return quantileIn(lateness, 0.99)
}

/** A run may have thousands, and its document must stay small. */
const SHOWN_AT_MOST = 20

/** Unfinished instances first, then those with the largest lateness. */
export function instanceResults({ instances, runs }: Observations): InstanceResult[] {
  const zero = Math.min(...runs.map(({ anchorUnixMs }) => anchorUnixMs))
  return instances
    .map((each) => resultOf(each, zero))
    .sort(
      (a, b) =>
        Number(a.finished) - Number(b.finished) ||
        (b.latenessP99Ms ?? 0) - (a.latenessP99Ms ?? 0) ||
        a.instance - b.instance,
    )
    .slice(0, SHOWN_AT_MOST)
}

function resultOf(tally: InstanceTally, zeroUnixMs: number): InstanceResult {
  const { instance, run, finished, endedLines, lateness } = tally
  const p99 = p99Of(lateness)
  return {
    instance,
    engine: run?.engine ?? null,
    beganMs: run === null ? null : run.anchorUnixMs - zeroUnixMs,
    finished: finished !== null,
    ended: endedLines,
    maxInFlight: finished?.engine.maxInFlight ?? null,
    latenessP99Ms: p99 === null ? null : p99 / MICROS_PER_MS,
    utilisation: finished?.host.utilisationSustained ?? null,
    peakMemoryBytes: finished?.host.peakMemoryBytes ?? null,
  }
}
