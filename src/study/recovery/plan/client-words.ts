/** Describes how a client retries its kickoffs, which decides whether a crew recovers. */
import { plural } from '../../../result/metrics/format.ts'
import type { RetryPolicy } from '../../../scenario/plan.ts'
import { formatDuration, formatShare } from '../../../base/units.ts'

/** A budget that allows this many retries at any time bounds nothing. */
const NO_BUDGET = 10_000

/**
 * Describes the retries of a plan, for example `up to 3 retries a kickoff, time-outs too; 200 ms
 * doubled to 2.00 s, full jitter; retry budget 10.0 % of first attempts and 10 more in any 10.0 s`.
 */
export function clientWords({
  kickoffRetries,
  unknownKickoffs,
  backoff: { initialMicros, factor, maxMicros, jitter },
  budget,
}: RetryPolicy): string {
  if (kickoffRetries === 0) return 'no retry of a kickoff'
  const retries = kickoffRetries === 1 ? 'retry' : 'retries'
  const causes = unknownKickoffs === 'repeat' ? ', time-outs and server errors too' : ''
  const growth =
    factor === 1 || initialMicros === maxMicros
      ? `every ${formatDuration(initialMicros)}`
      : `after ${formatDuration(initialMicros)}, times ${factor} up to ${formatDuration(maxMicros)}`
  const spread = jitter === 'none' ? 'no jitter' : `${jitter} jitter`
  return (
    `up to ${kickoffRetries} ${retries} a kickoff${causes}; ${growth}, ${spread}; ` +
    budgetWords(budget)
  )
}

function budgetWords({ ratio, minimum, windowMicros }: RetryPolicy['budget']): string {
  if (minimum >= NO_BUDGET) return 'no retry budget'
  return (
    `retry budget ${formatShare(ratio)} of first attempts and ` +
    `${plural(minimum, 'more', 'more')} in any ${formatDuration(windowMicros)}`
  )
}
