/**
 * The search for a limit that explains recorded requests, which nobody has chosen: what explains a
 * short stretch has to explain longer ones as well, or the search begins anew.
 */
import type { Random } from '../../../../../base/random.ts'
import { Belief } from '../belief.ts'
import { isLikelyIn } from '../certainty.ts'
import { missesAllowed } from '../doubts.ts'
import { recordedGroups } from '../evidence/groups.ts'
import type { Grouped } from '../evidence/group.ts'
import { kindShares } from '../finding.ts'
import type { Conclusion, Evidence } from '../interface.ts'
import { replay } from '../search/replay.ts'
import type { Attempt } from './agree.ts'
import { agreedOn, doAgree } from './agree.ts'

/** Searches from the start, and rounds of each for the first stretch, and for each longer one. */
const ATTEMPTS = 6
const ROUNDS = 4
const MORE_ROUNDS = 2
/** The first stretch lasts until requests have been let in again so often; each next, twice. */
const FIRST_RETURNS = 20
const GROWTH = 2
const MOST_RETURNS = 320

type Outcome = Conclusion['outcome']
/** What a belief amounts to now: it goes on changing. */
type Conclude = (belief: Belief, outcome: Outcome) => Conclusion

/** A search that explains none of so many stretches is given up. */
const FRUITLESS = 2

/** `recorded`: in order of time, with refusals, and with requests that were let in again. */
export function learnRecorded(recorded: Evidence, random: Random, conclude: Conclude): Conclusion {
  const stretches = stretchesOf(recorded)
  const attempts: Attempt[] = []
  for (let i = 0; i < ATTEMPTS && !doAgree(attempts); i++) {
    attempts.push(attempted(new Belief(random.fork('recorded', i)), stretches, conclude))
  }
  return agreedOn(attempts)
}

function stretchesOf(recorded: Evidence): Grouped[] {
  const stretches: Grouped[] = []
  for (let returns = FIRST_RETURNS; returns <= MOST_RETURNS; returns *= GROWTH) {
    const next = recordedGroups(recorded, returns)
    if (next.groups.length > (stretches.at(-1)?.groups.length ?? 0)) stretches.push(next)
  }
  return stretches
}

function attempted(belief: Belief, stretches: readonly Grouped[], conclude: Conclude): Attempt {
  const whole = stretches.at(-1)!
  let attempt: Attempt | null = null
  let wasClean = false
  for (const [i, stretch] of stretches.entries()) {
    for (let round = 0; round < (i === 0 ? ROUNDS : MORE_ROUNDS); round++) belief.update(stretch)
    belief.explore(belief.weighed[0]!)
    const isClean = belief.isNoChance && belief.weighed[0]!.best.misses === 0 && !belief.isUnlikely
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
