/** The picture of a chart, for one width of the page. */
import type { Chart } from '../../src/report/charts/chart.ts'
import { drawChart } from '../../src/report/charts/draw.ts'
import { html } from '../../src/report/text/markup.ts'

export function drawn(chart: Chart, width = 1_040): string {
  return html`${drawChart(chart).draw(width).body}`.text
}
