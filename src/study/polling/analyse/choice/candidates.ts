/** Every strategy that is tried, of every family. */
import { assert } from '../../../../base/assert.ts'
import type { Micros } from '../../../../base/units.ts'
import type { PollingPolicy } from '../../../../scenario/polling/index.ts'
import type { FamilyName } from '../families/list.ts'
import { FAMILIES } from '../families/list.ts'
import type { Shape } from '../families/shape.ts'
import { shapeOf } from '../families/shape.ts'
import type { Subject } from '../replay/lives.ts'

export interface Candidate {
  family: FamilyName
  policy: PollingPolicy
  /** The policy used for a subject: this one, or one learned without that subject. */
  policyOf: (subject: number) => PollingPolicy
  /** Whether `policyOf` gives what was learned without the subject. */
  isCrossed: boolean
}

/**
 * Parts of the executions, each judged by what was learned from the others; beyond so many
 * executions one more or less changes no strategy.
 */
const PARTS = 5
const MANY = 1_000

/** `requestMicros`: what a poll takes, in the median. */
export function candidatesOf(subjects: readonly Subject[], requestMicros: Micros): Candidate[] {
  const whole = shapeOf(subjects, requestMicros)
  const parts = partsOf(subjects, requestMicros)
  return Object.entries(FAMILIES).flatMap(([name, family]) => {
    const policies = family.policies(whole)
    const learned = family.learned ? parts.map((shape) => family.policies(shape)) : []
    assert(
      learned.every(({ length }) => length === policies.length),
      'a learned family has as many strategies for every shape',
    )
    return policies.map((policy, at) => ({
      family: name as FamilyName,
      policy,
      policyOf:
        learned.length === 0
          ? () => policy
          : (subject: number) => learned[subject % learned.length]![at]!,
      isCrossed: learned.length > 0,
    }))
  })
}

/** For each part, the shape of the others; none where one shape serves all. */
function partsOf(subjects: readonly Subject[], requestMicros: Micros): Shape[] {
  if (subjects.length >= MANY || subjects.length < 2 * PARTS) return []
  const shapes: Shape[] = []
  for (let part = 0; part < PARTS; part++) {
    const others = subjects.filter((_, i) => i % PARTS !== part)
    if (others.some(({ lives }) => lives.some(({ endMicros }) => endMicros < Infinity))) {
      shapes.push(shapeOf(others, requestMicros))
    }
  }
  return shapes.length === PARTS ? shapes : []
}
