/** A few executions that are kept whole, and a larger sample of the cost of each. */
import { isUnsent } from '../../../execution/machine.ts'
import { sawTheEnd } from '../../../execution/record/readings.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import { fmix32 } from '../../../base/random.ts'
import type { Micros } from '../../../base/units.ts'
import { FirstOnes } from '../../../base/collections/bounded-stores.ts'

const SLOWEST = 5
const FAILED = 5
const RANDOM = 3
const STRIPS = 500
const SALT = 0x6372_6577

/** The cost of one execution and where its time went. */
export interface Strip {
  index: number
  kickoffId: string | null
  /** Intended to the end known. */
  totalMicros: Micros
  /** Intended to accepted. */
  kickoffMicros: Micros
  intendedMicros: Micros
  polls: number
  reportedSeconds: number | null
  reportedTasks: readonly { taskId: string; seconds: number }[]
}

/**
 * Chosen by a hash of the index, so the same arrivals give the same executions in whatever order
 * their records come.
 */
export class Highlights {
  readonly #slowest = new FirstOnes<ExecutionRecord>(
    SLOWEST,
    (a, b) => durationOf(b) - durationOf(a) || a.index - b.index,
  )
  readonly #failed = new FirstOnes<ExecutionRecord>(
    FAILED,
    (a, b) => a.endedMicros - b.endedMicros || a.index - b.index,
  )
  /** Enough that three remain when the slowest and the failed ones are taken out. */
  readonly #random = new FirstOnes<ExecutionRecord>(
    SLOWEST + FAILED + RANDOM,
    (a, b) => chance(a.index) - chance(b.index) || a.index - b.index,
  )
  readonly #strips = new FirstOnes<{ index: number; strip: Strip | null }>(
    STRIPS,
    (a, b) => chance(a.index) - chance(b.index) || a.index - b.index,
  )

  offer(record: ExecutionRecord): void {
    if (isUnsent(record.outcome)) return
    this.#random.offer(record)
    if (record.acceptedMicros !== null) this.#slowest.offer(record)
    if (record.outcome !== 'completed' && record.outcome !== 'aborted') this.#failed.offer(record)
    if (!sawTheEnd(record) || !this.#strips.wants({ index: record.index, strip: null })) return
    this.#strips.offer({ index: record.index, strip: stripOf(record) })
  }

  get strips(): Strip[] {
    return this.#strips.items.flatMap(({ strip }) => strip ?? []).sort((a, b) => a.index - b.index)
  }

  /** Each execution once, with the first reason that selected it. */
  get samples(): { why: 'slowest' | 'failed' | 'random'; record: ExecutionRecord }[] {
    const shown = new Set<number>()
    const chosen = (why: 'slowest' | 'failed' | 'random', all: readonly ExecutionRecord[]) => {
      const found = all.filter(({ index }) => !shown.has(index))
      const kept = why === 'random' ? found.slice(0, RANDOM) : found
      for (const { index } of kept) shown.add(index)
      return kept.map((record) => ({ why, record }))
    }
    return [
      ...chosen('slowest', this.#slowest.items),
      ...chosen('failed', this.#failed.items),
      ...chosen('random', this.#random.items),
    ]
  }
}

function chance(index: number): number {
  return fmix32(index ^ SALT)
}

function durationOf({ endedMicros, intendedMicros }: ExecutionRecord): number {
  return endedMicros - intendedMicros
}

function stripOf(record: ExecutionRecord): Strip {
  return {
    index: record.index,
    kickoffId: record.kickoffId,
    totalMicros: durationOf(record),
    kickoffMicros: (record.acceptedMicros ?? record.intendedMicros) - record.intendedMicros,
    intendedMicros: record.intendedMicros,
    polls: record.polls.answer.length,
    reportedSeconds: record.reported.executionTimeSeconds,
    reportedTasks: record.reported.tasks.flatMap(({ taskId, executionTimeSeconds }) =>
      executionTimeSeconds === null ? [] : [{ taskId, seconds: executionTimeSeconds }],
    ),
  }
}
