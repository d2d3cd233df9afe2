/** A small, quick plan for tests: one arrival at zero, polls every 10 ms, short limits. */
import type { HttpPlan, Plan, Threshold } from '../../src/scenario/plan.ts'
import { writtenIn } from '../../src/scenario/thresholds/bounds.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../src/base/units.ts'

export const TEST_HTTP: HttpPlan = {
  connectTimeoutMicros: 500 * MICROS_PER_MS,
  requestTimeoutMicros: 300 * MICROS_PER_MS,
  firstCallTimeoutMicros: 300 * MICROS_PER_MS,
  maxBodyBytes: 1_048_576,
  maxConnections: 10,
  preOpenConnections: 0,
  keepAliveMicros: 4 * MICROS_PER_SECOND,
  headers: {},
}

/** `overrides` replaces whole top-level keys, except `http`, which is merged. */
export function testPlan(
  overrides: Partial<Omit<Plan, 'http'>> & { http?: Partial<HttpPlan> } = {},
): Plan {
  return {
    name: 'test',
    description: '',
    seed: 1,
    speed: 1,
    arrivals: { kind: 'replay', offsetsMicros: [0] },
    warmUpMicros: 0,
    admission: { maxInFlight: null, whenFull: 'queue' },
    maxDropped: 0.01,
    polling: { kind: 'fixed', everyMicros: 10 * MICROS_PER_MS, initialDelayMicros: 0 },
    honourRetryAfter: true,
    retry: {
      statusRetries: 1,
      kickoffRetries: 1,
      unknownKickoffs: 'leave',
      backoff: {
        initialMicros: 5 * MICROS_PER_MS,
        factor: 2,
        maxMicros: 20 * MICROS_PER_MS,
        jitter: 'none',
      },
      budget: { ratio: 0.5, minimum: 10, windowMicros: 10_000_000 },
    },
    deadlineMicros: MICROS_PER_SECOND,
    notFoundGraceMicros: 100 * MICROS_PER_MS,
    human: false,
    confirmShare: 0,
    drainMicros: 200 * MICROS_PER_MS,
    circuit: null,
    budget: { kickoffs: null, requests: null, wallMicros: null },
    inputs: () => ({ inputs: { topic: 'tests' }, tags: {} }),
    checks: [],
    thresholds: [],
    undecided: 'inconclusive',
    validity: {
      latenessP99Micros: 5 * MICROS_PER_MS,
      latenessShare: 0,
      utilisation: 0.7,
      littleResidual: 0.05,
    },
    ...overrides,
    http: { ...TEST_HTTP, ...overrides.http },
  }
}

/** What a threshold keeps of a bound as its author writes it: `< 500ms`. */
export function testBound(text: string): Pick<Threshold, 'operator' | 'written'> {
  const [, operator, bound = ''] = /^(\S+)\s*(.*)$/.exec(text) ?? []
  return { operator: operator as Threshold['operator'], written: writtenIn(bound) }
}

/** A bound of the scenario, from below, in the unit of its metric. */
export function testThreshold(
  metric: string,
  bound: number,
  changes: Partial<Threshold> = {},
): Threshold {
  const judged = { abortEarly: false, judge: 'interval', source: 'scenario' } as const
  return { metric, bound, ...testBound(`< ${bound}`), ...judged, ...changes }
}
