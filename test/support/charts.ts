/** The charts of a report, as values. */
import type { Chart } from '../../src/report/charts/chart.ts'
import type { Report } from '../../src/report/frame/report.ts'

/** The chart with this id; null for a report without it. */
export function chartOf(report: Report, id: string): Chart | null {
  const charts = report.sections.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === 'figure' ? block.chart : [])),
  )
  return charts.find((chart) => chart.id === id) ?? null
}
