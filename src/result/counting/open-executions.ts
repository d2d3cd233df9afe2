/** Which executions have started and not ended, and the measured window with them. */
import type { Micros } from '../../base/units.ts'
import { isUnsent } from '../../execution/machine.ts'
import type { AcceptedLine, StartedLine } from '../../execution/record/journal-lines.ts'
import type { ExecutionRecord } from '../../execution/record/record.ts'
import type { Reconciliation } from '../ledger/reconcile.ts'
import type { Histogram } from './histogram.ts'
import type { WindowTally } from './tallies/window.ts'

export interface OpenExecution {
  index: number
  instance: number
  intendedMicros: Micros
  /** Null if the kickoff's answer was not seen. */
  acceptedMicros: Micros | null
  kickoffId: string | null
}

/** The lines are not kept: an accepted one holds columns. */
interface Balance extends OpenExecution {
  /** `started` and `accepted` lines seen, minus those that an `ended` line accounts for. */
  lines: number
  hasStarted: boolean
}

/**
 * From lines in any order. An execution is dropped from memory when all of its lines were seen:
 * memory holds what is in flight, not the run.
 */
export class OpenExecutions {
  readonly #balances = new Map<number, Balance>()

  started({ index, instance, intendedMicros }: StartedLine): void {
    Object.assign(this.#settle(index, 1), { hasStarted: true, instance, intendedMicros })
  }

  accepted({ index, atMicros, kickoffId }: AcceptedLine): void {
    Object.assign(this.#settle(index, 1), { acceptedMicros: atMicros, kickoffId })
  }

  ended(record: ExecutionRecord): void {
    const wasStarted = !isUnsent(record.outcome) || record.kickoff.answer.length > 0
    if (wasStarted) this.#settle(record.index, record.acceptedMicros === null ? -1 : -2)
  }

  /** The open executions, in order of their index. */
  list(): OpenExecution[] {
    return [...this.#balances.values()]
      .filter(({ lines, hasStarted }) => lines > 0 && hasStarted)
      .map(({ lines: _lines, hasStarted: _hasStarted, ...open }) => open)
      .sort((a, b) => a.index - b.index)
  }

  #settle(index: number, lines: number): Balance {
    const balance = this.#balances.get(index) ?? {
      index,
      instance: 0,
      intendedMicros: 0,
      acceptedMicros: null,
      kickoffId: null,
      lines: 0,
      hasStarted: false,
    }
    balance.lines += lines
    if (balance.lines === 0) this.#balances.delete(index)
    else this.#balances.set(index, balance)
    return balance
  }
}

interface Additions {
  /** Executions of the window that were started and have no end. */
  open: readonly OpenExecution[]
  lastSeenMicros: Micros
  reconciliation: Reconciliation | null
  throughput: WindowTally['throughput']
  /** Creates a histogram that exists as long as one document is being made. */
  collect: (values: Iterable<number>) => Histogram
}

/**
 * The measured window, completed by the ledger, and by the executions that a crash left open: each
 * counts as observed until the last moment that any line reports. By the ledger, the end of an
 * execution was never detected when the client never learned of it; so it is with a kickoff without
 * an id whose execution ended.
 */
export function measuredWindow(
  window: WindowTally<Histogram>,
  { open, lastSeenMicros, reconciliation, throughput, collect }: Additions,
): WindowTally<Histogram> {
  const { executions, kickoffs, detection } = window
  const watched = (each: OpenExecution): Micros => lastSeenMicros - each.intendedMicros
  const unanswered = open.filter(({ acceptedMicros }) => acceptedMicros === null)
  const answered = open.flatMap(({ acceptedMicros, intendedMicros }) =>
    acceptedMicros === null ? [] : [acceptedMicros - intendedMicros],
  )
  const joined = (sample: Histogram, values: readonly number[]): Histogram => {
    if (values.length === 0) return sample
    const all = collect(values)
    all.add(sample)
    return all
  }
  return window.with({
    throughput,
    open: open.length,
    executions: { ...executions, censored: joined(executions.censored, open.map(watched)) },
    kickoffs: {
      ended: joined(kickoffs.ended, answered),
      censored: joined(kickoffs.censored, unanswered.map(watched)),
      never: kickoffs.never,
    },
    detection:
      reconciliation === null
        ? detection
        : {
            ended: collect(reconciliation.detection.map(({ micros }) => micros)),
            censored: detection.censored,
            never: detection.never + reconciliation.unlearned,
          },
  })
}
