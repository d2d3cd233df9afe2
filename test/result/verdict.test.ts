/** Each reason why a run is not passed, provoked. */
import { expect, test } from 'vitest'
import type { FinishedLine, JournalLine } from '../../src/execution/record/journal-lines.ts'
import type { ExecutionRecord } from '../../src/execution/record/record.ts'
import type { ResultDocument } from '../../src/result/document.ts'
import { documentOf, instanceLines, journalLines } from './lines.ts'
import { codesOf } from '../support/reasons.ts'
import { testThreshold } from '../support/plan.ts'

/** A run of 100 whose `finished` line is changed. */
function withFinished(change: (line: FinishedLine) => void): JournalLine[] {
  const lines = journalLines({ executions: 100 })
  for (const line of lines) if (line.type === 'finished') change(line)
  return lines
}

function withRecords(spoil: (record: ExecutionRecord) => void): JournalLine[] {
  return journalLines({ executions: 100, spoil })
}

function without(index: number): JournalLine[] {
  return journalLines({ executions: 100 }).filter(
    (line) => line.type === 'finished' || line.type === 'run' || indexOf(line) !== index,
  )
}

function indexOf(line: JournalLine): number | null {
  if (line.type === 'ended') return line.record.index
  return 'index' in line ? line.index : null
}

const LOST_TWELVE = Array.from({ length: 12 }, (_, i) => i)

test.each<[string, JournalLine[]]>([
  [
    'lateness',
    withRecords(({ polls }) => {
      polls.lateMicros[0] = 40_000
    }),
  ],
  ['utilisation', withFinished(({ host }) => (host.utilisationSustained = 0.9))],
  ['little', withFinished(({ engine }) => (engine.inFlightIntegralMicros *= 1.2))],
  ['records', without(17)],
  ['records', instanceLines(0, { executions: 100, instances: 2 })],
  ['journal', withFinished(({ host }) => (host.journalErrors = 1))],
  ['clock', withFinished(({ host }) => (host.clockSteps = 1))],
  [
    'clock',
    [
      ...journalLines({ executions: 100 }),
      {
        type: 'incident',
        instance: 0,
        atMicros: 5,
        index: null,
        incident: { kind: 'clock-step', stepMs: 900 },
      },
    ],
  ],
])('invalid for %s, whatever was measured', (code, lines) => {
  const document = documentOf(lines)
  expect(document.verdict).toMatchObject({ outcome: 'invalid', valid: false })
  expect(codesOf(document)).toEqual([code])
  expect(document.verdict.reasons[0]?.remedy).not.toBe('')
  expect(document.generator.checks.filter(({ ok }) => !ok)).toHaveLength(1)
})

test('invalid for lines of the journal that could not be read', () => {
  expect(codesOf(documentOf(journalLines({ executions: 100 }), [], 1))).toEqual(['journal'])
})

test('records that are lost show in the residual of Little too', () => {
  const lines = LOST_TWELVE.reduce(
    (all, index) => all.filter((line) => line.type !== 'ended' || line.record.index !== index),
    journalLines({ executions: 100 }),
  )
  expect(codesOf(documentOf(lines))).toEqual(['little', 'records'])
})

test('the same journal twice is invalid, not twice the run', () => {
  const lines = journalLines({ executions: 100 })
  const twice = [...lines, ...lines.filter(({ type }) => type !== 'run' && type !== 'finished')]
  expect(codesOf(documentOf(twice))).toContain('records')
})

test.each([
  ['a host cannot know', null, 'unknown-host'],
  ['a short run cannot tell', 0.99, 'short-run'],
])('what %s is skipped, not failed', (_, utilisationMean, why) => {
  const document = documentOf(
    withFinished(({ host }) =>
      Object.assign(host, { utilisationSustained: null, utilisationMean }),
    ),
  )
  expect(document.verdict.outcome).toBe('passed')
  expect(document.generator.checks.find(({ name }) => name === 'utilisation')).toMatchObject({
    ok: true,
    measured: null,
    why,
  })
})

function withThreshold(metric: string, bound: number, executions = 100): JournalLine[] {
  return journalLines({ executions, plan: { thresholds: [testThreshold(metric, bound)] } })
}

/** What a reason says of the only threshold. */
function judgedFacts({ thresholds: [judged] }: ResultDocument) {
  const { metric, operator, written, bound, status, doubt, measured, next } = judged!
  return { metric, operator, written, bound, status, doubt, measured, next }
}

test('a missed threshold on valid data fails', () => {
  const document = documentOf(withThreshold('kickoff.response.p95', 2_000))
  expect(document.verdict).toMatchObject({ outcome: 'failed', valid: true })
  expect(document.verdict.reasons).toEqual([
    {
      ...judgedFacts(document),
      code: 'threshold',
      isEarly: false,
      next: { code: 'look' },
      message: 'kickoff.response.p95 is 3.00 ms, bound < 2000',
      remedy: expect.stringContaining('service time'),
    },
  ])
})

test('every threshold stands in the metrics, whatever it is', () => {
  const document = documentOf(withThreshold('status.service.p12.5', 1))
  expect(document.metrics['status.service.p12.5']).toEqual(document.thresholds[0]?.measured)
})

test('a bound inside the interval is inconclusive and says how many more it takes', () => {
  const document = documentOf(withThreshold('execution.p99', 60_000_000))
  expect(document.verdict.outcome).toBe('inconclusive')
  expect(document.verdict.reasons).toEqual([
    {
      ...judgedFacts(document),
      code: 'undecided',
      doubt: { kind: 'few', have: 100, needed: 368 },
      next: { code: 'run-longer', n: 100, length: expect.anything() as object },
      message: 'execution.p99 < 60000000 is undecided: 100 of 368 independent executions',
      remedy: expect.stringMatching(/^a run [\d.]+ times as long$/) as string,
    },
  ])
})

test('what nothing can measure is inconclusive', () => {
  const document = documentOf(withThreshold('inputs.response.p50', 1_000))
  expect(codesOf(document)).toEqual(['unmeasurable inputs.response.p50'])
})
