/** The picture of the evidence: what stands above each other was sent together. */
import type { Chart, ChartTable } from '../../../../src/report/charts/chart.ts'
import { expect, test } from 'vitest'
import type { OperationLimit } from '../../../../src/study/limits/document.ts'
import { limits } from '../../../../src/study/limits/study.ts'
import { chartOf } from '../../../support/charts.ts'
import { answered, exactly } from '../sample-limits.ts'

const LIMIT = answered().operations.status!

function evidenceChart(status: OperationLimit, isRecorded = false): Chart {
  const { plan, operations, ...rest } = answered()
  const report = limits.report({
    ...rest,
    plan: { ...plan, from: isRecorded ? ['a run'] : [] },
    operations: { ...operations, status },
  })
  return chartOf(report, 'evidence-status')!
}

function limitWith(evidence: OperationLimit['evidence']): OperationLimit {
  return { ...LIMIT, kind: 'fixed-window', evidence }
}

/** Bursts of two and of three, two milliseconds apart, and a single request. */
const CLOSE = limitWith([
  { atMs: 0, burstMs: 0, answer: 'accepted' },
  { atMs: 0.3, burstMs: 0, answer: 'accepted' },
  { atMs: 2, burstMs: 2, answer: 'accepted' },
  { atMs: 2, burstMs: 2, answer: 'refused' },
  { atMs: 2.4, burstMs: 2, answer: 'failed' },
  { atMs: 3, answer: 'refused' },
])

function heights(limit: OperationLimit, isRecorded: boolean): number[] {
  const [panel] = evidenceChart(limit, isRecorded).panels
  return panel!.points!.flatMap(({ points }) => points.map(({ y }) => y)).sort((a, b) => a - b)
}

test('bursts that follow each other closely are not drawn as one', () => {
  expect(heights(CLOSE, false)).toEqual([1, 1, 1, 2, 2, 3])
  const { table, caption } = evidenceChart(CLOSE)
  expect((table as ChartTable).rows.map(([, , sent]) => sent)).toEqual(['2', '3', '1'])
  expect(caption).toContain('sent together stand above each other')
  expect(caption).toContain('grey ones failed')
})

test('of recorded runs, requests within a tenth of a second are, and the caption says so', () => {
  expect(heights(CLOSE, true)).toEqual([1, 2, 3, 4, 5, 6])
  const { caption } = evidenceChart(CLOSE, true)
  expect(caption).toContain('sent within 100 ms of each other stand above each other')
})

/** Three a second, and one more that is refused, twice. */
const WINDOW: OperationLimit = {
  ...LIMIT,
  kind: 'sliding-log',
  limit: exactly(3),
  windowMs: exactly(1_000),
  evidence: [0, 100, 200, 300, 1_050, 1_060].map((atMs, i) => ({
    atMs,
    answer: i === 3 || i === 5 ? ('refused' as const) : ('accepted' as const),
  })),
}

test('the limit is a line, with what it let in below and what it refused above', () => {
  const [panel] = evidenceChart(WINDOW).panels
  expect(panel!.y.title).toBe('Requests within 1.00 s')
  const [accepted, refused] = panel!.points!.map(({ points }) => points.map(({ y }) => y))
  expect({ accepted, refused }).toEqual({ accepted: [1, 2, 3, 3], refused: [4, 4] })
  expect(panel!.lines).toMatchObject([
    { name: 'limit 3', color: 'ink', points: [{ y: 3 }, { x: 1_060, y: 3 }] },
  ])
})

test('a limit that headers claim is amber, and one far above is only named', () => {
  const claimed = {
    ...WINDOW,
    headers: { ...answered().operations.inputs!.headers!, usedUp: false },
  }
  const [panel] = evidenceChart(claimed).panels
  expect(panel!.lines).toMatchObject([{ name: 'claimed 3', color: 'response' }])
  const far = evidenceChart({ ...WINDOW, limit: exactly(3_000) })
  expect(far.panels[0]!.lines).toEqual([])
  expect(far.caption).toContain('The limit, 3,000, lies far above the picture.')
})
