/** Every strategy that is tried, of every family. */
import { assert } from '../../../../base/assert.ts'
import type { Micros } from '../../../../base/units.ts'
import type { PollingPolicy } from '../../../../scenario/polling/index.ts'
import { geometric, neat } from '../../../../scenario/polling/definition.ts'
import type { FamilyName } from '../families/list.ts'
import { FAMILIES } from '../families/list.ts'
import type { SampleShape } from '../families/shape.ts'
import { sampleShapeOf } from '../families/shape.ts'
import type { Subject } from '../replay/lives.ts'

export interface StrategyCandidate {
  family: FamilyName
  policy: PollingPolicy
  /** What was learned without the subject; null for a strategy that is not learned. */
  heldOutOf: ((subject: number) => PollingPolicy) | null
  /** Whether each subject judges what was learned without it, in place of `policy`. */
  isCrossed: boolean
}

/** The policy under which each subject judges the candidate. */
export function judgeOf({
  policy,
  heldOutOf,
  isCrossed,
}: StrategyCandidate): (subject: number) => PollingPolicy {
  return isCrossed && heldOutOf !== null ? heldOutOf : () => policy
}

/** Parts of the executions, for each of which strategies are learned from the others. */
const PARTS = 5
/**
 * With so many executions, the strategy itself is judged by all of them, and what was learned
 * without each only shows how much too good it looks.
 */
const MANY = 1_000

/** `requestMicros`: what a poll takes, in the median. */
export function candidatesOf(
  subjects: readonly Subject[],
  requestMicros: Micros,
): StrategyCandidate[] {
  const whole = sampleShapeOf(subjects, requestMicros)
  const parts = partsOf(subjects, requestMicros)
  const isCrossed = subjects.length < MANY
  return Object.entries(FAMILIES).flatMap(([name, family]) => {
    const policies = family.policies(whole)
    const learned = family.learned ? parts.map((shape) => family.policies(shape)) : []
    assert(
      learned.every(({ length }) => length === policies.length),
      'a learned family has as many strategies for every shape',
    )
    return policies.map((policy, at) => {
      if (learned.length === 0) return unlearned(name as FamilyName, policy)
      const heldOutOf = (subject: number): PollingPolicy => learned[subject % learned.length]![at]!
      return { family: name as FamilyName, policy, heldOutOf, isCrossed }
    })
  })
}

const USUAL_POLLS = 300
/** Polls of an execution of mean length at the most. */
const MOST_POLLS = 2_000
const FINE_RATIO = 1.1
/** The share of the executions that have ended before the first poll, where it comes later. */
const EARLY = 0.01

/**
 * Shorter intervals than usual, for who wants to know ends at once: constant ones will do. The same
 * ones for every goal, so that each is replayed once.
 */
export function fineOf({ meanMicros, quantile }: SampleShape): StrategyCandidate[] {
  const [least, most] = [meanMicros / MOST_POLLS, meanMicros / USUAL_POLLS]
  return geometric(least, most / FINE_RATIO, FINE_RATIO).flatMap((everyMicros) => {
    const late = Math.max(everyMicros, neat(quantile(EARLY)))
    return [
      unlearned('fixed', { kind: 'fixed', everyMicros, initialDelayMicros: everyMicros }),
      unlearned('initial-delay', { kind: 'fixed', everyMicros, initialDelayMicros: late }),
    ]
  })
}

/** Those of the fine ones that a goal may ask for: from its shortest interval on, or just below. */
export function notFiner(
  fine: readonly StrategyCandidate[],
  finestMicros: Micros,
): StrategyCandidate[] {
  return fine.filter(
    ({ policy }) => policy.kind === 'fixed' && policy.everyMicros * FINE_RATIO > finestMicros,
  )
}

/** A strategy that is the same for every execution. */
export function unlearned(family: FamilyName, policy: PollingPolicy): StrategyCandidate {
  return { family, policy, heldOutOf: null, isCrossed: false }
}

/** For each part, the shape of the others; none where there are too few executions or ends. */
function partsOf(subjects: readonly Subject[], requestMicros: Micros): SampleShape[] {
  if (subjects.length < 2 * PARTS) return []
  const shapes: SampleShape[] = []
  for (let part = 0; part < PARTS; part++) {
    const others = subjects.filter((_, i) => i % PARTS !== part)
    if (others.some(({ lives }) => lives.some(({ endMicros }) => endMicros < Infinity))) {
      shapes.push(sampleShapeOf(others, requestMicros))
    }
  }
  return shapes.length === PARTS ? shapes : []
}
