/** After each disturbance by faults of the crew: when was service as good as before? */
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'
import type { Observations } from '../observations.ts'
import type { Recovery } from './recovery-time.ts'
import { recoveryOf } from './recovery-time.ts'
import type { FaultResult, RecoveryResult } from '../disturbances.schema.ts'

/** A longer table would not be read. */
const MOST_SHOWN = 12

interface Surroundings {
  warmUpMicros: Micros
  /** The end of the run: a disturbance that lasts until then has no time after it. */
  endMicros: Micros
  /**
   * How long executions take: those wanted within this time before a disturbance are already
   * affected by it.
   */
  executionMicros: Micros
}

type ServedTimeline = Pick<
  Observations['timeline'],
  'intervalMicros' | 'offered' | 'unresolved' | 'served'
>

/**
 * Faults with a schedule that follow each other without a gap form one disturbance. Each is judged
 * from the end of the previous one to the beginning of the next. Of more than 12, those with a
 * result go first, then the longest.
 */
export function faultRecoveries(
  faults: readonly FaultResult[] | null,
  timeline: ServedTimeline,
  { warmUpMicros, endMicros, executionMicros }: Surroundings,
): RecoveryResult[] {
  const { intervalMicros, offered, unresolved, served } = timeline
  const lastWantedMicros = (offered.findLastIndex((count) => count > 0) + 1) * intervalMicros
  // Executions whose end was hidden by the cut of a run are neither served nor unserved.
  const wanted = offered.map((count, slot) => count - (unresolved[slot] ?? 0))
  const service = { stepMicros: intervalMicros, wanted, served, unresolved }
  const spans = disturbances(faults ?? [])
  return spans
    .filter(({ toMicros }) => toMicros < endMicros)
    .map((span, i) => {
      const before = Math.max(warmUpMicros, spans[i - 1]?.toMicros ?? 0)
      const after = spans[i + 1]?.fromMicros ?? Infinity
      const disturbance = {
        steadyFromMicros: Math.min(span.fromMicros, before),
        steadyToMicros: Math.min(
          span.fromMicros,
          Math.max(before, span.fromMicros - executionMicros),
        ),
        fromMicros: span.fromMicros,
        toMicros: span.toMicros,
        untilMicros: Math.max(span.toMicros, Math.min(after, lastWantedMicros)),
      }
      return recoveryResult(span, recoveryOf(service, disturbance))
    })
    .toSorted((a, b) => RANKS[a.state] - RANKS[b.state] || b.toMs - b.fromMs - (a.toMs - a.fromMs))
    .slice(0, MOST_SHOWN)
    .toSorted((a, b) => a.fromMs - b.fromMs)
}

interface Disturbed {
  names: string[]
  fromMicros: Micros
  toMicros: Micros
}

function disturbances(faults: readonly FaultResult[]): Disturbed[] {
  const bands = faults
    .flatMap(({ name, bands: all }) => all.map((band) => ({ name, ...band })))
    .toSorted((a, b) => a.fromMs - b.fromMs)
  const spans: Disturbed[] = []
  for (const { name, fromMs, toMs } of bands) {
    const last = spans.at(-1)
    const [fromMicros, toMicros] = [fromMs * MICROS_PER_MS, toMs * MICROS_PER_MS]
    if (last === undefined || fromMicros > last.toMicros) {
      spans.push({ names: [name], fromMicros, toMicros })
      continue
    }
    last.toMicros = Math.max(last.toMicros, toMicros)
    if (!last.names.includes(name)) last.names.push(name)
  }
  return spans
}

function recoveryResult(
  { names, fromMicros, toMicros }: Disturbed,
  { former, windowMicros, untilMicros, state }: Recovery,
): RecoveryResult {
  return {
    faults: names,
    fromMs: fromMicros / MICROS_PER_MS,
    toMs: toMicros / MICROS_PER_MS,
    untilMs: untilMicros / MICROS_PER_MS,
    former,
    windowMs: windowMicros === null ? null : windowMicros / MICROS_PER_MS,
    state: state.kind,
    afterMs: state.kind === 'recovered' ? state.afterMicros / MICROS_PER_MS : null,
    needed: state.kind === 'too-few' ? state.needed : null,
  }
}

const RANKS: Record<RecoveryResult['state'], number> = {
  'not-recovered': 0,
  recovered: 0,
  overloaded: 1,
  unsteady: 1,
  'too-few': 2,
}
