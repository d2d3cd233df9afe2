/** Servers that executions share, against what is known of them by formula. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Refill } from '../../../../src/study/capacity/analyse/model/shared-crew.ts'
import { constantTimes, exponentialTimes, MEAN_MICROS, simulations, system } from '../systems.ts'
import { areExperimentsRun } from '../../../experiments.ts'

const { middle } = simulations()

/** The mean number at work in a crew of many workers, by the load of what they share. */
function atWork(service: Float64Array, load: number, refill: Refill, demand: number): number {
  const demandMicros = demand * MEAN_MICROS
  const shared = { demandMicros, visits: 1, refill, fullMicros: MEAN_MICROS, fullError: 0 }
  const crew = { ...system(500, service), shared: { ...shared, byService: 0, byFull: 1 } }
  return middle.stay(crew, (load * 3_600_000_000) / demandMicros).inFlight
}

describe('a processor that all executions share', () => {
  test.each([
    { times: 'exponential', service: exponentialTimes(), load: 0.5 },
    { times: 'exponential', service: exponentialTimes(), load: 0.8 },
    { times: 'constant', service: constantTimes(), load: 0.5 },
    { times: 'constant', service: constantTimes(), load: 0.8 },
  ])('has as many at work as M/G/1 with processor sharing: $times, $load', (each) => {
    const { service, load } = each
    const found = atWork(service, load, { kind: 'processor', workMicros: MEAN_MICROS }, 1)
    expect(Math.abs((found * (1 - load)) / load - 1)).toBeLessThan(0.06)
  })

  test('slows nobody down while it has a part for each', () => {
    const refill: Refill = { kind: 'processor', workMicros: MEAN_MICROS }
    const found = atWork(exponentialTimes(), 0.1, refill, 1 / 500)
    expect(Math.abs(found / 50 - 1)).toBeLessThan(0.02)
  })
})

function asking(firstMicros: number, mostMicros = firstMicros): number {
  const pauses = { firstMicros, mostMicros }
  return atWork(exponentialTimes(), 0.8, { kind: 'steady', burstMicros: 1e6, pauses }, 0.1)
}

describe.runIf(areExperimentsRun)('visits that ask again', () => {
  let waiting = 0
  beforeAll(() => {
    const refill: Refill = { kind: 'steady', burstMicros: 1e6, pauses: null }
    waiting = atWork(exponentialTimes(), 0.8, refill, 0.1)
  })

  test('take as long as those that wait, if they ask at once', () => {
    expect(Math.abs(asking(MEAN_MICROS / 1_000) / waiting - 1)).toBeLessThan(0.02)
  })

  test('take longer the longer they pause', () => {
    const [short, long] = [asking(MEAN_MICROS / 10), asking(MEAN_MICROS / 2)]
    expect(short).toBeGreaterThan(1.03 * waiting)
    expect(long).toBeGreaterThan(1.1 * short)
    const growing = asking(MEAN_MICROS / 10, MEAN_MICROS / 2)
    expect(growing).toBeGreaterThan(1.03 * short)
    expect(growing).toBeLessThan(0.97 * long)
  })
})
