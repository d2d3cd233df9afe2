/** What a plan says will be sent, against what is sent. */
import { expect, test } from 'vitest'
import { planFacts } from '../../../src/run/plan/facts.ts'
import type { Plan } from '../../../src/scenario/plan.ts'
import { virtualRun } from '../../support/virtual-run.ts'

const CONTEXT = { target: 't', profile: null, engine: 'virtual', costPerKickoff: 2, maxCost: null }

test.each([
  { rate: '1/s', for: '2m', process: 'poisson' },
  { rate: '1/s', for: '2m', process: { gamma: { cv: 2 } } },
  { rate: '1/s', for: '2m' },
] as const)(
  'kickoffs and cost are those of the run, also of random arrivals: %o',
  async (arrivals) => {
    for (const seed of [1, 2, 3]) {
      const document = await virtualRun({ scenario: { arrivals }, seed })
      const { kickoffs, cost, isPeakMean } = planFacts(document.plan as Plan, CONTEXT)
      expect([kickoffs, cost]).toEqual([document.arrivals, 2 * document.arrivals])
      expect(isPeakMean).toBe('process' in arrivals)
    }
  },
)
