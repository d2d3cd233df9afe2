/** That a target stopped finding executions, and what explains it, in words. */
import { z } from 'zod'
import { formatMs, plural } from '../../base/numbers.ts'
import type { ShapeFacts } from '../coded.ts'
import { count, ms } from '../shapes.ts'

/** The true time is between the two. */
const bracket = z.object({ afterMs: ms, byMs: ms }).nullable()
type BracketFacts = NonNullable<z.infer<typeof bracket>>

export const forgetting = {
  executions: count,
  moment: bracket.describe('On the clock of the run; null if no single one explains them'),
  age: bracket.describe('Since acceptance; null if none explains them all'),
  isAskedPossible: z
    .boolean()
    .describe('The crew may hide them while it asks people: there is no ledger that would say it'),
}

/** Either a moment or an age may explain them, or both, or none is clear. */
export function forgottenWords(facts: ShapeFacts<typeof forgetting>): string {
  return `${explanation(facts)}${facts.isAskedPossible ? OR_ASKED : ''}`
}

function explanation({ executions, moment, age }: ShapeFacts<typeof forgetting>): string {
  const stopped = `the target stopped finding ${plural(executions, 'execution')}`
  const before = `${stopped} that it had reported before`
  if (moment === null) {
    return age === null ? `${before}: it may have lost them` : `${stopped}: ${keptWords(age)}`
  }
  const isMoment = formatMs(moment.afterMs) === formatMs(moment.byMs)
  const when = `${isMoment ? 'at' : 'between'} ${between(moment, 'and')}`
  const restarted = `${when} ${before}: it may have restarted or lost its data`
  return age === null ? restarted : `${restarted}, or ${keptWords(age)}`
}

/**
 * What else explains them if nothing but their answers is known: live deployments answer "not
 * found" while they wait for a person.
 */
const OR_ASKED =
  '. Or the crew hides them while it asks a person: if it asks people, set human: true in the ' +
  'scenario'

function keptWords(age: BracketFacts): string {
  return (
    `it may keep results only for ${between(age, 'to')} after acceptance: raise the retention, or ` +
    'poll more often towards the end'
  )
}

/** `6.10 s to 8.02 s`. */
function between({ afterMs, byMs }: BracketFacts, to: string): string {
  const [after, by] = [formatMs(afterMs), formatMs(byMs)]
  return after === by ? by : `${after} ${to} ${by}`
}
