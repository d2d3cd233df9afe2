/** The client's account of each execution, kept until it can be compared with a ledger. */
import type { AnchorError, Claim, Ledger, Reconciliation } from '../../ledger/reconcile.ts'
import { reconcile } from '../../ledger/reconcile.ts'
import { sawTheEnd, isAnswer } from '../../../execution/record/readings.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import type { Micros } from '../../../base/units.ts'
import { FirstOnes } from '../../../base/collections/bounded-stores.ts'
import type { Request } from '../../../execution/record/request.ts'
import { requestsIn } from '../../../execution/record/request.ts'
import type { MeasuredOperation } from '../../../crew/answer.ts'
import type { AnswerCode } from '../../../crew/observation.ts'

/** More consecutive errors need no count of their own. */
const ERRORS_KEPT = 500
const LOST_KEPT = 1_000

export interface LastError {
  operation: MeasuredOperation
  answer: AnswerCode
  atMicros: Micros
  /** Index of its execution. */
  index: number
}

/**
 * A lost execution was still known to a request sent at `afterMicros`, and no longer known at
 * `byMicros`.
 */
export interface LostExecution {
  index: number
  acceptedMicros: Micros
  afterMicros: Micros
  byMicros: Micros
}

/** What was observed after a loss, warm-up included. */
export interface AfterLoss {
  /** Some complete answer was neither 401, 403 nor a 5xx. */
  everAnswered: boolean
  /** When the last readable 2xx came; null if none did. */
  lastUsableMicros: Record<MeasuredOperation, Micros | null>
  /** The latest first, at most 500. */
  lastErrors: readonly LastError[]
  /** At most the first 1,000 by their end; only executions that were readable before. */
  lost: readonly LostExecution[]
}

export class AfterLossTally implements AfterLoss {
  readonly lastUsableMicros: AfterLoss['lastUsableMicros'] = { kickoff: null, status: null }
  everAnswered = false
  readonly #errors = new FirstOnes<LastError>(
    ERRORS_KEPT,
    (a, b) =>
      b.atMicros - a.atMicros ||
      b.index - a.index ||
      (a.operation < b.operation ? -1 : a.operation > b.operation ? 1 : 0) ||
      (String(a.answer) < String(b.answer) ? -1 : 1),
  )
  readonly #lost = new FirstOnes<LostExecution>(
    LOST_KEPT,
    (a, b) => a.byMicros - b.byMicros || a.index - b.index,
  )

  request(
    operation: MeasuredOperation,
    { answer, doneMicros, isError }: Request,
    index: number,
  ): void {
    if (answer === 'cancelled') return
    this.everAnswered ||= isAlive(answer)
    if (isError && !isNotFound(operation, answer)) {
      this.#errors.offer({ operation, answer, atMicros: doneMicros, index })
      return
    }
    this.lastUsableMicros[operation] = Math.max(this.lastUsableMicros[operation] ?? 0, doneMicros)
  }

  record(record: ExecutionRecord): void {
    const { outcome, index, acceptedMicros, lastNotDoneSentMicros: afterMicros } = record
    if (outcome !== 'lost' || acceptedMicros === null || afterMicros === null) return
    const byMicros = firstNotFound(record, afterMicros)
    this.#lost.offer({ index, acceptedMicros, afterMicros, byMicros })
  }

  get lastErrors(): readonly LastError[] {
    return this.#errors.items
  }

  get lost(): readonly LostExecution[] {
    return this.#lost.items
  }
}

/**
 * The answer that began the unbroken series of "not found" after which the execution was given up:
 * a 404, or the platform's `NOT FOUND` with a 200.
 */
function firstNotFound(record: ExecutionRecord, afterMicros: Micros): Micros {
  const { polls, intendedMicros, endedMicros } = record
  const poll = requestsIn(polls, intendedMicros).find(
    ({ answer, sentMicros }) => (answer === 404 || answer === 200) && sentMicros > afterMicros,
  )
  return poll?.doneMicros ?? endedMicros
}

/** Whether the answer shows that the target is reachable and accepts our token. */
function isAlive(answer: Request['answer']): boolean {
  if (typeof answer === 'string') return isAnswer(answer)
  return answer < 500 && answer !== 401 && answer !== 403
}

/**
 * Whether the answer says that the execution was not found; such answers are counted separately.
 */
function isNotFound(operation: MeasuredOperation, answer: Request['answer']): boolean {
  return operation === 'status' && answer === 404
}

/** About 200 bytes per execution; equal tags are stored once. */
export class Claims {
  readonly #claims: Claim[] = []
  readonly #tags = new Map<string, readonly string[]>()

  record(record: ExecutionRecord): void {
    const after = record.lastNotDoneSentMicros ?? record.sentMicros
    const isLost = record.outcome === 'lost' && after !== null
    this.#claims.push({
      index: record.index,
      instance: record.instance,
      kickoffId: record.kickoffId,
      outcome: record.outcome,
      outputHash: record.output?.hash ?? null,
      tags: this.#shared(tagsOf(record)),
      warmUp: record.warmUp,
      endedAfterMicros: after,
      endedByMicros: sawTheEnd(record) ? record.firstDoneReceivedMicros : null,
      missingByMicros: isLost ? firstNotFound(record, after) : null,
      endedMicros: record.endedMicros,
    })
  }

  /** `open`: the indexes of executions that were started and have no record. Default none. */
  against(
    ledger: Ledger,
    runId: string,
    anchorError: AnchorError,
    open: ReadonlySet<number> = new Set(),
  ): Reconciliation {
    return reconcile(this.#claims, ledger, runId, anchorError, open)
  }

  #shared(tags: readonly string[]): readonly string[] {
    const text = JSON.stringify(tags)
    const known = this.#tags.get(text)
    if (known !== undefined) return known
    this.#tags.set(text, tags)
    return tags
  }
}

/** Each tag as `name=value`. */
export function tagsOf({ tags }: ExecutionRecord): string[] {
  return Object.entries(tags).map(([name, value]) => `${name}=${value}`)
}
