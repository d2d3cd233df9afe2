/**
 * Prints bench/results/capacity.md: crews of known capacity, and what a search finds of them: `node
 * bench/run.mjs capacity [described] [others] [first seed] [file]`. Interrupted, it prints what it
 * has (`kill -INT` the process that runs the bundle); with a file, each crew is kept there, and
 * those that are in it are not searched again.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { DrawnCrew } from './drawn/crews.ts'
import { DESCRIBED, drawCrew, OTHERS } from './drawn/crews.ts'
import { pageOf } from './drawn/table.ts'
import type { OtherRow, Row } from './drawn/table.ts'
import { bisected, searched } from './drawn/trial.ts'
import { capacityOf } from './drawn/truth.ts'

const [described = '100', others = '50', first = '1000', file] = process.argv.slice(2)
const seedsOf = (count: string, from: number): number[] =>
  Array.from({ length: Number(count) }, (_, i) => from + i)

const kept = file !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : ''
const rows: Row[] = []
const otherRows: OtherRow[] = []
for (const line of kept.split('\n').filter((each) => each !== '')) {
  const row = JSON.parse(line, revived) as Row | OtherRow
  if ('truth' in row) rows.push(row)
  else otherRows.push(row)
}
const searchedBefore = new Set([...rows, ...otherRows].map(({ crew }) => crew.seed))
const crews = [
  ...seedsOf(described, Number(first)).map((seed) => drawCrew(seed, DESCRIBED)),
  ...seedsOf(others, Number(first) + 100_000).map((seed) => drawCrew(seed, OTHERS)),
]
// The two kinds alternate, so that an interrupted bench has measured some crews of each.
const [many, few] = [Number(described), Number(others)]
const turnOf = (place: number): number =>
  place < many ? (place + 0.5) / many : (place - many + 0.5) / few
const inTurn = crews
  .map((crew, place) => ({ crew, turn: turnOf(place) }))
  .toSorted((a, b) => a.turn - b.turn)
let isInterrupted = false
process.once('SIGINT', () => (isInterrupted = true))
for (const { crew } of inTurn) {
  if (isInterrupted) break
  if (searchedBefore.has(crew.seed)) continue
  if (DESCRIBED.includes(crew.kind)) rows.push(keep(describedRow(crew)))
  else otherRows.push(keep(otherRow(crew)))
  // Lets an interruption be seen.
  // eslint-disable-next-line no-await-in-loop -- one search after the other
  await new Promise((resolve) => void setImmediate(resolve))
}
process.stdout.write(pageOf(rows, otherRows))

function describedRow(crew: DrawnCrew): Row {
  const { perHour: truth, error } = capacityOf(crew)
  const row = {
    crew,
    truth,
    error,
    ample: searched(crew, 20_000, 0.05),
    middle: searched(crew, 5_000, 0.05),
    small: searched(crew, Math.max(600, 6 * crew.slots), 0.1),
    bisection: bisected(crew, truth, 5_000),
  }
  tell(crew, [truth, error, row.ample, row.middle, row.small, row.bisection])
  return row
}

function otherRow(crew: DrawnCrew): OtherRow {
  const row = { crew, ample: searched(crew, 20_000, 0.05), middle: searched(crew, 5_000, 0.05) }
  tell(crew, [row.ample, row.middle])
  return row
}

function keep<T>(row: T): T {
  const text = JSON.stringify(row, (_, value: unknown) => (value === Infinity ? 'Infinity' : value))
  if (file !== undefined) appendFileSync(file, `${text}\n`)
  return row
}

function revived(_: string, value: unknown): unknown {
  return value === 'Infinity' ? Infinity : value
}

function tell({ seed, kind, shape, slots }: DrawnCrew, found: readonly unknown[]): void {
  process.stderr.write(`${seed} ${kind} ${shape} ${slots} ${found.map(brief).join(' | ')}\n`)
}

function brief(found: unknown): string {
  return JSON.stringify(found, (_, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(4)) : value,
  )
}
