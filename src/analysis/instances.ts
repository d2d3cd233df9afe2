/** The instances of a run one by one: which of them to look at first. */
import { formatDuration, MICROS_PER_MS, MICROS_PER_SECOND } from '../units.ts'
import type { Finding, InstanceResult } from './document.ts'
import { instancesOf } from './instance-names.ts'
import { p99Of } from './lateness.ts'
import type { InstanceObservations, Observations } from './observations.ts'

/** A run may have thousands, and its document stays small. */
const SHOWN_AT_MOST = 20

/** Those that did not finish, then the latest. */
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

/** Further apart, and the load of the whole is no longer the schedule's. */
const APART_AT_MOST_MICROS = MICROS_PER_SECOND

/** Instances that were not released together, as their anchors tell beyond their errors. */
export function startFindings({ runs }: Observations): Finding[] {
  const [first] = runs
  if (first === undefined) return []
  const early = runs.reduce((a, b) => (b.anchorUnixMs < a.anchorUnixMs ? b : a), first)
  const late = runs.reduce((a, b) => (b.anchorUnixMs > a.anchorUnixMs ? b : a), first)
  const apartMicros = (late.anchorUnixMs - early.anchorUnixMs) * MICROS_PER_MS
  const surelyMicros = apartMicros - early.anchorErrorMicros - late.anchorErrorMicros
  if (surelyMicros <= APART_AT_MOST_MICROS) return []
  const message =
    `the ${instancesOf(runs)} instances began up to ${formatDuration(apartMicros)} apart, instance ${late.instance} last: ` +
    'the load of the whole was that far from the schedule; release them together, and keep the clocks of their machines synchronised'
  return [{ severity: 'warning', message }]
}
