/**
 * The measured window as the analysis takes it: completed by the ledger, and by the executions that
 * a crash left open.
 */
import type { Group, OpenExecution, Throughput } from '../observations.ts'
import type { Reconciliation } from '../ledger/reconcile.ts'
import type { Micros } from '../../base/units.ts'
import type { CountedLifetimes, GroupTally } from './tallies/group.ts'
import type { Histogram } from './histogram.ts'
import type { AcceptedLine, StartedLine } from '../../execution/record/journal-lines.ts'
import { isUnsent } from '../../execution/machine.ts'
import type { ExecutionRecord } from '../../execution/record/record.ts'

/** The lines are not kept: an accepted one holds columns. */
interface Balance extends OpenExecution {
  /** `started` and `accepted` lines seen, minus those that an `ended` line accounts for. */
  lines: number
  hasStarted: boolean
}

/**
 * An execution is dropped from memory when all of its lines were seen: memory holds what is in
 * flight, not the run.
 */
export class OpenExecutions {
  readonly #balances = new Map<number, Balance>()

  started({ index, instance, intendedMicros }: StartedLine): void {
    const balance = this.#settle(index, 1)
    balance.hasStarted = true
    balance.instance = instance
    balance.intendedMicros = intendedMicros
  }

  accepted({ index, atMicros, kickoffId }: AcceptedLine): void {
    const balance = this.#settle(index, 1)
    balance.acceptedMicros = atMicros
    balance.kickoffId = kickoffId
  }

  ended(record: ExecutionRecord): void {
    const wasStarted = !isUnsent(record.outcome) || record.kickoff.answer.length > 0
    if (!wasStarted) return
    this.#settle(record.index, record.acceptedMicros === null ? -1 : -2)
  }

  /** The open executions, in order of their index. */
  list(): OpenExecution[] {
    return [...this.#balances.values()]
      .filter(({ lines, hasStarted }) => lines > 0 && hasStarted)
      .map(({ lines: _lines, hasStarted: _hasStarted, ...open }) => open)
      .sort((a, b) => a.index - b.index)
  }

  #settle(index: number, lines: number): Balance {
    const known = this.#balances.get(index)
    const balance = known ?? blank(index)
    balance.lines += lines
    if (balance.lines === 0) this.#balances.delete(index)
    else if (known === undefined) this.#balances.set(index, balance)
    return balance
  }
}

function blank(index: number): Balance {
  return {
    index,
    instance: 0,
    intendedMicros: 0,
    acceptedMicros: null,
    kickoffId: null,
    lines: 0,
    hasStarted: false,
  }
}

/** The measured window in histograms that can be encoded. */
interface MeasuredWindow extends Group {
  executions: CountedLifetimes<Histogram>
  kickoffs: CountedLifetimes<Histogram>
  detection: CountedLifetimes<Histogram>
}

/** Creates a histogram that exists as long as one document is being made. */
export type Collect = (values: Iterable<number>) => Histogram

interface Additions {
  /** Executions of the window that were started and have no end. */
  open: readonly OpenExecution[]
  lastSeenMicros: Micros
  reconciliation: Reconciliation | null
  throughput: Throughput | null
  collect: Collect
}

/** An open execution counts as observed until the last moment that any line reports. */
export function measuredWindow(
  tally: GroupTally<Histogram>,
  { open, lastSeenMicros, reconciliation, throughput, collect }: Additions,
): MeasuredWindow {
  const { executions, kickoffs, detection } = tally
  const watched = (each: OpenExecution): Micros => lastSeenMicros - each.intendedMicros
  const unanswered = open.filter(({ acceptedMicros }) => acceptedMicros === null)
  const answered = open.flatMap(({ acceptedMicros, intendedMicros }) =>
    acceptedMicros === null ? [] : [acceptedMicros - intendedMicros],
  )
  return {
    ...tally.with({ throughput, open: open.length }),
    executions: {
      ...executions,
      censored: joined(executions.censored, open.map(watched), collect),
    },
    kickoffs: {
      ended: joined(kickoffs.ended, answered, collect),
      censored: joined(kickoffs.censored, unanswered.map(watched), collect),
      never: kickoffs.never,
    },
    detection: reconciliation === null ? detection : byLedger(detection, reconciliation, collect),
  }
}

function joined(sample: Histogram, values: readonly number[], collect: Collect): Histogram {
  if (values.length === 0) return sample
  const all = collect(values)
  all.add(sample)
  return all
}

/**
 * An execution counts as `never` when the client never learned of its end; so does a kickoff
 * without an id whose execution ended.
 */
function byLedger(
  { censored, never }: CountedLifetimes<Histogram>,
  { detection, unlearned }: Reconciliation,
  collect: Collect,
): CountedLifetimes<Histogram> {
  const ended = collect(detection.map(({ micros }) => micros))
  return { ended, censored, never: never + unlearned }
}
