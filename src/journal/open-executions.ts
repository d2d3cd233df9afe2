/** Which executions have started and not ended, from lines in any order. */
import type { OpenExecution } from '../analysis/observations.ts'
import type { AcceptedLine, StartedLine } from '../execution/record/journal-lines.ts'
import { isUnsent } from '../execution/machine.ts'
import type { ExecutionRecord } from '../execution/record/record.ts'

interface Balance {
  /** `started` and `accepted` lines seen, minus those that an `ended` line accounts for. */
  lines: number
  started: StartedLine | null
  accepted: AcceptedLine | null
}

/**
 * An execution is dropped from memory when all of its lines were seen: memory holds what is in
 * flight, not the run.
 */
export class OpenExecutions {
  readonly #balances = new Map<number, Balance>()

  started(line: StartedLine): void {
    this.#settle(line.index, 1).started = line
  }

  accepted(line: AcceptedLine): void {
    this.#settle(line.index, 1).accepted = line
  }

  ended(record: ExecutionRecord): void {
    const wasStarted = !isUnsent(record.outcome) || record.kickoff.answer.length > 0
    if (!wasStarted) return
    this.#settle(record.index, record.acceptedMicros === null ? -1 : -2)
  }

  /** The open executions, in order of their index. */
  list(): OpenExecution[] {
    return [...this.#balances.values()]
      .filter(({ lines, started }) => lines > 0 && started !== null)
      .map(({ started, accepted }) => ({
        index: started!.index,
        instance: started!.instance,
        intendedMicros: started!.intendedMicros,
        acceptedMicros: accepted?.atMicros ?? null,
        kickoffId: accepted?.kickoffId ?? null,
      }))
      .sort((a, b) => a.index - b.index)
  }

  #settle(index: number, lines: number): Balance {
    const balance = this.#balances.get(index) ?? { lines: 0, started: null, accepted: null }
    balance.lines += lines
    if (balance.lines === 0) this.#balances.delete(index)
    else this.#balances.set(index, balance)
    return balance
  }
}
