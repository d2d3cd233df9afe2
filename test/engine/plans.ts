/** Plans for the engine's tests: a small whole one, and what differs. */
import { expect } from 'vitest'
import { createEngine } from '../../src/engine/engine.ts'
import type { RunningEngine, EngineOptions } from '../../src/engine/engine.ts'
import type { FinishedLine } from '../../src/execution/record/journal-lines.ts'
import type { ArrivalPlan, Plan } from '../../src/scenario/plan.ts'
import { parseDuration, parseRate } from '../../src/base/units.ts'
import { testPlan } from '../support/plan.ts'
import { SimulatedHost } from './simulated-host.ts'
import type { SimulatedHostOptions, SimulatedTarget } from './simulated-host.ts'

export const SECOND = 1_000_000

/** `testPlan` in seconds, with ten arrivals. */
export function planOf(changes: Partial<Plan> = {}): Plan {
  return testPlan({
    arrivals: rate('1/s', '10s'),
    polling: { kind: 'fixed', everyMicros: SECOND, initialDelayMicros: 0 },
    retry: {
      statusRetries: 1,
      kickoffRetries: 1,
      unknownKickoffs: 'leave',
      backoff: { initialMicros: 100_000, factor: 2, maxMicros: SECOND, jitter: 'none' },
      budget: { ratio: 1, minimum: 10, windowMicros: 10 * SECOND },
    },
    deadlineMicros: 60 * SECOND,
    notFoundGraceMicros: 2 * SECOND,
    human: false,
    drainMicros: 10 * SECOND,
    http: {
      connectTimeoutMicros: SECOND,
      requestTimeoutMicros: 5 * SECOND,
      firstCallTimeoutMicros: 5 * SECOND,
      maxBodyBytes: 1_000_000,
      keepAliveMicros: SECOND,
    },
    inputs: () => ({ inputs: { topic: 'ai' }, tags: {} }),
    validity: {
      latenessP99Micros: 10_000,
      latenessShare: 0,
      utilisation: 0.7,
      littleResidual: 0.05,
    },
    ...changes,
  })
}

/** Inputs that cannot be made: the user's own code throws. */
export function brokenInputs(): never {
  throw NO_ROW
}
const NO_ROW = new Error('no such row')

/** `rate('2/s', '1m')`, evenly spaced. */
export function rate(perTime: string, duration: string): ArrivalPlan {
  const from = parseRate(perTime)!
  const segment = { from, to: from, forMicros: parseDuration(duration)! }
  return { kind: 'open', segments: [segment], process: { kind: 'uniform' } }
}

export function closed(
  changes: Partial<Extract<ArrivalPlan, { kind: 'closed' }>> = {},
): ArrivalPlan {
  return {
    kind: 'closed',
    clients: 3,
    forMicros: 60 * SECOND,
    iterations: null,
    think: { kind: 'constant', value: 0 },
    rampUpMicros: 0,
    ...changes,
  }
}

export interface Drive extends SimulatedHostOptions {
  /** Arranges what shall happen meanwhile: a stop. */
  meanwhile?: (engine: RunningEngine, host: SimulatedHost) => void
  engine?: Partial<EngineOptions>
}

/** Drives a plan to its end and checks what holds for every run. */
export function drive(plan: Plan, target: SimulatedTarget, options: Drive = {}): SimulatedHost {
  const host = new SimulatedHost(target, options)
  const done: FinishedLine['stopped'][] = []
  let sentAtEnd = -1
  const engine = createEngine(plan, host, {
    runId: 'r',
    instance: 0,
    instances: 1,
    onDone: (stopped) => {
      done.push(stopped)
      sentAtEnd = host.sent
    },
    ...options.engine,
  })
  engine.start()
  options.meanwhile?.(engine, host)
  host.run()
  expect(done).toHaveLength(1)
  expect(host.sent, 'nothing is sent after the end').toBe(sentAtEnd)
  expectWhole(host, engine)
  return host
}

/** Outcomes sum to the arrivals, whatever started ended, and the last line is the last. */
function expectWhole(host: SimulatedHost, engine: RunningEngine): void {
  const finished = host.linesOf('finished')
  const ended = host.records.map(({ index }) => index)
  const { outcomes, arrived, inFlight, queued } = engine.stats()
  expect(finished).toHaveLength(1)
  expect(host.lines.at(-1)?.type).toBe('finished')
  expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(arrived)
  expect(finished[0]!.engine).toMatchObject({ arrivals: arrived, ended: ended.length })
  expect(ended).toHaveLength(arrived)
  expect(new Set(ended).size, 'no arrival ends twice').toBe(ended.length)
  expect({ inFlight, queued }).toEqual({ inFlight: 0, queued: 0 })
  const started = host.linesOf('started').map(({ index }) => index)
  expect(new Set(started).size, 'no arrival starts twice').toBe(started.length)
  const endedIndexes = new Set(ended)
  expect(started.filter((index) => !endedIndexes.has(index))).toEqual([])
  expect(finished[0]!.engine.inFlightIntegralMicros).toBe(timeInFlight(host))
}

/**
 * The sum of W over accepted executions, by their records: what the live counter must have
 * integrated.
 */
function timeInFlight(host: SimulatedHost): number {
  return host.records.reduce(
    (sum, { acceptedMicros, endedMicros }) =>
      acceptedMicros === null ? sum : sum + endedMicros - acceptedMicros,
    0,
  )
}

export function countOutcomes(host: SimulatedHost): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { outcome } of host.records) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
