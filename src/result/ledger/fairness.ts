/** How the parts of a mix shared one crew, and who waited for whom, by its ledger. */
import { z } from 'zod'
import type { LedgerRow } from '../../crew/ledger.ts'
import { ms } from '../document-parts.schema.ts'

const fairShare = z.object({
  /** Null for executions that are not of the mix. */
  part: z.string().nullable(),
  executions: z.int(),
  busyMs: ms.describe('Milliseconds that workers spent on its executions'),
  waitMs: ms.describe('Milliseconds that its executions waited for a worker, all together'),
  longestWaitMs: ms,
  behind: z
    .array(z.object({ part: z.string().nullable(), ms }))
    .describe(
      'Whose executions were at work while its own waited; workers of several parts count by their ' +
        'number. What is missing of `waitMs` it waited while nothing was at work',
    ),
})
export type FairShare = z.infer<typeof fairShare>

export const fairness = z.object({
  parts: z.array(z.string()).describe('The parts that load this crew'),
  /** Null without a ledger: nothing else shows who waited for whom. */
  shares: z.array(fairShare).nullable(),
})
export type Fairness = z.infer<typeof fairness>

interface WaitMoment {
  atMs: number
  /** Index of the part. */
  part: number
  waiting: -1 | 0 | 1
  running: -1 | 0 | 1
}

/**
 * Of the whole ledger, warm-up included. `partOf` gives the part of a correlation id, undefined for
 * an execution that is not of the mix. What has not ended counts up to the last event of the
 * ledger.
 */
export function fairSharesOf(
  rows: readonly LedgerRow[],
  parts: readonly string[],
  partOf: (correlation: string | null) => string | undefined,
): FairShare[] {
  const others = rows.some(({ correlation }) => partOf(correlation) === undefined) ? [null] : []
  const names: (string | null)[] = [...parts, ...others]
  const indexOf = new Map(names.map((name, i) => [name, i]))
  const shares = names.map((): Omit<FairShare, 'part' | 'behind'> => {
    return { executions: 0, busyMs: 0, waitMs: 0, longestWaitMs: 0 }
  })
  const lastMs = lastOf(rows)
  const moments = rows.flatMap((row): WaitMoment[] => {
    const part = indexOf.get(partOf(row.correlation) ?? null)!
    const { accepted_ms: acceptedMs, started_ms, ended_ms } = row
    // A restart removes what waited: it has an end without a start.
    const startedMs = started_ms ?? ended_ms ?? lastMs
    const endedMs = ended_ms ?? lastMs
    const waitMs = startedMs - acceptedMs
    const share = shares[part]!
    share.executions++
    share.busyMs += endedMs - startedMs
    share.waitMs += waitMs
    share.longestWaitMs = Math.max(share.longestWaitMs, waitMs)
    return [
      { atMs: acceptedMs, part, waiting: 1, running: 0 },
      { atMs: startedMs, part, waiting: -1, running: started_ms === null ? 0 : 1 },
      { atMs: endedMs, part, waiting: 0, running: started_ms === null ? 0 : -1 },
    ]
  })
  const behind = waitsBehind(moments, names.length)
  return names.map((part, i) => {
    const own = names.map((other, j) => ({ part: other, ms: behind[i]![j]! }))
    return Object.assign({ part, behind: own }, shares[i]!)
  })
}

function lastOf(rows: readonly LedgerRow[]): number {
  let last = 0
  for (const { accepted_ms, started_ms, ended_ms } of rows) {
    last = Math.max(last, accepted_ms, started_ms ?? 0, ended_ms ?? 0)
  }
  return last
}

/**
 * `[i][j]`: the integral of the number of part i that wait, times the share of part j among those
 * that are at work.
 */
function waitsBehind(moments: WaitMoment[], count: number): number[][] {
  const zeros = (): number[] => Array.from({ length: count }, () => 0)
  const [waiting, running] = [zeros(), zeros()]
  const behind = zeros().map(zeros)
  let atMs = 0
  let atWork = 0
  for (const moment of moments.sort((a, b) => a.atMs - b.atMs)) {
    const forMs = moment.atMs - atMs
    atMs = moment.atMs
    if (forMs > 0 && atWork > 0) {
      for (let i = 0; i < count; i++) {
        if (waiting[i] === 0) continue
        const each = (waiting[i]! * forMs) / atWork
        for (let j = 0; j < count; j++) behind[i]![j]! += each * running[j]!
      }
    }
    waiting[moment.part]! += moment.waiting
    running[moment.part]! += moment.running
    atWork += moment.running
  }
  return behind
}

/** Fewer executions say nothing of their like. */
const FEWEST = 20
/** A shorter wait, as a share of the work of an execution, troubles nobody. */
const LONG_WAIT = 0.2

export interface LongWait {
  /** Who waited. */
  part: string
  executions: number
  meanMs: number
  /** Whom it waited for most, as a share of its wait; null for nobody but itself. */
  most: { part: string | null; share: number } | null
  /** Most of it was for others, so that it did not cause its own wait. */
  isForOthers: boolean
}

/** The parts whose executions waited long for a worker. */
export function longWaitsOf(shares: Fairness['shares']): LongWait[] {
  return (shares ?? []).flatMap(({ part, executions, busyMs, waitMs, behind }) => {
    if (part === null || executions < FEWEST || waitMs < LONG_WAIT * busyMs) return []
    const others = behind.filter((each) => each.part !== part && each.ms > 0)
    const most = others.toSorted((a, b) => b.ms - a.ms)[0]
    return {
      part,
      executions,
      meanMs: waitMs / executions,
      most: most === undefined ? null : { part: most.part, share: most.ms / waitMs },
      isForOthers: 2 * others.reduce((sum, { ms }) => sum + ms, 0) >= waitMs,
    }
  })
}
