/** The fake crew's faults over time: lanes with their names, shaded spans, and a table. */
import type { ResultDocument, Series } from '../../../../result/document.ts'
import type { FaultResult } from '../../../../result/disturbances.ts'
import { formatCount, formatMs, NOTHING, plural } from '../../../../base/numbers.ts'
import { formatTimes, plainText } from '../../../frame/format.ts'
import type { ChartLane } from '../../../charts/chart.ts'
import { shortened } from '../../../charts/lanes.ts'
import type { Table } from '../../../frame/table.ts'
import { columnsOf, pageTable } from '../../../frame/table.ts'
import { sum } from './series.ts'

const MOST_LANES = 7
/** The maximum number of scheduled faults that shade the picture: more would darken all of it. */
const MOST_SHADES = 4
const NAME_LIMIT = 40

type Faults = readonly FaultResult[]

/** Faults with a schedule first, in the order of what they affected. */
function ordered(faults: Faults): Faults {
  return [...faults.filter(({ always }) => !always), ...faults.filter(({ always }) => always)]
}

/** `rebinned` returns the counts by the picture's columns. */
export function faultLanes(
  { faults }: ResultDocument,
  rebinned: (counts: readonly number[]) => number[],
): ChartLane[] {
  const lanes = ordered(faults ?? []).map((fault) => ({
    label: `${plainText(fault.name, NAME_LIMIT)}: ${faultWords(fault)}`,
    bands: fault.bands,
    counts: rebinned(fault.counts),
  }))
  return shortened(lanes, MOST_LANES, (others) => {
    const touched = sum(others.flatMap(({ counts }) => counts))
    return `${plural(others.length, 'more fault')}: changed ${plural(touched, 'answer')}`
  })
}

/**
 * Says how often a fault was on, for example `on 3 times, changed 61 answers`; `happened twice`.
 */
export function faultWords(fault: FaultResult): string {
  const { always, kind } = fault
  const touching = `changed ${plural(changedAnswers([fault]), 'answer')}`
  if (always) return touching
  const often = formatTimes(fault.times)
  if (kind === 'restart') return `happened ${often}`
  return kind === 'refuse' ? `on ${often}` : `on ${often}, ${touching}`
}

/** When the faults with a schedule were on. */
export function faultSpans({ faults }: ResultDocument): Series['bands'] {
  return (faults ?? [])
    .filter(({ bands }) => bands.length > 0)
    .slice(0, MOST_SHADES)
    .flatMap(({ name, bands }) => bands.map((band) => ({ name, ...band })))
}

/** For example `; faults of the crew changed 61 answers`; empty without any. */
export function faultsFinding({ faults }: ResultDocument): string {
  const answers = changedAnswers(faults ?? [])
  return answers === 0 ? '' : `; faults of the crew changed ${plural(answers, 'answer')}`
}

function changedAnswers(faults: Faults): number {
  return sum(faults.flatMap(({ touched }) => Object.values(touched)))
}

export function faultTable({ faults }: ResultDocument): Table {
  return pageTable(
    columnsOf(
      ['fault of the crew', 'kind', 'on'],
      ['kickoff answers changed', 'status answers changed'],
    ),
    ordered(faults ?? []).map((fault) => [
      plainText(fault.name),
      plainText(fault.kind),
      timesText(fault),
      formatCount(fault.touched.kickoff),
      formatCount(fault.touched.status),
    ]),
  )
}

const BANDS_WRITTEN = 4

function timesText({ always, bands, times }: FaultResult): string {
  if (always) return 'all the time'
  if (bands.length === 0) return NOTHING
  const written = bands
    .slice(0, BANDS_WRITTEN)
    .map(({ fromMs, toMs }) =>
      toMs > fromMs ? `${formatMs(fromMs)} to ${formatMs(toMs)}` : `at ${formatMs(fromMs)}`,
    )
  const more = times - written.length
  return [...written, ...(more > 0 ? [`${formatCount(more)} more`] : [])].join('; ')
}
