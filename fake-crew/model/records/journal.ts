/** Records what a fake crew was asked and what it answered: the latest requests, in order. */
import type { LedgerRequest } from '../../../src/crew/ledger.ts'
import type { Micros } from '../../../src/base/units.ts'
import { MICROS_PER_MS } from '../../../src/base/units.ts'
import type { Tokens } from '../call.ts'
import type { StruckCall } from '../faults/strike.ts'
import type { HeaderFields } from '../limits/headers.ts'

/** At least so many are kept, unless their bodies are too large together. */
const REQUESTS_KEPT = 10_000
/** The most text of bodies and paths, in UTF-16 units. */
const MOST_UNITS = 32 * 1024 * 1024

const NONE: readonly string[] = []

/** An answer on its way; `status` is null if no byte of it is sent. */
export interface SentAnswer {
  status: number | null
  headers: HeaderFields
  /** The true id of the execution that a kickoff started; null for none. */
  startedId: string | null
  /** When its first byte is sent. */
  answeredMicros: Micros
}

/** Values that requests must have; a request that lacks one of them does not match. */
export type RequestFilter = Partial<
  Pick<
    LedgerRequest,
    | 'operation'
    | 'method'
    | 'status'
    | 'kickoff_id'
    | 'token'
    | 'correlation'
    | 'test'
    | 'refused_by'
  >
>

export const REQUEST_FILTERS: readonly string[] = [
  'operation',
  'method',
  'status',
  'kickoff_id',
  'token',
  'correlation',
  'test',
  'refused_by',
] satisfies (keyof RequestFilter)[]

/** With the body of a kickoff, which is read only if somebody asks. */
type JournalEntry = Omit<LedgerRequest, 'inputs'> & { body: string | null }

export class RequestJournal {
  #entries: JournalEntry[] = []
  #units = 0
  #dropped = 0

  /** Requests that are no longer kept. */
  get dropped(): number {
    return this.#dropped
  }

  /** `tokens`: null if the target knows them. */
  add(call: StruckCall, sent: SentAnswer, tokens: Tokens | null): void {
    const { request, route, strike, arrivedMicros, reported } = call
    const { status, headers, startedId, answeredMicros } = sent
    const operation = route?.operation ?? 'other'
    const asked = operation === 'status' ? route!.kickoffId : null
    const entry: JournalEntry = {
      at_ms: arrivedMicros / MICROS_PER_MS,
      answered_ms: status === null ? null : answeredMicros / MICROS_PER_MS,
      operation,
      method: request.method,
      path: request.path,
      status,
      retry_after: (status === null ? null : headers['retry-after']) ?? null,
      kickoff_id: asked ?? startedId,
      token: tokenKind(call.token, tokens),
      correlation: request.headers['x-correlation-id'] ?? null,
      test: call.test,
      refused_by: call.refusedBy,
      faults: strike === null ? NONE : Array.from(strike.touching, ({ fault }) => fault.name),
      reported: request.method === 'HEAD' || strike?.isLegible === false ? null : reported,
      body: operation === 'kickoff' ? request.body : null,
    }
    this.#entries.push(entry)
    this.#units += unitsOf(entry)
    if (this.#entries.length >= 2 * REQUESTS_KEPT) this.#drop()
    while (this.#units > MOST_UNITS && this.#entries.length > 1) this.#drop()
  }

  rows(): LedgerRequest[] {
    return this.#entries.map(({ body, ...row }) => ({ ...row, inputs: inputsIn(body) }))
  }

  /** Those of one test. */
  forget(test: string): void {
    for (const entry of this.#entries) if (entry.test === test) this.#units -= unitsOf(entry)
    this.#entries = this.#entries.filter((entry) => entry.test !== test)
  }

  /** The older half. */
  #drop(): void {
    const count = Math.ceil(this.#entries.length / 2)
    for (const entry of this.#entries.slice(0, count)) this.#units -= unitsOf(entry)
    this.#entries = this.#entries.slice(count)
    this.#dropped += count
  }
}

function unitsOf({ path, body }: JournalEntry): number {
  return path.length + (body?.length ?? 0)
}

function tokenKind(token: string | undefined, tokens: Tokens | null): LedgerRequest['token'] {
  if (token === undefined) return null
  if (token === tokens?.organization) return 'organization'
  return token === tokens?.user ? 'user' : 'other'
}

/** Null for a body that has none, or that cannot be read. */
function inputsIn(body: string | null): LedgerRequest['inputs'] {
  try {
    const { inputs } = JSON.parse(body ?? 'null') as { inputs: LedgerRequest['inputs'] }
    return typeof inputs === 'object' && !Array.isArray(inputs) ? inputs : null
  } catch {
    return null
  }
}
