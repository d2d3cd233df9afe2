/** What a model predicts for a plan: how many of each group it lets in. */
import type { Random } from '../../../../../base/random.ts'
import type { RequestGroup } from '../evidence/group.ts'
import { emptyGroup } from '../evidence/group.ts'
import type { GroupTiming } from '../evidence/timing.ts'
import type { Model } from '../hypotheses/hypothesis.ts'
import type { ExperimentPlan } from '../interface.ts'

/** A burst arrives over this many standard deviations of an arrival. */
const BURST_SPREAD = 2.5

/**
 * A number for each outcome; equal outcomes have equal numbers. `state` is left as it is.
 * `counted`: the most that headers can say is left, 0 where they do not tell.
 */
export function outcomeOf(
  { model, state }: { model: Model<unknown>; state: unknown },
  plan: ExperimentPlan,
  timing: GroupTiming,
  random: Random,
  counted: number,
): number {
  const after = model.copy(state)
  const group = emptyGroup(0, 0)
  let outcome = 17
  let total = 0
  for (const { afterMs, count } of plan.sends) {
    const atMs = plan.startMs + afterMs + random.normal() * timing.sigmaMs
    predict(group, model, after, { atMs, count }, timing)
    total += group.accepted
    if (!plan.isDrain) outcome = (Math.imul(outcome, 1_000_003) + group.accepted) | 0
    if (!plan.isDrain && counted > 0 && group.refused === 0) {
      const left = mostIn(model, after, group, group.accepted + counted) - group.accepted
      outcome = (Math.imul(outcome, 1_000_003) + left) | 0
    }
    if (plan.until !== null && group[plan.until] > 0) break
    model.advance(after, group, group.refused)
  }
  if (!plan.isDrain) return outcome
  const endMs = plan.startMs + plan.sends.at(-1)!.afterMs
  return counted > 0 ? mostIn(model, after, emptyGroup(endMs, endMs), counted) - total : total
}

/** `group` becomes what comes of it: models keep nothing of one. */
function predict(
  group: RequestGroup,
  model: Model<unknown>,
  state: unknown,
  { atMs, count }: { atMs: number; count: number },
  timing: GroupTiming,
): void {
  const spread = count === 1 ? 0 : BURST_SPREAD * timing.sigmaMs
  group.firstMs = atMs
  group.lastMs = atMs + spread
  group.accepted = 0
  group.refused = 0
  group.lastAcceptedMs = -Infinity
  group.firstRefusedMs = -Infinity
  group.lastRefusedMs = -Infinity
  if (model.asksLeaves) group.leavesMs = leaves(count, atMs, spread, timing)
  const accepted = mostIn(model, state, group, count)
  group.accepted = accepted
  group.refused = count - accepted
  const turnMs = atMs + (spread * accepted) / count
  if (accepted > 0) group.lastAcceptedMs = accepted === count ? group.lastMs : turnMs
  if (accepted < count) {
    group.firstRefusedMs = turnMs
    group.lastRefusedMs = group.lastMs
  }
  if (model.asksLeaves) group.leavesMs = group.leavesMs.slice(0, accepted)
}

/** The most of `count` that are in time by the end of the group. */
function mostIn(model: Model<unknown>, state: unknown, group: RequestGroup, count: number): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (model.timeOf(state, middle, group) <= group.lastMs) low = middle
    else high = middle - 1
  }
  return low
}

function leaves(count: number, atMs: number, spread: number, { serviceMs }: GroupTiming): number[] {
  const all: number[] = []
  for (let i = 0; i < count; i++) all.push(atMs + (spread * i) / count + serviceMs)
  return all
}
