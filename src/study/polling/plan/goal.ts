/** What the user knows, as it is written: a quota, a promise, or prices. */
import { studyPlace } from '../../frame/study-place.ts'
import { toDigits } from '../../../base/numbers.ts'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Mistake } from '../../../base/mistakes.ts'
import { UserError } from '../../../base/mistakes.ts'
import { listed } from '../../../base/text.ts'
import {
  DURATION_HELP,
  durationText,
  MICROS_PER_SECOND,
  parseDuration,
  parseRate,
  RATE_HELP,
} from '../../../base/units.ts'
import { readDocument } from '../../../journal/file/document.ts'
import { LIMITER_KINDS } from '../../frame/limiter-kinds.ts'
import type { PollingGoal } from '../document.ts'
import type { PollingOptions } from '../options.ts'

type Quota = NonNullable<PollingGoal['quota']>
type DelayPromise = NonNullable<PollingGoal['promise']>
type PollPrices = NonNullable<PollingGoal['prices']>

/** Adds to `mistakes` what cannot be read. `limits`: the quota that a study of limits has found. */
export function goalOf(
  { maxPolls, delay, ...options }: Omit<PollingOptions, 'limits'>,
  limits: Quota | null,
  mistakes: Mistake[],
): PollingGoal {
  const refuse = (source: string, found: unknown, expected: string): null => {
    const problem = `expected ${expected}`
    mistakes.push({ source, found: JSON.stringify(found), problem })
    return null
  }
  const rate = maxPolls === undefined ? null : quotaIn(maxPolls)
  const promised = delay === undefined ? null : promiseIn(delay)
  const goal = {
    quota: rate === undefined ? refuse('--max-polls', maxPolls, `${RATE_HELP}, above 0`) : rate,
    promise: promised === undefined ? refuse('--delay', delay, PROMISE_HELP) : promised,
    prices: pricesOf(options, mistakes, refuse),
  }
  const quota = limits ?? goal.quota
  if ((quota ?? goal.promise ?? goal.prices) !== null) return { ...goal, quota, given: true }
  return { ...goal, quota, prices: { poll: 1, delaySecond: 1 }, given: false }
}

/** In the wall time of a time-lapse, which divides every time but that of a limit that was met. */
export function lapsedGoal(
  { quota, promise, prices, given }: PollingGoal,
  speed: number,
): PollingGoal {
  const boundMicros = Math.max(1, Math.round((promise?.boundMicros ?? 0) / speed))
  return {
    quota: quota === null || speed === 1 ? quota : lapsedQuota(quota, speed),
    promise: promise === null || speed === 1 ? promise : promiseOf(promise.statistic, boundMicros),
    prices: prices === null ? null : { ...prices, delaySecond: prices.delaySecond * speed },
    given,
  }
}

function lapsedQuota(quota: Quota, speed: number): Quota {
  if (quota.limits !== null) return quota
  const count = quota.count * speed
  return { ...quota, count, text: `${count}/${quota.per}` }
}

/** Undefined for what is no rate, or none above 0. */
function quotaIn(written: string): Quota | undefined {
  const rate = parseRate(written)
  if (rate === undefined || rate.count === 0) return undefined
  const [, per = ''] = written.split('/')
  return { text: written.trim(), ...rate, per: per.trim(), limits: null }
}

const PROMISE_HELP = `"p95 < 5s": mean, p50 or p95, and ${DURATION_HELP}`

function promiseIn(text: string): DelayPromise | undefined {
  const [, statistic, bound = ''] = /^\s*(mean|p50|p95)\s*<=?\s*(\S+)\s*$/.exec(text) ?? []
  const boundMicros = parseDuration(bound)
  if (statistic === undefined || boundMicros === undefined || boundMicros <= 0) return undefined
  return { text, statistic: statistic as DelayPromise['statistic'], boundMicros }
}

function promiseOf(statistic: DelayPromise['statistic'], boundMicros: number): DelayPromise {
  return { text: `${statistic} < ${durationText(boundMicros)}`, statistic, boundMicros }
}

function pricesOf(
  { pollPrice, delayPrice }: Pick<PollingOptions, 'pollPrice' | 'delayPrice'>,
  mistakes: Mistake[],
  refuse: (source: string, found: unknown, expected: string) => null,
): PollPrices | null {
  if (pollPrice === undefined && delayPrice === undefined) return null
  const priced = [
    ['--poll-price', pollPrice, '--delay-price, of a second'],
    ['--delay-price', delayPrice, '--poll-price'],
  ] as const
  for (const [source, price, other] of priced) {
    if (price === undefined) continue
    if (priced.some(([, each]) => each === undefined)) {
      const problem = `goes with ${other}: one price says nothing`
      mistakes.push({ source, problem })
    }
    if (!isPrice(Number(price))) refuse(source, price, 'a number above 0')
  }
  return { poll: Number(pollPrice ?? 1), delaySecond: Number(delayPrice ?? 1) }
}

function isPrice(price: number): boolean {
  return price > 0 && Number.isFinite(price)
}

const FILE = 'limits.json'
const EXPECTED = `expected the folder of a study of limits, or its ${FILE}`

/** What is read of the document of that study. */
const found = z.object({
  schema: z.literal('crewload/limits/1'),
  place: studyPlace,
  operations: z.object({
    status: z
      .object({
        kind: z.enum(LIMITER_KINDS),
        outcome: z.string(),
        safePerSecond: z.number().nullable(),
        scope: z.object({
          token: z.boolean().nullable(),
          path: z.boolean().nullable(),
          sharedWith: z.array(z.string()).nullable(),
        }),
      })
      .nullable(),
  }),
})

type Status = NonNullable<z.infer<typeof found>['operations']['status']>

/**
 * The quota of polls that a study of limits has found: the safe rate of status in its document.
 * Throws UserError for what holds none.
 */
export async function limitsFound(path: string): Promise<Quota> {
  const { place, operations } = await documentAt(path)
  const { status } = operations
  const pollsPerSecond = safeRateOf(path, status)
  const limits = { source: path, place, pollsPerSecond, assumed: assumedOf(status!.scope) }
  return { ...quotaOf(pollsPerSecond), limits }
}

async function documentAt(path: string): Promise<z.infer<typeof found>> {
  try {
    const isFolder = (await stat(path)).isDirectory()
    const document = await readDocument(isFolder ? join(path, FILE) : path, found, {
      remedy: EXPECTED,
    })
    if (document !== null) return document
  } catch (error) {
    if (error instanceof UserError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') throw mistake(path, `cannot be read (${message}); ${EXPECTED}`)
  }
  throw mistake(path, await whyAbsent(path))
}

async function whyAbsent(path: string): Promise<string> {
  const isFolder = await readdir(path).then(
    () => true,
    () => false,
  )
  return isFolder ? `holds no ${FILE}; ${EXPECTED}` : `does not exist; ${EXPECTED}`
}

/** Polls a second, above 0. */
function safeRateOf(path: string, status: Status | null): number {
  if (status === null) {
    throw mistake(path, 'has not probed status, and polls are requests for it: probe it first')
  }
  const { kind, outcome, safePerSecond } = status
  if (outcome !== 'settled' || kind === 'unknown') {
    throw mistake(path, 'the status limit is not settled there, so no rate is known to be safe')
  }
  if (safePerSecond !== null && safePerSecond > 0) return safePerSecond
  const why =
    kind === 'none'
      ? 'no status limit was met there: leave the flag out, or state a quota with --max-polls'
      : `the status limit there is one of ${kind}, which sets no rate: state one with --max-polls`
  throw mistake(path, why)
}

function mistake(path: string, problem: string): UserError {
  return new UserError({ source: '--limits', found: path, problem })
}

/** For whom the rate holds: whoever reads it must know what would make it too high. */
function assumedOf({ token, path, sharedWith }: Status['scope']): string {
  const others = sharedWith ?? []
  const sharing =
    others.length === 0 ? '' : `; ${listed(others)} take from it as well, and are not counted here`
  const tokens =
    token === null
      ? ''
      : token
        ? '; each further token has as much of its own'
        : '; further tokens take from the same'
  const executions = path === true ? '; each execution has as much of its own' : ''
  return `that all polls use one token, which nobody else uses${tokens}${executions}${sharing}`
}

const SECONDS: readonly (readonly [string, number])[] = [
  ['s', 1],
  ['m', 60],
  ['h', 3_600],
]

/** `49.4/s`, `59.2/m`: three digits, rounded down, in the first unit of which there is one. */
function quotaOf(perSecond: number): Omit<Quota, 'limits'> {
  const [unit, seconds] = SECONDS.find(([, each]) => perSecond * each >= 1) ?? SECONDS.at(-1)!
  const value = perSecond * seconds
  const step = 10 ** (Math.floor(Math.log10(value)) - 2)
  const count = toDigits(Math.floor(value / step + 1e-9) * step, 3)
  return { text: `${count}/${unit}`, count, per: unit, perMicros: seconds * MICROS_PER_SECOND }
}
