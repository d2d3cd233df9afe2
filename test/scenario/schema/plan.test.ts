/**
 * From a scenario to its plan: defaults, every form of arrivals and polling, and the time-lapse.
 */
import { expect, test } from 'vitest'
import { testBound } from '../../support/plan.ts'
import type { CompletedExecution } from '../../../src/scenario/plan.ts'
import type { PlanOptions } from '../../../src/scenario/schema/index.ts'
import { planScenario } from '../../../src/scenario/schema/index.ts'

const least = { name: 'least', arrivals: { rate: '2/s', for: '5m' }, inputs: { topic: 'bees' } }

const plan = (changes: object = {}, options: Partial<PlanOptions> = {}) =>
  planScenario({ ...least, ...changes }, { source: 'test', ...options })

test('the least scenario gets every default', () => {
  expect(plan()).toMatchObject({
    description: '',
    seed: 42,
    speed: 1,
    warmUpMicros: 0,
    admission: { maxInFlight: null, whenFull: 'queue' },
    polling: {
      kind: 'exponential',
      initialMicros: 2_000_000,
      factor: 1.5,
      maxMicros: 15_000_000,
      jitter: 'equal',
    },
    honourRetryAfter: true,
    retry: {
      statusRetries: 4,
      kickoffRetries: 4,
      unknownKickoffs: 'leave',
      backoff: { initialMicros: 500_000, factor: 2, maxMicros: 10_000_000, jitter: 'full' },
      budget: { ratio: 0.2, minimum: 10, windowMicros: 10_000_000 },
    },
    deadlineMicros: 900_000_000,
    notFoundGraceMicros: 10_000_000,
    human: false,
    confirmShare: 0.01,
    drainMicros: 300_000_000,
    http: {
      connectTimeoutMicros: 10_000_000,
      requestTimeoutMicros: 30_000_000,
      firstCallTimeoutMicros: 180_000_000,
      maxBodyBytes: 16 * 1024 * 1024,
      maxConnections: 256,
      preOpenConnections: 8,
      keepAliveMicros: 4_000_000,
      headers: {},
    },
    circuit: { afterMicros: 30_000_000, requests: 10 },
    budget: { kickoffs: null, requests: null, wallMicros: null },
    checks: [],
    thresholds: [
      { metric: 'outcome.unserved', ...testBound('<= 5%'), source: 'default' },
      { metric: 'execution.failed', ...testBound('<= 10%'), source: 'default' },
      { metric: 'ledger.wrong', ...testBound('<= 0'), source: 'default' },
      { metric: 'target.alive', ...testBound('>= 1'), source: 'default' },
    ],
    maxDropped: 0.01,
    undecided: 'inconclusive',
    validity: {
      latenessP99Micros: 10_000,
      latenessShare: 0.05,
      utilisation: 0.7,
      littleResidual: 0.05,
    },
  })
})

const perSecond = (count: number) => ({ count, perMicros: 1_000_000 })

test.each([
  [
    'a constant rate',
    { rate: '40/h', for: '1h' },
    {
      kind: 'open',
      segments: [
        {
          from: { count: 40, perMicros: 3_600_000_000 },
          to: { count: 40, perMicros: 3_600_000_000 },
          forMicros: 3_600_000_000,
        },
      ],
      process: { kind: 'uniform' },
    },
  ],
  [
    'a ramp with bursts',
    { ramp: { from: '1/s', to: '5/s' }, for: '1m', process: { gamma: { cv: 2 } } },
    {
      kind: 'open',
      segments: [{ from: perSecond(1), to: perSecond(5), forMicros: 60_000_000 }],
      process: { kind: 'gamma', cv: 2 },
    },
  ],
  [
    'steps',
    {
      steps: [
        { rate: '1/s', for: '1s' },
        { rate: '0/s', for: '2s' },
      ],
      process: 'poisson',
    },
    {
      kind: 'open',
      segments: [
        { from: perSecond(1), to: perSecond(1), forMicros: 1_000_000 },
        { from: perSecond(0), to: perSecond(0), forMicros: 2_000_000 },
      ],
      process: { kind: 'poisson' },
    },
  ],
  [
    'a spike between two stretches of its base',
    { spike: { base: '1/s', peak: '9/s', after: '10s', for: '5s' }, for: '1m' },
    {
      kind: 'open',
      segments: [
        { from: perSecond(1), to: perSecond(1), forMicros: 10_000_000 },
        { from: perSecond(9), to: perSecond(9), forMicros: 5_000_000 },
        { from: perSecond(1), to: perSecond(1), forMicros: 45_000_000 },
      ],
      process: { kind: 'uniform' },
    },
  ],
  [
    'closed clients with a time',
    { clients: 3, for: '1m', think: '2s', rampUp: '10s' },
    {
      kind: 'closed',
      clients: 3,
      forMicros: 60_000_000,
      iterations: null,
      think: { kind: 'constant', value: 2_000_000 },
      rampUpMicros: 10_000_000,
    },
  ],
  [
    'closed clients with a number of iterations',
    { clients: 3, iterations: 9, think: { exponential: { mean: '4s' } } },
    {
      kind: 'closed',
      clients: 3,
      forMicros: 86_400_000_000,
      iterations: 9,
      think: { kind: 'gamma', mean: 4_000_000, cv: 1 },
      rampUpMicros: 0,
    },
  ],
])('%s', (_name, arrivals, expected) => {
  expect(plan({ arrivals }).arrivals).toEqual(expected)
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

test.each([
  [{ fixed: '2s' }, { kind: 'fixed', everyMicros: 2_000_000, initialDelayMicros: 2_000_000 }],
  [
    { fixed: '2s', initialDelay: '20s' },
    { kind: 'fixed', everyMicros: 2_000_000, initialDelayMicros: 20_000_000 },
  ],
  [
    { exponential: { initial: '1s', max: '8s' } },
    {
      kind: 'exponential',
      initialMicros: 1_000_000,
      factor: 1.5,
      maxMicros: 8_000_000,
      jitter: 'equal',
    },
  ],
  [{ schedule: ['1s', '5s'] }, { kind: 'schedule', intervalsMicros: [1_000_000, 5_000_000] }],
  [
    { progress: { min: '1s', max: '9s' } },
    { kind: 'progress', minMicros: 1_000_000, maxMicros: 9_000_000, pollsPerTask: 4 },
  ],
])('polling %j', (polling, expected) => {
  expect(plan({ polling }).polling).toEqual(expected)
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
