/**
 * What executions used: by the answers of their polls, else by pushes, which may come before the
 * end of a record or after.
 */
import type { Micros } from '../../base/units.ts'
import { isFinal } from '../../scenario/outcomes.ts'
import type { TokenUsage } from '../../crew/usage.ts'
import type { PushLine } from './journal-lines.ts'
import type { ExecutionRecord } from './record.ts'

export interface Used {
  usage: TokenUsage
  /** False for what was used before an end that nobody saw. */
  isWhole: boolean
}

/** Of the pushes of one execution: the most that one reports, and when the last one came. */
interface PushedUsage {
  usage: TokenUsage
  atMicros: Micros
}

type Reporting = Pick<ExecutionRecord, 'outcome' | 'lastNotDoneSentMicros'> & {
  reported: Pick<ExecutionRecord['reported'], 'usage'>
}

/** What a push changes in what an execution used that has ended. */
interface Correction<R> {
  record: R
  before: Used | null
  after: Used | null
}

/** Keeps what pushes report, and those that have ended without a whole answer. */
export class UsedByPushes<R extends Reporting> {
  readonly #pushed = new Map<string, PushedUsage>()
  readonly #ended = new Map<string, R>()
  readonly #keep: (record: ExecutionRecord) => R

  /** `keep`: what is needed of one until the end of the run. */
  constructor(keep: (record: ExecutionRecord) => R) {
    this.#keep = keep
  }

  /** `listens`: pushes may come. */
  ended(record: ExecutionRecord, listens: boolean): Used | null {
    const { kickoffId: id } = record
    if (id === null || !listens) return usedBy(record, undefined)
    const used = usedBy(record, this.#pushed.get(id))
    if (isAnswered(record)) this.#pushed.delete(id)
    else this.#ended.set(id, this.#keep(record))
    return used
  }

  /** Null if it changes nothing of one that has ended. */
  pushed({ kickoffId: id, usage, atMicros }: PushLine): Correction<R> | null {
    if (id === null || usage === undefined) return null
    const known = this.#pushed.get(id)
    const all =
      known === undefined
        ? { usage, atMicros }
        : { usage: most(known.usage, usage), atMicros: Math.max(known.atMicros, atMicros) }
    this.#pushed.set(id, all)
    const record = this.#ended.get(id)
    if (record === undefined) return null
    return { record, before: usedBy(record, known), after: usedBy(record, all) }
  }
}

/**
 * The answer that ended it reports all, and so does a push, unless a poll saw it at work later.
 * What was reported only before its end is a part. Null if nothing was.
 */
function usedBy(record: Reporting, pushed: PushedUsage | undefined): Used | null {
  const { usage } = record.reported
  const isOver = isFinal(record.outcome)
  if (pushed === undefined || isAnswered(record)) {
    return usage === undefined ? null : { usage, isWhole: isOver }
  }
  const isWhole = pushed.atMicros >= (record.lastNotDoneSentMicros ?? -Infinity)
  if (usage === undefined) return { usage: pushed.usage, isWhole }
  if (isOver) return { usage: isWhole ? named(pushed.usage, usage) : usage, isWhole: true }
  return { usage: most(pushed.usage, usage), isWhole }
}

function isAnswered(record: Reporting): boolean {
  const { usage } = record.reported
  return isFinal(record.outcome) && usage?.inputTokens != null && usage.outputTokens !== null
}

/** The one that reports more; the other may name its model. */
function most(one: TokenUsage, other: TokenUsage): TokenUsage {
  return tokensOf(other) > tokensOf(one) ? named(other, one) : named(one, other)
}

function named(usage: TokenUsage, { model }: TokenUsage): TokenUsage {
  return { ...usage, model: usage.model ?? model }
}

function tokensOf({ totalTokens, inputTokens, outputTokens }: TokenUsage): number {
  return totalTokens ?? (inputTokens ?? 0) + (outputTokens ?? 0)
}
