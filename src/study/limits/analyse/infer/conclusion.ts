/** What is concluded from the evidence so far: the finding, its doubts, and what headers told. */
import { plural } from '../../../../report/frame/format.ts'
import type { Belief } from './belief.ts'
import {
  doubtOf,
  latenessOf,
  loosenessOf,
  reasonsFor,
  recordedReasonsFor,
  surpriseOf,
} from './reasons.ts'
import { findingOf, UNKNOWN } from './inferred-limit.ts'
import { headersOf } from './headers/check.ts'
import { contradictionIn, MOST_FOLLOWING } from './headers/follow.ts'
import { furtherIn } from './headers/further.ts'
import { othersIn } from './headers/others.ts'
import type { HeaderCount } from './headers/promise.ts'
import type { Conclusion, LimitEvidence, InferredLimit } from './interface.ts'

/** Fewer requests than this tell nothing more. */
export const FEW = 5
/** The most that the probability of an explanation can be that is not named without reserve. */
const DOUBTED = 0.9

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
  const { belief, evidence, readHeaders } = known
  const finding = namedIn(known)
  const doubt = finding.kind === 'none' ? null : doubtOf(belief, finding, evidence)
  const verdict = judgementOf(known, finding, doubt)
  const isSettled = doubt === null && known.outcome === 'settled'
  return {
    kind: 'conclusion',
    ...verdict,
    headers: readHeaders ? headersOf(evidence, finding, belief, isSettled) : null,
    requests: evidence.length,
    replay: replayOf(belief),
    also: furtherLimits(known),
    others: readHeaders ? othersOf(belief, evidence) : 0,
  }
}

type LimitJudgement = Pick<Conclusion, 'outcome' | 'finding' | 'reasons'>

function judgementOf(
  { belief, evidence, outcome, isRecorded }: KnownLimit,
  finding: InferredLimit,
  doubt: string | null,
): LimitJudgement {
  const isLimit = finding.kind !== 'none' && belief.weighed.length > 0
  const late = isLimit ? latenessOf(belief, finding) : null
  const surprise = isLimit ? surpriseOf(belief) : null
  // More requests do not settle what contradicts every limit.
  const isOpen = outcome === 'settled' || (surprise !== null && outcome === 'budget-spent')
  const unsettled = isOpen ? 'cannot-tell' : outcome
  const probability = Math.min(DOUBTED, finding.probability)
  if (doubt !== null) {
    const runnerUp =
      finding.kind === 'unknown' ? finding.runnerUp : { kind: finding.kind, probability }
    const reasons = late === null ? [doubt] : [doubt, late]
    return { outcome: unsettled, finding: { ...UNKNOWN, runnerUp }, reasons }
  }
  const caveats = [surprise, late].filter((each) => each !== null)
  if (caveats.length > 0) {
    return { outcome: unsettled, finding: { ...finding, probability }, reasons: caveats }
  }
  const loose = outcome === 'settled' ? loosenessOf(finding) : null
  if (loose !== null) return { outcome: 'cannot-tell', finding, reasons: [loose] }
  const isTold = belief.weighed.length > 0 && belief.grouped.promise !== null
  const isFollowed =
    isTold && evidence.length > MOST_FOLLOWING - FEW && evidence.length <= MOST_FOLLOWING
  const reasons = isRecorded
    ? recordedReasonsFor(outcome, finding)
    : reasonsFor(outcome, finding, evidence.length, isFollowed)
  return { outcome, finding, reasons }
}

function namedIn({ belief, evidence, outcome }: KnownLimit): InferredLimit {
  if (belief.weighed.length > 0) return findingOf(belief)
  const isRefused = evidence.some(({ answer }) => answer === 'refused')
  if (isRefused || outcome === 'target-fails') return UNKNOWN
  return { ...UNKNOWN, kind: 'none', probability: 1 }
}

/** Where another limit explains the answers as well, since others may have used it. */
export function openConclusion(conclusion: Conclusion, otherLimit: number): Conclusion {
  if (conclusion.outcome !== 'settled') return conclusion
  const { finding } = conclusion
  const probability = Math.min(DOUBTED, finding.probability)
  const reason =
    `A limit of ${plural(otherLimit, 'request')} explains the answers as well, if requests to ` +
    'other operations used it too. More requests would settle it.'
  return {
    ...conclusion,
    outcome: 'cannot-tell',
    finding: { ...finding, probability },
    reasons: [reason],
  }
}

function replayOf({ weighed, grouped }: Belief): Conclusion['replay'] {
  const best = weighed[0]?.best
  if (best === undefined) return { predicted: 0, of: 0 }
  const of = grouped.groups.filter(({ isOthers }) => !isOthers).length
  return { predicted: of - best.misses, of }
}

/** Headers may tell several limits. */
function furtherLimits({ evidence, followed }: KnownLimit): Conclusion['also'] {
  if (followed === null) return []
  return furtherIn(evidence, followed).map((finding) => ({ finding, basis: 'promised' }))
}

/** Counts that a refusal contradicts are not evidence; others are, if no limit explains them. */
function othersOf(belief: Belief, evidence: LimitEvidence): number {
  const followed = belief.weighed.length === 0 ? 0 : belief.grouped.others
  return contradictionIn(evidence) === null ? Math.max(followed, othersIn(evidence)) : followed
}
