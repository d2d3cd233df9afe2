/**
 * Prints docs/capacity.md: crews of known capacity, and what a search finds of them:
 * `node bench/run.mjs capacity [described] [others] [first seed]`.
 */
import type { DrawnCrew } from './capacity/crews.ts'
import { DESCRIBED, drawCrew, OTHERS } from './capacity/crews.ts'
import { pageOf } from './capacity/table.ts'
import type { OtherRow, Row } from './capacity/table.ts'
import { bisected, searched } from './capacity/trial.ts'
import { capacityOf } from './capacity/truth.ts'

const [described = '100', others = '50', first = '1000'] = process.argv.slice(2)
const seedsOf = (count: string, from: number): number[] =>
  Array.from({ length: Number(count) }, (_, i) => from + i)

const rows: Row[] = []
for (const seed of seedsOf(described, Number(first))) {
  const crew = drawCrew(seed, DESCRIBED)
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
  rows.push(row)
  tell(crew, [truth, error, row.ample, row.middle, row.small, row.bisection])
}
const otherRows: OtherRow[] = []
for (const seed of seedsOf(others, Number(first) + 100_000)) {
  const crew = drawCrew(seed, OTHERS)
  const row = { crew, ample: searched(crew, 20_000, 0.05), middle: searched(crew, 5_000, 0.05) }
  otherRows.push(row)
  tell(crew, [row.ample, row.middle])
}
process.stdout.write(pageOf(rows, otherRows))

function tell({ seed, kind, shape, slots }: DrawnCrew, found: readonly unknown[]): void {
  process.stderr.write(`${seed} ${kind} ${shape} ${slots} ${found.map(brief).join(' | ')}\n`)
}

function brief(found: unknown): string {
  return JSON.stringify(found, (_, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(4)) : value,
  )
}
