import { afterEach, describe, expect, test } from 'vitest'
import { estimateMetric } from '../../../src/result/metrics/estimate-metric.ts'
import { finite } from '../../../src/result/statistics/quantiles.ts'
import type { JournalLine } from '../../../src/execution/record/journal-lines.ts'
import type { Recorder } from '../../../src/result/counting/recorder.ts'
import { emptyColumns } from '../../../src/execution/record/columns.ts'
import { createRecorder } from '../../../src/result/counting/recorder.ts'
import { TimelineRecorder } from '../../../src/result/counting/tallies/timeline.ts'
import {
  CONTEXT,
  LEDGER_CLOCK,
  documentOf,
  executionRecord,
  journalLines,
  ledgerRow,
  ledgerRows,
  runLine,
  shuffle,
} from '../lines.ts'
import { waitLabel } from '../../../src/report/run/sections/waits/rows.ts'
import { crewSaid, spent } from '../../support/reasons.ts'

const recorders: Recorder[] = []

afterEach(() => {
  for (const recorder of recorders.splice(0)) recorder.destroy()
})

function recorderOf(lines: readonly JournalLine[], claims = false): Recorder {
  const recorder = createRecorder({ claims })
  recorders.push(recorder)
  for (const line of lines) recorder.record(line)
  return recorder
}

describe('a clean run', () => {
  const lines = journalLines({ executions: 400 })

  test('passes and adds up', () => {
    const document = documentOf(lines)
    expect(document.verdict).toMatchObject({ outcome: 'passed', valid: true, reasons: [] })
    expect(document.arrivals).toBe(400)
    expect(Object.values(document.outcomes).reduce((a, b) => a + b)).toBe(400)
    expect(document.generator.checks.every(({ ok, measured }) => ok && measured !== null)).toBe(
      true,
    )
  })

  test('has response time from the intended moment and service time from the first byte', () => {
    const { metrics } = documentOf(lines)
    expect(metrics['kickoff.response.max']?.value).toBe(3)
    expect(metrics['kickoff.service.max']?.value).toBe(2.85)
  })

  test('gives the same document in whatever order its lines come', () => {
    const shuffled = shuffle(lines)
    expect(documentOf(shuffled)).toEqual(documentOf(lines))
  })

  test('measures a threshold while it runs as it does at the end', () => {
    const recorder = recorderOf(lines)
    const live = estimateMetric('execution.p95', recorder.standing().observations)
    expect(live).toEqual(recorder.document({ ledger: null, ...CONTEXT }).metrics['execution.p95'])
  })

  test('may be documented twice', () => {
    const recorder = recorderOf(lines)
    const first = recorder.document({ ledger: null, ...CONTEXT })
    expect(recorder.document({ ledger: null, ...CONTEXT })).toEqual(first)
  })

  test('has metrics for each tag', () => {
    const { tags } = documentOf(lines)
    expect(Object.keys(tags)).toEqual(['topic=ai', 'topic=law'])
    expect(tags['topic=ai']?.['outcome.completed']).toMatchObject({ value: 1, n: 200 })
  })
})

test('warm-up arrivals run and do not count', () => {
  const document = documentOf(
    journalLines({
      executions: 400,
      spoil: (record) => {
        record.warmUp = record.index < 100
      },
    }),
  )
  expect(document.arrivals).toBe(300)
  expect(document.warmUpArrivals).toBe(100)
  expect(document.metrics['kickoff.service.max']?.n).toBe(300)
  expect(document.verdict.valid).toBe(true)
  expect(document.series.offered.reduce((a, b) => a + b)).toBe(400)
})

test('executions that never ended are censored, not left out', () => {
  const document = documentOf(
    journalLines({
      executions: 400,
      spoil: (record) => {
        if (record.index % 4 !== 0) return
        record.outcome = 'stuck'
        record.endedMicros = record.intendedMicros + 60_000_000
        record.firstDoneReceivedMicros = null
      },
    }),
  )
  expect(document.distributions['execution']).toMatchObject({ n: 400, censored: 100 })
  expect(document.metrics['execution.p90']).toMatchObject({ value: null, low: 60_000, n: 400 })
  expect(document.metrics['execution.completed.p90']?.value).toBeLessThan(4_000)
})

test('a crash leaves its open executions censored and the run invalid', () => {
  const lines = journalLines({ executions: 60 })
  const cut = lines.filter(
    (line) => line.type !== 'finished' && (line.type !== 'ended' || line.record.index < 50),
  )
  const document = documentOf(cut)
  expect(document.run.stopped).toBe('crashed')
  expect(document.verdict.outcome).toBe('invalid')
  expect(document.distributions['execution']).toMatchObject({ n: 60, censored: 10 })
  expect(document.findings[0]?.message).toMatch(
    /^10 executions accepted but not ended, first id-50/,
  )
})

test('an end that the first poll saw lies after the kickoff was sent', () => {
  const document = documentOf(
    journalLines({
      executions: 60,
      spoil: (record) => {
        record.lastNotDoneSentMicros = null
        record.firstDoneReceivedMicros = record.sentMicros! + 700_000
      },
    }),
  )
  expect(document.metrics['detectionDelay.max']).toMatchObject({ value: 700, n: 60 })
})

test('dropped and aborted arrivals stand aside, but for their own shares', () => {
  const document = documentOf(
    journalLines({
      executions: 100,
      spoil: (record) => {
        if (record.index < 50) record.outcome = record.index < 40 ? 'aborted' : 'failed'
      },
    }),
  )
  expect(document.metrics['outcome.failed']).toMatchObject({ value: 10 / 60, n: 60 })
  expect(document.metrics['outcome.aborted']).toMatchObject({ value: 0.4, n: 100 })
  expect(document.metrics['execution.failed']).toMatchObject({ value: 10 / 60 })
})

test('a time-out is a response that had not come yet', () => {
  const document = documentOf(
    journalLines({
      executions: 100,
      spoil: ({ index, kickoff }) => {
        if (index % 5 > 0) return
        kickoff.answer[0] = 'timeout'
        kickoff.serviceMicros[0] = 30_000_000
      },
    }),
  )
  expect(document.metrics['kickoff.attempt.p50']?.value).toBe(3)
  expect(document.metrics['kickoff.attempt.p90']).toMatchObject({ value: null })
  expect(document.metrics['kickoff.attempt.p90']?.low).toBeGreaterThan(29_000)
  expect(document.metrics['kickoff.error']?.value).toBe(0.2)
  expect(document.errors).toMatchObject([{ operation: 'kickoff', answer: 'timeout', count: 20 }])
})

test('a retry is what was sent again, not what its interval paces after an error', () => {
  const document = documentOf(
    journalLines({
      executions: 100,
      spoil: ({ index, kickoff, polls }) => {
        kickoff.retry[0] = index < 10 ? 1 : 0
        polls.answer[0] = 503
      },
    }),
  )
  const { value, n } = document.metrics['retries.ratio']!
  expect(n).toBe(document.generator.requests - 10)
  expect(value).toBe(10 / n)
})

test('the ledger replaces the bound on the detection delay by the truth', () => {
  const lines = journalLines({ executions: 200 })
  const recorder = recorderOf(lines, true)
  const rows = ledgerRows(200)
  const bound = recorder.document({ ledger: null, ...CONTEXT })
  const truth = recorder.document({ ledger: { rows, clock: LEDGER_CLOCK }, ...CONTEXT })
  expect(truth.ledger).toMatchObject({ rows: 200, agreed: 200, disagreements: [] })
  expect(truth.ledger?.endIntervals).toEqual({ checked: 200, contained: 200 })
  expect(truth.polling.detectionSource).toBe('ledger')
  expect(finite(truth.metrics['detectionDelay.p50']!.value)!).toBeLessThan(
    finite(bound.metrics['detectionDelay.p50']!.value)!,
  )
  expect(truth.samples[0]?.ledger?.kickoff_id).toBe(truth.samples[0]?.record.kickoffId)
})

test("a tag's detection delay is the ledger's where the headline's is", () => {
  const recorder = recorderOf(journalLines({ executions: 200 }), true)
  const rows = ledgerRows(200)
  for (const ledger of [{ rows, clock: LEDGER_CLOCK }, null]) {
    const { metrics, tags } = recorder.document({ ledger, ...CONTEXT })
    const longest = Object.values(tags).map((tag) => tag['detectionDelay.max']!)
    expect(longest.map(({ n }) => n)).toEqual([100, 100])
    expect(Math.max(...longest.map(({ value }) => finite(value)!))).toBe(
      metrics['detectionDelay.max']?.value,
    )
  }
})

test('the parts of a breakdown add up to its whole', () => {
  const rows = ledgerRows(200)
  const recorder = recorderOf(journalLines({ executions: 200 }), true)
  for (const ledger of [null, { rows, clock: LEDGER_CLOCK }]) {
    const { breakdown } = recorder.document({ ledger, ...CONTEXT })
    expect(breakdown.map(({ at }) => at)).toEqual(['p50', 'p95'])
    for (const { totalMs, parts } of breakdown) {
      expect(parts.reduce((sum, { ms }) => sum + ms, 0)).toBeCloseTo(totalMs, 1)
    }
  }
})

test('a task called as another part of a breakdown is a part of its own', () => {
  const rows = ledgerRows(200)
  for (const task of rows.flatMap(({ tasks }) => tasks)) task.task_id = 'queue'
  const recorder = recorderOf(journalLines({ executions: 200 }), true)
  const { breakdown } = recorder.document({ ledger: { rows, clock: LEDGER_CLOCK }, ...CONTEXT })
  const parts = new Map(breakdown[0]!.parts.map(({ part, ms }) => [part, ms]))
  expect(parts.get('task')).toBeGreaterThan(2 * parts.get('queue')!)
})

test('a quantile of a distribution has the interval of the metric of that name', () => {
  const { metrics, distributions } = documentOf(journalLines({ executions: 2_000 }))
  const pairs = Object.entries(distributions).flatMap(([name, { quantiles }]) =>
    quantiles.flatMap(({ q, value, low, high }) => {
      const metric = metrics[`${name}.p${q * 100}`]
      return metric === undefined ? [] : { name, q, metric, point: { value, low, high } }
    }),
  )
  expect(pairs.length).toBeGreaterThan(15)
  for (const { name, q, metric, point } of pairs) {
    expect({ name, q, ...metric }).toMatchObject({ name, q, ...point })
  }
})

test('the executions shown are the slowest, the failed and three at random, each once', () => {
  const document = documentOf(
    journalLines({
      executions: 100,
      spoil: (record) => {
        if (record.index % 10 === 0) record.outcome = 'failed'
      },
    }),
  )
  const shown = document.samples.map(({ record }) => record.index)
  expect(new Set(shown).size).toBe(shown.length)
  expect(document.samples.filter(({ why }) => why === 'random')).toHaveLength(3)
  expect(document.samples.filter(({ why }) => why === 'slowest')).toHaveLength(5)
})

test('reasons are ranked, and what is too many is counted as other', () => {
  const document = documentOf(
    journalLines({
      executions: 100,
      spoil: (record) => {
        record.outcome = 'failed'
        record.reason = crewSaid(record.index < 60 ? 'quota' : `reason ${record.index}`)
      },
    }),
  )
  expect(document.reasons.failed).toHaveLength(21)
  expect(document.reasons.failed?.[0]).toEqual({ reason: crewSaid('quota'), count: 60 })
  expect(document.reasons.failed?.at(-1)).toEqual({ reason: null, count: 21 })
})

test('a broken rule is told with its first example, wherever it was seen', () => {
  const document = documentOf([
    ...journalLines({
      executions: 40,
      spoil: (record) => {
        if (record.index < 10) return
        record.violations = [{ rule: 'terminal-state-is-final', example: `seen ${record.index}` }]
      },
    }),
    {
      type: 'incident',
      instance: 0,
      atMicros: 1,
      index: 3,
      incident: {
        kind: 'violation',
        violation: { rule: 'terminal-state-is-final', example: 'early' },
      },
    },
  ])
  expect(document.contract).toMatchObject({
    rules: [{ rule: 'terminal-state-is-final', count: 31, example: { index: 3, seen: 'early' } }],
  })
})

test('in flight rises with acceptances, falls with ends, and ends at zero', () => {
  const { series } = documentOf(journalLines({ executions: 400 }))
  expect(Math.max(...series.inFlight)).toBeGreaterThan(15)
  expect(series.inFlight.at(-1)).toBe(0)
  expect(series.offered.length).toBe(series.executionP50Ms.length)
  expect(series.heat.counts.flat().reduce((a, b) => a + b)).toBe(400)
})

test('a document needs the line of a run', () => {
  expect(() => documentOf([])).toThrow('run line')
  expect(documentOf([runLine()]).run.stopped).toBe('crashed')
})

describe('when arrivals were no longer sent', () => {
  const lines = journalLines({
    executions: 60,
    spoil: (record) => {
      if (record.index < 40) return
      const unsent = { outcome: 'notReached', reason: spent('kickoff'), sentMicros: null }
      const endedMicros = 41_000_000 + (record.index % 7)
      Object.assign(record, unsent, { acceptedMicros: null, kickoffId: null, endedMicros })
      Object.assign(record, { kickoff: emptyColumns(), polls: emptyColumns() })
    },
  })

  test('is when the first of them was given up, in whatever order the lines come', () => {
    const tallies = [lines, shuffle(lines)].map((all) => {
      const timeline = new TimelineRecorder()
      for (const line of all) if (line.type === 'ended') timeline.execution(line.record)
      return timeline.firstUnreachedMicros
    })
    expect(tallies).toEqual([41_000_000, 41_000_000])
    expect(new TimelineRecorder().firstUnreachedMicros).toBeNull()
  })

  test('what comes later is no offered load', () => {
    const { series } = documentOf(lines)
    expect(series.offered.reduce((sum, count) => sum + count, 0)).toBe(40)
    expect(series.ended.reduce((sum, count) => sum + count, 0)).toBe(40)
  })
})

const reporting = (index: number): ReturnType<typeof executionRecord> => ({
  ...executionRecord(index),
  reported: { executionTimeSeconds: index === 0 ? null : 2, tasks: [] },
  outcome: index === 1 ? 'failed' : 'completed',
  warmUp: index === 2,
})

describe('how long executions were at work', () => {
  const lines: JournalLine[] = [
    runLine(),
    ...Array.from({ length: 8 }, (_, i): JournalLine => ({ type: 'ended', record: reporting(i) })),
  ]

  test('is told as the crew reports it, of completed executions of the window', () => {
    const document = documentOf(lines)
    expect(waitLabel('running', document)).toBe('running, as the crew reports')
    expect(document.distributions['running']).toMatchObject({ n: 5, mean: 2_000 })
  })

  test('is told by the ledger alone where there is one', () => {
    const rows = Array.from({ length: 8 }, (_, i) => ledgerRow(reporting(i)))
    const ledger = { rows, clock: LEDGER_CLOCK }
    const document = recorderOf(lines, true).document({ ledger, ...CONTEXT })
    expect(waitLabel('running', document)).toBe('running')
    expect(document.distributions['running']!.mean).not.toBe(2_000)
  })
})
