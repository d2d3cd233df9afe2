/** The instances of a run one by one, and the checks of the generator that name them. */
import type { Micros } from '../base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../base/units.ts'
import type { InstanceTally } from './counting/tallies/instances.ts'
import type { GeneratorCheck, InstanceResult } from './document.ts'
import { reasonOf } from './coded.ts'
import type { RunReason } from './sentences/reasons.ts'
import { REASONS } from './sentences/reasons.ts'
import type { Observations } from './observations.ts'
import { quantileIn } from './statistics/quantiles.ts'
import type { Sample } from './statistics/sample.ts'

/** One check of the generator's own health: its value, and the reason if it fails. */
export interface TrustCheck extends GeneratorCheck {
  reason: RunReason
}

/** What cannot be measured on this host does not fail. */
export function trustCheck(check: GeneratorCheck, reason: RunReason): TrustCheck {
  const ok = check.measured === null || check.ok
  return { ...check, ok, reason }
}

/** How many instances a run has, according to its first line. */
export function instancesOf(runs: readonly { instances: number }[]): number {
  return runs[0]?.instances ?? 1
}

/** A figure that each instance has of its own. */
export interface InstanceFigure {
  instance: number
  value: number
}

export function worstOf(figures: readonly InstanceFigure[]): InstanceFigure | null {
  return figures.reduce<InstanceFigure | null>(
    (most, each) => (most === null || each.value > most.value ? each : most),
    null,
  )
}

/** Of several instances: whose figure is the worst, and how many are over the bound. */
export function worstIn(
  worst: InstanceFigure | null,
  of: number,
  over: number,
): Pick<GeneratorCheck, 'worst'> {
  return worst === null || of === 1 ? {} : { worst: { instance: worst.instance, of, over } }
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

/** If they start further apart, the total load no longer follows the schedule. */
const APART_AT_MOST_MICROS = MICROS_PER_SECOND

/**
 * Checks that instances began together, within the errors of their anchors. Returns no check for a
 * run with a single instance.
 */
export function checkStart({ runs }: Observations): TrustCheck[] {
  const [early, ...others] = runs.toSorted((a, b) => a.anchorUnixMs - b.anchorUnixMs)
  const late = others.at(-1)
  if (early === undefined || late === undefined) return []
  const apartMicros = (late.anchorUnixMs - early.anchorUnixMs) * MICROS_PER_MS
  const surelyMicros = apartMicros - early.anchorErrorMicros - late.anchorErrorMicros
  const [apartMs, boundMs] = [apartMicros / MICROS_PER_MS, APART_AT_MOST_MICROS / MICROS_PER_MS]
  const ok = surelyMicros <= APART_AT_MOST_MICROS
  const facts = { instances: instancesOf(runs), apartMs, boundMs, last: late.instance }
  return [
    trustCheck(
      { name: 'start', unit: 'ms', measured: apartMs, bound: boundMs, ok },
      reasonOf(REASONS, 'start', facts),
    ),
  ]
}
