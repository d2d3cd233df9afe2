/** What the report of a study of polling says in words. */
import { formatCount, formatMs, NOTHING, plural } from '../../../report/frame/format.ts'
import { formatShare, threeDigits } from '../../../base/units.ts'
import { FAMILIES } from '../analyse/families/list.ts'
import type { PollingDocument, Source, Strategy, WishTold } from '../document.ts'

export function wishWords({
  maxPolls,
  limits,
  delay,
  pollPrice,
  delayPrice,
  given,
}: WishTold): string {
  const found = limits === null ? '' : ' (the safe rate that limits found)'
  const parts = [
    maxPolls === null ? null : `at most ${maxPolls} polls${found}`,
    delay === null ? null : `detection delay ${delay}`,
    pollPrice === null || delayPrice === null
      ? null
      : `a poll costs ${formatCount(pollPrice)}, a second of delay ${formatCount(delayPrice)}`,
  ].filter((part) => part !== null)
  if (given) return parts.join('; ')
  return `no goal given: one poll costs as much as ${worthOfAPoll(pollPrice, delayPrice)} of delay`
}

/** `one second`, or what is left of it in a time-lapse. */
function worthOfAPoll(pollPrice: number | null, delayPrice: number | null): string {
  const ms = (1_000 * (pollPrice ?? 1)) / (delayPrice ?? 1)
  return ms === 1_000 ? 'one second' : formatMs(ms)
}

export function familyWords(family: Strategy['family']): string {
  return family === 'retry-after' ? 'Retry-After' : FAMILIES[family].words
}

/** `Shorter, at 0.8 % more cost`. */
export function simplerWords(
  { excess }: NonNullable<PollingDocument['simpler']>,
  { maxPolls, pollPrice }: WishTold,
): string {
  const goal = pollPrice === null ? (maxPolls === null ? 'polls' : 'delay') : 'cost'
  return `Shorter, at ${formatShare(Math.max(0, excess))} more ${goal}`
}

/** `6.10 (5.80 to 6.40)`. */
export function pollsWords({
  pollsPerExecution: { value, low, high },
}: Pick<Strategy, 'pollsPerExecution'>): string {
  return `${threeDigits(value)}${bandWords([low, high], value, threeDigits)}`
}

/** The cost of an execution, at the prices. */
export function costWords(
  { pollsPerExecution, detectionDelayMs }: Strategy,
  { pollPrice, delayPrice }: WishTold,
): string {
  if (pollPrice === null || delayPrice === null || detectionDelayMs === null) return NOTHING
  return threeDigits(
    pollPrice * pollsPerExecution.value + (delayPrice * detectionDelayMs.mean) / 1_000,
  )
}

export function delayWords(strategy: Strategy, statistic: 'mean' | 'p95'): string {
  const { detectionDelayMs: delay } = strategy
  if (delay === null) return 'never, for some'
  const band = statistic === 'mean' ? [delay.meanLow, delay.meanHigh] : [delay.low, delay.high]
  return `${formatMs(delay[statistic])}${bandWords(band, delay[statistic], formatMs)}`
}

function bandWords(
  [low = 0, high = 0]: readonly number[],
  value: number,
  format: (value: number) => string,
): string {
  const [from, to] = [format(low), format(high)]
  return from === format(value) && to === format(value) ? '' : ` (${from} to ${to})`
}

/** `3.90 a second, 7.60 when executions take twice as long`. */
export function trafficWords({
  pollsPerSecond,
  twiceAsLong,
}: {
  pollsPerSecond: number | null
  twiceAsLong: { pollsPerExecution: number; pollsPerSecond: number | null }
}): string {
  if (pollsPerSecond === null || twiceAsLong.pollsPerSecond === null) {
    return (
      `${threeDigits(twiceAsLong.pollsPerExecution)} polls per execution when executions take ` +
      'twice as long'
    )
  }
  const then = `${rate(twiceAsLong.pollsPerSecond)} when executions take twice as long`
  return `${rate(pollsPerSecond)}, ${then}`
}

function rate(perSecond: number): string {
  return perSecond >= 1
    ? `${threeDigits(perSecond)} polls a second`
    : `${threeDigits(60 * perSecond)} polls a minute`
}

/** Less is not worth a word. */
const FEW_UNWATCHED = 0.01

/** How long executions take; null where too few tell. */
export function lengthWords({ executionMs, never, unwatchedShare }: Source): string | null {
  if (executionMs === null) return null
  const { mean, p50, p95 } = executionMs
  const average = `${formatMs(mean)} on average`
  if (unwatchedShare > FEW_UNWATCHED) {
    const share = formatShare(unwatchedShare)
    return `take at least ${average}: ${share} took longer than any whose end was seen`
  }
  const who = never === 0 ? '' : 'that ended in time '
  return `${who}take ${average}, p50 ${formatMs(p50)}, p95 ${formatMs(p95)}`
}

export function sourceWords({ source, profile, scenario }: PollingDocument): string {
  const { kind, executions, ended, never, censored, truth } = source
  const from =
    kind === 'runs'
      ? plural(source.runs.length, 'run')
      : kind === 'virtual'
        ? `a run in virtual time (${scenario ?? ''}, ${profile ?? ''})`
        : `a run of ${scenario ?? ''}`
  const others = [
    never === 0 ? '' : `, ${formatCount(never)} not within their deadline`,
    censored === 0 ? '' : `, ${formatCount(censored)} not watched to their end`,
  ].join('')
  const within = source.endKnownWithinMs
  const apart = within === null ? '' : `, ${formatMs(within)} apart in the median`
  const known =
    truth === 'ledger' ? 'true ends by the ledger' : `true ends between two polls${apart}`
  return (
    `${from}: ${plural(executions, 'execution')}, ${formatCount(ended)} ` +
    `ended${others}; ${known}`
  )
}
