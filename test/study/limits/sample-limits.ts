/** Documents of studies of limits: one for each way in which it can end. */
import { sampleFacts } from '../../support/study-samples.ts'
import { limitsDocument } from '../../../src/study/limits/analyse/limits.ts'
import { UNKNOWN } from '../../../src/study/limits/analyse/infer/interface.ts'
import type {
  Conclusion,
  ProbedOperation,
} from '../../../src/study/limits/analyse/infer/interface.ts'
import type { LimitCaveat } from '../../../src/study/limits/sentences/reasons.ts'
import { UNTRIED } from '../../../src/study/limits/analyse/operation.ts'
import type {
  LimitedOperation,
  LimitsDocument,
  RateLimit,
} from '../../../src/study/limits/document.ts'

export const exactly = (value: number) => ({ value, low: value, high: value })

const LOG: RateLimit = {
  ...UNKNOWN,
  kind: 'sliding-log',
  probability: 0.9998,
  limit: exactly(60),
  windowMs: { value: 60_050, low: 59_400, high: 60_700 },
  countsRefused: false,
  safePerSecond: 0.988,
  runnerUp: { kind: 'penalty', probability: 0.0002 },
}
const PROMISED: RateLimit = {
  ...LOG,
  kind: 'fixed-window',
  sameAs: ['penalty'],
  probability: 0.9961,
  limit: exactly(3_000),
  aligned: 'calendar',
  safePerSecond: 49.4,
  runnerUp: null,
}

export function conclusionWith(rateLimit: RateLimit, some: Partial<Conclusion> = {}): Conclusion {
  const plain = { headers: null, also: [], others: 0, caveats: [], requests: 12 }
  const replay = { predicted: 12, of: 12 }
  return { kind: 'conclusion', outcome: 'settled', rateLimit, ...plain, replay, ...some }
}

/** Ten are let in at once, and of the two after a second none, unless it is not used up. */
export function probedWith(
  operation: LimitedOperation,
  conclusion: Conclusion,
  some: Partial<ProbedOperation> = {},
): ProbedOperation {
  const isUsedUp = conclusion.headers?.usedUp !== false
  const evidence = Array.from({ length: 12 }, (_, i) => {
    const sentMs = i < 10 ? 200 : 1_200
    const sent = { sentMs, burstMs: sentMs, receivedMs: sentMs + 10 + i }
    return isUsedUp && i >= 10
      ? { ...sent, answer: 'refused' as const, status: 429, headers: { 'retry-after': '50' } }
      : { ...sent, answer: 'accepted' as const, status: 200, headers: {} }
  })
  const plain = { scope: UNTRIED, beganAfterMs: 0, body: 'slow down', isRecorded: false }
  return { operation, conclusion, evidence, ...plain, ...some }
}

function study(
  ended: LimitsDocument['ended'],
  ...operations: readonly ProbedOperation[]
): LimitsDocument {
  const place = { kind: 'deployment', target: 'http://127.0.0.1:9' } as const
  const budget = { requests: 600, kickoffs: 0 }
  return limitsDocument({
    ...sampleFacts('crewload limits --target http://127.0.0.1:9', {
      budget,
      requests: 84,
      durationMs: 341_000,
    }),
    seed: 7,
    place,
    ended,
    operations,
    recorded: null,
    plan: {
      place,
      engine: 'node',
      from: [],
      operations: ['inputs', 'status'],
      inFlight: 10,
      maxDurationMs: 1_800_000,
      budget,
      steps: [],
    },
  })
}

export function answered(): LimitsDocument {
  const promise = { dialect: 'RateLimit', limit: 3_000, windowMs: 60_000 }
  const headers = { ...promise, truthful: null, usedUp: false, lies: [] }
  const scope = { token: true, path: null, sharedWith: [], tried: ['inputs' as const] }
  return study(
    'complete',
    probedWith('status', conclusionWith(LOG), { scope }),
    probedWith('inputs', conclusionWith(PROMISED, { headers })),
  )
}

/** Refusals with these headers. */
export function refusedWith(headers: Readonly<Record<string, string>>): LimitsDocument {
  const status = probedWith('status', conclusionWith(LOG))
  const evidence = status.evidence.map((each) =>
    each.answer === 'refused' ? { ...each, headers } : each,
  )
  return study('complete', { ...status, evidence })
}

export function cannotTell(): LimitsDocument {
  const rateLimit = { ...UNKNOWN, runnerUp: { kind: 'penalty' as const, probability: 0.9 } }
  const caveats: LimitCaveat[] = [{ code: 'no-limiter' }]
  const shared = ['inputs' as const]
  return study(
    'complete',
    probedWith('status', conclusionWith(LOG), {
      scope: { ...UNTRIED, sharedWith: shared, tried: shared },
    }),
    probedWith('inputs', conclusionWith(rateLimit, { outcome: 'cannot-tell', caveats })),
  )
}

/** What a target says is text, whatever it looks like. */
export function lost(): LimitsDocument {
  const body = '<script>alert(1)</script>\u001B[31m'
  return study('target', probedWith('status', conclusionWith(LOG, { outcome: 'lost' }), { body }))
}

/** Two of its requests were answered 500, and one not at all. */
export function failing(): LimitsDocument {
  const status = probedWith('status', conclusionWith(UNKNOWN, { outcome: 'target-fails' }))
  const failed = [500, 500, null]
  const evidence = status.evidence.map((each, i) =>
    i < failed.length ? { ...each, answer: 'failed' as const, status: failed[i]! } : each,
  )
  return study('complete', { ...status, evidence })
}
