/**
 * Bad weather as a run tells it: faults of a fake crew, an outage and restarts among them, limits,
 * and what asking again cost.
 */
import type { Series } from '../../../src/result/document.ts'
import type {
  FaultResult,
  PushbackResult,
  RecoveryResult,
} from '../../../src/result/disturbances.ts'
import { createRandom } from '../../../src/base/random.ts'

const CHANCES = ['bad gateway', 'slow', 'truncated', 'malformed', 'hang', 'teapot', 'drip', 'swap']

/** More than a picture has room to name. */
export function faultsOf({ intervalMs, offered }: Series): FaultResult[] {
  const endMs = intervalMs * offered.length
  const at = (from: number, to: number): FaultResult['bands'][number] => ({
    fromMs: from * endMs,
    toMs: to * endMs,
  })
  const outages = [at(0.12, 0.25), at(0.55, 0.6)]
  const within = (ms: number): boolean => outages.some((b) => ms >= b.fromMs && ms < b.toMs)
  const outage = offered.map((_, i) => (within(i * intervalMs) ? 4 : 0))
  return [
    faultOf('outage: 503 for status', outage, { kind: 'status', bands: outages }),
    faultOf('restart', [], { kind: 'restart', bands: [at(0.4, 0.4), at(0.8, 0.8)] }),
    ...CHANCES.map((name, number) => {
      const random = createRandom(number)
      const counts = offered.map(() => (random.next() < 0.1 ? number + 1 : 0))
      return faultOf(name, counts, { kind: 'status', bands: [] })
    }),
  ].sort((a, b) => b.touched.status - a.touched.status)
}

function faultOf(
  name: string,
  counts: number[],
  { kind, bands }: Pick<FaultResult, 'kind' | 'bands'>,
): FaultResult {
  const status = counts.reduce((sum, count) => sum + count, 0)
  const touched = { inputs: 0, kickoff: 0, status }
  return { name, kind, always: bands.length === 0, touched, times: bands.length, bands, counts }
}

/** One of each kind. */
export const RECOVERIES: RecoveryResult[] = (
  ['recovered', 'not-recovered', 'too-few', 'unsteady', 'overloaded'] as const
).map((state, number) => ({
  faults: ['outage', ...(number === 0 ? ['restart'] : [])],
  fromMs: (number + 1) * 600_000,
  toMs: (number + 1) * 600_000 + 60_000,
  untilMs: (number + 2) * 600_000,
  former: { wanted: 200, served: 194 },
  windowMs: state === 'too-few' ? null : 8_000,
  state,
  afterMs: state === 'recovered' ? 12_000 : null,
  needed: state === 'too-few' ? 64 : null,
}))

/** Nothing was refused, and nothing asked again. */
export function calmOf(kickoffs: number, polls: number): PushbackResult {
  return {
    limits: [],
    waits: { answers: 0, kept: 0, early: 0, last: 0, longestMs: 0, honoured: true },
    retries: {
      operations: [
        { operation: 'kickoff', requests: kickoffs, retries: 0, causes: [] },
        { operation: 'status', requests: polls, retries: 0, causes: [] },
      ],
      share: 0,
      executions: 0,
      budgetSpent: false,
    },
  }
}

/** Limits that were met, waits that were not all kept, a retry budget that was spent. */
export function roughOf({ retries }: PushbackResult): PushbackResult {
  const limit = { firstMs: 61_000, lastMs: 1_800_000 }
  const [kickoffs, polls] = retries.operations.map(({ requests }) => requests)
  const status = { operation: 'status', requests: polls!, ...limit } as const
  const kickoff = { operation: 'kickoff', requests: kickoffs!, ...limit } as const
  return {
    limits: [
      { ...status, code: 429, count: 120, perMinute: 44, admittedPerMinute: 60 },
      { ...kickoff, code: 503, count: 3, perMinute: 2, admittedPerMinute: 10 },
    ],
    waits: { answers: 123, kept: 115, early: 5, last: 3, longestMs: 60_000, honoured: true },
    retries: {
      operations: [
        { ...retries.operations[0]!, retries: 3, causes: [{ class: '503', count: 3 }] },
        {
          ...retries.operations[1]!,
          retries: 137,
          causes: [
            { class: '429', count: 115 },
            { class: '502', count: 22 },
          ],
        },
      ],
      share: 140 / (kickoffs! + polls! - 140),
      executions: 61,
      budgetSpent: true,
    },
  }
}
