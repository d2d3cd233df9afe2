/**
 * Plans drawn from a grammar: when to begin, how many requests at once, what comes after. Times
 * are where the living explanations say that something happens.
 */
import type { Random } from '../../../../../base/random.ts'
import { emptyGroup } from '../evidence/groups.ts'
import type { Hypothesis, Model, Parameters } from '../hypotheses/hypothesis.ts'
import type { ExperimentPlan, Send } from '../interface.ts'
import { lastsMs, plannedRequests, singles } from './plans.ts'

/** A way to explain the evidence, and where it stands now. */
interface Candidate {
  hypothesis: Hypothesis
  parameters: Parameters
  model: Model<object>
  state: object
  /** All sum up to 1. */
  weight: number
  /** At least 1. */
  limit: number
  spanMs: number
}

/** What the plan has to keep to. */
export interface Constraints {
  nowMs: number
  requestsLeft: number
  mostPauseMs: number
  /** How much the parameters count beside the kind, from 0. */
  parameterShare: number
}

export interface Situation extends Constraints {
  /** Apart by this much, requests have an order. */
  apartMs: number
  /** Whether headers tell what is left after each request. */
  isCounted: boolean
  candidates: readonly Candidate[]
}

/** Where headers count, one request shows as much as a burst: most plans have single ones. */
const SINGLES = 0.8

/** `count` plans. */
export function drawPlans(situation: Situation, count: number, random: Random): ExperimentPlan[] {
  return Array.from({ length: count }, () => drawPlan(situation, random)).filter(
    (plan) =>
      plannedRequests(plan) <= situation.requestsLeft &&
      lastsMs(plan, situation.nowMs) <= situation.mostPauseMs,
  )
}

function drawPlan(situation: Situation, random: Random): ExperimentPlan {
  const { nowMs, apartMs, candidates } = situation
  const candidate = atShare(candidates, random.next())
  const { kind } = candidate.hypothesis
  if (kind === 'token-bucket' && random.next() < DRAINS) return drain(candidate, nowMs, random)
  if (kind === 'penalty' && random.next() < SWEEPS) return sweep(candidate, situation, random)
  if (random.next() < APPROACHES) {
    const plan = approach(candidate, situation, random)
    if (plan !== null) return plan
  }
  const startMs = Math.max(nowMs, nowMs + startAfter(candidate, situation, random))
  const count = (): number =>
    situation.isCounted && random.next() < SINGLES ? 1 : size(candidate.limit, random)
  const sends = [{ afterMs: 0, count: count() }]
  const more = random.pick([0, 0, 1, 1, 2, 3])
  let afterMs = 0
  for (let i = 0; i < more; i++) {
    const apart = random.pick([0.02, 0.1, 0.25, 0.45, 0.55, 0.75, 0.9, 1, 1.1])
    afterMs += Math.max(apartMs, apart * candidate.spanMs * (0.9 + 0.2 * random.next()))
    sends.push({ afterMs, count: count() })
  }
  const areSingle = sends.length > 1 && sends.every((send) => send.count === 1)
  const until = areSingle && random.next() < 0.5 ? 'accepted' : null
  return { startMs, sends, until, isDrain: false }
}

/** Share of the plans that look closely at when requests are let in again. */
const APPROACHES = 0.25
const APPROACHED = [3, 5, 8, 12]
/** Explanations of which the earliest and the latest time are taken. */
const COMPARED = 6

/**
 * Single requests from the earliest time at which an explanation lets one in to the latest, until
 * one is: within one window they tell its length as well as several windows would one by one.
 */
function approach(
  candidate: Candidate,
  { nowMs, apartMs, candidates }: Situation,
  random: Random,
): ExperimentPlan | null {
  const k = random.next() < 0.7 ? 1 : 1 + random.int(Math.max(1, candidate.limit))
  let fromMs = freeAfter(candidate, k, nowMs)
  let toMs = fromMs
  for (let i = 0; i < COMPARED; i++) {
    const ms = freeAfter(atShare(candidates, random.next()), k, nowMs)
    fromMs = Math.min(fromMs, ms)
    toMs = Math.max(toMs, ms)
  }
  if (toMs - fromMs < apartMs) return null
  const most = Math.floor((toMs - fromMs) / apartMs)
  const count = Math.min(most, random.pick(APPROACHED))
  const afterMs = (i: number): number => ((toMs - fromMs) * i) / count
  return singles(nowMs + fromMs, count + 1, afterMs, { until: 'accepted' })
}

/** How many of the plans for a bucket drain it: how many get in within a long time is its rate. */
const DRAINS = 0.12
/** Gaps between requests, as shares of the time that a token takes. */
const PACES = [0.5, 0.7, 0.85, 0.95]
const DRAINED = [8, 15, 25, 40]
/** Many tokens are counted if they come faster than this: the jitter hides some. */
const FAST_MS = 150
const FAST_DRAINED = [25, 40, 70, 110]

/** Single requests, a bit faster than tokens come. */
function drain({ parameters }: Candidate, nowMs: number, random: Random): ExperimentPlan {
  const tokenMs = parameters.windowMs
  const paceMs = tokenMs * random.pick(PACES)
  const length = random.pick(tokenMs < FAST_MS ? FAST_DRAINED : DRAINED)
  return singles(nowMs, length, (i) => i * paceMs, { isDrain: true })
}

/** Share of the plans for a penalty that come ever closer to what provokes the block. */
const SWEEPS = 0.3
/** As much as the limit takes at first this much of the window, and in the end. */
const SWEPT_FROM = [1.15, 1.4, 2]
const SWEPT_TO = [0.55, 0.7, 0.85]
/** Groups in which the limit is sent. */
const SWEPT_GROUPS = 14

/** Ever faster, until it is refused: one block shows how long the window is. */
function sweep(
  candidate: Candidate,
  { nowMs, apartMs }: Situation,
  random: Random,
): ExperimentPlan {
  const { limit, parameters } = candidate
  const each = Math.ceil(limit / SWEPT_GROUPS)
  const groups = Math.max(1, Math.round(limit / each))
  const from = random.pick(SWEPT_FROM)
  const ratio = random.pick(SWEPT_TO) / from
  const sends: Send[] = []
  let afterMs = 0
  for (let i = 0; i <= 2 * groups; i++) {
    sends.push({ afterMs, count: each })
    afterMs += Math.max(
      apartMs,
      (parameters.windowMs / groups) * from * ratio ** (i / (2 * groups)),
    )
  }
  const startMs = nowMs + freeAfter(candidate, limit, nowMs)
  return { startMs, sends, until: 'refused', isDrain: false }
}

/** Milliseconds from `nowMs` until `k` requests are let in at once; 0 where that is not known. */
function freeAfter({ model, state }: Candidate, k: number, nowMs: number): number {
  const at = { lastAcceptedMs: nowMs, firstRefusedMs: nowMs, lastRefusedMs: nowMs }
  const ms = model.timeOf(state, k, { ...emptyGroup(nowMs, nowMs), ...at }) - nowMs
  return Number.isFinite(ms) ? Math.max(0, ms) : 0
}

/** Milliseconds from now, where this explanation says that something comes back. */
function startAfter(candidate: Candidate, { nowMs }: Situation, random: Random): number {
  const { limit, spanMs } = candidate
  const until = (k: number): number => freeAfter(candidate, k, nowMs)
  switch (random.int(6)) {
    case 0:
      return 0
    case 1:
    case 2:
      return until(1)
    case 3:
      return until(limit)
    case 4:
      return until(1 + random.int(Math.max(1, limit)))
    default:
      return spanMs * random.pick([0.25, 0.5, 0.75, 1, 1.5, 2.05])
  }
}

function size(limit: number, random: Random): number {
  switch (random.int(8)) {
    case 0:
    case 1:
    case 2:
      return 1
    case 3:
      return 2 + random.int(3)
    case 4:
      return Math.max(1, Math.round(limit / 2))
    case 5:
      return Math.max(1, limit - 1)
    case 6:
      return limit + 1
    default:
      return 1 + random.int(limit + 2)
  }
}

/** The first up to which the weights add up to that share of all. */
export function atShare<T extends { weight: number }>(list: readonly T[], share: number): T {
  let rest = share
  for (const one of list) {
    rest -= one.weight
    if (rest <= 0) return one
  }
  return list.at(-1)!
}
