/** What a plan says will be sent, against what is sent. */
import { expect, test } from 'vitest'
import { forecastAt } from '../../../src/run/plan/forecast.ts'
import type { ResultDocument } from '../../../src/result/document.ts'
import type { ArrivalPlan, Plan } from '../../../src/scenario/plan.ts'
import { testPlan } from '../../support/plan.ts'
import { virtualRun } from '../../support/virtual-run.ts'

const PLACE = { place: { kind: 'virtual', profile: 'p' }, engine: 'virtual' } as const
const PRICE = { costPerKickoff: 2 }

/** The plan of a run, of which it stores all that the facts need. */
function planOf({ plan }: ResultDocument): Plan {
  const { http: _h, inputs: _i, checks: _c, arrivals, ...stored } = plan
  return testPlan({ ...stored, arrivals: arrivals as ArrivalPlan })
}

test.each([
  { rate: '1/s', for: '2m', process: 'poisson' },
  { rate: '1/s', for: '2m', process: { gamma: { cv: 2 } } },
  { rate: '1/s', for: '2m' },
] as const)(
  'kickoffs and cost are those of the run, also of random arrivals: %o',
  async (arrivals) => {
    for (const seed of [1, 2, 3]) {
      const document = await virtualRun({ scenario: { arrivals }, seed })
      const { kickoffs, cost, isPeakMean } = forecastAt(planOf(document), PLACE, PRICE)
      expect([kickoffs, cost]).toEqual([document.arrivals, 2 * document.arrivals])
      expect(isPeakMean).toBe('process' in arrivals)
    }
  },
)

test('a budget of cost bounds the cost of a plan, also where it does not bound kickoffs', () => {
  const plan = testPlan({})
  const facts = forecastAt(plan, PLACE, { ...PRICE, maxCost: 1.5 })
  expect([facts.kickoffs, facts.cost]).toEqual([1, 1.5])
  expect(forecastAt(plan, PLACE, { ...PRICE, maxCost: 1e6 }).cost).toBe(2 * facts.kickoffs!)
})

/** A crew that ends nothing: each execution takes until its deadline. */
const STUCK = 'tasks: [{ id: a, agent: A, duration: 24h }]\ncapacity: { workers: unlimited }'

test.each([
  { clients: 3, iterations: 10 },
  { clients: 3, iterations: 10, think: '4s', rampUp: '6s' },
  { clients: 3, iterations: 10, think: { uniform: { min: '1s', max: '3s' } } },
  { clients: 3, iterations: 100, for: '1m' },
  { rate: '1/s', for: '1m' },
] as const)(
  'a run ends in the time that its plan tells, whatever the crew does: %o',
  async (load) => {
    const document = await virtualRun({
      scenario: { arrivals: load, deadline: '20s' },
      crew: STUCK,
    })
    const { mostDurationMs } = forecastAt(planOf(document), PLACE, PRICE)
    expect(document.run.durationMs).toBeGreaterThan(0.7 * mostDurationMs)
    expect(document.run.durationMs).toBeLessThanOrEqual(mostDurationMs)
  },
)
