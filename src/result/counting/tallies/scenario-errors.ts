/**
 * Counts failures of the scenario's own functions, warm-up included: inputs and tags that could not
 * be made, checks that threw.
 */
import type { ScenarioErrors } from '../../observations.ts'
import type { EndReason } from '../../../execution/record/reason.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'

export class ScenarioErrorsTally {
  #arrivals = 0
  readonly #unmade = new Map<string, { count: number; first: Example }>()
  readonly #checks = new Map<string, { calls: number; count: number; first: Example | null }>()

  record(record: ExecutionRecord): void {
    this.#arrivals++
    const { reason, checks } = record
    if (reason?.code === 'author-error') this.#unmadeFor(record.index, reason)
    for (const name in checks) this.#checked(record.index, name, checks[name]!)
  }

  /** Failures by the name of the function. */
  get errors(): ScenarioErrors[] {
    const unmade = [...this.#unmade].map(([part, { count, first }]): ScenarioErrors => ({
      part,
      count,
      calls: this.#arrivals,
      first,
    }))
    const checks = [...this.#checks].flatMap(([name, { calls, count, first }]): ScenarioErrors[] =>
      first === null ? [] : [{ part: `checks.${name}`, count, calls, first }],
    )
    return [...unmade, ...checks].sort((a, b) => (a.part < b.part ? -1 : 1))
  }

  #unmadeFor(index: number, { part, text }: AuthorError): void {
    const known = this.#unmade.get(part)
    const first = earlier(known?.first ?? null, { index, message: text })
    this.#unmade.set(part, { count: (known?.count ?? 0) + 1, first })
  }

  #checked(index: number, name: string, result: boolean | string): void {
    let known = this.#checks.get(name)
    if (known === undefined) {
      known = { calls: 0, count: 0, first: null }
      this.#checks.set(name, known)
    }
    known.calls++
    if (typeof result !== 'string') return
    known.count++
    known.first = earlier(known.first, { index, message: result })
  }
}

type AuthorError = Extract<EndReason, { code: 'author-error' }>
type Example = ScenarioErrors['first']

function earlier(known: Example | null, found: Example): Example {
  return known === null || found.index < known.index ? found : known
}
