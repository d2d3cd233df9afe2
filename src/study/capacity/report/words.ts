/** Texts of the report of a search for capacity. */
import { plural } from '../../../report/frame/format.ts'
import { formatShare } from '../../../base/units.ts'
import { Z98 } from '../analyse/model/interval.ts'
import type { CapacitySearch, SearchStep } from '../analyse/search/search.ts'
import { rateWords } from '../analyse/rate-words.ts'

/** The progress line after each load, with what is known so far. */
export function stepLine(
  { purpose, load }: SearchStep,
  { learned, estimate }: CapacitySearch,
): string {
  const put =
    load.kind === 'closed'
      ? `${plural(load.clients, 'client')}, ${plural(load.executions, 'execution')}`
      : `${rateWords(load.perHour)} per hour, ${plural(load.executions, 'execution')}`
  const { slots, slotsSeen } = learned
  const seen = slotsSeen === 0 ? 'no worker counted yet' : `at least ${plural(slotsSeen, 'worker')}`
  const workers = slots === null ? seen : plural(slots, 'worker')
  const known =
    estimate?.solution.kind === 'rate'
      ? `, ${rateWords(estimate.solution.perHour)} kickoffs per hour, known within ` +
        formatShare(Math.min(1, Z98 * estimate.spread))
      : ''
  return ` ${purpose}: ${put}: ${workers}${known}`
}
