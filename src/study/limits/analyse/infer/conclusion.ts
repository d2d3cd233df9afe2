/** What is concluded from the evidence so far: the finding, its doubts, and what headers told. */
import type { RateLimit, FurtherLimit, ParameterEstimate } from '../../document.ts'
import type { Belief } from './belief.ts'
import { doubtOf, latenessOf, loosenessOf, surpriseOf } from './doubts.ts'
import { findingOf, UNKNOWN, withOpen } from './inferred-limit.ts'
import { headersOf } from './headers/check.ts'
import { contradictionIn, MOST_FOLLOWING, othersIn } from './headers/follow.ts'
import type { HeaderCount } from './evidence/promise.ts'
import type { Conclusion, LimitDoubt, LimitEvidence } from './interface.ts'
import { policiesIn } from './evidence/promise.ts'

/** Fewer requests than this tell nothing more. */
export const FEW = 5
/** The most that the probability of an explanation can be that is not named without reserve. */
export const DOUBTED = 0.9

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
  const doubt = named.kind === 'none' ? null : doubtOf(belief, named, evidence)
  const isSettled = doubt === null && known.outcome === 'settled'
  return {
    kind: 'conclusion',
    ...judgementOf(known, named, doubt),
    headers: readHeaders ? headersOf(known, named, isSettled) : null,
    requests: evidence.length,
    replay: replayOf(belief),
    also: followed === null ? [] : furtherIn(evidence, followed),
    others: readHeaders ? othersOf(belief, evidence) : 0,
  }
}

type LimitJudgement = Pick<Conclusion, 'outcome' | 'finding' | 'doubts'>

function judgementOf(
  { belief, evidence, outcome, isRecorded }: KnownLimit,
  finding: RateLimit,
  doubt: LimitDoubt | null,
): LimitJudgement {
  const isLimit = finding.kind !== 'none' && belief.weighed.length > 0
  const late = isLimit ? latenessOf(belief, finding) : null
  const surprise = isLimit ? surpriseOf(belief) : null
  // More requests do not settle what contradicts every limit.
  const isOpen = outcome === 'settled' || (surprise !== null && outcome === 'budget-spent')
  const unsettled = isOpen ? 'cannot-tell' : outcome
  const doubted = withReserve(finding)
  if (doubt !== null) {
    const { kind, probability } = doubted
    const runnerUp = kind === 'unknown' ? finding.runnerUp : { kind, probability }
    const doubts = late === null ? [doubt] : [doubt, late]
    return { outcome: unsettled, finding: { ...UNKNOWN, runnerUp }, doubts }
  }
  const caveats = [surprise, late].filter((each) => each !== null)
  if (caveats.length > 0) return { outcome: unsettled, finding: doubted, doubts: caveats }
  const loose = outcome === 'settled' ? loosenessOf(finding) : null
  if (loose !== null) return { outcome: 'cannot-tell', finding, doubts: [loose] }
  const few = evidence.length > MOST_FOLLOWING - FEW && evidence.length <= MOST_FOLLOWING
  const isFollowed = belief.weighed.length > 0 && belief.grouped.promise !== null && few
  const isHeaders = outcome === 'budget-spent' && isFollowed && !isRecorded
  return { outcome, finding, doubts: isHeaders ? [{ code: 'followed' }] : [] }
}

function withReserve(finding: RateLimit): RateLimit {
  return { ...finding, probability: Math.min(DOUBTED, finding.probability) }
}

/** What was settled is not, because of what speaks against it. */
export function doubtedConclusion(conclusion: Conclusion, doubt: LimitDoubt | null): Conclusion {
  if (conclusion.outcome !== 'settled') return conclusion
  const finding = withReserve(conclusion.finding)
  return { ...conclusion, outcome: 'cannot-tell', finding, doubts: doubt === null ? [] : [doubt] }
}

function namedIn({ belief, evidence, outcome }: KnownLimit): RateLimit {
  if (belief.weighed.length > 0) return findingOf(belief)
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
    .filter((told) => told.key !== key)
    .map(promised)
    .toSorted((a, b) => (a.safePerSecond ?? Infinity) - (b.safePerSecond ?? Infinity))
}

/** How it counts within its window is not told. */
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
