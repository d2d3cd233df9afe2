/** One run within a trial: it spends from the study's budget, and its journal says how much. */
import type { JournalLine, IncidentLine } from '../../../execution/record/journal-lines.ts'
import type { CarriedRun, RunOrder } from '../../../run/carry.ts'
import { carryRun } from '../../../run/carry.ts'
import type { RunFolder } from '../../../run/folder/folder.ts'
import { requestsOfPreflight } from '../../../run/target/preflight.ts'
import type { Spent } from '../../../engine/sending-budget.ts'
import { unreachable } from '../../../base/assert.ts'
import { readJournal } from '../../../journal/reader.ts'
import { NOTHING_SPENT } from '../../../engine/sending-budget.ts'

export interface TrialRun extends RunOrder {
  /** The name of its folder, beside the study's document. Default: `run-1`, `run-2`, ... */
  folder?: string
}

export interface SpentRun extends CarriedRun {
  spent: Spent
  /** Whether its budget of kickoffs or requests refused a request. */
  budgetSpent: boolean
}

/** As `carryRun`; counts what was sent. */
export async function carryTrialRun(run: TrialRun, folder: RunFolder | null): Promise<SpentRun> {
  const spending = new Spending(requestsOfPreflight({ tokens: run.options.tokens ?? [] }))
  let budgetSpent = false
  const onLine = (line: JournalLine): void => {
    spending.saw(line)
    budgetSpent ||= isBudgetSpent(line)
    run.onLine?.(line)
  }
  const end = await carryRun({ ...run, onLine }, folder)
  return { ...end, spent: spending.spent, budgetSpent }
}

/** Of kickoffs or requests, which may be shared with other trials; not of time. */
function isBudgetSpent(line: JournalLine): boolean {
  if (line.type !== 'incident' || line.incident.kind !== 'note') return false
  const { note } = line.incident
  return note.code === 'budget-spent' && (note.budget === 'kickoff' || note.budget === 'request')
}

class Spending {
  #requests: number
  #kickoffs = 0
  /** The number reserved according to the journal, when there is a budget of requests. */
  #reserved = 0
  /** Kickoffs of executions that have not ended: at least one each. */
  readonly #open = new Map<number, number>()

  /** `preflight`: requests before the first line. */
  constructor(preflight = 1) {
    this.#requests = preflight
  }

  saw(line: JournalLine): void {
    switch (line.type) {
      case 'started':
        this.#open.set(line.index, 1)
        break
      case 'accepted':
        this.#open.set(line.index, line.kickoff.answer.length)
        break
      case 'ended': {
        const { index, kickoff, polls } = line.record
        this.#open.delete(index)
        this.#kickoffs += kickoff.answer.length
        this.#requests += kickoff.answer.length + polls.answer.length
        break
      }
      case 'incident':
        this.#found(line.incident)
        break
      case 'finished':
        this.#requests += line.engine.confirmations
        break
      case 'run':
      case 'resumed':
      case 'push':
        break
      default:
        unreachable(line)
    }
  }

  #found(incident: IncidentLine['incident']): void {
    switch (incident.kind) {
      case 'target-probed':
        this.#requests += incident.probes
        break
      case 'requests-reserved':
        this.#reserved = incident.total
        break
      // Confirmations are counted by the engine: see `finished`.
      case 'confirmation':
      case 'violation':
      case 'time-reserved':
      case 'inputs-missing':
      case 'inputs-refused':
      case 'target-lost':
      case 'clock-step':
      case 'journal-error':
      case 'note':
        break
      default:
        unreachable(incident)
    }
  }

  /**
   * In a journal that was cut, polls of executions in flight are known only as far as they were
   * reserved.
   */
  get spent(): Spent {
    const open = [...this.#open.values()].reduce((sum, count) => sum + count, 0)
    const requests = this.#requests + open
    return {
      requests: open === 0 ? requests : Math.max(requests, this.#reserved),
      kickoffs: this.#kickoffs + open,
    }
  }
}

/** Nothing when there is no readable journal. */
export async function spentIn(journal: string): Promise<Spent> {
  const spending = new Spending()
  let lines = 0
  try {
    for await (const line of readJournal(journal)) {
      spending.saw(line)
      lines++
    }
  } catch {
    // The lines that could be read count.
  }
  return lines === 0 ? NOTHING_SPENT : spending.spent
}
