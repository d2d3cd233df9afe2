/** Whether executions are longer at work under the higher of two loads. */
import { expect, test } from 'vitest'
import { findingOf } from '../../../../src/result/sentence-tables.ts'
import { longerAtLoad } from '../../../../src/study/comparing/comparison/analyse.ts'
import { FINDINGS } from '../../../../src/study/comparing/comparison/sentences.ts'
import type { ComparedSides, StoredResult } from '../../../../src/study/comparing/comparable.ts'
import { SAMPLE_TERMS } from '../../../support/study-samples.ts'
import { sidesOf } from './sample-comparisons.ts'

interface Measured {
  perSecond: number
  /** The median time at work, with its interval. */
  median: [ms: number, low: number, high: number]
  profile?: string
}

function sideOf([run]: readonly StoredResult[], { perSecond, median, profile }: Measured) {
  const [value, low, high] = median
  const { result, folder } = run!
  const { execution } = result.distributions
  const accepted = { value: perSecond, unit: 'perSecond', low: null, high: null } as const
  const rest = { n: 100, never: 0, effective: null, needed: null }
  return [
    {
      folder,
      result: {
        ...result,
        run: { ...result.run, ...(profile && { place: { kind: 'virtual' as const, profile } }) },
        metrics: { ...result.metrics, 'throughput.accepted': { ...accepted, ...rest } },
        distributions: { running: { ...execution!, quantiles: [{ q: 0.5, value, low, high }] } },
      },
    },
  ]
}

function told(base: Measured, next: Measured) {
  const sides: ComparedSides = sidesOf({ runs: 1 }, { runs: 1 })
  const both = { base: sideOf(sides.base, base), new: sideOf(sides.new, next) }
  return longerAtLoad(both, { ...SAMPLE_TERMS, equivalent: null })
}

const QUIET: Measured = { perSecond: 0.1, median: [1_000, 950, 1_050] }
const BUSY: Measured = { perSecond: 0.24, median: [1_750, 1_700, 1_800] }

test('is told of two single runs, within the ends of their intervals', () => {
  const words =
    /^as the crew reports, executions are 75\.0 % longer at work \(median, 61\.9 % to 89\.5 %\) at 2\.4 times the load\. Find how far what they share limits the crew/
  for (const facts of [told(QUIET, BUSY), told(BUSY, QUIET)]) {
    expect(findingOf(FINDINGS, 'longer-at-load', facts!).message).toMatch(words)
    expect(facts).toMatchObject({ load: expect.closeTo(2.4), ledgers: 'none' })
  }
})

test.each<[string, Measured, Measured]>([
  ['loads that hardly differ', QUIET, { ...BUSY, perSecond: 0.11 }],
  ['two crews', QUIET, { ...BUSY, profile: 'another' }],
  ['intervals that overlap', QUIET, { ...BUSY, median: [1_060, 1_020, 1_100] }],
  ['executions that are shorter at the higher load', { ...QUIET, perSecond: 1 }, BUSY],
])('is not told of %s', (_, base, next) => {
  expect(told(base, next)).toBeNull()
})
