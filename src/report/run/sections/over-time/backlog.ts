/** How many arrivals had come, completed, and not been served by each time of a run. */
import type { ResultDocument } from '../../../../result/document.ts'
import { UNSERVED } from '../../../../scenario/outcomes.ts'
import { formatCount, formatMs, plural } from '../../../../base/numbers.ts'
import type { Chart, LinePoint, Moment } from '../../../charts/chart.ts'
import { untilLastArrival } from '../../../../result/metrics/stretches.ts'
import { namedBands, rebin } from './series.ts'
import type { TimelineColumns } from './series.ts'

const COLUMNS = 120
const TABLE_ROWS = 30

/** Null where every arrival was served and the crew could do the load: the lines would be one. */
export function backlogChart(document: ResultDocument): Chart | null {
  const { load, stall, outcomes } = document
  const isOverloaded = load !== null && load.needed === null
  const isServed = UNSERVED.every((outcome) => outcomes[outcome] === 0)
  return isServed && !isOverloaded && stall === undefined ? null : backlog(document, 'over')
}

/** Of a run that goes on: nobody knows yet whether its lines will part. */
export function backlogSoFar(document: ResultDocument): Chart {
  return backlog(document, 'going-on')
}

function backlog(document: ResultDocument, run: 'over' | 'going-on'): Chart {
  const series = rebin(document.series, COLUMNS)
  const { arrived, completed, unserved, ended } = sumsOf(series)
  const last = untilLastArrival(series)
  const [all, done, gone, left] = [arrived, completed, unserved, ended].map((sums) => {
    return sums[last]?.y ?? 0
  }) as [number, number, number, number]
  const at = arrived[last]?.x ?? 0
  const counts = { all, done, gone, open: all - left, others: left - done - gone }
  return {
    id: 'backlog',
    heading: run === 'over' ? headingAtLast(counts) : headingSoFar(counts),
    caption:
      'Each line counts from the start of the run, the warm-up included. The gap between arrivals ' +
      'and completions grows while arrivals come faster than the crew completes them. Not served: ' +
      'never accepted, or given up by their client.',
    x: { title: '', kind: 'elapsed' },
    panels: [
      {
        y: { title: 'Arrivals so far', kind: 'count' },
        height: { narrow: 200, wide: 240 },
        lines: [
          { name: 'arrived', color: 'response', dash: '5 3', points: arrived },
          { name: 'completed', color: 'service', dash: '', points: completed },
          { name: 'not served', color: 'error', dash: '2 3', points: unserved },
        ],
        ...(all > done && {
          gap: { at, from: done, to: all, label: `${formatCount(all - done)} not completed` },
        }),
      },
    ],
    spans: namedBands(series)
      .filter(({ toMs }) => toMs > at)
      .map(({ name, fromMs, toMs }) => ({ from: fromMs, to: toMs, label: name })),
    moments: momentsOf(document),
    table: tableOf(rebin(document.series, TABLE_ROWS)),
  }
}

interface Counts {
  all: number
  done: number
  gone: number
  open: number
  /** Ended, neither completed nor unserved. */
  others: number
}

function headingAtLast({ all, done, gone, open, others }: Counts): string {
  const rest = others === 0 ? '' : `, ${formatCount(others)} had ended otherwise`
  return (
    `When the last one arrived, ${formatCount(done)} of ${formatCount(all)} arrivals had ` +
    `completed. ${formatCount(open)} were open, ${formatCount(gone)} had not been served${rest}`
  )
}

function headingSoFar({ all, done, gone, open, others }: Counts): string {
  const rest = others === 0 ? '' : `, ${formatCount(others)} ended otherwise`
  return (
    `Of ${plural(all, 'arrival')} so far, ${formatCount(done)} completed. ` +
    `${formatCount(open)} are open, ${formatCount(gone)} were not served${rest}`
  )
}

function momentsOf({ stall, targetLoss }: ResultDocument): Moment[] {
  return [
    ...(stall === undefined
      ? []
      : [{ at: stall.sinceMs, label: 'the last completion', color: 'bad' as const }]),
    ...(targetLoss === null
      ? []
      : [{ at: targetLoss.sinceMs, label: 'target lost', color: 'bad' as const }]),
  ]
}

interface BacklogSums {
  arrived: LinePoint[]
  completed: LinePoint[]
  unserved: LinePoint[]
  ended: LinePoint[]
}

/** Each has a point at the end of every interval, and one at 0. */
function sumsOf({ intervalMs, offered, ...series }: TimelineColumns): BacklogSums {
  const sums = (counts: readonly number[]): LinePoint[] => {
    let y = 0
    return [0, ...counts].map((count, at) => ({ x: at * intervalMs, y: (y += count) }))
  }
  return {
    arrived: sums(offered),
    completed: sums(series.completed),
    unserved: sums(series.unserved),
    ended: sums(series.ended),
  }
}

function tableOf(series: TimelineColumns): Chart['table'] {
  const { arrived, completed, unserved } = sumsOf(series)
  return {
    columns: ['until', 'arrived', 'completed', 'not served'],
    rows: arrived
      .slice(1)
      .map(({ x, y }, at) => [
        formatMs(x),
        formatCount(y),
        formatCount(completed[at + 1]?.y ?? 0),
        formatCount(unserved[at + 1]?.y ?? 0),
      ]),
  }
}
