/** k6 processes that cannot be had are refused before anything is started. */
import { expect, test } from 'vitest'
import { chosenEngine } from '../../../src/run/chosen-engine.ts'
import type { K6Engine } from '../../../src/run/options.ts'
import type { Plan } from '../../../src/scenario/plan.ts'
import { TEST_HTTP, testPlan } from '../../support/plan.ts'
import { mistakesOf } from '../../support/mistakes.ts'

/** Enough of everything for each VU. */
const WIDE: Partial<Plan> = { http: { ...TEST_HTTP, maxConnections: 1_000_000 } }

type Asked = Omit<K6Engine, 'kind'>

function mistakes(asked: Asked, plan: Partial<Plan> = {}, faults?: string): string[] {
  const options = { engine: { kind: 'k6', ...asked } as const }
  const demand = () =>
    chosenEngine(options).demand(testPlan(plan), faults === undefined ? {} : { faults })
  return mistakesOf(demand).map(({ source, problem }) => `${source}: ${problem}`)
}

function refused(options: Asked, plan: Partial<Plan> = {}): string[] {
  return mistakes(options, plan).map((told) => told.replace(/:.*/s, ''))
}

test.each<[string, Asked, string[]]>([
  ['nothing asked', {}, []],
  ['one VU each', { instances: 4 }, []],
  ['two VUs each', { instances: 4, vus: 8 }, []],
  ['VUs that do not divide', { instances: 4, vus: 6 }, ['--k6-vus']],
  ['fewer VUs than processes', { instances: 4, vus: 2 }, ['--k6-vus']],
  ['none', { instances: 0 }, ['--instances']],
  ['too many', { instances: 65 }, ['--instances']],
  ['a fraction', { instances: 1.5 }, ['--instances']],
  ['no VU', { vus: 0 }, ['--k6-vus']],
  ['a million VUs', { vus: 1_000_000 }, ['--k6-vus']],
  ['an output', { out: ['json=a.json', 'web-dashboard'] }, []],
  ['an output that is none', { out: [' '] }, ['--k6-out']],
  ['outputs that print', { out: ['json', 'csv=-'] }, ['--k6-out', '--k6-out']],
  ['one file of several processes', { instances: 2, out: ['json=a.json', 'statsd'] }, ['--k6-out']],
  ['two mistakes', { instances: 65, vus: 0 }, ['--instances', '--k6-vus']],
])('%s', (_, options, sources) => {
  expect(refused(options, WIDE)).toEqual(sources)
})

test.each<[string, Partial<Plan>, string]>([
  [
    'places in flight',
    { admission: { maxInFlight: 3, whenFull: 'queue' } },
    'admission.maxInFlight, which is 3',
  ],
  ['connections', { http: { ...TEST_HTTP, maxConnections: 2 } }, 'connections.max, which is 2'],
  ['clients', { arrivals: clients(1) }, 'arrivals.clients, which is 1'],
])('%s that are fewer than VUs are refused', (_, plan, words) => {
  const problem = `each VU needs its part of ${words}`
  expect(mistakes({ vus: 4 }, plan)).toEqual([`--k6-vus: ${problem}`])
  expect(mistakes({ instances: 4 }, plan)).toEqual([`--instances: ${problem}`])
  expect(mistakes({}, plan)).toEqual([])
})

function clients(count: number): Plan['arrivals'] {
  const think = { kind: 'constant', value: 0 } as const
  return {
    kind: 'closed',
    clients: count,
    iterations: null,
    think,
    forMicros: 1_000_000,
    rampUpMicros: 0,
  }
}

test('refuses faults beside those of the profile: k6 cannot add them at its zero', () => {
  expect(mistakes({}, WIDE, 'hang: {}')).toEqual([
    'faults: work only with the engines node and virtual',
  ])
})

test('says how many VUs there are, in how many processes', () => {
  expect(chosenEngine({ engine: 'k6' }).words).toBe('k6, 1 VU')
  const four = chosenEngine({ engine: { kind: 'k6', instances: 2, vus: 4 } })
  expect(four.words).toBe('k6, 4 VUs in 2 processes')
})
