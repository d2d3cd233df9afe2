/** From the lines of runs that ended before their plan did to what is said of them. */
import type { EndReason, StopReason } from '../../../src/execution/record/reason.schema.ts'
import { describe, expect, test } from 'vitest'
import type { RunNote } from '../../../src/execution/record/notes.ts'
import type { ResultDocument } from '../../../src/result/document.ts'
import { estimateMetric } from '../../../src/result/metrics/estimate-metric.ts'
import { emptyColumns } from '../../../src/execution/record/columns.ts'
import { isUnsent } from '../../../src/execution/machine.ts'
import type { ExecutionRecord, Outcome } from '../../../src/execution/record/record.ts'
import { createRecorder } from '../../../src/result/counting/recorder.ts'
import { documentOf, journalLines } from '../lines.ts'
import { codesOf, spent, stopped } from '../../support/reasons.ts'
import { runFile, runTerminal } from '../../support/run-shown.ts'
import type { Threshold } from '../../../src/scenario/plan.ts'
import { testBound, testThreshold } from '../../support/plan.ts'

interface Cut {
  outcome: Outcome
  reason: EndReason
}

/** A run of 60 in which the arrivals from `from` on came to nothing. */
function cutRun(
  from: number,
  cutOf: (index: number) => Cut,
  how: 'drained' | 'now' | null = null,
  thresholds: Threshold[] = [],
  notes: readonly RunNote[] = [],
): ResultDocument {
  const spoil = (record: ExecutionRecord): void => {
    if (record.index < from) return
    const cut = cutOf(record.index)
    Object.assign(record, cut, { firstDoneReceivedMicros: null })
    if (isUnsent(cut.outcome)) {
      Object.assign(record, { sentMicros: null, acceptedMicros: null, kickoffId: null })
      Object.assign(record, { kickoff: emptyColumns(), polls: emptyColumns() })
    }
  }
  const lines = journalLines({ executions: 60, spoil, plan: { thresholds } })
  for (const line of lines) {
    if (line.type === 'finished')
      Object.assign(line, { stopped: how, stopReason: stopReasonOf(cutOf(from)) })
  }
  const place = { type: 'incident', instance: 0, atMicros: 0, index: null } as const
  return documentOf([
    ...lines,
    ...notes.map((note) => ({ ...place, incident: { kind: 'note' as const, note } })),
  ])
}

/** What the engine was told, out of the reason that it gives to what it did not send. */
function stopReasonOf({ reason }: Cut): StopReason {
  return reason.code === 'stopped' ? reason.stop : { code: 'asked', why: 'stopped' }
}

function threshold(metric: string, bound: number, text: string): Threshold {
  return testThreshold(metric, bound, { ...testBound(text), abortEarly: true })
}

function unreached(reason: EndReason): () => Cut {
  return () => ({ outcome: 'notReached', reason })
}

const TERMINAL = { color: false, width: 120, reportPath: null }

function texts(document: ResultDocument): string[] {
  return [runTerminal(document, TERMINAL), runFile(document, 'summary.md')]
}

const BUDGET = { code: 'budget', arrivals: 60, isPart: false, notFollowed: 0, spent: null }

describe('a budget that was spent', () => {
  const document = cutRun(5, unreached(spent('kickoff')))

  test('is inconclusive, and says how much of the plan was sent', () => {
    expect(document.verdict.outcome).toBe('inconclusive')
    expect(document.verdict.reasons).toEqual([
      {
        ...BUDGET,
        budget: 'kickoff',
        sent: 5,
        notSent: 55,
        message: 'the kickoff budget was spent: 5 of 60 arrivals sent',
        remedy: 'raise --max-kickoffs, or lower the arrivals',
      },
    ])
  })

  test('calls nothing an execution that was never sent', () => {
    for (const text of texts(document)) {
      expect(text).toContain('60 arrivals, 5 executed')
      expect(text).not.toContain('60 executions')
    }
  })

  test('fails where a threshold is missed', () => {
    const missed = [threshold('kickoff.response.p50', 2_000, '< 2ms')]
    const document = cutRun(20, unreached(spent('kickoff')), null, missed)
    expect(document.verdict.outcome).toBe('failed')
    expect(codesOf(document)).toEqual(['threshold kickoff.response.p50', 'budget'])
  })

  test('of requests tells what was not sent and what was not followed', () => {
    const { verdict } = cutRun(40, (index) => ({
      outcome: index < 50 ? 'aborted' : 'notReached',
      reason: spent('request'),
    }))
    expect(verdict.reasons[0]).toEqual({
      ...BUDGET,
      budget: 'request',
      sent: 50,
      notSent: 10,
      notFollowed: 10,
      message:
        'the request budget was spent: 50 of 60 arrivals sent, 10 executions not followed to the end',
      remedy: 'raise --max-requests, or poll less often',
    })
    const unfollowed = cutRun(59, () => ({ outcome: 'aborted', reason: spent('request') }))
    expect(unfollowed.verdict.reasons[0]?.message).toBe(
      'the request budget was spent: 1 execution not followed to the end',
    )
  })

  test('of which each had a part is told as such', () => {
    const share = unreached(spent('kickoff', true))
    const note = { code: 'budget-spent', budget: 'kickoff', isPart: true } as const
    const { verdict } = cutRun(5, share, null, [], [note])
    expect(verdict.reasons[0]).toEqual({
      ...BUDGET,
      budget: 'kickoff',
      isPart: true,
      sent: 5,
      notSent: 55,
      message: 'a part of the kickoff budget was spent: 5 of 60 arrivals sent',
      remedy:
        'raise --max-kickoffs, or lower the arrivals; k6 splits a budget into equal, fixed shares',
    })
  })

  test('tells alone why nothing completed', () => {
    const { verdict } = cutRun(0, unreached(spent('request')))
    expect(verdict.reasons.map(({ code }) => code)).toEqual(['budget'])
    const rejected = cutRun(0, (index) =>
      index === 0
        ? { outcome: 'rejected', reason: { code: 'answer', answer: 500 } }
        : { outcome: 'notReached', reason: spent('kickoff') },
    )
    expect(rejected.verdict.reasons.map(({ code }) => code)).toEqual([
      'budget',
      'nothing-completed',
    ])
  })

  test('shows by its note alone where it refused but a second try', () => {
    const note = { code: 'budget-spent', budget: 'kickoff', isPart: false } as const
    const line = { type: 'incident', instance: 0, atMicros: 9, index: null } as const
    const lines = [
      ...journalLines({ executions: 60 }),
      { ...line, incident: { kind: 'note' as const, note } },
    ]
    expect(documentOf(lines).verdict).toMatchObject({
      outcome: 'inconclusive',
      reasons: [
        { code: 'budget', message: 'the kickoff budget was spent: a kickoff was not retried' },
      ],
    })
    expect(documentOf(lines).findings).toEqual([])
  })
})

describe('a run that a threshold stopped early', () => {
  const stop = { code: 'threshold', metric: 'execution.p50', ...testBound('< 2ms') } as const
  const reason = { code: 'stopped', when: 'unsent', stop } as const
  const watched = threshold('execution.p50', 2_000, '< 2ms')

  test('fails by that threshold first, and is not called interrupted', () => {
    const other = threshold('kickoff.response.p50', 1_000, '< 1ms')
    const document = cutRun(30, unreached(reason), 'drained', [other, watched])
    const { verdict } = document
    expect(verdict.outcome).toBe('failed')
    expect(codesOf(document)).toEqual(['threshold execution.p50', 'threshold kickoff.response.p50'])
    expect(verdict.reasons[0]?.message).toMatch(
      /^execution\.p50 is [\d,]+ ms, bound < 2 ms, and it stopped the run early$/,
    )
    expect(verdict.reasons.map(({ remedy }) => remedy).join()).not.toContain('let it run')
  })

  test('fails even where the drain brought the value back, and shows why', () => {
    const met = threshold('execution.p50', 60_000_000, '< 2ms')
    const document = cutRun(30, unreached(reason), 'drained', [met])
    expect(document.thresholds[0]?.status).toBe('met')
    expect(document.verdict.outcome).toBe('failed')
    expect(document.verdict.reasons.map(({ message }) => message)).toEqual([
      'execution.p50 < 2 ms could no longer be met, and it stopped the run early',
    ])
    expect(runTerminal(document, TERMINAL)).toContain(
      '! execution.p50 < 2 ms could no longer be met',
    )
  })

  test('names it where the extent is told', () => {
    const document = cutRun(30, unreached(reason), 'drained', [watched])
    expect(runTerminal(document, TERMINAL)).toContain(
      '60 arrivals, 30 executed, stopped early by execution.p50 < 2ms and drained',
    )
  })
})

describe('a drain that ran out', () => {
  const document = cutRun(
    50,
    (index) =>
      index < 53
        ? { outcome: 'aborted', reason: stopped('drained') }
        : { outcome: 'notReached', reason: stopped('unsent') },
    'now',
  )

  test('is not called a stop at once', () => {
    for (const text of texts(document)) {
      expect(text).toContain('drained; 3 had not ended in time')
      expect(text).not.toContain('at once')
    }
  })

  test('tells what may still cost money, but on a fake crew', () => {
    const { findings, run } = document
    expect(run.place.kind).toBe('deployment')
    expect(findings).toContainEqual({
      code: 'aborted-left',
      severity: 'warning',
      executions: 3,
      message: '3 aborted executions may still be running on the target and costing money',
    })
  })

  test('gives those not reached and aborted plain counts, and the rest its own base', () => {
    const [terminal, markdown] = texts(document)
    expect(terminal).toContain('completed 50 (100 % of 50), not reached 7, aborted 3')
    expect(markdown).toContain('completed 50 (100 % of 50), not reached 7, aborted 3')
  })
})

describe('a crash', () => {
  const lines = journalLines({ executions: 11 })
  const started = lines.filter(({ type }) => type !== 'finished' && type !== 'ended')

  test('tells of what was in flight, and what follows it to its end', () => {
    const document = documentOf(started)
    expect(document.verdict.reasons.at(-1)).toEqual({
      code: 'crashed',
      cut: { numbers: [0], count: 1, of: 1 },
      atMs: document.run.durationMs,
      inFlight: 11,
      unanswered: 0,
      isOwnCrew: false,
      message: expect.stringMatching(/^the run was cut after .* s: 11 executions in flight$/),
      remedy: 'continue them with crewload resume',
    })
    for (const text of texts(document)) {
      expect(text).not.toMatch(/measured window|warm-up/)
    }
    expect(runTerminal(document, TERMINAL)).toContain('0 executions ended before it was cut')
  })

  test('tells kickoffs that had no answer from executions in flight', () => {
    const unanswered = started.filter((line) => line.type !== 'accepted' || line.index < 9)
    const { verdict, findings } = documentOf(unanswered)
    expect(verdict.reasons.at(-1)?.message).toMatch(
      /: 9 executions in flight, 2 kickoffs unanswered$/,
    )
    expect(findings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^9 executions accepted but not ended, first id-0\. Continue/),
      expect.stringMatching(/^2 kickoffs not answered before the cut may have/),
    ])
  })

  test('before the first kickoff leaves nothing to look after', () => {
    expect(documentOf(lines.slice(0, 1)).verdict.reasons.at(-1)).toMatchObject({
      message: expect.stringMatching(/^the run was cut after .*: 0 executions in flight$/),
      remedy: 'run again',
    })
  })
})

test('the detection delay is not known before the ledger is', () => {
  const [polls, ledger] = [createRecorder(), createRecorder({ claims: true })]
  for (const line of journalLines({ executions: 100 })) {
    polls.record(line)
    ledger.record(line)
  }
  const [byPolls, byLedger] = [polls, ledger].map((recorder) => recorder.standing().observations)
  expect(estimateMetric('detectionDelay.p50', byPolls!).value).not.toBeNull()
  for (const name of ['detectionDelay.p50', 'detectionDelay.max']) {
    expect(estimateMetric(name, byLedger!)).toMatchObject({
      value: null,
      low: null,
      high: null,
      n: 0,
    })
  }
  expect(estimateMetric('execution.p50', byLedger!)).toEqual(
    estimateMetric('execution.p50', byPolls!),
  )
  polls.destroy()
  ledger.destroy()
})
