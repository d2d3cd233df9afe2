/** Documents of studies of limits, made up: one for each way in which it can end. */
import { limitsDocument } from '../../../src/study/limits/analyse/limits.ts'
import type {
  Conclusion,
  InferredLimit,
} from '../../../src/study/limits/analyse/infer/interface.ts'
import { UNKNOWN } from '../../../src/study/limits/analyse/infer/inferred-limit.ts'
import type { ProbedOperation } from '../../../src/study/limits/analyse/operation.ts'
import type { LimitedOperation, LimitsDocument } from '../../../src/study/limits/document.ts'

const exactly = (value: number) => ({ value, low: value, high: value })

const LOG: InferredLimit = {
  ...UNKNOWN,
  kind: 'sliding-log',
  probability: 0.9998,
  limit: exactly(60),
  windowMs: { value: 60_050, low: 59_400, high: 60_700 },
  countsRefused: false,
  safePerSecond: 0.988,
  runnerUp: { kind: 'penalty', probability: 0.0002 },
}
const PROMISED: InferredLimit = {
  ...LOG,
  kind: 'fixed-window',
  sameAs: ['penalty'],
  probability: 0.9961,
  limit: exactly(3_000),
  aligned: 'calendar',
  safePerSecond: 49.4,
  runnerUp: null,
}

function conclusion(finding: InferredLimit, some: Partial<Conclusion> = {}): Conclusion {
  return {
    kind: 'conclusion',
    outcome: 'settled',
    finding,
    headers: null,
    also: [],
    others: 0,
    reasons: [],
    requests: 12,
    replay: { predicted: 12, of: 12 },
    ...some,
  }
}

/** Ten are let in at once, and of the two after a second none, unless it is not used up. */
function probed(
  operation: LimitedOperation,
  found: ProbedOperation['conclusion'],
  scope: ProbedOperation['scope'],
): ProbedOperation {
  const isUsedUp = found.headers?.usedUp !== false
  const evidence = Array.from({ length: 12 }, (_, i) => {
    const sentMs = i < 10 ? 200 : 1_200
    const isRefused = isUsedUp && i >= 10
    return {
      sentMs,
      burstMs: sentMs,
      receivedMs: sentMs + 10 + i,
      answer: isRefused ? ('refused' as const) : ('accepted' as const),
      status: isRefused ? 429 : 200,
      headers: isRefused ? { 'retry-after': '50' } : {},
    }
  })
  const body = 'slow down'
  const isRecorded = false
  return { operation, conclusion: found, scope, beganAfterMs: 0, evidence, body, isRecorded }
}

function study(
  ended: LimitsDocument['ended'],
  operations: readonly ProbedOperation[],
): LimitsDocument {
  return limitsDocument({
    tool: { name: 'crewload', version: '0.1.0', node: '20.19.0' },
    id: '1a2b3c4d',
    startedAt: '2026-11-21T08:15:00.000Z',
    command: 'crewload limits --target http://127.0.0.1:9',
    budget: { requests: 600, kickoffs: 0 },
    seed: 7,
    target: 'http://127.0.0.1:9/',
    profile: null,
    requests: 84,
    kickoffs: 0,
    durationMs: 341_000,
    ended,
    operations,
    recorded: null,
    plan: {
      target: 'http://127.0.0.1:9/',
      profile: null,
      engine: 'node',
      from: [],
      operations: ['inputs', 'status'],
      inFlight: 10,
      maxDurationMs: 1_800_000,
      budget: { requests: 600, kickoffs: 0 },
      steps: [],
    },
  })
}

export function answered(): LimitsDocument {
  const headers = {
    dialect: 'RateLimit',
    limit: 3_000,
    windowMs: 60_000,
    truthful: null,
    usedUp: false,
    lies: [],
  }
  return study('complete', [
    probed('status', conclusion(LOG), {
      token: true,
      path: null,
      address: null,
      sharedWith: [],
      tried: ['inputs'],
    }),
    probed('inputs', conclusion(PROMISED, { headers }), null),
  ])
}

/** Refusals with these headers. */
export function refusedWith(headers: Readonly<Record<string, string>>): LimitsDocument {
  const status = probed('status', conclusion(LOG), null)
  const evidence = status.evidence.map((each) =>
    each.answer === 'refused' ? { ...each, headers } : each,
  )
  return study('complete', [{ ...status, evidence }])
}

export function cannotTell(
  doubt = 'No single limiter explains the answers: another client may use the same one.',
): LimitsDocument {
  const runnerUp = { kind: 'penalty', probability: 0.9 } as const
  return study('complete', [
    probed('status', conclusion(LOG), {
      token: null,
      path: null,
      address: null,
      sharedWith: ['inputs'],
      tried: ['inputs'],
    }),
    probed(
      'inputs',
      conclusion({ ...UNKNOWN, runnerUp }, { outcome: 'cannot-tell', reasons: [doubt] }),
      null,
    ),
  ])
}

/** What a target says is text, whatever it looks like. */
export function lost(): LimitsDocument {
  const hostile = '<script>alert(1)</script>\u001B[31m'
  const found = { ...conclusion(LOG), outcome: 'lost' as const }
  return study('target', [{ ...probed('status', found, null), body: hostile }])
}

/** Two of its requests were answered 500, and one not at all. */
export function failing(): LimitsDocument {
  const found = conclusion(UNKNOWN, { outcome: 'target-fails' })
  const status = probed('status', found, null)
  const failed = [500, 500, null]
  const evidence = status.evidence.map((each, i) =>
    i < failed.length ? { ...each, answer: 'failed' as const, status: failed[i]! } : each,
  )
  return study('complete', [{ ...status, evidence }])
}
