/** What figures of a search claim, what they leave to chance, and what they leave out. */
import { expect, test } from 'vitest'
import type { CapacityDocument } from '../../../../src/study/capacity/document.ts'
import type { Chart, ChartTable } from '../../../../src/report/charts/chart.ts'
import { capacity } from '../../../../src/study/capacity/study.ts'
import { chartOf } from '../../../support/charts.ts'
import { SAMPLES } from '../sample-capacities.ts'

const full = { mean: 100_000, n: 3_000 }

test.each([
  [
    { mean: 98_000, n: 80 },
    1,
    'about as long in a full crew as in a half-empty one; chance may explain the difference',
  ],
  [{ mean: 60_000, n: 80 }, 1, '66.7 % longer while the crew is full'],
  [{ mean: 98_000, n: 3_000 }, 0.1, '2.04 % longer while the crew is full'],
  [{ mean: 160_000, n: 80 }, 1, '37.5 % less while the crew is full'],
])('against %o with a variation of %d, executions take %s', (idle, cv, words) => {
  const document = SAMPLES['answered']!()
  const [whole] = document.model!.service
  const service = [
    { ...whole!, full: { ...whole!.full, ...full }, idle: { ...whole!.idle!, ...idle } },
  ]
  const report = capacity.report({ ...document, model: { ...document.model!, service, cv } })
  expect(chartOf(report, 'service')!.heading).toBe(`Executions take ${words}`)
})

function ladderChart(document: CapacityDocument): Chart {
  return chartOf(capacity.report(document), 'ladder')!
}

type Rung = CapacityDocument['ladder'][number]

function rung(clients: number, executions: number, perHour: number): Rung {
  return {
    clients,
    executions,
    perHour,
    running: clients,
    waited: 0,
    stay: null,
    littleResidual: null,
    failed: 0,
    refused: 0,
    kickoffMs: null,
    pollMs: null,
  }
}

test('rungs of as many clients are one point, and one without a second execution is none', () => {
  const ladder = [
    rung(8, 24, 120),
    rung(2, 6, 60),
    rung(32, 32, 50),
    rung(8, 8, 40),
    rung(8, 72, 90),
  ]
  const { panels, table } = ladderChart(behindCap({ ladder }))
  expect(panels[0]!.lines[0]!.points).toMatchObject([
    { x: 2, y: 60 },
    // 24 in 12 minutes and 72 in 48.
    { x: 8, y: 96 },
  ])
  expect((table as ChartTable).rows.map(([, executions]) => executions)).toEqual(['6', '96'])
})

/** Eight workers whose executions take 30 s full, 15 s alone, behind a cap of 1,000 an hour. */
function behindCap(change: Partial<CapacityDocument> = {}): CapacityDocument {
  const document = SAMPLES['answered']!()
  const [whole, ...tasks] = document.model!.service
  const slots = { value: 8, low: 8, high: 8 }
  const service = [{ ...whole!, full: { ...whole!.full, mean: 30_000 } }, ...tasks]
  return {
    ...document,
    ladder: [1, 2, 4, 8, 11, 12, 16].map((clients) => rung(clients, 40, 60 * clients)),
    model: { ...document.model!, slots, service },
    sharedPerHour: { value: 1_000, low: 950, high: 1_050 },
    limit: {
      kind: 'shared',
      slowdown: { value: 2, low: 1.9, high: 2.1 },
      tasks: [],
      unseenAbovePerHour: null,
    },
    ...change,
  }
}

const namesIn = (document: CapacityDocument): string[] =>
  ladderChart(document).panels[0]!.lines.map(({ name }) => name)

test('the ladder shows what the workers allow and what is shared as lines, each named', () => {
  const chart = ladderChart(behindCap())
  // 8 workers, each with one execution every 15 s.
  expect(namesIn(behindCap())).toEqual([
    'ended per hour',
    'what the workers allow: about 1,900',
    'what all executions share allows: 1,000',
  ])
  expect(chart.panels[0]!.lines.map(({ points }) => points.at(-1)!.y)).toEqual([960, 1_920, 1_000])
  expect(new Set(chart.panels[0]!.lines.map(({ dash }) => dash)).size).toBe(3)
  expect(chart.heading).toBe(
    'What all executions share caps the crew at 1,000 per hour; its 8 workers would allow about 1,900',
  )
})

test('a cap far above the other is said, and does not flatten the picture', () => {
  const document = behindCap({ sharedPerHour: { value: 600, low: 500, high: 700 } })
  expect(namesIn(document)).toEqual(['ended per hour', 'what all executions share allows: 600'])
  expect(ladderChart(document).caption).toMatch(
    /What the workers allow: about 1,900 per hour, beyond the picture\.$/,
  )
})

test('without anything shared, the ladder shows the saturation', () => {
  const document = behindCap({
    sharedPerHour: null,
    saturation: { perHour: 960, low: 900, high: 1_000 },
  })
  expect(namesIn(document)).toEqual(['ended per hour', 'saturation: 960'])
})

const ticksOf = (clients: readonly number[]): number[] => {
  const ladder = clients.map((each) => rung(each, 2 * each, 100))
  return ladderChart(behindCap({ ladder })).x.ticks!.map(({ value }) => value)
}

test('the ticks of clients are round numbers, or else the fewest and the most', () => {
  expect(ticksOf([1, 2, 4, 8, 11, 12, 16])).toEqual([1, 2, 5, 10])
  expect(ticksOf([2, 4, 8, 16, 22, 32, 45, 64, 90, 128, 180])).toEqual([2, 5, 10, 20, 50, 100])
  expect(ticksOf([9, 10])).toEqual([9, 10])
})
