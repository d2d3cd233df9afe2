import { describe, expect, test } from 'vitest'
import { bestInterval } from '../../../src/result/metrics/polling.ts'
import type { Waits } from '../../../src/result/metrics/polling.ts'
import { waitsOfLoad } from '../../../src/result/metrics/polling.ts'
import type { ArrivalBin } from '../../../src/result/counting/tallies/arrival-series.ts'
import type { WindowTally } from '../../../src/result/counting/tallies/window.ts'
import { virtualRun } from '../../support/virtual-run.ts'
import { binOf, groupOf, outcomesOf } from '../observations.ts'
import { exactSample } from '../samples.ts'
import { pollingAdvice } from '../../support/run-shown.ts'

test('the best constant interval is the square root of 2 c E[D] / w', () => {
  expect(bestInterval(60_000_000, 1_000_000)).toBeCloseTo(10_954_451, 0)
})

test('no other interval is cheaper', () => {
  const duration = 100
  const price = 2
  const cost = (d: number) => d / 2 + price * (duration / d + 0.5)
  const best = bestInterval(duration, price)
  for (const factor of [0.5, 0.9, 1.1, 2]) {
    expect(cost(best * factor)).toBeGreaterThan(cost(best))
  }
})

const QUIET = { times: null, waits: null, load: null }
const groupsOf = (seconds: readonly number[]): WindowTally[] =>
  seconds.map((each) => {
    const ended = exactSample(Array.from({ length: 5 }, () => each * 1e6))
    return groupOf({ executions: { ended, censored: exactSample([]), never: 0 } })
  })
const seriesOf = (seconds: readonly number[]): ArrivalBin[] => groupsOf(seconds).map(binOf)
const whyOf = (seen: { window?: WindowTally; series?: ArrivalBin[] }, waits: Waits = QUIET) =>
  waitsOfLoad({ window: groupOf(), series: [], ...seen }, waits)

const adviceOn = async (workers: number, deadline: string): Promise<string> => {
  const crew = `
tasks: [{ id: work, agent: Worker, duration: 10s, output: 100B }]
capacity: { workers: ${workers} }
`
  const arrivals = { rate: '1/s', for: '2m', process: 'uniform' } as const
  return pollingAdvice(await virtualRun({ crew, scenario: { arrivals, deadline } }))
}

describe('advice about the interval', () => {
  test('is given where executions take what their work takes', async () => {
    expect(await adviceOn(12, '5m')).toMatch(
      /^Executions take 10\.\d s on average\. .* the best constant interval is \S+ s = sqrt/,
    )
  })

  test('is not given of an overloaded crew', async () => {
    expect(await adviceOn(5, '10m')).toBe(
      'This run is no guide to a polling interval, because the crew is overloaded, and executions wait.',
    )
  })

  test('is not given without a ledger where executions take longer and longer, or are not served', () => {
    expect(whyOf({ series: seriesOf([10, 20, 30, 40]) })).toEqual({
      code: 'growing',
      factor: 35 / 15,
    })
    expect(whyOf({ series: seriesOf([20, 30, 20, 30]) })).toBeNull()
    expect(whyOf({ series: seriesOf([10, 90]) })).toBeNull()
    const outcomes = outcomesOf({ completed: 80, lost: 20 })
    expect(whyOf({ window: groupOf({ arrivals: 100, outcomes }) })).toEqual({
      code: 'unserved',
      count: 20,
      of: 100,
    })
    const few = outcomesOf({ completed: 96, lost: 4 })
    expect(whyOf({ window: groupOf({ arrivals: 100, outcomes: few }) })).toBeNull()
  })

  test('is not given where executions mostly wait for a worker', () => {
    const times = { queue: exactSample([6e6, 6e6]), running: exactSample([4e6, 4e6]) }
    expect(whyOf({}, { times, waits: null, load: null })).toEqual({
      code: 'waits',
      share: 0.6,
      for: 'worker',
    })
    expect(
      whyOf({}, { times: { queue: times.running, running: times.queue }, waits: null, load: null }),
    ).toBeNull()
  })
})
