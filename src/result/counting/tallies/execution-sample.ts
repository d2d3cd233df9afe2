/** A bounded sample of the executions of a run, for pages that list them. */
import { DueHeap } from '../../../base/collections/heap.ts'
import { fmix32 } from '../../../base/random.ts'
import type { LedgerRow } from '../../../crew/ledger.ts'
import { isUnsent } from '../../../execution/machine.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import type { ExecutionRow, SampledExecutions } from '../../execution-row.ts'
import { executionRowOf, withLedgerTimes } from '../../execution-row.ts'
import type { Ledger } from '../../ledger/reconcile.ts'
import { toRunClock } from '../../clock.ts'
import { FirstOnes } from '../../../base/collections/bounded-stores.ts'

/** Rows at most: a page of them stays below a megabyte. */
const ROWS = 2_400
/** Of them, the slowest and those that failed, when there are more. */
const SLOWEST = 500
const FAILED = 800
/** Whole records of each kind. */
const WHOLE = 100
const SALT = 0x7261_7374

type SampledTimes = Pick<ExecutionRecord, 'index' | 'intendedMicros' | 'endedMicros'>

/**
 * Chosen by duration and by a hash of the index, so the same arrivals give the same sample in
 * whatever order their records come.
 */
export class ExecutionSample {
  readonly #slowest = new Stratum(SLOWEST, bySlowness)
  readonly #failed = new Stratum(FAILED, byChance)
  readonly #any = new Stratum(ROWS, byChance)
  #total = 0
  #failures = 0

  offer(record: ExecutionRecord): void {
    this.#total++
    const { outcome } = record
    if (!isUnsent(outcome)) this.#slowest.offer(record)
    if (!isUnsent(outcome) && outcome !== 'completed' && outcome !== 'aborted') {
      this.#failures++
      this.#failed.offer(record)
    }
    this.#any.offer(record)
  }

  /** `ledger` is on the run's clock. */
  sample(runId: string, ledger: Ledger | null): SampledExecutions {
    const truth = ledger === null ? null : new Truth(ledger)
    const chosen = new Map<number, ExecutionRow>()
    for (const row of [...this.#slowest.rows, ...this.#failed.rows, ...this.#any.rows]) {
      if (chosen.size < ROWS) chosen.set(row.index, row)
    }
    const rows = [...chosen.values()].sort((a, b) => a.index - b.index)
    return {
      runId,
      total: this.#total,
      failed: this.#failures,
      rows: truth === null ? rows : rows.map((row) => truth.row(row)),
      details: this.#details(truth),
    }
  }

  /** By turns, so that a page with room for few has some of each kind. */
  #details(truth: Truth | null): SampledExecutions['details'] {
    const kinds = [
      { why: 'slowest' as const, records: this.#slowest.whole },
      { why: 'failed' as const, records: this.#failed.whole },
      { why: 'random' as const, records: this.#any.whole },
    ]
    const collected = new Set<number>()
    return Array.from({ length: WHOLE }, (_, at) => at).flatMap((at) =>
      kinds.flatMap(({ why, records }) => {
        const record = records[at]
        if (record === undefined || collected.has(record.index)) return []
        collected.add(record.index)
        const row = truth?.of(record.kickoffId) ?? null
        const endedMs = row?.ended_ms ?? null
        const trueEndMicros = endedMs === null ? null : toRunClock(endedMs, truth!.clock)
        return [{ why, record, ledger: row, trueEndMicros }]
      }),
    )
  }
}

/** Executions of one kind: all as rows, the first of them whole. */
class Stratum {
  readonly #rows: FirstOnes<{ kept: SampledTimes; row: ExecutionRow | null }>
  readonly #whole: FirstOnes<ExecutionRecord>

  constructor(limit: number, compare: (a: SampledTimes, b: SampledTimes) => number) {
    this.#rows = new FirstOnes(limit, (a, b) => compare(a.kept, b.kept))
    this.#whole = new FirstOnes<ExecutionRecord>(WHOLE, compare)
  }

  offer(record: ExecutionRecord): void {
    const { index, intendedMicros, endedMicros } = record
    const kept = { index, intendedMicros, endedMicros }
    if (!this.#rows.wants({ kept, row: null })) return
    this.#rows.offer({ kept, row: executionRowOf(record) })
    this.#whole.offer(record)
  }

  get rows(): ExecutionRow[] {
    return this.#rows.items.flatMap(({ row }) => row ?? [])
  }

  get whole(): readonly ExecutionRecord[] {
    return this.#whole.items
  }
}

function bySlowness(a: SampledTimes, b: SampledTimes): number {
  const duration = (each: SampledTimes): number => each.endedMicros - each.intendedMicros
  return duration(b) - duration(a) || a.index - b.index
}

function byChance(a: SampledTimes, b: SampledTimes): number {
  const chance = ({ index }: SampledTimes): number => fmix32(index ^ SALT)
  return chance(a) - chance(b) || a.index - b.index
}

/** The ledger by kickoff id, with the lane of each row. */
class Truth {
  readonly clock: Ledger['clock']
  readonly #rows = new Map<string, { row: LedgerRow; lane: number | null }>()

  constructor({ rows, clock }: Ledger) {
    this.clock = clock
    const lanes = lanesOf(rows)
    for (const row of rows) {
      this.#rows.set(row.kickoff_id, { row, lane: lanes.get(row.kickoff_id) ?? null })
    }
  }

  of(id: string | null): LedgerRow | null {
    return id === null ? null : (this.#rows.get(id)?.row ?? null)
  }

  row(row: ExecutionRow): ExecutionRow {
    const known = row.kickoffId === null ? undefined : this.#rows.get(row.kickoffId)
    return known === undefined ? row : withLedgerTimes(row, known.row, this.clock, known.lane)
  }
}

/** Each begins in the lowest lane that is free; one that never ended keeps its lane. */
function lanesOf(rows: readonly LedgerRow[]): Map<string, number> {
  const begun = rows
    .flatMap(({ kickoff_id: id, started_ms: from, ended_ms: to }) =>
      from === null ? [] : [{ id, from, to: to ?? Infinity }],
    )
    .sort((a, b) => a.from - b.from)
  const busy = new DueHeap<number>()
  const free = new DueHeap<number>()
  const lanes = new Map<string, number>()
  let used = 0
  for (const { id, from, to } of begun) {
    while (busy.nextDue <= from) {
      const lane = busy.pop()!
      free.push(lane, lane)
    }
    const lane = free.pop() ?? used++
    busy.push(to, lane)
    lanes.set(id, lane)
  }
  return lanes
}
