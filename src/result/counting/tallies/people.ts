/** People whom the crew asked: how often, how long they were waited for, and what was said. */
import type { Micros } from '../../../base/units.ts'
import { isSuccess } from '../../../crew/read.ts'
import type { AskedPerson, ExecutionRecord } from '../../../execution/record/record.ts'
import type { PeopleResult } from '../../document.ts'
import { arrivalOf } from '../../ledger/faults.ts'
import type { Ledger } from '../../ledger/reconcile.ts'
import type { Counting, Lifetimes } from '../../statistics/sample.ts'
import { lifetimesIn } from '../../statistics/sample.ts'

/** What metrics of people are measured from, in the measured window. */
export interface PeopleCounts {
  result: PeopleResult
  /** One for each question. */
  waits: Lifetimes
}

export class PeopleTally<S extends Counting = Counting> {
  readonly #waits: Lifetimes<S>
  readonly #counts = { executions: 0, questions: 0, yes: 0, no: 0, gone: 0, waiting: 0 }
  readonly #refused = new Map<string, number>()
  readonly #asked = new Set<string>()

  constructor(createSample: () => S) {
    this.#waits = lifetimesIn(createSample)
  }

  record({ people, kickoffId, endedMicros, outcome }: ExecutionRecord): void {
    if (people === undefined || kickoffId === null) return
    this.#counts.executions++
    this.#asked.add(kickoffId)
    for (const person of people) this.#question(person, endedMicros)
    // The crew accepted an answer, and went on to ask.
    if (outcome === 'paused' && isAccepted(people.at(-1)!)) this.#counts.waiting++
  }

  #question(person: AskedPerson, endedMicros: Micros): void {
    const { seenMicros, answer, goneMicros } = person
    const counts = this.#counts
    counts.questions++
    const hasAnswer = isAccepted(person)
    if (answer !== undefined && !hasAnswer) {
      const code = String(answer.code)
      this.#refused.set(code, (this.#refused.get(code) ?? 0) + 1)
    }
    if (answer !== undefined && hasAnswer) {
      counts[answer.approve ? 'yes' : 'no']++
      this.#waits.ended.record(answer.doneMicros - seenMicros)
    } else if (goneMicros === null) {
      counts.waiting++
      this.#waits.censored.record(Math.max(0, endedMicros - seenMicros))
    } else {
      counts.gone++
      this.#waits.ended.record(goneMicros - seenMicros)
    }
  }

  counts(ledger: Ledger | null, runId: string): PeopleCounts {
    const refused = Object.fromEntries(this.#refused)
    const asked = ledger === null ? null : askedBy(ledger, runId, this.#asked)
    return { result: { ...this.#counts, refused, ledger: asked }, waits: this.#waits }
  }

  destroy(free: (sample: S) => void): void {
    free(this.#waits.ended)
    free(this.#waits.censored)
  }
}

function isAccepted({ answer }: AskedPerson): boolean {
  return typeof answer?.code === 'number' && isSuccess(answer.code)
}

/** Of the executions of the run that polls saw ask somebody. */
function askedBy(
  { rows }: Ledger,
  runId: string,
  seen: ReadonlySet<string>,
): PeopleResult['ledger'] {
  const counts = { questions: 0, yes: 0, no: 0, gone: 0, waiting: 0 }
  for (const { correlation, kickoff_id: id, asked = [] } of rows) {
    if (arrivalOf(correlation, runId) === null || !seen.has(id)) continue
    for (const { to_ms, approved } of asked) {
      counts.questions++
      if (to_ms === null) counts.waiting++
      else if (approved === undefined) counts.gone++
      else counts[approved ? 'yes' : 'no']++
    }
  }
  return counts
}
