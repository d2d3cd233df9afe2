import { describe, expect, test } from 'vitest'
import type { ResultDocument, ThresholdResult } from '../../../src/result/document.ts'
import { judgementSentences } from '../../../src/report/run/report.ts'
import type { Rate } from '../../../src/base/units.ts'
import { describePlan } from '../../../src/scenario/plan-data.ts'
import type { Threshold } from '../../../src/scenario/plan.ts'
import { testBound, testPlan } from '../../support/plan.ts'
import { steadyDocument } from './sample-document.ts'

/** A run whose 95th percentile of end to end was judged. */
function judged(changes: Partial<ThresholdResult> = {}): ResultDocument {
  const { reportedLoad: _, ...document } = steadyDocument()
  const [first] = document.thresholds
  const measured = document.metrics['execution.p95']!
  const threshold = { ...first!, metric: 'execution.p95', measured, ...changes }
  return { ...document, load: null, thresholds: [threshold] }
}

const PLAN_THRESHOLD: Threshold = {
  metric: 'execution.p95',
  ...testBound('< 20s'),
  bound: 1,
  abortEarly: false,
  judge: 'interval',
  source: 'scenario',
}

/** So many arrivals a minute. */
const at = (count: number): Rate => ({ count, perMicros: 60_000_000 })

function planned(changes: Parameters<typeof testPlan>[0]): ResultDocument['plan'] {
  return describePlan(testPlan(changes))
}

describe('what a reader must know of the judgement', () => {
  test('limits quantiles of executions to this run where the load of the crew is not known', () => {
    const [sentence, ...others] = judgementSentences(judged())
    expect(sentence).toBe(
      'The load of the crew is unknown: statements about execution.p95 apply to this run only, ' +
        'and rarer congestion cannot be excluded.',
    )
    expect(others).toEqual([])
  })

  test('gives the load by the times that the crew reports, and what they leave unknown', () => {
    const reportedLoad = { executions: 60, meanMs: 12_000, atOnce: 2.4 }
    expect(judgementSentences({ ...judged(), reportedLoad })).toEqual([
      'By the times that the crew reports (12.0 s per execution), the arrivals keep 2.40 executions ' +
        'at work on average. How many it can do at once is unknown: statements about ' +
        'execution.p95 apply to this run only, and rarer congestion cannot be excluded.',
    ])
  })

  test('says nothing of congestion where no quantile of executions is judged', () => {
    expect(judgementSentences({ ...judged(), thresholds: [] })).toEqual([])
    expect(judgementSentences(judged({ status: 'unmeasurable' }))).toEqual([])
  })

  test.each([
    [0, 'at which intervals of execution times are reliable.'],
    [2_345, 'are reliable from 2,345 executions on: this run had 385 executions.'],
    [null, 'so that values and intervals describe this run alone.'],
  ])('names workers and load where they are known (%s needed)', (needed, end) => {
    const load = { workers: 10, load: 0.6612, needed }
    const [sentence] = judgementSentences({ ...judged(), load })
    expect(sentence).toMatch(
      /^The crew has 10 workers, and the arrivals needed 66 % of their capacity, /,
    )
    expect(sentence?.endsWith(end)).toBe(true)
  })

  test('limits itself to this run where the load varies by plan, however low it is on average', () => {
    const segments = [
      { from: at(2), to: at(2), forMicros: 1 },
      { from: at(10), to: at(10), forMicros: 1 },
    ]
    const load = { workers: 10, load: 0.42, needed: 0 }
    const plan = planned({ arrivals: { kind: 'open', segments, process: { kind: 'poisson' } } })
    expect(judgementSentences({ ...judged(), load, plan })).toEqual([
      'The crew has 10 workers, and the arrivals needed 42 % of their capacity on average; the load varies by plan, so statements about ' +
        'execution.p95 apply to this run only, and rarer congestion cannot be excluded.',
    ])
  })

  test('says that thresholds were judged by value because that was asked for', () => {
    const plan = planned({ thresholds: [{ ...PLAN_THRESHOLD, judge: 'value' }] })
    expect(judgementSentences({ ...judged({ judged: 'value' }), plan })).toContain(
      'The scenario judges execution.p95 by value, whatever its interval says.',
    )
    expect(judgementSentences({ ...judged({ judged: 'sample' }), plan })).toHaveLength(1)
  })

  test.each([
    ['pass', 'do not prevent a pass'],
    ['fail', 'count as missed'],
  ] as const)('says what became of what is undecided: %s', (undecided, effect) => {
    const [sentence] = judgementSentences({ ...judged(), plan: planned({ undecided }) })
    expect(sentence).toContain(effect)
    expect(sentence).toContain(`--inconclusive ${undecided}.`)
  })
})
