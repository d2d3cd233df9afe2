/** The instances of a run one by one: which of them to look at first. */
import { formatDuration, MICROS_PER_MS, MICROS_PER_SECOND } from '../../base/units.ts'
import type { InstanceResult } from '../document.ts'
import { instancesOf } from './instance-names.ts'
import { p99Of } from './lateness.ts'
import type { InstanceObservations, Observations } from '../observations.ts'
import type { TrustCheck } from './trust-check.ts'

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

function resultOf(observations: InstanceObservations, zeroUnixMs: number): InstanceResult {
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
