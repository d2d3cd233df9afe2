/** The reasons and the precedence of verdicts, of made-up outcomes. */
import { describe, expect, test } from 'vitest'
import type {
  Metric,
  RunInfo,
  TargetLossResult,
  ThresholdResult,
} from '../../../src/result/document.ts'
import type { Observations } from '../../../src/result/observations.ts'
import { reachVerdict } from '../../../src/result/verdict/verdict.ts'
import type { VerdictEvidence } from '../../../src/result/verdict/verdict.ts'
import type { Outcome } from '../../../src/execution/record/record.ts'
import { groupOf, observationsOf, outcomesOf } from '../observations.ts'
import { exactSample } from '../samples.ts'
import { reasonOf } from '../../../src/result/sentence-tables.ts'
import type { RunReason } from '../../../src/result/sentences/reasons.ts'
import { REASONS } from '../../../src/result/sentences/reasons.ts'
import { testBound } from '../../support/plan.ts'

interface Over {
  stopped?: RunInfo['stopped']
  thresholds?: ThresholdResult[]
  longestMs?: number | null
  validity?: RunReason[]
  missedDespiteDrops?: ThresholdResult[]
  undecided?: VerdictEvidence['undecided']
  problems?: number
  targetLoss?: TargetLossResult
  observations?: Partial<Observations>
}

function verdictOf(seen: Partial<Record<Outcome, number>>, over: Over = {}) {
  const outcomes = outcomesOf(seen)
  const arrivals = Object.values(outcomes).reduce((sum, count) => sum + count, 0)
  const longestMs = over.longestMs === undefined ? 1_020 : over.longestMs
  const ended = exactSample(longestMs === null ? [] : [longestMs * 1_000])
  return reachVerdict({
    validity: over.validity ?? [],
    thresholds: over.thresholds ?? [],
    missedDespiteDrops: over.missedDespiteDrops ?? [],
    undecided: over.undecided ?? 'inconclusive',
    run: {
      stopped: over.stopped ?? null,
      stopReason: null,
      durationMs: 3_060,
      place: { kind: 'deployment', target: 'http://127.0.0.1:1' },
    },
    targetLoss: over.targetLoss ?? null,
    problems: over.problems ?? 0,
    observations: observationsOf({
      window: groupOf({
        arrivals,
        outcomes,
        executions: { ended, censored: exactSample([]), never: 0 },
      }),
      ...over.observations,
    }),
  })
}

function metric(value: Metric['value'], over: Partial<Metric> = {}): Metric {
  const interval = { low: null, high: null, needed: null, effective: null }
  return { value, unit: 'ms', ...interval, n: 1, never: 0, ...over }
}

const MISS: ThresholdResult = {
  metric: 'execution.p95',
  ...testBound('< 8.00 s'),
  bound: 8_000,
  status: 'missed',
  judged: 'interval',
  source: 'scenario',
  measured: metric(9_430, { low: 8_100, high: 12_000, n: 144 }),
  doubt: null,
  more: null,
  next: null,
  hint: null,
}
const UNDECIDED: ThresholdResult = {
  ...MISS,
  metric: 'detectionDelay.p95',
  status: 'undecided',
  doubt: { kind: 'few', have: 3, needed: 72 },
  measured: metric(null, { n: 3, needed: 59 }),
}
const PROMISE: ThresholdResult = {
  ...MISS,
  status: 'undecided',
  doubt: { kind: 'interval', have: null, needed: null },
  source: 'default',
}
const KEPT_PROMISE: ThresholdResult = { ...PROMISE, measured: metric(7_000, { n: 3 }) }
const DROPS = reasonOf(REASONS, 'admission', { dropped: 3, arrivals: 9, bound: 0 })
const LATE = reasonOf(REASONS, 'clock', { steps: 1 })

function messagesOf(seen: Partial<Record<Outcome, number>>, over: Over = {}): string[] {
  return verdictOf(seen, over).reasons.map(({ message }) => message)
}

describe('the reasons', () => {
  test.each<[why: string, seen: Partial<Record<Outcome, number>>, codes: string[]]>([
    ['nothing where all completed', { completed: 3 }, []],
    ['that nothing completed', { failed: 1 }, ['nothing-completed']],
    ['that no arrival was accepted', { rejected: 20 }, ['nothing-completed']],
    ['that there was no arrival', {}, ['no-arrivals']],
  ])('say %s', (_, seen, codes) => {
    expect(verdictOf(seen).reasons.map(({ code }) => code)).toEqual(codes)
  })

  test('write a miss as the table does, and every other', () => {
    const other = { ...MISS, metric: 'execution.p90' }
    expect(messagesOf({ completed: 3 }, { thresholds: [MISS, UNDECIDED, other] })).toEqual([
      'execution.p95 is 9.4 s, bound < 8 s',
      'execution.p90 is 9.4 s, bound < 8 s',
      'detectionDelay.p95 < 8 s is undecided: 3 of 72 independent executions',
    ])
  })

  test('say why a threshold is undecided', () => {
    const dependent = { kind: 'dependent', have: 66, needed: 72 } as const
    const told = { ...MISS, status: 'undecided', doubt: dependent } as const
    expect(messagesOf({ completed: 3 }, { thresholds: [UNDECIDED, told] })).toEqual([
      'detectionDelay.p95 < 8 s is undecided: 3 of 72 independent executions',
      'execution.p95 < 8 s is undecided: 9.4 s, 66 of 72 independent executions, because the 144 ' +
        'depend on each other',
    ])
  })

  test('of a run that passed are none, though it counts its problems', () => {
    const verdict = verdictOf({ completed: 3 }, { problems: 2 })
    expect(verdict).toEqual({ outcome: 'passed', valid: true, problems: 2, reasons: [] })
  })
})

describe('the verdict', () => {
  const loss = { instance: 0, usable: false, probes: 3, last: 401 } as const
  test.each<[why: string, over: Over, outcome: string]>([
    ['passes with nothing against it', {}, 'passed'],
    ['is inconclusive where a threshold is undecided', { thresholds: [UNDECIDED] }, 'inconclusive'],
    ['fails by a miss', { thresholds: [MISS, UNDECIDED] }, 'failed'],
    ['is invalid before it fails', { validity: [LATE], thresholds: [MISS] }, 'invalid'],
    ['is invalid where the load was not offered', { validity: [DROPS] }, 'invalid'],
    [
      'fails despite drops by a miss that stands with them counted as good',
      { validity: [DROPS], thresholds: [MISS], missedDespiteDrops: [MISS] },
      'failed',
    ],
    [
      'is unreachable before it is invalid, where access was lost',
      { validity: [LATE], observations: { probes: [loss] } },
      'unreachable',
    ],
    [
      'lets what is undecided pass where the user says so',
      { thresholds: [UNDECIDED], undecided: 'pass' },
      'passed',
    ],
    [
      'fails what is undecided where the user says so',
      { thresholds: [UNDECIDED], undecided: 'fail' },
      'failed',
    ],
    [
      'never lets a default promise pass that is over its value',
      { thresholds: [PROMISE], undecided: 'pass' },
      'inconclusive',
    ],
    [
      'passes by a default promise that is kept by its value',
      { thresholds: [KEPT_PROMISE] },
      'passed',
    ],
  ])('%s', (_, over, outcome) => {
    expect(verdictOf({ completed: 100 }, over).outcome).toBe(outcome)
  })

  describe('where arrivals got the id of another', () => {
    const example = { atMicros: 0, index: 1, kickoffId: 'one', seen: 'again' }
    const rules = new Map([['kickoff-id-unique', { count: 9, example }]])
    const contract = { answers: 30, confirmations: 0, rules }

    test('fails: they have no execution of their own', () => {
      const { outcome, reasons } = verdictOf({ completed: 10 }, { observations: { contract } })
      expect(outcome).toBe('failed')
      expect(reasons[0]?.message).toBe('9 of 9 accepted kickoffs got the kickoff_id of another')
    })

    test('is left to a threshold that judges the contract', () => {
      const judged = { ...PROMISE, metric: 'contract.documented', status: 'met' } as const
      const over = { observations: { contract }, thresholds: [judged] }
      expect(verdictOf({ completed: 10 }, over).outcome).toBe('passed')
    })
  })

  test.each<Partial<Record<Outcome, number>>>([
    { completed: 100, aborted: 1 },
    { completed: 100, notReached: 1 },
  ])('never passes a run with a gap: %o', (seen) => {
    expect(verdictOf(seen).outcome).toBe('inconclusive')
  })

  test('tells a loss of access once, though it cut the run short as well', () => {
    const targetLoss: TargetLossResult = {
      state: 'refused',
      scope: 'everything',
      sinceMs: 1_000,
      untilMs: 2_000,
      requests: 9,
      first: 401,
      last: 401,
      instances: 1,
    }
    const { outcome, reasons } = verdictOf({ completed: 3, notReached: 1 }, { targetLoss })
    expect(outcome).toBe('unreachable')
    expect(reasons).toMatchObject([
      { message: expect.stringContaining('the token was no longer accepted') },
    ])
  })
})
