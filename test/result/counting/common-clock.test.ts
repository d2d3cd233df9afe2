/**
 * Several instances on one clock: what they tell is shifted by their anchors, and held against the
 * ledger there.
 */
import { expect, test } from 'vitest'
import type { ClockMapping } from '../../../src/result/clock.ts'
import type { ResultDocument } from '../../../src/result/document.ts'
import type { JournalLine, RunLine } from '../../../src/execution/record/journal-lines.ts'
import { CommonClock } from '../../../src/result/counting/common-clock.ts'
import { createRecorder } from '../../../src/result/counting/recorder.ts'
import {
  CONTEXT,
  LEDGER_CLOCK,
  executionRecord,
  instanceLines,
  journalLines,
  ledgerRow,
  runLine,
} from '../lines.ts'

const RUN = { executions: 200, instances: 2 }
const ZERO_UNIX_MS = runLine().anchorUnixMs
/** How much later than the first the second instance began. */
const LATER_MS = 2_500.25

function beganLater(changes: Partial<RunLine> = {}): JournalLine[] {
  const [, ...lines] = instanceLines(1, RUN)
  return [{ ...runLine(1, 2), anchorUnixMs: ZERO_UNIX_MS + LATER_MS, ...changes }, ...lines]
}

/** The second instance's anchor is 3 s off. */
function wrongly(anchorErrorMicros: number): JournalLine[] {
  const anchorUnixMs = ZERO_UNIX_MS + LATER_MS + 3_000
  return [...instanceLines(0, RUN), ...beganLater({ anchorUnixMs, anchorErrorMicros })]
}

/** What the ledger saw of executions that ran at their instance's time. */
function ledgerRows() {
  return Array.from({ length: RUN.executions }, (_, index) => {
    const row = ledgerRow(executionRecord(index))
    const later = index % 2 === 1 ? LATER_MS : 0
    return {
      ...row,
      accepted_ms: row.accepted_ms + later,
      started_ms: row.started_ms! + later,
      ended_ms: row.ended_ms! + later,
    }
  })
}

function documentOf(
  lines: readonly JournalLine[],
  clock: ClockMapping | null = null,
): ResultDocument {
  const recorder = createRecorder({ claims: clock !== null, zeroUnixMs: ZERO_UNIX_MS })
  for (const line of lines) recorder.record(line)
  const ledger = clock === null ? null : { rows: ledgerRows(), clock }
  const document = recorder.document({ ledger, ...CONTEXT })
  recorder.destroy()
  return document
}

test('every point in time of every line is shifted, and no length', () => {
  const clock = new CommonClock(ZERO_UNIX_MS)
  clock.began(beganLater()[0] as RunLine)
  const [run, started, accepted, ended] = instanceLines(1, RUN)
  const shift = LATER_MS * 1_000
  expect(clock.shifted(run!)).toBe(run)
  const later = (line: JournalLine): JournalLine => clock.shifted(line)
  expect(later(started!)).toEqual({
    ...started,
    intendedMicros: 100_000 + shift,
    atMicros: 100_100 + shift,
  })
  expect(later(accepted!)).toEqual({ ...accepted, atMicros: 103_000 + shift })
  const { record } = ended as Extract<JournalLine, { type: 'ended' }>
  const moved = later(ended!) as Extract<JournalLine, { type: 'ended' }>
  expect(moved.record.polls).toBe(record.polls)
  for (const key of ['intendedMicros', 'sentMicros', 'acceptedMicros', 'endedMicros'] as const) {
    expect(moved.record[key]! - record[key]!).toBe(shift)
  }
  expect(moved.record.lastNotDoneSentMicros! - record.lastNotDoneSentMicros!).toBe(shift)
  expect(moved.record.firstDoneReceivedMicros! - record.firstDoneReceivedMicros!).toBe(shift)
})

test('the ledger agrees with each instance on its own clock', () => {
  const lines = [...instanceLines(0, RUN), ...beganLater()]
  const { ledger, samples } = documentOf(lines, LEDGER_CLOCK)
  expect(ledger).toMatchObject({ agreed: 200, endIntervals: { checked: 200, contained: 200 } })
  for (const { record, trueEndMicros } of samples) {
    expect(trueEndMicros).toBeGreaterThan(record.lastNotDoneSentMicros!)
    expect(trueEndMicros).toBeLessThanOrEqual(record.firstDoneReceivedMicros! + 100)
  }
})

test('a mapping onto the clock of the instance that began last serves them all', () => {
  const clock = {
    ...LEDGER_CLOCK,
    anchorUnixMs: ZERO_UNIX_MS + LATER_MS,
    offsetMicros: LEDGER_CLOCK.offsetMicros - LATER_MS * 1_000,
  }
  const lines = [...instanceLines(0, RUN), ...beganLater()]
  expect(documentOf(lines, clock).ledger).toMatchObject({ agreed: 200, disagreements: [] })
})

test('an anchor that is off shows, but for what its instance said it may be', () => {
  const caught = documentOf(wrongly(0), LEDGER_CLOCK).ledger
  expect(caught?.disagreements).toMatchObject([{ kind: 'end-outside-interval', count: 100 }])
  const allowed = documentOf(wrongly(3_000_000), LEDGER_CLOCK).ledger
  expect(allowed).toMatchObject({ agreed: 200, clockErrorMs: 3_000.1 })
})

test('the run over time is told on one clock', () => {
  const together = documentOf(journalLines(RUN))
  const apart = documentOf([...instanceLines(0, RUN), ...beganLater()])
  expect(apart.run.durationMs - together.run.durationMs).toBeCloseTo(LATER_MS, 3)
  expect(apart.series.offered.reduce((a, b) => a + b)).toBe(200)
  expect(apart.series.offered.slice(0, 4)).toEqual([2, 1, 1, 1])
  expect(together.series.offered.slice(0, 4)).toEqual([3, 2, 3, 2])
  expect(apart.metrics['kickoff.response.p95']).toEqual(together.metrics['kickoff.response.p95'])
})
