/** The curves of an agreement: how much had ended by when, the reference as a broad band and every other run as a line over it. */
import { scaleLinear, scaleLog } from 'd3-scale'
import { line as lineShape } from 'd3-shape'
import type { AgreementDocument, AgreementRun, DistributionAspect, TimeName } from '../document.ts'
import { ECDF_SHARES } from '../analyse/agreement.ts'
import { formatP, listed } from '../analyse/verdict.ts'
import { formatMs, formatValue, plural } from '../../../report/frame/format.ts'
import { figure } from '../../../report/charts/figure.ts'
import type { Picture } from '../../../report/charts/figure.ts'
import { textWidth } from '../../../report/charts/labels.ts'
import { html } from '../../../report/frame/markup.ts'
import type { Markup } from '../../../report/frame/markup.ts'
import { ink } from '../../../report/charts/palette.ts'
import type { Color } from '../../../report/charts/palette.ts'
import { bottomAxis, leftAxis, panelTitle, round } from '../../../report/charts/plot.ts'
import type { Rect, Scale } from '../../../report/charts/plot.ts'
import { table } from '../../../report/frame/table.ts'
import { durationTicks, linearDurationTicks } from '../../../report/charts/ticks.ts'
import type { Tick } from '../../../report/charts/ticks.ts'
import { TIMES } from './rows.ts'

interface Curve {
  name: string
  values: readonly number[]
  color: Color
  /** Stroke pattern; null for the reference, which is a band. */
  dash: string | null
}

const COLORS: readonly Color[] = ['error', 'service', 'extra', 'response', 'sky']
const DASHES = ['', '7 4', '2 3', '10 3 2 3', '14 4']

const CAPTIONS: Record<TimeName, string> = {
  execution:
    'Share of the executions whose end was seen, by intended start to the moment the client knew the end.',
  detectionDelay:
    'Share of the executions whose end was seen, by true end to the moment the client learned of it.',
}

/** Null where no two runs have values. */
export function renderCurves(document: AgreementDocument, time: TimeName): Markup | null {
  const curves = curvesOf(document.runs, time)
  if (curves.length < 2) return null
  const heading = headingOf(document, time, curves)
  return figure({
    id: `curves-${time}`,
    heading,
    caption: `${CAPTIONS[time]} The broad band is ${curves[0]?.name ?? ''}.`,
    alternative: heading,
    draw: (width) => draw(curves, width),
    table: valueTable(curves),
  })
}

function curvesOf(runs: readonly AgreementRun[], time: TimeName): Curve[] {
  return runs
    .map(({ name, curves }, i) => ({
      name,
      values: curves[time],
      color: i === 0 ? ('endToEnd' as const) : (COLORS[(i - 1) % COLORS.length] ?? 'grey'),
      dash: i === 0 ? null : (DASHES[(i - 1) % DASHES.length] ?? ''),
    }))
    .filter(({ values }) => values.length > 0)
}

/** The finding: how far the farthest curve is from the reference. */
function headingOf(
  { comparisons }: AgreementDocument,
  time: TimeName,
  curves: readonly Curve[],
): string {
  const tests = comparisons.flatMap(({ run, aspects }) =>
    aspects.flatMap((aspect) =>
      isTestOf(aspect, time) && aspect.test !== null ? [{ run, aspect, test: aspect.test }] : [],
    ),
  )
  const words = TIMES[time]
  const differing = tests.filter(({ aspect }) => aspect.status === 'differs')
  const farthest = tests.toSorted((a, b) => b.test.distance - a.test.distance)[0]
  const name = words.charAt(0).toUpperCase() + words.slice(1)
  if (farthest === undefined) return `${name}: ${plural(curves.length, 'run')}, too few to compare`
  const { run, test } = farthest
  const apart = `${formatValue(test.distance, 'share')} apart at most (${run}, p ${formatP(test.p)})`
  if (differing.length === 0) return `${name}: the curves are ${apart}`
  return `${name}: ${listed(differing.map((each) => each.run))} told apart from ${curves[0]?.name ?? ''}, the curves ${apart}`
}

function isTestOf(
  aspect: { kind: string; name: string },
  time: TimeName,
): aspect is DistributionAspect {
  return aspect.kind === 'distribution' && aspect.name.startsWith(time)
}

const PLOT_HEIGHT = 260

function draw(curves: readonly Curve[], width: number): Picture {
  const key = drawKey(curves, width)
  const top = key.bottom + 34
  const rect = {
    left: 52,
    top,
    right: Math.min(width, 860) - 16,
    bottom: top + PLOT_HEIGHT,
  }
  const x = timeScale(curves, rect)
  const y = scaleLinear([0, 1], [rect.bottom, rect.top])
  return {
    height: rect.bottom + 32,
    body: [
      key.body,
      panelTitle({ ...rect, left: 0 }, 'Share of executions'),
      leftAxis(rect, SHARE_TICKS, y),
      bottomAxis(rect, x.ticks, x.scale),
      ...curves.map((curve) => drawCurve(curve, x.scale, y)),
      ...curves.map((curve) => hoverMarks(curve, x.scale, y)),
    ],
  }
}

const SHARE_TICKS: Tick[] = [0, 0.25, 0.5, 0.75, 1].map((value) => ({
  value,
  label: `${value * 100} %`,
}))

/** Logarithmic when the largest is over twenty times what a tenth of them took; what is shorter than the first per cent then stands at the edge. */
function timeScale(curves: readonly Curve[], rect: Rect): { scale: Scale; ticks: Tick[] } {
  const least = (share: number): number =>
    Math.min(...curves.map(({ values }) => valueAt(values, share)))
  const max = Math.max(...curves.flatMap(({ values }) => values), 0.001)
  const ticks = Math.max(3, Math.floor((rect.right - rect.left) / 80))
  if (max <= 20 * least(0.1)) {
    const scale = scaleLinear([0, max * 1.04], [rect.left, rect.right])
    return { scale, ticks: linearDurationTicks(max * 1.04, ticks) }
  }
  const [from, to] = [Math.max(least(0.01), max / 1e4) / 1.2, max * 1.1]
  const log = scaleLog([from, to], [rect.left, rect.right])
  return { scale: (ms) => log(Math.max(from, ms)), ticks: durationTicks(from, to, ticks) }
}

function valueAt(values: readonly number[], share: number): number {
  return values[Math.round(share * (ECDF_SHARES.length - 1))] ?? 0
}

function drawCurve({ values, color, dash }: Curve, x: Scale, y: Scale): Markup {
  const path = lineShape<number>()
    .x((ms) => x(ms))
    .y((_, i) => y(ECDF_SHARES[i] ?? 0))
    .digits(1)([...values])
  const band = dash === null
  return html`<path
    d="${path ?? ''}"
    fill="none"
    stroke="${ink(color)}"
    stroke-width="${band ? 9 : 2}"
    stroke-opacity="${band ? 0.35 : 1}"
    stroke-dasharray="${band || dash === '' ? 'none' : dash}"
  />`
}

const MARKED = [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99]

function hoverMarks({ name, values }: Curve, x: Scale, y: Scale): Markup {
  return html`${MARKED.map((share) => {
    const ms = valueAt(values, share)
    const tip = `${name}: ${Math.round(share * 100)} % within ${formatMs(ms)}`
    return html`<circle
      cx="${round(x(ms))}"
      cy="${round(y(share))}"
      r="7"
      fill="transparent"
      data-tip="${tip}"
    />`
  })}`
}

const SAMPLE_WIDTH = 34

/** Each run's own stroke beside its name, in rows. */
function drawKey(curves: readonly Curve[], width: number): { body: Markup; bottom: number } {
  let [left, top] = [0, 0]
  const body = curves.map((curve) => {
    const needed = SAMPLE_WIDTH + 8 + textWidth(curve.name)
    if (left > 0 && left + needed > width) [left, top] = [0, top + 24]
    const from = left
    const [y, x] = [top + 10, (share: number): number => from + share * SAMPLE_WIDTH]
    left += needed + 24
    const stroke = drawCurve({ ...curve, values: [0, 1] }, x, () => y)
    return html`${stroke}<text x="${round(from + SAMPLE_WIDTH + 8)}" y="${y + 5}"
        >${curve.name}</text
      >`
  })
  return { body: html`${body}`, bottom: top + 24 }
}

const TABLE_SHARES = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1]

function valueTable(curves: readonly Curve[]): Markup {
  return table(
    [
      { title: 'share', kind: 'number' },
      ...curves.map(({ name }) => ({ title: name, kind: 'number' as const })),
    ],
    TABLE_SHARES.map((share) => valueRow(curves, share)),
  )
}

function valueRow(curves: readonly Curve[], share: number): string[] {
  return [
    `${Math.round(share * 100)} %`,
    ...curves.map(({ values }) => formatMs(valueAt(values, share))),
  ]
}
