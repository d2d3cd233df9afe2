/** Metrics that are one number, with no interval: ratios, counts, rates. */
import { MICROS_PER_SECOND } from '../../base/units.ts'
import type { Metric } from '../document.ts'
import type { Group, Measurable, Peak } from '../observations.ts'
import { basisOf } from './contract.ts'

/** A ratio of counts that are not independent trials: no interval. */
export function ratioMetric(count: number, n: number, unit: 'share' | 'count'): Metric {
  return { ...bare(n), value: n === 0 ? null : count / n, unit }
}

export function countMetric(count: number, n: number): Metric {
  return { ...bare(n), value: n === 0 ? null : count, unit: 'count' }
}

/** What was surely reached, with its bounds where it is not known exactly. */
export function peakMetric(peak: Peak | null): Metric {
  if (peak === null) return countMetric(0, 0)
  const { least: low, most: high } = peak
  return { ...countMetric(low, 1), ...(low < high ? { low, high } : {}) }
}

export function violations({ contract }: Measurable, which: 'violations' | 'documented'): number {
  let sum = 0
  for (const [rule, { count }] of contract.rules) {
    if (which === 'violations' || basisOf(rule).basis === 'documented') sum += count
  }
  return sum
}

/** Alive for any instance is alive: one that could not reach it had a trouble of its own. */
export function aliveMetric({ probes }: Measurable): Metric {
  const alive = probes.some(({ usable }) => usable) ? 1 : 0
  return { ...bare(probes.length), value: probes.length === 0 ? null : alive, unit: 'flag' }
}

export function throughput(of: 'accepted' | 'completed', { throughput: events }: Group): Metric {
  if (events === null) return { ...bare(0), value: null, unit: 'perSecond' }
  const count = events[of]
  const value = (count * MICROS_PER_SECOND) / events.spanMicros
  return { ...bare(Math.round(count)), value, unit: 'perSecond' }
}

function bare(n: number): Omit<Metric, 'value' | 'unit'> {
  return { low: null, high: null, n, never: 0, needed: null, effective: null }
}
