/** The plan that reveals most for its cost in requests and in time. */
import type { Random } from '../../../../../base/random.ts'
import type { Belief, Weighed } from '../belief.ts'
import type { GroupTiming } from '../evidence/timing.ts'
import type { Hypothesis, Parameters, Model } from '../hypotheses/hypothesis.ts'
import type { ExperimentPlan } from '../interface.ts'
import { advanceModel } from '../search/replay.ts'
import type { Constraints, Situation } from './grammar.ts'
import { atShare, drawPlans } from './grammar.ts'
import { lastsMs, plannedRequests } from './plans.ts'
import type { RequestGroup } from '../evidence/groups.ts'
import { emptyGroup } from '../evidence/groups.ts'

/** Plans that are compared. */
const PLANS = 90
/** Particles that predict, of each hypothesis and altogether. */
const EACH = 10
const ALL = 60
/** So many requests, and so much of a window, cost as much as an experiment does at least. */
const REQUESTS = 25
const WINDOWS = 0.15
/** A wait is not held against a plan more than if windows were as long as this. */
const LEAST_WAIT_MS = 1_000
/** Nor is a drain: a bucket of tokens that come fast takes many of them to be known. */
const DRAIN_MS = 5_000
/** Rivals count for more than their probability: it is the search that may have failed. */
const TEMPER = 0.3

/** What its outcome would tell about the kind, and about the parameters. */
interface Worth {
  kindNats: number
  parameterNats: number
}

export interface ExperimentChoice extends Worth {
  plan: ExperimentPlan
}

export function choosePlan(
  belief: Belief,
  constraints: Constraints,
  random: Random,
): ExperimentChoice | null {
  const situation = situationOf(belief, constraints, random)
  const { timing } = belief.grouped
  const { parameterShare, nowMs } = constraints
  const typicalMs = Math.max(LEAST_WAIT_MS, typicalSpan(situation))
  const priced = drawPlans(situation, PLANS, random)
    .map((plan) => {
      const spanMs = plan.isDrain ? Math.max(DRAIN_MS, typicalMs) : typicalMs
      const waits = lastsMs(plan, nowMs) / (WINDOWS * spanMs)
      return { plan, cost: 1 + plannedRequests(plan) / REQUESTS + waits }
    })
    .sort((a, b) => a.cost - b.cost)
  const bound = mostWorth(situation)
  let chosen: ExperimentChoice | null = null
  let most = 0
  for (const { plan, cost } of priced) {
    // Dearer ones could not tell enough.
    if (bound / cost <= most) break
    const worth = worthOf(plan, situation, timing, random)
    const score = (worth.kindNats + parameterShare * worth.parameterNats) / cost
    if (score > most) {
      most = score
      chosen = { plan, ...worth }
    }
  }
  return chosen
}

/** What no plan exceeds: it cannot tell more apart than there is. */
function mostWorth({ candidates, parameterShare }: Situation): number {
  const kinds = new Map<Hypothesis, number>()
  for (const { hypothesis, weight } of candidates) add(kinds, hypothesis, weight)
  const ofParameters = -Math.log(candidates.reduce((sum, { weight }) => sum + weight ** 2, 0))
  const entropy = [...kinds.values()].reduce((sum, weight) => sum - weight * Math.log(weight), 0)
  return entropy + parameterShare * ofParameters
}

function situationOf(belief: Belief, constraints: Constraints, random: Random): Situation {
  const { groups, timing, promise } = belief.grouped
  const alive = belief.weighed
    .filter(({ pool }) => pool.hypothesis.fitOf === undefined)
    .map((weighed) => ({ weighed, weight: Math.max(weighed.probability, 1e-9) ** TEMPER }))
  const total = alive.reduce((sum, { weight }) => sum + weight, 0)
  const candidates = alive.flatMap(({ weighed, weight }) => {
    const share = weight / total
    const count = Math.max(1, Math.min(EACH, Math.round(share * ALL)))
    const { hypothesis } = weighed.pool
    return particlesOf(weighed, count, random).map((parameters) => {
      const model = hypothesis.model(parameters, timing.sigmaMs)
      const state = model.fresh()
      for (const group of groups) advanceModel(model, state, group, promise)
      // How long a window is, a bucket takes to fill, a block lasts; else an answer takes.
      const isCounter = hypothesis.kind === 'sliding-counter'
      const ownMs = isCounter ? parameters.windowMs : model.memoryMs
      const spanMs = ownMs === 0 ? timing.serviceMs + timing.tripMs : ownMs
      const limit = Math.max(1, parameters.limit)
      return { hypothesis, parameters, model, state, weight: share / count, limit, spanMs }
    })
  })
  const apartMs = timing.orderMs + timing.tripMs
  return { ...constraints, apartMs, isCounted: promise !== null, candidates }
}

/** The best, and others at random that fit about as well. */
function particlesOf({ pool, best }: Weighed, count: number, random: Random): Parameters[] {
  const near = pool.particles.filter(({ fit }) => fit > best.fit - 3)
  const picked = [best]
  while (picked.length < Math.min(count, near.length)) picked.push(random.pick(near))
  return Array.from({ length: count }, (_, i) => picked[i % picked.length]!.parameters)
}

function typicalSpan({ candidates }: Situation): number {
  const rising = candidates.toSorted((a, b) => a.spanMs - b.spanMs)
  return Math.max(100, atShare(rising, 0.5).spanMs)
}

/** What a candidate predicts, twice: where it contradicts itself, its prediction is noise. */
interface Predicted {
  hypothesis: Hypothesis
  weight: number
  first: number
  second: number
}

/** So much of all weight an outcome is given that no explanation has predicted. */
const UNFORESEEN = 0.02

function worthOf(
  plan: ExperimentPlan,
  { candidates, isCounted }: Situation,
  timing: GroupTiming,
  random: Random,
): Worth {
  const predictions = candidates.map((candidate): Predicted => {
    const { hypothesis, weight, limit } = candidate
    const counted = isCounted ? limit : 0
    const first = outcomeOf(candidate, plan, timing, random, counted)
    const second = outcomeOf(candidate, plan, timing, random, counted)
    return { hypothesis, weight, first, second }
  })
  return { kindNats: kindNatsOf(predictions), parameterNats: parameterNatsOf(predictions) }
}

/**
 * How much better the kind behind a second prediction is guessed by who predicted the same at first
 * than without it, a lower bound of what they have in common (Barber and Agakov, 2003): outcomes
 * that are all different because each is noise tell nothing.
 */
function kindNatsOf(predictions: readonly Predicted[]): number {
  const kinds = new Map<Hypothesis, number>()
  const ofOutcome = new Map<number, number>()
  const ofBoth = new Map<Hypothesis, Map<number, number>>()
  for (const { hypothesis, weight, first } of predictions) {
    add(kinds, hypothesis, weight)
    add(ofOutcome, first, weight)
    const ofKind = ofBoth.get(hypothesis) ?? new Map<number, number>()
    ofBoth.set(hypothesis, ofKind)
    add(ofKind, first, weight)
  }
  let nats = 0
  for (const { hypothesis, weight, second } of predictions) {
    const share = kinds.get(hypothesis)!
    const both = ofBoth.get(hypothesis)!.get(second) ?? 0
    const all = ofOutcome.get(second) ?? 0
    nats += weight * Math.log((both / share + UNFORESEEN) / (all + UNFORESEEN))
  }
  return Math.max(0, nats)
}

/**
 * By how much likelier the two predictions of one candidate agree than those of two: the difference
 * of Rényi entropies of second order.
 */
function parameterNatsOf(predictions: readonly Predicted[]): number {
  const ofOutcome = new Map<number, number>()
  let same = 0
  for (const { weight, first, second } of predictions) {
    add(ofOutcome, first, weight)
    if (first === second) same += weight
  }
  let others = 0
  for (const { weight, second } of predictions) others += weight * (ofOutcome.get(second) ?? 0)
  return Math.max(0, Math.log((same + UNFORESEEN) / (others + UNFORESEEN)))
}

function add<Key>(sums: Map<Key, number>, key: Key, weight: number): void {
  sums.set(key, (sums.get(key) ?? 0) + weight)
}

/** A burst arrives over this many standard deviations of an arrival. */
const BURST_SPREAD = 2.5

/**
 * A number for each outcome; equal outcomes have equal numbers. `state` is left as it is.
 * `counted`: the most that headers can say is left, 0 where they do not tell.
 */
function outcomeOf(
  { model, state }: { model: Model<object>; state: object },
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
  model: Model<object>,
  state: object,
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

/**
 * The most of `count` that are in time by the end of the group. It is asked so often that
 * `lastWhere` takes a tenth of a study's time more.
 */
function mostIn(model: Model<object>, state: object, group: RequestGroup, count: number): number {
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
