/** Draws how the CPU time per request, and the memory of executions held at once, grow. */
import { line } from 'd3-shape'
import { scaleLog } from 'd3-scale'
import { spread } from '../../../src/report/charts/plot.ts'
import { median } from '../../support/median.ts'
import type { Measured } from './page.ts'
import { HELD, PACES } from './page.ts'

const WIDTH = 860
const PANEL_HEIGHT = 250
const LEFT = 70
const RIGHT = 680
const TOP = 50
const LABEL_GAP = 17

interface Curve {
  name: string
  points: [x: number, y: number][]
}

interface Panel {
  title: string
  xs: readonly number[]
  ys: readonly number[]
  unit: string
  curves: Curve[]
}

/** An SVG that follows the reader's light or dark setting. */
export function plotOf(all: readonly Measured[]): string {
  const panels = [cpuPanel(all), memoryPanel(all)]
  const body = panels.map((panel, at) => drawn(panel, TOP + at * (PANEL_HEIGHT + 90)))
  const height = panels.length * (PANEL_HEIGHT + 90) + 10
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" font-family="system-ui, sans-serif" font-size="13">
<title>CPU time of a request by pace, and memory of what is held by its number, of several load generators</title>
<style>
  svg { background: #fff } text { fill: #333 } .title { font-weight: 600 } .grid { stroke: #ddd }
  .peer { stroke: #8a8a8a; fill: none; stroke-width: 1.5 } .own { stroke: #0b63ce; fill: none; stroke-width: 2.5 }
  .own-name { fill: #0b63ce; font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    svg { background: #15181c } text { fill: #ccc } .grid { stroke: #333 }
    .peer { stroke: #8f8f8f } .own { stroke: #6cb2ff } .own-name { fill: #6cb2ff }
  }
</style>
${body.join('\n')}
</svg>
`
}

function cpuPanel(all: readonly Measured[]): Panel {
  const curves = all.map(({ name, paced }) => ({
    name,
    points: PACES.flatMap((rate): [number, number][] => {
      const rounds = paced.filter((one) => one.rate === rate)
      return rounds.length === 0 ? [] : [[rate, median(rounds.map((one) => one.microsOfCpu))]]
    }),
  }))
  const title = 'CPU time of a request, in microseconds, by requests a second'
  return { title, xs: PACES, ys: [10, 100, 1_000], unit: 'us', curves }
}

function memoryPanel(all: readonly Measured[]): Panel {
  const curves = all.map(({ name, held }) => ({
    name,
    points: held.map(({ size, bytes }): [number, number] => [size, bytes / 1_000]),
  }))
  const title = 'Memory of one execution or user, in kB, by how many are held at once'
  return { title, xs: HELD, ys: [1, 10, 100, 1_000], unit: 'kB', curves }
}

function drawn({ title, xs, ys, unit, curves }: Panel, top: number): string {
  const shown = curves.filter(({ points }) => points.length > 0)
  const values = shown.flatMap(({ points }) => points.map(([, y]) => y))
  const x = scaleLog([Math.min(...xs), Math.max(...xs)], [LEFT, RIGHT])
  const bounds = [Math.min(...ys, ...values), Math.max(...ys, ...values)]
  const y = scaleLog(bounds, [top + PANEL_HEIGHT, top])
  const ends = shown.map(({ points }) => y(points.at(-1)![1]))
  const labels = spread(ends, LABEL_GAP, top, top + PANEL_HEIGHT)
  const path = line()
    .x(([value]) => x(value))
    .y(([, value]) => y(value))
  return [
    `<text class="title" x="${LEFT}" y="${top - 18}">${title}</text>`,
    ...ys.map((tick) => grid(y(tick), `${tick.toLocaleString('en')} ${unit}`)),
    ...xs.map((tick) => {
      const at = `x="${x(tick)}" y="${top + PANEL_HEIGHT + 22}"`
      return `<text ${at} text-anchor="middle">${tick.toLocaleString('en')}</text>`
    }),
    ...shown.map(({ name, points }, at) => {
      const own = name.startsWith('crewload')
      const [lastX, lastY] = points.at(-1)!
      const label = `<text class="${own ? 'own-name' : ''}" x="${RIGHT + 16}" y="${(labels[at] ?? 0) + 4}">${name}</text>`
      const leader = `<path class="grid" d="M${x(lastX)},${y(lastY)}L${RIGHT + 12},${labels[at] ?? 0}"/>`
      const dots = points.map(
        ([a, b]) => `<circle class="${own ? 'own' : 'peer'}" cx="${x(a)}" cy="${y(b)}" r="3"/>`,
      )
      return `${leader}<path class="${own ? 'own' : 'peer'}" d="${path(points) ?? ''}"/>${dots.join('')}${label}`
    }),
  ].join('\n')
}

function grid(at: number, label: string): string {
  return (
    `<line class="grid" x1="${LEFT}" x2="${RIGHT}" y1="${at}" y2="${at}"/>` +
    `<text x="${LEFT - 8}" y="${at + 4}" text-anchor="end">${label}</text>`
  )
}
