/**
 * Shares of outcomes that congestion makes are as uncertain as the waits of the same executions.
 */
import { expect, test } from 'vitest'
import { effectiveShare } from '../../../src/result/metrics/correlation-size.ts'
import type { ArrivalBin } from '../../../src/result/counting/tallies/arrival-series.ts'
import type { WindowTally } from '../../../src/result/counting/tallies/window.ts'
import { binOf, groupOf, outcomesOf } from '../observations.ts'
import { exactSample } from '../samples.ts'

const ARRIVALS = 10
const BINS = 64

/** Half of the time is slow, in four stretches; one arrival of each stretch has such an outcome. */
function seriesWith(outcome: 'stuck' | 'lost'): { series: ArrivalBin[]; all: WindowTally } {
  const groups = Array.from({ length: BINS }, (_, at) => {
    const isSlow = at % 16 < 8
    const hits = at % 16 === 3 ? 1 : 0
    return groupWith(outcome, hits, { slow: isSlow ? 6 : 0, n: ARRIVALS })
  })
  const series = groups.map(binOf)
  return {
    series,
    all: groupWith(outcome, BINS / 16, { slow: 6 * (BINS / 2), n: BINS * ARRIVALS }),
  }
}

function groupWith(
  outcome: 'stuck' | 'lost',
  hits: number,
  { slow, n }: { slow: number; n: number },
): WindowTally {
  const ended = exactSample(
    Array.from({ length: n }, (_, at) => (at < slow ? 100 + (at % 6) : at % 4)),
  )
  return groupOf({
    arrivals: n,
    outcomes: outcomesOf({ completed: n - hits, [outcome]: hits }),
    executions: { ended, censored: exactSample([]), never: 0 },
  })
}

const sizeOf = (outcome: 'stuck' | 'lost', kind: 'unserved' | 'failedShare') => {
  const { series, all } = seriesWith(outcome)
  return effectiveShare(series, { kind }, all, BINS * ARRIVALS)
}

test('few that were stuck in times of congestion are worth no more than the waits of those times', () => {
  expect(sizeOf('stuck', 'unserved')).toBeLessThan(50)
})

test('failures that the crew tells of, and what is lost, go by their own series', () => {
  expect(sizeOf('stuck', 'failedShare')).toBe(BINS * ARRIVALS)
  expect(sizeOf('lost', 'unserved')).toBe(BINS * ARRIVALS)
})
