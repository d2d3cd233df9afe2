/** Computes where the time went for executions near a quantile of end to end. */
import type { LedgerEvidence } from '../ledger/reconcile.ts'
import { sharedWaitsIn } from '../ledger/shared-waits.ts'
import { rowTimesOf } from '../ledger/task-times.ts'
import { meanOf } from '../statistics/moments.ts'
import type { LedgerRow } from '../../crew/ledger.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { ClockMapping } from '../clock.ts'
import { toRunClock } from '../clock.ts'
import type { BreakdownBar } from '../document.ts'
import type { Strip } from '../counting/tallies/highlights.ts'
import { rankOf, neededFor } from '../statistics/quantiles.ts'

type BarPart = BreakdownBar['parts'][number]

/**
 * One bar averages this share of the sample around its quantile, and at least three executions: a
 * single one would be an anecdote.
 */
const NEIGHBOUR_SHARE = 0.05
const FEWEST_NEIGHBOURS = 3

/**
 * Bars at p50 and p95 of the sampled executions that ended; none at a quantile for which they are
 * too few.
 */
export function breakdown(
  strips: readonly Strip[],
  evidence: LedgerEvidence | null,
): BreakdownBar[] {
  const sorted = strips.toSorted((a, b) => a.totalMicros - b.totalMicros || a.index - b.index)
  return [
    { at: 'p50', q: 0.5 },
    { at: 'p95', q: 0.95 },
  ]
    .filter(({ q }) => sorted.length >= neededFor(q))
    .map(({ at, q }) => averageBar(at, neighbours(sorted, q), evidence))
}

function neighbours(sorted: readonly Strip[], q: number): readonly Strip[] {
  const count = Math.max(FEWEST_NEIGHBOURS, Math.round(sorted.length * NEIGHBOUR_SHARE))
  const centre = rankOf(sorted.length, q) - 1
  const first = Math.min(Math.max(0, centre - (count >> 1)), sorted.length - count)
  return sorted.slice(first, first + count)
}

function averageBar(
  at: string,
  strips: readonly Strip[],
  evidence: LedgerEvidence | null,
): BreakdownBar {
  const sums = new Map<string, BarPart>()
  for (const strip of strips) {
    for (const part of partsOf(strip, evidence)) {
      const key = `${part.part} ${part.task ?? ''}`
      const sum = sums.get(key)
      if (sum === undefined) sums.set(key, { ...part })
      else sum.ms += part.ms
    }
  }
  const parts = [...sums.values()]
    .map((part) => Object.assign(part, { ms: part.ms / strips.length }))
    .filter(({ part, ms }) => !MAY_BE_ABSENT.has(part) || ms > 1)
  return {
    at,
    totalMs: meanOf(strips.map(({ totalMicros }) => totalMicros)) / MICROS_PER_MS,
    parts,
  }
}

function partsOf(strip: Strip, evidence: LedgerEvidence | null): BarPart[] {
  const { kickoffId } = strip
  const row = kickoffId === null ? undefined : evidence?.reconciliation.rowById.get(kickoffId)
  return evidence === null || row === undefined || row.started_ms === null || row.ended_ms === null
    ? reportedParts(strip)
    : ledgerParts(strip, row, row.started_ms, row.ended_ms, evidence.ledger.clock)
}

/**
 * Kickoff, queue, what executions share, each task without that, what runs between the tasks, and
 * detection; they add up to the whole.
 */
function ledgerParts(
  strip: Strip,
  row: LedgerRow,
  startedMs: number,
  endedMs: number,
  clock: ClockMapping,
): BarPart[] {
  const source = 'ledger'
  const totalMs = strip.totalMicros / MICROS_PER_MS
  const endedAfterMs = (toRunClock(endedMs, clock) - strip.intendedMicros) / MICROS_PER_MS
  const acceptedAfterMs =
    (toRunClock(row.accepted_ms, clock) - strip.intendedMicros) / MICROS_PER_MS
  const tasks = rowTimesOf(row).tasks.map(({ task, workMs, waits: { askedMs } }) => {
    // No part of a bar is the wait for a person: it stays in its task.
    return { part: 'task' as const, task, ms: workMs + askedMs, source }
  }) satisfies BarPart[]
  const { quotaMs, slowedMs } = sharedWaitsIn(row)
  const between = endedMs - startedMs - quotaMs - slowedMs - sumOf(tasks)
  return [
    { part: 'kickoff', ms: Math.max(0, acceptedAfterMs), source },
    { part: 'queue', ms: startedMs - row.accepted_ms, source },
    { part: 'quota', ms: quotaMs, source },
    { part: 'slowed', ms: slowedMs, source },
    ...tasks,
    { part: 'between', ms: Math.max(0, between), source },
    { part: 'detection', ms: Math.max(0, totalMs - endedAfterMs), source },
  ]
}

/** Shown only if there was more of it than rounding. */
const MAY_BE_ABSENT: ReadonlySet<BarPart['part']> = new Set(['quota', 'slowed', 'between'])

function sumOf(parts: readonly BarPart[]): number {
  return parts.reduce((sum, { ms }) => sum + ms, 0)
}

/**
 * Splits an execution without a ledger: what the client measured, what the target reported, and a
 * remainder that contains both waiting and detection.
 */
function reportedParts(strip: Strip): BarPart[] {
  const kickoffMs = strip.kickoffMicros / MICROS_PER_MS
  const restMs = strip.totalMicros / MICROS_PER_MS - kickoffMs
  const reportedMs = Math.min(restMs, (strip.reportedSeconds ?? 0) * 1_000)
  const tasksMs = strip.reportedTasks.reduce((sum, { seconds }) => sum + seconds * 1_000, 0)
  const believable = tasksMs > 0 && tasksMs <= reportedMs
  const tasks: BarPart[] = believable
    ? strip.reportedTasks.map(({ taskId, seconds }) => ({
        part: 'task',
        task: taskId,
        ms: seconds * 1_000,
        source: 'reported',
      }))
    : []
  const running: BarPart = {
    part: believable ? 'between' : 'running',
    ms: reportedMs - (believable ? tasksMs : 0),
    source: 'reported',
  }
  return [
    { part: 'kickoff', ms: kickoffMs, source: 'measured' },
    ...tasks,
    ...(running.ms > 0 ? [running] : []),
    { part: 'waiting', ms: restMs - reportedMs, source: 'measured' },
  ]
}
