/**
 * No run passes while fewer than the promised share of those who were due was served, whatever
 * became of them.
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResultDocument } from '../../src/result/document.ts'
import type { ExecutionRecord, Outcome } from '../../src/execution/record/record.ts'
import { OUTCOMES } from '../../src/execution/record/record.ts'
import { createRecorder } from '../../src/result/counting/recorder.ts'
import { promisesBeside } from '../../src/scenario/thresholds/thresholds.ts'
import { CONTEXT, journalLines } from '../result/lines.ts'
import type { Threshold } from '../../src/scenario/plan.ts'

const PROMISED_SHARE = 0.95

/** Without the fields that a record of that outcome cannot have. */
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

function documentOf(
  outcomes: readonly Outcome[],
  thresholds: readonly Threshold[],
): ResultDocument {
  const recorder = createRecorder()
  const lines = journalLines({
    executions: outcomes.length,
    plan: { thresholds: [...thresholds, ...promisesBeside([], [])] },
    spoil: (record) => become(record, outcomes[record.index]!),
  })
  for (const line of lines) recorder.record(line)
  const document = recorder.document({ ledger: null, ...CONTEXT })
  recorder.destroy()
  return document
}

/** Mostly completed, so that the share lies about the promise as often as far from it. */
const outcome = fc.oneof(
  { weight: 60, arbitrary: fc.constant<Outcome>('completed') },
  { weight: 3, arbitrary: fc.constantFrom<Outcome>(...OUTCOMES) },
)
const outcomesOfRun = fc.array(outcome, { minLength: 1, maxLength: 120 })
/** That nothing can miss, and that is judged by its interval or by value. */
const harmless = fc.constantFrom<Threshold[]>(
  [],
  [
    {
      metric: 'execution.completed.p50',
      operator: '<',
      bound: 6e7,
      text: '< 60s',
      abortEarly: false,
      judge: 'interval',
      source: 'scenario',
    },
  ],
  [
    {
      metric: 'execution.max',
      operator: '<',
      bound: 6e12,
      text: '< 60d',
      abortEarly: false,
      judge: 'value',
      source: 'scenario',
    },
  ],
)

test('no run passes whose promise is broken', () => {
  let passed = 0
  fc.assert(
    fc.property(outcomesOfRun, harmless, (outcomes, thresholds) => {
      const { verdict } = documentOf(outcomes, thresholds)
      if (verdict.outcome !== 'passed') return
      passed++
      const due = outcomes.filter((each) => each !== 'dropped' && each !== 'notReached')
      const served = due.filter((each) => each === 'completed' || each === 'failed')
      expect(served.length).toBeGreaterThanOrEqual(PROMISED_SHARE * due.length)
      expect(outcomes).not.toContain('aborted')
      expect(outcomes).not.toContain('notReached')
    }),
    { numRuns: 200, seed: 9 },
  )
  expect(passed).toBeGreaterThan(10)
})
