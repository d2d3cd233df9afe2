/** Documents of studies of polling, made up: one for each way in which it can end. */
import type { PollingPolicy } from '../../../src/scenario/polling/index.ts'
import { writtenPolling } from '../../../src/scenario/polling/index.ts'
import { pollingWordsOf } from '../../../src/scenario/polling/schemas.ts'
import { loopsOf } from '../../../src/study/frame/loops/loops.ts'
import type { PollingDocument, Strategy } from '../../../src/study/polling/document.ts'

const SECOND = 1_000_000

const LATER: PollingPolicy = {
  kind: 'fixed',
  everyMicros: 9.14 * SECOND,
  initialDelayMicros: 27.1 * SECOND,
}
const TODAY: PollingPolicy = {
  kind: 'exponential',
  initialMicros: 2 * SECOND,
  factor: 1.5,
  maxMicros: 15 * SECOND,
  jitter: 'equal',
}
const SCHEDULE: PollingPolicy = {
  kind: 'schedule',
  intervalsMicros: [27.6, 12.5, 12.8, 11.7, 13.4, 20.2].map((each) => each * SECOND),
}
const FIXED: PollingPolicy = {
  kind: 'fixed',
  everyMicros: 20 * SECOND,
  initialDelayMicros: 20 * SECOND,
}

/** `polls` in the mean, with `delayMs` of mean delay and a band of 10 % about both. */
function strategy(
  family: Strategy['family'],
  policy: PollingPolicy,
  [polls, delayMs]: readonly [number, number],
): Strategy {
  return {
    family,
    polling: { ...writtenPolling(policy) },
    words: pollingWordsOf(policy).tell(policy),
    pollsPerExecution: { value: polls, low: 0.9 * polls, high: 1.1 * polls },
    detectionDelayMs: {
      p50: 0.9 * delayMs,
      p95: 1.8 * delayMs,
      mean: delayMs,
      low: 1.7 * delayMs,
      high: 2.1 * delayMs,
      meanLow: 0.9 * delayMs,
      meanHigh: 1.1 * delayMs,
    },
  }
}

const TRAFFIC = {
  pollsPerSecond: 0.543,
  twiceAsLong: { pollsPerExecution: 16.4, pollsPerSecond: 1.18 },
}

export function answered(): PollingDocument {
  const recommended = strategy('initial-delay', LATER, [7.55, 5_290])
  return {
    schema: 'crewload/polling/1',
    study: 'polling',
    verdict: {
      outcome: 'answered',
      sentence:
        'Poll after 27.1 s, then every 9.14 s (initial delay, then fixed): 7.55 polls per ' +
        'execution, and the end known 5.29 s late (p95 9.52 s), against 11.0 polls and 5.77 s today.',
      reasons: [],
      moreExecutions: null,
      nearest: null,
    },
    target: 'http://127.0.0.1:8001',
    profile: null,
    scenario: 'steady',
    seed: 42,
    tool: { name: 'crewload', version: '0.1.0', node: '20.19.0' },
    id: '1a2b3c4d',
    startedAt: '2026-11-21T08:15:00.000Z',
    durationMs: 1_800_000,
    requests: 2_400,
    kickoffs: 215,
    budget: { requests: null, kickoffs: 300 },
    ended: 'complete',
    command: 'crewload polling --target http://127.0.0.1:8001 --max-kickoffs 300',
    findings: [
      {
        severity: 'info',
        message:
          'at these intervals 40.0 % of the polls (today 2.00 %) open a connection, which ' +
          'takes 25.0 ms: 3.02 handshakes per execution',
      },
    ],
    wish: { maxPolls: null, limits: null, delay: null, pollPrice: 1, delayPrice: 1, given: false },
    source: {
      kind: 'target',
      runs: ['run-1'],
      executions: 215,
      ended: 212,
      never: 1,
      censored: 2,
      unwatchedShare: 0,
      truth: 'polls',
      endKnownWithinMs: 5_800,
      executionMs: { mean: 81_900, p50: 59_000, p95: 206_000 },
      requestMs: 12,
      arrivalsPerSecond: 0.0719,
      blockExecutions: 9,
    },
    recommended: {
      ...recommended,
      ...TRAFFIC,
      cost: 12.8,
      freshShare: 0.4,
      handshakeMs: 25,
      loops: loopsOf(LATER),
    },
    current: {
      ...strategy('exponential', TODAY, [11, 5_770]),
      ...TRAFFIC,
      cost: 16.8,
      freshShare: 0.02,
      observed: { pollsPerExecution: 11.1, delayMeanMs: 5_800, delayP95Ms: 12_300 },
    },
    runnerUp: {
      ...strategy('hazard', SCHEDULE, [7.79, 5_730]),
      mayBeBetterBy: 0.02,
      ties: false,
    },
    simpler: null,
    retryAfter: null,
    front: [
      strategy('fixed', FIXED, [4.6, 10_100]),
      strategy('initial-delay', LATER, [7.55, 5_290]),
      strategy('hazard', SCHEDULE, [15.2, 2_400]),
    ],
  }
}

/** A quota and a promise, from runs, of a target that asks for waits itself. */
export function promised(): PollingDocument {
  const document = answered()
  const { recommended, current } = document
  return {
    ...document,
    verdict: {
      ...document.verdict,
      sentence:
        'Poll after 27.6 s, 4 intervals of 11.7 s to 13.4 s, then every 20.2 s (hazard ' +
        'schedule): 7.79 polls per execution, and the end known 5.73 s late (p95 10.3 s), ' +
        'against 11.0 polls and 5.77 s today. The mean of the polls and two standard ' +
        'deviations fit into 3000/m: with random arrivals, at most a few windows in 100 exceed it. The 95 % band of the delay keeps p95 < 15s.',
    },
    command: null,
    findings: [],
    wish: {
      maxPolls: '3000/m',
      limits: null,
      delay: 'p95 < 15s',
      pollPrice: null,
      delayPrice: null,
      given: true,
    },
    source: {
      ...document.source,
      kind: 'runs',
      runs: ['reports/a', 'reports/b'],
      truth: 'ledger',
      never: 0,
      censored: 0,
      unwatchedShare: 0,
      ended: 215,
      blockExecutions: 1,
    },
    recommended: {
      ...recommended!,
      ...strategy('hazard', SCHEDULE, [7.79, 5_730]),
      cost: null,
      freshShare: null,
      handshakeMs: null,
      loops: loopsOf(SCHEDULE),
    },
    current: { ...current!, cost: null, freshShare: null },
    runnerUp: null,
    simpler: { ...strategy('initial-delay', LATER, [7.62, 5_900]), excess: 0.0297 },
    retryAfter: {
      ...strategy('retry-after', FIXED, [4.6, 10_100]),
      medianMs: 20_000,
      answers: 140,
    },
  }
}

/** No strategy stays within what was asked for. */
export function impossible(): PollingDocument {
  return {
    ...answered(),
    verdict: {
      outcome: 'impossible',
      sentence: 'No polling strategy stays within what was asked for.',
      reasons: [
        {
          code: 'impossible',
          message: 'no strategy stays within 1/m',
          remedy: 'the nearest that is possible: --max-polls 9/m',
        },
      ],
      moreExecutions: null,
      nearest: { maxPolls: '9/m', delay: null, both: null },
    },
    wish: {
      maxPolls: '1/m',
      limits: null,
      delay: null,
      pollPrice: null,
      delayPrice: null,
      given: true,
    },
    findings: [],
    recommended: null,
    runnerUp: null,
  }
}

/** Ctrl-C while strategies were compared. */
export function interrupted(): PollingDocument {
  return {
    ...answered(),
    verdict: {
      outcome: 'inconclusive',
      sentence: 'It is not known yet which strategy is best.',
      reasons: [
        {
          code: 'interrupted',
          message: 'cannot tell yet, because the study was interrupted before its end',
          remedy: 'crewload resume goes on with it',
        },
      ],
      moreExecutions: null,
      nearest: null,
    },
    ended: 'interrupted',
    findings: [],
    recommended: null,
    current: null,
    runnerUp: null,
    front: [],
  }
}

/** The target died, and what it had answered is enough. */
export function lost(): PollingDocument {
  const document = answered()
  const { sentence } = document.verdict
  return {
    ...document,
    verdict: {
      outcome: 'target-lost',
      sentence: `The target was lost. What was recorded before: p${sentence.slice(1)}`,
      reasons: [
        {
          code: 'target',
          message: 'the target refused connections before the end of the run',
          remedy:
            'no process listens there: check the state of the deployment; crewload resume ' +
            'makes the executions that are missing',
        },
      ],
      moreExecutions: null,
      nearest: null,
    },
    ended: 'target',
  }
}

/** So few executions that nothing was replayed; the target's text is hostile. */
export function tooFew(): PollingDocument {
  const document = answered()
  return {
    ...document,
    target: 'http://127.0.0.1:8001/<script>alert(1)</script>\u001B[31m',
    verdict: {
      outcome: 'inconclusive',
      sentence: 'It is not known yet which strategy is best.',
      reasons: [
        {
          code: 'too-few',
          message:
            'cannot tell yet, because only 3 executions ended, of at least 10 that are needed',
          remedy: 'record about 7 more executions',
        },
      ],
      moreExecutions: 7,
      nearest: null,
    },
    ended: 'interrupted',
    findings: [],
    source: {
      ...document.source,
      executions: 3,
      ended: 3,
      never: 0,
      censored: 0,
      unwatchedShare: 0,
      endKnownWithinMs: null,
      executionMs: null,
      requestMs: null,
      arrivalsPerSecond: null,
      blockExecutions: null,
    },
    recommended: null,
    current: null,
    runnerUp: null,
    front: [],
  }
}
