/** The instances of a run one by one, and the checks of the generator that name them. */
import type { Micros } from '../base/units.ts'
import { formatDuration, formatCount } from '../base/numbers.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../base/units.ts'
import { listed } from '../base/text.ts'
import type { InstanceTally } from './counting/tallies/instances.ts'
import type { GeneratorCheck, InstanceResult } from './document.ts'
import type { RunReason } from './reason.ts'
import type { Observations } from './observations.ts'
import { rankOf } from './statistics/quantiles.ts'
import type { Sample } from './statistics/sample.ts'

/** One check of the generator's own health: its value, and the reason if it fails. */
export interface TrustCheck extends GeneratorCheck {
  reason: RunReason
}

/** What cannot be measured on this host does not fail. */
export function trustCheck(check: GeneratorCheck, message: string, remedy: string): TrustCheck {
  const ok = check.measured === null || check.ok
  return { ...check, ok, reason: { code: check.name, message, remedy } }
}

/** Further instances are only counted. */
export const INSTANCES_NAMED = 5

/**
 * `instance 4 of 10`, `instances 3 and 7 of 10`, `instances 0, 1, 2, 3, 4 and 995 more of 1,000`:
 * by their numbers, from 0, as in their journals. `numbers` are the first of `count`, default all;
 * at least one.
 */
export function instanceNames(
  numbers: readonly number[],
  of: number,
  count = numbers.length,
): string {
  const named = numbers.slice(0, INSTANCES_NAMED).map(String)
  const more = count - named.length
  const words = more > 0 ? [...named, `${formatCount(more)} more`] : named
  return `instance${words.length === 1 ? '' : 's'} ${listed(words)} of ${formatCount(of)}`
}

/** `the run` if it has a single instance. */
export function runOrInstances(some: readonly { instance: number }[], of: number): string {
  return of === 1
    ? 'the run'
    : instanceNames(
        some.map(({ instance }) => instance),
        of,
      )
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

/** `the run was` if it has a single instance; else `instances 3 and 7 of 10 were`. */
export function subject(alone: string, some: readonly { instance: number }[], of: number): string {
  if (of === 1 || some.length === 0) return `${alone} was`
  return `${runOrInstances(some, of)} ${some.length === 1 ? 'was' : 'were'}`
}

/** Null if nothing was sent. */
export function p99Of(lateness: Sample): Micros | null {
  return lateness.n === 0 ? null : lateness.atRank(rankOf(lateness.n, 0.99))
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
  const [apart, bound] = [formatDuration(apartMicros), formatDuration(APART_AT_MOST_MICROS)]
  return [
    trustCheck(
      {
        name: 'start',
        unit: 'ms',
        measured: apartMicros / MICROS_PER_MS,
        bound: APART_AT_MOST_MICROS / MICROS_PER_MS,
        ok: surelyMicros <= APART_AT_MOST_MICROS,
      },
      `the ${instancesOf(runs)} instances began up to ${apart} apart, instance ` +
        `${late.instance} last, bound ${bound}`,
      'merge the journals of one run only, start its instances together, and keep the clocks of ' +
        'their machines synchronised; CREWLOAD_START_EVERY makes k6 processes wait for a common start',
    ),
  ]
}
