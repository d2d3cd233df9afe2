/** The instances of a run one by one: which of them to look at first. */
import { formatDuration, MICROS_PER_MS, MICROS_PER_SECOND } from '../../base/units.ts'
import type { InstanceResult, GeneratorCheck } from '../document.ts'
import { rankOf } from '../statistics/quantiles.ts'
import type { Sample } from '../statistics/sample.ts'
import type { Micros } from '../../base/units.ts'
import type { Observations } from '../observations.ts'
import type { InstanceTally } from '../counting/tallies/instances.ts'
import { formatCount } from '../metrics/format.ts'
import { listed } from '../../base/text.ts'
import type { RunReason } from '../findings-and-reasons.ts'

/** One check of the generator's own health: its value, and the reason if it fails. */
export interface TrustCheck {
  check: Omit<GeneratorCheck, 'ok' | 'skipped'>
  state: 'ok' | 'failed' | 'skipped'
  reason: RunReason
}

/** Further instances are only counted. */
export const INSTANCES_NAMED = 5

/**
 * `instance 4 of 10`, `instances 3 and 7 of 10`, `instances 0, 1, 2, 3, 4 and 995 more of 1,000`.
 * `numbers` are the first of `count`, default all; at least one.
 */
export function instanceNames(
  numbers: readonly number[],
  of: number,
  count = numbers.length,
): string {
  const named = numbers.slice(0, INSTANCES_NAMED).map(String)
  const more = count - named.length
  const words = more > 0 ? [...named, `${formatCount(more)} more`] : named
  const all = formatCount(of)
  if (words.length === 1) return `instance ${words[0]} of ${all}`
  return `instances ${listed(words)} of ${all}`
}

/** `the run` if it has a single instance. */
export function runOrInstances(numbers: readonly number[], of: number): string {
  return of === 1 ? 'the run' : instanceNames(numbers, of)
}

/** How many instances a run has, according to its first line. */
export function instancesOf(runs: readonly { instances: number }[]): number {
  return runs[0]?.instances ?? 1
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

function resultOf(observations: InstanceTally, zeroUnixMs: number): InstanceResult {
  const { instance, run, finished, endedLines, lateness } = observations
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
  const [first] = runs
  if (first === undefined || runs.length === 1) return []
  const early = runs.reduce((a, b) => (b.anchorUnixMs < a.anchorUnixMs ? b : a), first)
  const late = runs.reduce((a, b) => (b.anchorUnixMs > a.anchorUnixMs ? b : a), first)
  const apartMicros = (late.anchorUnixMs - early.anchorUnixMs) * MICROS_PER_MS
  const surelyMicros = apartMicros - early.anchorErrorMicros - late.anchorErrorMicros
  const apart = formatDuration(apartMicros)
  const bound = formatDuration(APART_AT_MOST_MICROS)
  return [
    {
      check: {
        name: 'start',
        measured: `${apart} apart`,
        bound,
        meaning: 'all instances began together, so the total load follows the schedule',
      },
      state: surelyMicros <= APART_AT_MOST_MICROS ? 'ok' : 'failed',
      reason: {
        code: 'instances-apart',
        message:
          `the ${instancesOf(runs)} instances began up to ${apart} apart, instance ` +
          `${late.instance} last, bound ${bound}`,
        remedy:
          'merge the journals of one run only, start its instances together ' +
          '(CREWLOAD_START_EVERY makes k6 processes wait for a common start), ' +
          'and keep the clocks of their machines synchronised',
      },
    },
  ]
}

/** Null if nothing was sent. */
export function p99Of(lateness: Sample): Micros | null {
  return lateness.n === 0 ? null : lateness.atRank(rankOf(lateness.n, 0.99))
}
