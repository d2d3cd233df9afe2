/** What several searches of the same recording have found together. */
import { FLEXIBLE } from '../certainty.ts'
import { recordedReasonsFor } from '../doubts.ts'
import type { Conclusion } from '../interface.ts'

export interface Attempt {
  conclusion: Conclusion
  /** Whether it explains the whole recording, but for as much as is allowed. */
  isGood: boolean
  /** Of the whole recording, in nats; -Infinity where chance explains it best. */
  fit: number
}

/**
 * Searches that have to come to the same kind before it is believed: to one, or to one that can be
 * fitted to what another limiter answered, where a search has missed that one.
 */
const AGREEING = 1
const AGREEING_FLEXIBLE = 2

/** Whether no further search is needed. */
export function doAgree(attempts: readonly Attempt[]): boolean {
  const kinds = attempts
    .filter(({ isGood, conclusion: { outcome } }) => isGood && outcome === 'settled')
    .map((each) => each.conclusion.finding.kind)
  return kinds.some((kind) => {
    const enough = FLEXIBLE.has(kind) ? AGREEING_FLEXIBLE : AGREEING
    return kinds.filter((each) => each === kind).length >= enough
  })
}

/** By so many nats the best has to explain the recording better than one of another kind. */
const CLEAR = 12

/** The best of them, as certain as the others leave it. `attempts`: at least one. */
export function agreedOn(attempts: readonly Attempt[]): Conclusion {
  const ranked = attempts.toSorted((a, b) => b.fit - a.fit)
  const { conclusion, isGood, fit } = withoutShortBlock(ranked) ?? ranked[0]!
  if (conclusion.outcome !== 'settled') return conclusion
  if (!isGood) return withReserve(conclusion, CONTRADICTED)
  const { kind, sameAs } = conclusion.finding
  const rival = ranked.find((each) => {
    const other = each.conclusion.finding.kind
    return each.isGood && other !== kind && !sameAs.includes(other)
  })
  if (rival === undefined || rival.fit < fit - CLEAR) return conclusion
  const runnerUp = { kind: rival.conclusion.finding.kind, probability: 1 - DOUBTED }
  const [reason = ''] = recordedReasonsFor('cannot-tell', { kind, runnerUp })
  const doubted = withReserve(conclusion, reason)
  return { ...doubted, finding: { ...doubted.finding, runnerUp } }
}

/** So many nats apart, two searches have found the same. */
const EQUAL = 1

/**
 * A block that ends within its window, and is over before the next request, shows in no recording:
 * the search that found the window alone is chosen, and the penalty told beside it. Null where
 * something else is open.
 */
function withoutShortBlock([best, ...others]: readonly Attempt[]): Attempt | null {
  const { conclusion, fit } = best!
  const { kind, runnerUp } = conclusion.finding
  if (conclusion.outcome === 'settled') return null
  if (kind !== 'fixed-window' || runnerUp?.kind !== 'penalty') return null
  const plain = others.find(
    (each) =>
      each.isGood &&
      each.fit >= fit - EQUAL &&
      each.conclusion.outcome === 'settled' &&
      each.conclusion.finding.kind === kind,
  )
  if (plain === undefined) return null
  const { finding } = plain.conclusion
  const sameAs = [...new Set([...finding.sameAs, runnerUp.kind])]
  return { ...plain, conclusion: { ...plain.conclusion, finding: { ...finding, sameAs } } }
}

/** What is as certain as this of a part, and contradicted by the rest, is not certain at all. */
const DOUBTED = 0.9
const CONTRADICTED =
  'This limit explains the answers around the first refusals, and not those that followed: the ' +
  'limit may have changed, another client may use it, or several limits may apply.'

function withReserve(conclusion: Conclusion, reason: string): Conclusion {
  const { finding } = conclusion
  const probability = Math.min(DOUBTED, finding.probability)
  return {
    ...conclusion,
    outcome: 'cannot-tell',
    finding: { ...finding, probability },
    reasons: [reason],
  }
}
