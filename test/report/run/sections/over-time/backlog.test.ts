import { expect, test } from 'vitest'
import type { ResultDocument } from '../../../../../src/result/document.ts'
import { backlogChart } from '../../../../../src/report/run/sections/over-time/backlog.ts'
import { emptyDocument, steadyDocument } from '../../sample-document.ts'

/** Ten arrive in each of four seconds; the drain lasts two more. */
function overloaded(own: Partial<ResultDocument> = {}): ResultDocument {
  const document = steadyDocument()
  const series = {
    ...document.series,
    intervalMs: 1_000,
    offered: [10, 10, 10, 10, 0, 0],
    completed: [0, 5, 5, 4, 4, 0],
    unserved: [0, 0, 2, 3, 4, 10],
    ended: [0, 5, 8, 7, 8, 12],
    bands: [{ fromMs: 4_000, toMs: 6_000, code: 'no-more-arrivals' as const }],
  }
  return { ...document, series, outcomes: { ...document.outcomes, stuck: 19 }, ...own }
}

test('names the gap at the last arrival, and what it consists of', () => {
  const chart = backlogChart(overloaded())!
  expect(chart.heading).toBe(
    'When the last one arrived, 14 of 40 arrivals had completed. 20 were open, 5 had not been ' +
      'served, 1 had ended otherwise',
  )
  const [panel] = chart.panels
  expect(panel!.gap).toEqual({ at: 4_000, from: 14, to: 40, label: '26 not completed' })
  const lasts = panel!.lines.map(({ name, points }) => [name, points.at(-1)])
  expect(lasts).toEqual([
    ['arrived', { x: 6_000, y: 40 }],
    ['completed', { x: 6_000, y: 18 }],
    ['not served', { x: 6_000, y: 19 }],
  ])
  expect(chart.spans).toEqual([{ from: 4_000, to: 6_000, label: 'no more arrivals' }])
})

test('marks when the last one completed, and when the target was lost', () => {
  const stall = { sinceMs: 3_500, untilMs: 6_000, accepted: 12 }
  expect(backlogChart(overloaded({ stall }))!.moments).toEqual([
    { at: 3_500, label: 'the last completion', color: 'bad' },
  ])
})

test('is not drawn where every arrival was served', () => {
  expect(backlogChart(steadyDocument())).toBeNull()
  expect(backlogChart(emptyDocument())).toBeNull()
})
