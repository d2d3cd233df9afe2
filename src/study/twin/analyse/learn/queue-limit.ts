/**
 * Learns the limit of a queue: kickoffs are turned away exactly when a certain number is in the
 * crew.
 */
import { Occupancy } from '../../../../result/statistics/occupancy.ts'
import type { SeenRequest, SeenRun } from '../seen.ts'
import { takenOf } from './taken.ts'

export interface QueueLimit {
  /** The number of executions that may wait. */
  limit: number
  low: number
  high: number
  /** The status of the refusals. */
  status: 429 | 503
  refusals: number
}

const REFUSED = new Set<SeenRequest['answer']>([429, 503])
/** The largest variation of the number in the crew at refusals, as a share of it. */
const APART = 0.05

/** Null if nothing was refused, or refusals do not depend on the number in the crew. */
export function learnQueueLimit(runs: readonly SeenRun[], workers: number): QueueLimit | null {
  const counts: number[] = []
  const statuses: number[] = []
  let most = 0
  for (const run of runs) {
    const inCrew = new Occupancy(
      takenOf(run).map(({ accepted, ended }) => [accepted, ended?.high ?? Infinity]),
    )
    most = Math.max(most, inCrew.most)
    for (const { operation, answer, sent, micros } of run.requests) {
      if (operation !== 'kickoff' || !REFUSED.has(answer)) continue
      counts.push(inCrew.at((sent + micros / 2) * run.speed))
      statuses.push(Number(answer))
    }
  }
  if (counts.length === 0 || most < workers) return null
  const slack = Math.max(2, Math.ceil(APART * most))
  if (counts.some((count) => count < most - slack)) return null
  const limit = Math.max(0, most - workers)
  const status = statuses.filter((each) => each === 429).length * 2 > statuses.length ? 429 : 503
  const low = Math.max(0, Math.min(...counts) - workers)
  return { limit, low: Math.min(low, limit), high: limit, status, refusals: counts.length }
}
