/** k6 processes that cannot be had are refused before anything is started. */
import { expect, it } from 'vitest'
import { UserError } from '../../../src/base/mistakes.ts'
import { demandK6 } from '../../../src/run/k6/demand.ts'
import type { RunOptions } from '../../../src/run/options.ts'
import type { Plan } from '../../../src/scenario/plan.ts'
import { TEST_HTTP, testPlan } from '../../support/plan.ts'

/** Enough of everything for each VU. */
const WIDE: Partial<Plan> = { http: { ...TEST_HTTP, maxConnections: 1_000_000 } }

function mistakes(options: RunOptions, plan: Partial<Plan> = {}): string[] {
  try {
    demandK6(options, testPlan(plan))
    return []
  } catch (error) {
    if (error instanceof UserError)
      return error.mistakes.map(({ source, problem }) => `${source}: ${problem}`)
    throw error
  }
}

function refused(options: RunOptions, plan: Partial<Plan> = {}): string[] {
  return mistakes(options, plan).map((told) => told.replace(/:.*/s, ''))
}

it.each<[string, RunOptions, string[]]>([
  ['nothing asked', { engine: 'k6' }, []],
  ['one VU each', { engine: 'k6', k6Instances: 4 }, []],
  ['two VUs each', { engine: 'k6', k6Instances: 4, k6Vus: 8 }, []],
  ['VUs that do not divide', { engine: 'k6', k6Instances: 4, k6Vus: 6 }, ['--k6-vus']],
  ['fewer VUs than processes', { engine: 'k6', k6Instances: 4, k6Vus: 2 }, ['--k6-vus']],
  ['none', { engine: 'k6', k6Instances: 0 }, ['--instances']],
  ['too many', { engine: 'k6', k6Instances: 65 }, ['--instances']],
  ['a fraction', { engine: 'k6', k6Instances: 1.5 }, ['--instances']],
  ['no VU', { engine: 'k6', k6Vus: 0 }, ['--k6-vus']],
  ['a million VUs', { engine: 'k6', k6Vus: 1_000_000 }, ['--k6-vus']],
  ['another engine, which is told of elsewhere', { k6Instances: 2 }, []],
  ['an output', { engine: 'k6', k6Out: ['json=a.json', 'web-dashboard'] }, []],
  ['an output that is none', { engine: 'k6', k6Out: [' '] }, ['--k6-out']],
  ['outputs that print', { engine: 'k6', k6Out: ['json', 'csv=-'] }, ['--k6-out', '--k6-out']],
  [
    'one file of several processes',
    { engine: 'k6', k6Instances: 2, k6Out: ['json=a.json', 'statsd'] },
    ['--k6-out'],
  ],
  ['two mistakes', { engine: 'k6', k6Instances: 65, k6Vus: 0 }, ['--instances', '--k6-vus']],
])('%s', (_, options, sources) => {
  expect(refused(options, WIDE)).toEqual(sources)
})

it.each<[string, Partial<Plan>, string]>([
  [
    'places in flight',
    { admission: { maxInFlight: 3, whenFull: 'queue' } },
    'admission.maxInFlight, which is 3',
  ],
  ['connections', { http: { ...TEST_HTTP, maxConnections: 2 } }, 'connections.max, which is 2'],
  ['clients', { arrivals: clients(1) }, 'arrivals.clients, which is 1'],
])('%s that are fewer than VUs are refused', (_, plan, words) => {
  const problem = `each VU needs its part of ${words}`
  expect(mistakes({ engine: 'k6', k6Vus: 4 }, plan)).toEqual([`--k6-vus: ${problem}`])
  expect(mistakes({ engine: 'k6', k6Instances: 4 }, plan)).toEqual([`--instances: ${problem}`])
  expect(mistakes({ engine: 'k6' }, plan)).toEqual([])
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
