/** What a model predicts for a plan: how many of each group it lets in. */
import type { Random } from '../../../../../base/random.ts'
import type { Group } from '../evidence/groups.ts'
import { emptyGroup } from '../evidence/groups.ts'
import type { Timing } from '../evidence/timing.ts'
import type { Model } from '../hypotheses/hypothesis.ts'

/** Requests that are sent together, or evenly over `spanMs`. */
export interface Step {
  afterMs: number
  count: number
  spanMs: number
}

export interface Plan {
  startMs: number
  steps: readonly Step[]
  until: 'accepted' | null
}

/** A burst arrives over this many standard deviations of an arrival. */
const BURST_SPREAD = 2.5

/** A number for each outcome; equal outcomes have equal numbers. `state` is left as it is. */
export function outcomeOf(
  model: Model<unknown>,
  state: unknown,
  plan: Plan,
  timing: Timing,
  random: Random,
): number {
  const after = model.copy(state)
  let outcome = 17
  for (const { afterMs, count, spanMs } of plan.steps) {
    const atMs = plan.startMs + afterMs + random.normal() * timing.sigmaMs
    const group = predicted(model, after, atMs, count, spanMs, timing)
    outcome = (Math.imul(outcome, 1_000_003) + group.accepted) | 0
    if (plan.until === 'accepted' && group.accepted > 0) break
    model.advance(after, group)
  }
  return outcome
}

function predicted(
  model: Model<unknown>,
  state: unknown,
  atMs: number,
  count: number,
  spanMs: number,
  timing: Timing,
): Group {
  const spread = count === 1 ? 0 : spanMs + BURST_SPREAD * timing.sigmaMs
  const group = emptyGroup(atMs, atMs + spread)
  group.leavesMs = leaves(count, atMs, spread, timing)
  const accepted = mostIn(model, state, group, count)
  group.accepted = accepted
  group.refused = count - accepted
  const turnMs = atMs + (spread * accepted) / count
  if (accepted > 0) group.lastAcceptedMs = accepted === count ? group.lastMs : turnMs
  if (accepted < count) {
    group.firstRefusedMs = turnMs
    group.lastRefusedMs = group.lastMs
  }
  group.leavesMs = group.leavesMs.slice(0, accepted)
  return group
}

/** The most of `count` that are in time by the end of the group. */
function mostIn(model: Model<unknown>, state: unknown, group: Group, count: number): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (model.timeOf(state, middle, group) <= group.lastMs) low = middle
    else high = middle - 1
  }
  return low
}

function leaves(count: number, atMs: number, spread: number, { serviceMs }: Timing): number[] {
  return Array.from({ length: count }, (_, i) => atMs + (spread * i) / count + serviceMs)
}
