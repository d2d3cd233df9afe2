/** Whether the safe rate is safe: a steady client tries it, and may meet a second limit. */
import type { RateLimit } from '../../document.ts'
import type { Random } from '../../../../base/random.ts'
import type { Weighed } from './belief.ts'
import { weighedBy } from './belief.ts'
import type { Grouped } from './evidence/groups.ts'
import type { Conclusion, LimitEvidence, Experiment, InferenceOptions } from './interface.ts'
import { experiment, sustainPlan, watchPlan } from './plan/plans.ts'
import { forgottenAfterMs } from './steady-client.ts'
import { inferredLimit } from './inferred-limit.ts'
import type { Hypothesis, Model, Parameters } from './hypotheses/hypothesis.ts'
import { modelOf } from './hypotheses/hypothesis.ts'
import { HYPOTHESES } from './hypotheses/list.ts'
import { Pool, SearchWork } from './search/pool.ts'
import { replay } from './search/replay.ts'

/** A second limit is used up so often: from one return to the next refusal, all of it is. */
const CYCLES = 2

/** A larger limit is not used up once more. */
const MOST_AGAIN = 200

interface SafeFound {
  /** Settled, with a safe rate. */
  conclusion: Conclusion
  /** The explanation that it rests on. */
  known: Weighed
  /** Requests that were sent before the check. */
  before: number
}

export class SafeRateCheck {
  readonly #found: SafeFound
  readonly #groups: (evidence: LimitEvidence) => Grouped
  readonly #options: Required<InferenceOptions>
  readonly #random: Random
  #cycles = 0

  /** `groups`: what the conclusion rests on, of all evidence. */
  constructor(
    found: SafeFound,
    groups: (evidence: LimitEvidence) => Grouped,
    options: Required<InferenceOptions>,
    random: Random,
  ) {
    this.#found = found
    this.#groups = groups
    this.#options = options
    this.#random = random
  }

  /** Null where neither the requests nor the time that are left allow a check. */
  first(nowMs: number): Experiment | null {
    const { conclusion, before } = this.#found
    return this.#steady(nowMs + forgottenAfterMs(conclusion.rateLimit), nowMs, before)
  }

  /** What follows the check so far: another experiment, or what is concluded from it. */
  next(evidence: LimitEvidence, nowMs: number): Experiment | Conclusion {
    const { conclusion } = this.#found
    const kept = this.soFar(evidence)
    if (kept !== null) return kept
    const since = { ...conclusion, requests: evidence.length }
    const grouped = this.#groups(evidence)
    // What was sent before the refusal was heard of may have come after it.
    const isBack = grouped.groups.at(-1)!.refused === 0
    if (!isBack && evidence.length < this.#options.maxRequests) {
      const plan = watchPlan(grouped, nowMs)
      const isShort = plan.startMs - nowMs <= this.#options.maxPauseMs
      if (isShort) return experiment(plan, nowMs, 'Find when requests are let in again.')
    }
    const again = isBack && this.#cycles < CYCLES
    const step = again ? this.#steady(nowMs, nowMs, evidence.length) : null
    return step ?? this.#withSecond(since, grouped)
  }

  /** What was settled before, where no refusal speaks against it since; else null. */
  soFar(evidence: LimitEvidence): Conclusion | null {
    const { conclusion, before } = this.#found
    const isRefused = evidence.slice(before).some(({ answer }) => answer === 'refused')
    return isRefused ? null : { ...conclusion, requests: evidence.length }
  }

  #steady(startMs: number, nowMs: number, requests: number): Experiment | null {
    const plan = sustainPlan(this.#found.conclusion.rateLimit.safePerSecond!, startMs, {
      mostMs: this.#options.sustainMs,
      requestsLeft: this.#options.maxRequests - this.#keeps - requests,
    })
    if (plan === null) return null
    this.#cycles++
    return experiment(plan, nowMs, 'Check that the safe rate meets no second limit.')
  }

  /** To use the limit up once more afterwards, where it is not large. */
  get #keeps(): number {
    const { capacity, limit } = this.#found.conclusion.rateLimit
    const uses = (capacity ?? limit)?.high ?? 0
    return this.#options.sustainKeeps + (uses <= MOST_AGAIN ? uses : 0)
  }

  #withSecond(since: Conclusion, grouped: Grouped): Conclusion {
    const second = secondLimit(this.#found.known, grouped, this.#random.fork('second'))
    if (second === 'none') return since
    if (second === null) {
      return { ...since, outcome: 'cannot-tell', caveats: [{ code: 'second-limit' }] }
    }
    return { ...since, also: [{ ...second, basis: 'measured' }] }
  }
}

/** Rounds of search. */
const ROUNDS = 4
const EFFORT = { tries: 100, fresh: 40, restarts: Infinity }
/** By so many nats, about one miss, the answers must be likelier with a second limit. */
const LEAST_GAIN = 6
/** A pair explains the evidence when it misses no more groups than this. */
const MISSES_ALLOWED = 2

/** `none` where `known` explains all answers; null where no second limit beside it does. */
function secondLimit(known: Weighed, grouped: Grouped, random: Random): RateLimit | 'none' | null {
  const first = { hypothesis: known.pool.hypothesis, parameters: known.best.parameters }
  const alone = known.pool.hypothesis.model(first.parameters, grouped.timing.sigmaMs)
  const without = replay(alone, grouped).fit
  const work = new SearchWork()
  const pools = HYPOTHESES.filter(canBeSecond).map((hypothesis) => {
    const pool = new Pool(beside(first, hypothesis), random, work)
    for (let i = 0; i < ROUNDS; i++) pool.update(grouped, EFFORT)
    return pool
  })
  const weighed = weighedBy(pools, ({ weight }) => weight)
  const best = weighed[0]
  if (best !== undefined && best.best.fit < without + LEAST_GAIN) return 'none'
  if (best === undefined || best.best.misses > MISSES_ALLOWED) return null
  const kind = best.pool.hypothesis.kind
  const explanations = weighed.filter(({ pool }) => pool.hypothesis.kind === kind)
  return inferredLimit(explanations, grouped)
}

/** A steady client is refused once or twice: whether refusals count does not show. */
function canBeSecond({ kind, countsRefused, needsCounts = false }: Hypothesis): boolean {
  const isOfRate = !['none', 'unknown', 'concurrency', 'penalty'].includes(kind)
  return isOfRate && !countsRefused && !needsCounts
}

interface PairState {
  one: object
  other: object
}

/** A refusal is put down to the limit that would refuse for longer. */
function both(one: Model<object>, other: Model<object>): Model<PairState> {
  return modelOf<PairState>({
    memoryMs: Math.max(one.memoryMs, other.memoryMs),
    fresh: () => ({ one: one.fresh(), other: other.fresh() }),
    copy: (state) => ({ one: one.copy(state.one), other: other.copy(state.other) }),
    timeOf: (state, k, group) =>
      Math.max(one.timeOf(state.one, k, group), other.timeOf(state.other, k, group)),
    advance: (state, group, refused) => {
      const next = group.accepted + 1
      const isOne = one.timeOf(state.one, next, group) >= other.timeOf(state.other, next, group)
      one.advance(state.one, group, isOne ? refused : 0)
      other.advance(state.other, group, isOne ? 0 : refused)
    },
    used: (state, firstMs) => other.used(state.other, firstMs),
  })
}

/** `other` beside a limit that is known. */
function beside(
  known: { hypothesis: Hypothesis; parameters: Parameters },
  other: Hypothesis,
): Hypothesis {
  return {
    ...other,
    name: `${other.name} beside ${known.hypothesis.name}`,
    model: (parameters, sigmaMs) =>
      both(known.hypothesis.model(known.parameters, sigmaMs), other.model(parameters, sigmaMs)),
  }
}
