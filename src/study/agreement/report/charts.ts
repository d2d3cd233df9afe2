/**
 * The curves of an agreement: the share that had ended by each time, with the reference as a broad
 * band and every other run as a line over it.
 */
import type { Chart, Line } from '../../../report/charts/chart.ts'
import type { Color } from '../../../report/charts/palette.ts'
import { formatMs, formatValue, plural } from '../../../report/frame/format.ts'
import { ECDF_SHARES } from '../analyse/analyse.ts'
import { listed } from '../../frame/words.ts'
import { formatP } from '../analyse/verdict.ts'
import type { AgreementDocument, DistributionAspect, TimeName } from '../document.ts'
import { TIMES } from './rows.ts'

interface Curve {
  name: string
  values: readonly number[]
}

const COLORS: readonly Color[] = ['error', 'service', 'extra', 'response', 'sky']
const DASHES = ['', '7 4', '2 3', '10 3 2 3', '14 4']

const CAPTIONS: Record<TimeName, string> = {
  execution:
    'Share of the executions whose end was seen, from the intended start to when ' +
    'the client knew the end.',
  detectionDelay:
    'Share of the executions whose end was seen, from the true end to when the ' +
    'client learned of it.',
}

/** No charts when no two runs have values. */
export function curvesOf(document: AgreementDocument, time: TimeName): Chart[] {
  const curves = document.trials
    .map(({ name, curves: all }) => ({ name, values: all[time] }))
    .filter(({ values }) => values.length > 0)
  if (curves.length < 2) return []
  const [reference] = curves
  return [
    {
      id: `curves-${time}`,
      finding: finding(document, time, curves),
      caption: `${CAPTIONS[time]} The wide band is ${reference?.name ?? ''}.`,
      x: { title: TIMES[time], kind: 'duration' },
      panels: [
        {
          y: { title: 'Share of executions', kind: 'share' },
          height: { narrow: 260, wide: 260 },
          names: 'above',
          lines: curves.map(lineOf),
        },
      ],
      table: valueTable(curves),
    },
  ]
}

/** The shares at which hovering shows a value. */
const MARKED: ReadonlySet<number> = new Set([0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99])

function lineOf({ name, values }: Curve, at: number): Line {
  const isReference = at === 0
  const other = (at - 1) % COLORS.length
  return {
    name,
    color: isReference ? 'endToEnd' : (COLORS[other] ?? 'grey'),
    dash: isReference ? '' : (DASHES[other] ?? ''),
    band: isReference,
    points: values.map((x, i) => {
      const y = ECDF_SHARES[i] ?? 0
      const tip = `${name}: ${Math.round(y * 100)} % within ${formatMs(x)}`
      return MARKED.has(y) ? { x, y, tip } : { x, y }
    }),
  }
}

/** The distance of the most distant curve from the reference. */
function finding(
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
  const distance = formatValue(test.distance, 'share')
  const apart = `${distance} apart at most (${run}, p ${formatP(test.p)})`
  if (differing.length === 0) return `${name}: the curves are ${apart}`
  return (
    `${name}: ${listed(differing.map((each) => each.run))} differ from ` +
    `${curves[0]?.name ?? ''}, the curves ${apart}`
  )
}

function isTestOf(
  aspect: { kind: string; name: string },
  time: TimeName,
): aspect is DistributionAspect {
  return aspect.kind === 'distribution' && aspect.name.startsWith(time)
}

const TABLE_SHARES = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1]

function valueTable(curves: readonly Curve[]): Chart['table'] {
  return {
    columns: ['share', ...curves.map(({ name }) => name)],
    rows: TABLE_SHARES.map((share) => {
      const values = curves.map((curve) => formatMs(valueAt(curve.values, share)))
      return [`${Math.round(share * 100)} %`].concat(values)
    }),
  }
}

function valueAt(values: readonly number[], share: number): number {
  return values[Math.round(share * (ECDF_SHARES.length - 1))] ?? 0
}
