/**
 * Made-up runs of every kind, swept: what the document says of its thresholds and its verdict never
 * contradicts its own numbers.
 */
import * as fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import type { Metric, ResultDocument, ThresholdResult } from '../../src/result/document.ts'
import type { ExecutionRecord, Outcome } from '../../src/execution/record/record.ts'
import { OUTCOMES } from '../../src/execution/record/record.ts'
import { createRecorder } from '../../src/result/counting/recorder.ts'
import { promisesBeside, parseThreshold } from '../../src/scenario/thresholds/thresholds.ts'
import { CONTEXT, journalLines } from '../result/lines.ts'
import type { Threshold } from '../../src/scenario/plan.ts'

const CASES = 400
let swept = 0
afterAll(() => {
  process.stdout.write(`swept ${swept} runs\n`)
})

interface Made {
  outcomes: readonly Outcome[]
  thresholds: readonly Threshold[]
  /** Every execution takes the same time. */
  isEven: boolean
  lateMicros: number
  pollMicros: number
}

function become(record: ExecutionRecord, outcome: Outcome): void {
  record.outcome = outcome
  if (outcome === 'completed' || outcome === 'failed') return
  record.firstDoneReceivedMicros = null
  record.output = null
  if (outcome === 'lost' || outcome === 'stuck' || outcome === 'unreadable') return
  record.acceptedMicros = null
  record.kickoffId = null
  record.lastNotDoneSentMicros = null
}

function even(record: ExecutionRecord): void {
  const { intendedMicros, firstDoneReceivedMicros } = record
  if (firstDoneReceivedMicros === null) return
  record.firstDoneReceivedMicros = intendedMicros + 1_500_000
}

const PROMISED_SHARE = 0.95

/** Whatever became of them: fewer of those who were due were served than is promised. */
function isPromiseBroken(outcomes: readonly Outcome[]): boolean {
  const due = outcomes.filter((each) => each !== 'dropped' && each !== 'notReached')
  const served = due.filter((each) => each === 'completed' || each === 'failed')
  return served.length < PROMISED_SHARE * due.length
}

/** That some were not served without having been sent, or were given up. */
function isCut(outcomes: readonly Outcome[]): boolean {
  return outcomes.includes('aborted') || outcomes.includes('notReached')
}

function documentOf({ outcomes, thresholds, isEven, lateMicros, pollMicros }: Made) {
  swept++
  const recorder = createRecorder()
  const lines = journalLines({
    executions: outcomes.length,
    pollMicros,
    plan: { thresholds: [...thresholds, ...promisesBeside([], [])] },
    spoil: (record) => {
      if (isEven) even(record)
      record.kickoff.lateMicros.fill(lateMicros)
      become(record, outcomes[record.index]!)
    },
  })
  for (const line of lines) recorder.record(line)
  const document = recorder.document({ ledger: null, ...CONTEXT })
  recorder.destroy()
  return document
}

function keeps(value: number | 'never', { operator, bound }: ThresholdResult): boolean {
  const at = value === 'never' ? Infinity : value
  if (operator === '<') return at < bound
  if (operator === '<=') return at <= bound
  return operator === '>' ? at > bound : at >= bound
}

function ends({ low, high }: Metric): (number | 'never')[] {
  return [low, high].filter((end) => end !== null)
}

/** Where the document contradicts itself; of a document that does not, nothing. */
function complaints({ thresholds, verdict }: ResultDocument): string[] {
  const { outcome, valid, reasons } = verdict
  const passed = outcome === 'passed'
  return [
    ...thresholds.flatMap((each) => {
      const { metric, status, judged, doubt, hint, measured } = each
      const { value } = measured
      const isOver = value !== null && !keeps(value, each)
      const sides = new Set(ends(measured).map((end) => keeps(end, each)))
      const isMet = status === 'met'
      const isMissed = status === 'missed'
      const byInterval = judged === 'interval'
      return [
        Number.isNaN(value) ? `${metric} is not a number` : '',
        passed && isOver && judged !== 'sample' ? `${metric} is over its bound, and passed` : '',
        byInterval && isMet && sides.has(false) ? `${metric} is met beyond its interval` : '',
        byInterval && isMissed && sides.has(true) ? `${metric} is missed within its interval` : '',
        status === 'undecided' && (doubt === null || hint === null) ? `${metric}: no reason` : '',
        status !== 'undecided' && doubt !== null ? `${metric}: a doubt for nothing` : '',
        !valid && status !== 'notJudged' && outcome === 'invalid' ? `${metric} is judged` : '',
        valid && status === 'notJudged' ? `${metric} is not judged` : '',
        passed && isMissed ? `${metric} is missed, and passed` : '',
      ]
    }),
    passed || reasons.length > 0 ? '' : 'no reason',
    passed === valid || !passed ? '' : 'passed without being valid',
    reasons.every(({ message }) => message !== '') ? '' : 'an empty reason',
    ...reasons.map(({ message }) =>
      /NaN|undefined|Infinity|null/.test(message) ? `a reason says ${message}` : '',
    ),
  ].filter((complaint) => complaint !== '')
}

const METRICS: readonly (readonly [string, readonly string[]])[] = [
  ['execution.p95', ['< 1s', '< 2s', '< 60s', '> 1s']],
  ['execution.p50', ['< 1s', '< 1.6s', '<= 60s', '>= 1s']],
  ['execution.max', ['< 2s', '< 60s']],
  ['execution.mean', ['< 2s', '< 60s']],
  ['execution.completed.p90', ['< 2s', '< 60s']],
  ['execution.failed', ['< 1%', '<= 20%', '<= 0%', '>= 1%']],
  ['outcome.unserved', ['< 10%', '<= 0%']],
  ['outcome.completed', ['>= 99%', '> 50%', '>= 100%']],
  ['kickoff.response.p95', ['< 1ms', '< 500ms', '> 1ms']],
  ['status.error', ['< 20%']],
  ['detectionDelay.p95', ['< 100ms', '< 20s']],
  ['checks.of nothing', ['>= 100%', '> 50%']],
  ['inputs.service.p50', ['< 1s']],
  ['polls.wastedShare', ['< 50%']],
  ['contract.violations', ['<= 0']],
  ['throughput.completed', ['> 1/m']],
]

const threshold = fc
  .constantFrom(...METRICS)
  .chain(([metric, texts]) =>
    fc.record({
      metric: fc.constant(metric),
      text: fc.constantFrom(...texts),
      judge: fc.constantFrom<('interval' | 'value')[]>('interval', 'interval', 'value'),
    }),
  )
  .map(({ metric, text, judge }) => {
    return thresholdOf(metric, text, judge)
  })

function thresholdOf(metric: string, text: string, judge?: Threshold['judge']): Threshold {
  const parsed = parseThreshold(metric, text, judge === undefined ? {} : { judge })
  if ('problem' in parsed) throw new Error(parsed.problem)
  return parsed
}

const outcome = fc.oneof(
  { weight: 40, arbitrary: fc.constant<Outcome>('completed') },
  { weight: 2, arbitrary: fc.constantFrom<Outcome>(...OUTCOMES) },
)
const run = fc.record<Made>({
  outcomes: fc.oneof(
    { weight: 8, arbitrary: fc.array(outcome, { minLength: 1, maxLength: 150 }) },
    {
      weight: 1,
      arbitrary: fc.array(fc.constantFrom(...OUTCOMES), { minLength: 1, maxLength: 9 }),
    },
    { weight: 1, arbitrary: fc.constantFrom(...OUTCOMES.map((each) => [each])) },
  ),
  thresholds: fc.array(threshold, { maxLength: 5 }),
  isEven: fc.boolean(),
  lateMicros: fc.constantFrom(0, 0, 0, 40_000, 2_000_000),
  pollMicros: fc.constantFrom(500_000, 100_000),
})

/** A threshold on one of these replaces the promise that people are served. */
const REPLACED: ReadonlySet<string> = new Set(['outcome.unserved', 'outcome.completed'])

test('no document contradicts itself, and no run passes whose promise is broken', () => {
  const seen = new Map<string, number>()
  fc.assert(
    fc.property(run, (made) => {
      const document = documentOf(made)
      const { outcome: verdict } = document.verdict
      expect(complaints(document)).toEqual([])
      const promises = made.thresholds.some(({ metric }) => REPLACED.has(metric))
      const broken = !promises && isPromiseBroken(made.outcomes)
      expect(verdict === 'passed' && (broken || isCut(made.outcomes))).toBe(false)
      if (broken) seen.set('broken', (seen.get('broken') ?? 0) + 1)
      for (const key of [document.verdict.outcome, ...document.thresholds.map((t) => t.status)]) {
        seen.set(key, (seen.get(key) ?? 0) + 1)
      }
    }),
    { numRuns: CASES, seed: 36 },
  )
  const kinds = ['passed', 'failed', 'invalid', 'inconclusive', 'met', 'undecided', 'broken']
  for (const each of kinds) {
    expect([each, (seen.get(each) ?? 0) > 5]).toEqual([each, true])
  }
})

/** Conditional metrics count only what ended, so an execution that is lost leaves them. */
const OF_ALL = new Set(['execution.p95', 'execution.p50', 'outcome.unserved', 'outcome.completed'])
const WORSE: readonly Outcome[] = ['failed', 'rejected', 'unknown', 'lost', 'stuck', 'unreadable']

test('worse outcomes never turn FAILED into PASSED', () => {
  let failed = 0
  fc.assert(
    fc.property(run, fc.nat(), fc.constantFrom(...WORSE), (made, at, worse) => {
      const thresholds = made.thresholds.filter(
        (each) => OF_ALL.has(each.metric) && isGoodWay(each),
      )
      const before = documentOf({ ...made, thresholds })
      if (before.verdict.outcome !== 'failed') return
      failed++
      const outcomes = made.outcomes.map((each, i) =>
        each === 'completed' && i >= at % made.outcomes.length ? worse : each,
      )
      expect(documentOf({ ...made, thresholds, outcomes }).verdict.outcome).not.toBe('passed')
    }),
    { numRuns: CASES, seed: 37 },
  )
  expect(failed).toBeGreaterThan(10)
})

function isGoodWay({ metric, operator }: Threshold): boolean {
  return operator.startsWith('<') === (metric !== 'outcome.completed')
}

test('a planted fault is found', () => {
  const outcomes = Array.from({ length: 20 }, (): Outcome => 'completed')
  const thresholds = [thresholdOf('execution.p50', '< 1s')]
  const made = { outcomes, thresholds, isEven: false, lateMicros: 0, pollMicros: 500_000 }
  const document = documentOf(made)
  expect(complaints(document)).toEqual([])
  const verdict = { ...document.verdict, outcome: 'passed' as const }
  const [first, ...rest] = document.thresholds
  const planted = {
    ...document,
    verdict,
    thresholds: [{ ...first!, status: 'met' as const }, ...rest],
  }
  expect(complaints(planted).join('; ')).toMatch(
    /over its bound, and passed.*met beyond its interval/,
  )
})
