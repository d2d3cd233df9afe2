/**
 * From a scenario to its plan: defaults, every form of arrivals and polling, and the time-lapse.
 */
import { expect, test } from 'vitest'
import type { CompletedExecution } from '../../../src/scenario/plan.ts'
import type { PlanOptions } from '../../../src/scenario/schema/index.ts'
import { planScenario } from '../../../src/scenario/schema/index.ts'
import { pinnedValues } from '../../support/mistakes.ts'

const least = { name: 'least', arrivals: { rate: '2/s', for: '5m' }, inputs: { topic: 'bees' } }

const plan = (changes: object = {}, options: Partial<PlanOptions> = {}) =>
  planScenario({ ...least, ...changes }, { source: 'test', ...options })

const perSecond = (count: number) => ({ count, perMicros: 1_000_000 })

const ARRIVALS = [
  { rate: '40/h', for: '1h' },
  { ramp: { from: '1/s', to: '5/s' }, for: '1m', process: { gamma: { cv: 2 } } },
  {
    steps: [
      { rate: '1/s', for: '1s' },
      { rate: '0/s', for: '2s' },
    ],
    process: 'poisson',
  },
  { spike: { base: '1/s', peak: '9/s', after: '10s', for: '5s' }, for: '1m' },
  { clients: 3, for: '1m', think: '2s', rampUp: '10s' },
  { clients: 3, iterations: 9, think: { exponential: { mean: '4s' } } },
]
const POLLING = [
  { fixed: '2s' },
  { fixed: '2s', initialDelay: '20s' },
  { exponential: { initial: '1s', max: '8s' } },
  { schedule: ['1s', '5s'] },
  { progress: { min: '1s', max: '9s' } },
]

test('the least scenario gets every default, and every form of arrivals and polling its own', async () => {
  const arrivals = ARRIVALS.map(
    (each) => [JSON.stringify(each), plan({ arrivals: each }).arrivals] as const,
  )
  const polling = POLLING.map(
    (each) => [JSON.stringify(each), plan({ polling: each }).polling] as const,
  )
  const texts = pinnedValues([['the least scenario', plan()], ...arrivals, ...polling])
  await expect(texts).toMatchFileSnapshot('../../golden/plans.txt')
})

test('a spike may begin at once and end with the whole', () => {
  const spike = { base: '1/s', peak: '9/s', after: '0', for: '5s' }
  const { arrivals } = plan({ arrivals: { spike, for: '5s' } })
  expect(arrivals).toMatchObject({ segments: [{ from: perSecond(9), forMicros: 5_000_000 }] })
})

test('a replay takes its offsets from the file', () => {
  const files = { replay: { offsetsMicros: [0, 60_000_000] } }
  expect(plan({ arrivals: { replay: 'run' } }, { files, speed: 60 }).arrivals).toEqual({
    kind: 'replay',
    offsetsMicros: [0, 1_000_000],
  })
})

test("retry 'none' retries nothing", () => {
  expect(plan({ retry: 'none' }).retry).toMatchObject({ statusRetries: 0, kickoffRetries: 0 })
})

test('a time-lapse divides the times of the crew and multiplies its rates', () => {
  const changes = {
    arrivals: { rate: '6/m', for: '30m', warmUp: '3m' },
    polling: { fixed: '6s' },
    deadline: '10m',
    notFoundGrace: '12s',
    drain: '1m',
    thresholds: { 'execution.p95': '< 5m', 'kickoff.response.p95': '< 500ms' },
  }
  expect(plan(changes, { speed: 60 })).toMatchObject({
    speed: 60,
    arrivals: {
      segments: [{ from: { count: 360, perMicros: 60_000_000 }, forMicros: 30_000_000 }],
    },
    warmUpMicros: 3_000_000,
    polling: { everyMicros: 100_000, initialDelayMicros: 100_000 },
    deadlineMicros: 10_000_000,
    notFoundGraceMicros: 200_000,
    drainMicros: 1_000_000,
    thresholds: [
      { bound: 5_000_000 },
      { bound: 500_000 },
      ...Array.from({ length: 4 }, () => ({ source: 'default' })),
    ],
  })
})

test('a time-lapse leaves HTTP and the generator in real time', () => {
  const [real, lapse] = [plan(), plan({}, { speed: 60 })]
  expect(lapse.http).toEqual(real.http)
  expect(lapse.validity).toEqual(real.validity)
})

test('a time that is not zero never becomes zero', () => {
  expect(plan({ polling: { fixed: '1ms' } }, { speed: 1_000_000 }).polling).toMatchObject({
    everyMicros: 1,
  })
})

test('draining never lasts longer than the deadline', () => {
  expect(plan({ deadline: '30s' }).drainMicros).toBe(30_000_000)
})

test('no more connections are opened beforehand than may be open', () => {
  expect(plan({ connections: { max: 2 } }).http.preOpenConnections).toBe(2)
})

test("the seed of the run wins over the scenario's", () => {
  expect(plan({ seed: 5 }).seed).toBe(5)
  expect(plan({ seed: 5 }, { seed: 6 }).seed).toBe(6)
})

const completed: CompletedExecution = {
  index: 0,
  inputs: {},
  output: 'bees',
  tasks: [],
  executionTimeSeconds: 1,
}

test('a check that answers with a promise throws, since a promise would always pass', () => {
  const [check] = plan({ checks: { later: () => Promise.resolve(false) } }).checks
  expect(() => check?.passes(completed)).toThrow('must return its result, not a promise')
})

test('a backlog is as many clients without think time', () => {
  const clients = { clients: 20, for: '10m', warmUp: '1m' }
  const backlog = { backlog: 20, for: '10m', warmUp: '1m' }
  expect(plan({ arrivals: backlog }).arrivals).toEqual(plan({ arrivals: clients }).arrivals)
  expect(plan({ arrivals: { backlog: 3, iterations: 9 } }).arrivals).toMatchObject({
    clients: 3,
    iterations: 9,
    rampUpMicros: 0,
  })
  expect(() => plan({ arrivals: { backlog: 3, for: '1m', think: '1s' } })).toThrow(
    /arrivals\.think: unknown|think/,
  )
  expect(() => plan({ arrivals: { backlog: 0, for: '1m' } })).toThrow(/arrivals\.backlog/)
})

test('cached input costs what other input does, unless its price is given', () => {
  const [bare, own] = [
    { input: 2.5, output: 10 },
    { input: 2.5, output: 10, cached: 1 },
  ]
  const { prices } = plan({ prices: { currency: 'USD', models: { bare, own } } })
  expect(prices).toMatchObject({ models: { bare: { ...bare, cached: 2.5 }, own } })
  expect(plan({ prices: bare }).prices).toMatchObject({ every: { ...bare, cached: 2.5 } })
})
