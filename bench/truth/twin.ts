/**
 * Prints bench/results/twin.md, which compares crews of known numbers with the twins learned from
 * one run of each: `node bench/run.mjs twin [crews] [executions] [first seed]`.
 */
import { parseProfileText } from '../../fake-crew/profiles.ts'
import { MICROS_PER_MS } from '../../src/base/units.ts'
import type { DrawnProfile } from './twin/crews.ts'
import { boundOf, capacityOf, drawProfile, ratePerMinute, trueQuantile } from './twin/crews.ts'
import type { Recorded, Truth } from './twin/record.ts'
import { recorded, TRUTHS, twinBy } from './twin/record.ts'
import type { Row } from './twin/table.ts'
import { pageOf } from './twin/table.ts'

const [crews = '20', executions = '300', first = '1'] = process.argv.slice(2)
/** The load of a run that never fills the workers, as a share of what they can finish. */
const CALM = 0.3

const rows: Row[] = []
for (let seed = Number(first); seed < Number(first) + Number(crews); seed++) {
  const crew = drawProfile(seed)
  const size = Number(executions)
  const full = { perMinute: ratePerMinute(crew, crew.load), executions: size, seed }
  const run = await recorded(crew.yaml, full)
  const calm = { perMinute: ratePerMinute(crew, CALM), executions: size, seed }
  const calmRun = await recorded(crew.yaml, calm)
  const bound = boundOf(crew.profile)
  const capacity = capacityOf(crew.profile, bound)
  const again = await recorded(twinBy(run, 'ledger').yaml ?? '', full)
  const row = {
    crew,
    capacity,
    runMeanShare: meanServiceMicros(run) / crew.meanMicros,
    by: TRUTHS.map((truth) => ({
      truth,
      quantiles: quantilesHeld(crew, run, truth),
      workers: workersOf(run, truth),
      calm: workersOf(calmRun, truth),
      capacity: twinCapacity(run, truth, bound),
    })),
    again: { workers: workersOf(again, 'ledger'), capacity: twinCapacity(again, 'ledger', bound) },
  }
  rows.push(row)
  process.stderr.write(`${JSON.stringify(row, brief)}\n`)
}
process.stdout.write(pageOf(rows, Number(executions)))

function brief(key: string, value: unknown): unknown {
  if (key === 'profile' || key === 'yaml') return undefined
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value
}

/**
 * Counts the medians and p95 of tasks whose interval contains the truth. By polls alone there is
 * only one task: the whole execution.
 */
function quantilesHeld(
  { profile }: DrawnProfile,
  run: Recorded,
  truth: Truth,
): { held: number; of: number } {
  const { tasks } = twinBy(run, truth).twin.learned
  const durations = profile.tasks.map(({ duration }) => [duration])
  const parts = tasks.length === durations.length ? durations : [durations.flat()]
  const checks = tasks.flatMap(({ fit }, i) =>
    (
      [
        ['p50', 0.5],
        ['p95', 0.95],
      ] as const
    ).map(([name, q]) => {
      if (fit === null) return false
      const value = trueQuantile(parts[i] ?? [], q)
      const { low, high } = fit[name]
      // Reported times are rounded to the millisecond.
      return (low ?? 0) - 1_000 <= value && value <= (high ?? Infinity) + 1_000
    }),
  )
  return { held: checks.filter(Boolean).length, of: checks.length }
}

/** The mean service time of the executions that ended, by the ledger. */
function meanServiceMicros({ ledger }: Recorded): number {
  const took = (ledger?.rows ?? []).flatMap(({ started_ms, ended_ms }) =>
    started_ms === null || ended_ms === null ? [] : [(ended_ms - started_ms) * MICROS_PER_MS],
  )
  return took.reduce((sum, micros) => sum + micros, 0) / took.length
}

function workersOf(run: Recorded, truth: Truth): Row['by'][number]['workers'] {
  const { low, high, value } = twinBy(run, truth).twin.learned.workers
  return { low, high, value }
}

function twinCapacity(run: Recorded, truth: Truth, bound: number): number | null {
  const { yaml } = twinBy(run, truth)
  return yaml === null ? null : capacityOf(parseProfileText(yaml, 'twin'), bound)
}
