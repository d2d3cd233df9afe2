/**
 * Quantities as a profile's author writes them: durations, sizes, shares, counts and distributions
 * of them, each checked and turned into numbers.
 */
import { z } from 'zod'
import type { Distribution } from '../../../src/base/distribution.ts'
import {
  DURATION_HELP,
  RATE_HELP,
  parseBytes,
  parseDuration,
  parseRate,
  parseShare,
} from '../../../src/base/units.ts'

/** What a schema returns, whose lists nobody modifies. */
export type Parsed<Value> = Value extends readonly (infer Item)[]
  ? readonly Parsed<Item>[]
  : Value extends object
    ? { [Key in keyof Value]: Parsed<Value[Key]> }
    : Value

const SIZE_HELP = 'a size like 512, "4kB" or "1MiB"'
const SHARE_HELP = 'a share from 0 to 1, like 0.02 or "2%"'

/** `60s`, `1h30m`, or a bare 0; parsed to integer microseconds. */
export const duration = quantity(
  z.union([z.string(), z.literal(0)], { error: `expected ${DURATION_HELP}` }).meta({
    description: 'A duration: "500ms", "2s", "1.5m" or "1h30m".',
    pattern: String.raw`^\s*(0|(\d+(\.\d+)?(us|ms|s|min|m|h|d))+)\s*$`,
  }),
  (written) => parseDuration(String(written)),
  DURATION_HELP,
)

export const lasting = duration.refine((micros) => micros > 0, {
  error: 'expected a duration above 0',
})

/** `10/s`, `600/m`, `90/5m`; parsed to a ratio whose count is above 0. */
export const rate = quantity(
  z.string({ error: `expected ${RATE_HELP}` }).meta({
    description: 'A rate: "2/s", "0.5/s", "40/h" or "90/5m".',
    pattern: String.raw`^\s*\d+(\.\d+)?\s*/\s*((\d+(\.\d+)?)?(us|ms|s|min|m|h|d))+\s*$`,
  }),
  (written) => {
    const ratio = parseRate(written)
    return ratio === undefined || ratio.count === 0 ? undefined : ratio
  },
  `${RATE_HELP}, above 0`,
)

/** `4kB`, `1MiB`, or a number of bytes; parsed to bytes. */
export const size = quantity(
  z.union([z.string(), numberIn(0, Infinity, SIZE_HELP)], { error: `expected ${SIZE_HELP}` }).meta({
    description: 'A size in bytes: 512, "4kB" or "1MiB".',
    pattern: String.raw`^\s*\d+(\.\d+)?\s*(B|kB|KB|MB|KiB|MiB)?\s*$`,
  }),
  (written) => parseBytes(String(written)),
  SIZE_HELP,
)

/** `2%` or 0.02; parsed to a share from 0 to 1. */
export const share = quantity(
  z.union([z.string(), numberIn(0, 1, SHARE_HELP)], { error: `expected ${SHARE_HELP}` }).meta({
    description: 'A share from 0 to 1: 0.02 or "2%".',
    pattern: String.raw`^\s*\d+(\.\d+)?\s*%?\s*$`,
  }),
  (written) => parseShare(String(written)),
  SHARE_HELP,
)

export const flag = z.boolean({ error: 'expected true or false' })

/** A whole number from `least`, or `unlimited`, which is parsed to null. */
export function countOrUnlimited(least: number) {
  const help = `expected a whole number from ${least}, or "unlimited"`
  const count = z.int({ error: help }).min(least, { error: help })
  return z
    .union([count, z.literal('unlimited')], { error: help })
    .transform((written) => (typeof written === 'number' ? written : null))
}

/**
 * A whole number from `least`. (zod's own `int` would keep the mapping around a mistake from being
 * checked as a whole.)
 */
export function count(least: number) {
  const help = `expected a whole number from ${least}`
  return z
    .number({ error: help })
    .refine((value) => Number.isSafeInteger(value) && value >= least, { error: help })
    .meta({ type: 'integer', minimum: least })
}

/** One of these words or numbers. */
export function oneOf<const Word extends string | number>(words: readonly Word[]) {
  return z.literal(words, { error: `expected one of ${words.join(', ')}` })
}

/** A non-empty text. */
export function text(what: string) {
  const help = `expected ${what}`
  return z.string({ error: help }).trim().min(1, { error: help })
}

export function listOf<Item extends z.ZodType>(item: Item, what: string) {
  return z.array(item, { error: `expected a list of ${what}` })
}

/** For lists that may be partly invalid. */
export const OF_LISTS: { when: (payload: z.core.ParsePayload) => boolean } = {
  when: ({ value }) => Array.isArray(value),
}

/**
 * If two entries of a list share a text under this key, the later one is the mistake. Also checks
 * partly invalid entries: every mistake is reported at once.
 */
export function eachOnce(key: string, message: string) {
  return (list: readonly unknown[], context: z.RefinementCtx): void => {
    const seen = new Set<string>()
    for (const [index, entry] of list.entries()) {
      const text = ((entry ?? {}) as Record<string, unknown>)[key]
      if (typeof text !== 'string') continue
      if (seen.has(text)) context.addIssue({ code: 'custom', path: [index, key], message })
      seen.add(text)
    }
  }
}

function numberIn(least: number, most: number, help: string) {
  const error = `expected ${help}`
  const atLeast = z.number({ error }).min(least, { error })
  return most === Infinity ? atLeast : atLeast.max(most, { error })
}

function quantity<Written, Parsed>(
  written: z.ZodType<Written, Written>,
  parse: (written: Written) => Parsed | undefined,
  help: string,
) {
  return written.transform((value, context) => {
    const number = parse(value)
    if (number !== undefined) return number
    context.issues.push({ code: 'custom', input: value, message: `expected ${help}` })
    return z.NEVER
  })
}

type QuantitySchema = z.ZodType<number, string | number>

const ONE_SHAPE = 'exactly one of constant, uniform, lognormal, gamma or quantiles'

/**
 * `60s` (always that), `{ uniform: { min, max } }`, `{ lognormal: { median, p95, cap } }`, `{
 * gamma: { mean, cv, cap } }` or `{ quantiles: { 0%: ..., 50%: ..., 100%: ... } }`; `cap` is
 * optional and clips. All values have the same unit.
 */
export function distribution(value: QuantitySchema, what: string) {
  const help = `expected ${what}, or ${ONE_SHAPE}`
  const shapes = z
    .strictObject({
      constant: constant(value.meta({ description: 'Always this value.' })).exactOptional(),
      uniform: uniform(value).exactOptional(),
      lognormal: lognormal(value).exactOptional(),
      gamma: gamma(value).exactOptional(),
      quantiles: quantiles(value).exactOptional(),
    })
    .meta({ minProperties: 1, maxProperties: 1 })
    .refine((shape) => Object.keys(shape).length === 1, { error: help })
    .transform((shape) => Object.values(shape)[0]!)
  return z.union([constant(value), shapes], { error: help })
}

function constant(value: QuantitySchema) {
  return value.transform((always): Distribution => ({ kind: 'constant', value: always }))
}

function uniform(value: QuantitySchema) {
  return z
    .strictObject({ min: value, max: value })
    .meta({ description: 'Uniform between min and max.' })
    .refine(({ min, max }) => min <= max, {
      path: ['max'],
      error: 'expected a max that is not below min',
    })
    .transform((shape): Distribution => ({ kind: 'uniform', ...shape }))
}

function lognormal(value: QuantitySchema) {
  return z
    .strictObject({ median: value, p95: value, cap: value.exactOptional() })
    .meta({ description: 'Lognormal by its median and 95th percentile; cap clips its tail.' })
    .refine(({ median }) => median > 0, {
      path: ['median'],
      error: 'expected a median above 0',
    })
    .refine(({ median, p95 }) => p95 > median, {
      path: ['p95'],
      error: 'expected a p95 above the median',
    })
    .refine(({ median, cap = Infinity }) => cap > median, {
      path: ['cap'],
      error: 'expected a cap above the median',
    })
    .transform((shape): Distribution => ({ kind: 'lognormal', ...shape }))
}

function gamma(value: QuantitySchema) {
  const help = 'expected a coefficient of variation above 0 (1 is exponential)'
  return z
    .strictObject({
      mean: value,
      cv: z.number({ error: help }).positive({ error: help }),
      cap: value.exactOptional(),
    })
    .meta({ description: 'Gamma by its mean and coefficient of variation; cap clips its tail.' })
    .refine(({ mean, cap = Infinity }) => cap > mean, {
      path: ['cap'],
      error: 'expected a cap above the mean',
    })
    .transform((shape): Distribution => ({ kind: 'gamma', ...shape }))
}

function quantiles(value: QuantitySchema) {
  return z
    .record(z.string(), value, {
      error: 'expected values by quantile, like { 0%: 10s, 50%: 1m, 100%: 5m }',
    })
    .meta({ description: 'Values at increasing quantiles from 0% to 100%, linear in between.' })
    .transform((byQuantile, context): Distribution => {
      const points = Object.entries(byQuantile)
        .map(([key, at]) => ({ key, q: parseShare(key) ?? Number.NaN, value: at }))
        .sort((a, b) => a.q - b.q)
      for (const fault of quantileFaults(points)) {
        context.issues.push({ code: 'custom', input: byQuantile, ...fault })
      }
      return { kind: 'quantiles', points: points.map(({ q, value: at }) => ({ q, value: at })) }
    })
}

function quantileFaults(points: readonly { key: string; q: number; value: number }[]) {
  const faults: { path?: string[]; message: string }[] = []
  for (const { key, q } of points) {
    if (Number.isNaN(q))
      faults.push({ path: [key], message: 'expected a quantile from 0% to 100%' })
  }
  if (faults.length > 0) return faults
  if (points[0]?.q !== 0 || points.at(-1)?.q !== 1) {
    faults.push({ message: 'expected quantiles that begin at 0% and end at 100%' })
  }
  for (const [i, { key, q, value }] of points.entries()) {
    const before = points[i - 1]
    if (before === undefined) continue
    if (q === before.q) faults.push({ path: [key], message: 'expected each quantile once' })
    if (value < before.value) {
      faults.push({ path: [key], message: `expected a value not below that at ${before.key}` })
    }
  }
  return faults
}

/** A duration, or a distribution of durations. */
export const time = distribution(duration, 'a duration')
