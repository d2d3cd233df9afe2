/**
 * The bound on lateness: a share of the times that a run is judged by, unless the scenario sets its
 * own.
 */
import { expect, test } from 'vitest'
import type { Medians } from '../../../src/result/validity/lateness.ts'
import { latenessBound, yardsticksOf } from '../../../src/result/validity/lateness.ts'
import { latenessBoundWords } from '../../../src/result/sentences/generator.ts'
import type { Threshold } from '../../../src/scenario/plan.ts'
import { parseThreshold } from '../../../src/scenario/thresholds/thresholds.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../../src/base/units.ts'

const DEFAULT = { latenessP99Micros: 10 * MICROS_PER_MS, latenessShare: 0.05 }
const OWN = { latenessP99Micros: 20 * MICROS_PER_MS, latenessShare: 0 }
const MEDIANS: Medians = {
  kickoff: 400 * MICROS_PER_MS,
  status: 30 * MICROS_PER_MS,
  execution: 10 * MICROS_PER_SECOND,
  detectionDelay: 2 * MICROS_PER_SECOND,
}

function bound(metrics: Record<string, string>, validity = DEFAULT, medians = MEDIANS): string {
  const thresholds = Object.entries(metrics).map(
    ([metric, text]) => parseThreshold(metric, text) as Threshold,
  )
  const { micros, basis = null } = latenessBound(validity, yardsticksOf({ thresholds }), medians)
  return latenessBoundWords({ boundMs: micros / MICROS_PER_MS, basis })
}

test.each<[Record<string, string>, string]>([
  [{}, '500 ms (5.00 % of the median execution)'],
  [{ 'outcome.completed': '>= 100%' }, '500 ms (5.00 % of the median execution)'],
  [{ 'execution.p95': '< 1m' }, '500 ms (5.00 % of the median execution)'],
  [{ 'kickoff.response.p95': '< 1s' }, '20.0 ms (5.00 % of the median kickoff request)'],
  [
    { 'execution.p95': '< 1m', 'kickoff.service.p95': '< 1s' },
    '20.0 ms (5.00 % of the median kickoff request)',
  ],
  [{ 'detectionDelay.p95': '< 5s' }, '100 ms (5.00 % of the median detection delay)'],
  [{ 'status.response.p95': '< 1s' }, '10.0 ms'],
])('for thresholds on %o it is %s', (thresholds, text) => {
  expect(bound(thresholds)).toBe(text)
})

test('a bound that the scenario sets stands alone', () => {
  expect(bound({}, OWN)).toBe('20.0 ms')
})

test('a time that was not measured leaves the absolute bound', () => {
  expect(bound({}, DEFAULT, { ...MEDIANS, execution: null })).toBe('10.0 ms')
})

test('a second is the most, however long executions take', () => {
  const medians = { ...MEDIANS, execution: 139 * MICROS_PER_SECOND }
  expect(bound({}, DEFAULT, medians)).toBe(
    '1.00 s (5.00 % of the median execution, at most 1.00 s)',
  )
})
