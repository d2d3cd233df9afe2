/** The plan that tells most for its cost in requests and in time. */
import { unreachable } from '../../../../../base/assert.ts'
import type { Random } from '../../../../../base/random.ts'
import type { Belief, Weighed } from '../belief.ts'
import { HYPOTHESES } from '../hypotheses/list.ts'
import { advance } from '../search/advance.ts'
import { costOf, drawPlans } from './grammar.ts'
import type { Situation } from './grammar.ts'
import { worthOf } from './score.ts'
import type { ExperimentPlan } from './simulate.ts'

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
const LEAST_WEIGHT = 1e-3

export interface ExperimentChoice {
  plan: ExperimentPlan
  kindNats: number
  parameterNats: number
}

/** What the plan has to keep to. */
export interface Constraints {
  nowMs: number
  requestsLeft: number
  mostPauseMs: number
  /** How much the parameters count beside the kind, from 0. */
  parameterShare: number
}

export function choosePlan(
  belief: Belief,
  constraints: Constraints,
  random: Random,
): ExperimentChoice | null {
  const situation = situationOf(belief, constraints, random)
  const { timing } = belief.grouped
  const typicalMs = Math.max(LEAST_WAIT_MS, typicalSpan(situation))
  const priced = drawPlans(situation, PLANS, random)
    .map((plan) => {
      const ms = plan.startMs - constraints.nowMs + plan.steps.at(-1)!.afterMs
      const spanMs = plan.isDrain ? Math.max(DRAIN_MS, typicalMs) : typicalMs
      return { plan, cost: 1 + costOf(plan.steps) / REQUESTS + ms / (WINDOWS * spanMs) }
    })
    .sort((a, b) => a.cost - b.cost)
  const bound = mostWorth(situation, constraints.parameterShare)
  let chosen: ExperimentChoice | null = null
  let most = 0
  for (const { plan, cost } of priced) {
    // Dearer ones could not tell enough.
    if (bound / cost <= most) break
    const worth = worthOf(plan, situation, timing, random)
    const score = (worth.kindNats + constraints.parameterShare * worth.parameterNats) / cost
    if (score > most) {
      most = score
      chosen = { plan, ...worth }
    }
  }
  return chosen
}

/** What no plan exceeds: it cannot tell more apart than there is. */
function mostWorth({ candidates }: Situation, parameterShare: number): number {
  const kinds = new Map<number, number>()
  for (const { kind, weight } of candidates) kinds.set(kind, (kinds.get(kind) ?? 0) + weight)
  const ofParameters = -Math.log(candidates.reduce((sum, { weight }) => sum + weight ** 2, 0))
  return entropyOf([...kinds.values()]) + parameterShare * ofParameters
}

function entropyOf(weights: readonly number[]): number {
  return weights.reduce((sum, weight) => sum - weight * Math.log(weight), 0)
}

function situationOf(belief: Belief, constraints: Constraints, random: Random): Situation {
  const { groups, timing, promise } = belief.grouped
  const alive = belief.weighed
    .filter(({ pool }) => pool.hypothesis.fitOf === undefined)
    .map((weighed) => ({ weighed, weight: Math.max(weighed.probability, 1e-9) ** TEMPER }))
    .filter(({ weight }) => weight > LEAST_WEIGHT)
  const total = alive.reduce((sum, { weight }) => sum + weight, 0)
  const candidates = alive.flatMap(({ weighed, weight }) => {
    const share = weight / total
    const count = Math.max(1, Math.min(EACH, Math.round(share * ALL)))
    return particlesOf(weighed, count, random).map((parameters) => {
      const model = weighed.pool.hypothesis.model(parameters, timing.sigmaMs)
      const state = model.fresh()
      for (const group of groups) advance(model, state, group, promise)
      return {
        model,
        state,
        kind: HYPOTHESES.indexOf(weighed.pool.hypothesis),
        weight: share / count,
        limit: Math.max(1, parameters.limit),
        tokenMs: weighed.pool.hypothesis.kind === 'token-bucket' ? parameters.windowMs : null,
        triggerMs: weighed.pool.hypothesis.kind === 'penalty' ? parameters.windowMs : null,
        spanMs: spanOf(weighed, parameters, timing.serviceMs + timing.tripMs),
      }
    })
  })
  return {
    nowMs: constraints.nowMs,
    apartMs: timing.orderMs + timing.tripMs,
    requestsLeft: constraints.requestsLeft,
    mostPauseMs: constraints.mostPauseMs,
    isCounted: promise !== null,
    candidates,
  }
}

/** The best, and others at random that fit about as well. */
function particlesOf({ pool, best }: Weighed, count: number, random: Random) {
  const near = pool.particles.filter(({ fit }) => fit > best.fit - 3)
  const picked = [best]
  while (picked.length < Math.min(count, near.length)) picked.push(random.pick(near))
  return Array.from({ length: count }, (_, i) => picked[i % picked.length]!.parameters)
}

/** How long a window is, a bucket takes to fill, a block lasts. */
function spanOf(
  { pool }: Weighed,
  { limit, windowMs, blockMs }: Weighed['best']['parameters'],
  answerMs: number,
): number {
  switch (pool.hypothesis.kind) {
    case 'token-bucket':
      return limit * windowMs
    case 'penalty':
      return Math.max(windowMs, blockMs)
    case 'concurrency':
    case 'none':
      return answerMs
    case 'leaky-bucket':
    case 'fixed-window':
    case 'sliding-log':
    case 'sliding-counter':
    case 'unknown':
      return windowMs
    default:
      return unreachable(pool.hypothesis.kind)
  }
}

function typicalSpan({ candidates }: Situation): number {
  const spans = candidates.map(({ spanMs, weight }) => ({ spanMs, weight }))
  spans.sort((a, b) => a.spanMs - b.spanMs)
  let rest = 0.5
  for (const { spanMs, weight } of spans) {
    rest -= weight
    if (rest <= 0) return Math.max(100, spanMs)
  }
  return 1_000
}
