/** Why the outcome of a trial is unclear, in words, and what makes it clear. */
import { unreachable } from '../../../base/assert.ts'
import { formatMs, plural } from '../../../result/metrics/format.ts'
import type { RecoveryPlan, Unclear } from '../document.ts'

export function unclearText(why: Unclear): string {
  switch (why.code) {
    case 'cut-short':
      return 'it was cut short: some executions were never polled'
    case 'degraded-anyway':
      return 'service was also degraded without the trigger'
    case 'few-before':
      return (
        'too few executions before the trigger: ' +
        `${plural(why.arrivals, 'arrival')} of ${why.needed} needed`
      )
    case 'few-in-window':
      return (
        'too few executions to distinguish noise from degraded service: a window needs ' +
        `${why.needed}`
      )
    case 'unsteady':
      return 'service was not steady before the trigger'
    case 'overloaded':
      return 'service was already degraded before the trigger'
    default:
      return unreachable(why)
  }
}

export function unclearRemedy(
  { code }: Unclear,
  { beforeMs, observeMs }: Pick<RecoveryPlan, 'beforeMs' | 'observeMs'>,
): string {
  switch (code) {
    case 'cut-short':
      return 'raise the budget, or let it finish'
    case 'few-before':
      return (
        `hold the load for more than ${formatMs(beforeMs)} before the trigger (--before), ` +
        'or raise the rate'
      )
    case 'few-in-window':
      return (
        `observe for more than ${formatMs(observeMs)} after the trigger (--observe), or ` +
        'raise the rate'
      )
    case 'unsteady':
      return (
        `give it a longer warm-up, or more than ${formatMs(beforeMs)} before the trigger ` +
        '(--before)'
      )
    case 'degraded-anyway':
    case 'overloaded':
      return 'lower the rate to what the crew can handle'
    default:
      return unreachable(code)
  }
}
