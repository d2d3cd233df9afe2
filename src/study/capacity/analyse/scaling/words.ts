/** Workers that scale, or that did not last, in words. */
import { formatMs, plural } from '../../../../result/metrics/format.ts'
import { formatShare, threeDigits } from '../../../../base/units.ts'
import type { CapacityDocument, CapacityReason } from '../../document.ts'
import type { Cause } from '../causes.ts'
import type { Scaling } from './scaling.ts'
import type { Unsteady } from './unsteady.ts'

type Scaled = NonNullable<CapacityDocument['scaling']>

/** Sentences that follow the capacity, each after a blank; none if the workers do not scale. */
export function scalingWords(scaling: CapacityDocument['scaling']): string {
  if (scaling === null) return ''
  const { from, to, tookMs } = scaling
  const grew = ` That is the crew as scaled: it grew from ${from} to ${plural(to, 'worker')} in ${formatMs(tookMs)}.`
  return `${grew}${coldWords(scaling)}`
}

function coldWords({ from, coldStart }: Scaled): string {
  if (coldStart === null) return ''
  const { caughtUpMs, p95Ms, broken } = coldStart
  const start = ` If such a load starts on ${plural(from, 'worker')}, the crew needs ${formatMs(caughtUpMs)} to catch up`
  if (broken === null) return `${start}; until then the p95 in the crew is ${formatMs(p95Ms)}.`
  const { promise, share } = broken
  return (
    `${start}; until then ${formatShare(share)} of the executions take longer than ${promise} ` +
    `allows, and their p95 is ${formatMs(p95Ms)}.`
  )
}

/** The reason that a crew has no number of workers yet to answer for. */
export function stillGrowing({ from, to }: Scaling, isAtMost: boolean): CapacityReason {
  return {
    code: 'still-growing',
    message:
      `the number of executions at work grew from ${from} to ${to} while others waited, and did ` +
      'not stop growing before the search ended',
    remedy: isAtMost ? 'try more with --max-in-flight' : 'allow more kickoffs or more time',
  }
}

/** The reason to refuse every model. */
export function unsteadyReason(unsteady: Unsteady): Cause {
  if (unsteady.kind === 'restarted') {
    return {
      code: 'restarted',
      message:
        `The crew seems to have restarted: ${plural(unsteady.lost, 'execution')} were in it at one ` +
        'moment, and all of them were lost',
      remedy: 'find why it restarted, such as a deployment or too little memory; then search again',
    }
  }
  const { from, to } = unsteady
  return {
    code: 'workers-vanished',
    message:
      `Workers went away during the search: while executions waited, ${from} were at work at ` +
      `first, and later only ${to}`,
    remedy:
      'find why they stopped, such as crashes, or another load on the crew; then search again',
  }
}

/** The reason that a crew as scaled does not stay so. */
export function leavingReason({ to, mean }: { to: number; mean: number }): Cause {
  return {
    code: 'workers-leave',
    message:
      `Workers leave between arrivals: while executions waited, ${threeDigits(mean)} of ${to} were ` +
      'at work on average',
    remedy: 'keep idle workers for longer, or set a higher least number of them',
  }
}
