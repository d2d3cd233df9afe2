/** The series of arrivals holds every bin against the same bound in the same way. */
import { expect, test } from 'vitest'
import { effectiveBeyond } from '../../../../src/result/metrics/correlation-size.ts'
import { uncensored } from '../../../../src/result/statistics/sample.ts'
import { createRandom } from '../../../../src/base/random.ts'
import { ArrivalSeries } from '../../../../src/result/counting/tallies/arrival-series.ts'
import { Sketch } from '../../../../src/result/counting/sketch.ts'
import { executionRecord } from '../../lines.ts'

const P95 = { kind: 'execution', statistic: { kind: 'quantile', q: 0.95 } } as const

test('independent times that lie closer together than the series can tell show no congestion', () => {
  const series = new ArrivalSeries()
  const random = createRandom(7).fork('times')
  const all = new Sketch(1.000_1)
  for (let index = 0; index < 2_000; index++) {
    const record = executionRecord(index)
    record.endedMicros = record.intendedMicros + 2_000_000 + random.int(6_000)
    series.record(record)
    all.record(record.endedMicros - record.intendedMicros)
  }
  const effective = effectiveBeyond(series.bins, P95, uncensored(all))
  expect(effective(30_000_000)).toBe(2_000)
})
