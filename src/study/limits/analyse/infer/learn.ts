/**
 * The search for a limit that explains recorded requests, which nobody has chosen: what explains a
 * short stretch has to explain longer ones as well, or the search begins anew.
 */
import type { Random } from '../../../../base/random.ts'
import { Belief } from './belief.ts'
import { FLEXIBLE, isLikelyIn, kindShares } from './inferred-limit.ts'
import { UNCERTAIN, withCaveat } from './conclusion.ts'
import { missesAllowed, surpriseOf } from './caveats.ts'
import { recordedGroups } from './evidence/groups.ts'
import type { Grouped } from './evidence/groups.ts'
import type { Conclusion, LimitEvidence } from './interface.ts'
import { replay } from './search/replay.ts'

/** Searches from the start, and rounds of each for the first stretch, and for each longer one. */
const ATTEMPTS = 6
const ROUNDS = 4
const MORE_ROUNDS = 2
/** The first stretch lasts until requests have been let in again so often; each next, twice. */
const FIRST_RETURNS = 20
const GROWTH = 2
const MOST_RETURNS = 320

type LearnOutcome = Conclusion['outcome']
/** What a belief amounts to now: it goes on changing. */
type Conclude = (belief: Belief, outcome: LearnOutcome) => Conclusion

/** A search that explains none of so many stretches is given up. */
const FRUITLESS = 2

/** `recorded`: in order of time, with refusals, and with requests that were let in again. */
export function learnRecorded(
  recorded: LimitEvidence,
  random: Random,
  conclude: Conclude,
): Conclusion {
  const stretches = stretchesOf(recorded)
  const attempts: LearnAttempt[] = []
  for (let i = 0; i < ATTEMPTS && !doAgree(attempts); i++) {
    attempts.push(attempted(new Belief(random.fork('recorded', i)), stretches, conclude))
  }
  return agreedOn(attempts)
}

function stretchesOf(recorded: LimitEvidence): Grouped[] {
  const stretches: Grouped[] = []
  for (let returns = FIRST_RETURNS; returns <= MOST_RETURNS; returns *= GROWTH) {
    const next = recordedGroups(recorded, returns)
    if (next.groups.length > (stretches.at(-1)?.groups.length ?? 0)) stretches.push(next)
  }
  return stretches
}

function attempted(
  belief: Belief,
  stretches: readonly Grouped[],
  conclude: Conclude,
): LearnAttempt {
  const whole = stretches.at(-1)!
  let attempt: LearnAttempt | null = null
  let wasClean = false
  for (const [i, stretch] of stretches.entries()) {
    for (let round = 0; round < (i === 0 ? ROUNDS : MORE_ROUNDS); round++) belief.update(stretch)
    belief.explore(belief.weighed[0]!)
    const isClean = belief.isNoChance && surpriseOf(belief) === null
    if (wasClean && !isClean) break
    wasClean = isClean
    const outcome = isLikelyIn(belief, kindShares(belief)[0]!) ? 'settled' : 'cannot-tell'
    const { fit, misses } = explainedBy(belief, whole)
    const isGood = isClean && misses <= missesAllowed(whole.groups.length)
    attempt = { conclusion: conclude(belief, outcome), isGood, fit }
    if (!isClean && i + 1 >= FRUITLESS) break
  }
  return attempt!
}

/** How well the best explanation explains more than it was found by. */
function explainedBy({ weighed }: Belief, whole: Grouped): { fit: number; misses: number } {
  const { pool, best } = weighed[0]!
  if (pool.hypothesis.fitOf !== undefined) return { fit: -Infinity, misses: Infinity }
  return replay(pool.hypothesis.model(best.parameters, whole.timing.sigmaMs), whole)
}

export interface LearnAttempt {
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
export function doAgree(attempts: readonly LearnAttempt[]): boolean {
  const kinds = attempts
    .filter(({ isGood, conclusion: { outcome } }) => isGood && outcome === 'settled')
    .map((each) => each.conclusion.rateLimit.kind)
  return kinds.some((kind) => {
    const enough = FLEXIBLE.has(kind) ? AGREEING_FLEXIBLE : AGREEING
    return kinds.filter((each) => each === kind).length >= enough
  })
}

/** By so many nats the best has to explain the recording better than one of another kind. */
const CLEAR = 12

/** The best of them, as certain as the others leave it. `attempts`: at least one. */
export function agreedOn(attempts: readonly LearnAttempt[]): Conclusion {
  const ranked = attempts.toSorted((a, b) => b.fit - a.fit)
  const { conclusion, isGood, fit } = withoutShortBlock(ranked) ?? ranked[0]!
  if (conclusion.outcome !== 'settled') return conclusion
  if (!isGood) return withCaveat(conclusion, { code: 'changed' })
  const { kind, sameAs } = conclusion.rateLimit
  const rival = ranked.find((each) => {
    const other = each.conclusion.rateLimit.kind
    return each.isGood && other !== kind && !sameAs.includes(other)
  })
  if (rival === undefined || rival.fit < fit - CLEAR) return conclusion
  const runnerUp = { kind: rival.conclusion.rateLimit.kind, probability: 1 - UNCERTAIN }
  const uncertain = withCaveat(conclusion, null)
  return { ...uncertain, rateLimit: { ...uncertain.rateLimit, runnerUp } }
}

/** So many nats apart, two searches have found the same. */
const EQUAL = 1

/**
 * A block that ends within its window, and is over before the next request, shows in no recording:
 * the search that found the window alone is chosen, and the penalty shown beside it. Null where
 * something else is open.
 */
function withoutShortBlock([best, ...others]: readonly LearnAttempt[]): LearnAttempt | null {
  const { conclusion, fit } = best!
  const { kind, runnerUp } = conclusion.rateLimit
  if (conclusion.outcome === 'settled') return null
  if (kind !== 'fixed-window' || runnerUp?.kind !== 'penalty') return null
  const plain = others.find(
    (each) =>
      each.isGood &&
      each.fit >= fit - EQUAL &&
      each.conclusion.outcome === 'settled' &&
      each.conclusion.rateLimit.kind === kind,
  )
  if (plain === undefined) return null
  const { rateLimit } = plain.conclusion
  const sameAs = [...new Set([...rateLimit.sameAs, runnerUp.kind])]
  return { ...plain, conclusion: { ...plain.conclusion, rateLimit: { ...rateLimit, sameAs } } }
}
