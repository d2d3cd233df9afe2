/** What the user knows, as it is written: a quota, a promise, or prices. */
import type { Mistake } from '../../../base/mistakes.ts'
import { DURATION_HELP, parseDuration, parseRate, RATE_HELP } from '../../../base/units.ts'
import type { DelayPromise, Prices, Wish } from '../analyse/choice/wish.ts'
import type { WishTold } from '../document.ts'
import type { LimitsFound } from './limits-found.ts'
import type { PollingOptions } from './options.ts'

type Given = Pick<PollingOptions, 'maxPolls' | 'delay' | 'pollPrice' | 'delayPrice'>

/** Where nothing is said: a poll is worth a second of delay. */
const DEFAULT_PRICES: Prices = { poll: 1, delaySecond: 1 }

/** Adds to `mistakes` what cannot be read. `limits`: the quota that a study of limits has found. */
export function wishOf(
  given: Given,
  limits: LimitsFound | null,
  mistakes: Mistake[],
): { wish: Wish; told: WishTold } {
  const { delay = null, pollPrice = null, delayPrice = null } = given
  const { maxPolls = limits?.maxPolls ?? null } = given
  const quota = maxPolls === null ? null : quotaOf(maxPolls, mistakes)
  const promise = delay === null ? null : promiseOf(delay, mistakes)
  const priced = pricesOf(given, mistakes)
  const isGiven = maxPolls !== null || delay !== null || priced !== null
  const prices = priced ?? (isGiven ? null : DEFAULT_PRICES)
  return {
    wish: { quota, promise, prices },
    told: {
      maxPolls,
      limits: limits?.told ?? null,
      delay,
      pollPrice: pollPrice ?? prices?.poll ?? null,
      delayPrice: delayPrice ?? prices?.delaySecond ?? null,
      given: isGiven,
    },
  }
}

function quotaOf(text: string, mistakes: Mistake[]): Wish['quota'] {
  const rate = parseRate(text)
  if (rate !== undefined && rate.count > 0) return rate
  mistakes.push({
    source: '--max-polls',
    path: '',
    found: JSON.stringify(text),
    problem: `expected ${RATE_HELP}, above 0`,
  })
  return null
}

function promiseOf(text: string, mistakes: Mistake[]): DelayPromise | null {
  const match = /^\s*(mean|p50|p95)\s*<=?\s*(\S+)\s*$/.exec(text)
  const boundMicros = match === null ? undefined : parseDuration(match[2]!)
  if (match !== null && boundMicros !== undefined && boundMicros > 0) {
    return { statistic: match[1] as DelayPromise['statistic'], boundMicros }
  }
  mistakes.push({
    source: '--delay',
    path: '',
    found: JSON.stringify(text),
    problem: `expected "p95 < 5s": mean, p50 or p95, and ${DURATION_HELP}`,
  })
  return null
}

function pricesOf({ pollPrice, delayPrice }: Given, mistakes: Mistake[]): Prices | null {
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
    if (price !== undefined && !(price > 0 && Number.isFinite(price))) {
      const problem = 'expected a number above 0'
      mistakes.push({ source, path: '', found: String(price), problem })
    }
  }
  return { poll: pollPrice ?? 1, delaySecond: delayPrice ?? 1 }
}
