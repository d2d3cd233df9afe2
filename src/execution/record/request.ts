/** The requests of an execution, out of the columns of its record. */
import type { Micros } from '../../base/units.ts'
import { isAnswer } from './readings.ts'
import type { AnswerCode } from '../../crew/observation.ts'
import type { RequestColumns, RequestRecord } from './record.ts'
import { REQUEST_FIELD_NAMES } from './request-fields.ts'

/** A row of the columns, whose fields are read where they stand. */
class RowOfColumns {
  readonly #columns: RequestColumns
  readonly #at: number

  constructor(columns: RequestColumns, at: number) {
    this.#columns = columns
    this.#at = at
  }

  /** The wait that its answer asked for; null for none. */
  get askedMicros(): Micros | null {
    return this.#columns.asked?.find(({ request }) => request === this.#at)?.micros ?? null
  }

  static {
    for (const name of REQUEST_FIELD_NAMES) {
      Object.defineProperty(RowOfColumns.prototype, name, {
        get(this: RowOfColumns) {
          return this.#columns[name][this.#at]
        },
      })
    }
  }
}

/** TypeScript does not see properties that a loop defines. */
const RequestRow = RowOfColumns as unknown as new (
  ...row: ConstructorParameters<typeof RowOfColumns>
) => Readonly<RequestRecord> & Pick<RowOfColumns, 'askedMicros'>

/** A request, and what follows from its row; points in time are on the run's clock. */
export class Request extends RequestRow {
  intendedMicros: Micros
  /** When its first byte was sent; when it failed, if it never was. */
  readonly sentMicros: Micros
  readonly doneMicros: Micros
  /** A complete answer came. */
  readonly isAnswered: boolean
  /**
   * The answer is other than 2xx or unreadable, or there is none; a request that we cancelled is
   * not an error of the target.
   */
  readonly isError: boolean

  /** The request at the position `at`, from 0. */
  constructor(columns: RequestColumns, at: number, executionIntendedMicros: Micros) {
    super(columns, at)
    this.intendedMicros = executionIntendedMicros + columns.dueMicros[at]!
    this.sentMicros = this.intendedMicros + columns.lateMicros[at]! + columns.waitMicros[at]!
    this.doneMicros = this.sentMicros + Math.max(0, columns.serviceMicros[at]!)
    const answer = columns.answer[at]!
    this.isAnswered = isAnswer(answer)
    this.isError = isError(answer)
  }
}

/** All of them, in the order they were made. */
export function requestsIn(columns: RequestColumns, executionIntendedMicros: Micros): Request[] {
  return columns.answer.map((_, at) => new Request(columns, at, executionIntendedMicros))
}

/** Those of which a byte was sent. */
export function sentIn(columns: RequestColumns, executionIntendedMicros: Micros): Request[] {
  const all = requestsIn(columns, executionIntendedMicros)
  return all.filter(({ serviceMicros }) => serviceMicros >= 0)
}

function isError(answer: AnswerCode): boolean {
  if (typeof answer === 'string') return answer !== 'cancelled'
  return answer < 200 || answer > 299
}
