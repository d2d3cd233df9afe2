/**
 * Searches with the smallest budgets, max(600, 6 x workers) kickoffs within 10 %, of crews of 4
 * workers and more that a queue for workers describes: `node bench/run.mjs capacity-small [crews]
 * [first seed]` prints a table of bench/results/capacity.md.
 */
import { shareInterval } from '../../src/result/statistics/shares.ts'
import { DESCRIBED, drawCrew } from './drawn/crews.ts'
import { searched } from './drawn/trial.ts'
import { capacityOf } from './drawn/truth.ts'

const [crews = '200', first = '60000'] = process.argv.slice(2)
const WITHIN = 0.1
const FEWEST_WORKERS = 4

interface Row {
  kind: string
  accepted: boolean
  /** The relative error of the capacity that was found: found over true, minus 1. */
  off: number
  holds: boolean
  /** Half the width of the interval, as a share of the capacity. */
  width: number
}

const rows: Row[] = []
for (let seed = Number(first); seed < Number(first) + Number(crews); seed++) {
  const crew = drawCrew(seed, DESCRIBED)
  if (crew.slots < FEWEST_WORKERS) continue
  const { perHour: truth } = capacityOf(crew)
  const { refused, perHour, low, high } = searched(crew, Math.max(600, 6 * crew.slots), WITHIN)
  const found = perHour ?? 0
  const row = {
    kind: crew.kind,
    accepted: !refused && perHour !== null,
    off: found / truth - 1,
    holds: low <= truth && truth <= high,
    width: (high - low) / 2 / found,
  }
  rows.push(row)
  if (row.accepted && row.holds && Math.abs(row.off) <= WITHIN) continue
  const numbers = [truth, found, low, high].map((value) => value.toPrecision(4)).join(' ')
  process.stderr.write(`${seed} ${crew.kind} ${crew.shape} ${crew.slots}: ${numbers}\n`)
}

process.stdout.write(
  [
    '| crew | crews | accepted | within 10 % | interval holds | no wider than 10 % |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...[...new Set(rows.map(({ kind }) => kind))].toSorted().map((kind) =>
      lineOf(
        kind,
        rows.filter((row) => row.kind === kind),
      ),
    ),
    lineOf('all', rows),
    '',
    `Intervals hold the truth in ${intervalOf()} (95 %).`,
    '',
  ].join('\n'),
)

function lineOf(name: string, all: readonly Row[]): string {
  const accepted = all.filter((row) => row.accepted)
  const counted = (is: (row: Row) => boolean): string =>
    `${accepted.filter(is).length} of ${accepted.length}`
  const cells = [
    name,
    all.length,
    `${accepted.length} of ${all.length}`,
    counted(({ off }) => Math.abs(off) <= WITHIN),
    counted(({ holds }) => holds),
    counted(({ width }) => width <= WITHIN),
  ]
  return `| ${cells.join(' | ')} |`
}

function intervalOf(): string {
  const accepted = rows.filter((row) => row.accepted)
  const held = accepted.filter(({ holds }) => holds).length
  const interval = shareInterval(held, accepted.length, 0.95)
  if (interval === null) return 'no searches'
  const [low, high] = [interval.low, interval.high].map((share) => `${(100 * share).toFixed(1)} %`)
  return `${low} to ${high}`
}
