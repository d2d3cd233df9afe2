/** What the user knows, as it is written: a quota, a promise, or prices. */
import type { Mistake } from '../../../base/mistakes.ts'
import { assert } from '../../../base/assert.ts'
import type { Rate } from '../../../base/units.ts'
import {
  DURATION_HELP,
  durationText,
  parseDuration,
  parseRate,
  RATE_HELP,
} from '../../../base/units.ts'
import type { DelayPromise, Prices, Wish } from '../analyse/choice/wish.ts'
import type { WishTold } from '../document.ts'
import type { LimitsFound } from './limits-found.ts'
import type { PollingOptions } from '../options.ts'

type WishOptions = Pick<PollingOptions, 'maxPolls' | 'delay' | 'pollPrice' | 'delayPrice'>

export interface Wished {
  wish: Wish
  told: WishTold
}

/** Where nothing is said: a poll is worth a second of delay, which a time-lapse divides. */
function unasked(speed: number): Wished {
  const told = { maxPolls: null, limits: null, delay: null, pollPrice: 1, delayPrice: speed }
  const prices = { poll: 1, delaySecond: speed }
  return { wish: { quota: null, promise: null, prices }, told: { ...told, given: false } }
}

/**
 * Adds to `mistakes` what cannot be read. `limits`: the quota that a study of limits has found, in
 * wall time. A time-lapse divides all other times.
 */
export function wishOf(
  given: WishOptions,
  speed: number,
  limits: LimitsFound | null,
  mistakes: Mistake[],
): Wished {
  const quota = limits === null ? quotaOf(given, speed, mistakes) : ofLimits(limits)
  const promise = promiseOf(given, speed, mistakes)
  const prices = pricesOf(given, speed, mistakes)
  if ((quota ?? promise ?? prices) === null) return unasked(speed)
  return {
    wish: { quota: quota?.rate ?? null, promise: promise?.promise ?? null, prices },
    told: {
      maxPolls: quota?.text ?? null,
      limits: limits?.told ?? null,
      delay: promise?.text ?? null,
      pollPrice: prices?.poll ?? null,
      delayPrice: prices?.delaySecond ?? null,
      given: true,
    },
  }
}

interface Quota {
  rate: Rate
  text: string
}

function ofLimits({ maxPolls: text }: LimitsFound): Quota {
  const rate = parseRate(text)
  assert(rate !== undefined, 'a rate of ours can be read')
  return { rate, text }
}

function quotaOf(
  { maxPolls: text }: WishOptions,
  speed: number,
  mistakes: Mistake[],
): Quota | null {
  if (text === undefined) return null
  const rate = parseRate(text)
  if (rate !== undefined && rate.count > 0) {
    const { count, perMicros } = rate
    const lapsed = text.trim().replace(/^[\d.]+/, (written) => String(Number(written) * speed))
    return { rate: { count: count * speed, perMicros }, text: speed === 1 ? text : lapsed }
  }
  mistakes.push({
    source: '--max-polls',
    path: '',
    found: JSON.stringify(text),
    problem: `expected ${RATE_HELP}, above 0`,
  })
  return null
}

function promiseOf(
  { delay: text }: WishOptions,
  speed: number,
  mistakes: Mistake[],
): { promise: DelayPromise; text: string } | null {
  if (text === undefined) return null
  const match = /^\s*(mean|p50|p95)\s*<=?\s*(\S+)\s*$/.exec(text)
  const micros = match === null ? undefined : parseDuration(match[2]!)
  if (match !== null && micros !== undefined && micros > 0) {
    const statistic = match[1] as DelayPromise['statistic']
    const boundMicros = Math.max(1, Math.round(micros / speed))
    const lapsed = `${statistic} < ${durationText(boundMicros)}`
    return { promise: { statistic, boundMicros }, text: speed === 1 ? text : lapsed }
  }
  mistakes.push({
    source: '--delay',
    path: '',
    found: JSON.stringify(text),
    problem: `expected "p95 < 5s": mean, p50 or p95, and ${DURATION_HELP}`,
  })
  return null
}

function pricesOf(
  { pollPrice, delayPrice }: WishOptions,
  speed: number,
  mistakes: Mistake[],
): Prices | null {
  if (pollPrice === undefined && delayPrice === undefined) return null
  const add = (source: string, problem: string): void => {
    mistakes.push({ source, path: '', problem })
  }
  if (pollPrice === undefined)
    add('--delay-price', 'goes with --poll-price: one price says nothing')
  if (delayPrice === undefined) {
    add('--poll-price', 'goes with --delay-price, of a second: one price says nothing')
  }
  for (const [source, price] of [
    ['--poll-price', pollPrice],
    ['--delay-price', delayPrice],
  ] as const) {
    if (price !== undefined && !isPrice(Number(price))) {
      const problem = 'expected a number above 0'
      mistakes.push({ source, path: '', found: JSON.stringify(price), problem })
    }
  }
  return { poll: Number(pollPrice ?? 1), delaySecond: Number(delayPrice ?? 1) * speed }
}

function isPrice(price: number): boolean {
  return price > 0 && Number.isFinite(price)
}
