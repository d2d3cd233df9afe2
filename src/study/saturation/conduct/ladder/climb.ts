/**
 * Measures the ladder visit by visit, each a trial of the study, until the visits or the study end.
 */
import { plural } from '../../../../base/numbers.ts'
import type { Spent } from '../../../../engine/sending-budget.ts'
import { leastOf } from '../../../../engine/sending-budget.ts'
import type { Trial } from '../../../frame/trial/trial.ts'
import type { Trials } from '../../../frame/trial/trials.ts'
import { measureVisit, SHORTEST_WINDOW_MS } from '../../analyse/visit.ts'
import type { LadderEnd, SaturationVisit } from '../../document.ts'
import { visitSchema } from '../../document.ts'
import type { PlannedVisit } from '../../plan/plan.ts'
import { shareOfBudget } from '../../plan/plan.ts'
import type { VisitOptions, LatencyCounter } from './visit.ts'
import { visitRung, WARM_UP_SHARE } from './visit.ts'

export interface ClimbOptions extends Omit<
  VisitOptions,
  'connections' | 'amount' | 'latency' | 'signal'
> {
  /** Requests that are needed after the ladder: no visit may use them. */
  setAside: number
  /** A fresh counter for each visit. */
  createLatency: () => LatencyCounter
  /** Called for each visit that was not known before. */
  onVisit: (visit: SaturationVisit) => void
}

export interface Climb {
  /** The visits that came to their end, in their order. */
  visits: SaturationVisit[]
  ended: LadderEnd
}

/** A larger share of errors ends the ladder below this rung: more load would only do harm. */
const HOPELESS_SHARE = 0.5

/**
 * `order`: from `visitOrder`. A rung of the first pass with too many errors is the last of the
 * ladder; the further passes visit those below it, and end when one of them has as many. Without
 * `options`, only the known visits are returned.
 */
export async function climbLadder(
  trials: Trials,
  order: readonly PlannedVisit[],
  options: ClimbOptions | null,
): Promise<Climb> {
  const visits: SaturationVisit[] = []
  let ahead = order
  let isHopeless = false
  for (let [next] = ahead; next !== undefined; [next] = ahead) {
    const { connections, pass } = next
    const key = `${plural(connections, 'connection')}, pass ${pass}`
    const isNew = !trials.knows(key)
    const planned = ahead
    const visit = await trials.measured(key, visitSchema, async (trial) =>
      options === null ? null : climbNext(trial, options, planned, visits),
    )
    if (visit === null) return { visits, ended: trials.ended }
    visits.push(visit)
    if (isNew) options?.onVisit(visit)
    ahead = ahead.slice(1)
    if ((visit.errors.value ?? 0) <= HOPELESS_SHARE) continue
    if (pass > 1) return { visits, ended: 'errors' }
    isHopeless = true
    ahead = ahead.filter((each) => each.connections < connections)
  }
  return { visits, ended: isHopeless ? 'errors' : trials.ended }
}

/**
 * Makes the first visit of `ahead`. Null when the study was stopped, or the rest of the budget is
 * too small.
 */
async function climbNext(
  trial: Trial,
  options: ClimbOptions,
  ahead: readonly PlannedVisit[],
  before: readonly SaturationVisit[],
): Promise<SaturationVisit | null> {
  const { connections = 0, pass = 1 } = ahead[0] ?? {}
  const { requests, kickoffs } = trial.left
  const kicksOff = options.request.method === 'POST'
  const { setAside } = options
  const left = leastOf(requests === null ? null : requests - setAside, kicksOff ? kickoffs : null)
  const amount = left === null ? null : amountOf(left, ahead, before)
  if (left !== null && amount === null) return trial.outOfBudget()
  const counted = (count: number): Spent => ({ requests: count, kickoffs: kicksOff ? count : 0 })
  if (amount !== null && !(await trial.reserve(counted(amount)))) return null
  const latency = options.createLatency()
  const { signal } = trial
  try {
    const counts = await visitRung({ ...options, signal, connections, amount, latency })
    trial.sent(counted(counts.sent))
    return counts.endedBy === 'stopped' ? null : measureVisit(counts, pass)
  } finally {
    latency.destroy()
  }
}

/**
 * The share of the first visit of `ahead`. Nothing says yet how fast the target is when the very
 * first one is planned: beside the other visits of its rung it shares with a single pass, so that
 * it rarely is too short.
 */
function amountOf(
  left: number,
  ahead: readonly PlannedVisit[],
  before: readonly SaturationVisit[],
): number | null {
  const [next] = ahead
  const isOfRung = (visit: PlannedVisit): boolean => visit.connections === next?.connections
  const sharing =
    before.length === 0
      ? ahead.filter((visit) => visit.pass === next?.pass || isOfRung(visit))
      : ahead
  const connections = sharing.map((each) => each.connections)
  const alike = before.findLast(isOfRung) ?? before.at(-1)
  return shareOfBudget(left, connections, requestsOfShortestWindow(alike))
}

/**
 * A window is planned this much longer than the shortest that counts, because a visit is rarely as
 * fast as the previous one to the last request.
 */
const WINDOW_MARGIN = 1.2

/**
 * The number of requests per connection until the shortest window that counts is over, at the rate
 * of an earlier visit: with fewer requests, the next one would spend its budget for nothing.
 */
function requestsOfShortestWindow(before: SaturationVisit | undefined): number {
  if (before === undefined || before.windowMs === 0) return 0
  const each = before.requests / before.connections / before.windowMs
  return (each * SHORTEST_WINDOW_MS * WINDOW_MARGIN) / (1 - WARM_UP_SHARE)
}
