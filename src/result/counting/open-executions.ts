/** Which executions have started and not ended, from lines in any order. */
import type { OpenExecution } from '../observations.ts'
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
