/** No strategy keeps what must hold: what would be kept, as options are written. */
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { PollingDocument, PollingVerdict } from '../document.ts'
import type { Nearest } from './choice/nearest.ts'
import type { Wish } from './choice/wish.ts'

type Given = PollingDocument['wish']

export function impossible(
  given: Given,
  nearest: Nearest | null,
  speed: number,
): Omit<PollingVerdict, 'sentence'> {
  const what = hasBound(given) ? 'stays within' : 'sees the end of'
  const message = `no strategy ${what} ${bounds(given)}`
  const possible = nearest === null ? null : possibleOf(given, nearest, speed)
  const remedy = remedyOf(possible, nearest)
  const reasons = [{ code: 'impossible', message, remedy }]
  return { outcome: 'impossible', reasons, moreExecutions: null, nearest: possible }
}

type Possible = NonNullable<PollingVerdict['nearest']>

/** As options are written: `--speed` divides a delay, and a quota says its own count and time. */
function possibleOf(
  { maxPolls }: Given,
  { quota, promise, both }: Nearest,
  speed: number,
): Possible {
  const per = maxPolls?.slice(maxPolls.indexOf('/') + 1).trim()
  const polls = (wish: Wish): string => `${wish.quota!.count}/${per}`
  return {
    maxPolls: quota === null ? null : polls(quota),
    delay: promise === null ? null : delayOf(promise, speed),
    both: both === null ? null : { maxPolls: polls(both), delay: delayOf(both, speed) },
  }
}

function delayOf({ promise }: Wish, speed: number): string {
  const ms = (promise!.boundMicros * speed) / MICROS_PER_MS
  return `${promise!.statistic} < ${written(Number(ms.toPrecision(6)))}`
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
