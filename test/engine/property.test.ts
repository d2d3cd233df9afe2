import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRandom } from '../../src/base/random.ts'
import type { ArrivalPlan, Plan } from '../../src/scenario/plan.ts'
import { SECOND, closed, drive, planOf } from './plans.ts'
import { crew, hostile } from './targets.ts'

const anyArrivals: fc.Arbitrary<ArrivalPlan> = fc.oneof(
  fc.record({
    kind: fc.constant('open' as const),
    segments: fc.array(
      fc.record({
        from: fc.record({ count: fc.nat(3), perMicros: fc.constant(SECOND) }),
        to: fc.record({ count: fc.nat(3), perMicros: fc.constant(SECOND) }),
        forMicros: fc.integer({ min: 1, max: 10 * SECOND }),
      }),
      { maxLength: 3 },
    ),
    process: fc.constantFrom(
      { kind: 'uniform' as const },
      { kind: 'poisson' as const },
      { kind: 'gamma' as const, cv: 2 },
    ),
  }),
  fc
    .record({
      clients: fc.integer({ min: 1, max: 5 }),
      forMicros: fc.integer({ min: 1, max: 20 * SECOND }),
      iterations: fc.option(fc.integer({ min: 1, max: 20 })),
      rampUpMicros: fc.nat(5 * SECOND),
      thinkMicros: fc.nat(SECOND),
    })
    .map(({ thinkMicros, ...rest }) =>
      closed({ ...rest, think: { kind: 'constant', value: thinkMicros } }),
    ),
  fc.array(fc.nat(10 * SECOND), { maxLength: 20 }).map((offsets) => ({
    kind: 'replay' as const,
    offsetsMicros: offsets.sort((a, b) => a - b),
  })),
)

const anyPlan: fc.Arbitrary<Plan> = fc
  .record({
    seed: fc.nat(1_000),
    arrivals: anyArrivals,
    admission: fc.record({
      maxInFlight: fc.option(fc.integer({ min: 1, max: 5 })),
      whenFull: fc.constantFrom('queue' as const, 'drop' as const),
    }),
    confirmShare: fc.constantFrom(0, 0.3, 1),
    drainMicros: fc.nat(10 * SECOND),
    deadlineMicros: fc.integer({ min: SECOND, max: 20 * SECOND }),
  })
  .map((changes) => planOf(changes))

const anyBudget = fc.option(fc.nat(30)).map((budget) => budget ?? Infinity)
const anyStops = fc.array(
  fc.record({
    atMicros: fc.nat(20 * SECOND),
    how: fc.constantFrom('drain' as const, 'now' as const),
  }),
  { maxLength: 2 },
)

test('accounts for every arrival, whatever the plan, the target, the budget and the stops', () => {
  fc.assert(
    fc.property(
      anyPlan,
      fc.nat(1_000),
      anyBudget,
      anyBudget,
      anyStops,
      (plan, mischief, kickoffs, requests, stops) => {
        const host = drive(plan, hostile(createRandom(mischief)), {
          kickoffs,
          requests,
          meanwhile: (engine, host) => {
            for (const { atMicros, how } of stops) host.at(atMicros, () => engine.stop(how))
          },
        })
        const sent = host.requests.map(({ request }) => request.operation)
        expect(sent.length).toBeLessThanOrEqual(requests)
        expect(sent.filter((operation) => operation === 'kickoff').length).toBeLessThanOrEqual(
          kickoffs,
        )
        expect(host.linesOf('finished')[0]!.engine.maxInFlight).toBeLessThanOrEqual(
          plan.admission.maxInFlight ?? Infinity,
        )
      },
    ),
    { seed: 11, numRuns: 150 },
  )
})

test('is never late on a host that is never late', () => {
  fc.assert(
    fc.property(anyPlan, fc.nat(8 * SECOND), (plan, durationMicros) => {
      for (const { kickoff, polls } of drive(plan, crew({ durationMicros })).records) {
        expect([...kickoff.lateMicros, ...polls.lateMicros].filter((late) => late !== 0)).toEqual(
          [],
        )
      }
    }),
    { seed: 12, numRuns: 60 },
  )
})
