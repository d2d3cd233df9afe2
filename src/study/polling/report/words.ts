/** What the report of a study of polling says in words. */
import {
  formatCount,
  formatMs,
  NOTHING,
  plural,
  formatShare,
  threeDigits,
} from '../../../base/numbers.ts'
import { FAMILIES } from '../analyse/families/list.ts'
import { goalOf } from '../analyse/choice/wish.ts'
import type { Consequences, PollingDocument, Source, Strategy, Wish } from '../document.ts'

export function wishWords({ quota, promise, prices, given }: Wish): string {
  if (!given) {
    // What is left of it in a time-lapse.
    const ms = 1_000 / (prices?.delaySecond ?? 1)
    const worth = ms === 1_000 ? 'one second' : formatMs(ms)
    return `no goal given: one poll costs as much as ${worth} of delay`
  }
  const found = quota?.limits == null ? '' : ' (the safe rate that limits found)'
  return [
    quota === null ? [] : `at most ${quota.text} polls${found}`,
    promise === null ? [] : `detection delay ${promise.text}`,
    prices === null
      ? []
      : `a poll costs ${formatCount(prices.poll)}, a second of delay ` +
        formatCount(prices.delaySecond),
  ]
    .flat()
    .join('; ')
}

export function familyWords(family: Strategy['family']): string {
  return family === 'retry-after' ? 'Retry-After' : FAMILIES[family].words
}

/** `Shorter, at 0.8 % more cost`. */
export function simplerWords(
  { excess }: NonNullable<PollingDocument['simpler']>,
  wish: Wish,
): string {
  return `Shorter, at ${formatShare(Math.max(0, excess))} more ${goalOf(wish)}`
}

/** `6.10 (5.80 to 6.40)`. */
export function pollsWords({
  pollsPerExecution: { value, low, high },
}: Pick<Strategy, 'pollsPerExecution'>): string {
  return `${threeDigits(value)}${bandWords([low, high], value, threeDigits)}`
}

/** The cost of an execution, at the prices. */
export function costWords(
  { pollsPerExecution, detectionDelayMs: delay }: Strategy,
  { prices }: Wish,
): string {
  if (prices === null || delay === null) return NOTHING
  const { poll, delaySecond } = prices
  return threeDigits(poll * pollsPerExecution.value + (delaySecond * delay.mean) / 1_000)
}

export function delayWords(strategy: Strategy, statistic: 'mean' | 'p95'): string {
  const { detectionDelayMs: delay } = strategy
  if (delay === null) return 'never, for some'
  const value = delay[statistic]
  return `${formatMs(value)}${bandWords(bandOf(delay, statistic), value, formatMs)}`
}

export function bandOf(
  delay: NonNullable<Strategy['detectionDelayMs']>,
  statistic: 'mean' | 'p95',
): [low: number, high: number] {
  return statistic === 'mean' ? [delay.meanLow, delay.meanHigh] : [delay.low, delay.high]
}

function bandWords(
  [low, high]: readonly [number, number],
  value: number,
  format: (value: number) => string,
): string {
  const [from, to] = [format(low), format(high)]
  return from === format(value) && to === format(value) ? '' : ` (${from} to ${to})`
}

/** `3.90 a second, 7.60 when executions take twice as long`. */
export function trafficWords({ pollsPerSecond, twiceAsLong }: Consequences): string {
  const then = 'when executions take twice as long'
  if (pollsPerSecond === null || twiceAsLong.pollsPerSecond === null) {
    return `${threeDigits(twiceAsLong.pollsPerExecution)} polls per execution ${then}`
  }
  return `${rate(pollsPerSecond)}, ${rate(twiceAsLong.pollsPerSecond)} ${then}`
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
