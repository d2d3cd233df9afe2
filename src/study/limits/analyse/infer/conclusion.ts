/** What the evidence so far shows: the limit, its caveats, and what headers say. */
import type { RateLimit, FurtherLimit, ParameterEstimate } from '../../document.ts'
import type { Belief } from './belief.ts'
import { caveatOf, latenessOf, loosenessOf, surpriseOf } from './caveats.ts'
import { rateLimitOf } from './inferred-limit.ts'
import { UNKNOWN } from './interface.ts'
import { withOpen } from '../../sentences/verdict.ts'
import { headersOf } from './headers/check.ts'
import { contradictionIn, MOST_FOLLOWING, othersIn } from './headers/follow.ts'
import type { HeaderCount } from './evidence/promise.ts'
import type { Conclusion, LimitEvidence } from './interface.ts'
import type { LimitCaveat } from '../../sentences/reasons.ts'
import { policiesIn } from './evidence/promise.ts'

/** Fewer requests than this tell nothing more. */
export const FEW = 5
/** The most that the probability of an explanation can be that is not named without reserve. */
export const UNCERTAIN = 0.9

interface KnownLimit {
  belief: Belief
  evidence: LimitEvidence
  /** Why the inference ends. */
  outcome: Conclusion['outcome']
  readHeaders: boolean
  /** The limit in the headers that is believed; null where none is. */
  followed: HeaderCount | null
  /** Of requests that were no experiments. */
  isRecorded: boolean
}

export function conclusionOf(known: KnownLimit): Conclusion {
  const { belief, evidence, followed, readHeaders } = known
  const named = namedIn(known)
  const caveat = named.kind === 'none' ? null : caveatOf(belief, named, evidence)
  const isSettled = caveat === null && known.outcome === 'settled'
  return {
    kind: 'conclusion',
    ...judgementOf(known, named, caveat),
    headers: readHeaders ? headersOf(known, named, isSettled) : null,
    requests: evidence.length,
    replay: replayOf(belief),
    also: followed === null ? [] : furtherIn(evidence, followed),
    others: readHeaders ? othersOf(belief, evidence) : 0,
  }
}

type LimitJudgement = Pick<Conclusion, 'outcome' | 'rateLimit' | 'caveats'>

function judgementOf(
  { belief, evidence, outcome, isRecorded }: KnownLimit,
  rateLimit: RateLimit,
  caveat: LimitCaveat | null,
): LimitJudgement {
  const isLimit = rateLimit.kind !== 'none' && belief.weighed.length > 0
  const late = isLimit ? latenessOf(belief, rateLimit) : null
  const surprise = isLimit ? surpriseOf(belief) : null
  // More requests do not settle what contradicts every limit.
  const isOpen = outcome === 'settled' || (surprise !== null && outcome === 'budget-spent')
  const unsettled = isOpen ? 'cannot-tell' : outcome
  const uncertain = withReserve(rateLimit)
  if (caveat !== null) {
    const { kind, probability } = uncertain
    const runnerUp = kind === 'unknown' ? rateLimit.runnerUp : { kind, probability }
    const caveats = late === null ? [caveat] : [caveat, late]
    return { outcome: unsettled, rateLimit: { ...UNKNOWN, runnerUp }, caveats }
  }
  const against = [surprise, late].filter((each) => each !== null)
  if (against.length > 0) return { outcome: unsettled, rateLimit: uncertain, caveats: against }
  const loose = outcome === 'settled' ? loosenessOf(rateLimit) : null
  if (loose !== null) return { outcome: 'cannot-tell', rateLimit, caveats: [loose] }
  const few = evidence.length > MOST_FOLLOWING - FEW && evidence.length <= MOST_FOLLOWING
  const isFollowed = belief.weighed.length > 0 && belief.grouped.promise !== null && few
  const isHeaders = outcome === 'budget-spent' && isFollowed && !isRecorded
  return { outcome, rateLimit, caveats: isHeaders ? [{ code: 'followed' }] : [] }
}

function withReserve(rateLimit: RateLimit): RateLimit {
  return { ...rateLimit, probability: Math.min(UNCERTAIN, rateLimit.probability) }
}

/** What was settled is not, because of what speaks against it. */
export function withCaveat(conclusion: Conclusion, caveat: LimitCaveat | null): Conclusion {
  if (conclusion.outcome !== 'settled') return conclusion
  const rateLimit = withReserve(conclusion.rateLimit)
  return {
    ...conclusion,
    outcome: 'cannot-tell',
    rateLimit,
    caveats: caveat === null ? [] : [caveat],
  }
}

function namedIn({ belief, evidence, outcome }: KnownLimit): RateLimit {
  if (belief.weighed.length > 0) return rateLimitOf(belief)
  const isRefused = evidence.some(({ answer }) => answer === 'refused')
  if (isRefused || outcome === 'target-fails') return UNKNOWN
  return { ...UNKNOWN, kind: 'none', probability: 1 }
}

function replayOf({ weighed: [first], grouped }: Belief): Conclusion['replay'] {
  if (first === undefined) return { predicted: 0, of: 0 }
  const of = grouped.groups.filter(({ isOthers }) => !isOthers).length
  return { predicted: of - first.best.misses, of }
}

/** Counts that a refusal contradicts are not evidence; others are, if no limit explains them. */
function othersOf(belief: Belief, evidence: LimitEvidence): number {
  const followed = belief.weighed.length === 0 ? 0 : belief.grouped.others
  return contradictionIn(evidence) === null ? Math.max(followed, othersIn(evidence)) : followed
}

/** Headers tell whole seconds. */
const ROUNDED_MS = 1_000

/** Smallest rate first; those without a window, which name no rate, last. */
function furtherIn(evidence: LimitEvidence, { key }: HeaderCount): FurtherLimit[] {
  return policiesIn(evidence)
    .filter((count) => count.key !== key)
    .map(promised)
    .toSorted((a, b) => (a.safePerSecond ?? Infinity) - (b.safePerSecond ?? Infinity))
}

/** How it counts within its window is not known. */
function promised({ limit, windowMs, isConcurrent }: HeaderCount): FurtherLimit {
  const count = { value: limit, low: limit, high: limit }
  const basis = 'promised'
  if (isConcurrent) {
    return { ...UNKNOWN, basis, kind: 'concurrency', concurrency: count, probability: 1 }
  }
  if (windowMs === null) return { ...UNKNOWN, basis, limit: count }
  const safePerSecond = (limit * 1_000) / windowMs
  const found = { ...UNKNOWN, limit: count, windowMs: rounded(windowMs), safePerSecond }
  return { ...withOpen(found), basis }
}

function rounded(ms: number): ParameterEstimate {
  return { value: ms, low: Math.max(1, ms - ROUNDED_MS), high: ms + ROUNDED_MS }
}
