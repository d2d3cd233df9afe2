/** An agreement as a table, the same in every report: one row per aspect, one cell per run. */
import type {
  AgreementDocument,
  AgreementRun,
  Aspect,
  AspectStatus,
  Comparison,
  DistributionAspect,
  QuantileAspect,
  TimeName,
} from '../document.ts'
import { formatP } from '../analyse/verdict.ts'
import { unreachable } from '../../../base/assert.ts'
import { formatDuration } from '../../../base/units.ts'
import {
  formatCount,
  formatMetric,
  formatMs,
  formatValue,
  NOTHING,
} from '../../../report/frame/format.ts'
import { VERDICTS } from '../../../report/run/summary.ts'

export interface AgreementRow {
  label: string
  /** The worst status of its cells; null when nothing is judged. */
  status: AspectStatus | null
  /** The bound in words; empty when there is none. */
  bound: string
  /** One cell per run, in their order. */
  cells: AgreementCell[]
}

export interface AgreementCell {
  text: string
  /** The difference from the reference: `+0.42 %`; empty when the text already says it. */
  difference: string
  status: AspectStatus | null
}

export const TIMES: Record<TimeName, string> = {
  execution: 'execution time',
  detectionDelay: 'detection delay',
}

export function agreementRows(document: AgreementDocument): AgreementRow[] {
  const { trials: runs, comparisons } = document
  const names = [...new Set(comparisons.flatMap(({ aspects }) => aspects.map(({ name }) => name)))]
  const rows = names.map((name) => aspectRow(name, document))
  const counts = rows.filter(({ label }) => !isTime(label))
  const times = rows.filter(({ label }) => isTime(label))
  return [
    ownRow('own verdict', '', runs, verdictCell),
    ...counts,
    ownRow('kickoffs late, p99', scheduleBound(runs), runs, scheduleCell),
    ownRow('ledger agrees on', 'all', runs, ledgerCell),
    ...times,
    ...pairRows(document),
  ]
}

function isTime(label: string): boolean {
  return Object.values(TIMES).some((time) => label.startsWith(time))
}

function ownRow(
  label: string,
  bound: string,
  runs: readonly AgreementRun[],
  cell: (run: AgreementRun) => AgreementCell,
): AgreementRow {
  const cells = runs.map(cell)
  return { label, status: worst(cells), bound, cells }
}

function verdictCell({ verdict }: AgreementRun): AgreementCell {
  return { text: VERDICTS[verdict.outcome].word, difference: '', status: null }
}

function scheduleBound(runs: readonly AgreementRun[]): string {
  const bound = runs.find(({ schedule }) => schedule !== null)?.schedule?.boundMs
  return bound === undefined ? '' : formatMs(bound)
}

function scheduleCell({ schedule }: AgreementRun): AgreementCell {
  if (schedule === null) return UNKNOWN
  return {
    text: formatMs(schedule.p99Ms),
    difference: '',
    status: schedule.ok ? 'same' : 'differs',
  }
}

function ledgerCell({ ledger }: AgreementRun): AgreementCell {
  if (ledger === null) return UNKNOWN
  const { agreed, disagreements } = ledger
  return {
    text: formatCount(agreed),
    difference: disagreements === 0 ? '' : `${formatCount(disagreements)} not`,
    status: disagreements === 0 ? 'same' : 'differs',
  }
}

const UNKNOWN: AgreementCell = { text: NOTHING, difference: '', status: 'not-known' }
/** The cell of a run that cannot be compared; the verdict says why. */
const UNJUDGED: AgreementCell = { text: NOTHING, difference: '', status: null }

/** The value of the reference comes from the first comparison with this aspect. */
function aspectRow(name: Aspect['name'], { comparisons }: AgreementDocument): AgreementRow {
  const found = comparisons.map((comparison) => aspectOf(comparison, name))
  const known = found.find((aspect) => aspect !== undefined)
  const others = found.map((aspect) => (aspect === undefined ? UNJUDGED : measuredCell(aspect)))
  return {
    label: labelOf(name),
    status: worst(others),
    bound: known === undefined ? '' : boundOf(known),
    cells: [known === undefined ? UNJUDGED : referenceCell(known), ...others],
  }
}

function aspectOf({ aspects }: Comparison, name: Aspect['name']): Aspect | undefined {
  return aspects.find((aspect) => aspect.name === name)
}

function labelOf(name: Aspect['name']): string {
  const [family = '', part = ''] = name.split('.')
  if (family === 'outcome') return part
  if (family === 'arrivalTimes') return 'arrival times'
  if (family === 'arrivals') return 'arrivals'
  const time = TIMES[family as TimeName]
  return part === 'distribution' ? `${time}, KS test` : `${time}, ${part}`
}

function boundOf(aspect: Aspect): string {
  switch (aspect.kind) {
    case 'count':
      return 'equal'
    case 'arrival-times':
      return formatDuration(aspect.boundMicros)
    case 'quantile':
      return aspect.allowedMs === null ? '' : `±${formatMs(aspect.allowedMs)}`
    case 'distribution':
      return `p > ${aspect.leastP}`
    default:
      return unreachable(aspect)
  }
}

function referenceCell(aspect: Aspect): AgreementCell {
  return { text: referenceText(aspect), difference: '', status: null }
}

function referenceText(aspect: Aspect): string {
  switch (aspect.kind) {
    case 'count':
      return formatCount(aspect.reference)
    case 'arrival-times':
    case 'distribution':
      return ''
    case 'quantile':
      return quantileText(aspect.reference)
    default:
      return unreachable(aspect)
  }
}

/** Three digits, so that a difference of 1 % is visible; or why there is no value. */
function quantileText(metric: QuantileAspect['reference']): string {
  return metric.value === null ? formatMetric(metric) : formatMs(metric.value)
}

function measuredCell(aspect: Aspect): AgreementCell {
  const { status } = aspect
  switch (aspect.kind) {
    case 'count':
      return { text: formatCount(aspect.measured), difference: countDifference(aspect), status }
    case 'arrival-times':
      return { text: apartText(aspect.largestMicros), difference: '', status }
    case 'quantile':
      return { text: quantileText(aspect.measured), difference: shareDifference(aspect), status }
    case 'distribution':
      return { text: testText(aspect), difference: testDifference(aspect), status }
    default:
      return unreachable(aspect)
  }
}

function countDifference({ reference, measured }: { reference: number; measured: number }): string {
  const difference = measured - reference
  return difference === 0 ? '' : `${difference > 0 ? '+' : '−'}${formatCount(Math.abs(difference))}`
}

function apartText(largestMicros: number | null): string {
  if (largestMicros === null) return NOTHING
  return largestMicros === 0 ? 'equal' : `${formatDuration(largestMicros)} apart`
}

function shareDifference({ differenceShare: share }: QuantileAspect): string {
  if (share === null) return ''
  return `${share < 0 ? '−' : '+'}${formatValue(Math.abs(share), 'share', 1e-4)}`
}

function testText({ test }: DistributionAspect): string {
  return test === null ? 'too few' : `p ${formatP(test.p)}`
}

/** The test detects a difference, but one too small to matter. */
function testDifference({ test, status, leastP }: DistributionAspect): string {
  return test !== null && status === 'same' && test.p <= leastP ? 'within' : ''
}

/** Says how much executions with the same draws differ between the runs; it decides nothing. */
function pairRows({ comparisons }: AgreementDocument): AgreementRow[] {
  if (comparisons.every(({ pairs }) => pairs === null)) return []
  const row = (label: string, text: (comparison: Comparison) => string): AgreementRow => ({
    label,
    status: null,
    bound: '',
    cells: [
      { text: '', difference: '', status: null },
      ...comparisons.map((each) => ({ text: text(each), difference: '', status: null })),
    ],
  })
  return [
    row('same draws, median apart', ({ pairs }) => optionalMs(pairs?.medianMs)),
    row('same draws, p95 apart', ({ pairs }) => optionalMs(pairs?.p95Ms)),
    row('same draws, same arrival', ({ pairs }) =>
      pairs === null ? NOTHING : `${formatCount(pairs.sameArrival)} of ${formatCount(pairs.n)}`,
    ),
  ]
}

function optionalMs(ms: number | null | undefined): string {
  return ms == null ? NOTHING : formatMs(ms)
}

const ORDER: readonly AspectStatus[] = ['same', 'too-few', 'not-known', 'differs']

/** The status that decides a row; null when nothing is judged. */
function worst(cells: readonly AgreementCell[]): AspectStatus | null {
  return cells.reduce<AspectStatus | null>(
    (found, { status }) =>
      status !== null && (found === null || ORDER.indexOf(status) > ORDER.indexOf(found))
        ? status
        : found,
    null,
  )
}
