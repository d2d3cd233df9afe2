/** No strategy keeps what must hold: what would be kept, as options are written. */
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { PollingDocument, PollingVerdict } from '../document.ts'
import type { Nearest } from './choice/nearest.ts'
import type { Wish } from './choice/wish.ts'

type Given = PollingDocument['wish']

export function impossible(
  given: Given,
  nearest: Nearest | null,
): Omit<PollingVerdict, 'sentence'> {
  const what = hasBound(given) ? 'stays within' : 'sees the end of'
  const message = `no strategy ${what} ${bounds(given)}`
  const possible = nearest === null ? null : possibleOf(given, nearest)
  const remedy = remedyOf(possible, nearest)
  const reasons = [{ code: 'impossible', message, remedy }]
  return { outcome: 'impossible', reasons, moreExecutions: null, nearest: possible }
}

type Possible = NonNullable<PollingVerdict['nearest']>

function possibleOf({ maxPolls }: Given, { quota, promise, both }: Nearest): Possible {
  const per = maxPolls?.slice(maxPolls.indexOf('/') + 1).trim()
  const polls = (wish: Wish): string => `${wish.quota!.count}/${per}`
  return {
    maxPolls: quota === null ? null : polls(quota),
    delay: promise === null ? null : delayOf(promise),
    both: both === null ? null : { maxPolls: polls(both), delay: delayOf(both) },
  }
}

function delayOf({ promise }: Wish): string {
  return `${promise!.statistic} < ${written(promise!.boundMicros / MICROS_PER_MS)}`
}

function remedyOf(possible: Possible | null, nearest: Nearest | null): string {
  const { maxPolls = null, delay = null, both = null } = possible ?? {}
  const nearer = [
    maxPolls === null ? [] : `--max-polls ${maxPolls}`,
    delay === null ? [] : `--delay '${delay}'`,
    both === null ? [] : `both: --max-polls ${both.maxPolls} --delay '${both.delay}'`,
  ].flat()
  if (nearer.length > 0) return `the nearest that is possible: ${nearer.join(', or ')}`
  return nearest?.isFree === true
    ? 'record more executions: with these, no goal near it is certain to be kept'
    : `allow a longer deadline, so that polls see the end of ${MOST_EXECUTIONS}`
}

function written(ms: number): string {
  return ms < 1_000 ? `${ms}ms` : `${ms / 1_000}s`
}

export function hasBound({ maxPolls, delay }: Given): boolean {
  return maxPolls !== null || delay !== null
}

const MOST_EXECUTIONS = '95 % of the executions before their deadline'

export function bounds({ maxPolls, delay }: Given): string {
  return [maxPolls, delay].filter((each) => each !== null).join(' and ') || MOST_EXECUTIONS
}
