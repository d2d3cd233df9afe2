/** Ladders with known curves: what a visit counted, made from its throughput. */
import type { SaturationPlan, SaturationVisit } from '../../../src/study/saturation/document.ts'
import type { VisitCounts } from '../../../src/study/saturation/analyse/visit.ts'
import type { SaturationFacts } from '../../../src/study/saturation/analyse/analyse.ts'
import { measureVisit } from '../../../src/study/saturation/analyse/visit.ts'
import { sampleFacts } from '../../support/study-samples.ts'
import { exactSample } from '../../result/samples.ts'

const SECONDS = 5
const SLICES = 10 * SECONDS

/**
 * A visit of five seconds in which every second brought `perSecond` good answers, each after
 * connections / perSecond seconds, as Little's law wants it.
 */
export function visitCounts(
  connections: number,
  perSecond: number,
  changes: Partial<VisitCounts> = {},
): VisitCounts {
  const tookMicros = (connections / perSecond) * 1e6
  const n = perSecond * SECONDS
  return {
    connections,
    windowMicros: SECONDS * 1e6,
    latency: exactSample(Array.from({ length: n }, () => tookMicros)),
    errors: {},
    busyMicros: tookMicros * n,
    slices: Array.from({ length: SLICES }, () => perSecond / 10),
    utilisation: 0.3,
    stolen: 0,
    reconnects: 0,
    endedBy: 'time',
    sent: n,
    ...changes,
  }
}

export function visit(
  connections: number,
  perSecond: number,
  changes?: Partial<VisitCounts>,
  pass = 1,
): SaturationVisit {
  return measureVisit(visitCounts(connections, perSecond, changes), pass)
}

/** Five seconds of slices: of each half second the good answers a second. */
export function halfSeconds(...perSecond: number[]): number[] {
  return perSecond.flatMap((rate) => Array.from({ length: 5 }, () => rate / 10))
}

/** One visit each of 1, 2, 4 ... connections with these throughputs. */
export function ladder(...perSecond: number[]): SaturationVisit[] {
  return perSecond.map((rate, step) => visit(2 ** step, rate))
}

/** What a saturation did and saw; `rest` says what differs beside the plan. */
export function saturationFacts(
  visits: readonly SaturationVisit[],
  plan: Partial<SaturationPlan> = {},
  rest: Partial<SaturationFacts> = {},
): SaturationFacts {
  const place = {
    kind: 'fake',
    profile: 'default',
    target: 'http://127.0.0.1:8000',
    own: true,
  } as const
  const budget = { requests: null, kickoffs: null, ...plan.budget }
  return {
    ...sampleFacts('crewload saturate status --profile default', { budget, requests: 1 }),
    plan: {
      endpoint: 'status',
      place,
      ladder: [1, 2, 4, 8, 16, 32],
      repeats: 1,
      rungMs: 5_000,
      warmUpMs: 1_000,
      timeoutMs: 10_000,
      pollingMs: [2_000, 10_000],
      budget,
      ...plan,
    },
    place,
    visits,
    seed: 42,
    reasons: [],
    findings: [],
    ...rest,
  }
}
