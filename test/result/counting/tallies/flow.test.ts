/** The peak in flight against a count of every moment. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRandom } from '../../../../src/base/random.ts'
import { FlowTally } from '../../../../src/result/counting/tallies/flow.ts'
import { documentOf, executionRecord, instanceLines, journalLines } from '../../lines.ts'

type Span = [accepted: number, ended: number]

/** Ends before acceptances of the same microsecond. */
function peakOf(spans: readonly Span[]): number {
  const changes = spans.flatMap(([accepted, ended]) => [
    { at: accepted, by: 1 },
    { at: ended, by: -1 },
  ])
  changes.sort((a, b) => a.at - b.at || a.by - b.by)
  let level = 0
  return changes.reduce((peak, { by }) => Math.max(peak, (level += by)), 0)
}

function tallyOf(spans: readonly Span[], mostCells = 1_000): FlowTally {
  const tally = new FlowTally(mostCells)
  for (const [acceptedMicros, endedMicros] of spans) {
    tally.record({ ...executionRecord(0), acceptedMicros, endedMicros })
  }
  return tally
}

const span = fc
  .tuple(fc.integer({ min: -50, max: 1_000 }), fc.integer({ min: 1, max: 300 }))
  .map(([from, length]): Span => [from, from + length])

test('is exact while there are few', () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 60 }), (spans) => {
      const peak = peakOf(spans)
      expect(tallyOf(spans).peak([])).toEqual({ least: peak, most: peak })
    }),
    { seed: 7, numRuns: 300 },
  )
})

test('is held between two bounds when there are many, the same in any order', () => {
  const random = createRandom(11)
  const spans = Array.from({ length: 10_000 }, (): Span => {
    const from = random.int(40_000_000)
    return [from, from + 1 + random.int(20_000_000)]
  })
  const peak = tallyOf(spans, 8_000).peak([])
  const truth = peakOf(spans)
  expect(peak.least).toBeLessThanOrEqual(truth)
  expect(peak.most).toBeGreaterThanOrEqual(truth)
  expect((peak.most - peak.least) / truth).toBeLessThan(0.01)
  expect(tallyOf(spans.toReversed(), 8_000).peak([])).toEqual(peak)
})

test('what never ended is in flight to the last', () => {
  expect(tallyOf([[10, 20]]).peak([15, 15])).toEqual({ least: 3, most: 3 })
})

test('of several instances it is what they had at one moment, not the sum of their peaks', () => {
  const run = { executions: 300, instances: 2 }
  const spans = journalLines(run).flatMap((line): Span[] =>
    line.type === 'ended' ? [[line.record.acceptedMicros!, line.record.endedMicros]] : [],
  )
  const { metrics } = documentOf(journalLines(run))
  const peak = peakOf(spans)
  expect(peak).toBeLessThan(40)
  expect(metrics['inFlight.max']).toMatchObject({ value: peak, low: null, high: null })
})

test('of a run that crashed it is known too', () => {
  const lines = instanceLines(0, { executions: 300 })
  const { metrics } = documentOf(lines.filter(({ type }) => type !== 'finished'))
  expect(metrics['inFlight.max']?.value).toBeGreaterThan(15)
})
